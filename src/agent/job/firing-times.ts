import type { NextOf } from './due-jobs.ts'
import type { TimedJob } from '../state/job-schedule.ts'
import { nextFiring } from '../../schedule/occurrence.ts'

interface Known {
  readonly cron: string
  readonly zone: string
  readonly after: number
  readonly next: number | null
}

/** The next time of each routine, counted once: a look at a thousand of them is a thousand comparisons. */
export class FiringTimes {
  readonly #known = new Map<string, Known>()

  readonly nextOf: NextOf = ({ id, cron }, zone, after) => {
    if (cron === null) return null
    const known = this.#known.get(id)
    if (known?.cron === cron && known.zone === zone && known.after === after) return known.next
    const next = nextFiring(cron, zone, after)
    this.#known.set(id, { cron, zone, after, next })
    return next
  }

  /** Forgets what is no more. */
  keepOnly(jobs: readonly TimedJob[]): void {
    const ids = new Set(jobs.map(({ definition }) => definition.id))
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id)
  }
}
