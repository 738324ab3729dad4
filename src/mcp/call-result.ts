import { z } from 'zod'
import { jsonText } from '../base/json.ts'
import { oneLine } from '../base/width.ts'
import { fence } from '../event/fence.ts'
import type { ToolResult } from '../tool/tool.ts'

/** The most that one call may add to a context. */
const BYTES_MAX = 64 * 1_024
const WORD_MAX = 200

const word = z.string().optional().catch(undefined)
const partSchema = z.looseObject({
  type: z.string().catch('unknown'),
  text: word,
  mimeType: word,
  data: word,
  uri: word,
  name: word,
  resource: z.looseObject({ uri: word, mimeType: word, text: word, blob: word }).optional().catch(undefined),
})
const resultSchema = z.looseObject({
  content: z.array(partSchema).catch([]),
  structuredContent: z.looseObject({}).optional().catch(undefined),
  isError: z.boolean().catch(false),
})

/** A server's answer for the model, fenced as data (SAFE2). */
export function resultOf(server: string, answer: unknown): ToolResult {
  const read = resultSchema.safeParse(answer)
  if (!read.success) return asResult(server, { text: '(an answer without a result)', isError: true })
  const { content, structuredContent, isError } = read.data
  const hasText = content.some(({ type, text }) => type === 'text' && (text ?? '') !== '')
  const parts = content.map(partText).filter((text) => text !== '')
  if (!hasText && structuredContent !== undefined) parts.push(jsonText(structuredContent))
  return asResult(server, { text: parts.length === 0 ? '(no content)' : parts.join('\n'), isError })
}

/** The words of a server, fenced as data. */
export function asResult(server: string, { text, isError }: ToolResult): ToolResult {
  const shown = cutTo(BYTES_MAX, text)
  // Our own note stays outside the fence.
  const note =
    shown === text ? '' : `\n(cut: the first ${BYTES_MAX / 1_024} KB of ${sizeText(Buffer.byteLength(text))})`
  const words = `${fence(`mcp ${server}`, shown)}${note}`
  return { text: JSON.stringify(isError ? { error: words } : { text: words }), isError }
}

function partText(part: z.infer<typeof partSchema>): string {
  const { type } = part
  if (type === 'text') return part.text ?? ''
  if (type === 'image' || type === 'audio') return described([type, part.mimeType, base64Size(part.data)])
  if (type === 'resource_link') return described(['link', part.name, part.uri, part.mimeType])
  if (type !== 'resource') return described([type])
  const { uri, mimeType, text, blob } = part.resource ?? {}
  const head = described([type, uri, mimeType, text === undefined ? base64Size(blob) : undefined])
  return text === undefined ? head : `${head}\n${text}`
}

/** `(image, image/png, 12 KB)` */
function described(words: readonly (string | undefined)[]): string {
  const known = words.filter((one) => one !== undefined).map((one) => oneLine(one).slice(0, WORD_MAX))
  return `(${known.join(', ')})`
}

function base64Size(data: string | undefined): string {
  return sizeText(Math.floor(((data ?? '').replace(/=+$/, '').length * 3) / 4))
}

function sizeText(bytes: number): string {
  return bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024).toLocaleString('en')} KB`
}

/** Cuts at the end of a character. */
function cutTo(bytes: number, text: string): string {
  if (text.length <= bytes / 3 || Buffer.byteLength(text) <= bytes) return text
  const cut = Buffer.from(text).subarray(0, bytes)
  return new TextDecoder('utf-8').decode(cut, { stream: true })
}
