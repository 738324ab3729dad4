import type { EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import type { JobName } from '../../event/job.ts'
import { allRows, fromJson, toJson, type Reader, type RowOf, type Writer } from '../../event/table.ts'
import type { Budget } from './ping-budget.ts'
import { runIn } from './run.ts'
import { budgetTable, openTable, pingDeliveryTable, pingJobTable, pingTable, type Open } from './tables.ts'
import { personIn } from './person.ts'

/** What the log knows of pings: who was pinged, why or why not, whether it arrived, and the person's reaction. */

export type PingDecided = EventOf<'ping-decided'>

export type LedgerEntry = ReturnType<typeof ledgerOf>[number]

/** Entries of a person, newest first. */
export function ledgerOf(
  reader: Reader,
  person: string,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
) {
  const to = before === undefined ? {} : { to: before - 1 }
  const rows = reader.rows(pingTable, { prefix: [person], ...to, order: 'down', limit })
  return rows.map((row) => ({ ...row, decision: pingAt(reader, row.position) }))
}

export function pingAt(reader: Reader, position: Position): EventOf<'ping-decided'> {
  const event = reader.event(position)
  if (event.kind !== 'ping-decided') throw new TypeError(`event ${position} is no ping but a '${event.kind}'`)
  return event
}

/** A ping's state, and where it is sent, which may have changed since. */
export function pingRow(reader: Reader, position: Position): RowOf<typeof pingTable> {
  const decision = pingAt(reader, position)
  const person = personPinged(reader, decision)
  const { verdict: state, delivery } = decision
  return reader.row(pingTable, [person, position]) ?? { person, position, state, delivery, answer: null }
}

/** The pings in a delivery: several if critical ones share it. */
export function pingsIn(reader: Reader, delivery: Position): Position[] {
  return [...allRows(reader, pingDeliveryTable, { prefix: [delivery] })].map(({ ping }) => ping)
}

/** As of the last event that changed it; undefined: this person was never pinged. */
export function budgetOf(reader: Reader, person: string): Budget | undefined {
  const row = reader.row(budgetTable, [person])
  return row && fromJson(row.budget)
}

export function personPinged(reader: Reader, { budget, run, branch }: EventOf<'ping-decided'>): string {
  const ofRun = run === null ? undefined : runIn(reader, run)?.person
  return budget?.person ?? ofRun ?? personIn(reader, branch)
}

/** The job that a ping is counted for; undefined: none. */
export function jobOfPing(reader: Reader, { job, run: branch }: PingDecided): JobName | undefined {
  const run = job === undefined && branch !== null ? runIn(reader, branch) : undefined
  return job ?? (run && { what: kindOfTag(run.tag), job: run.job })
}

export function kindOfTag(tag: 'routine-bg' | 'reminder-bg' | 'webhook'): JobName['what'] {
  return tag === 'webhook' ? tag : tag === 'routine-bg' ? 'routine' : 'reminder'
}

/** How the person reacts to a job's pings. */
export type JobPings = RowOf<typeof pingJobTable>

export function pingsOfJob(reader: Reader, { what, job }: JobName): JobPings | undefined {
  return reader.row(pingJobTable, [what, job])
}

/** Open things of one kind, oldest first. */
export function openList<What extends keyof Open>(reader: Reader, what: What): readonly Open[What][] {
  const row = reader.row(openTable, [what])
  return row === undefined ? [] : (fromJson(row.list) as readonly Open[What][])
}

export function addOpen<What extends keyof Open>(writer: Writer, what: What, one: Open[What]): void {
  writer.put(openTable, { what, list: toJson([...openList(writer, what), one]) })
}

export function dropOpen<W extends keyof Open>(writer: Writer, what: W, isGone: (one: Open[W]) => boolean) {
  const open = openList(writer, what)
  const left = open.filter((one) => !isGone(one))
  if (left.length < open.length) writer.put(openTable, { what, list: toJson(left) })
}
