import { isFileLine } from './stored-files.ts'
import { isJsonObject, jsonText, parsedJson, type JsonObject } from '../../base/json.ts'
import { EventError, fromLine } from '../../event/codec.ts'
import type { Call, Event } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import { ImportError, type Line } from './lines.ts'
import type { Entry, Transcript } from './transcript.ts'

type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads conversations in the form of OpenAI's chat API; undefined when the value is something else. */
export function openAiTranscripts(value: unknown, name: string): Transcript[] | undefined {
  const one = messagesIn(value)
  const many = one === undefined && Array.isArray(value) ? value.map(messagesIn) : [one]
  const conversations = many.filter((messages) => messages !== undefined)
  if (conversations.length === 0 || conversations.length < many.length) return undefined
  return conversations.map((messages, index) => ({
    name: conversations.length === 1 ? name : `${name} ${index + 1}`,
    entries: messages.flatMap(openAiEntries),
    skipped: messages.filter((message) => openAiEntries(message).length === 0).length,
  }))
}

const ROLES = new Set<unknown>(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

function messagesIn(value: unknown): readonly Fields[] | undefined {
  const messages: unknown = isFields(value) ? value['messages'] : value
  if (!Array.isArray(messages) || messages.length === 0) return undefined
  return messages.every((one) => isFields(one) && ROLES.has(one['role'])) ? messages : undefined
}

function openAiEntries(message: Fields): Entry[] {
  const text = textOfContent(message['content'])
  switch (message['role']) {
    case 'user':
      return said(null, 'user', text)
    case 'assistant':
      return answered(null, text || stringOr(message['refusal'], ''), openAiCalls(message))
    case 'tool':
      return [{ at: null, said: { role: 'tool', call: stringOr(message['tool_call_id'], ''), text } }]
    case 'function':
      return [{ at: null, said: { role: 'tool', call: oldCallId(message['name']), text } }]
    default:
      return text === '' ? [] : said(null, 'note', `[${String(message['role'])}] ${text}`)
  }
}

function said(at: number | null, role: 'user' | 'note', text: string): Entry[] {
  return text === '' ? [] : [{ at, said: { role, text } }]
}

function answered(at: number | null, text: string, calls: readonly Call[]): Entry[] {
  return text === '' && calls.length === 0 ? [] : [{ at, said: { role: 'assistant', text, calls } }]
}

function openAiCalls({ tool_calls: calls, function_call: old }: Fields): Call[] {
  const made = Array.isArray(calls) ? calls.filter(isFields).map(openAiCall) : []
  return isFields(old) ? [...made, { ...openAiCall({ function: old }), id: oldCallId(old['name']) }] : made
}

function openAiCall({ id, function: plain, custom }: Fields): Call {
  const used = [plain, custom].find(isFields) ?? {}
  return callOf(id, used['name'], used['arguments'] ?? used['input'])
}

/** Before calls had ids, a result only named its function. */
function oldCallId(name: unknown): string {
  return `function:${stringOr(name, 'unknown')}`
}

/** A line that only Claude Code writes: it has a type, and a session, a message or a summary. */
export function isClaudeLine(value: unknown): value is Fields {
  if (!isFields(value) || typeof value['type'] !== 'string') return false
  return ['message', 'sessionId', 'leafUuid', 'messageId', 'snapshot'].some((name) => name in value)
}

/** Reads a session file of Claude Code: one JSON object per line, some of which belong to the conversation. */
export async function claudeTranscript(lines: AsyncIterable<Line>, name: string): Promise<Transcript> {
  const entries: Entry[] = []
  const seen = new Set<unknown>()
  let skipped = 0
  let messageBefore: unknown
  for await (const line of lines) {
    if (line.text.trim() === '') continue
    const { uuid, ...fields } = parseLine(line)
    const found = seen.has(uuid) ? [] : claudeEntries(fields)
    if (uuid !== undefined) seen.add(uuid)
    if (found.length === 0) {
      skipped++
      continue
    }
    const message = isFields(fields['message']) ? fields['message']['id'] : undefined
    // Each part of a message has its own line.
    const goesOn = message !== undefined && message === messageBefore
    for (const entry of found) {
      const whole = goesOn ? joined(entries.at(-1), entry) : undefined
      entries.splice(whole === undefined ? entries.length : -1, 1, whole ?? entry)
    }
    messageBefore = message
  }
  return { name, entries, skipped }
}

function parseLine({ number, text }: Line): Fields {
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch (cause) {
    throw new ImportError(`line ${number} is not JSON: ${(cause as Error).message}`, { cause })
  }
  throw new ImportError(`line ${number} is not a JSON object`)
}

/** Joins two parts of one answer; undefined when they aren't. */
function joined(before: Entry | undefined, { said: next }: Entry): Entry | undefined {
  if (before?.said.role !== 'assistant' || next.role !== 'assistant') return undefined
  const text = [before.said.text, next.text].filter((part) => part !== '').join('\n')
  return { at: before.at, said: { role: 'assistant', text, calls: [...before.said.calls, ...next.calls] } }
}

const ASIDE = ['isSidechain', 'isMeta', 'isCompactSummary']
/** Parts of an answer that are not its text. */
const HIDDEN = new Set<unknown>(['tool_use', 'thinking', 'redacted_thinking'])

function claudeEntries(line: Fields): Entry[] {
  const { type, message, timestamp } = line
  if ((type !== 'user' && type !== 'assistant') || !isFields(message)) return []
  if (ASIDE.some((mark) => line[mark] === true)) return []
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  const at = time >= 0 ? time : null
  const { content } = message
  const whole = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const parts: readonly Fields[] = Array.isArray(whole) ? whole.filter(isFields) : []
  if (type === 'assistant') {
    const calls = parts.filter((part) => part['type'] === 'tool_use')
    const text = textOfContent(parts.filter((part) => !HIDDEN.has(part['type'])))
    const made = calls.map(({ id, name, input }) => callOf(id, name, input))
    return answered(at, text, made)
  }
  const results = parts.filter((part) => part['type'] === 'tool_result')
  const rest = parts.filter((part) => part['type'] !== 'tool_result')
  const told = results.map((part): Entry => {
    const text = textOfContent(part['content'])
    const isError = part['is_error'] === true
    return { at, said: { role: 'tool', call: stringOr(part['tool_use_id'], ''), text, isError } }
  })
  return [...told, ...said(at, 'user', textOfContent(rest))]
}

/** Joins the text parts of a message, with a word in brackets for each other part. */
function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content
  if (content === null || content === undefined) return ''
  if (!Array.isArray(content)) return isFields(content) ? textOfPart(content) : JSON.stringify(content)
  return content
    .map((part: unknown) =>
      isFields(part) ? textOfPart(part) : typeof part === 'string' ? part : jsonText(part),
    )
    .filter((text) => text !== '')
    .join('\n')
}

