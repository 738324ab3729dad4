import type { Event, EventOf } from '../../../src/event/event.ts'
import type { Position } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import type { PauseLaws } from './pause-laws.ts'

interface Cause {
  raised: EventOf<'notice-raised'> | undefined
  toldAt: number | undefined
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** NOTICE1: the host's notices are told, at most once an hour, and never in a pause or in quiet hours. */
export class NoticeLaws {
  /** Whether that time is quiet, under any recent configuration. */
  isQuiet: (at: number) => boolean = () => false
  readonly #pauses: PauseLaws
  readonly #causes = new Map<string, Cause>()
  #delivery: EventOf<'delivery-intended'> | undefined
  #hasHeard = false
  told = 0
  together = 0

  constructor(pauses: PauseLaws) {
    this.#pauses = pauses
  }

  take(event: Event): void {
    if (
      (event.kind === 'inbound-admitted' || event.kind === 'command-run') &&
      event.source?.from === 'person'
    )
      this.#hasHeard = true
    if (event.kind === 'delivery-intended') this.#delivery = event
    if (event.kind === 'notice-raised') this.#raise(event)
    if (event.kind === 'notices-told') this.#tell(event)
  }

  /** Notices still to be told to somebody who is known. */
  waiting(): string | undefined {
    if (!this.#hasHeard) return undefined
    const waiting = [...this.#causes].find(([, { raised }]) => raised !== undefined)
    return waiting && `[NOTICE1] nobody was told of '${waiting[0]}'`
  }

  #cause(cause: string): Cause {
    const known = this.#causes.get(cause) ?? { raised: undefined, toldAt: undefined }
    this.#causes.set(cause, known)
    return known
  }

  #raise(event: EventOf<'notice-raised'>): void {
    const { cause } = event
    this.#cause(cause).raised = event
    // A recovery is told together with the failure.
    if (cause.startsWith('recovery ')) this.#cause(cause.replace('recovery', 'failure')).raised = undefined
  }

  #tell({ causes, delivery, at, position }: EventOf<'notices-told'>): void {
    this.told++
    if (causes.length > 1) this.together++
    const { text = '', form } = this.#deliveryAt(delivery)
    hold(form === 'notice', `[NOTICE1] ${position} tells with ${delivery}, a ${form}`)
    hold(!this.#pauses.isAllPaused(at), `[NOTICE1] ${position} is told in a pause`)
    hold(!this.isQuiet(at), `[NOTICE1] ${position} is told in quiet hours`)
    for (const name of causes) {
      const cause = this.#cause(name)
      const { raised, toldAt } = cause
      hold(raised !== undefined, `[NOTICE1] ${position} tells of '${name}', of which nothing is to be told`)
      const isSoon = toldAt !== undefined && at < toldAt + HOUR_MS && toldAt <= at + DAY_MS
      hold(!isSoon, `[NOTICE1] ${position} tells of '${name}' within an hour`)
      // The file may have been fixed since.
      const about = name.startsWith('definition ') ? name.slice('definition '.length) : raised.text
      const words = about.replaceAll(/\s+/g, ' ').slice(0, WORDS)
      hold(text.replaceAll(/\s+/g, ' ').includes(words), `[NOTICE1] ${position} does not say '${words}'`)
      cause.raised = undefined
      cause.toldAt = at
    }
  }

  #deliveryAt(position: Position): Partial<EventOf<'delivery-intended'>> {
    return this.#delivery?.position === position ? this.#delivery : {}
  }
}

const WORDS = 40
