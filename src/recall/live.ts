import { LogError, type Log } from '../log/log.ts'
import type { Embedder } from './vector/embedder.ts'
import { Follower } from './index/follower.ts'
import { peopleByBranch } from './search/people.ts'
import type { Found, People, Recall, RecallWeights, Search } from './recall.ts'
import { Searcher } from './search/searcher.ts'
import type { TextIndex } from './index/text-index.ts'
import { VectorFollower } from './vector/vector-follower.ts'
import type { Vectors } from './vector/vectors.ts'

export interface RecallParts {
  readonly log: Log
  /** Made at the first use: most starts need none of it. */
  readonly open: () => Promise<Opened>
  readonly weights: () => RecallWeights
}

export interface Opened {
  readonly index: TextIndex
  /** Null: searches go by words alone. */
  readonly meaning: { readonly embedder: Embedder; readonly vectors: Vectors } | null
}

/** So many events are indexed on the way of a search that may not wait. */
const INLINE_EVENTS = 2_000
/** A search waits so long for vectors that are missing; then it goes by words where they are. */
const VECTORS_WAIT_MS = 250
/** What is said is indexed so soon, if nobody searches before. */
const IDLE_MS = 1_000

/** Recall over a log that grows: what is searched is always what is committed. */
export class LiveRecall implements Recall {
  readonly #parts: RecallParts
  readonly #fail: (error: unknown) => void
  #opening: Promise<Working> | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: RecallParts, fail: (error: unknown) => void) {
    this.#parts = parts
    this.#fail = fail
  }

  async search(search: Search): Promise<Found> {
    const { text, vectors, searcher } = await this.#working()
    const events = await text.behind()
    if (events <= INLINE_EVENTS || search.isPatient === true) await text.catchUp()
    const wantsVectors = vectors !== null && search.by !== 'words'
    if (wantsVectors) await withinTime(vectors.catchUp(), VECTORS_WAIT_MS)
    const behind = { events: await text.behind(), vectors: vectors?.behind() ?? 0 }
    return { ...(await searcher.search(search, this.#parts.weights())), behind }
  }

  async people(): Promise<People> {
    const { text, index } = await this.#working()
    await text.catchUp()
    return peopleByBranch(index)
  }

  async catchUp(progress?: (done: number, all: number) => void): Promise<void> {
    const { text, vectors } = await this.#working()
    await text.catchUp(progress ? { progress } : {})
    await vectors?.catchUp()
  }

  /** The log has grown: it is indexed soon, together with what comes meanwhile. */
  nudge(): void {
    if (this.#isClosed || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#isClosed) return
      this.catchUp().catch((error: unknown) => {
        if (!this.#isClosed) this.#fail(error)
      })
    }, IDLE_MS)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    const working = await this.#opening
    await working?.close()
  }

  #working(): Promise<Working> {
    if (this.#isClosed) return Promise.reject(new LogError('closed', 'recall is closed'))
    this.#opening ??= this.#parts.open().then((opened) => workingOn(this.#parts.log, opened))
    return this.#opening
  }
}

interface Working {
  readonly text: Follower
  readonly vectors: VectorFollower | null
  readonly searcher: Searcher
  readonly index: TextIndex
  close(): Promise<void>
}

function workingOn(log: Log, { index, meaning }: Opened): Working {
  const text = new Follower({ log, index })
  const vectors = meaning && new VectorFollower({ log, index, ...meaning })
  return {
    text,
    vectors,
    index,
    searcher: new Searcher({ log, index, meaning }),
    close: async () => {
      await Promise.all([text.close(), vectors?.close()])
      meaning?.vectors.close()
      index.close()
    },
  }
}

/** Resolves when the work is done or the time is over, whichever comes first. */
async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}
