import { limits } from '../../base/limits.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { beginningOf } from '../../base/words.ts'
import type { EmbeddingCall } from '../../model/ai-sdk/embedding.ts'
import { ModelError } from '../../model/contract/model.ts'
import { type Embedder, EmbedderError } from '../contract/embedder.ts'
import { unit } from './vector-rows.ts'

/** Increase it when the same text gets another vector from the same model. */
const REVISION = 1
const ALPHA = 0.6
const BATCH_MAX = 32
/** In one request. */
const PIECES_AT_ONCE = 64
/** Beyond a few thousand words a text's vector hardly changes. */
const PIECES_MAX = 16
/** A search waits for its question's vector, and a start for the first one. */
const QUESTION_MS = 5_000
const FIRST_MS = 10_000
const BATCH_MS = 60_000

/**
 * A model of a provider or a server. Every text that is indexed or searched for is sent there. Asks for one vector to
 * learn their length, so it throws an `EmbedderError` while the model cannot be reached.
 */
export async function hostedEmbedder({
  name,
  call,
}: {
  readonly name: string
  readonly call: EmbeddingCall
}): Promise<Embedder> {
  const closing = new AbortController()
  const { signal } = closing
  const ask = (texts: readonly string[], timeoutMs: number) =>
    vectorsBy(call, { name, texts, options: { signal, timeoutMs } })
  /** One text that is too long for the model must not hold up all others: its beginning is taken. */
  const askFitting = async (texts: readonly string[], timeoutMs: number): ReturnType<typeof ask> => {
    try {
      return await ask(texts, timeoutMs)
    } catch (error) {
      const [text = ''] = texts
      if (!isTooLong(error as Error) || text.length < 2) throw error
      if (texts.length === 1) return askFitting([beginningOf(text, Math.floor(text.length / 2))], timeoutMs)
      const made: (readonly number[])[] = []
      for (const one of texts) made.push(...(await askFitting([one], timeoutMs)))
      return made
    }
  }
  const [first = []] = await ask(['hello'], FIRST_MS)
  const dimensions = first.length
  return {
    id: `${name}-${REVISION}`,
    dimensions,
    alpha: ALPHA,
    batchMax: BATCH_MAX,
    async embed(texts) {
      const tokensMax = tokensMaxOf(name)
      const pieces = texts.flatMap((text, of) => piecesOf(text, tokensMax).map((piece) => ({ of, piece })))
      const timeoutMs = pieces.length > 1 ? BATCH_MS : QUESTION_MS
      const sums = texts.map(() => new Float64Array(dimensions))
      for (let from = 0; from < pieces.length; from += PIECES_AT_ONCE) {
        const batch = pieces.slice(from, from + PIECES_AT_ONCE)
        const made = await askFitting(
          batch.map(({ piece }) => piece),
          timeoutMs,
        )
        for (const [at, { of }] of batch.entries()) {
          const vector = made[at] ?? []
          if (vector.length !== dimensions)
            throw new EmbedderError(`${name} gave vectors of ${dimensions} and of ${vector.length} numbers`)
          // Long texts have the mean of their pieces, each counting the same.
          addTo(sums[of] as Float64Array, unit(Float64Array.from(vector)))
        }
      }
      return sums.map(unit)
    },
    close: () => closing.abort(),
  }
}

function isTooLong({ cause }: { readonly cause?: unknown }): boolean {
  return cause instanceof ModelError && cause.reason === 'overflow'
}

function addTo(sum: Float64Array, vector: Float32Array): void {
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (vector[at] as number)
}

async function vectorsBy(
  call: EmbeddingCall,
  { name, texts, options }: { name: string; texts: readonly string[]; options: Parameters<EmbeddingCall>[1] },
): ReturnType<EmbeddingCall> {
  try {
    const vectors = await call(texts, options)
    if (vectors.length === texts.length && vectors.every(({ length }) => length > 0)) return vectors
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause
    const error = new EmbedderError(cause.message, { cause })
    // Whoever closes it knows why the call ended.
    error.isTold = options.signal.aborted
    throw error
  }
  throw new EmbedderError(`${name} did not give a vector for each text. Is it a model for embeddings?`)
}

/** About half of what the models take: an estimate may be too small. */
function tokensMaxOf(name: string): number {
  if (/minilm/i.test(name)) return 128
  return /^(?:openai|google)\//.test(name) ? 1_000 : 256
}

/** A text in pieces of about this many tokens, cut between words where there are any; none for an empty text. */
export function piecesOf(text: string, tokensMax: number): readonly string[] {
  const trimmed = beginningOf(text.trim(), limits.textCharsMax)
  const parts = Math.ceil(estimateTokens(trimmed) / tokensMax)
  if (parts <= 1) return trimmed === '' ? [] : [trimmed]
  const length = Math.ceil(trimmed.length / parts)
  const pieces = trimmed.match(new RegExp(`[^]{1,${length}}(?!\\S)|[^]{1,${length}}`, 'gu')) ?? []
  return pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .slice(0, PIECES_MAX)
}
