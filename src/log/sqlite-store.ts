import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import type { StoredEvent } from '../event/codec.ts'
import type { Cell, Row, Stretch, Table } from '../event/table.ts'
import { noteDamage } from './damage.ts'
import { LogError, type Query } from './log.ts'
import { RowCache } from './row-cache.ts'
import { damaged, toLogError } from './sqlite-error.ts'
import { followedOf, setFollowed, sqlName } from './sqlite-schema.ts'
import type { Batch, Store, TableRow } from './store.ts'
import type { WriterLock } from './writer-lock.ts'

/** Rows of one table are written in statements of this many, where there are enough. */
const MANY = 32
const POLL_MS = 200

interface TableStatements {
  readonly columns: readonly string[]
  readonly put: StatementSync
  readonly putMany: StatementSync
  readonly get: StatementSync
}

export type SummedEvent = StoredEvent & { readonly checksum: number }
/** Of the table `event`, in the order of a `SummedEvent`. */
export const EVENT_COLUMNS = 'position, at, branch, kind, body, checksum'

/** One file, in WAL mode, every commit on the disk before it is acknowledged. */
export class SqliteStore implements Store {
  readonly db: DatabaseSync
  readonly file: string
  readonly #lock: WriterLock | undefined
  readonly #begin: StatementSync
  readonly #insert: StatementSync
  readonly #commit: StatementSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #tables = new Map<Table, TableStatements>()
  readonly #cache = new RowCache()
  #end: number
  #followed: number
  #broken: LogError | undefined

  constructor(db: DatabaseSync, file: string, lock: WriterLock | undefined) {
    this.db = db
    this.file = file
    this.#lock = lock
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#insert = db.prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)')
    this.#commit = db.prepare('COMMIT')
    this.#end = this.#readEnd()
    this.#followed = this.#readFollowed()
  }

  get end(): number {
    // Without the writer's lock another process may have appended since.
    return this.#lock === undefined ? this.#readEnd() : this.#end
  }

  get followed(): number {
    return this.#lock === undefined ? this.#readFollowed() : this.#followed
  }

  get pollMs(): number | undefined {
    return this.#lock === undefined ? POLL_MS : undefined
  }

