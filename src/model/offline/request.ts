import { capital, sentence } from '../../base/words.ts'
import type { PromptCall, PromptMessage } from '../../event/prompt.ts'
import { bodyOf } from '../extract/sentences.ts'
import { cannotDo } from './commands.ts'

/** What a prompt asks for, told apart from the words of the host around it. */
export interface Request {
  /** Said since the last answer, without the host's additions. */
  readonly said: string
  /** Reminders and routines that are due in this conversation. */
  readonly due: readonly Job[]
  /** The results of the calls that answer it. */
  readonly results: readonly Extract<PromptMessage, { role: 'tool' }>[]
  /** Something was said since the last step of the turn: only then there is something to do. */
  readonly isNew: boolean
  readonly place: 'main' | 'child' | 'fork'
  /** It opens the child or the fork: what was said is the task, or the first that was said there. */
  readonly isOpening: boolean
  /** The host wants a report, or a fork where nobody speaks to end. */
  readonly isTimedOut: boolean
  /** All messages of people and the host since the last answer. */
  readonly open: readonly PromptMessage[]
  /** What this model answered last, and what it had been asked. */
  readonly answer: string
  readonly before: readonly PromptMessage[]
}

export interface Job {
  readonly what: string
  readonly id: string
  readonly task: string
  /** When it was due, if that has passed: `9:05`. */
  readonly late: string | undefined
  /** Another check of its chain can be set. */
  readonly isOpen: boolean
}

