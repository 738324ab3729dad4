import { capital, sentence } from '../../base/words.ts'
import type { PromptCall, PromptMessage } from '../../event/prompt.ts'
import { sentencesOf } from '../extract/sentences.ts'
import type { Job, RunPlace } from './place.ts'
import { cannotDo } from './talk.ts'

export type Call = Omit<PromptCall, 'id'>

/** The run's next step: a call, or a last word that nobody reads. */
export function stepInRun(run: RunPlace, mayCall: (tool: string) => boolean): Call | string {
  const { task, check, reporting, mayPing, isBusy } = run
  const ping = pingOf(run)
  const did = doneIn(run.since)
  if (ping !== '' && mayPing && mayCall('ping_user') && !did.hasTriedPing) {
    // A reminder can wait until the person is free.
    const isLater = run.what === 'reminder' && isBusy
    return { tool: 'ping_user', args: { message: ping, ...(isLater && { when_free: true }) } }
  }
  if (check?.isOpen && ping !== '' && mayCall('follow_up_chain') && !did.hasTriedFollowUp)
    return { tool: 'follow_up_chain', args: { minutes_from_now: followUpMinutes(task) } }
  const report = reportOf(run, ping, did.sent)
  const mayReport = reporting !== 'blocked' && mayCall('report_updates') && !did.hasTriedReport
  if (mayReport && owesReport(run, did, ping)) return { tool: 'report_updates', args: { message: report } }
  if (did.sent.length > 0) return did.isReported ? 'I told the person and reported it.' : 'I told the person.'
  return did.isReported ? 'I reported it.' : report
}

interface Done {
  /** Messages sent to the person. */
  readonly sent: readonly string[]
  readonly isReported: boolean
  readonly hasTriedPing: boolean
  readonly hasTriedFollowUp: boolean
  /** Since the host last spoke: a refusal is no reason to try for ever. */
  readonly hasTriedReport: boolean
  readonly isSentBack: boolean
}

const SENT_BACK = /^\[system\]\n[\s\S]*\breport_updates\b/

