import type { PromptMessage } from '../../event/prompt.ts'
import { bodyOf } from './host-lines.ts'
import { type Check, checkIn, lateIn } from './job-head.ts'

/** Where a prompt is asked: by what the host wrote before the message that opened the branch. */
export type Place =
  | { readonly kind: 'main' | 'child' }
  /** A person talks in it; `said` begins with what they came with. */
  | { readonly kind: 'fork'; readonly said: readonly PromptMessage[] }
  | RunPlace

export interface RunPlace {
  readonly kind: 'run'
  readonly job: 'routine' | 'reminder' | 'webhook'
  readonly task: string
  /** When it was due, where that is over. */
  readonly late: string | undefined
  readonly check: Check | undefined
  /** The person is in the middle of something. */
  readonly isBusy: boolean
  readonly reporting: 'on_ping' | 'always' | 'freely' | 'blocked'
  readonly mayPing: boolean
  /** What happened since the task was given. */
  readonly since: readonly PromptMessage[]
}

const ENTERED = /^\[fork-started\]\n\([^\n]*the person entered/
/** In the head of what is said in main then. */
const SAVED =
  /^(?:\[[^\n]*\]\n|\([^\n]*\)\n)*\(written by the host: (?:the fork above was saved here|what stands above was said in a fork)/
const STARTED = /^\[fork-started\]/
const RUN = /^\[(?:(routine|reminder)-bg|webhook):[^\]\s]+\]/

/** The newest opening counts: a fork that answers a run shows what opened the run, too. */
export function placeOf(messages: readonly PromptMessage[]): Place {
  const at = messages.findLastIndex(
    ({ role, text }) => role === 'user' && (STARTED.test(text) || RUN.test(text)),
  )
  const opening = messages[at]
  if (opening === undefined) return { kind: 'main' }
  const later = messages.slice(at + 1)
  if (RUN.test(opening.text)) return { ...runIn(opening.text), since: later }
  if (!ENTERED.test(opening.text)) return { kind: 'child' }
  const hasLeft = later.some(({ role, text }) => role === 'user' && SAVED.test(text))
  return hasLeft ? { kind: 'main' } : { kind: 'fork', said: [opening, ...later] }
}

export function isError(result: string): boolean {
  return /^\s*\{"error":/.test(result)
}

const PARAGRAPH = /^(PINGS|REPORTING|BUSY|Ping budget|TOOLS|REQUIRED SKILLS|CHAIN): ([\s\S]*?)(?:\n\n|$)/

function runIn(text: string): Omit<RunPlace, 'since'> {
  const told = new Map<string, string>()
  let rest = bodyOf(text)
  for (let part = PARAGRAPH.exec(rest); part; part = PARAGRAPH.exec(rest)) {
    const [, what = '', words = ''] = part
    // The host says each once: what comes again is of the task.
    if (told.has(what)) break
    told.set(what, words)
    rest = bodyOf(rest.slice(part[0].length))
  }
  const mayPing =
    /\bping_user\b/.test(told.get('PINGS') ?? '') && !/\bdisabled\b/.test(told.get('PINGS') ?? '')
  const [, job] = RUN.exec(text) ?? []
  return {
    kind: 'run',
    job: job === 'routine' || job === 'reminder' ? job : 'webhook',
    task: rest.trim(),
    late: lateIn(text),
    check: checkIn(told.get('CHAIN') ?? ''),
    isBusy: told.has('BUSY'),
    reporting: reportingIn(told.get('REPORTING') ?? ''),
    mayPing,
  }
}

function reportingIn(words: string): RunPlace['reporting'] {
  if (!words.includes('report_updates')) return 'blocked'
  if (/^if you (?:write|ping)/i.test(words)) return 'on_ping'
  return /\bbefore you end\b/.test(words) ? 'always' : 'freely'
}
