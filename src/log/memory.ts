import type { StoredEvent } from '../event/codec.ts'
import type { Cell, Projection, Row, Stretch, Table } from '../event/table.ts'
import { LogError, matches, type Log, type Query } from './log.ts'
import { SortedRows } from './sorted-rows.ts'
import { StoreLog } from './store-log.ts'
import type { Batch, Store } from './store.ts'

/** What outlives a log in memory, as a disk outlives a process: hand it to `openMemoryLog` again to restart. */
export class MemoryDisk {
  readonly events: StoredEvent[] = []
  readonly rows = new SortedRows()
  followed = 0
  holder: string | null = null
}

export function openMemoryLog({
  disk = new MemoryDisk(),
  projections,
}: {
  readonly disk?: MemoryDisk
  readonly projections: readonly Projection[]
}): Log {
  return new StoreLog(openMemoryStore(disk, 'this process'), projections)
}

export function openMemoryStore(disk: MemoryDisk, holder: string): Store {
  if (disk.holder !== null)
    throw new LogError('in-use', `the log is in use by ${disk.holder}; close it first`)
  disk.holder = holder
  return new MemoryStore(disk)
}

class MemoryStore implements Store {
  readonly #disk: MemoryDisk
  constructor(disk: MemoryDisk) {
    this.#disk = disk
  }

  get end(): number {
    return this.#disk.events.length
  }

  get followed(): number {
    return this.#disk.followed
  }

  event(position: number): StoredEvent | undefined {
    return this.#disk.events[position - 1]
  }

  page(query: Query, limit: number): readonly StoredEvent[] {
    const found: StoredEvent[] = []
    const end = Math.min(query.upTo ?? Infinity, this.end)
    for (let index = query.after ?? 0; index < end && found.length < limit; index++) {
      const event = this.#disk.events[index]
      if (event !== undefined && matches(event, query)) found.push(event)
    }
    return found
  }

  row(table: Table, key: readonly Cell[]): Row | undefined {
    return this.#disk.rows.row(table, key)
  }

  rows(table: Table, stretch: Stretch): readonly Row[] {
    return this.#disk.rows.rows(table, stretch)
  }

  snapshot<T>(work: () => T): T {
    return work()
  }

  commit(batch: Batch): void {
    for (const event of batch.events) this.#disk.events.push(event)
    for (const { table, row } of batch.rows) this.#disk.rows.put(table, row)
    if (batch.caughtUp) this.#disk.followed = this.end
  }

  close(): void {
    this.#disk.holder = null
  }
}
