/** An embedder cannot be used: its files, or the package that runs it. The message says what to do. */
export class EmbedderError extends Error {
  override readonly name = 'EmbedderError'
}
