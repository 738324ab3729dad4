import type { Event, EventOf } from '../../../src/event/event.ts'
import { jobText, type JobName } from '../../../src/event/job.ts'

/** The jobs that people paused, and until when. */
export class PauseLaws {
  readonly #pauses = new Map<string, EventOf<'jobs-paused'>>()

  take(event: Event): void {
    if (event.kind === 'jobs-paused') this.#pauses.set(keyOf(event.one), event)
    if (event.kind === 'jobs-resumed') this.#pauses.delete(keyOf(event.one))
  }

  /** All jobs, or this one. */
  isPaused(name: JobName, at: number): boolean {
    return this.isAllPaused(at) || this.#holds(keyOf(name), at)
  }

  isAllPaused(at: number): boolean {
    return this.#holds('', at)
  }

  #holds(key: string, at: number): boolean {
    const pause = this.#pauses.get(key)
    return pause !== undefined && (pause.until === null || pause.until > at)
  }
}

function keyOf(one: JobName | null): string {
  return one === null ? '' : jobText(one)
}
