import { NONE, type Columns } from '../contract/text-index.ts'
import { besideIn } from './around.ts'
import type { Embedder, Vectors } from '../contract/embedder.ts'
import { MEANING_AROUND } from './weights.ts'

export interface Meaning {
  readonly embedder: Embedder
  readonly vectors: Vectors
}

/** Similarity of documents to a question, with a small share from their neighbours. NaN without a vector. */
export function meaningOf(
  columns: Columns,
  { vectors, query }: { vectors: Pick<Vectors, 'cosines'>; query: Float32Array },
  documents: Uint32Array,
): Float32Array {
  const places = placesAround(columns, documents)
  const all = Uint32Array.from(new Set(places.filter((place) => place !== NONE))).toSorted()
  const values = vectors.cosines(query, all)
  const cosines = new Map<number, number>()
  for (let at = 0; at < all.length; at++) cosines.set(all[at] as number, values[at] as number)
  return Float32Array.from(documents, (_, at) => {
    let sum = 0
    for (let place = 0; place < SHARES.length; place++) {
      const cosine = cosines.get(places[at * SHARES.length + place] as number)
      if (place === 0) sum = cosine ?? Number.NaN
      else if (cosine !== undefined && !Number.isNaN(cosine)) sum += (SHARES[place] as number) * cosine
    }
    return sum
  })
}

/** Shares of the document itself and of the messages before and after it. */
const SHARES = [1, ...MEANING_AROUND, ...MEANING_AROUND]

/** For each document its number and those around it, in the order of `SHARES`; `NONE` where nothing counts. */
function placesAround(columns: Columns, documents: Uint32Array): Uint32Array {
  const places = new Uint32Array(documents.length * SHARES.length).fill(NONE)
  let place = 0
  for (let at = 0; at < documents.length; at++) {
    const document = documents[at] as number
    places[place++] = document
    for (let side = 0; side < 2; side++) {
      let other = document
      for (let step = 0; step < MEANING_AROUND.length; step++, place++) {
        if (other !== NONE) other = besideIn(columns, side === 0 ? columns.previous : columns.next, other)
        places[place] = other
      }
    }
  }
  return places
}

/** As shares of the largest; what is unknown or opposite in meaning is 0. */
export function sharesOf(values: Float32Array): Float32Array {
  const most = values.reduce((all, value) => (value > all ? value : all), 0)
  return values.map((value) => (value > 0 ? value / most : 0))
}
