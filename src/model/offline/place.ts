import type { PromptMessage } from '../../event/prompt.ts'

/** The branch that a prompt comes from, according to the host's newest opening message. */
export type Place =
  | { readonly kind: 'main' | 'child' }
  /** A person talks in it; `said` begins with their first message. */
  | { readonly kind: 'fork'; readonly said: readonly PromptMessage[] }
  | RunPlace

/** `since`: the messages after the task. */
export type RunPlace = { readonly kind: 'run'; readonly since: readonly PromptMessage[] } & Job

/** A routine, a reminder or a webhook that is due, as the host describes it. */
export interface Job {
  readonly what: 'routine' | 'reminder' | 'webhook'
  readonly id: string
  readonly task: string
  /** When it was due, if that has passed: `9:05`. */
  readonly late: string | undefined
  /** The number of this check in a chain; `isOpen`: another one can be set. */
  readonly check: { readonly number: number; readonly isOpen: boolean } | undefined
  /** The person is busy. */
  readonly isBusy: boolean
  readonly reporting: 'on_ping' | 'always' | 'freely' | 'blocked'
  readonly mayPing: boolean
}

const STARTED = /^\[fork-started\]/
const ENTERED = /^\[fork-started\]\n\([^\n]*the person entered/
const RUN = /^\[(?:routine-bg|reminder-bg|webhook):[^\]\s]+\]/
const HAS_LEFT =
  /^(?:\[[^\n]*\]\n|\([^\n]*\)\n)*\(written by the host: (?:the fork above was saved here|what stands above was said in a fork)/

export function placeOf(messages: readonly PromptMessage[]): Place {
  const at = messages.findLastIndex(
    ({ role, text }) => role === 'user' && (STARTED.test(text) || RUN.test(text)),
  )
  const opening = messages[at]
  if (opening === undefined) return { kind: 'main' }
  const later = messages.slice(at + 1)
  const job = RUN.test(opening.text) ? jobIn(opening.text) : undefined
  if (job !== undefined) return { kind: 'run', since: later, ...job }
  if (isGoal(opening.text)) return { kind: 'child' }
  const hasLeft = later.some(({ role, text }) => role === 'user' && HAS_LEFT.test(text))
  return hasLeft ? { kind: 'main' } : { kind: 'fork', said: [opening, ...later] }
}

/** Whether it opens a child: its text is a task, and nobody is there to talk to. */
export function isGoal(text: string): boolean {
  return STARTED.test(text) && !ENTERED.test(text)
}

/** At the head of a message: the host's tags, remarks, time, lateness and headings. */
const HOST_LINE =
  /^(?:\[(?:(?:routine|routine-bg|reminder|reminder-bg|webhook):[^\]\s]+|fork-started|fork-timeout|button|system)\]|\(.*\)[ \t]*(?:\n|$)|\[\d{4}-\d\d-\d\d[^\]\n]*\]|\[late: [^\]\n]*\]|RECENT BACKGROUND UPDATES.*(?:\n|$)|The person replies to this message:[ \t]*(?:\n|$))\s*/
const DATA = /<data source="[^"\n]*">[\s\S]*?(?:<\/data>|$)/g

/** A message without its head and without fenced data: data is never taken for a wish (SAFE2). */
export function bodyOf(text: string): string {
  const rest = text.replaceAll(DATA, '').trim()
  return rest.slice(headOf(rest).length)
}

/** The host's text before the first line that is not its own. */
function headOf(text: string): string {
  let rest = text
  for (let line = HOST_LINE.exec(rest); line; line = HOST_LINE.exec(rest)) rest = rest.slice(line[0].length)
  return text.slice(0, text.length - rest.length)
}

const JOB = /^\[(?<what>routine|reminder|webhook)(?<bg>-bg)?:(?<id>[^\]\s]+)\]/
const LATE = /^\[late: was scheduled for ([^\],\n]+), running now\]$/m
const IN_RUN = /^(PINGS|REPORTING|BUSY|Ping budget|TOOLS|REQUIRED SKILLS|CHAIN): ([\s\S]*?)(?:\n\n|$)/
const IN_MAIN = /^(CHAIN|REQUIRED SKILLS): ([\s\S]*?)(?:\n\n|$)/

export function jobIn(text: string): Job | undefined {
  const { what, id = '' } = JOB.exec(text)?.groups ?? {}
  if (what !== 'routine' && what !== 'reminder' && what !== 'webhook') return undefined
  const paragraph = RUN.test(text) ? IN_RUN : IN_MAIN
  const told = new Map<string, string>()
  let rest = bodyOf(text)
  for (let part = paragraph.exec(rest); part; part = paragraph.exec(rest)) {
    const [whole, name = '', words = ''] = part
    // The host says each once; a repeated one belongs to the task.
    if (told.has(name)) break
    told.set(name, words)
    rest = bodyOf(rest.slice(whole.length))
  }
  const [chain = '', pings = ''] = [told.get('CHAIN'), told.get('PINGS')]
  const [, number] = /^this is check (\d+)\/\d+/.exec(chain) ?? []
  const isOpen = chain.includes('follow_up_chain(minutes_from_now) is available')
  return {
    what,
    id,
    task: rest.trim(),
    late: LATE.exec(headOf(text))?.[1],
    check: number === undefined ? undefined : { number: Number(number), isOpen },
    isBusy: told.has('BUSY'),
    reporting: reportingIn(told.get('REPORTING') ?? ''),
    mayPing: pings.includes('ping_user') && !pings.includes('disabled'),
  }
}

function reportingIn(words: string): Job['reporting'] {
  if (!words.includes('report_updates')) return 'blocked'
  if (/^if you (?:write|ping)/i.test(words)) return 'on_ping'
  return /\bbefore you end\b/.test(words) ? 'always' : 'freely'
}
