import { oneLine, shorten } from '../../base/width.ts'
import type { Mode } from '../../event/event.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { globFits } from '../../tool/star-fits.ts'
import { fits } from '../../permission/pattern.ts'
import type { Run } from '../state/run.ts'

/** What a job's run may call. */
export interface JobRights extends Pick<Run, 'tag' | 'reporting' | 'allowPing' | 'chain'> {
  readonly tools: readonly string[]
  readonly skills: readonly string[]
}

/** The branch that makes a call. */
export interface Caller {
  readonly mode: Mode
  /** The run that the branch is, or works for: it gets no more rights than that run. */
  readonly run: JobRights | null
  /** The names of all tools. */
  readonly tools: readonly string[]
}

/** Tools that every background run may call. */
const EVERY_RUN = ['help', 'read', 'glob', 'grep', 'todo(list*)']
/** Not for webhooks: input from outside must not plan anything or write files. */
const FROM_INSIDE = ['add_reminder', 'list_reminders', 'cancel_reminder', 'todo']
/** Only for runs of a chain; at the final check the tool itself says what to do instead. */
const FOLLOW_UP = 'follow_up_chain'
const PINGS: ReadonlySet<string> = new Set(['ping_user', 'send_embed'])
const REPORT = 'report_updates'
const READ_SKILL = 'read_skill'
const ENTER = 'enter_fork'
/** These end an interactive fork, and exist only there. */
const FORK_ENDS = ['save_context', 'exit_fork']

/** Tools that mean nothing in such a branch, whatever a job or a person allows. */
const NEVER: Readonly<Record<Mode, readonly string[]>> = {
  main: [REPORT, ...FORK_ENDS],
  fork: [ENTER],
  background: [ENTER, ...FORK_ENDS],
  child: [REPORT, ENTER, ...FORK_ENDS],
}

/** Why this tool is not for this branch, whatever a person allowed; undefined: it may be judged. */
export function notHere(tool: string, subject: string, caller: Caller): string | undefined {
  const { mode, run } = caller
  if (NEVER[mode].includes(tool)) return neverWords(tool, caller)
  if (run !== null && isForbidden(tool, run)) return forbiddenWords(tool, { ...caller, run })
  if (mode !== 'background' && run === null) return undefined
  if (isOffered(tool, subject, run)) return undefined
  if (isNamed(tool, run)) return `'${tool}' is offered to this run only for ${partsOf(tool, run)}.`
  return `'${tool}' is not offered to this run. ${listWords(caller)}`
}

/** The names of the tools that a branch may call without anybody's permission. */
export function offeredIn({ mode, run, tools }: Caller): readonly string[] {
  const isGated = mode === 'background' || run !== null
  return tools.filter((tool) => {
    if (NEVER[mode].includes(tool)) return false
    return !isGated || ((run === null || !isForbidden(tool, run)) && isNamed(tool, run))
  })
}

/** `You can call read, glob, grep.` */
export function listWords(caller: Caller): string {
  const names = offeredIn(caller)
  return names.length === 0 ? 'You can call no tools.' : `You can call ${names.join(', ')}.`
}

/** The tools in a run's prompt: an isolated run has those it is offered; others share main's, in main's order. */
export function toolsFor(run: JobRights & Pick<Run, 'isolated'>, specs: readonly ToolSpec[]) {
  if (!run.isolated)
    return run.reporting === 'blocked' ? specs.filter(({ name }) => name !== REPORT).map(unreported) : specs
  const offered = offeredIn({ mode: 'background', run, tools: specs.map(({ name }) => name) })
  const told = specs.filter(({ name }) => offered.includes(name) && !(isFinal(run) && name === FOLLOW_UP))
  return run.reporting === 'blocked' ? told.map(unreported) : told
}

/** Other tools point to report_updates: `otherwise report_updates, or nothing` (RUN2). */
function unreported(spec: ToolSpec): ToolSpec {
  return { ...spec, description: spec.description.replace(`\`${REPORT}\`, or `, '') }
}

/** What a run may call, and what not. A run that may not report is not told of that tool (RUN2). */
export function toolRights(run: JobRights, tools: readonly string[]) {
  const offered = new Set(offeredIn({ mode: 'background', run, tools }))
  if (isFinal(run)) offered.delete(FOLLOW_UP)
  return {
    may: tools.filter((tool) => offered.has(tool)).flatMap((tool) => offersOf(tool, run)),
    not: tools.filter((tool) => !offered.has(tool) && !(tool === REPORT && run.reporting === 'blocked')),
  }
}

function offersOf(tool: string, run: JobRights): readonly string[] {
  const patterns = patternsFor(tool, run)
  if (patterns.some((text) => globIn(text) === null)) return [tool]
  const ofSkills = tool === READ_SKILL ? run.skills.map((skill) => `${tool}(${skill})`) : []
  return [...new Set([...ofSkills, ...patterns])]
}

