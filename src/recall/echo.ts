import type { Reader } from '../event/table.ts'
import type { Hit } from './recall.ts'

const REPEATING: ReadonlySet<string> = new Set(['recall', 'read_log'])

/** What only repeats the log would be found before what it repeats, and more so each time. */
export function isEcho(reader: Reader, { position }: Pick<Hit, 'position'>): boolean {
  const event = reader.event(position)
  if (event.kind !== 'message-added') return false
  const { message } = event
  if (message.role === 'tool') return REPEATING.has(message.tool)
  if (message.role !== 'assistant' || message.text !== '' || message.calls.length === 0) return false
  return message.calls.every(({ tool }) => REPEATING.has(tool))
}
