import type { EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import type { JobName } from '../../event/job.ts'
import { allRows, fromJson, toJson, type Reader, type RowOf, type Writer } from '../../event/table.ts'
import type { Budget } from './ping-budget.ts'
import { runIn } from './run.ts'
import {
  budgetTable,
  openTable,
  pingDeliveryTable,
  pingJobTable,
  pingTable,
  type Open,
  type PingState,
} from './tables.ts'
import { OWNER } from '../../event/speaker.ts'

/** What the log knows of pings: who was pinged, why or why not, what became of it, what the person said to it. */

/** A line of the ledger. */
export interface LedgerEntry {
  readonly decision: EventOf<'ping-decided'>
  readonly state: PingState
  readonly delivery: Position | null
  readonly answer: 'done' | 'snoozed' | 'less' | null
}

/** The newest first. */
export function ledgerOf(reader: Reader, person: string, limit: number): LedgerEntry[] {
  const rows = reader.rows(pingTable, { prefix: [person], order: 'down', limit })
  return rows.map(({ position, state, delivery, answer }) => ({
    decision: pingAt(reader, position),
    state,
    delivery,
    answer,
  }))
}

export function pingAt(reader: Reader, position: Position): EventOf<'ping-decided'> {
  const event = reader.event(position)
  if (event.kind !== 'ping-decided') throw new TypeError(`event ${position} is no ping but a '${event.kind}'`)
  return event
}

/** What became of a ping, and where it is sent, which may be elsewhere than at first. */
export function pingRow(reader: Reader, position: Position): RowOf<typeof pingTable> {
  const decision = pingAt(reader, position)
  const person = personPinged(reader, decision)
  const { verdict: state, delivery } = decision
  return reader.row(pingTable, [person, position]) ?? { person, position, state, delivery, answer: null }
}

/** The pings that a delivery brings: several where critical ones share it. */
export function pingsIn(reader: Reader, delivery: Position): Position[] {
  return [...allRows(reader, pingDeliveryTable, { prefix: [delivery] })].map(({ ping }) => ping)
}

/** As of the last event that changed it; undefined: nobody was ever pinged on its account. */
export function budgetOf(reader: Reader, person: string): Budget | undefined {
  const row = reader.row(budgetTable, [person])
  return row && fromJson(row.budget)
}

export function personPinged(reader: Reader, { budget, run }: EventOf<'ping-decided'>): string {
  return budget?.person ?? (run === null ? undefined : runIn(reader, run)?.person) ?? OWNER
}

/** The job on whose account a ping goes; undefined: none. */
export function jobOfPing(
  reader: Reader,
  { job, run: branch }: EventOf<'ping-decided'>,
): JobName | undefined {
  const run = job === undefined && branch !== null ? runIn(reader, branch) : undefined
  return job ?? (run && { what: kindOfTag(run.tag), job: run.job })
}

export function kindOfTag(tag: 'routine-bg' | 'reminder-bg' | 'webhook'): JobName['what'] {
  return tag === 'webhook' ? tag : tag === 'routine-bg' ? 'routine' : 'reminder'
}

/** How a job's pings fare with the person. */
export type JobPings = RowOf<typeof pingJobTable>

export function pingsOfJob(reader: Reader, { what, job }: JobName): JobPings | undefined {
  return reader.row(pingJobTable, [what, job])
}

/** What waits, oldest first. */
export function openList<What extends keyof Open>(reader: Reader, what: What): readonly Open[What][] {
  const row = reader.row(openTable, [what])
  return row === undefined ? [] : (fromJson(row.list) as readonly Open[What][])
}

export function addOpen<What extends keyof Open>(writer: Writer, what: What, one: Open[What]): void {
  writer.put(openTable, { what, list: toJson([...openList(writer, what), one]) })
}

export function dropOpen<What extends keyof Open>(
  writer: Writer,
  what: What,
  isGone: (one: Open[What]) => boolean,
): void {
  const open = openList(writer, what)
  const left = open.filter((one) => !isGone(one))
  if (left.length < open.length) writer.put(openTable, { what, list: toJson(left) })
}
