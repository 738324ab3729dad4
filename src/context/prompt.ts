import type { EventOf, Message } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Item, Summary } from '../event/item.ts'
import type { Prompt, PromptMessage, Settings, ToolSpec } from '../event/prompt.ts'
import type { Reader } from '../event/table.ts'
import { show, type Shown } from './render.ts'
import { noteLabel } from './wording.ts'

/** What a prompt has besides what its list shows. */
export interface PromptParts {
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly settings: Settings
  /** A block for this turn alone, behind the message at `after`. */
  readonly tail: { readonly text: string; readonly after: Position } | null
}

export const HISTORY_HEADING = '## Conversation History 🧠'
const OPENING = '(The conversation goes on from here; what came before is not shown.)'

/** What a model is given. The same list and the same parts give the same bytes, for ever. */
export function buildPrompt(reader: Reader, items: readonly Item[], parts: PromptParts): Prompt {
  const { system, tools, settings, tail } = parts
  return { system, messages: promptMessages(show(reader, items), settings, tail), tools, settings }
}

function promptMessages(
  shown: readonly Shown[],
  settings: Settings,
  tail: PromptParts['tail'],
): PromptMessage[] {
  const messages: PromptMessage[] = []
  const before = tail === null ? -1 : shown.findLastIndex((one) => isAt(one, tail.after))
  shown.forEach((one, index) => {
    const message = one.kind === 'summary' ? summaryText(one.summary) : promptMessage(one.event, settings)
    if (message !== undefined) messages.push(message)
    if (tail !== null && index === before) messages.push({ role: 'user', text: tail.text })
  })
  if (tail !== null && before < 0) messages.push({ role: 'user', text: tail.text })
  // No provider takes a conversation that begins with its own words.
  if (messages[0]?.role === 'assistant') messages.unshift({ role: 'user', text: OPENING })
  return messages
}

function isAt(shown: Shown, position: Position): boolean {
  return shown.kind === 'message' && shown.event.position === position
}

function summaryText({ text }: Summary): PromptMessage {
  return { role: 'user', text: `${HISTORY_HEADING}\n\n${text}` }
}

function promptMessage({ message }: EventOf<'message-added'>, settings: Settings): PromptMessage | undefined {
  switch (message.role) {
    case 'user':
      return { role: 'user', text: userText(message) }
    case 'note':
      return { role: 'user', text: `${noteLabel(message.author)}\n${message.text}` }
    case 'tool':
      return { role: 'tool', call: message.call, tool: message.tool, text: message.text }
    case 'assistant': {
      const { text, calls, model } = message
      // Thoughts belong to the model that had them: another one cannot read them, or refuses their signature.
      const reasoning = model === settings.model ? (message.reasoning ?? []) : []
      if (text === '' && calls.length === 0) return undefined
      return { role: 'assistant', text, reasoning, calls }
    }
  }
}

/** Its parts, separated by one empty line, those that are empty left out. */
export function userText({ head = '', before = [], text }: Extract<Message, { role: 'user' }>): string {
  return [head, ...before, text].filter((part) => part !== '').join('\n\n')
}
