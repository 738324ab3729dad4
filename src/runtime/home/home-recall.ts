import { statSync } from 'node:fs'
import { sentence } from '../../base/words.ts'
import type { Config } from '../../config/table/settings.ts'
import type { Log } from '../../log/log.ts'
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
  readonly warn: (text: string) => void
  readonly fail: (error: unknown) => void
}

/** Recall over a home's log. Its index lies next to the log and can be deleted at any time. */
export function openHomeRecall(parts: HomeRecall): LiveRecall {
  const { home, log, values, warn, fail } = parts
  const open = async (place?: 'memory'): Promise<Opened> => {
    const embedder = await embedderFor(parts)
    if (place === 'memory') return openIn('memory', embedder)
    try {
      return openInFile(indexFile(home), { embedder, warn })
    } catch (error) {
      // Another process is building it: an index in memory would be built again at every start.
      if (!(error instanceof IndexError) || error.code === 'busy') throw error
      // A read-only home can still be searched.
      if (error.code !== 'unwritable')
        warn(`${sentence(error.message)} Until then searches use an index in memory.`)
      return openIn('memory', embedder)
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
  { embedder, warn }: Pick<HomeRecall, 'warn'> & { readonly embedder: Embedder | null },
): Opened {
  const index = openTextIndex({ file })
  const inode = inodeOf(file)
  const isGone = () => inodeOf(file) !== inode
  if (embedder === null) return { index, meaning: null, isGone }
  try {
    return { ...withVectors(index, embedder, { file }), isGone }
  } catch (error) {
    if (error instanceof IndexError && error.code !== 'busy') {
      warn(`${sentence(error.message)} Until then vectors are rebuilt at every start.`)
      return { ...withVectors(index, embedder, 'memory'), isGone }
    }
    index.close()
    throw error
  }
}

function openIn(place: 'memory', embedder: Embedder | null): Opened {
  const index = openTextIndex(place)
  return embedder === null ? { index, meaning: null } : withVectors(index, embedder, place)
}

function withVectors(index: TextIndex, embedder: Embedder, place: Place): Opened {
  const vectors = openVectors({ place, embedder, places: documentPlaces(index) })
  return { index, meaning: { embedder, vectors } }
}

function inodeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? 0
}

/** Falls back to the built-in encoder, with a warning, while the configured one cannot be used. */
async function embedderFor({ home, values, warn }: HomeRecall): Promise<Embedder | null> {
  try {
    return await makeEmbedder(values().embedder, home)
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error
    warn(`${sentence(error.message)} Until then searches use the built-in encoder.`)
    return staticEncoder()
  }
}