/** Its follow-ups are used up. A run that calls for one anyway is told what to do instead. */
function isFinal({ chain }: JobRights): boolean {
  return chain !== undefined && chain.depth >= chain.max
}

function isForbidden(tool: string, { reporting, allowPing }: JobRights): boolean {
  if (tool === REPORT) return reporting === 'blocked'
  return PINGS.has(tool) && !allowPing
}

function neverWords(tool: string, caller: Caller): string {
  switch (caller.mode) {
    case 'main':
      return tool === REPORT ? IN_MAIN : NOT_IN_A_FORK
    case 'fork':
      return IN_A_FORK
    case 'child':
      return tool === REPORT ? 'A child does not report: its answer goes to its parent by mail.' : NO_FORKS
    case 'background':
      return `Nobody talks in this run, so there is no fork to enter or to end. ${listWords(caller)}`
  }
}

const IN_MAIN =
  'You are the main session, and others report to you. Say it in your answer, or propose a line with remember.'
const NOT_IN_A_FORK = 'This is the main session, so there is no fork to end. enter_fork opens one.'
const IN_A_FORK =
  'You are already in a fork, and only one can be open at a time. End it first: save_context, report_updates or exit_fork.'
const NO_FORKS =
  'Nobody talks in this branch, so there is no fork to enter or to end. Your answer goes to your parent.'

function forbiddenWords(tool: string, caller: Caller & { readonly run: JobRights }): string {
  if (tool === REPORT) return `This run does not report. ${listWords(caller)}`
  const canReport = caller.mode === 'background' && caller.run.reporting !== 'blocked'
  const instead = canReport ? ` What matters can be told with ${REPORT}.` : ''
  return `'${tool}' is disabled for this run.${instead} ${listWords(caller)}`
}

function isOffered(tool: string, subject: string, run: JobRights | null): boolean {
  if (tool === READ_SKILL && (run?.skills ?? []).some((skill) => isOfSkill(subject, skill))) return true
  return patternsFor(tool, run).some((text) => fits({ tool, glob: globIn(text) }, { tool, subject }))
}

/** Whether the file of the job, which a person wrote or approved, names such calls and not just their tool (LEAVE1). */
export function isNamedBy(
  run: Pick<Run, 'named'> | null,
  call: { readonly tool: string; readonly subject: string },
): boolean {
  return (run?.named ?? []).some(
    (text) => covers(text, call.tool) && fits({ tool: call.tool, glob: globIn(text) }, call),
  )
}

/** Whether at least some calls of the tool are allowed. */
function isNamed(tool: string, run: JobRights | null): boolean {
  if (tool === READ_SKILL && (run?.skills.length ?? 0) > 0) return true
  return patternsFor(tool, run).length > 0
}

/** The patterns that allow calls of a tool: those of every such run, and those its job adds. */
function patternsFor(tool: string, run: JobRights | null): readonly string[] {
  const all = [
    REPORT,
    ...EVERY_RUN,
    ...(run === null ? [] : PINGS),
    ...(run?.tag === 'webhook' ? [] : FROM_INSIDE),
    ...(run?.chain === undefined ? [] : [FOLLOW_UP]),
    ...(run?.tools ?? []),
  ]
  return all.filter((text) => covers(text, tool))
}

/** The instructions of a skill, or one of its files. */
function isOfSkill(subject: string, skill: string): boolean {
  return subject === skill || subject.startsWith(`${skill}/`)
}

function partsOf(tool: string, run: JobRights | null): string {
  return patternsText([...(tool === READ_SKILL ? (run?.skills ?? []) : []), ...patternsFor(tool, run)])
}

const PATTERNS_MAX = 100
const PATTERN_COLUMNS = 260

/** Patterns come from a file and stand among the host's words: each on its own line, and limited in length. */
export function patternsText(patterns: readonly string[]): string {
  const texts = patterns.slice(0, PATTERNS_MAX).map((text) => shorten(oneLine(text), PATTERN_COLUMNS))
  const more = patterns.length - texts.length
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

/** MCP tool names may have stars (`mcp__calendar__*`): a job's file does not know how a server spells its names. */
function covers(text: string, tool: string): boolean {
  const [name, called] = [nameIn(text).toLowerCase(), tool.toLowerCase()]
  return name === called || (name.startsWith('mcp__') && called.startsWith('mcp__') && globFits(name, called))
}

function nameIn(pattern: string): string {
  return pattern.replace(/\(.*\)$/s, '')
}

function globIn(pattern: string): string | null {
  return /\((.*)\)$/s.exec(pattern)?.[1] ?? null
}
