import { stopwatchMs, withinTime } from '../base/clock.ts'
import { sentence } from '../base/words.ts'
import { LogError, type Log } from '../log/log.ts'
import { EmbedderError } from './contract/embedder.ts'
import { IndexError } from './contract/index-error.ts'
import { heard } from './search/people.ts'
import type { Found, People, Recall, RecallWeights, Search } from './contract/recall.ts'
import { Working, type Opened } from './working.ts'

export interface RecallParts {
  readonly log: Log
  /** Opens index and embedder at the first use; in memory if the home cannot be written. */
  readonly open: (place?: 'memory') => Promise<Opened>
  readonly weights: () => RecallWeights
  /** Called once per problem a person can fix, and for long indexing. */
  readonly warn?: (text: string) => void
  /** Shorter in tests. */
  readonly pauses?: Pauses
}

interface Pauses {
  /** Delay before new messages are indexed, if no search comes first. */
  readonly idleMs: number
  /** Delay before a retry after a disk error or while another process writes. */
  readonly retryMs: number
  /** Indexing an old log for longer than this is announced. */
  readonly quietMs: number
}

/** A search that may not wait indexes at most this many events first. */
const INLINE_EVENTS = 2_000
/** How long a search waits for missing vectors before it uses words only. */
const VECTORS_WAIT_MS = 250
/** The built-in embedder makes two million vectors in this time; a server may need hours for a long log. */
const VECTORS_PATIENCE_MS = 30_000
const PAUSES: Pauses = { idleMs: 1_000, retryMs: 10_000, quietMs: 3_000 }
const TRIES_MAX = 3

/** Recall over a growing log. A search covers everything committed. */
export class LiveRecall implements Recall {
  readonly #parts: RecallParts
  readonly #fail: (error: unknown) => void
  readonly #pauses: Pauses
  readonly #told = new Set<string>()
  /** Replaced indexes that are still closing. */
  readonly #left = new Set<Promise<void>>()
  #opening: Promise<Working> | undefined
  #working: Working | undefined
  #place: 'memory' | undefined
  #timer: NodeJS.Timeout | undefined
  #following: 'no' | 'once' | 'again' = 'no'
  #closing: Promise<void> | undefined

  /** `fail` gets bugs and errors of the log; problems of the index go to `warn`. */
  constructor(parts: RecallParts, fail: (error: unknown) => void) {
    this.#parts = parts
    this.#pauses = parts.pauses ?? PAUSES
    this.#fail = fail
  }

  async search(search: Search): Promise<Found> {
    for (let tries = 1; ; tries++) {
      const isLast = tries === TRIES_MAX
      const found = await this.#use((working) => this.#searchIn(working, { search, isLast }))
      if (found !== 'lost') return found
    }
  }

