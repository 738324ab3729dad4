import { refuse } from '../../context/branch.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { Position, TurnId } from '../../event/id.ts'
import { allRows, type Folds, type Reader, type Writer } from '../../event/table.ts'
import { effectTable, turnTable } from './tables.ts'

/**
 * What caused an event is a fact in the log: its `root` is the event that its work goes back to, such as a person's
 * message or a job's firing. An event without one is its own, and so is all of an older log. A command that was done
 * where it was typed has the first event of its transaction as its root (FACT1).
 */
export function rootAt(reader: Reader, position: Position): Position {
  const event = reader.event(position)
  const named = rootNamed(event)
  if (named !== undefined) return named
  if (event.kind !== 'inbound-admitted' || event.source.from === 'person') return position
  const { turn } = event.source
  return (turn && rootOfTurn(reader, turn)) ?? position
}

/** What a turn goes back to; undefined: there is no such turn. */
export function rootOfTurn(reader: Reader, turn: TurnId): Position | undefined {
  const row = reader.row(turnTable, [turn])
  return row && rootAt(reader, row.position)
}

/** `root` as a field of a new event; an event that would be its own root has none. */
export function rooted(reader: Reader, root: Position | undefined): { readonly root?: Position } {
  return root === undefined || root > reader.end ? {} : { root }
}

/** The command that an inbox entry was, once it is done. */
export function commandOf(reader: Reader, entry: Position): EventOf<'command-run'> | undefined {
  for (const { position } of allRows(reader, effectTable, { prefix: [rootAt(reader, entry)], from: entry })) {
    const event = reader.event(position)
    if (event.kind === 'command-run' && event.took === entry) return event
  }
  return undefined
}

/** The root that an event names, if it does. */
function rootNamed(event: Event): Position | undefined {
  if (event.kind === 'inbound-admitted' && event.source.from === 'host')
    return event.root ?? event.source.root
  return 'root' in event ? event.root : undefined
}

export const rootFolds: Folds = {
  'command-run': note,
  'turn-started': note,
  'delivery-intended': note,
}

function note(event: Event, writer: Writer): void {
  const { position } = event
  const root = rootNamed(event)
  if (root === undefined) return
  if (root >= position) refuse(event, `its root, ${root}, does not come before it`)
  writer.put(effectTable, { root, position })
}
