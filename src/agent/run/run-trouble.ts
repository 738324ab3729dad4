import { timeText } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { ageText, counted } from '../../base/words.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { failureCause, knownZone, nameOfRun, noticesOf, recoveryCause, type Notices } from '../state/jobs.ts'
import { runName, type Run } from '../state/run.ts'
import { sayUnasked } from '../state/outbox.ts'
import { lastAddress } from '../state/person.ts'
import { personOf } from '../../event/speaker.ts'

const WHY_MAX = 300

export interface Trouble {
  readonly run: Run
  readonly at: number
  readonly reason: 'failed' | 'timed-out'
  readonly why: string | undefined
}

/**
 * One line for the person, who can reply to it: at once where somebody started the run, and with others, at growing
 * intervals, where its time did.
 */
export function tellTrouble(writing: Writing, { run, at, reason, why }: Trouble): void {
  const because =
    reason === 'failed'
      ? `failed: ${shorten(oneLine(why ?? 'nobody knows why.'), WHY_MAX)}`
      : `was stopped: its time, ${ageText(run.timeoutMs)}, was over.`
  const text = `${runName(run)} ${because}`
  if (isScheduled(run)) {
    const cause = failureCause(nameOfRun(run))
    writing.append({ kind: 'notice-raised', ...headOf(run, at), person: personOf(run), cause, text })
    return
  }
  const to = lastAddress(writing, run.branch)
  if (to === undefined) return
  sayUnasked(writing, { branch: run.branch, at, to, form: 'notice', text, cause: run.position })
}

/** A run has finished: if its job failed before, the person hears that it works again, once. */
export function tellRecovery(
  writing: Writing,
  { run, at }: { readonly run: Run; readonly at: number },
): void {
  if (!isScheduled(run)) return
  const name = nameOfRun(run)
  const person = personOf(run)
  const failures = noticesOf(writing, person, failureCause(name))
  if (failures.count === 0) return
  const text = `${runName(run)} works again, ${afterWords(writing, { run, failures, at })}`
  writing.append({ kind: 'notice-raised', ...headOf(run, at), person, cause: recoveryCause(name), text })
}

/** What failed before anybody could be told is told here. */
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

function headOf(
  { branch }: Run,
  at: number,
): { readonly branch: Run['branch']; readonly at: number; readonly v: 1 } {
  return { branch, at, v: 1 }
}