  async people(): Promise<People> {
    return this.#use(async (working) => {
      await this.#bearing(working, () => working.catchUp('beside'))
      return heard(working.index).people
    })
  }

  async catchUp(progress?: (done: number, all: number) => void): Promise<void> {
    await this.#use(async (working) => {
      await working.catchUp('alone', progress)
      const { vectors } = working
      if (vectors !== null)
        await this.#bearing(working, () => withinTime(vectors.catchUp(), VECTORS_PATIENCE_MS))
    })
  }

  /** Call it when the log has grown: indexing starts after a short delay. */
  nudge(): void {
    if (this.#following !== 'no') this.#following = 'again'
    else this.#followIn(this.#pauses.idleMs)
  }

  /** Waits only for the current batch and running searches. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer)
    const working = await this.#opening?.catch(() => undefined)
    await Promise.all([working?.close(), ...this.#left])
  }

  /** `lost`: the index was rebuilt during the search, so the caller tries again. */
  async #searchIn(
    working: Working,
    { search, isLast }: { search: Search; isLast: boolean },
  ): Promise<Found | 'lost'> {
    const { index, vectors } = working
    const committed = await this.#parts.log.read((reader) => reader.end)
    const isUpToDate = await this.#bringUp(working, search)
    const known = index.watermark
    const isLost = working.isLeft || (isUpToDate && known < committed)
    // When recall is closing there is no other index, so search this one.
    if (isLost && !isLast && this.#closing === undefined) return 'lost'
    try {
      const found = await this.#ask(working, search)
      const end = await this.#parts.log.read((reader) => reader.end)
      const behind = { events: Math.max(0, end - index.watermark), vectors: vectors?.behind() ?? 0 }
      if (index.watermark >= known || isLast) return { ...found, behind }
    } catch (error) {
      if (isLast || index.watermark >= known) throw error
    }
    return 'lost'
  }

  /** Whether everything committed was indexed. An index that turns out to be damaged is empty again right after. */
  async #bringUp(working: Working, { isPatient = false, by }: Search): Promise<boolean> {
    const { vectors } = working
    const isWaitedFor = isPatient || (await working.behind()) <= INLINE_EVENTS
    const isUpToDate = isWaitedFor && (await this.#bearing(working, () => working.catchUp('beside')))
    if (!isWaitedFor) this.nudge()
    if (vectors !== null && by !== 'words')
      await this.#bearing(working, () => withinTime(vectors.catchUp(), VECTORS_WAIT_MS))
    return isUpToDate
  }

  /** If the embedder fails, the search uses words only. */
  async #ask({ searcher }: Working, search: Search): Promise<Omit<Found, 'behind'>> {
    const weights = this.#parts.weights()
    try {
      return await searcher.search(search, weights)
    } catch (error) {
      if (!(error instanceof EmbedderError) || search.by === 'vectors') throw error
      this.#tell(error)
      return searcher.search({ ...search, by: 'words' }, weights)
    }
  }

  /** A failure to write is reported, and the search goes on with what is indexed. */
  async #bearing(working: Working, work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (!isTrouble(error)) throw error
      this.#tell(error)
      // With nothing indexed yet, switch to an index in memory.
      const isForNow = error instanceof EmbedderError || error.code === 'busy'
      if (!isForNow && working.index.watermark === 0 && this.#place !== 'memory') {
        this.#place = 'memory'
        this.#leave(working)
      }
      return false
    }
  }

  #followIn(ms: number): void {
    if (this.#closing !== undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#follow()
    }, ms)
    this.#timer.unref()
  }

  async #follow(): Promise<void> {
    this.#following = 'once'
    const isDone = await this.#followed()
    const isMore = (this.#following as 'once' | 'again') === 'again'
    this.#following = 'no'
    if (!isDone) this.#followIn(this.#pauses.retryMs)
    else if (isMore) this.#followIn(this.#pauses.idleMs)
  }

  async #followed(): Promise<boolean> {
    try {
      await this.#use(async (working) => {
        await working.catchUp('beside', this.#noticing('Indexing older messages for recall'))
        await working.vectors?.catchUp({ progress: this.#noticing('Making vectors of older messages') })
      })
      return true
    } catch (error) {
      if (this.#closing !== undefined) return true
      if (isTrouble(error)) this.#tell(error)
      else this.#fail(error)
      return !isTrouble(error)
    }
  }

  #noticing(what: string): (done: number, all: number) => void {
    const begun = stopwatchMs()
    return (done, all) => {
      const passed = stopwatchMs() - begun
      const leftMs = (passed * (all - done)) / Math.max(1, done)
      if (Math.min(passed, leftMs) < this.#pauses.quietMs) return
      const [share, seconds] = [Math.floor((100 * done) / all), Math.ceil(leftMs / 1_000)]
      this.#tellOnce(what, `${what}: ${share} % done. Searches find all of them in about ${seconds} s.`)
    }
  }

  #tell(error: IndexError | EmbedderError): void {
    const code = error instanceof IndexError ? error.code : 'embedder'
    if (code === 'busy' || (error instanceof EmbedderError && error.isTold)) return
    const meanwhile = code === 'embedder' ? 'use words only' : 'find only what is already indexed'
    this.#tellOnce(code, `Recall: ${sentence(error.message)} Until then, searches ${meanwhile}.`)
  }

  #tellOnce(what: string, text: string): void {
    if (this.#told.has(what)) return
    this.#told.add(what)
    this.#parts.warn?.(text)
  }

  /** Keeps the index open while `work` uses it. */
  async #use<T>(work: (working: Working) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new LogError('closed', 'recall is closed')
    if (this.#working?.isGone() === true) this.#leave(this.#working)
    this.#opening ??= this.#open()
    return (await this.#opening).use(work)
  }

  async #open(): Promise<Working> {
    try {
      this.#working = new Working(this.#parts.log, await this.#parts.open(this.#place))
      return this.#working
    } catch (error) {
      // The next call tries again: the problem may be gone.
      this.#opening = undefined
      throw error
    }
  }

  #leave(working: Working): void {
    if (working !== this.#working) return
    this.#working = undefined
    this.#opening = undefined
    const left = working.close().catch((error: unknown) => this.#fail(error))
    this.#left.add(left)
    void left.finally(() => this.#left.delete(left))
  }
}

/** An expected failure of the index or the embedder, not a bug. */
function isTrouble(error: unknown): error is IndexError | EmbedderError {
  return error instanceof EmbedderError || (error instanceof IndexError && error.code !== 'closed')
}
