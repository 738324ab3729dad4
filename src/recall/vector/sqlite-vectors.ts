import { assert } from '../../base/assert.ts'
import { DOCUMENTS_VERSION } from '../contract/document.ts'
import type { Embedder, Vectors } from '../contract/embedder.ts'
import { toIndexError } from '../contract/index-error.ts'
import { nearestSigns, type Signs } from './sign-scan.ts'
import type { TextIndex } from '../contract/text-index.ts'
import { fileVectorStore } from './vector-file.ts'
import { packRows, type RowLayout, rowLayout, rowView, signsOf, signsOfRows, unit } from './vector-rows.ts'
import { memoryVectorStore, type VectorStore } from './vector-store.ts'

export interface VectorsOptions {
  /** The place of the index: the vectors are in separate files beside it, so that each can be rebuilt alone. */
  readonly place: { readonly file: string } | 'memory'
  readonly embedder: Pick<Embedder, 'id' | 'dimensions' | 'before'>
  /** The current log positions of documents. */
  readonly places: () => DocumentPlaces
  /** It stands in for another embedder, whose vectors are kept for when that can be used again. */
  readonly isStandIn?: boolean
}

/**
 * A number for a document's place in the log; undefined if the index does not have it. It is stored with each vector:
 * if document numbers change their meaning, the vectors are dropped.
 */
type DocumentPlaces = (document: number) => number | undefined

const PARTS = 256

/** The places of the documents of an index. */
export function documentPlaces(index: Pick<TextIndex, 'columns'>): () => DocumentPlaces {
  return () => {
    const { count, position, part } = index.columns
    return (document) =>
      document < count
        ? (Math.imul(position[document] as number, PARTS) + (part[document] as number)) >>> 0
        : undefined
  }
}

/** The vectors' file for an index file; all files of an index share its prefix. */
export function vectorsFile(indexFile: string): string {
  return `${indexFile.replace(/\.db$/, '')}-vectors.db`
}

/** Damaged or outdated vectors are dropped; the follower makes them again. */
export function openVectors({ place, embedder, places, isStandIn = false }: VectorsOptions): Vectors {
  const file = place === 'memory' ? null : vectorsFile(place.file)
  const shown = file ?? 'in memory'
  const layout = rowLayout(embedder.dimensions)
  const open = (id: string): VectorSet =>
    translated(shown, () => {
      const name = `${id}/${embedder.dimensions}/${DOCUMENTS_VERSION}`
      const opened = file === null ? memoryVectorStore() : fileVectorStore(file, name)
      return { store: opened, signs: signMemory(opened, layout) }
    })
  const own = open(embedder.id)
  const { store } = own
  let before = embedder.before === undefined || file === null ? null : open(embedder.before)
  /** The last revision's vectors, while it has more. */
  const readable = (): VectorSet => {
    if (before === null || before.store.state().count > store.state().count) return before ?? own
    before.store.close()
    before = null
    return own
  }
  return {
    embedder: embedder.id,
    get count() {
      return translated(shown, () => store.state().count)
    },
    add(vectors, from) {
      for (const { length } of vectors)
        assert(length === embedder.dimensions, 'a vector has the dimensions of its embedder')
      translated(shown, () =>
        store.append(({ count }, files) => {
          const first = from ?? count
          if (first > count) return count
          const fresh = vectors.slice(count - first)
          const placeOf = places()
          const placed = fresh.map((vector, at) => ({ vector, place: placeOf(count + at) ?? 0 }))
          const rows = packRows(layout, placed)
          files.rows.write(rows, count * layout.rowBytes)
          files.signs.write(new Uint8Array(signsOfRows(layout, rows).buffer), count * layout.signWords * 4)
          return count + fresh.length
        }),
      )
    },
    cosines: (query, documents) =>
      translated(shown, () => cosines({ ...readable(), layout, placeOf: places() }, query, documents)),
    nearest(query, limit, mayBe) {
      if (query.every((value) => value === 0)) return new Uint32Array()
      const known = translated(shown, () => readable().signs.upToNow())
      return nearestSigns(known, { query: signsOf(layout, query), limit, mayBe })
    },
    ...(!isStandIn && { sweep: () => translated(shown, () => store.sweep()) }),
    close() {
      before?.store.close()
      store.close()
    },
  }
}

