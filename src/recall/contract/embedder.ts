/** Turns texts into vectors, so that texts of similar meaning are close even without a common word. */
export interface Embedder {
  /** Changes whenever the same text would get another vector: vectors of two ids are not compared. */
  readonly id: string
  /** The id of its last revision, if vectors of both can be compared: those serve until new ones are made. */
  readonly before?: string
  readonly dimensions: number
  /** Weight of words in a search; vectors get the rest. A weak embedder has a high alpha. */
  readonly alpha: number
  /** The largest batch that is still quick; hundreds if absent. */
  readonly batchMax?: number
  /** One vector per text, in order: of unit length, or all zeros for a text it finds no meaning in. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
  /** How far a text's vector can be trusted, 0 to 1: little for a language it does not know. */
  trust?(text: string): number
  /** Whether a word belongs to its language, if it can tell. */
  readonly knows?: (word: string) => boolean
  /** Ends the calls that are under way. */
  close?(): void
}

/** An embedder cannot be used: its file, or the server that runs it. The message says what to do. */
export class EmbedderError extends Error {
  override readonly name = 'EmbedderError'
  /** Set once a person knows of it. */
  isTold = false
}

/** The vectors of one embedder, by the number of their document. They follow the index, at most seconds behind. */
export interface Vectors {
  readonly embedder: string
  /** Number of documents, from the first, that have a vector. */
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
  /** Deletes the vectors of other embedders. */
  sweep?(): void
  close(): void
}
