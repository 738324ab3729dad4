import { oneLine, shorten } from '../base/width.ts'
import { ageText } from '../base/words.ts'
import { getBranch } from '../context/branch.ts'
import { livingChildren } from '../context/living.ts'
import { messagesBackFrom } from '../context/message-index.ts'
import { messageOf } from '../context/step.ts'
import { timeLine } from '../context/wording.ts'
import type { EndReason, EventOf } from '../event/event.ts'
import type { BranchId, TurnId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Writing } from '../log/log.ts'
import { intendUnasked, personOf } from './unasked.ts'
import { endsAt, owedReport, runIn, runName, type Run } from './run.ts'
import { add } from './taking.ts'
import { mainAbove } from './updates.ts'

const SENT_BACK_MAX = 2

const OWED = {
  pinged:
    'You wrote to the person and have not reported that since. Call report_updates now with what you found and what you told them; then end.',
  always:
    'You have not reported yet, and this run must. Call report_updates now with a summary of what you found; then end.',
} as const

export interface SendingBack {
  readonly branch: BranchId
  readonly turn: TurnId
  readonly at: number
  readonly zone: string
}

/** A run that wants to end and owes a report goes on with the host's words; whether it does. Twice at most. */
export function sendBack(writing: Writing, { branch, turn, at, zone }: SendingBack): boolean {
  const run = runIn(writing, branch)
  const owed = run && owedReport(run)
  if (run === undefined || owed === undefined || run.sentBack >= SENT_BACK_MAX) return false
  writing.append({ kind: 'run-sent-back', branch, at, v: 1, turn })
  const head = ['[system]', '(written by the host)', timeLine(at, zone)].join('\n')
  add(writing, { branch, at, message: { role: 'user', text: OWED[owed], head } })
  return true
}

type RunEndReason = Extract<EndReason, 'finished' | 'failed' | 'timed-out' | 'killed'>

export interface RunEnding {
  readonly branch: BranchId
  readonly at: number
  readonly reason: RunEndReason
  /** Of a failure. */
  readonly why?: string
}

/** Ends a run and all that works for it. What it owes, the host reports; the branches that ended are returned. */
export function endRun(writing: Writing, { branch, at, reason, why }: RunEnding): readonly BranchId[] {
  const run = runIn(writing, branch)
  if (run === undefined || getBranch(writing, branch).state.kind === 'ended') return []
  reportOwed(writing, { branch, at, reason })
  if (reason === 'failed' || reason === 'timed-out') tellTrouble(writing, { run, at, reason, why })
  const author = { by: 'policy', name: 'run' } as const
  const ended = workingFrom(writing, branch)
  for (const id of ended.toReversed())
    writing.append({
      kind: 'branch-ended',
      branch: id,
      at,
      v: 1,
      reason: id === branch ? reason : 'killed',
      author,
    })
  return ended
}

/** The run and what works for it. A fork that a person opened to reply to it is theirs, and goes on. */
function workingFrom(reader: Reader, branch: BranchId): BranchId[] {
  const below = livingChildren(reader, branch)
    .filter((child) => getBranch(reader, child).mode !== 'fork')
    .flatMap((child) => workingFrom(reader, child))
  return getBranch(reader, branch).state.kind === 'ended' ? below : [branch, ...below]
}

/** Ends a run that has nothing left to do, or no time to do it. */
export function endIdleRun(
  writing: Writing,
  { branch, at }: { readonly branch: BranchId; readonly at: number },
): readonly BranchId[] {
  const run = runIn(writing, branch)
  const end = run && endsAt(run)
  if (end !== undefined && end <= at) return endRun(writing, { branch, at, reason: 'timed-out' })
  const { state } = getBranch(writing, branch)
  const wasStopped = state.kind === 'idle' && state.last?.outcome === 'stopped'
  return endRun(writing, { branch, at, reason: wasStopped ? 'killed' : 'finished' })
}

const UNREPORTED: Readonly<Record<RunEndReason, string>> = {
  finished: 'It ended without reporting',
  failed: 'It failed before it reported',
  'timed-out': 'Its time was over before it reported',
  killed: 'It was killed before it reported',
}

/** What a run owes as it ends, reported in its name: what it wrote to the person since its last report, or its last words. */
export function reportOwed(writing: Writing, { branch, at, reason }: RunEnding): void {
  const run = runIn(writing, branch)
  const to = mainAbove(writing, branch)
  if (run === undefined || to === undefined || owedReport(run) === undefined) return
  const pings = pingsSince(writing, run)
  const known =
    pings.length > 0
      ? `it wrote to the person: ${pings.map((ping) => `"${ping}"`).join('; ')}`
      : lastWords(writing, branch)
  const text = `${UNREPORTED[reason]}; ${known}`
  const author = { by: 'policy', name: 'host' } as const
  const facts = { source: runName(run), text, from: branch, author, key: null }
  writing.append({ kind: 'update-reported', branch: to, at, v: 1, ...facts })
}

function pingsSince(reader: Reader, { reported, pinged, position }: Run): string[] {
  const found: string[] = []
  const since = Math.max(reported ?? 0, position)
  for (let at = pinged; at !== null && at > since;) {
    const event: EventOf<'ping-decided'> = reader.event(at) as EventOf<'ping-decided'>
    found.unshift(event.text)
    at = event.before
  }
  return found
}

const WORDS_MAX = 500

function lastWords(reader: Reader, branch: BranchId): string {
  for (const { position } of messagesBackFrom(reader, branch, Number.MAX_SAFE_INTEGER)) {
    const message = messageOf(reader.event(position))
    if (message.role === 'assistant' && message.text.trim() !== '')
      return `it said last: ${shorten(oneLine(message.text.trim()), WORDS_MAX)}`
  }
  return 'it said nothing'
}

const WHY_MAX = 300

/** One line for the person, who can reply to it. */
function tellTrouble(
  writing: Writing,
  { run, at, reason, why }: { run: Run; at: number; reason: 'failed' | 'timed-out'; why: string | undefined },
): void {
  const to = personOf(writing, run.branch)
  if (to === undefined) return
  const because =
    reason === 'failed'
      ? `failed: ${shorten(oneLine(why ?? 'nobody knows why.'), WHY_MAX)}`
      : `was stopped: its time, ${ageText(run.timeoutMs)}, was over.`
  const text = `${runName(run)} ${because}`
  intendUnasked(writing, { branch: run.branch, at, to, form: 'notice', text, turn: null })
}
