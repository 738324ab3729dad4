import { isDeepStrictEqual, inspect } from 'node:util'
import type { Random } from '../../src/base/random.ts'
import { toLine } from '../../src/event/codec.ts'
import type { Event } from '../../src/event/event.ts'
import type { Position } from '../../src/event/id.ts'
import type { Cell, Projection, Reader, Row, Stretch, Table, Writing } from '../../src/event/table.ts'
import type { Log } from '../../src/log/log.ts'
import { Staged } from '../../src/log/staged.ts'

export interface Rerunning {
  readonly random: Random
  readonly projections: readonly Projection[]
  /** Drops the store's caches. */
  readonly forget: () => void
}

/**
 * LOG7: a log that runs works like a store with remote reads. A work is abandoned at some read, run again on empty
 * caches, and discarded; only the events of the last run count. All runs must agree.
 */
export function rerunning(log: Log, rerun: Rerunning): Log {
  return {
    read: (work) => log.read(work),
    write: (work) => log.write((writing) => runAgain(writing, work, rerun)),
    events: (query) => log.events(query),
    follow: (after, signal) => log.follow(after, signal),
    close: () => log.close(),
  }
}

const ABANDONED_MAX = 3
const READS_MAX = 40

function runAgain<T>(writing: Writing, work: (writing: Writing) => T, rerun: Rerunning): T {
  const { random, projections, forget } = rerun
  for (let times = random() % ABANDONED_MAX; times > 0; times--) {
    abandon(new Lacking(writing, 1 + (random() % READS_MAX)), work, projections)
    forget()
  }
  const first = new Staged(writing, projections)
  const expected = outcomeOf(first, work)
  forget()
  const before = writing.end
  const actual = outcomeOf(writing, work)
  const events = Array.from({ length: writing.end - before }, (_, index) =>
    writing.event((before + index + 1) as Position),
  )
  agree('events', first.events.map(toLine), events.map(toLine))
  agree('outcome', expected, actual)
  if ('error' in actual) throw actual.error
  return actual.value
}

/** Runs a work until it reads something that is not loaded yet. It must not go on without it. */
function abandon(
  reader: Lacking,
  work: (writing: Writing) => unknown,
  projections: readonly Projection[],
): void {
  try {
    work(new Staged(reader, projections))
  } catch {
    return
  }
  if (reader.hasLacked) throw new Error('[LOG7] a work went on although what it read was missing')
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown }

function outcomeOf<T>(writing: Writing, work: (writing: Writing) => T): Outcome<T> {
  try {
    return { value: work(writing) }
  } catch (error) {
    return { error }
  }
}

function agree(what: string, first: unknown, second: unknown): void {
  if (isDeepStrictEqual(first, second)) return
  throw new Error(
    `[LOG7] a work that is run again has another ${what}:\n${inspect(first, { depth: 6 })}\n${inspect(second, { depth: 6 })}`,
  )
}

/** A reader whose data is missing at a certain read. */
class Lacking implements Reader {
  readonly #below: Reader
  #readsLeft: number
  hasLacked = false

  constructor(below: Reader, reads: number) {
    this.#below = below
    this.#readsLeft = reads
  }

  get end(): number {
    return this.#below.end
  }

  event(position: Position): Event {
    this.#read()
    return this.#below.event(position)
  }

  row<R extends Row>(table: Table<R>, key: readonly Cell[]): R | undefined {
    this.#read()
    return this.#below.row(table, key)
  }

  rows<R extends Row>(table: Table<R>, stretch: Stretch): readonly R[] {
    this.#read()
    return this.#below.rows(table, stretch)
  }

  #read(): void {
    if (--this.#readsLeft > 0) return
    this.hasLacked = true
    throw new Error('this row is not here yet')
  }
}