const OPENING = /^\[fork-started\]/
const CHILD = /^\[fork-started\](?!\n\([^\n]*the person entered)/
const TIMEOUT = /^\[fork-timeout\]|^\[system\]\n[\s\S]*\breport_updates\b/
/** Blocks and notes that the host puts into the user's role. */
const HOST_BLOCK = /^(?:## |[[(]?note\b)/i

export function requestIn(messages: readonly PromptMessage[]): Request {
  const answered = messages.findLastIndex((one) => one.role === 'assistant' && one.calls.length === 0)
  // A rewind keeps the messages before the mark, but not their answers: only the last one is asked now.
  const last = messages.findLastIndex((message, at) => at > answered && isSpoken(message))
  const step = messages.findLastIndex(({ role }) => role !== 'user')
  const from = messages.slice(0, last + 1).findLastIndex(({ role }) => role !== 'user') + 1
  const spoken = messages.slice(from, last + 1).filter(isSpoken)
  // What stands before it was said to the parent: often the very request to fork.
  const start = spoken.findLastIndex(({ text }) => OPENING.test(text))
  const asked = spoken.slice(Math.max(0, start))
  const open = messages.slice(answered + 1).filter(({ role }) => role === 'user')
  const opening = messages.findLast(({ role, text }) => role === 'user' && OPENING.test(text))?.text ?? ''
  const words = asked.filter(({ text }) => jobIn(text) === undefined).map(({ text }) => wordsOf(text))
  const said = words.join('\n').trim()
  return {
    said: (DO_ABOVE.test(said) && noteIn(open)) || said,
    due: asked.flatMap(({ text }) => jobIn(text) ?? []),
    results: messages.slice(Math.max(answered, last) + 1).filter((message) => message.role === 'tool'),
    isNew: last > step || step < 0,
    place: CHILD.test(opening) ? 'child' : opening === '' ? 'main' : 'fork',
    isOpening: start >= 0,
    isTimedOut:
      TIMEOUT.test(open[0]?.text ?? '') && !open.slice(1).some(({ text }) => /^\[\d{4}-/.test(text)),
    open,
    answer: messages[answered]?.text ?? '',
    before: messages.slice(0, Math.max(0, answered)),
  }
}

function isSpoken({ role, text }: PromptMessage): boolean {
  return role === 'user' && !HOST_BLOCK.test(text.trim()) && (wordsOf(text) !== '' || OPENING.test(text))
}

/** The host woke a child and says why: that is a request. */
const MAIL_CAME = /^You have \d+ unread messages?, from .* check-mail\.$/

function wordsOf(text: string): string {
  const rest = bodyOf(text).trim()
  return text.startsWith('[system]') && MAIL_CAME.test(rest) ? 'check mail' : rest
}

/** A task that stands in a note above is told, but never acted on: it is often the very request to fork. */
const DO_ABOVE = /^(?:goal: )?you are (?:the|a) child\b.{0,40}\btask above\b/is
const NOTE = /^\[note from the person\]\n/

function noteIn(messages: readonly PromptMessage[]): string | undefined {
  return messages.findLast(({ text }) => NOTE.test(text))?.text.replace(NOTE, '')
}

const JOB = /^\[(?<what>routine|reminder|webhook)(?:-bg)?:(?<id>[^\]\s]+)\]/
const LATE = /^\[late: was scheduled for ([^\],\n]+), running now\]$/m
/** Its paragraphs between the head and the task, each once: a repeated one belongs to the task. */
const PREAMBLE = /^(PINGS|REPORTING|BUSY|Ping budget|TOOLS|REQUIRED SKILLS|CHAIN): [\s\S]*?(?:\n\n|$)/
const OPEN_CHAIN = /^CHAIN: .*follow_up_chain\(minutes_from_now\) is available/m

function jobIn(text: string): Job | undefined {
  const { what, id = '' } = JOB.exec(text)?.groups ?? {}
  if (what === undefined) return undefined
  const told = new Set<string>()
  let task = bodyOf(text)
  for (let part = PREAMBLE.exec(task); part; part = PREAMBLE.exec(task)) {
    const [whole, name = ''] = part
    if (told.has(name)) break
    told.add(name)
    task = bodyOf(task.slice(whole.length))
  }
  const late = LATE.exec(text.split('\n\n', 2).join('\n'))?.[1]
  return { what, id, task: task.trim(), late, isOpen: told.has('CHAIN') && OPEN_CHAIN.test(text) }
}

const RUN = /^\[(?:routine-bg|reminder-bg|webhook):/

/** The job that runs here in the background, and what happened since. */
export function runIn(
  messages: readonly PromptMessage[],
): { readonly job: Job; readonly since: readonly PromptMessage[] } | undefined {
  const isStart = ({ role, text }: PromptMessage): boolean =>
    role === 'user' && (RUN.test(text) || OPENING.test(text))
  const at = messages.findLastIndex(isStart)
  const text = messages[at]?.text ?? ''
  const job = RUN.test(text) ? jobIn(text) : undefined
  return job && { job, since: messages.slice(at + 1) }
}

const TELL =
  /^(?:please )?(?:remind|tell|notify|message|warn|ping|nudge) (?:me|us|the (?:user|person))(?:\s*:|,?\s+(?:that|to|about|of)\b)\s*(?!(?:if|when|whether|what|which|who|where|why|how)\b)(?<words>\S.*?)[\s.!]*$/isu

/** What a task says to tell, seen from the person: "remind me to call my mum" is "Call your mum". */
function toTell({ task }: Job): string {
  return capital(turnedRound(TELL.exec(task)?.groups?.['words'] ?? ''))
}

function turnedRound(words: string): string {
  const turned = words.replaceAll(/\bI(?: am|['’]m)\b/gi, 'you are').replaceAll(/\bmy\b/gi, 'your')
  return turned.replaceAll(/\b(?:I|me)\b/gi, 'you')
}

/** `Reminder (was due 9:00): call mum.`, `Routine stretch: stretch now.` */
export function dueText(job: Job): string {
  const head = job.what === 'routine' ? `Routine ${job.id}` : 'Reminder'
  const late = job.late === undefined ? '' : ` (was due ${job.late})`
  return `${head}${late}: ${sentence(toTell(job) || turnedRound(job.task))}`
}

/** Whether a job only asks to tell the person something. */
export function isToTell(job: Job): boolean {
  return job.what !== 'routine' || toTell(job) !== ''
}

type Call = Omit<PromptCall, 'id'>

/** The next check of a chain: when the task says ("every 20 minutes"), or after half an hour. */
export function nextChecks({ task, isOpen }: Job): Call[] {
  const [, count = '30'] = /\bevery ([1-9]\d{0,2}) min/iu.exec(task) ?? []
  return isOpen ? [{ tool: 'follow_up_chain', args: { minutes_from_now: Number(count) } }] : []
}

/** The next step of a background run: it tells the person what its task says; if it may not, or is asked to, it reports. */
export function stepInRun(
  { job, since }: NonNullable<ReturnType<typeof runIn>>,
  mayCall: (call: Call) => boolean,
): Call[] | string {
  const isReminder = job.what === 'reminder'
  const message = toTell(job) || (isReminder ? capital(turnedRound(job.task)) : '')
  const asked = since.findLastIndex(({ role, text }) => role === 'user' && /\breport_updates\b/.test(text))
  const isSent = since.some(
    (one) => one.role === 'tool' && one.tool === 'ping_user' && !one.text.startsWith('{"error":'),
  )
  const report = isSent ? `I told the person: "${message}".` : message || cannotDo(job.task)
  // A reminder can wait until the person is free.
  const ping: Call = { tool: 'ping_user', args: { message, ...(isReminder && { when_free: true }) } }
  const wanted = [
    ...(message === '' ? [] : [ping, ...nextChecks(job)]),
    ...(asked >= 0 || (message !== '' && !isSent)
      ? [{ tool: 'report_updates', args: { message: report } }]
      : []),
  ]
  // A refusal is no reason to try for ever.
  const isTried = ({ tool }: Call): boolean =>
    since.some(
      (one, at) => one.role === 'tool' && one.tool === tool && (tool !== 'report_updates' || at > asked),
    )
  const next = wanted.filter((call) => mayCall(call) && !isTried(call))
  return next.length > 0 ? next.slice(0, 1) : report
}
