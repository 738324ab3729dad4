import type { Log } from '../../src/log/log.ts'
import { openTextIndex } from '../../src/recall/index/sqlite-index.ts'
import { LiveRecall } from '../../src/recall/live.ts'
import type { RecallWeights } from '../../src/recall/contract/recall.ts'
import type { Opened } from '../../src/recall/working.ts'
import type { Embedder } from '../../src/recall/contract/embedder.ts'
import { documentPlaces, openVectors } from '../../src/recall/vector/sqlite-vectors.ts'
import { staticEncoder } from '../../src/recall/vector/static-encoder.ts'

/** Its weights are read once for all stages of a file. */
const encoder = staticEncoder()

export interface LiveOptions {
  readonly weights?: RecallWeights
  /** Null: search by words only. */
  readonly embedder?: Embedder | null
}

/** The product's own recall over a log, with an index that is gone when it is closed. */
export function liveRecall(log: Log, options: LiveOptions = {}): LiveRecall {
  const { weights = { alpha: null, decay: 0.1 }, embedder = encoder } = options
  const open = async (): Promise<Opened> => {
    const index = openTextIndex('memory')
    if (embedder === null) return { index, meaning: null }
    const vectors = openVectors({ place: 'memory', embedder, places: documentPlaces(index) })
    return { index, meaning: { embedder, vectors } }
  }
  return new LiveRecall({ log, open, weights: () => weights }, (error) => {
    throw error
  })
}
