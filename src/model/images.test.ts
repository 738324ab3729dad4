import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calling, modelAt, promptOf } from '../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer } from '../../test/stand-ins/model-server.ts'
import { png } from '../../test/stand-ins/small-files.ts'
import type { PromptImage } from '../event/prompt.ts'
import { knownModel } from './known-models.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

const bytes = png(8, 8)
const encoded = bytes.toString('base64')
const image: PromptImage = { hash: 'a'.repeat(64), name: 'cat.png', mime: 'image/png', bytes: bytes.length }
const readImage = async (hash: string): Promise<Uint8Array | undefined> =>
  hash === image.hash ? bytes : undefined

const SEEING = [
  'anthropic/claude-sonnet-4-6',
  'openai/gpt-5.1',
  'google/gemini-2.5-flash',
  'openrouter/anthropic/claude-sonnet-4.6',
  'openai-compatible/qwen2.5-vl',
  'ollama/llava:7b',
]
const BLIND = ['openai-compatible/some-model', 'ollama/qwen3:8b', 'openrouter/deepseek/deepseek-v4']

/** The last request for a prompt with these images, as JSON. */
async function sent(name: string, ...images: readonly PromptImage[]): Promise<string> {
  const prompt = promptOf([{ role: 'user', text: 'What is it?', images }])
  await modelAt(server, name, { readImage }).call(prompt, calling())
  return JSON.stringify(server.requests.at(-1)?.body)
}

describe('an image in a prompt', () => {
  test.each(SEEING)('%s gets its bytes before the text', async (name) => {
    const body = await sent(name, image)
    expect(body).toContain(encoded)
    if (!name.startsWith('ollama/')) expect(body.indexOf(encoded)).toBeLessThan(body.indexOf('What is it?'))
    expect(body).not.toContain('cannot see')
  })

  test.each(BLIND)('[FILE2] %s gets a sentence instead', async (name) => {
    const body = await sent(name, image)
    expect(body).not.toContain(encoded)
    expect(body).toContain('(an image that this model cannot see: cat.png)')
    expect(body).toContain('What is it?')
  })

  test.each(['anthropic/claude-sonnet-4-6', 'ollama/llava:7b'])(
    'if its file is gone, or it is too large, %s is told',
    async (name) => {
      const gone = { ...image, hash: 'b'.repeat(64), name: 'gone.png' }
      const large = { ...image, hash: 'c'.repeat(64), name: 'large.png', bytes: 9_000_000 }
      const wide = { ...image, hash: 'd'.repeat(64), name: 'wide.png', width: 9_000, height: 1 }
      const body = await sent(name, gone, large, wide)
      expect(body).toContain('(an image that is no longer stored: gone.png)')
      expect(body).toContain('(an image that is too large to be shown: large.png)')
      expect(body).toContain('(an image that is too large to be shown: wide.png)')
    },
  )

  test('of very many images the newest are shown', async () => {
    const many = Array.from({ length: 30 }, (_, n) => ({
      ...image,
      hash: String(n).padStart(64, '0'),
      name: `${n}.png`,
    }))
    const body = await sent('anthropic/claude-sonnet-4-6', ...many)
    expect(body).toContain('(an image that is no longer shown: 9.png)')
    expect(body).toContain('(an image that is no longer stored: 10.png)')
  })

  test('that a provider refuses does not block the conversation: the sentence is sent instead', async () => {
    server.will({ status: 400, words: 'Could not process image' })
    const body = await sent('anthropic/claude-sonnet-4-6', image)
    expect(server.requests).toHaveLength(2)
    expect(body).toContain('cannot see: cat.png')
    // It may have been this one image.
    expect(await sent('anthropic/claude-sonnet-4-6', image)).toContain(encoded)
  })

  test('a model that refuses all images is not sent any more of them', async () => {
    const prompt = promptOf([{ role: 'user', text: 'What is it?', images: [image] }])
    const model = modelAt(server, 'openai/gpt-5.1', { readImage })
    server.will({ status: 400, words: 'This model does not support image input' })
    await model.call(prompt, calling())
    await model.call(prompt, calling())
    expect(server.requests.map(({ body }) => JSON.stringify(body).includes(encoded))).toEqual([
      true,
      false,
      false,
    ])
  })
})

test('what is known of a model says whether it sees', () => {
  const blind = [...BLIND, 'openai/o3-mini', 'ollama/gemma3:1b']
  expect([...SEEING, ...blind].filter((name) => knownModel(name).seesImages)).toEqual(SEEING)
})
