import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { calling, modelNames, promptOf } from '../../test/stand-ins/model-at.ts'
import { startModelServer } from '../../test/stand-ins/model-server.ts'
import { knownModel } from './known-models.ts'
import { FREE, ModelError } from './contract/model.ts'
import { openModel } from './models.ts'
import { scriptedModel } from './scripted.ts'

function refusal(name: string, options = {}): ModelError {
  try {
    openModel(name, options)
  } catch (error) {
    if (error instanceof ModelError) return error
  }
  throw new Error(`${name} was opened`)
}

const price = (url: string, more = {}) =>
  openModel('openai-compatible/llama', { urls: { 'openai-compatible': url }, ...more }).price
const ollama = (url: string | undefined, key?: string) =>
  openModel('ollama/qwen3', { urls: { ollama: url }, keys: { ollama: key } }).price

describe('[COST1] a model on this machine or a private network is free', () => {
  test.each([
    'http://127.0.0.1:8000/v1',
    'http://localhost:1234/v1',
    'http://192.168.1.20/v1',
    'http://nas.local/v1',
  ])('openai-compatible at %s', (url) => {
    expect(price(url)).toEqual(FREE)
    expect(price(url, { keys: { 'openai-compatible': 'k' } })).toEqual(FREE)
  })

  test('a server elsewhere is not, and a price that somebody set counts everywhere', () => {
    expect(price('https://llm.example.com/v1')).toBeUndefined()
    const paid = { perMillionIn: 3, perMillionOut: 3, perMillionCached: 3 }
    expect(price('http://127.0.0.1:8000/v1', { compatiblePrice: 3 })).toEqual(paid)
    expect(price('https://llm.example.com/v1', { compatiblePrice: 3 })).toEqual(paid)
    expect(price('https://llm.example.com/v1', { compatiblePrice: 0 })).toEqual(FREE)
  })

  test('Ollama is, also behind a key here; elsewhere a key may cost', () => {
    expect([ollama(undefined), ollama(undefined, 'k'), ollama('192.168.0.9', 'k')]).toEqual([
      FREE,
      FREE,
      FREE,
    ])
    expect(ollama('https://ollama.com', 'k')).toBeUndefined()
  })
})

describe('what is missing is named', () => {
  test.each([
    ['anthropic/claude-opus-5-5', 'an API key. Set `keys.anthropic` or ANTHROPIC_API_KEY.'],
    ['openai/gpt-5.1', 'an API key. Set `keys.openai` or OPENAI_API_KEY.'],
    ['google/gemini-2.5-pro', 'an API key. Set `keys.google` or GOOGLE_GENERATIVE_AI_API_KEY.'],
    ['openrouter/openai/gpt-5.1', 'an API key. Set `keys.openrouter` or OPENROUTER_API_KEY.'],
    ['openai-compatible/llama', 'a URL. Set `openaiCompatible.url`.'],
  ])('%s needs %s', (name, needed) => {
    expect(refusal(name)).toMatchObject({ reason: 'unavailable', retriable: false })
    expect(refusal(name).message).toBe(`${name} needs ${needed}`)
    expect(refusal(name, { keys: { anthropic: '', openai: '', google: '' } }).message).toBe(
      `${name} needs ${needed}`,
    )
  })

  test('an unknown provider is told with the nearest, and all there are', () => {
    const { reason, message } = refusal('antropic/claude-opus-5-5')
    expect(reason).toBe('unavailable')
    expect(message).toContain('Did you mean anthropic/claude-opus-5-5?')
    for (const provider of Object.keys(modelNames)) expect(message).toContain(`${provider}/MODEL`)
    expect(refusal('olama/qwen3').message).toContain('Did you mean ollama/qwen3?')
    expect(refusal('ofline').message).toContain('Did you mean offline?')
    expect(refusal('xyz/abc').message).toMatch(
      /^Unknown model provider 'xyz'\. You can use anthropic\/MODEL, /,
    )
  })

  test.each(['anthropic', 'anthropic/', 'toString/x', ''])('%j names no model', (name) => {
    expect(refusal(name).reason).toBe('unavailable')
  })

  test('a compatible server needs no key', async () => {
    const server = await startModelServer()
    const model = openModel('openai-compatible/llama', { urls: { 'openai-compatible': `${server.url}/v1/` } })
    expect((await model.call(promptOf('hello'), calling())).text).toBe('ok')
    expect(server.requests[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'llama' } })
    expect(server.requests[0]?.headers.authorization).toBeUndefined()
    await server.close()
  })
})

test('what comes after the provider is the model, slashes and all', async () => {
  const server = await startModelServer()
  const urls = { openrouter: `${server.url}/openrouter/v1`, ollama: server.url }
  const options = { keys: { openrouter: 'k' }, urls }
  await openModel('openrouter/meta/llama-4:free', options).call(promptOf('hello'), calling())
  await openModel('ollama/hf.co/unsloth/Qwen3-GGUF:Q4_K_M', options).call(promptOf('hello'), calling())
  expect(server.requests.map(({ body }) => body.model)).toEqual([
    'meta/llama-4:free',
    'hf.co/unsloth/Qwen3-GGUF:Q4_K_M',
  ])
  await server.close()
})

