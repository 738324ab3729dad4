import type { Log } from '../log/log.ts'
import { Follower } from './index/follower.ts'
import type { TextIndex } from './contract/text-index.ts'
import { Searcher } from './search/searcher.ts'
import type { Embedder, Vectors } from './contract/embedder.ts'
import { VectorFollower } from './vector/vector-follower.ts'

export interface Opened {
  readonly index: TextIndex
  /** Null: searches go by words alone. */
  readonly meaning: { readonly embedder: Embedder; readonly vectors: Vectors } | null
  /** Whether its file was taken away or replaced: nobody else sees then what is written to it. */
  readonly isGone?: () => boolean
}

/** Some 20 ms of work: who types meanwhile notices nothing. Larger ones are twice as fast, where nobody types. */
const BATCH_DOCUMENTS = 256

/** An index at work, with what follows the log into it. */
export class Working {
  readonly vectors: VectorFollower | null
  readonly searcher: Searcher
  readonly index: TextIndex
  readonly isGone: () => boolean
  /** In small steps, beside everything else, and in large ones. */
  readonly #followers: Readonly<Record<'beside' | 'alone', Follower>>
  readonly #meaning: Opened['meaning']
  #last: Promise<void> = Promise.resolve()
  readonly #uses = new Set<Promise<unknown>>()
  isLeft = false

  constructor(log: Log, { index, meaning, isGone = () => false }: Opened) {
    const beside = new Follower({ log, index, batchDocuments: BATCH_DOCUMENTS })
    this.#followers = { beside, alone: new Follower({ log, index }) }
    this.vectors = meaning && new VectorFollower({ log, index, ...meaning })
    this.searcher = new Searcher({ log, index, meaning })
    this.index = index
    this.isGone = isGone
    this.#meaning = meaning
  }

  behind(): Promise<number> {
    return this.#followers.beside.behind()
  }

  /** One after the other: two at once would read the same twice. */
  catchUp(how: 'beside' | 'alone', progress?: (done: number, all: number) => void): Promise<void> {
    const mine = this.#last.then(() => this.#followers[how].catchUp(progress ? { progress } : {}))
    this.#last = mine.catch(() => undefined)
    return mine
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
    const { beside, alone } = this.#followers
    await Promise.all([beside.close(), alone.close(), this.vectors?.close()])
    await Promise.allSettled(this.#uses)
    this.#meaning?.vectors.close()
    this.index.close()
  }
}
