/** The storage of vectors: two byte files per set, of which the first `count` documents are valid. */
export interface VectorStore {
  /** The current state; other processes write too. */
  state(): VectorState
  /**
   * Locks out other writers, creates a set if there is none, and stores the returned count once everything `add` wrote
   * is in the files. If `add` throws, the count stays.
   */
  append(add: (state: VectorState, files: VectorFiles) => number): void
  /** Null if they are gone. */
  files(set: number): VectorFiles | null
  /** Drops a set. */
  drop(set: number): void
  /** Deletes the files of other embedders and of dropped sets. */
  sweep(): void
  close(): void
}

export interface VectorState {
  /** The vectors of one embedder for one numbering of documents. 0: none yet. */
  readonly set: number
  readonly count: number
}

export interface VectorFiles {
  readonly rows: Bytes
  readonly signs: Bytes
}

/** A large byte array with random access. */
export interface Bytes {
  /** Reads into `into` from the offset `at`; returns the number of bytes read. */
  read(into: Uint8Array, at: number): number
  write(bytes: Uint8Array, at: number): void
  close(): void
}

/** In memory, for a home that cannot be written. */
export function memoryVectorStore(): VectorStore {
  let state: VectorState = { set: 0, count: 0 }
  let files: VectorFiles = { rows: memoryBytes(), signs: memoryBytes() }
  return {
    state: () => state,
    append(add) {
      const known = state.set === 0 ? { set: 1, count: 0 } : state
      state = { ...known, count: add(known, files) }
    },
    files: () => files,
    drop() {
      files = { rows: memoryBytes(), signs: memoryBytes() }
      state = { set: state.set + 1, count: 0 }
    },
    sweep: () => undefined,
    close: () => undefined,
  }
}

const PIECE_BYTES = 256 * 1024

/** In pieces: growing a single array would need twice the memory for a while. */
function memoryBytes(): Bytes {
  const pieces: Uint8Array[] = []
  const through = (length: number, at: number, work: (piece: Uint8Array, from: number) => void): void => {
    for (let done = 0; done < length;) {
      const number = Math.floor((at + done) / PIECE_BYTES)
      const start = (at + done) % PIECE_BYTES
      const end = Math.min(PIECE_BYTES, start + length - done)
      const piece = (pieces[number] ??= new Uint8Array(PIECE_BYTES))
      work(piece.subarray(start, end), done)
      done += end - start
    }
  }
  return {
    read(into, at) {
      through(into.length, at, (piece, from) => into.set(piece, from))
      return into.length
    },
    write(bytes, at) {
      through(bytes.length, at, (piece, from) => piece.set(bytes.subarray(from, from + piece.length)))
    },
    close: () => undefined,
  }
}
