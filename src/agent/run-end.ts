import { oneLine, shorten } from '../base/width.ts'
import { getBranch } from '../context/branch.ts'
import { messagesBackFrom } from '../context/message-index.ts'
import { messageOf } from '../context/step.ts'
import type { EndReason, EventOf } from '../event/event.ts'
import type { BranchId, Position, TurnId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Writing } from '../log/log.ts'
import { livingFrom } from './acts/kill-act.ts'
import { intendUnasked, personOf } from './unasked.ts'
import { owedReport, runIn, runName, type Run } from './run.ts'
import { add } from './taking.ts'
import { mainAbove } from './updates.ts'

const SENT_BACK_MAX = 2

const OWED = {
  pinged:
    'You wrote to the person and have not reported that since. Call report_updates now with what you found and what you told them; then end.',
  always:
    'You have not reported yet, and this run must. Call report_updates now with a summary of what you found; then end.',
} as const

/** A run that wants to end and owes a report goes on with the host's words; whether it does. Twice at most. */
export function sendBack(
  writing: Writing,
  { branch, turn, at }: { branch: BranchId; turn: TurnId; at: number },
): boolean {
  const run = runIn(writing, branch)
  const owed = run && owedReport(run)
  if (run === undefined || owed === undefined || run.sentBack >= SENT_BACK_MAX) return false
  writing.append({ kind: 'run-sent-back', branch, at, v: 1, turn })
  const head = '[system]\n(written by the host)'
  add(writing, { branch, at, message: { role: 'user', text: OWED[owed], head } })
  return true
}

export interface RunEnding {
  readonly branch: BranchId
  readonly at: number
  readonly reason: Extract<EndReason, 'finished' | 'failed' | 'timed-out' | 'killed'>
  /** Of a failure. */
  readonly why?: string
}

/** Ends a run and all that works for it. What it owes, the host reports; the branches that ended are returned. */
export function endRun(writing: Writing, { branch, at, reason, why }: RunEnding): readonly BranchId[] {
  const run = runIn(writing, branch)
  if (run === undefined || getBranch(writing, branch).state.kind === 'ended') return []
  if (owedReport(run) !== undefined) reportFor(writing, run, at)
  if (reason === 'failed' || reason === 'timed-out') tellTrouble(writing, { run, at, reason, why })
  const author = { by: 'policy', name: 'run' } as const
  const ended = livingFrom(writing, branch)
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

/** In its name: what it wrote to the person since its last report, or an extract of what it said last. */
function reportFor(writing: Writing, run: Run, at: number): void {
  const to = mainAbove(writing, run.branch)
  if (to === undefined) return
  const pings = pingsSince(writing, run)
  const text =
    pings.length > 0
      ? `It wrote to the person: ${pings.map((ping) => `"${ping}"`).join('; ')}. It did not report that itself.`
      : `It did not report, and said last: ${lastWords(writing, run.branch)}`
  const author = { by: 'policy', name: 'host' } as const
  const facts = { source: runName(run), text, from: run.branch, author, key: null }
  writing.append({ kind: 'update-reported', branch: to, at, v: 1, ...facts })
}

function pingsSince(reader: Reader, { branch, reported, position }: Run): string[] {
  const found: string[] = []
  const since = Math.max(reported ?? 0, position)
  for (let at = runIn(reader, branch)?.pinged ?? null; at !== null && at > since;) {
    const event: EventOf<'ping-decided'> = reader.event(at) as EventOf<'ping-decided'>
    found.unshift(event.text)
    at = event.before
  }
  return found
}

const WORDS_MAX = 500

function lastWords(reader: Reader, branch: BranchId): string {
  for (const { position } of messagesBackFrom(reader, branch, Number.MAX_SAFE_INTEGER as Position)) {
    const message = messageOf(reader.event(position))
    if (message.role === 'assistant' && message.text.trim() !== '')
      return shorten(oneLine(message.text.trim()), WORDS_MAX)
  }
  return '(nothing)'
}

/** One line for the person, who can reply to it. */
function tellTrouble(
  writing: Writing,
  { run, at, reason, why }: { run: Run; at: number; reason: 'failed' | 'timed-out'; why: string | undefined },
): void {
  const to = personOf(writing, run.branch)
  if (to === undefined) return
  const minutes = Math.round(run.timeoutMs / 60_000)
  const because =
    reason === 'failed' ? `failed: ${why ?? ''}` : `was stopped: its time, ${minutes} min, was over.`
  intendUnasked(writing, {
    branch: run.branch,
    at,
    to,
    form: 'notice',
    text: `${runName(run)} ${because}`,
    turn: null,
  })
}
