import { KIND_MASK, NONE, type Columns } from '../contract/text-index.ts'
import { documentKinds, isTalk } from '../contract/document.ts'

/** The stored columns; `next` is computed from `previous`. */
const STORED = [
  'position',
  'at',
  'branch',
  'speaker',
  'words',
  'flags',
  'session',
  'previous',
  'part',
] as const
export type DocumentRow = Readonly<Record<(typeof STORED)[number], number>>

const CAPACITY_MIN = 1_024
/** Spare capacity: an index of a million grows by a hundred thousand documents before anything is copied. */
const SPARE = 1.125
/** Position, time, branch, speaker, session and previous have four each, words two, flags and part one. */
const BYTES_PER_DOCUMENT = 6 * 4 + 2 + 2
export const WORDS_MAX = 0xffff

/** Columns in memory, growing by an eighth. Arrays that were handed out keep their content. */
export class ColumnStore implements Columns {
  count = 0
  position = new Uint32Array(CAPACITY_MIN)
  part = new Uint8Array(CAPACITY_MIN)
  at = new Uint32Array(CAPACITY_MIN)
  branch = new Uint32Array(CAPACITY_MIN)
  speaker = new Uint32Array(CAPACITY_MIN)
  words = new Uint16Array(CAPACITY_MIN)
  flags = new Uint8Array(CAPACITY_MIN)
  session = new Uint32Array(CAPACITY_MIN)
  previous = new Uint32Array(CAPACITY_MIN)
  next = new Uint32Array(CAPACITY_MIN)
  /** The newest message of each branch, by branch number. */
  readonly newest: (number | undefined)[] = []

  push(row: DocumentRow): void {
    this.reserve(this.count + 1)
    for (const name of STORED) this[name][this.count] = row[name]
    this.#link(this.count, this.count + 1)
  }

  /** The documents from `from` up to `to` as bytes, one column after the other. */
  bytes(from: number, to: number): Uint8Array {
    const bytes = new Uint8Array((to - from) * BYTES_PER_DOCUMENT)
    let at = 0
    for (const name of STORED) {
      const column = this[name].subarray(from, to)
      bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at)
      at += column.byteLength
    }
    return bytes
  }

  /** Loads the documents from `from` on from the result of `bytes`; false: the bytes cannot be right. */
  load(from: number, bytes: Uint8Array): boolean {
    const count = bytes.byteLength / BYTES_PER_DOCUMENT
    if (from > this.count || !Number.isInteger(count)) return false
    this.reserve(from + count)
    let at = 0
    for (const name of STORED) {
      const column = this[name].subarray(from, from + count)
      const target = new Uint8Array(column.buffer, column.byteOffset, column.byteLength)
      target.set(bytes.subarray(at, at + column.byteLength))
      at += column.byteLength
    }
    return this.#link(from, from + count)
  }

  /** Links the documents from `from` to `to` to those before them. */
  #link(from: number, to: number): boolean {
    for (let document = from; document < to; document++) {
      this.next[document] = NONE
      const previous = this.previous[document] as number
      if ((previous !== NONE && previous >= document) || (this.session[document] as number) > document)
        return false
      if (previous !== NONE) this.next[previous] = document
      const kind = documentKinds[(this.flags[document] as number) & KIND_MASK]
      if (kind === undefined || isTalk(kind)) this.newest[this.branch[document] as number] = document
    }
    this.count = Math.max(this.count, to)
    return true
  }

  /** Makes room for this many documents. */
  reserve(count: number): void {
    if (count <= this.position.length) return
    const capacity = Math.max(CAPACITY_MIN, Math.ceil(count * SPARE))
    for (const name of ['position', 'at', 'branch', 'speaker', 'session', 'previous', 'next'] as const)
      this[name] = grown(this[name], new Uint32Array(capacity))
    for (const name of ['part', 'flags'] as const) this[name] = grown(this[name], new Uint8Array(capacity))
    this.words = grown(this.words, new Uint16Array(capacity))
  }
}

function grown<T extends Uint8Array | Uint16Array | Uint32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
