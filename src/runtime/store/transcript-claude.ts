import type { Call } from '../../event/event.ts'
import type { Line } from './lines.ts'
import { ImportError } from './lines.ts'
import type { Entry, Transcript } from './transcript.ts'
import { argumentsOf, isFields, stringOr, textOfContent, type Fields } from './transcript-parts.ts'

/** A line that only Claude Code writes: it has a type, and a session or a message or a summary. */
export function isClaudeLine(value: unknown): value is Fields {
  if (!isFields(value) || typeof value['type'] !== 'string') return false
  return ['message', 'sessionId', 'leafUuid', 'messageId', 'snapshot'].some((name) => name in value)
}

/** A session file of Claude Code: one JSON object per line, of which those of the conversation count. */
export async function claudeTranscript(lines: AsyncIterable<Line>, name: string): Promise<Transcript> {
  const entries: Entry[] = []
  const seen = new Set<unknown>()
  let skipped = 0
  let messageBefore: unknown
  for await (const line of lines) {
    if (line.text.trim() === '') continue
    const fields = parse(line)
    const found = seen.has(fields['uuid']) ? [] : entriesOf(fields)
    if (fields['uuid'] !== undefined) seen.add(fields['uuid'])
    if (found.length === 0) skipped++
    const message = isFields(fields['message']) ? fields['message']['id'] : undefined
    // A message comes as one line for each of its parts.
    const goesOn = message !== undefined && message === messageBefore
    for (const entry of found) {
      const whole = goesOn ? joined(entries.at(-1), entry) : undefined
      entries.splice(whole === undefined ? entries.length : -1, 1, whole ?? entry)
    }
    if (found.length > 0) messageBefore = message
  }
  return { name, entries, skipped }
}

function parse({ number, text }: Line): Fields {
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch (cause) {
    throw new ImportError(`line ${number} is not JSON: ${(cause as Error).message}`, { cause })
  }
  throw new ImportError(`line ${number} is not a JSON object`)
}

/** The answer as one, of which two lines brought a part each; undefined when they are no two parts of an answer. */
function joined(before: Entry | undefined, entry: Entry): Entry | undefined {
  if (before?.said.role !== 'assistant' || entry.said.role !== 'assistant') return undefined
  const text = [before.said.text, entry.said.text].filter((part) => part !== '').join('\n')
  return {
    at: before.at,
    said: { role: 'assistant', text, calls: [...before.said.calls, ...entry.said.calls] },
  }
}

const ASIDE = ['isSidechain', 'isMeta', 'isCompactSummary']

function entriesOf(line: Fields): Entry[] {
  const { type, message } = line
  if ((type !== 'user' && type !== 'assistant') || !isFields(message)) return []
  if (ASIDE.some((mark) => line[mark] === true)) return []
  const at = timeOf(line['timestamp'])
  const parts = partsOf(message['content'])
  if (type === 'assistant') {
    const text = textOfContent(parts.filter((part) => !HIDDEN.has(part['type'])))
    const calls = parts.filter((part) => part['type'] === 'tool_use').map(callOf)
    return text === '' && calls.length === 0 ? [] : [{ at, said: { role: 'assistant', text, calls } }]
  }
  const results = parts.filter((part) => part['type'] === 'tool_result')
  const text = textOfContent(parts.filter((part) => part['type'] !== 'tool_result'))
  const said: Entry[] = results.map((part) => {
    return {
      at,
      said: { role: 'tool', call: stringOr(part['tool_use_id'], ''), text: textOfContent(part['content']) },
    }
  })
  return text === '' ? said : [...said, { at, said: { role: 'user', text } }]
}

/** Parts of an answer that are not its text. */
const HIDDEN = new Set<unknown>(['tool_use', 'thinking', 'redacted_thinking'])

function partsOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isFields) : []
}

function callOf(part: Fields): Call {
  return {
    id: stringOr(part['id'], ''),
    tool: stringOr(part['name'], 'unknown'),
    args: argumentsOf(part['input']),
  }
}

function timeOf(timestamp: unknown): number | null {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN
  return Number.isNaN(time) || time < 0 ? null : time
}
