import { oneLine, shorten } from '../../base/width.ts'
import { getBranch } from '../../context/branch.ts'
import type { EndReason, Placed } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { endSubtree } from '../step/end-subtree.ts'
import type { Running } from '../step/ending.ts'
import { say, sayUnasked } from '../state/outbox.ts'
import { lastSaid } from '../step/run-report.ts'
import { type Run, endsAt, isSideJob, owedReport, runIn, runName } from '../state/run.ts'
import { addHostLine } from '../step/take-inbox.ts'
import { lastAddress } from '../state/person.ts'
import { timeText, type Place } from '../../base/time-text.ts'
import { ageText, counted } from '../../base/words.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { type Notices, failureCause, knownZone, nameOfRun, noticesOf, recoveryCause } from '../state/jobs.ts'
import { personOf } from '../../event/speaker.ts'

const SENT_BACK_MAX = 2

const OWED = {
  pinged:
    'You wrote to the person and have not reported that since. Call report_updates now with what you found and what you told them; then end.',
  always:
    'You have not reported yet, and this run must. Call report_updates now with a summary of what you found; then end.',
} as const

/** Sends a run that owes a report back to work, at most twice. Returns whether it did. */
export function sendBack(writing: Writing, { branch, turn }: Running, { now: at, zone }: Place): boolean {
  const run = runIn(writing, branch)
  const owed = run && owedReport(run)
  if (run === undefined || owed === undefined || run.sentBack >= SENT_BACK_MAX) return false
  writing.append({ kind: 'run-sent-back', branch, at, turn })
  addHostLine(writing, { branch, at }, { text: OWED[owed], zone })
  return true
}

type RunEndReason = Extract<EndReason, 'finished' | 'failed' | 'timed-out' | 'killed'>

export interface RunEnding extends Placed {
  readonly reason: RunEndReason
  readonly why?: string
}

/** Ends a run and everything below it. A persistent session rests instead, unless somebody killed it. */
export function endRun(writing: Writing, ending: RunEnding): readonly BranchId[] {
  const { branch, at, reason } = ending
  const run = runIn(writing, branch)
  if (run === undefined || getBranch(writing, branch).state.kind === 'ended') return []
  if (reason === 'failed' || reason === 'timed-out') tellTrouble(writing, run, ending)
  if (reason === 'finished') tellRecovery(writing, run, at)
  if (reason === 'finished' && run.author.by === 'person') tellFinished(writing, run, at)
  const rests = run.session === 'persistent' && reason !== 'killed' ? { rests: reason } : {}
  return endSubtree(writing, { branch, at, reason, author: { by: 'policy', name: 'run' }, ...rests })
}

/** Ends a run that has nothing left to do, or no time left. */
export function endIdleRun(writing: Writing, { branch, at }: Placed): readonly BranchId[] {
  const run = runIn(writing, branch)
  const end = run && endsAt(run)
  if (end !== undefined && end <= at) return endRun(writing, { branch, at, reason: 'timed-out' })
  const { state } = getBranch(writing, branch)
  const wasStopped = state.kind === 'idle' && state.last?.outcome === 'stopped'
  return endRun(writing, { branch, at, reason: wasStopped ? 'killed' : 'finished' })
}

const LINE_MAX = 200

/** Tells the person who started a run by hand that it finished. They have seen its pings; reports are named. */
function tellFinished(writing: Writing, run: Run, at: number): void {
  const to = lastAddress(writing, run.branch)
  if (to === undefined) return
  const isTold = run.pinged !== null || run.reported !== null
  const said = isTold ? undefined : lastSaid(writing, run.branch)
  const words = said === undefined ? '.' : `: ${shorten(oneLine(said), LINE_MAX)}`
  const report = run.reported === null ? '' : ' (reported to main: /updates shows it)'
  const text = `${runName(run)} finished${words}${report}`
  say(writing, { branch: run.branch, at, to, notice: 'run-ended', text, cause: run.position })
}

const WHY_MAX = 300

/** Told at once if somebody started the run, or else as a notice, at growing intervals. */
function tellTrouble(writing: Writing, run: Run, { at, reason, why }: RunEnding): void {
  if (isSideJob(run)) return
  const because =
    reason === 'failed'
      ? `failed: ${shorten(oneLine(why ?? 'the reason is unknown.'), WHY_MAX)}`
      : `was stopped after ${ageText(run.timeoutMs)}, its time limit.`
  const text = `${runName(run)} ${because}`
  if (isScheduled(run)) {
    const [branch, cause] = [run.branch, failureCause(nameOfRun(run))]
    writing.append({ kind: 'notice-raised', branch, at, person: personOf(run), cause, text })
    return
  }
  const to = lastAddress(writing, run.branch)
  if (to === undefined) return
  sayUnasked(writing, { branch: run.branch, at, to, notice: 'run-ended', text, cause: run.position })
}

/** Tells the person once that a job that failed before works again. */
function tellRecovery(writing: Writing, run: Run, at: number): void {
  if (!isScheduled(run)) return
  const name = nameOfRun(run)
  const person = personOf(run)
  const failures = noticesOf(writing, person, failureCause(name))
  if (failures.count === 0) return
  const cause = recoveryCause(name)
  const text = `${runName(run)} works again, ${afterWords(writing, { run, failures, at })}`
  writing.append({ kind: 'notice-raised', branch: run.branch, at, person, cause, text })
}

/** Includes the last failure if it was never told. */
function afterWords(
  reader: Reader,
  { run, failures, at }: { readonly run: Run; readonly failures: Notices; readonly at: number },
): string {
  const { count, first, newest, told } = failures
  const zone = knownZone(reader) ?? 'UTC'
  const began = first === null ? at : reader.event(first).at
  const since = timeText(began, { now: at, zone })
  const after =
    count === 1 ? `after a failure (${since}).` : `after ${counted(count, 'failure')} since ${since}.`
  const last = newest === null ? undefined : reader.event(newest)
  if (told > 0 || last?.kind !== 'notice-raised') return after
  return `${after} The last time it ${last.text.slice(runName(run).length + 1)}`
}

function isScheduled({ author }: Run): boolean {
  return author.by === 'policy' && author.name === 'schedule'
}
