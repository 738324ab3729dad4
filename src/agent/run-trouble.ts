import { oneLine, shorten } from '../base/width.ts'
import { ageText } from '../base/words.ts'
import type { Writing } from '../log/log.ts'
import { runName, type Run } from './run.ts'
import { intendUnasked, personOf } from './unasked.ts'

const WHY_MAX = 300

/** One line for the person, who can reply to it. */
export function tellTrouble(
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
