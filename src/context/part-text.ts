import { limits } from '../base/limits.ts'
import { bounded } from '../base/words.ts'
import type { Message } from '../event/event.ts'
import type { Reader } from '../event/table.ts'
import type { CompactionPart } from './part.ts'
import { HISTORY_HEADING, hostText, show, type Shown } from './prompt.ts'

/** The text that a summariser reads. */
export interface PartText {
  /** The summary that the new one folds in, if the part begins with one. */
  readonly previous: string | null
  readonly messages: readonly PartMessage[]
}

export interface PartMessage {
  readonly who: Message['role']
  readonly text: string
  /** When it was written. */
  readonly at: number
  /** Names of its files. */
  readonly files?: readonly string[]
}

/** The messages of a part as a model saw them. A summary among them becomes a note. */
export function textsOf(reader: Reader, { items }: CompactionPart): PartText {
  const shown = show(reader, items)
  const [first] = shown
  const previous = first?.kind === 'summary' ? first.summary.text : null
  const rest = previous === null ? shown : shown.slice(1)
  return { previous, messages: rest.map((one) => spoken(reader, one)).filter(({ text }) => text !== '') }
}

function spoken(reader: Reader, shown: Shown): PartMessage {
  if (shown.kind === 'message') {
    const { message, at } = shown.event
    const files = message.role === 'user' && message.files && { files: message.files.map(({ name }) => name) }
    return { who: message.role, text: textOf(message), at, ...files }
  }
  const { at } = reader.event(shown.summary.end)
  return { who: 'note', text: `${HISTORY_HEADING}\n\n${shown.summary.text}`, at }
}

function textOf(message: Message): string {
  const text = wholeText(message)
  // Older logs have longer ones.
  return text.length > 2 * limits.textCharsMax ? bounded(text) : text
}

function wholeText(message: Message): string {
  if (message.role !== 'assistant') return message.role === 'tool' ? message.text : hostText(message)
  const calls = message.calls.map(({ tool, args }) => `(called ${tool}: ${JSON.stringify(args)})`)
  return [message.text, ...calls].filter((part) => part !== '').join('\n')
}
