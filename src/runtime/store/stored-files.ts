import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parsedJson } from '../../base/json.ts'
import { specialFile } from '../../base/regular-file.ts'
import { counted, firstOf } from '../../base/words.ts'
import type { Event } from '../../event/event.ts'
import type { KeptFile } from '../../event/file.ts'
import { fileStore, hashOf } from '../../file/file-store.ts'
import { ImportError, type Line } from './lines.ts'

/** Files that events name, by hash, with one of their names. */
export class NamedFiles extends Map<string, string> {
  take(event: Event): void {
    for (const { hash, name } of filesIn(event)) if (hash !== null) this.set(hash, name)
  }
}

function filesIn(event: Event): readonly KeptFile[] {
  if (event.kind === 'inbound-admitted' || event.kind === 'delivery-intended') return event.files ?? []
  return event.kind === 'message-added' && event.message.role === 'user' ? (event.message.files ?? []) : []
}

const PIECE_BYTES = 192 * 1024

/** The lines of an export that carry files, in pieces, after all events. A file that is gone has none. */
export async function* fileLines(home: string, named: NamedFiles): AsyncGenerator<string> {
  const store = fileStore(home)
  for (const hash of named.keys()) {
    const bytes = (await store.read(hash)) ?? Buffer.alloc(0)
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      yield `${JSON.stringify({ file: hash, data: bytes.toString('base64', at, at + PIECE_BYTES) })}\n`
  }
}

export function isFileLine({ text }: Pick<Line, 'text'>): boolean {
  return text.startsWith('{"file":')
}

/** No setting lets a larger file in. */
const FILE_BYTES_MAX = 100_000_000

/** Takes the files of an export into a home. Only those that its events name, and only with the right bytes. */
export class FileImport {
  readonly named = new NamedFiles()
  readonly #home: string
  readonly #made: string[] = []
  #open: { readonly hash: string; readonly line: Line; readonly pieces: Buffer[]; bytes: number } | undefined

  constructor(home: string) {
    this.#home = home
  }

  async take(line: Line): Promise<void> {
    const { file, data } = (parsedJson(line.text) ?? {}) as { file?: unknown; data?: unknown }
    if (typeof file !== 'string' || typeof data !== 'string')
      throw new ImportError(`line ${line.number}: a file has a hash and data`)
    if (!this.named.has(file)) throw new ImportError(`line ${line.number}: no event names the file ${file}`)
    if (file !== this.#open?.hash) {
      await this.finish()
      this.#open = { hash: file, line, pieces: [], bytes: 0 }
    }
    const piece = Buffer.from(data, 'base64')
    this.#open.pieces.push(piece)
    this.#open.bytes += piece.length
    if (this.#open.bytes > FILE_BYTES_MAX) throw new ImportError(`line ${line.number}: the file is too large`)
  }

  async finish(): Promise<void> {
    if (this.#open === undefined) return
    const { hash, line, pieces } = this.#open
    this.#open = undefined
    const bytes = Buffer.concat(pieces)
    if (hashOf(bytes) !== hash)
      throw new ImportError(`line ${line.number}: the file ${hash} has other bytes than its hash says`)
    const store = fileStore(this.#home)
    // What was there before is not ours to take away again.
    if ((await store.read(hash)) === undefined) this.#made.push(await store.keep(bytes))
  }

  /** After a failed import nothing is left of it. */
  undo(): void {
    for (const hash of this.#made) rmSync(fileStore(this.#home).pathOf(hash), { force: true })
  }
}

/** What the doctor says about files. One that was deleted is no damage: models are told that it is gone. */
export function filesFound(home: string, named: NamedFiles): { isDamaged: boolean; lines: string[] } {
  const folder = join(home, 'files')
  const there = new Set(namesIn(folder))
  const [kept, missing] = [[...named.keys()].filter((hash) => there.has(hash)), namesOf(named, there)]
  const changed = kept
    .filter((hash) => !isWhole(join(folder, hash), hash))
    .map((hash) => named.get(hash) ?? hash)
  const orphaned = [...there].filter((name) => !named.has(name))
  const lines = [
    ...(changed.length > 0
      ? [`${counted(changed.length, 'file')} changed or unreadable: ${firstOf(changed)}`]
      : []),
    ...(missing.length > 0 ? [`${counted(missing.length, 'file')} missing: ${firstOf(missing)}`] : []),
    ...(orphaned.length > 0
      ? [
          `${counted(orphaned.length, 'file')} that no message names, and that can be deleted: ${firstOf(orphaned)}`,
        ]
      : []),
  ]
  const sound = kept.length - changed.length
  if (sound > 0) lines.push(`${counted(sound, 'file')} of messages, as they came`)
  return { isDamaged: changed.length > 0, lines }
}

function namesOf(named: NamedFiles, there: ReadonlySet<string>): string[] {
  return [...named].filter(([hash]) => !there.has(hash)).map(([, name]) => name)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'))
  } catch {
    return []
  }
}

function isWhole(path: string, hash: string): boolean {
  try {
    return specialFile(path) === undefined && hashOf(readFileSync(path)) === hash
  } catch {
    return false
  }
}
