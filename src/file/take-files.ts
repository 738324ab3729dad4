import { basename, dirname, join, sep } from 'node:path'
import { messageOf } from '../base/message-of.ts'
import { readBytes, realPath } from '../base/regular-file.ts'
import { bytesText, counted, cutText } from '../base/words.ts'
import type { Arrival, ArrivingFile } from '../channel/channel.ts'
import { plainName } from '../event/fence.ts'
import type { KeptFile } from '../event/file.ts'
import { readableOf } from '../tool/web/readable.ts'
import { contentTypeOf, endingOf } from './content-type.ts'
import type { FileStore } from './file-store.ts'
import { textOfPdf } from './pdf.ts'
import type { Transcriber } from './transcriber.ts'

export interface FileDesk {
  readonly store: FileStore
  readonly limits: () => { readonly bytesMax: number; readonly charsMax: number }
  /** Undefined: none is configured. */
  readonly transcriber: () => Transcriber | undefined
}

/** More in one message are only counted. */
const FILES_MAX = 20
const FETCH_MS_MAX = 120_000
const READ_MS_MAX = 20_000

/**
 * Downloads, stores and reads files of a message whose sender is known. It never rejects: a file that could not be kept
 * is named with the reason, and the message itself arrives in any case.
 */
export async function takeFiles(
  desk: FileDesk,
  { files = [], passedOn: words = [], isForwarded }: Pick<Arrival, 'files' | 'passedOn' | 'isForwarded'>,
  signal: AbortSignal,
): Promise<readonly KeptFile[]> {
  const { charsMax } = desk.limits()
  const taken = words.slice(0, FILES_MAX).map((word) => passedOn(word, charsMax))
  // One after the other: together they could fill the memory.
  for (const file of files.slice(0, FILES_MAX)) {
    // What somebody else recorded is data, like a document.
    const kind = isForwarded && file.kind === 'voice' ? 'document' : file.kind
    taken.push(await takeFile(desk, { ...file, kind, fetch: file.fetch.bind(file) }, signal))
  }
  const more = files.length - FILES_MAX
  if (more > 0) taken.push(lost('document', `${more} more`, `only ${FILES_MAX} files of a message are kept`))
  return taken
}

/** What the sender passed on, such as a contact or a forwarded message. */
function passedOn({ name, text }: NonNullable<Arrival['passedOn']>[number], charsMax: number): KeptFile {
  const bytes = Buffer.byteLength(text)
  return {
    kind: 'words',
    name: plainName(name),
    hash: null,
    mime: 'text/plain',
    bytes,
    ...bounded({ text }, charsMax),
  }
}

