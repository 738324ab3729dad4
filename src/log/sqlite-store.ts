import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { StoredEvent } from '../event/codec.ts'
import type { Cell, Row, Stretch, Table } from '../event/table.ts'
import { noteDamage } from './damage.ts'
import type { LogError, Query } from './log.ts'
import { damaged, toLogError } from './sqlite-error.ts'
import { sqlName } from './sqlite-schema.ts'
import type { Batch, Store } from './store.ts'
import type { WriterLock } from './writer-lock.ts'

type SummedEvent = StoredEvent & { readonly checksum: number }
const EVENT_COLUMNS = 'position, at, branch, kind, body, checksum'

/** One file, in WAL mode, every commit on the disk before it is acknowledged. */
export class SqliteStore implements Store {
  readonly db: DatabaseSync
  readonly file: string
  readonly #lock: WriterLock | undefined
  readonly #statements = new Map<string, StatementSync>()
  #end: number
  #broken: LogError | undefined

  constructor(db: DatabaseSync, file: string, lock: WriterLock | undefined) {
    this.db = db
    this.file = file
    this.#lock = lock
    this.#end = this.#readEnd()
  }

  get end(): number {
    // Without the writer's lock another process may have appended since.
    return this.#lock === undefined ? this.#readEnd() : this.#end
  }

  event(position: number): StoredEvent | undefined {
    return this.#guard(() => {
      const row = this.#prepare(`SELECT ${EVENT_COLUMNS} FROM event WHERE position = ?`).get(position)
      return row && this.#checked(row as unknown as SummedEvent)
    })
  }

  page(query: Query, limit: number): readonly StoredEvent[] {
    const { where, values } = conditions(query)
    const sql = `SELECT ${EVENT_COLUMNS} FROM event WHERE ${where} ORDER BY position LIMIT ?`
    return this.#guard(() =>
      this.#prepare(sql)
        .all(...values, limit)
        .map((row) => this.#checked(row as unknown as SummedEvent)),
    )
  }

  row(table: Table, key: readonly Cell[]): Row | undefined {
    const where = table.key.map(({ name }) => `${name} = ?`).join(' AND ')
    return this.#guard(
      () => this.#prepare(`SELECT * FROM ${sqlName(table)} WHERE ${where}`).get(...key) as Row | undefined,
    )
  }

  rows(table: Table, stretch: Stretch): readonly Row[] {
    const { sql, values } = stretchQuery(table, stretch)
    return this.#guard(() => this.#prepare(sql).all(...values) as Row[])
  }

  commit(batch: Batch): void {
    if (this.#broken !== undefined) throw this.#broken
    try {
      this.#prepare('BEGIN IMMEDIATE').run()
      for (const event of batch.events) this.#insert(event)
      this.putRows(batch.rows)
      this.#prepare('COMMIT').run()
      this.#end += batch.events.length
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      const failure = this.#note(toLogError(this.file, error))
      // After anything but a full disk, what the file holds is no longer certain: nothing more is written to it.
      if (failure.code !== 'full') this.#broken = failure
      throw failure
    }
  }

  putRows(rows: Batch['rows']): void {
    for (const { table, row } of rows) {
      const columns = [...table.key, ...table.values]
      const places = columns.map(() => '?').join(', ')
      const values = columns.map(({ name }) => row[name] ?? null)
      this.#prepare(`INSERT OR REPLACE INTO ${sqlName(table)} VALUES (${places})`).run(...values)
    }
  }

  close(): void {
    this.#statements.clear()
    this.db.close()
    this.#lock?.release()
  }

  #insert({ position, at, branch, kind, body }: StoredEvent): void {
    const checksum = checksumOf({ position, at, branch, kind, body })
    this.#prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)').run(
      position,
      at,
      branch,
      kind,
      body,
      checksum,
    )
  }

  #checked({ checksum, ...event }: SummedEvent): StoredEvent {
    if (checksumOf(event) === checksum) return event
    throw damaged(this.file, `event ${event.position} does not match its checksum`)
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw this.#note(toLogError(this.file, error))
    }
  }

  /** Damage is remembered beside the log, so that a restart does not write over it either. */
  #note(error: LogError): LogError {
    if (error.code === 'damaged' && this.#lock !== undefined) {
      this.#broken = error
      noteDamage(this.file, error.message)
    }
    return error
  }

  #readEnd(): number {
    const row = this.#guard(() => this.#prepare('SELECT max(position) AS last FROM event').get())
    return (row?.['last'] as number | null) ?? 0
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** What a flipped bit anywhere in an event changes. */
export function checksumOf({ position, at, branch, kind, body }: StoredEvent): number {
  return crc32(body, crc32(`${position} ${at} ${branch} ${kind} `))
}

function conditions({ after = 0, branch, kind, since }: Query): {
  where: string
  values: (string | number)[]
} {
  const filters: [string, string | number | undefined][] = [
    ['position > ?', after],
    ['branch = ?', branch],
    ['kind = ?', kind],
    ['at >= ?', since],
  ]
  const given = filters.filter((filter): filter is [string, string | number] => filter[1] !== undefined)
  return {
    where: given.map(([condition]) => condition).join(' AND '),
    values: given.map(([, value]) => value),
  }
}

function stretchQuery(
  table: Table,
  { prefix, from, to, order, limit }: Stretch,
): { sql: string; values: Cell[] } {
  const last = table.key.at(-1)?.name ?? ''
  const where = table.key.slice(0, prefix.length).map(({ name }) => `${name} = ?`)
  const values: Cell[] = [...prefix]
  if (from !== undefined) {
    where.push(`${last} >= ?`)
    values.push(from)
  }
  if (to !== undefined) {
    where.push(`${last} <= ?`)
    values.push(to)
  }
  const condition = where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''
  const sql = `SELECT * FROM ${sqlName(table)} ${condition} ORDER BY ${last} ${order === 'up' ? 'ASC' : 'DESC'} LIMIT ?`
  return { sql, values: [...values, limit] }
}