/** The vectors of one embedder, with their signs in memory. */
interface VectorSet {
  readonly store: VectorStore
  readonly signs: { upToNow(): Signs }
}

/** Rows read at once for nearby documents: one read costs more than a few extra rows. */
const ROWS_AT_ONCE = 32
const GAP_MAX = 8

/** Reads ascending documents together. */
function cosines(
  { store, layout, placeOf }: { store: VectorStore; layout: RowLayout; placeOf: DocumentPlaces },
  query: Float32Array,
  documents: Uint32Array,
): Float32Array {
  const cosines = new Float32Array(documents.length).fill(Number.NaN)
  const { set, count } = store.state()
  if (count === 0) return cosines
  const rows = store.files(set)?.rows
  const asked = unit(query)
  const view = rowView(layout, ROWS_AT_ONCE)
  for (let at = 0; at < documents.length;) {
    const first = documents[at] as number
    const end = Math.min(count, runEnd(documents, at))
    const into = view.bytes.subarray(0, Math.max(0, end - first) * layout.rowBytes)
    const isThere = into.length === 0 || rows?.read(into, first * layout.rowBytes) === into.length
    do {
      const document = documents[at] as number
      const place = document < count ? placeOf(document) : undefined
      if (place !== undefined) {
        if (!isThere || view.place(document - first) !== place) {
          // A vector of another document, or a lost one: none of them can be trusted.
          store.drop(set)
          return cosines.fill(Number.NaN)
        }
        cosines[at] = view.cosine(document - first, asked)
      }
      at++
    } while (at < documents.length && (documents[at] as number) >= first && (documents[at] as number) < end)
  }
  return cosines
}

/** After the last document that is read together with this one. */
function runEnd(documents: Uint32Array, from: number): number {
  const first = documents[from] as number
  let last = first
  for (let at = from + 1; at < documents.length; at++) {
    const next = documents[at] as number
    if (next < last || next - last > GAP_MAX || next - first >= ROWS_AT_ONCE) break
    last = next
  }
  return last + 1
}

function translated<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { errcode, syscall } = (error ?? {}) as { errcode?: unknown; syscall?: unknown }
    if (errcode === undefined && syscall === undefined) throw error
    throw toIndexError(place, error)
  }
}

const BLOCK_DOCUMENTS = 16_384

/** The signs of all documents in memory: read at the first scan, extended as any process adds documents. */
function signMemory(store: VectorStore, { signWords }: RowLayout): VectorSet['signs'] {
  const rowBytes = 4 * signWords
  const blocks: Uint32Array[] = []
  let [set, loaded] = [0, 0]
  return {
    upToNow() {
      const now = store.state()
      if (now.set !== set || now.count < loaded) {
        blocks.length = 0
        loaded = 0
        set = now.set
      }
      const files = loaded < now.count ? store.files(set) : null
      while (loaded < now.count) {
        if (files === null) break
        const number = Math.floor(loaded / BLOCK_DOCUMENTS)
        const block = (blocks[number] ??= new Uint32Array(BLOCK_DOCUMENTS * signWords))
        const end = Math.min(now.count, (number + 1) * BLOCK_DOCUMENTS)
        const from = loaded - number * BLOCK_DOCUMENTS
        const into = new Uint8Array(block.buffer, from * rowBytes, (end - loaded) * rowBytes)
        // Unreadable signs stay zero: a rough search misses those documents, an exact one does not.
        files.signs.read(into, loaded * rowBytes)
        loaded = end
      }
      return { blocks, count: loaded, blockDocuments: BLOCK_DOCUMENTS, words: signWords }
    },
  }
}
