import type { StoredEvent } from '../event/codec.ts'
import type { Event, Kind } from '../event/event.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader, Table, Writing } from '../event/table.ts'

/**
 * The one truth: an ordered, append-only log of events with the tables derived from it.
 *
 * The contract is asynchronous; the works handed to it are synchronous and pure, so that an implementation may
 * run one inside its transaction, share one commit among many, or run one again after fetching what it lacked.
 */
export interface Log {
  /**
   * Runs `work` under the log's lock, where it sees every event before it, and appends what it appends: all of
   * it or nothing. Resolves when that is durable. A work that throws appends nothing and rejects.
   */
  write<T>(work: (writing: Writing) => T): Promise<T>
  /** Runs `work` on what is durable. */
  read<T>(work: (reader: Reader) => T): Promise<T>
  /** Events in order of position. What is appended while it runs may or may not be seen. */
  events(query?: Query): AsyncIterable<Event>
  /**
   * Every event after position `after`, in order and each once, as soon as it is durable (LOG8). Ends when `signal`
   * aborts or the log closes. Events are read in pages, so a slow reader costs no memory.
   */
  follow(after: number, signal: AbortSignal): AsyncIterable<Event>
  close(): Promise<void>
}

export interface Query {
  readonly after?: number | undefined
  /** Events at this position or before. */
  readonly upTo?: number | undefined
  readonly branch?: BranchId | undefined
  readonly kind?: Kind | undefined
  /** Events at this time or later. */
  readonly since?: number | undefined
}

/** Whether a query without positions finds this event. */
export function matches(event: Pick<StoredEvent, 'branch' | 'kind' | 'at'>, query: Query): boolean {
  return (
    (query.branch === undefined || event.branch === query.branch) &&
    (query.kind === undefined || event.kind === query.kind) &&
    (query.since === undefined || event.at >= query.since)
  )
}

/** The world failed: another process, the disk, the file. What to do stands in the message. */
export class LogError extends Error {
  override readonly name = 'LogError'
  readonly code: LogErrorCode
  constructor(code: LogErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

export type LogErrorCode =
  | 'in-use'
  | 'newer'
  | 'damaged'
  | 'full'
  | 'unreadable'
  | 'missing'
  | 'failed'
  | 'closed'

/** The digest of a table's rows, to tell two foldings apart. */
export interface TableDigest {
  readonly table: Table['name']
  readonly rows: number
  readonly digest: string
}
