import type { Postings } from '../contract/text-index.ts'

/** What a `PostingsWriter` made, pieces of several batches behind each other. */
export interface ChunkPostings {
  /** Number of the chunk's first document. */
  readonly base: number
  readonly documents: number
  readonly bytes: Uint8Array
}

/** Reads chunks into arrays, without documents from `end` on. Whatever the bytes are, it neither throws nor hangs. */
export function readPostings(chunks: readonly ChunkPostings[], end: number): Postings {
  const room = chunks.reduce((sum, { documents }) => sum + documents, 0)
  const documents = new Uint32Array(room)
  const counts = new Uint8Array(room)
  let filled = 0
  for (const { base, bytes } of chunks) {
    let last = base - 1
    for (let at = 0; at < bytes.length && filled < room;) {
      let number = bytes[at++] as number
      if (number === 0) {
        last = base - 1
        continue
      }
      if (number > 127) {
        number &= 127
        for (let shift = 7, more = 128; more > 127; shift += 7) {
          more = bytes[at++] ?? 0
          number |= (more & 127) << shift
        }
      }
      last += number >>> 1
      if (last >= end || last < base) break
      documents[filled] = last
      counts[filled++] = (number & 1) === 1 ? (bytes[at++] ?? 1) : 1
    }
  }
  return filled === room
    ? { documents, counts }
    : { documents: documents.slice(0, filled), counts: counts.slice(0, filled) }
}

/** What `head` has before the document `from`, and then all of `rest`, which begins there. */
export function joinPostings(head: Postings, from: number, rest: Postings): Postings {
  let kept = head.documents.length
  while (kept > 0 && (head.documents[kept - 1] as number) >= from) kept--
  const documents = new Uint32Array(kept + rest.documents.length)
  documents.set(head.documents.subarray(0, kept))
  documents.set(rest.documents, kept)
  const counts = new Uint8Array(documents.length)
  counts.set(head.counts.subarray(0, kept))
  counts.set(rest.counts, kept)
  return { documents, counts }
}
