import { z } from 'zod'
import { bytesText } from '../base/words.ts'
import { enclose } from './fence.ts'
import { columnWord, count, hashSchema, word } from './fields.ts'

/** A file that came or went with a message. Its bytes are in the folder `files` of the home, by their hash. */
export const fileSchema = z.strictObject({
  /** `voice`: words that the sender recorded themselves. `words`: only a text, which somebody else wrote. */
  kind: z.enum(['image', 'voice', 'document', 'words']),
  name: columnWord,
  /** SHA-256 of its bytes. Null: they were not kept, and `note` says why. */
  hash: hashSchema.nullable(),
  /** By its content, never by its name. */
  mime: word,
  bytes: count,
  /** In pixels, for an image. */
  width: count.exactOptional(),
  height: count.exactOptional(),
  /** The text inside: extracted from a document, or transcribed. */
  text: word.exactOptional(),
  /** What a reader should know: that the text is cut, or why there is none. */
  note: word.exactOptional(),
})
export const filesSchema = z.array(fileSchema).min(1)

export type KeptFile = Readonly<z.infer<typeof fileSchema>>

/** `[image photo.jpg, 120 kB]`, `[forwarded from Ana]` */
export function fileLabel({ kind, name, bytes, hash }: KeptFile): string {
  if (kind === 'words') return `[${name}]`
  const what = kind === 'voice' ? 'voice note' : kind
  return `[${what} ${name}${hash === null ? '' : `, ${bytesText(bytes)}`}]`
}

/** A file as a model reads it. A document's text is data (SAFE2); a voice note's is what the person says. */
export function fileText(file: KeptFile): string {
  const { kind, name, text, note } = file
  const inside =
    text === undefined || kind === 'voice'
      ? text
      : enclose(kind === 'words' ? 'message' : `file:${name}`, text)
  return [fileLabel(file), inside, note && `(${note})`].filter((part) => part !== undefined).join('\n')
}

interface WithFiles {
  readonly text: string
  readonly files?: readonly KeptFile[]
}

/** What a person sees of a message: a line for each file, and the text. */
export function shownWith({ text, files = [] }: WithFiles): string {
  return joined([...files.map(shownFile), text])
}

/** The same where files are shown beside it: what was passed on, and the text. */
export function shownBeside({ text, files = [] }: WithFiles): string {
  return joined([...files.filter(isWords).map(shownFile), text])
}

export function isWords({ kind }: Pick<KeptFile, 'kind'>): boolean {
  return kind === 'words'
}

function shownFile(file: KeptFile): string {
  return isWords(file) ? joined([fileLabel(file), file.text ?? '']) : fileLabel(file)
}

/** What a person sees of a message to them where files cannot be shown: where each of them is. */
export function sentWith({ text, files = [] }: WithFiles): string {
  return joined([text, ...files.map((file) => `${fileLabel(file)} ${file.note ?? ''}`.trimEnd())])
}

/** What a person said, typed or recorded. */
export function saidWith({ text, files = [] }: WithFiles): string {
  return joined([...files.map((file) => (file.kind === 'voice' ? (file.text ?? '') : '')), text])
}

/** Everything by which a message can be found: names and texts of its files too. */
export function foundBy({ text, files = [] }: WithFiles): string {
  return joined([text, ...files.flatMap((file) => [file.name, file.text ?? ''])])
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}

/** Rule of thumb of the providers: about 750 pixels a token, and no more than an image of 1.2 megapixels. */
export function imageTokens({ width, height }: Pick<KeptFile, 'width' | 'height'>): number {
  return width === undefined || height === undefined
    ? IMAGE_TOKENS_MAX
    : Math.min(IMAGE_TOKENS_MAX, Math.ceil((width * height) / PIXELS_PER_TOKEN))
}

const IMAGE_TOKENS_MAX = 1_600
const PIXELS_PER_TOKEN = 750
