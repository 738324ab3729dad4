/** The vectors of one embedder, by the number of their document. They follow the index, at most seconds behind. */
export interface Vectors {
  readonly embedder: string
  /** So many documents, from the first, have their vector. */
  readonly count: number
  /**
   * Adds the vectors of the documents from `from` on, which is `count` unless it is given: all of them or none. Another
   * process may add too: what it has added already is left out, and after a gap nothing is added.
   */
  add(vectors: readonly Float32Array[], from?: number): void
  /** Cosine with each of these documents; NaN for one that has no vector yet. */
  cosines(query: Float32Array, documents: Uint32Array): Float32Array
  /** The documents nearest to the query by a rough measure, the nearest first, among those that `mayBe` allows. */
  nearest(query: Float32Array, limit: number, mayBe: (document: number) => boolean): Uint32Array
  /** Takes away what other embedders left behind. */
  sweep?(): void
  close(): void
}