/** A file of the owner's own machine. Of the home around the workspace, only what is no secret (RIGHT1). */
export function fileAt(path: string, workspace: string): ArrivingFile {
  const fetch: ArrivingFile['fetch'] = async (_, bytesMax) => {
    const real = realPath(path)
    const home = dirname(workspace)
    const free = [workspace, join(home, 'files')].map((folder) => realPath(folder))
    if (isIn(realPath(home), real) && !free.some((folder) => isIn(folder, real)))
      throw new Error("it is Mainstem's own; of its home, only files in workspace and files are sent")
    // The path that was judged, so that a link that is swapped meanwhile leads nowhere else.
    const read = readBytes(real, { bytesMax, links: 'refuse' })
    if ('problem' in read) throw new Error(`it ${read.problem}`)
    return read.bytes
  }
  return { kind: 'document', name: basename(path), size: null, fetch }
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`)
}

async function takeFile(desk: FileDesk, arriving: ArrivingFile, signal: AbortSignal): Promise<KeptFile> {
  const { kind, size } = arriving
  const { bytesMax } = desk.limits()
  const name = fileName(arriving.name)
  const tooLarge = `Not kept: it is larger than the limit of ${bytesText(bytesMax)} (attachments.maxBytes).`
  const refused = (note: string): KeptFile => lost(kind, name ?? UNNAMED[kind], note)
  if (size !== null && size > bytesMax) return refused(tooLarge)
  try {
    const over = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS_MAX)])
    const bytes = await arriving.fetch(over, bytesMax)
    if (bytes.length > bytesMax) return refused(tooLarge)
    if (bytes.length === 0) return refused('Not kept: it is empty.')
    return await keepAndRead(desk, { kind, name, bytes }, signal)
  } catch (error) {
    return refused(`Not kept: ${cutText(oneLine(messageOf(error)), REASON_MAX)}.`)
  }
}

const REASON_MAX = 200
const UNNAMED = { image: 'image', voice: 'voice', document: 'file', words: 'words' } as const

function lost(kind: KeptFile['kind'], name: string, note: string): KeptFile {
  return { kind, name, hash: null, mime: 'application/octet-stream', bytes: 0, note }
}

/** Without folders, and harmless in the words of the host around it. */
function fileName(name: string | null): string | undefined {
  const last =
    oneLine(name ?? '')
      .split(/[/\\]/)
      .at(-1) ?? ''
  const plain = plainName(last)
  return plain === '' ? undefined : plain
}

function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/[\s\p{C}\p{Default_Ignorable_Code_Point}]+/gu, ' ')
}

interface Fetched {
  readonly kind: KeptFile['kind']
  readonly name: string | undefined
  readonly bytes: Uint8Array
}

async function keepAndRead(desk: FileDesk, fetched: Fetched, signal: AbortSignal): Promise<KeptFile> {
  const kept = await keepFile(desk.store, fetched)
  if (kept.kind === 'image') return kept
  const read = await readIn(desk, kept, { bytes: fetched.bytes, signal })
  return { ...kept, ...bounded(read, desk.limits().charsMax) }
}

/** Stores a file without reading what it says. */
export async function keepFile(store: FileStore, { kind, name, bytes }: Fetched) {
  const type = contentTypeOf(bytes)
  const hash = await store.keep(bytes)
  const isSpoken = kind === 'voice' && isAudio(type.mime)
  const found = type.mime.startsWith('image/') ? 'image' : isSpoken ? 'voice' : 'document'
  const title = name ?? `${UNNAMED[found]}.${endingOf(type.mime)}`
  return { kind: found, name: title, hash, bytes: bytes.length, ...type } as const
}

type Read = { readonly text: string } | { readonly problem: string }

function isAudio(mime: string): boolean {
  return mime.startsWith('audio/')
}

async function readIn(
  desk: FileDesk,
  { kind, mime, hash }: Pick<KeptFile, 'kind' | 'mime'> & { readonly hash: string },
  { bytes, signal }: { bytes: Uint8Array; signal: AbortSignal },
): Promise<Read> {
  if (isAudio(mime)) {
    const what = kind === 'voice' ? 'The voice note could not be heard' : 'It could not be transcribed'
    const transcriber = desk.transcriber()
    if (transcriber === undefined)
      return { problem: `${what}: no transcriber is configured (transcriber.url or transcriber.program).` }
    try {
      const text = await transcriber.transcribe({ path: desk.store.pathOf(hash), bytes, mime }, signal)
      return text.trim() === '' ? { problem: 'It has no words.' } : { text }
    } catch (error) {
      return { problem: `${what}: ${cutText(oneLine(messageOf(error)), REASON_MAX)}.` }
    }
  }
  const timeoutMs = READ_MS_MAX
  if (mime === 'application/pdf') {
    const found = await textOfPdf(bytes, { charsMax: desk.limits().charsMax, timeoutMs, signal })
    if ('problem' in found) return { problem: `Its text could not be read: ${found.problem}.` }
    return found.text.trim() === '' ? { problem: 'It has no text; perhaps its pages are pictures.' } : found
  }
  const { text, problem } = await readableOf({ contentType: mime, bytes }, { signal, timeoutMs })
  if (problem !== undefined) return { problem: `Its text could not be read: ${problem}.` }
  return text === undefined ? { problem: `Its content (${mime}) cannot be read as text.` } : { text }
}

function bounded(read: Read, charsMax: number): Pick<KeptFile, 'text' | 'note'> {
  if ('problem' in read) return { note: read.problem }
  const text = read.text
    .replaceAll(/[^\P{Cc}\t\n]/gu, '')
    .trim()
    .toWellFormed()
  if (text === '') return { note: 'It has no text.' }
  if (text.length <= charsMax) return { text }
  const note = `Cut: the first ${counted(charsMax, 'character')} are shown.`
  return { text: text.slice(0, charsMax).toWellFormed(), note }
}
