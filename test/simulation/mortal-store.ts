import type { StoredEvent } from '../../src/event/codec.ts'
import type { Cell, Row, Stretch, Table } from '../../src/event/table.ts'
import { LogError, type Query } from '../../src/log/log.ts'
import { pragma } from '../../src/log/sqlite-schema.ts'
import { SqliteStore } from '../../src/log/sqlite-store.ts'
import type { Batch, Store } from '../../src/log/store.ts'

/**
 * What a commit meets: it lives, or the process dies before it, or after it but before anybody was told, or the
 * disk is full and the process goes on. With so many pages left SQLite itself finds out whether they are enough.
 */
export type Fate = 'lives' | 'dies-before' | 'dies-after' | 'full' | { readonly pagesLeft: number }

export class Killed extends Error {
  override readonly name = 'Killed'
}

/** The world around a process. */
export interface Surroundings {
  fate(batch: Batch): Fate
  /** Carries a commit out, while others may look. */
  during(batch: Batch, commit: () => void): void
  committed(batch: Batch, fate: Fate): void
  /** Nothing of the batch is there, and its works are about to be told so. */
  foundFull(batch: Batch, fate: Fate): void
}

/** A store in a process that can die at any commit. Once dead it does nothing more. */
export class MortalStore implements Store {
  readonly #store: Store
  readonly #world: Surroundings
  isDead = false

  constructor(store: Store, world: Surroundings) {
    this.#store = store
    this.#world = world
  }

  get end(): number {
    return this.#store.end
  }

  get followed(): number {
    return this.#store.followed
  }

  event(position: number): StoredEvent | undefined {
    return this.#living().event(position)
  }

  page(query: Query, limit: number): readonly StoredEvent[] {
    return this.#living().page(query, limit)
  }

  row(table: Table, key: readonly Cell[]): Row | undefined {
    return this.#living().row(table, key)
  }

  rows(table: Table, stretch: Stretch): readonly Row[] {
    return this.#living().rows(table, stretch)
  }

  snapshot<T>(work: () => T): T {
    return this.#living().snapshot(work)
  }

  commit(batch: Batch): void {
    const store = this.#living()
    const fate = this.#world.fate(batch)
    try {
      if (fate === 'full') throw new LogError('full', 'the disk is full, as the simulation has it')
      if (fate !== 'dies-before') this.#world.during(batch, () => commitTo(store, batch, fate))
    } catch (error) {
      if (isFull(error)) this.#world.foundFull(batch, fate)
      throw error
    }
    if (fate !== 'dies-before') this.#world.committed(batch, fate)
    if (fate !== 'dies-before' && fate !== 'dies-after') return
    this.isDead = true
    throw new Killed(`killed: the commit ${fate}`)
  }

  close(): void {
    this.#store.close()
  }

  #living(): Store {
    if (this.isDead) throw new Killed('this process is dead')
    return this.#store
  }
}

export function isFull(error: unknown): boolean {
  return error instanceof LogError && error.code === 'full'
}

function commitTo(store: Store, batch: Batch, fate: Fate): void {
  if (typeof fate === 'string' || !(store instanceof SqliteStore)) return store.commit(batch)
  const { db } = store
  const pagesMax = pragma(db, 'max_page_count')
  db.exec(`PRAGMA max_page_count = ${pragma(db, 'page_count') + fate.pagesLeft}`)
  try {
    store.commit(batch)
  } finally {
    db.exec(`PRAGMA max_page_count = ${pagesMax}`)
  }
}