function textOfPart(part: Fields): string {
  const text = part['text'] ?? part['refusal']
  if (typeof text === 'string') return text
  const type = typeof part['type'] === 'string' ? part['type'] : 'unknown part'
  return `[${/image|audio|file|document|video/.exec(type)?.[0] ?? type}]`
}

function callOf(id: unknown, name: unknown, args: unknown): Call {
  return { id: stringOr(id, ''), tool: stringOr(name, 'unknown'), args: argumentsOf(args) }
}

/** Arguments that are not an object are kept under `unreadable`. */
function argumentsOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value
  if (value === undefined || value === null) return {}
  if (typeof value !== 'string') return { unreadable: jsonText(value) }
  if (value.trim() === '') return {}
  // Models sometimes write broken JSON.
  const parsed = parsedJson(value)
  return isJsonObject(parsed) ? parsed : { unreadable: value }
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

/**
 * Reads the messages of each branch from an export with gaps, as a damaged log gives it. Lists, marks and forks refer
 * to positions that may be missing, so they are left out.
 */
export async function salvagedTranscripts(lines: AsyncIterable<Line>): Promise<readonly Transcript[]> {
  const branches = new Map<BranchId, { title: string | null; readonly entries: Entry[] }>()
  let skipped = 0
  for await (const { text } of lines) {
    if (text.trim() === '' || isFileLine({ text })) continue
    const event = eventIn(text)
    if (event === undefined) {
      skipped++
      continue
    }
    const branch = branches.get(event.branch) ?? { title: null, entries: [] }
    branches.set(event.branch, branch)
    if (event.kind === 'branch-created') branch.title = event.title
    if (event.kind === 'message-added') branch.entries.push({ at: event.at, said: event.message })
  }
  const [first, ...rest] = [...branches]
    .filter(([, { entries }]) => entries.length > 0)
    .map(([id, { title, entries }]) => ({ name: title ?? handleOf(id), entries, skipped: 0 }))
  if (first === undefined) throw new ImportError('it has no message of an export')
  return [{ ...first, skipped }, ...rest]
}

function eventIn(line: string): Event | undefined {
  try {
    return fromLine(line)
  } catch (error) {
    if (error instanceof EventError) return undefined
    throw error
  }
}
