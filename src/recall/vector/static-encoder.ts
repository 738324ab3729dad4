import { fileURLToPath } from 'node:url'
import type { Embedder } from '../contract/embedder.ts'
import { baseForms, gramHashes, sentenceWords } from './sentence-words.ts'
import { readSentenceWeights, type SentenceWeights } from './sentence-weights.ts'
import { unit } from './vector-rows.ts'

/** Next to the sources in a clone, and next to the compiled files in the published package. */
export const STATIC_WEIGHTS_FILE = fileURLToPath(
  new URL('../../../assets/static-en-128.senc', import.meta.url),
)
export const STATIC_NAME = 'static-en-128'
/** Increase it when the same text gets another vector (new weights or word rules). */
const REVISION = 2
/** For the same text, vectors of revision 1 are nearly the same: their cosine is 0.98. */
const REVISION_BEFORE = 1
const DIMENSIONS = 128
/** The best weight of words on several sets of questions. */
const ALPHA = 0.6
/** The beginning of a long text works as well as windows over all of it. */
const WORDS_MAX = 96

/**
 * The built-in encoder: a table of word vectors, trained so that their sum represents the sentence's meaning. Reads the
 * weights at the first use.
 */
export function staticEncoder(file: string = STATIC_WEIGHTS_FILE) {
  let read: WordRows | undefined
  const rows = () => (read ??= wordRows(readSentenceWeights(file)))
  const encode = (text: string) => encodeWith(rows(), text)
  return {
    id: `${STATIC_NAME}-${REVISION}`,
    before: `${STATIC_NAME}-${REVISION_BEFORE}`,
    dimensions: DIMENSIONS,
    alpha: ALPHA,
    encode,
    embed: async (texts: readonly string[]) => texts.map(encode),
    knows: (word: string) => sentenceWords(word, 1).words.every((one) => rows().isKnown(one)),
    trust(text: string): number {
      const { words, foreign } = sentenceWords(text, WORDS_MAX)
      if (words.length === 0) return 0
      const known = words.filter((word) => rows().isKnown(word)).length
      return known / (words.length + foreign)
    },
  } satisfies Embedder & { encode: unknown }
}

/** For any table of this kind; the built-in encoder is one of them. */
function encodeWith(table: WordRows, text: string): Float32Array {
  const { dimensions, scales, rows } = table.weights
  const sum = new Float64Array(dimensions)
  for (const word of sentenceWords(text, WORDS_MAX).words) {
    for (const row of table.rowsOf(word)) {
      const scale = scales[row] as number
      const from = row * dimensions
      for (let at = 0; at < dimensions; at++) {
        sum[at] = (sum[at] as number) + scale * (rows[from + at] as number)
      }
    }
  }
  return unit(sum)
}

interface WordRows {
  readonly weights: SentenceWeights
  rowsOf(word: string): readonly number[]
  /** False for a word that only has hashed rows, or none. */
  isKnown(word: string): boolean
}

const FORMS_CACHED = 20_000

export function wordRows(weights: SentenceWeights): WordRows {
  const { words, hashRows } = weights
  // Cached: most words of a log occur again and again, known or not.
  const found = new Map<string, Found>()
  const look = (word: string): Found => {
    const known = found.get(word)
    if (known !== undefined) return known
    const fresh = foundRows(word, words, hashRows)
    if (found.size >= FORMS_CACHED) found.clear()
    found.set(word, fresh)
    return fresh
  }
  return { weights, rowsOf: (word) => look(word).rows, isKnown: (word) => look(word).isKnown }
}

interface Found {
  readonly rows: readonly number[]
  readonly isKnown: boolean
}

const DIGITS_MAX = 6

function foundRows(word: string, words: ReadonlyMap<string, number>, hashRows: number): Found {
  const row = rowOfForm(word, words)
  if (row !== undefined) return { rows: [row], isKnown: true }
  if (/^\d+$/.test(word)) {
    const number = words.get(`#${Math.min(word.length, DIGITS_MAX)}`)
    return number === undefined ? { rows: [], isKnown: false } : { rows: [number], isKnown: true }
  }
  return { rows: gramHashes(word).map((hash) => words.size + (hash % hashRows)), isKnown: false }
}

function rowOfForm(word: string, words: ReadonlyMap<string, number>): number | undefined {
  const row = words.get(word)
  if (row !== undefined) return row
  for (const form of baseForms(word)) {
    const base = words.get(form)
    if (base !== undefined) return base
  }
  return undefined
}
