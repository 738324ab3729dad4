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

/** Reserves addresses, not memory: growing a plain array would need twice the memory for a while. */
const BYTES_MAX = 2 ** 32

function memoryBytes(): Bytes {
  const bytes = new Uint8Array(new ArrayBuffer(0, { maxByteLength: BYTES_MAX }))
  const reserve = (end: number): void => {
    if (end > bytes.buffer.byteLength) bytes.buffer.resize(end)
  }
  return {
    read(into, at) {
      reserve(at + into.length)
      into.set(bytes.subarray(at, at + into.length))
      return into.length
    },
    write(more, at) {
      reserve(at + more.length)
      bytes.set(more, at)
    },
    close: () => undefined,
  }
}
