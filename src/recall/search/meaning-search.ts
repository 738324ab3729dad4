import { NONE, type Columns } from '../index/columns.ts'
import type { Embedder } from '../vector/embedder.ts'
import type { Vectors } from '../vector/vectors.ts'
import { MEANING_AROUND, NEIGHBOUR_WORDS_MAX } from './weights.ts'

export interface Meaning {
  readonly embedder: Embedder
  readonly vectors: Vectors
}

/** How near documents are to a question by meaning: what was said around them counts a little. NaN: not known yet. */
export function meaningOf(
  columns: Columns,
  { vectors, query }: { vectors: Vectors; query: Float32Array },
  documents: Uint32Array,
): Float32Array {
  const around =
    documents.length === 0 ? [] : Array.from(documents, (document) => neighbours(columns, document))
  const all = Uint32Array.from(
    new Set([...documents, ...around.flatMap((some) => some.map(({ other }) => other))]),
  ).toSorted()
  const cosines = new Map<number, number>()
  const values = vectors.cosines(query, all)
  for (const [at, document] of all.entries()) cosines.set(document, values[at] as number)
  return Float32Array.from(documents, (document, at) => {
    let sum = cosines.get(document) ?? Number.NaN
    for (const { other, share } of around[at] ?? []) {
      const cosine = cosines.get(other) ?? Number.NaN
      if (!Number.isNaN(cosine)) sum += share * cosine
    }
    return sum
  })
}

function neighbours(columns: Columns, document: number): { other: number; share: number }[] {
  const found: { other: number; share: number }[] = []
  for (const next of [columns.previous, columns.next]) {
    let other = document
    for (const share of MEANING_AROUND) {
      other = next[other] as number
      // A long reply lies between what was said before it and after it without parting them.
      if (other !== NONE && (columns.words[other] as number) > NEIGHBOUR_WORDS_MAX)
        other = next[other] as number
      if (other === NONE) break
      found.push({ other, share })
    }
  }
  return found
}

/** Brought to 0 to 1 among themselves; what is not known counts as the least. */
export function normalised(values: Float32Array): Float32Array {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (Number.isNaN(value)) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return values.map((value) => (Number.isNaN(value) || high <= low ? 0 : (value - low) / (high - low)))
}
