import { addressKey } from '../agent/outbox.ts'
import { outboxTable } from '../agent/tables.ts'
import type { Entry } from '../channel/terminal/port.ts'
import { branchNames } from '../context/naming.ts'
import type { Event, EventOf } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Address } from '../event/work.ts'

/** What was said in a conversation lately, oldest first, and the lines that were typed there. */
export interface Past {
  readonly entries: readonly Entry[]
  readonly typed: readonly string[]
}

const ENTRIES_MAX = 30
const TYPED_MAX = 200
/** Background work may lie between two things that were said; opening a terminal must not read all of it. */
const LOOKED_MAX = 5_000

export function pastOf(reader: Reader, address: Address): Past {
  const entries: Entry[] = []
  const typed: string[] = []
  const first = Math.max(1, reader.end - LOOKED_MAX + 1)
  for (let at = reader.end; at >= first && typed.length < TYPED_MAX; at--) {
    const event = reader.event(at as Position)
    const line = isMoved(reader, event) ? undefined : lineOf(event, address)
    if (line !== undefined && line !== typed.at(-1)) typed.push(line)
    if (entries.length === ENTRIES_MAX) continue
    const entry =
      line === undefined
        ? shownEntry(reader, event, address)
        : ({ kind: 'said', text: line, at: event.at } as const)
    if (entry !== undefined) entries.push(entry)
  }
  return { entries: entries.toReversed(), typed: typed.toReversed() }
}

/** What a person typed there, if this is where the log says so. */
function lineOf(event: Event, { channel, conversation }: Address): string | undefined {
  const isInbound = event.kind === 'inbound-admitted'
  if (!isInbound && event.kind !== 'command-run') return undefined
  const { source } = event
  if (source?.from !== 'person' || source.channel !== channel || source.conversation !== conversation)
    return undefined
  return isInbound ? event.text : event.line
}

/** What was typed behind a command that went to another branch is admitted there once more. */
function isMoved(reader: Reader, event: Event): boolean {
  if (event.kind !== 'inbound-admitted' || event.position === 1) return false
  const before = reader.event((event.position - 1) as Position)
  if (before.kind !== 'command-run' || before.took === null) return false
  const taken = reader.event(before.took)
  return taken.kind === 'inbound-admitted' && taken.text === event.text
}

/** A delivery without an outcome is left out: it is still on its way, and will be shown when it comes. */
function shownEntry(reader: Reader, event: Event, address: Address): Entry | undefined {
  if (event.kind !== 'delivery-intended' || addressKey(event.to) !== addressKey(address)) return undefined
  const settledTo = reader.row(outboxTable, [addressKey(address)])?.['settled_to'] as number
  return event.position <= settledTo ? entryOf(reader, event) : undefined
}

/** A delivery as the screen keeps it. */
export function entryOf(reader: Reader, intent: EventOf<'delivery-intended'>): Entry {
  const { form, text, at, branch } = intent
  if (form === 'answer') return { kind: 'answer', text, at, branch: branchNames(reader)(branch) }
  if (form === 'notice' || form === 'question') return { kind: form, text }
  return { kind: 'output', text, isError: isErrorOutput(reader, intent) }
}

/** The output of a command is meant to be sent right behind the event that says it was run. */
function isErrorOutput(reader: Reader, { position }: EventOf<'delivery-intended'>): boolean {
  const run = position > 1 ? reader.event((position - 1) as Position) : undefined
  return run?.kind === 'command-run' && run.isError
}
