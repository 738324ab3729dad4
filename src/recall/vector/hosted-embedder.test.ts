import { expect, test } from 'vitest'
import { startEmbeddingServer } from '../../../test/stand-ins/embedding-server.ts'
import { optionsFor, testKey } from '../../../test/stand-ins/model-at.ts'
import { type Embedder, EmbedderError } from '../contract/embedder.ts'
import { makeEmbedder } from './embedders.ts'
import { piecesOf } from './hosted-embedder.ts'
import { staticEncoder } from './static-encoder.ts'

async function embedderAt(server: { url: string }, name: string): Promise<Embedder> {
  const embedder = await makeEmbedder(name, optionsFor(server))
  if (embedder === null) throw new Error('no embedder')
  return embedder
}

function lengthOf(vector: Float32Array | undefined): number {
  return Math.hypot(...(vector ?? []))
}

test.each([
  ['openai/text-embedding-3-small', '/v1/embeddings', `Bearer ${testKey}`],
  ['google/gemini-embedding-001', '/v1beta/models/gemini-embedding-001:batchEmbedContents', testKey],
  ['openrouter/openai/text-embedding-3-small', '/openrouter/v1/embeddings', `Bearer ${testKey}`],
  ['openai-compatible/some-model', '/v1/embeddings', `Bearer ${testKey}`],
  ['ollama/all-minilm', '/v1/embeddings', undefined],
])('%s makes vectors at %s', async (name, path, key) => {
  const server = await startEmbeddingServer()
  const embedder = await embedderAt(server, name)
  const vectors = await embedder.embed(['a cat', ' \n', 'two dogs'])
  expect(server.seen.at(-1)).toEqual({ path, key, texts: ['a cat', 'two dogs'] })
  expect(embedder).toMatchObject({ id: `${name}-1`, dimensions: 128, alpha: 0.6 })
  const expected = staticEncoder().encode('two dogs')
  expect(vectors[2]?.every((value, at) => Math.abs(value - (expected[at] ?? 0)) < 1e-5)).toBe(true)
  expect(vectors.map((vector) => Math.round(lengthOf(vector) * 1e4) / 1e4)).toEqual([1, 0, 1])
})

test('a long text is sent in pieces, and its vector is their mean', async () => {
  const server = await startEmbeddingServer()
  server.vectorOf = (text) => (text.startsWith('cat') ? [2, 0] : [0, 2])
  const embedder = await embedderAt(server, 'ollama/all-minilm')
  const [vector] = await embedder.embed(['cats and '.repeat(60) + 'dogs and '.repeat(60)])
  const { texts = [] } = server.seen.at(-1) ?? {}
  expect(texts.length).toBeGreaterThan(1)
  expect(texts.every((text) => /^(?:cats|dogs|and)\b.*\b(?:cats|dogs|and)$/.test(text))).toBe(true)
  expect(vector?.[0]).toBeGreaterThan(0.2)
  expect(lengthOf(vector)).toBeCloseTo(1)
})

test.each([
  ['words', 'word '.repeat(5_000), 16],
  ['no space', 'x'.repeat(50_000), 16],
  ['Japanese', '日本語'.repeat(150), 4],
  ['pairs of surrogates', '😀'.repeat(2_000), 16],
])('a text of %s is cut into pieces that are not long, and no character is', (_, text, max) => {
  const pieces = piecesOf(text, 128)
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.length).toBeLessThanOrEqual(max)
  expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= 1_000)).toBe(true)
})

test('what goes wrong is said with what to do, and is the embedder’s error', async () => {
  const server = await startEmbeddingServer()
  const refused = async (name: string): Promise<string> => {
    const error: unknown = await embedderAt(server, name).catch((error: unknown) => error)
    if (!(error instanceof EmbedderError)) throw error
    return error.message
  }
  server.state = { status: 401, words: 'no' }
  expect(await refused('openai/m')).toMatch(/The API key for openai\/m was refused \(401\)\. Check/)
  server.state = { status: 404, words: 'model not found' }
  expect(await refused('ollama/all-minilm')).toMatch(
    /has no model all-minilm \(404\)\. Run 'ollama pull all-minilm', or set another `embedder`\./,
  )
  server.state = { status: 503, words: 'busy' }
  expect(await refused('openai/m')).toBe('The server of openai/m failed (503). The error: busy')
  server.state = 'up'
  server.vectorOf = () => []
  expect(await refused('openai/m')).toContain('did not give a vector for each text')
  expect(await refused('anthropic/m')).toBe('Anthropic has no models for vectors. Set another `embedder`.')
  for (const retired of ['minilm', 'minilm:/srv/model'])
    expect(await refused(retired)).toMatch(
      /no longer part of Mainstem.*mainstem models use ollama\/all-minilm/,
    )
  await expect(makeEmbedder('openai/m', {})).rejects.toThrow('openai/m needs an API key.')
})

test('of a piece that is still too long for the model, the beginning is taken; the others stay whole', async () => {
  const server = await startEmbeddingServer()
  const embedder = await embedderAt(server, 'openai/m')
  server.charactersMax = 20
  const before = server.seen.length
  const vectors = await embedder.embed(['short', 'this one has twenty-eight ch', 'also short'])
  expect(server.seen.slice(before).map(({ texts }) => texts)).toEqual([
    ['short', 'this one has twenty-eight ch', 'also short'],
    ['short'],
    ['this one has twenty-eight ch'],
    ['this one has t'],
    ['also short'],
  ])
  expect(vectors.map((vector) => lengthOf(vector) > 0)).toEqual([true, true, true])
})

test('vectors of another length are refused', async () => {
  const server = await startEmbeddingServer()
  const embedder = await embedderAt(server, 'openai/m')
  server.vectorOf = () => [1, 2, 3]
  await expect(embedder.embed(['x'])).rejects.toThrow('openai/m gave vectors of 128 and of 3 numbers')
})

test('closing ends a call that nobody answers', async () => {
  const server = await startEmbeddingServer()
  const embedder = await embedderAt(server, 'openai/m')
  server.state = 'silent'
  const made = embedder.embed(['x'])
  embedder.close?.()
  await expect(made).rejects.toThrow(EmbedderError)
})
