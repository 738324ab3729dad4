import { isJsonObject, type JsonObject } from '../../base/json.ts'
import type { PromptCall, PromptMessage } from '../../event/prompt.ts'
import { cannotReach } from './answers.ts'
import { followUpMinutes, remindedOf } from './due-job.ts'
import { capital } from '../../base/words.ts'
import { pingIn, reportIn } from './ping-wishes.ts'
import { isError, type RunPlace } from './place.ts'

/** What a run does next: a call, or a last word that nobody reads. */
export type RunStep = { readonly call: Omit<PromptCall, 'id'> } | { readonly text: string }

export function stepInRun(place: RunPlace, mayCall: (tool: string) => boolean): RunStep {
  const { since, task, reporting, mayPing } = place
  const ping = pingOf(place)
  const did = doneIn(since)
  if (ping !== '' && mayPing && mayCall('ping_user') && !did.hasTriedPing)
    return { call: { tool: 'ping_user', args: pingArgs(place, ping) } }
  if (place.check?.isOpen && ping !== '' && mayCall(FOLLOW_UP) && !did.hasTriedFollowUp)
    return { call: { tool: FOLLOW_UP, args: { minutes_from_now: followUpMinutes(task) } } }
  const report = reportOf({ ping, task, sent: did.sent })
  const mayReport = reporting !== 'blocked' && mayCall('report_updates') && !did.hasTriedReport
  if (mayReport && isWanted(place, did, ping))
    return { call: { tool: 'report_updates', args: { message: report } } }
  if (did.sent.length > 0)
    return { text: did.isReported ? 'I told the person, and reported it.' : 'I told the person.' }
  return { text: did.isReported ? 'I reported it.' : report }
}

const FOLLOW_UP = 'follow_up_chain'

/** A reminder is itself what is to be told; of other jobs only what their task says to tell. */
function pingOf({ job, task, late, check }: RunPlace): string {
  const words = job === 'reminder' ? capital(remindedOf(task)) : pingIn(task)
  if (words === '') return ''
  const again = (check?.number ?? 1) > 1 ? 'Checking in again: ' : ''
  return `${again}${words}${late === undefined || job !== 'reminder' ? '' : ` (was due ${late})`}`
}

/** A reminder can wait for a moment in which the person is free, and is not lost. */
function pingArgs({ job, isBusy }: RunPlace, message: string): JsonObject {
  return { message, ...(job === 'reminder' && isBusy && { when_free: true }) }
}

interface Done {
  /** What was sent to the person since the last report. */
  readonly sent: readonly string[]
  readonly isReported: boolean
  readonly hasTriedPing: boolean
  readonly hasTriedFollowUp: boolean
  /** Since the host spoke last: a refusal is no reason to try for ever. */
  readonly hasTriedReport: boolean
  readonly isSentBack: boolean
}

function doneIn(since: readonly PromptMessage[]): Done {
  const asked = since.findLastIndex(({ role, text }) => role === 'user' && SENT_BACK.test(text))
  const tried = (tool: string, from: number): boolean =>
    since.slice(from).some((message) => message.role === 'tool' && message.tool === tool)
  const reported = since.findLastIndex(worked('report_updates'))
  const pinged = since.findLastIndex(worked('ping_user'))
  return {
    sent: pinged < 0 ? [] : pingsIn(since),
    isReported: reported > Math.max(pinged, asked),
    hasTriedPing: tried('ping_user', 0),
    hasTriedFollowUp: tried(FOLLOW_UP, 0),
    hasTriedReport: tried('report_updates', Math.max(0, asked)),
    isSentBack: asked >= 0,
  }
}

function worked(tool: string): (message: PromptMessage) => boolean {
  return (message) => message.role === 'tool' && message.tool === tool && !isError(message.text)
}

const SENT_BACK = /^\[system\]\n[\s\S]*\breport_updates\b/

function pingsIn(since: readonly PromptMessage[]): string[] {
  return since.flatMap((message) =>
    message.role === 'assistant'
      ? message.calls.flatMap(({ tool, args }) =>
          tool === 'ping_user' && isJsonObject(args) && typeof args['message'] === 'string'
            ? [args['message']]
            : [],
        )
      : [],
  )
}

function isWanted({ job, reporting, mayPing, task }: RunPlace, did: Done, ping: string): boolean {
  if (did.isReported) return false
  // Nobody else will tell of it.
  if (job !== 'routine' && did.sent.length === 0) return true
  if (did.isSentBack || reporting === 'always' || reportIn(task) !== '') return true
  if (did.sent.length > 0) return reporting === 'on_ping'
  // What could not be sent would else be heard of nowhere.
  return ping !== '' && (!mayPing || did.hasTriedPing)
}

function reportOf({ ping, task, sent }: { ping: string; task: string; sent: readonly string[] }): string {
  if (sent.length > 0) return `I told the person: "${sent.join('"; "')}".`
  const wanted = [ping, reportIn(task)].filter((words) => words !== '').join('. ')
  return wanted === '' ? cannotReach(task) : wanted
}
