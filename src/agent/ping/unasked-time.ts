import type { Reader } from '../../event/table.ts'
import { quietUntil } from '../../schedule/quiet-hours.ts'
import { pauseOf } from '../state/jobs.ts'
import type { AgentSettings } from '../state/settings.ts'

/** A pause may end in quiet hours and these in another pause; more often than this they do not take turns. */
const TURNS_MAX = 4

/** From when on the host may write to somebody unasked, at `from` or later; undefined: as long as nobody resumes jobs. */
export function freeAt(
  reader: Reader,
  from: number,
  { quietHours, zone }: Pick<AgentSettings, 'quietHours' | 'zone'>,
): number | undefined {
  let at = from
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const pause = pauseOf(reader, null, at)
    if (pause !== null && pause.until === null) return undefined
    const next = pause?.until ?? quietUntil(quietHours, zone, at)
    if (next === null) return at
    at = next
  }
  return at
}
