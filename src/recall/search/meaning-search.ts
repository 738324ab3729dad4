import { NONE, type Columns } from '../index/columns.ts'
import { isShort, stepFrom } from './chain.ts'
import type { Embedder } from '../vector/embedder.ts'
import type { Vectors } from '../vector/vectors.ts'
import { MEANING_AROUND } from './weights.ts'

export interface Meaning {
  readonly embedder: Embedder
  readonly vectors: Vectors
}

/** How near documents are to a question by meaning: what was said around them counts a little. NaN: not known yet. */
export function meaningOf(
  columns: Columns,
  { vectors, query }: { vectors: Pick<Vectors, 'cosines'>; query: Float32Array },
  documents: Uint32Array,
): Float32Array {
  const wanted = new Set<number>(documents)
  for (const document of documents) eachAround(columns, document, (other) => wanted.add(other))
  const all = Uint32Array.from(wanted).toSorted()
  const values = vectors.cosines(query, all)
  const cosines = new Map<number, number>()
  for (const [at, document] of all.entries()) cosines.set(document, values[at] as number)
  return Float32Array.from(documents, (document) => {
    let sum = cosines.get(document) as number
    eachAround(columns, document, (other, share) => {
      const cosine = cosines.get(other) as number
      if (!Number.isNaN(cosine)) sum += share * cosine
    })
    return sum
  })
}

function eachAround(columns: Columns, document: number, take: (other: number, share: number) => void): void {
  for (const way of [columns.previous, columns.next]) {
    let other = document
    for (const share of MEANING_AROUND) {
      other = stepFrom(columns, way, other)
      if (other === NONE) break
      if (isShort(columns, other)) take(other, share)
    }
  }
}

/** Brought to 0 to 1 among themselves; what is not known counts as the least. */
export function normalised(values: Float32Array): Float32Array {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (Number.isNaN(value)) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return values.map((value) => {
    if (Number.isNaN(value)) return 0
    return high === low ? 1 : (value - low) / (high - low)
  })
}
