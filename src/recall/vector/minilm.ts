import { basename, dirname, resolve } from 'node:path'
import { limits } from '../../base/limits.ts'
import { beginningOf } from '../../base/words.ts'
import { type Embedder, EmbedderError } from '../contract/embedder.ts'
import { checksumOf, dimensionsOf, findMiniLm, type MiniLmFiles } from './minilm-files.ts'
import { unit } from './vector-rows.ts'
import { importTransformers, type Extractor, type Transformers } from './transformers.ts'

/** Increase it when the same text gets another vector from the same model. */
const REVISION = 1
const ALPHA = 0.6
const BATCH_MAX = 16
/** The model was trained on texts of this many tokens, two of which mark the beginning and the end. */
const TOKENS_MAX = 256 - 2
/** Beyond a few thousand words a text's vector hardly changes. */
const PIECES_MAX = 16

/**
 * all-MiniLM-L6-v2, or any similar sentence encoder, from files on this machine; nothing is downloaded. The model is
 * loaded at the first text.
 */
export async function openMiniLm(
  directory: string,
  load: () => Promise<Transformers> = importTransformers,
): Promise<Embedder> {
  const files = findMiniLm(resolve(directory))
  if ('missing' in files)
    throw new EmbedderError(
      `the model in ${directory} is incomplete: ${files.missing.join(', ')} ${files.missing.length === 1 ? 'is' : 'are'} missing. ` +
        `Run 'mainstem models pull' to download it, or 'mainstem models use DIR' to use another directory`,
    )
  const dimensions = dimensionsOf(files)
  const id = `minilm-${REVISION}-${(await checksumOf(files)).slice(0, 16)}`
  let loading: Promise<Extractor> | undefined
  return {
    id,
    dimensions,
    alpha: ALPHA,
    batchMax: BATCH_MAX,
    async embed(texts) {
      loading ??= loadModel(files, load)
      try {
        return await embedAll(await loading, texts, dimensions)
      } catch (error) {
        loading = undefined
        throw error
      }
    },
  }
}

async function loadModel(
  { directory, model }: MiniLmFiles,
  load: () => Promise<Transformers>,
): Promise<Extractor> {
  const transformers = await load()
  const { env } = transformers
  env.allowRemoteModels = false
  env.allowLocalModels = true
  env.useFSCache = false
  env.useBrowserCache = false
  env.useWasmCache = false
  env.localModelPath = dirname(directory)
  const { dtype, folder: subfolder } = model
  try {
    const options = { dtype, subfolder, local_files_only: true, device: 'cpu' } as const
    return await transformers.pipeline('feature-extraction', basename(directory), options)
  } catch (cause) {
    throw new EmbedderError(
      `could not load the model in ${directory}: ${(cause as Error).message}. Download it again: mainstem models pull --force`,
      { cause },
    )
  }
}

async function embedAll(
  extractor: Extractor,
  texts: readonly string[],
  dimensions: number,
): Promise<Float32Array[]> {
  const countTokens = (text: string) => extractor.tokenizer.encode(text, { add_special_tokens: false }).length
  const limits = { tokensMax: TOKENS_MAX, piecesMax: PIECES_MAX }
  const pieces = texts.flatMap((text, of) =>
    piecesOf(text, countTokens, limits).map((piece) => ({ of, piece })),
  )
  const sums = texts.map(() => new Float32Array(dimensions))
  for (let from = 0; from < pieces.length; from += BATCH_MAX) {
    const batch = pieces.slice(from, from + BATCH_MAX)
    const { dims, data } = await extractor(
      batch.map(({ piece }) => piece),
      { pooling: 'mean', normalize: true },
    )
    if (dims[0] !== batch.length || dims[1] !== dimensions)
      throw new EmbedderError(
        `the model's vectors have ${dims[1]} numbers, but its config.json says ${dimensions}: its files do not belong together`,
      )
    for (const [row, { of }] of batch.entries()) addTo(sums[of] as Float32Array, data, row * dimensions)
  }
  return sums.map(unit)
}

function addTo(sum: Float32Array, data: Float32Array, from: number): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (data[from + at] as number)
}

/**
 * A text in pieces of at most `tokensMax` tokens, cut between words; none for an empty text. A word that is too long by
 * itself is a piece of its own, and the model sees its beginning.
 */
export function piecesOf(
  text: string,
  countTokens: (text: string) => number,
  { tokensMax, piecesMax }: { tokensMax: number; piecesMax: number },
): readonly string[] {
  const trimmed = beginningOf(text.trim(), limits.textCharsMax)
  if (trimmed === '') return []
  // Every token has at least one character.
  if (trimmed.length <= tokensMax) return [trimmed]
  const pieces: string[] = []
  let [from, tokens] = [0, 0]
  for (const { 0: word, index } of trimmed.matchAll(/\S+/g)) {
    const more = word.length === 1 ? 1 : countTokens(word)
    if (tokens > 0 && tokens + more > tokensMax) {
      pieces.push(trimmed.slice(from, index).trimEnd())
      if (pieces.length === piecesMax) return pieces
      from = index
      tokens = 0
    }
    tokens += more
  }
  return [...pieces, trimmed.slice(from)]
}
