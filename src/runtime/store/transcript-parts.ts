import { isJsonObject, type JsonObject } from '../../base/json.ts'

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text of a message: its text parts joined, and a word in brackets where something else stood. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content
  if (content === null || content === undefined) return ''
  if (!Array.isArray(content)) return isFields(content) ? textOfPart(content) : JSON.stringify(content)
  return content
    .map((part: unknown) => (isFields(part) ? textOfPart(part) : String(part)))
    .filter((text) => text !== '')
    .join('\n')
}

function textOfPart(part: Fields): string {
  const text = part['text'] ?? part['refusal']
  if (typeof text === 'string') return text
  const type = typeof part['type'] === 'string' ? part['type'] : 'unknown part'
  const [kind] = /image|audio|file|document|video/.exec(type) ?? []
  return `[${kind ?? type}]`
}

/** Arguments as an object; what is none is kept under a name that says so. */
export function argumentsOf(value: unknown): JsonObject {
  if (isJsonObject(value)) return value
  if (typeof value !== 'string')
    return value === undefined || value === null ? {} : { unreadable: JSON.stringify(value) }
  if (value.trim() === '') return {}
  try {
    const parsed: unknown = JSON.parse(value)
    if (isJsonObject(parsed)) return parsed
  } catch {
    // Models write broken JSON; what they wrote is kept as it is.
  }
  return { unreadable: value }
}

export function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}
