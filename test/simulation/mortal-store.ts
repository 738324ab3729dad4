import type { StoredEvent } from '../../src/event/codec.ts'
import type { Cell, Row, Stretch, Table } from '../../src/event/table.ts'
import type { Query } from '../../src/log/log.ts'
import type { Batch, Store } from '../../src/log/store.ts'

/** What a commit meets: it lives, or the process dies before it, or after it but before anybody was told. */
export type Fate = 'lives' | 'dies-before' | 'dies-after'

export class Killed extends Error {
  override readonly name = 'Killed'
}

/** A store in a process that can die at any commit. Once dead it does nothing more. */
export class MortalStore implements Store {
  readonly #store: Store
  readonly #fate: () => Fate
  isDead = false

  constructor(store: Store, fate: () => Fate) {
    this.#store = store
    this.#fate = fate
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
    const fate = this.#fate()
    if (fate !== 'dies-before') store.commit(batch)
    if (fate === 'lives') return
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
