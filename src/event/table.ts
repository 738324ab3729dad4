import type { Draft, Event, EventOf, Kind } from './event.ts'
import type { Position } from './id.ts'

/**
 * Derived tables: rows folded from events, written in the same transaction as the event, rebuildable from the
 * log alone. A projection describes its tables; every log keeps them in its own way.
 */
export type Cell = string | number | null
export type Row = Readonly<Record<string, Cell>>

export interface Table<R extends Row = Row> {
  readonly name: string
  /** Key columns; rows are ordered by the last one among those that share the ones before it. */
  readonly key: readonly Column[]
  readonly values: readonly Column[]
  /** For the compiler alone. */
  readonly row?: R
}

export type RowOf<T extends Table> = NonNullable<T['row']>

interface Column {
  readonly name: string
  readonly type: 'text' | 'integer'
}

interface Typed<C extends Cell> extends Pick<Column, 'type'> {
  /** For the compiler alone. */
  readonly cell?: C
}

type Columns = Readonly<Record<string, Typed<Cell>>>
type RowWith<C extends Columns> = { readonly [Name in keyof C]: C[Name] extends Typed<infer T> ? T : never }

/** The key columns come in the order in which a key names them. */
export function table<K extends Columns, V extends Columns>(
  name: string,
  key: K,
  values: V,
): Table<RowWith<K & V>> {
  return { name, key: columnsOf(key), values: columnsOf(values) }
}

function columnsOf(columns: Columns): Column[] {
  return Object.entries(columns).map(([name, { type }]) => ({ name, type }))
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a type that no value can tell
export const text = <C extends string | null = string>(): Typed<NoInfer<C>> => ({ type: 'text' })
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a type that no value can tell
export const integer = <C extends number | null = number>(): Typed<NoInfer<C>> => ({ type: 'integer' })

declare const held: unique symbol

/** The JSON of a `T`, in a cell. */
export type JsonOf<T> = string & { readonly [held]: T }

export function toJson<T>(value: T): JsonOf<T> {
  return JSON.stringify(value) as JsonOf<T>
}

export function fromJson<T>(json: JsonOf<T>): T {
  return JSON.parse(json) as T
}

/** A stretch of one table: all key columns but the last are fixed, the last runs from `from` to `to`. */
export interface Stretch {
  readonly prefix: readonly Cell[]
  readonly from?: Cell
  readonly to?: Cell
  readonly order: 'up' | 'down'
  readonly limit: number
}

export interface Reader {
  /** Position of the newest event; 0 when there is none. */
  readonly end: number
  event(position: Position): Event
  row<R extends Row>(table: Table<R>, key: readonly Cell[]): R | undefined
  rows<R extends Row>(table: Table<R>, stretch: Stretch): readonly R[]
}

export interface Writer extends Reader {
  put<R extends Row>(table: Table<R>, row: NoInfer<R>): void
}

/** What a work writes with: it reads as a `Reader`, and appends events. */
export interface Writing extends Reader {
  append(draft: Draft): Position
}

export interface Projection {
  readonly name: string
  /** Raised when the rows it makes change; the log then folds them again from the events. */
  readonly version: number
  readonly tables: readonly Table[]
  /** Its rows may be written a few events later; until then they are folded again when the log is opened. */
  readonly follows?: true
  apply(event: Event, writer: Writer): void
}

/** What a projection does with the events of each kind that it looks at. */
export type Folds = { readonly [K in Kind]?: (event: EventOf<K>, writer: Writer) => void }

/**
 * All rows of a stretch in order, read a page at a time. For what is small by its nature: what people make one by one
 * (grants, jobs, conversations), or what one turn or one list holds. What grows with the log is read with a limit.
 */
export function* allRows<R extends Row>(
  reader: Reader,
  table: Table<R>,
  { prefix, ...ends }: Omit<Stretch, 'order' | 'limit'>,
): Generator<R> {
  if (prefix.length !== table.key.length - 1)
    throw new TypeError(`a stretch of '${table.name}' needs all key columns but the last`)
  const column = table.key.at(-1)?.name ?? ''
  let { from } = ends
  // Every page but the first begins with the row that ended the one before.
  for (let skipped = 0; ; skipped = 1) {
    const start = from === undefined ? {} : { from }
    const page = reader.rows(table, { prefix, ...ends, ...start, order: 'up', limit: PAGE })
    yield* page.slice(skipped)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    from = last[column] ?? null
  }
}

const PAGE = 500

export function keyOf(table: Table, row: Row): Cell[] {
  return table.key.map((column) => row[column.name] ?? null)
}
