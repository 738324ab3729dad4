import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Settings } from '../event/prompt.ts'
import { calling, modelAt, promptOf, toolNamed } from '../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer } from '../../test/stand-ins/model-server.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

/** The body that a model of this name is sent. */
async function bodyFor(name: string, settings: Partial<Settings>) {
  await modelAt(server, name).call(promptOf('hello', { settings }), calling())
  return server.requests.at(-1)?.body
}

test.each([
  ['anthropic', (body: never) => body['max_tokens']],
  ['openai', (body: never) => body['max_output_tokens']],
  ['google', (body: never) => body['generationConfig']['maxOutputTokens']],
  ['openrouter', (body: never) => body['max_tokens']],
  ['openai-compatible', (body: never) => body['max_tokens']],
  ['ollama', (body: never) => body['options']['num_predict']],
])('%s is told how long an answer may be', async (provider, read) => {
  expect(read((await bodyFor(provider, { tokensMax: 321 })) as never)).toBe(321)
})

test.each([
  ['anthropic', (body: never) => body['temperature']],
  ['openai/gpt-4.1', (body: never) => body['temperature']],
  ['google', (body: never) => body['generationConfig']['temperature']],
  ['openrouter', (body: never) => body['temperature']],
  ['openai-compatible', (body: never) => body['temperature']],
  ['ollama', (body: never) => body['options']['temperature']],
])('%s is told the temperature, if one is set', async (name, read) => {
  expect(read((await bodyFor(name, { temperature: 0.3 })) as never)).toBe(0.3)
  expect(read((await bodyFor(name, { temperature: null })) as never)).toBeUndefined()
})

test.each(['anthropic/claude-opus-5-5', 'openai/gpt-5.6-sol', 'openai/o3'])(
  '%s refuses a temperature and gets none',
  async (name) => {
    const body = await bodyFor(name, { temperature: 0.3, thinking: 'adaptive' })
    expect(body.temperature).toBeUndefined()
    expect(server.requests).toHaveLength(1)
  },
)

test('a model that turns out to refuse a temperature is asked once more without, and never again with', async () => {
  const words = "Unsupported value: 'temperature' does not support 0.3 with this model."
  server.will({ status: 400, words })
  const model = modelAt(server, 'openai-compatible')
  const prompt = promptOf('hello', { settings: { temperature: 0.3 } })
  await model.call(prompt, calling())
  await model.call(prompt, calling())
  expect(server.requests.map(({ body }) => body.temperature)).toEqual([0.3, undefined, undefined])
})

test.each([
  ['openrouter', 'off', 'Reasoning is mandatory for this endpoint and cannot be disabled.'],
  ['google', 'off', 'Thinking budget 0 is not supported by this model.'],
  ['openai-compatible', 9000, "Unrecognized: 'reasoning_effort' is not supported"],
] as const)(
  'a %s model that cannot think as told (%s) decides itself, from then on',
  async (name, thinking, words) => {
    server.will({ status: 400, words })
    const model = modelAt(server, name)
    const prompt = promptOf('hello', { settings: { thinking, temperature: 0.5 } })
    await model.call(prompt, calling())
    await model.call(prompt, calling())
    expect(server.requests.map(({ body }) => /reasoning|thinking/.test(JSON.stringify(body)))).toEqual([
      true,
      false,
      false,
    ])
    expect(JSON.stringify(server.requests[2]?.body)).toContain('0.5')
  },
)

test('a model that refuses one thing after the other is asked without either', async () => {
  server.will(
    { status: 400, words: 'temperature is deprecated for this model' },
    { status: 400, words: 'reasoning effort is not supported' },
  )
  const prompt = promptOf('hello', { settings: { thinking: 9000, temperature: 0.5 } })
  expect((await modelAt(server, 'openai-compatible').call(prompt, calling())).text).toBe('ok')
  expect(server.requests).toHaveLength(3)
})

