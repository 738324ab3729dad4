import { limits } from '../../src/base/limits.ts'
import { fromStored } from '../../src/event/codec.ts'
import type { Event } from '../../src/event/event.ts'
import type { Reader } from '../../src/event/table.ts'
import type { Store } from '../../src/log/store.ts'
import { dump, dumpByKey, firstDifference, foldAgain, Rendering } from '../model/dump.ts'
import type { State } from './onlooker.ts'

/**
 * Folds every event again into tables of its own, and compares them with the live ones (CTX2). Lives as long as a
 * process: after a restart a new one folds the log from scratch.
 */
export class Witness {
  readonly #folded = foldAgain([])
  readonly #live = new Rendering()
  readonly #rendered = new Rendering()
  #state: State = { end: 0, rows: '' }

  /** The state that everybody must see now. */
  get state(): State {
    return this.#state
  }

  /** Takes new events from the store. The live rows and views must equal the folded ones. */
  compare(reader: Reader, store: Store): void {
    for (const event of eventsIn(store, this.#folded.end)) this.#folded.take(event)
    this.#state = { end: this.#folded.end, rows: dump(this.#folded) }
    hold(reader.end === this.#state.end, `[LOG1] the log ends at ${reader.end}, not ${this.#state.end}`)
    same(dump(reader), this.#state.rows, 'the live rows')
    same(this.#live.render(reader), this.#rendered.render(this.#folded), 'what the branches show')
  }

  /** The same rows, asked for one by one. */
  compareByKey(reader: Reader): void {
    same(dumpByKey(reader, this.#folded), dumpByKey(this.#folded, this.#folded), 'a row by its key')
  }

  /** The same with everything folded and read from scratch, so that no cache can help. */
  compareWhole(reader: Reader, events: readonly Event[]): void {
    const folded = foldAgain(events)
    same(dump(reader), dump(folded), 'the whole state')
    same(new Rendering().render(reader), new Rendering().render(folded), 'what the branches show')
  }
}

export function eventsIn(store: Store, after = 0): readonly Event[] {
  const events: Event[] = []
  for (;;) {
    const page = store.page({ after: after + events.length }, limits.pageEvents)
    events.push(...page.map((stored) => fromStored(stored)))
    if (page.length < limits.pageEvents) return events
  }
}

export function hold(condition: boolean, law: string): asserts condition {
  if (!condition) throw new Error(law)
}

function same(live: string, folded: string, what: string): void {
  if (live === folded) return
  throw new Error(`[CTX2] ${what}: not what the log folds to, ${firstDifference(live, folded)}`)
}
