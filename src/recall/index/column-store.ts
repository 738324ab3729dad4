import { KIND_MASK, NONE, type Columns } from './columns.ts'
import { documentKinds } from '../document.ts'

/** What is stored of a document; `next` follows from `previous`. */
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
type Stored = (typeof STORED)[number]
export type DocumentRow = Readonly<Record<Stored, number>>

const SUMMARY = documentKinds.indexOf('summary')
const CAPACITY_MIN = 1_024
const BYTES_PER_DOCUMENT = STORED.length * 4 - 3

/** Columns in memory, growing by doubling. Arrays that were handed out keep what they show. */
export class ColumnStore implements Columns {
  count = 0
  position = new Uint32Array(CAPACITY_MIN)
  part = new Uint8Array(CAPACITY_MIN)
  at = new Uint32Array(CAPACITY_MIN)
  branch = new Uint32Array(CAPACITY_MIN)
  speaker = new Uint32Array(CAPACITY_MIN)
  words = new Uint32Array(CAPACITY_MIN)
  flags = new Uint32Array(CAPACITY_MIN)
  session = new Uint32Array(CAPACITY_MIN)
  previous = new Uint32Array(CAPACITY_MIN)
  next = new Uint32Array(CAPACITY_MIN)
  /** By number of the branch: its newest message. Summaries are no part of the talk. */
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

  /** Puts what `bytes` made of the documents from `from` on behind it; false where these bytes cannot be right. */
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

  /** Makes the documents from `from` to `to` part of it. */
  #link(from: number, to: number): boolean {
    for (let document = from; document < to; document++) {
      this.next[document] = NONE
      const previous = this.previous[document] as number
      if ((previous !== NONE && previous >= document) || (this.session[document] as number) > document)
        return false
      if (previous !== NONE) this.next[previous] = document
      if (((this.flags[document] as number) & KIND_MASK) !== SUMMARY) {
        this.newest[this.branch[document] as number] = document
      }
    }
    this.count = Math.max(this.count, to)
    return true
  }

  /** Makes room for so many documents. */
  reserve(count: number): void {
    if (count <= this.position.length) return
    let capacity = this.position.length
    while (capacity < count) capacity *= 2
    for (const name of [...STORED, 'next'] as const) {
      if (name === 'part') this.part = grown(this.part, new Uint8Array(capacity))
      else this[name] = grown(this[name], new Uint32Array(capacity))
    }
  }
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
