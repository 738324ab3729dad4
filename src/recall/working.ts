import type { Log } from '../log/log.ts'
import { Follower } from './index/follower.ts'
import type { TextIndex } from './contract/text-index.ts'
import { Searcher } from './search/searcher.ts'
import type { Embedder, Vectors } from './contract/embedder.ts'
import { VectorFollower } from './vector/vector-follower.ts'

export interface Opened {
  readonly index: TextIndex
  /** Null: searches use words alone. */
  readonly meaning: { readonly embedder: Embedder; readonly vectors: Vectors } | null
  /** Whether its file was removed or replaced: then nobody else sees what is written to it. */
  readonly isGone?: () => boolean
}

/** Some 20 ms of work, which nobody who types notices. Larger batches are twice as fast when nobody types. */
const BATCH_DOCUMENTS = 256

/** An open index with the parts that bring the log into it and search it. */
export class Working {
  readonly vectors: VectorFollower | null
  readonly searcher: Searcher
  readonly index: TextIndex
  readonly isGone: () => boolean
  readonly #follower: Follower
  readonly #meaning: Opened['meaning']
  readonly #uses = new Set<Promise<unknown>>()
  isLeft = false

  constructor(log: Log, { index, meaning, isGone = () => false }: Opened) {
    this.#follower = new Follower({ log, index })
    this.vectors = meaning && new VectorFollower({ log, index, ...meaning })
    this.searcher = new Searcher({ log, index, meaning })
    this.index = index
    this.isGone = isGone
    this.#meaning = meaning
  }

  behind(): Promise<number> {
    return this.#follower.behind()
  }

  /** `beside`: in small batches, beside other work. */
  catchUp(how: 'beside' | 'alone', progress?: (done: number, all: number) => void): Promise<void> {
    const batches = how === 'beside' && { batchDocuments: BATCH_DOCUMENTS }
    return this.#follower.catchUp({ ...batches, ...(progress && { progress }) })
  }

  async use<T>(work: (working: Working) => Promise<T>): Promise<T> {
    const using = work(this)
    this.#uses.add(using)
    try {
      return await using
    } finally {
      this.#uses.delete(using)
    }
  }

  async close(): Promise<void> {
    this.isLeft = true
    await Promise.all([this.#follower.close(), this.vectors?.close()])
    await Promise.allSettled(this.#uses)
    this.#meaning?.vectors.close()
    this.index.close()
  }
}
