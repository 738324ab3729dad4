import type { Mode } from '../event/event.ts'
import { fits, parsePattern } from '../permission/pattern.ts'
import type { Run } from './run.ts'

/** Where a call is made. */
export interface Caller {
  readonly mode: Mode
  /** Of a run, or of a branch that works for one. */
  readonly run: Run | null
}

/** What every background run may call. Reminders are not for webhooks: what comes from outside plans nothing. */
const EVERY_RUN = [
  'help',
  'read',
  'glob',
  'grep',
  'todo_add',
  'todo_list',
  'todo_done',
  'todo_update',
  'todo_delete',
]
const REMINDERS = ['add_reminder', 'list_reminders', 'cancel_reminder']
const PINGS = ['ping_user', 'send_embed']
const REPORT = 'report_updates'

/** What ends an interactive fork; only there. */
const FORK_ENDS = ['save_context', 'exit_fork']

/** Why this tool is not for this branch, whatever a person allowed; undefined: it may be judged. */
export function notHere(
  tool: string,
  subject: string,
  caller: Caller & { readonly tools: readonly string[] },
): string | undefined {
  const { mode, run } = caller
  if (tool === REPORT) return notReporting(caller)
  if (PINGS.includes(tool) && run !== null && !run.allowPing)
    return `'${tool}' is disabled for this run.${instead(run)}`
  if (mode === 'background') {
    if (isOffered(tool, subject, run)) return undefined
    const offered = offeredIn(caller)
    return `'${tool}' is not offered to this run. There are: ${offered.join(', ')}.`
  }
  if (tool === 'enter_fork' && mode !== 'main') return mode === 'fork' ? IN_A_FORK : NO_FORKS
  if (FORK_ENDS.includes(tool) && mode !== 'fork') return mode === 'main' ? NOT_IN_A_FORK : NO_FORKS
  return undefined
}

const IN_A_FORK =
  'You are in a fork already, and a conversation has one at a time. End it first: save_context, report_updates or exit_fork.'
const NOT_IN_A_FORK = 'You are in the main session, and no fork is to be ended here. enter_fork opens one.'
const NO_FORKS =
  'Nobody talks in this branch, so there is no fork to enter or to end. Your answer goes to your parent.'

function notReporting({ mode, run }: Caller): string | undefined {
  if (mode === 'main')
    return 'You are the main session, to which others report. Say it in your answer, or add it to your context with a note.'
  if (mode === 'child') return 'A child does not report: its answer goes to its parent by mail.'
  return run?.reporting === 'blocked' && mode === 'background' ? 'This run does not report.' : undefined
}

function instead({ reporting }: Run): string {
  return reporting === 'blocked' ? '' : ` What matters can be told with ${REPORT}.`
}

/** The names of the tools that a branch may call, as far as nobody has to allow them. */
export function offeredIn({
  mode,
  run,
  tools,
}: Caller & { readonly tools: readonly string[] }): readonly string[] {
  if (mode !== 'background') return tools
  return tools.filter((tool) => isNamed(tool, run))
}

function isNamed(tool: string, run: Run | null): boolean {
  return (
    isDefault(tool, run) ||
    (run?.tools ?? []).some((pattern) => pattern === tool || pattern.startsWith(`${tool}(`))
  )
}

function isOffered(tool: string, subject: string, run: Run | null): boolean {
  if (isDefault(tool, run)) return true
  return (run?.tools ?? []).some((text) => {
    const pattern = parsePattern(text)
    return 'problem' in pattern ? matchesServer(text, tool) : fits(pattern, { tool, subject })
  })
}

/** `mcp__calendar__*` */
function matchesServer(text: string, tool: string): boolean {
  return text.endsWith('__*') && text.startsWith('mcp__') && tool.startsWith(text.slice(0, -1))
}

function isDefault(tool: string, run: Run | null): boolean {
  if (PINGS.includes(tool)) return run?.allowPing ?? false
  if (tool === REPORT) return run?.reporting !== 'blocked'
  if (REMINDERS.includes(tool)) return run?.tag !== 'webhook'
  if (tool === 'read_skill') return (run?.skills.length ?? 0) > 0
  return EVERY_RUN.includes(tool)
}