  event(position: number): StoredEvent | undefined {
    return this.#guard(() => {
      const row = this.#prepare(`SELECT ${EVENT_COLUMNS} FROM event WHERE position = ?`).get(position)
      return row && this.#checked(row as unknown as SummedEvent)
    })
  }

  page({ after = 0, upTo, branch, kind, since }: Query, limit: number): readonly StoredEvent[] {
    const { where, values } = whereOf([
      ['position > ?', after],
      ['position <= ?', upTo],
      ['branch = ?', branch],
      ['kind = ?', kind],
      ['at >= ?', since],
    ])
    const sql = `SELECT ${EVENT_COLUMNS} FROM event ${where} ORDER BY position LIMIT ?`
    return this.#guard(() =>
      this.#prepare(sql)
        .all(...values, limit)
        .map((row) => this.#checked(row as unknown as SummedEvent)),
    )
  }

  row(table: Table, key: readonly Cell[]): Row | undefined {
    const read = () => this.#readRow(table, key)
    return this.#lock === undefined ? read() : this.#cache.row(table, key, read)
  }

  rows(table: Table, stretch: Stretch): readonly Row[] {
    if (this.#lock === undefined || !asksForNewest(stretch)) return this.#readRows(table, stretch)
    const newest = this.#cache.newest(table, stretch.prefix, () => this.#readRows(table, stretch)[0])
    return newest === undefined ? [] : [newest]
  }

  snapshot<T>(work: () => T): T {
    if (this.#lock !== undefined) return work()
    this.#guard(() => this.db.exec('BEGIN'))
    try {
      return work()
    } finally {
      this.db.exec('ROLLBACK')
    }
  }

  commit(batch: Batch): void {
    if (this.#broken !== undefined) throw this.#broken
    try {
      const end = this.#end + batch.events.length
      // One statement is a transaction of its own.
      const single = batch.events.length === 1 && batch.rows.length === 0 && !batch.caughtUp
      if (!single) this.#begin.run()
      for (const event of batch.events) {
        const { position, at, branch, kind, body } = event
        this.#insert.run(position, at, branch, kind, body, checksumOf(event))
      }
      this.putRows(batch.rows)
      if (batch.caughtUp) setFollowed(this.db, end)
      if (!single) this.#commit.run()
      this.#end = end
      if (batch.caughtUp) this.#followed = end
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      this.#cache.clear()
      const failure = this.#note(toLogError(this.file, error))
      // After any failure but a full disk the state of the file is uncertain, so nothing more is written to it.
      if (failure.code !== 'full') this.#broken = failure
      throw failure
    }
  }

  putRows(rows: readonly TableRow[]): void {
    for (let index = 0; index < rows.length;) {
      const { table } = rows[index] as TableRow
      const { columns, put, putMany } = this.#statementsOf(table)
      const many = rows.slice(index, index + MANY)
      const together = many.length === MANY && many.every((other) => other.table === table)
      const taken = together ? many : many.slice(0, 1)
      const values = taken.flatMap(({ row }) => columns.map((name) => row[name] ?? null))
      ;(together ? putMany : put).run(...values)
      for (const { row } of taken) this.#cache.put(table, row)
      index += taken.length
    }
  }

  /** Moves the whole journal into the file, or throws. Closing tries this too but ignores a failure. */
  checkpoint(): void {
    const row = this.#guard(() => this.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get())
    if (row?.['busy'] === 0) return
    const why = `another program reads ${this.file}, so its journal cannot be written into it`
    throw new LogError('in-use', `${why}; close that program and try again`)
  }

  close(): void {
    this.#statements.clear()
    this.#tables.clear()
    this.db.close()
    this.#lock?.release()
  }

  /** For rows that changed behind the cache: a table was recreated, or a transaction rolled back. */
  forgetRows(): void {
    this.#cache.clear()
    this.#tables.clear()
    this.#followed = this.#readFollowed()
  }

  #readRow(table: Table, key: readonly Cell[]): Row | undefined {
    return this.#guard(() => this.#statementsOf(table).get.get(...key) as Row | undefined)
  }

  #readRows(table: Table, stretch: Stretch): readonly Row[] {
    const { sql, values } = stretchQuery(table, stretch)
    return this.#guard(() => this.#prepare(sql).all(...values) as Row[])
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

  /** Notes damage beside the log, so that a restart does not write to it either. */
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

  #readFollowed(): number {
    return this.#guard(() => followedOf(this.db))
  }

  #statementsOf(table: Table): TableStatements {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    const columns = [...table.key, ...table.values].map(({ name }) => name)
    const places = `(${columns.map(() => '?').join(', ')})`
    const put = `INSERT OR REPLACE INTO ${sqlName(table)} VALUES `
    const where = table.key.map(({ name }) => `${name} = ?`).join(' AND ')
    const made = {
      columns,
      put: this.db.prepare(put + places),
      putMany: this.db.prepare(put + Array(MANY).fill(places).join(', ')),
      get: this.db.prepare(`SELECT * FROM ${sqlName(table)} WHERE ${where}`),
    }
    this.#tables.set(table, made)
    return made
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** The same file for a reader that cannot use its rows: they are gone, or of another version of the program. */
export class RowlessStore extends SqliteStore {
  readonly isRowless = true

  override get followed(): number {
    return 0
  }

  override row(): undefined {
    return undefined
  }

  override rows(): readonly Row[] {
    return []
  }
}

/** Changes with any flipped bit of an event. */
export function checksumOf({ position, at, branch, kind, body }: StoredEvent): number {
  return crc32(`${position} ${at} ${branch} ${kind} ${body}`)
}

type Filter = readonly [condition: string, value: Cell | undefined]

/** The conditions of those filters that have a value, and their values. */
function whereOf(filters: readonly Filter[]): { where: string; values: Cell[] } {
  const given = filters.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]))
  const where = given.map(({ condition }) => condition).join(' AND ')
  return { where: where === '' ? '' : `WHERE ${where}`, values: given.map(({ value }) => value) }
}

function asksForNewest({ from, to, order, limit }: Stretch): boolean {
  return order === 'down' && limit === 1 && from === undefined && to === undefined
}

function stretchQuery(
  table: Table,
  { prefix, from, to, order, limit }: Stretch,
): { sql: string; values: Cell[] } {
  const last = table.key.at(-1)?.name ?? ''
  const fixed = prefix.map((value, index): Filter => [`${table.key[index]?.name} = ?`, value])
  const { where, values } = whereOf([...fixed, [`${last} >= ?`, from], [`${last} <= ?`, to]])
  const sql = `SELECT * FROM ${sqlName(table)} ${where} ORDER BY ${last} ${order === 'up' ? 'ASC' : 'DESC'} LIMIT ?`
  return { sql, values: [...values, limit] }
}
