import { join } from 'node:path'
import { sentence } from '../base/words.ts'
import type { Config } from '../config/parameters.ts'
import type { Log } from '../log/log.ts'
import { EmbedderError } from '../recall/vector/embedder-error.ts'
import type { Embedder } from '../recall/vector/embedder.ts'
import { makeEmbedder } from '../recall/vector/embedders.ts'
import { IndexError } from '../recall/index/index-error.ts'
import { LiveRecall, type Opened } from '../recall/live.ts'
import { openTextIndex } from '../recall/index/sqlite-index.ts'
import { documentPlaces, openVectors } from '../recall/vector/sqlite-vectors.ts'
import { staticEncoder } from '../recall/vector/static-encoder.ts'

export interface HomeRecall {
  readonly home: string
  readonly log: Log
  readonly values: () => Pick<Config, 'embedder' | 'recallAlpha' | 'recallDecay'>
  /** Told once of what is not as it was set up. */
  readonly warn: (text: string) => void
  readonly fail: (error: unknown) => void
}

/** Recall over a home's log. Its index lies beside the log and can be deleted at any time. */
export function openHomeRecall(parts: HomeRecall): LiveRecall {
  const { home, log, values, fail } = parts
  const open = async (): Promise<Opened> => {
    const embedder = await embedderFor(parts)
    try {
      return openIn({ file: join(home, 'recall.db') }, embedder)
    } catch (error) {
      // A home that cannot be written can still be searched.
      if (error instanceof IndexError) return openIn('memory', embedder)
      throw error
    }
  }
  const weights = () => {
    const { recallAlpha, recallDecay } = values()
    return { alpha: recallAlpha, decay: recallDecay }
  }
  return new LiveRecall({ log, open, weights }, fail)
}

function openIn(place: { readonly file: string } | 'memory', embedder: Embedder | null): Opened {
  const index = openTextIndex(place)
  if (embedder === null) return { index, meaning: null }
  return {
    index,
    meaning: { embedder, vectors: openVectors({ place, embedder, places: documentPlaces(index) }) },
  }
}

/** What is missing for the one that was chosen is told; until it is there, the built-in one does the work. */
async function embedderFor({ home, values, warn }: HomeRecall): Promise<Embedder | null> {
  try {
    return await makeEmbedder(values().embedder, home)
  } catch (error) {
    if (!(error instanceof EmbedderError)) throw error
    warn(`${sentence(error.message)} Until then searches use the built-in encoder.`)
    return staticEncoder()
  }
}