test('a model that goes on refusing is believed', async () => {
  const words = 'temperature is not supported'
  server.will({ status: 400, words }, { status: 400, words })
  const call = modelAt(server, 'openai-compatible').call(
    promptOf('hello', { settings: { temperature: 1 } }),
    calling(),
  )
  await expect(call).rejects.toMatchObject({ reason: 'rejected' })
  expect(server.requests).toHaveLength(2)
})

describe('thinking', () => {
  test.each<[string, Settings['thinking'], object]>([
    ['anthropic', 'off', { thinking: { type: 'disabled' } }],
    ['anthropic', 'adaptive', { thinking: { type: 'adaptive' } }],
    ['anthropic/claude-sonnet-4-5', 5000, { thinking: { type: 'enabled', budget_tokens: 5000 } }],
    ['anthropic/claude-sonnet-4-5', 10, { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    [
      'anthropic/claude-opus-5-5',
      100_000,
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    ['openai', 'off', { reasoning: { effort: 'none' } }],
    ['openai/o3', 'off', { reasoning: { effort: 'low' } }],
    ['openai', 2000, { reasoning: { effort: 'low' } }],
    ['openai', 100_000, { reasoning: { effort: 'high' } }],
    ['google', 'off', { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    [
      'google',
      'adaptive',
      { generationConfig: { thinkingConfig: { thinkingBudget: -1, includeThoughts: true } } },
    ],
    [
      'google',
      5000,
      { generationConfig: { thinkingConfig: { thinkingBudget: 5000, includeThoughts: true } } },
    ],
    ['google/gemini-4-argon', 5000, { generationConfig: { thinkingConfig: { thinkingLevel: 'medium' } } }],
    ['google/gemini-4-argon', 'off', { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }],
    ['openrouter', 'off', { reasoning: { enabled: false } }],
    ['openrouter', 5000, { reasoning: { max_tokens: 5000 } }],
    ['openai-compatible', 5000, { reasoning_effort: 'medium' }],
    ['ollama', 'off', { think: false }],
  ])('%s is told %o', async (name, thinking, expected) => {
    expect(await bodyFor(name, { thinking })).toMatchObject(expected)
  })

  test.each(['off', 'adaptive'] as const)('an unknown server is not told of %s', async (thinking) => {
    expect(await bodyFor('openai-compatible', { thinking })).not.toHaveProperty('reasoning_effort')
  })

  test.each(['adaptive', 5000] as const)(
    'Ollama lets a model that can think do so (%s)',
    async (thinking) => {
      expect(await bodyFor('ollama', { thinking })).not.toHaveProperty('think')
    },
  )
})

test('OpenAI leaves optional arguments optional', async () => {
  await modelAt(server, 'openai').call(promptOf('look', { tools: [toolNamed('read')] }), calling())
  expect(server.requests[0]?.body.tools[0].strict).toBe(false)
})

describe('Ollama', () => {
  test('is given the room that the model says it has, and may cut nothing', async () => {
    const model = modelAt(server, 'ollama', { contextTokens: 9000 })
    await model.call(promptOf('hello'), calling())
    expect(server.requests[0]?.body).toMatchObject({
      truncate: false,
      shift: false,
      options: { num_ctx: 9000 },
    })
    expect(model.contextTokens).toBe(9000)
  })

  test('is not shown tools that it may not call, for it has no tool choice', async () => {
    const prompt = promptOf('sum up', { tools: [toolNamed('read')], settings: { toolChoice: 'none' } })
    await modelAt(server, 'ollama').call(prompt, calling())
    expect(server.requests[0]?.body).not.toHaveProperty('tools')
  })

  test('calls get ids of their own where the server gives none', async () => {
    const call = { call: 'read', id: '', args: '{}' }
    server.will({ blocks: [call, call] })
    const prompt = promptOf('look', { tools: [toolNamed('read')] })
    const { calls } = await modelAt(server, 'ollama').call(prompt, calling())
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })
})
