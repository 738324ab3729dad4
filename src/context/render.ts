import type { EventOf } from '../event/event.ts'
import { isSummary, type Summary, type SummaryRef, type Items } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import { summaryAt } from './list.ts'
import { messagesAdded } from './message-index.ts'

/** The visible entries of a list, in order: messages as written, summaries in their place. */
export type Shown =
  | { readonly kind: 'message'; readonly event: EventOf<'message-added'> }
  | { readonly kind: 'summary'; readonly ref: SummaryRef; readonly summary: Summary }

export function show(reader: Reader, items: Items): Shown[] {
  return items.flatMap((item): Shown[] => {
    if (isSummary(item)) return [{ kind: 'summary', ref: item, summary: summaryAt(reader, item) }]
    return messagesAdded(reader, item).map((event): Shown => ({ kind: 'message', event }))
  })
}
