import { isoAt } from '../base/time-text.ts'
import { flatten, leadOf, summaryAt } from '../context/list.ts'
import { countMessages, countTokens } from '../context/message-index.ts'
import type { Event, EventOf } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { SummaryRef } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import { isIn } from '../recall/contract/recall.ts'
import { placesUnder } from '../recall/scope/scope.ts'
import { keep, versionsOf } from '../recall/scope/standing.ts'

/** The coverage of a summary: how many messages, from when to when they were said, and who wrote it. */
export function coverView(reader: Reader, ref: SummaryRef) {
  const { messages, tokens, from, to } = coverOf(reader, ref)
  const { writer, at } = reader.event(ref.summary) as EventOf<'context-compacted'>
  const timeOf = (position: Position): string => isoAt(reader.event(position).at)
  return {
    summary: ref.summary,
    messages,
    tokens,
    from: timeOf(from),
    to: timeOf(to),
    writer,
    at: isoAt(at),
  }
}

interface Cover {
  readonly messages: number
  readonly tokens: number
  /** The first and the last message. */
  readonly from: Position
  readonly to: Position
}

/** A summary never changes. */
const known = new WeakMap<Reader, Map<string, Cover>>()

/** Counted from the summary that it folded in, if that is known: there may be thousands of ranges under it. */
function coverOf(reader: Reader, ref: SummaryRef): Cover {
  const covers = known.get(reader) ?? new Map<string, Cover>()
  known.set(reader, covers)
  const found = covers.get(keyOf(ref))
  if (found !== undefined) return found
  const summary = summaryAt(reader, ref)
  const lead = leadOf(summary)
  const folded = lead && covers.get(keyOf(lead))
  const items = folded === undefined ? [ref] : summary.covers.slice(1)
  const ranges = items.flatMap((item) => flatten(reader, item))
  return keep(covers, keyOf(ref), {
    messages: ranges.reduce((sum, range) => sum + countMessages(reader, range), folded?.messages ?? 0),
    tokens: ranges.reduce((sum, range) => sum + countTokens(reader, range), folded?.tokens ?? 0),
    from: folded?.from ?? ranges[0]?.from ?? ref.summary,
    to: ranges.at(-1)?.to ?? folded?.to ?? ref.summary,
  })
}

function keyOf({ summary, part }: SummaryRef): string {
  return `${summary} ${part}`
}

/** Whether a summary stands for the message at this place. */
export function isUnder(reader: Reader, ref: SummaryRef, { branch, position }: Event): boolean {
  return isIn(placesUnder(reader, ref, versionsOf(reader)).get(branch) ?? [], position)
}
