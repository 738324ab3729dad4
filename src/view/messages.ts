import { messageTable } from '../context/tables.ts'
import type { EventOf } from '../event/event.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { fateOf, labelOf } from '../recall/scope/fate.ts'

export interface MessagesLook {
  readonly branch: BranchId
  /** Messages before this position; left out: the newest. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Messages can be large; a page that has so many characters ends early. */
const PAGE_CHARS_MAX = 4_000_000

/** What was said in a branch, the newest last. `next`: the `before` of the page with older ones. Programs rely on the names. */
export function messagesView(reader: Reader, { branch, before, limit }: MessagesLook) {
  const to = before === undefined ? {} : { to: before - 1 }
  const rows = reader.rows(messageTable, { prefix: [branch], ...to, order: 'down', limit: limit + 1 })
  const messages = []
  let size = 0
  for (const { position } of rows.slice(0, limit)) {
    const { at, turn, message } = reader.event(position) as EventOf<'message-added'>
    // Why no context shows it any more: rewound, cleared, discarded.
    const label = labelOf(fateOf(reader, { branch, position })) ?? null
    messages.push({ position, at: new Date(at).toISOString(), turn, label, message })
    size += message.text.length
    if (size > PAGE_CHARS_MAX) break
  }
  return {
    messages: messages.toReversed(),
    next: messages.length < rows.length ? (messages.at(-1)?.position ?? null) : null,
  }
}
