import { statSync } from 'node:fs'
import { systemClock, type Clock } from '../../base/clock.ts'
import { sentence } from '../../base/words.ts'
import type { Config } from '../../config/table/settings.ts'
import { sendsTexts } from '../../config/type/domain-type.ts'
import type { Log } from '../../log/log.ts'
import type { ModelOptions } from '../../model/models.ts'
import { EmbedderError, type Embedder } from '../../recall/contract/embedder.ts'
import { makeEmbedder } from '../../recall/vector/embedders.ts'
import { IndexError } from '../../recall/contract/index-error.ts'
import { LiveRecall } from '../../recall/live.ts'
import type { Place } from '../../recall/index/index-file.ts'
import type { Opened } from '../../recall/working.ts'
import { openTextIndex } from '../../recall/index/sqlite-index.ts'
import type { TextIndex } from '../../recall/contract/text-index.ts'
import { documentPlaces, openVectors } from '../../recall/vector/sqlite-vectors.ts'
import { indexFile } from './recall-state.ts'
import { staticEncoder } from '../../recall/vector/static-encoder.ts'

export interface HomeRecall {
  readonly home: string
  readonly log: Log
  readonly values: () => Pick<Config, 'embedder' | 'recallAlpha' | 'recallDecay'>
  /** How an embedder of a provider is reached. */
  readonly models?: () => ModelOptions
  readonly warn: (text: string) => void
  readonly fail: (error: unknown) => void
  readonly now?: Clock
}

/** Recall over a home's log. Its index lies next to the log and can be deleted at any time. */
export function openHomeRecall(parts: HomeRecall): LiveRecall {
  const { home, log, values, warn, fail } = parts
  const choose = embedderChooser(parts)
  const open = async (place?: 'memory'): Promise<Opened> => {
    const chosen = await choose()
    if (place === 'memory') return openIn('memory', chosen)
    try {
      return openInFile(indexFile(home), { chosen, warn })
    } catch (error) {
      // Another process is building it: an index in memory would be built again at every start.
      if (!(error instanceof IndexError) || error.code === 'busy') throw error
      // A read-only home can still be searched.
      if (error.code !== 'unwritable')
        warn(`${sentence(error.message)} Until then searches use an index in memory.`)
      return openIn('memory', chosen)
    }
  }
  const weights = () => {
    const { recallAlpha, recallDecay } = values()
    return { alpha: recallAlpha, decay: recallDecay }
  }
  const recall = new LiveRecall({ log, open, weights, warn }, fail)
  // Indexes an older log in the background.
  recall.nudge()
  return recall
}

function openInFile(
  file: string,
  { chosen, warn }: Pick<HomeRecall, 'warn'> & { readonly chosen: Chosen },
): Opened {
  const index = openTextIndex({ file })
  const inode = inodeOf(file)
  const isGone = () => chosen.isOver() || inodeOf(file) !== inode
  try {
    return { ...withVectors(index, chosen, { file }), isGone }
  } catch (error) {
    if (error instanceof IndexError && error.code !== 'busy') {
      warn(`${sentence(error.message)} Until then vectors are rebuilt at every start.`)
      return { ...withVectors(index, chosen, 'memory'), isGone }
    }
    index.close()
    throw error
  }
}

function openIn(place: 'memory', chosen: Chosen): Opened {
  return { ...withVectors(openTextIndex(place), chosen, place), isGone: chosen.isOver }
}

function withVectors(index: TextIndex, { embedder, isStandIn }: Chosen, place: Place): Opened {
  if (embedder === null) return { index, meaning: null }
  const vectors = openVectors({ place, embedder, places: documentPlaces(index), isStandIn })
  return { index, meaning: { embedder, vectors } }
}

function inodeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? 0
}

interface Chosen {
  readonly embedder: Embedder | null
  readonly isStandIn: boolean
  /** Time to choose again: it has failed, or the one it stands in for may work again. */
  readonly isOver: () => boolean
}

/** After this long, an embedder that failed is tried again. */
const RETRY_MS = 5 * 60_000

/** Chooses the configured embedder; while that cannot be used, the built-in one, which is told once. */
function embedderChooser(parts: HomeRecall): () => Promise<Chosen> {
  const { values, models, warn, now = systemClock } = parts
  const setting = values().embedder
  const isHosted = sendsTexts(setting)
  let [isTold, retryAt] = [false, 0]
  const isResting = (): boolean => now() < retryAt
  const failed = (error: unknown): void => {
    if (!(error instanceof EmbedderError)) throw error
    if (error.isTold) return
    retryAt = now() + RETRY_MS
    if (!isTold) warn(`${sentence(error.message)} Until then searches use the built-in encoder.`)
    isTold = error.isTold = true
  }
  const standIn = (): Chosen => ({
    embedder: staticEncoder(),
    isStandIn: isHosted,
    isOver: () => isHosted && !isResting(),
  })
  return async () => {
    if (isHosted && isResting()) return standIn()
    try {
      const embedder = await makeEmbedder(setting, models?.() ?? {})
      if (embedder === null || !isHosted) return { embedder, isStandIn: false, isOver: () => false }
      const embed: Embedder['embed'] = async (texts) => {
        try {
          return await embedder.embed(texts)
        } catch (error) {
          failed(error)
          throw error
        }
      }
      return { embedder: { ...embedder, embed }, isStandIn: false, isOver: isResting }
    } catch (error) {
      failed(error)
      return standIn()
    }
  }
}
