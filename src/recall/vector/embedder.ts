/** Makes vectors of texts, so that texts of one meaning lie near each other though they share no word. */
export interface Embedder {
  /** Changes whenever the same text would get another vector: vectors of two ids are never compared. */
  readonly id: string
  readonly dimensions: number
  /** Share of the words in a search; the rest is the vectors'. It belongs to the embedder: a weak one gets less. */
  readonly alpha: number
  /** How many texts at once are still quick; a caller that has none of its own takes hundreds. */
  readonly batchMax?: number
  /** Of unit length, or all zeros for a text without meaning to it. One for each text, in order. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
  /** How far a text's vector can be trusted, 0 to 1: a language it does not know gives little. */
  trust?(text: string): number
  /** Whether a word is one of its language, where it can tell. */
  readonly knows?: (word: string) => boolean
}
