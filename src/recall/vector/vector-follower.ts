import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Position } from '../../event/id.ts'
import type { Log } from '../../log/log.ts'
import type { Reader } from '../../event/table.ts'
import type { Columns, TextIndex } from '../contract/text-index.ts'
import { documentsOf } from '../contract/document.ts'
import { type Embedder, EmbedderError, type Vectors } from '../contract/embedder.ts'
import type { CatchUp } from '../index/follower.ts'
import { IndexError } from '../contract/index-error.ts'

interface VectorFollowing {
  readonly log: Log
  readonly index: TextIndex
  readonly vectors: Vectors
  readonly embedder: Embedder
}

/** About 10 ms of the built-in encoder: no keypress waits longer. */
const BATCH = 256
/** Give up after this many batches that vanished: the disk does not keep them. */
const LOSSES_MAX = 3

/** Embeds the indexed documents. Progress is in the vectors, so any process can continue. */
export class VectorFollower {
  readonly #parts: VectorFollowing
  #running: Promise<void> = Promise.resolve()
  #isSwept = false
  #isClosed = false

  constructor(parts: VectorFollowing) {
    this.#parts = parts
  }

  /** How many documents have no vector yet. */
  behind(): number {
    return Math.max(0, this.#parts.index.columns.count - this.#parts.vectors.count)
  }

  /** Makes the missing vectors in batches, and lets others work in between. Calls run one after the other. */
  catchUp(options: CatchUp = {}): Promise<void> {
    const run = this.#running.then(() => this.#run(options))
    this.#running = run.catch(() => undefined)
    return run
  }

  /** Stops after the current batch. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#parts.embedder.close?.()
    await this.#running
  }

  async #run(options: CatchUp): Promise<void> {
    const { index, vectors } = this.#parts
    const mayGoOn = () => !this.#isClosed && options.signal?.aborted !== true
    for (let losses = 0; mayGoOn() && this.behind() > 0;) {
      const from = vectors.count
      await this.#embed(from)
      if (vectors.count <= from) losses++
      if (losses === LOSSES_MAX)
        throw new IndexError('failed', 'the vectors of the search index keep disappearing from their file')
      options.progress?.(Math.min(vectors.count, index.columns.count), index.columns.count)
      await nextTurn()
    }
    // Vectors of another embedder stay useful until this one has caught up.
    if (this.#isSwept || !mayGoOn()) return
    vectors.sweep?.()
    this.#isSwept = true
  }

  async #embed(from: number): Promise<void> {
    const { log, index, vectors, embedder } = this.#parts
    const { columns } = index
    const to = Math.min(columns.count, from + (embedder.batchMax ?? BATCH))
    const texts = await log.read((reader) => textsOf(reader, columns, { from, to }))
    try {
      vectors.add(await embedder.embed(texts), from)
    } catch (error) {
      // Closing ended the call.
      if (!(error instanceof EmbedderError && this.#isClosed)) throw error
    }
  }
}

function textsOf(reader: Reader, columns: Columns, { from, to }: { from: number; to: number }): string[] {
  const texts: string[] = []
  for (let document = from; document < to; document++) {
    const position = columns.position[document] as Position
    // If the index is ahead of the log, as after restoring a backup, its owner rebuilds it.
    const documents = position <= reader.end ? documentsOf(reader, reader.event(position)) : []
    texts.push(documents[columns.part[document] as number]?.text ?? '')
  }
  return texts
}