test.each([
  (url: string) => url.replace('http://', ''),
  (url: string) => `${url}/`,
  (url: string) => url.replace('127.0.0.1', '0.0.0.0'),
])('OLLAMA_HOST may be what a server listens on', async (written) => {
  const server = await startModelServer()
  const model = openModel('ollama/qwen3', { urls: { ollama: written(server.url) } })
  expect((await model.call(promptOf('hello'), calling())).text).toBe('ok')
  expect(server.requests[0]?.headers.host).toMatch(/^127\.0\.0\.1:/)
  await server.close()
})

test('offline is made by whoever put the program together', () => {
  const offline = scriptedModel([], { name: 'offline' })
  expect(openModel('offline', { offline: () => offline })).toBe(offline)
  expect(refusal('offline').reason).toBe('unavailable')
})

describe('a script in a file', () => {
  test('is played', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'mainstem-script-')), 'script.json')
    await writeFile(file, '[{"reply":{"text":"one"}},{"reply":{"text":"two"}}]')
    const model = openModel(`scripted:${file}`)
    expect((await model.call(promptOf('a'), calling())).text).toBe('one')
    expect((await model.call(promptOf('b'), calling())).text).toBe('two')
  })

  test.each(['{"reply"', '[{"replies":{}}]', undefined])('that cannot be used says so: %s', async (text) => {
    const file = join(await mkdtemp(join(tmpdir(), 'mainstem-script-')), 'script.json')
    if (text !== undefined) await writeFile(file, text)
    const call = openModel(`scripted:${file}`).call(promptOf('a'), calling())
    await expect(call).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining(file),
    })
  })
})

test.each([
  ['[{"replies":{}}]', 'step 1: Unrecognized key: "replies"; a step may have expect, delayMs, reply, '],
  ['[{},{"reply":{"text":5}}]', 'step 2, reply.text: expected string, received number'],
  ['[{"finish":"end"}]', 'step 1, finish: expected one of "stop"|"calls"|"length"|"refused"'],
  ['[{"calls":[{"tool":"a","args":1}]}]', 'step 1, calls.0.args: a JSON object is needed'],
  ['{"reply":{}}', 'a list of steps was expected, as in [{"reply":{"text":"Hello"}}]'],
])('what does not fit in a script is told in one sentence: %s', async (text, told) => {
  const file = join(await mkdtemp(join(tmpdir(), 'mainstem-script-')), 'script.json')
  await writeFile(file, text)
  const message = await openModel(`scripted:${file}`)
    .call(promptOf('a'), calling())
    .then(
      () => 'played',
      (error: ModelError) => error.message,
    )
  expect(message).toContain(`scripted:${file}: the script cannot be used: ${told}`)
  expect(message).not.toContain('\n')
})

describe('sizes and prices', () => {
  test.each([
    ['anthropic/claude-opus-5-5', 1_000_000, 4],
    ['anthropic/claude-opus-4-5-20251101', 200_000, 5],
    ['anthropic/claude-haiku-4-5', 200_000, 1],
    ['openai/gpt-5.4-mini', 400_000, 0.75],
    ['openai/gpt-5-mini-2025-08-07', 400_000, 0.25],
    ['openai/gpt-5.1', 400_000, 1.25],
    ['openai/gpt-5-pro', 400_000, undefined],
    ['openai/gpt-6.1-terra', 1_050_000, 1],
    ['google/gemini-2.5-flash-lite', 1_048_576, 0.1],
    ['openrouter/anthropic/claude-opus-4.6', 1_000_000, 5],
    ['openrouter/mystery/model', 128_000, undefined],
    ['openai-compatible/llama', 128_000, undefined],
    ['ollama/qwen3:8b', 16_384, undefined],
  ])('%s has %i tokens and costs %d', (name, contextTokens, perMillionIn) => {
    const known = knownModel(name)
    expect(known.contextTokens).toBe(contextTokens)
    expect(known.price?.perMillionIn).toBe(perMillionIn)
  })
})

test('opening models loads no provider and no SDK', async () => {
  const script = `
    const { openModel } = await import('./src/model/models.ts')
    openModel('anthropic/claude-opus-5-5', { keys: { anthropic: 'k' } })
    openModel('ollama/qwen3')
    openModel('scripted:nothing')
    console.log(JSON.stringify(globalThis.__loaded))`
  const hook = `
    import { registerHooks } from 'node:module'
    globalThis.__loaded = []
    registerHooks({ load(url, context, next) { globalThis.__loaded.push(url); return next(url, context) } })`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(hook)}`,
    '--input-type=module',
    '-e',
    script,
  ])
  const loaded = JSON.parse(stdout) as string[]
  expect(loaded.some((url) => url.endsWith('/src/model/models.ts'))).toBe(true)
  expect(loaded.filter((url) => /\/node_modules\/(?!ipaddr\.js\/)/.test(url))).toEqual([])
})
