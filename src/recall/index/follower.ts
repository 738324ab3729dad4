import type { Event } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import { documentKinds, documentsOf, type Document } from '../contract/document.ts'
import { KIND_MASK, type TextIndex } from '../contract/text-index.ts'
import { IndexError } from '../contract/index-error.ts'

export interface CatchUp {
  /** Documents added at once. */
  readonly batchDocuments?: number
  readonly progress?: (done: number, all: number) => void
  readonly signal?: AbortSignal
}

const BATCH_DOCUMENTS = 1_024
/** UTF-16 units: a batch of long texts must not keep everybody waiting. */
const BATCH_LENGTH_MAX = 4 * 1024 * 1024
/** Events turned into documents per read of the log. */
const READ_EVENTS = 256
const TRIES_MAX = 5

/** Brings an index up to the end of a log that grows. */
export class Follower {
  readonly #log: Log
  readonly #index: TextIndex
  #last: Promise<void> = Promise.resolve()
  #isOfThisLog = false
  #isClosed = false

  constructor({ log, index }: { readonly log: Log; readonly index: TextIndex }) {
    this.#log = log
    this.#index = index
  }

  /** Number of events that are not indexed yet. */
  async behind(): Promise<number> {
    if (this.#isClosed) return 0
    await this.#check()
    return Math.max(0, (await this.#end()) - this.#index.watermark)
  }

  /** Resolves when everything committed before is indexed, or when it is told to stop. One at a time. */
  catchUp(options: CatchUp = {}): Promise<void> {
    const mine = this.#last.then(() => this.#catchUp(options))
    this.#last = mine.catch(() => undefined)
    return mine
  }

  /** Stops after the batch that is being added. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#last
  }

  async #catchUp(options: CatchUp): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (await this.#readOn(options)) return
    }
    throw new IndexError(
      'failed',
      `the search index was damaged ${TRIES_MAX} times while it was being built. Check the disk`,
    )
  }

  /** False: the index was restarted meanwhile, so what was read no longer follows it. */
  async #readOn({ batchDocuments = BATCH_DOCUMENTS, progress, signal }: CatchUp): Promise<boolean> {
    const isOver = () => this.#isClosed || signal?.aborted === true
    if (isOver()) return true
    await this.#check()
    const from = this.#index.watermark
    const end = await this.#end()
    if (from >= end) return true
    const batch = new Batch(batchDocuments, from)
    for await (const { event, documents } of this.#read(from)) {
      if (isOver()) return true
      batch.push(event, documents)
      if (!batch.isFull) continue
      if (!this.#add(batch)) return false
      progress?.(event.position - from, Math.max(end, event.position) - from)
      await new Promise(setImmediate)
    }
    if (isOver()) return true
    if (!this.#add(batch)) return false
    progress?.(batch.from - from, batch.from - from)
    return true
  }

  #add(batch: Batch): boolean {
    const { from, documents, to } = batch.take()
    if (this.#index.watermark < from) return false
    if (to > from) this.#index.add(documents, to)
    return this.#index.watermark >= to
  }

  async *#read(after: number): AsyncIterable<Said> {
    let events: Event[] = []
    for await (const event of this.#log.events({ after })) {
      if (events.push(event) < READ_EVENTS) continue
      yield* await this.#documentsOf(events)
      events = []
    }
    yield* await this.#documentsOf(events)
  }

  #documentsOf(events: readonly Event[]): Promise<Said[]> {
    return this.#log.read((reader) =>
      events.map((event) => ({ event, documents: documentsOf(reader, event) })),
    )
  }

  /** Clears an index made from another log, for example after a backup was restored. */
  async #check(): Promise<void> {
    if (this.#isOfThisLog) return
    const { watermark } = this.#index
    const isOfThisLog = await this.#log.read((reader) => isMadeFrom(reader, this.#index, watermark))
    if (!isOfThisLog) this.#index.clear()
    this.#isOfThisLog = true
  }

  #end(): Promise<number> {
    return this.#log.read(({ end }) => end)
  }
}

interface Said {
  readonly event: Event
  readonly documents: readonly Document[]
}

/** Documents that wait to be added, up to the event after all of them. */
class Batch {
  readonly #documentsMax: number
  #documents: Document[] = []
  #length = 0
  #to: number
  /** Everything up to here was taken before. */
  from: number

  constructor(documentsMax: number, from: number) {
    this.#documentsMax = documentsMax
    this.from = from
    this.#to = from
  }

  get isFull(): boolean {
    return this.#documents.length >= this.#documentsMax || this.#length >= BATCH_LENGTH_MAX
  }

  push(event: Event, documents: readonly Document[]): void {
    this.#to = event.position
    for (const document of documents) {
      this.#documents.push(document)
      this.#length += document.text.length
    }
  }

  take(): { from: number; documents: readonly Document[]; to: number } {
    const taken = { from: this.from, documents: this.#documents, to: this.#to }
    this.#documents = []
    this.#length = 0
    this.from = this.#to
    return taken
  }
}

/** Whether the index's first and last document are in this log. */
function isMadeFrom(reader: Reader, { columns, branches }: TextIndex, watermark: number): boolean {
  if (watermark > reader.end) return false
  return [0, columns.count - 1].every((number) => {
    if (number < 0 || number >= columns.count) return true
    const event = reader.event(columns.position[number] as Position)
    const document = documentsOf(reader, event)[columns.part[number] as number]
    return (
      document !== undefined &&
      document.branch === branches[columns.branch[number] as number] &&
      Math.floor(document.at / 1_000) === columns.at[number] &&
      documentKinds.indexOf(document.kind) === ((columns.flags[number] as number) & KIND_MASK)
    )
  })
}
