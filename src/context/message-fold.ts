import type { Event, EventOf } from '../event/event.ts'
import type { Projection, Writer } from '../event/table.ts'
import { refuse } from './branch.ts'
import { lastMessage } from './message-index.ts'
import { openCalls } from './step.ts'
import { messageTable } from './tables.ts'

/**
 * Folds messages into their index. It needs nothing but the messages themselves, so it may follow the log a few
 * events behind: a message then costs the disk one page, not two.
 */
export const messageProjection: Projection = {
  name: 'message',
  version: 1,
  tables: [messageTable],
  follows: true,
  apply,
}

function apply(event: Event, writer: Writer): void {
  if (event.kind === 'message-added') addMessage(event, writer)
  if (event.kind === 'turn-ended' && (lastMessage(writer, event.branch)?.open ?? 0) > 0) {
    refuse(event, 'calls of this turn have no result yet')
  }
}

function addMessage(event: EventOf<'message-added'>, writer: Writer): void {
  const before = lastMessage(writer, event.branch)
  writer.put(messageTable, {
    branch: event.branch,
    position: event.position,
    ordinal: (before?.ordinal ?? 0) + 1,
    tokens: (before?.tokens ?? 0) + event.tokens,
    open: openAfter(event, writer, before?.open ?? 0),
  })
}

/** Between a call and its last result nothing else may stand (CTX3). */
function openAfter(event: EventOf<'message-added'>, writer: Writer, open: number): number {
  const { message } = event
  if (message.role === 'tool') {
    const waits = open > 0 && openCalls(writer, event.branch).some((call) => call.id === message.call)
    if (!waits) refuse(event, `a result without its call (${message.call})`)
    return open - 1
  }
  if (open > 0) refuse(event, `a ${message.role} message between a call and its result (${open} are missing)`)
  if (message.role !== 'assistant') return 0
  const ids = new Set(message.calls.map(({ id }) => id))
  if (ids.size < message.calls.length) refuse(event, 'two of its calls have the same id')
  return message.calls.length
}
