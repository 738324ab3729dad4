import type { Call } from '../../event/event.ts'
import type { Entry, Transcript } from './transcript.ts'
import { argumentsOf, isFields, stringOr, textOfContent, type Fields } from './transcript-parts.ts'

/** Conversations in the form of OpenAI's chat API; undefined when the value is something else. */
export function openAiTranscripts(value: unknown, name: string): Transcript[] | undefined {
  const conversations = conversationsIn(value)
  if (conversations === undefined || conversations.length === 0) return undefined
  return conversations.map((messages, index) => ({
    name: conversations.length === 1 ? name : `${name} ${index + 1}`,
    entries: messages.flatMap(entriesOf),
    skipped: messages.filter((message) => entriesOf(message).length === 0).length,
  }))
}

/** One array of messages, an object that has one, or an array of either. */
function conversationsIn(value: unknown): (readonly Fields[])[] | undefined {
  const one = messagesIn(value)
  if (one !== undefined) return [one]
  if (!Array.isArray(value)) return undefined
  const many = value.map(messagesIn)
  return many.some((messages) => messages === undefined) ? undefined : (many as (readonly Fields[])[])
}

function messagesIn(value: unknown): readonly Fields[] | undefined {
  const messages: unknown = isFields(value) ? value['messages'] : value
  if (!Array.isArray(messages) || messages.length === 0) return undefined
  return messages.every(isMessage) ? messages : undefined
}

const ROLES = new Set<unknown>(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

function isMessage(value: unknown): value is Fields {
  return isFields(value) && ROLES.has(value['role'])
}

function entriesOf(message: Fields): Entry[] {
  const text = textOfContent(message['content'])
  const at = null
  switch (message['role']) {
    case 'user':
      return text === '' ? [] : [{ at, said: { role: 'user', text } }]
    case 'assistant': {
      const calls = callsOf(message)
      const words = text === '' ? stringOr(message['refusal'], '') : text
      return words === '' && calls.length === 0
        ? []
        : [{ at, said: { role: 'assistant', text: words, calls } }]
    }
    case 'tool':
      return [{ at, said: { role: 'tool', call: stringOr(message['tool_call_id'], ''), text } }]
    case 'function':
      return [{ at, said: { role: 'tool', call: oldCallId(message['name']), text } }]
    default:
      return text === '' ? [] : [{ at, said: { role: 'note', text: `[${String(message['role'])}] ${text}` } }]
  }
}

function callsOf(message: Fields): Call[] {
  const calls: unknown = message['tool_calls']
  const made = Array.isArray(calls) ? calls.filter(isFields).map(callOf) : []
  const old = message['function_call']
  return isFields(old) ? [...made, { ...callOf({ function: old }), id: oldCallId(old['name']) }] : made
}

function callOf(call: Fields): Call {
  const used = isFields(call['function']) ? call['function'] : isFields(call['custom']) ? call['custom'] : {}
  return {
    id: stringOr(call['id'], ''),
    tool: stringOr(used['name'], 'unknown'),
    args: argumentsOf(used['arguments'] ?? used['input']),
  }
}

/** Before there were ids, a result named the function alone. */
function oldCallId(name: unknown): string {
  return `function:${stringOr(name, 'unknown')}`
}