function doneIn(since: readonly PromptMessage[]): Done {
  const asked = since.findLastIndex(({ role, text }) => role === 'user' && SENT_BACK.test(text))
  const tried = (tool: string, from = 0): boolean =>
    since.slice(from).some((message) => message.role === 'tool' && message.tool === tool)
  const worked = (tool: string): number =>
    since.findLastIndex((one) => one.role === 'tool' && one.tool === tool && !/^\s*\{"error":/.test(one.text))
  const pinged = worked('ping_user')
  return {
    sent: pinged < 0 ? [] : since.flatMap(pingsIn),
    isReported: worked('report_updates') > Math.max(pinged, asked),
    hasTriedPing: tried('ping_user'),
    hasTriedFollowUp: tried('follow_up_chain'),
    hasTriedReport: tried('report_updates', Math.max(0, asked)),
    isSentBack: asked >= 0,
  }
}

function pingsIn(message: PromptMessage): string[] {
  if (message.role !== 'assistant') return []
  const pings = message.calls.filter(({ tool }) => tool === 'ping_user')
  return pings.flatMap(({ args }) => (typeof args['message'] === 'string' ? args['message'] : []))
}

function owesReport({ what, reporting, mayPing, task }: RunPlace, did: Done, ping: string): boolean {
  if (did.isReported) return false
  // Nobody else will report it.
  if (what !== 'routine' && did.sent.length === 0) return true
  if (did.isSentBack || reporting === 'always' || wordsTo(REPORT, task) !== '') return true
  if (did.sent.length > 0) return reporting === 'on_ping'
  // Otherwise a message that could not be sent would be lost.
  return ping !== '' && (!mayPing || did.hasTriedPing)
}

function reportOf({ task }: RunPlace, ping: string, sent: readonly string[]): string {
  if (sent.length > 0) return `I told the person: "${sent.join('"; "')}".`
  const wanted = [ping, wordsTo(REPORT, task)].filter((words) => words !== '').join('. ')
  return wanted === '' ? cannotDo(task) : wanted
}

/** A reminder's task is the message itself; of other jobs, only what the task says to tell. */
function pingOf({ what, task, late, check }: Job): string {
  const words = what === 'reminder' ? capital(remindedOf(task)) : wordsTo(TELL, task)
  if (words === '') return ''
  const again = (check?.number ?? 1) > 1 ? 'Checking in again: ' : ''
  return `${again}${words}${late === undefined || what !== 'reminder' ? '' : ` (was due ${late})`}`
}

/** `Reminder (was due 9:00): call mum.`, `Routine stretch: stretch now.` */
export function dueText({ what, id, task, late, check }: Job): string {
  const name = what === 'routine' ? `Routine ${id}` : 'Reminder'
  const head = (check?.number ?? 1) > 1 ? 'Checking in again' : name
  return `${head}${late === undefined ? '' : ` (was due ${late})`}: ${sentence(remindedOf(task))}`
}

function remindedOf(task: string): string {
  return wordsTo(TELL, task) || turnedRound(task)
}

/** Whether a job only asks to tell somebody something. */
export function isToTell({ task }: Job): boolean {
  return wordsTo(TELL, task) !== ''
}

const ME = '(?:me|us|them|the (?:user|person))'
const LINK = String.raw`(?:\s*[:–]\s*|,?\s+(?:that|to|about|of)\s+)`
const TELL = new RegExp(
  String.raw`^(?:please |every [^:]{1,40}: )?(?:(?:tell|notify|message|write(?: to)?|warn) ${ME}${LINK}|(?:remind|ping|nudge) ${ME}(?:${LINK}|\s+)|let ${ME} know${LINK}|(?:send|write|give) ${ME} a (?:message|reminder|note|ping)${LINK})(?<words>\S.*)$`,
  'isu',
)
const REPORT = new RegExp(
  String.raw`^(?:please )?(?:tell main|report(?: to main)?)${LINK}(?<words>\S.*)$`,
  'isu',
)
/** Tasks that begin like this need something to be found out first. */
const UNKNOWN = /^(?:if|when|whether|once|what|which|who|where|why|how|every|anything|something|all|any)\b/iu

/** The message in a task, seen from the person: "remind me to call my mum" is "Call your mum". */
function wordsTo(form: RegExp, task: string): string {
  const told = sentencesOf(task.replaceAll('’', "'")).flatMap((one) => {
    const words = form.exec(one.replace(/[\s.!]+$/u, ''))?.groups?.['words'] ?? ''
    return words === '' || UNKNOWN.test(words) ? [] : [capital(turnedRound(words))]
  })
  return told.join('. ')
}

const TURNED: Readonly<Record<string, string>> = {
  "i'm": 'you are',
  'i am': 'you are',
  "i've": 'you have',
  "i'll": 'you will',
  'i was': 'you were',
  i: 'you',
  me: 'you',
  my: 'your',
  mine: 'yours',
  myself: 'yourself',
}

function turnedRound(words: string): string {
  return words.replaceAll(
    /\b(?:I am|I'm|I've|I'll|I was|I|my|mine|myself|me)\b/giu,
    (own) => TURNED[own.toLowerCase()] ?? own,
  )
}

const MINUTES = 30
const DAY_MINUTES = 1_440
const INTERVAL = /\b(\d{1,4}|an?|half an)[- ]?(minutes?|mins?|hours?|hrs?|h|m)\b/iu

/** When to ask again: as the task says, or after half an hour. */
export function followUpMinutes(task: string): number {
  const [, count = '', unit = ''] = INTERVAL.exec(task) ?? []
  if (unit === '') return MINUTES
  const amount = /^\d/u.test(count) ? Number(count) : /half/iu.test(count) ? 0.5 : 1
  const minutes = Math.round(amount * (/^h/iu.test(unit) ? 60 : 1))
  return minutes >= 1 && minutes <= DAY_MINUTES ? minutes : MINUTES
}
