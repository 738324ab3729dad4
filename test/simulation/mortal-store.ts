import type { StoredEvent } from '../../src/event/codec.ts'
import type { Cell, Row, Stretch, Table } from '../../src/event/table.ts'
import { LogError, type Query } from '../../src/log/log.ts'
import { SqliteStore } from '../../src/log/sqlite-store.ts'
import type { Batch, Store } from '../../src/log/store.ts'
import { TightDisk, type Room } from './tight-disk.ts'

/**
 * The fate of a commit: it succeeds; the process dies before it, or after it but before anybody was told; or the disk
 * is full and the process goes on. With little room left, SQLite itself finds out whether it is enough.
 */
export type Fate = 'lives' | 'dies-before' | 'dies-after' | 'full' | Room

export class Killed extends Error {
  override readonly name = 'Killed'
}

/** The world around a process. */
export interface Surroundings {
  fate(batch: Batch): Fate
  /** Carries out a commit while others may look. */
  during(batch: Batch, commit: () => void): void
  committed(batch: Batch, fate: Fate): void
  /** Nothing of the batch is there, and its works are about to be told. */
  foundFull(batch: Batch, fate: Fate): void
}

/** A store in a process that can die at any commit. Once dead it does nothing more. */
export class MortalStore implements Store {
  readonly #store: Store
  readonly #world: Surroundings
  #tight: TightDisk | undefined
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
      if (fate !== 'dies-before') this.#world.during(batch, () => this.#commitTo(store, batch, fate))
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

  #commitTo(store: Store, batch: Batch, fate: Fate): void {
    if (typeof fate === 'string' || !(store instanceof SqliteStore)) return store.commit(batch)
    this.#tight ??= new TightDisk(store)
    this.#tight.commit(batch, fate)
  }

  #living(): Store {
    if (this.isDead) throw new Killed('this process is dead')
    return this.#store
  }
}

export function isFull(error: unknown): boolean {
  return error instanceof LogError && error.code === 'full'
}
