import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calling, modelAt, promptOf, providers, testKey } from '../../test/stand-ins/model-at.ts'
import type { Answer } from '../../test/stand-ins/model-answer.ts'
import { type ModelServer, startModelServer, type Turn } from '../../test/stand-ins/model-server.ts'
import { faultOf, shownUrl } from './contract/fault.ts'
import { ModelError } from './contract/model.ts'
import type { ModelOptions } from './models.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

const answer: Answer = {
  blocks: [{ text: 'A text that is long enough to come in several pieces.' }],
}

const long: Answer = { blocks: [{ text: 'words '.repeat(40) }] }

async function failure(provider: string, turn: Turn, more: ModelOptions = {}): Promise<ModelError> {
  server.will(turn)
  const error: unknown = await modelAt(server, provider, more)
    .call(promptOf('hello'), calling())
    .then(
      (reply) => reply,
      (thrown: unknown) => thrown,
    )
  expect(error).toBeInstanceOf(ModelError)
  return error as ModelError
}

describe.each(providers)('%s', (provider) => {
  test.each<[string, Turn, Partial<ModelError>]>([
    ['a reset connection', 'reset', { reason: 'network' }],
    ['a stream that is cut', { cut: answer, after: 4 }, { reason: 'network' }],
    ['a stream that ends without its end', { ended: answer, after: 4 }, { reason: 'network' }],
    ['500', { status: 500, trouble: 'overloaded' }, { reason: 'overloaded' }],
    ['503', { status: 503, trouble: 'overloaded' }, { reason: 'overloaded' }],
    ['529', { status: 529, trouble: 'overloaded' }, { reason: 'overloaded' }],
    [
      '429',
      { status: 429, trouble: 'rate-limited', headers: { 'retry-after': '7' } },
      { reason: 'rate-limited', retryAfterMs: 7000 },
    ],
    ['401', { status: 401, trouble: 'unauthorised' }, { reason: 'unauthorised' }],
    ['403', { status: 403, trouble: 'unauthorised' }, { reason: 'unauthorised' }],
    ['404', { status: 404, trouble: 'unknown-model' }, { reason: 'unknown-model' }],
    [
      '400 with its words for a prompt that is too long',
      { status: 400, trouble: 'overflow' },
      { reason: 'overflow' },
    ],
    ['413', { status: 413, words: 'too large' }, { reason: 'overflow' }],
    ['another 400', { status: 400, words: 'messages: wrong' }, { reason: 'rejected' }],
    [
      'an overload within the stream',
      { failed: answer, after: 4, trouble: 'overloaded' },
      { reason: 'overloaded' },
    ],
    [
      'an overflow within the stream',
      { failed: answer, after: 0, trouble: 'overflow' },
      { reason: 'overflow' },
    ],
    [
      'a page in place of an answer',
      { garbage: '<html>Login</html>', type: 'text/html' },
      { reason: 'garbled' },
    ],
    ['an empty answer', { garbage: '', type: 'text/event-stream' }, {}],
    [
      'an event that is no JSON',
      { garbage: provider === 'ollama' ? '{nope\n' : 'data: {nope\n\n', type: 'text/event-stream' },
      { reason: 'garbled' },
    ],
  ])('knows %s', async (_, turn, expected) => {
    const error = await failure(provider, turn)
    expect(error).toMatchObject(expected)
    expect(error.retriable).toBe(
      ['network', 'overloaded', 'rate-limited', 'garbled', 'timeout'].includes(error.reason),
    )
    expect(error.message).toMatch(/\.(?: The error: .*)?$/s)
    expect(server.requests).toHaveLength(1)
  })

  test('[COST1] what came before a stream was cut is kept, for it may be charged for; a refusal is not', async () => {
    const { heard = 'none' } = await failure(provider, { cut: long, after: 12 })
    expect(heard.length).toBeGreaterThan(0)
    expect(long.blocks[0]).toMatchObject({ text: expect.stringContaining(heard.trim()) as string })
    const refused: Turn[] = [
      { status: 500, trouble: 'overloaded' },
      { status: 429, trouble: 'rate-limited' },
      'reset',
    ]
    for (const turn of refused) expect((await failure(provider, turn)).heard).toBeUndefined()
  })

  test('a refused connection is the network', async () => {
    await server.close()
    expect(await failure(provider, 'reset')).toMatchObject({ reason: 'network' })
  })

  test('silence before the answer, and within it, is a timeout', async () => {
    expect(await failure(provider, { silent: answer, after: 0 }, { limits: { idleMs: 30 } })).toMatchObject({
      reason: 'timeout',
    })
    expect(await failure(provider, { silent: answer, after: 4 }, { limits: { idleMs: 60 } })).toMatchObject({
      reason: 'timeout',
    })
  })

  test('an abort ends the call at once, and the connection with it', async () => {
    server.will({ silent: answer, after: 6 })
    const { signal, abort } = abortable()
    let told = 0
    const onText = (): void => {
      told++
      abort()
    }
    const call = modelAt(server, provider).call(promptOf('hello'), calling({ signal, onText }))
    await expect(call).rejects.toMatchObject({ reason: 'aborted' })
    await server.hungUp
    expect(told).toBe(1)
  })

  test('an abort or a cut at any moment leaves no rejection behind', async () => {
    // The runner fails a run in which one is left.
    for (let after = 0; after < 14; after++) {
      // A call that timed out before it was sent leaves its turn to the next one.
      await server.close()
      server = await startModelServer()
      expect(await failure(provider, { cut: long, after })).toMatchObject({ reason: 'network' })
      const { signal, abort } = abortable()
      let left = after
      const onText = (): void => {
        if (left-- <= 0) abort()
      }
      server.will({ silent: long, after: after + 6 })
      const call = modelAt(server, provider, { limits: { idleMs: 40 } }).call(
        promptOf('hello'),
        calling({ signal, onText }),
      )
      await expect(call).rejects.toMatchObject({ reason: expect.stringMatching(/aborted|timeout/) })
    }
  })

  test('an abort that came before the call sends nothing', async () => {
    const { signal, abort } = abortable()
    abort()
    const call = modelAt(server, provider).call(promptOf('hello'), calling({ signal }))
    await expect(call).rejects.toMatchObject({ reason: 'aborted' })
    expect(server.requests).toHaveLength(0)
  })

  test('a key that cannot be sent is a refused one, and is not told either', async () => {
    const keys = { [provider]: 'sk-part\npart' }
    const error = await failure(provider, { status: 500 }, { keys })
    expect(error.reason).toBe('unauthorised')
    expect(error.cause).toBeUndefined()
    expect(error.message).not.toContain('part')
    expect(server.requests).toHaveLength(0)
  })

  test('an error never tells the key, although the provider does', async () => {
    const keys = { [provider]: testKey }
    const error = await failure(provider, { status: 401, words: `bad key ${testKey}` }, { keys })
    expect(error.message).toContain('bad key …')
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain(testKey)
  })
})

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

describe('a wait that the provider asks for', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  test.each([
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
  ])('is read from %o', async (headers, retryAfterMs) => {
    const turn: Turn = { status: 429, trouble: 'rate-limited', headers }
    expect(await failure('openai', turn, { now: () => now })).toMatchObject({ retryAfterMs })
    expect(await failure('ollama', turn, { now: () => now })).toMatchObject({ retryAfterMs })
  })

  test('is read from the body where Google puts it', async () => {
    expect(await failure('google', { status: 429, trouble: 'rate-limited' })).toMatchObject({
      retryAfterMs: 34_500,
    })
  })
})

test.each([
  ['openai', { status: 429, words: 'insufficient_quota: check your plan' }],
  ['anthropic', { status: 400, words: 'Your credit balance is too low to access the API' }],
  ['openrouter', { status: 402, words: 'Insufficient credits' }],
] as const)('%s without credit is not worth another try', async (provider, turn) => {
  expect(await failure(provider, turn)).toMatchObject({ reason: 'rejected', retriable: false })
})

test('a key that Google refuses with 400 is a refused key', async () => {
  const error = await failure('google', { status: 400, trouble: 'unauthorised' })
  expect(error).toMatchObject({ reason: 'unauthorised' })
  expect(error.message).toContain('GOOGLE_GENERATIVE_AI_API_KEY')
})

describe('an error says what happened, what to do and which setting to check', () => {
  const turns = {
    'a refused key': { status: 401, words: '' },
    'an unknown model': { status: 404, trouble: 'unknown-model' },
    'too many requests': { status: 429, words: '' },
    'a failing server': { status: 503, words: '' },
    'a refused request': { status: 400, words: 'messages: wrong' },
    'a spent account': { status: 402, words: '' },
    'a strange reply': { garbage: '<html>Login</html>', type: 'text/html' },
  } as const satisfies Record<string, Turn>
  const fallback = 'To let another model answer meanwhile, set `fallbackModels`.'

  test.each<[string, keyof typeof turns, (url: string) => string]>([
    [
      'anthropic',
      'a refused key',
      () =>
        'The API key for anthropic/claude-sonnet-4-6 was refused (401). Check `keys.anthropic` or ANTHROPIC_API_KEY.',
    ],
    [
      'openai-compatible',
      'an unknown model',
      (url) =>
        `${url}/v1 has no openai-compatible/some-model (404). Check the name and the URL (\`openaiCompatible.url\`), or set another \`model\`.`,
    ],
    [
      'ollama',
      'an unknown model',
      (url) =>
        `Ollama at ${url} has no model qwen3:8b (404). Run 'ollama pull qwen3:8b', or set another \`model\`.`,
    ],
    ['openai', 'too many requests', () => `Too many requests to openai/gpt-5.1 (429). ${fallback}`],
    ['google', 'a failing server', () => `The server of google/gemini-2.5-flash failed (503). ${fallback}`],
    [
      'ollama',
      'a refused request',
      () => 'ollama/qwen3:8b refused the request (400). The error: messages: wrong',
    ],
    [
      'ollama',
      'a spent account',
      () => 'Your account for ollama/qwen3:8b has no credit left (402). Add some, or set another `model`.',
    ],
    [
      'ollama',
      'a strange reply',
      (url) =>
        `${url} sent something that is not a reply of ollama/qwen3:8b. Check the URL (\`urls.ollama\` or OLLAMA_HOST) and your connection. The error: <html>Login</html>`,
    ],
  ])('%s: %s', async (provider, what, told) => {
    const { message } = await failure(provider, turns[what])
    expect(message).toContain(told(server.url))
  })

  test.each([
    ['ollama', 'Ollama at URL (`urls.ollama` or OLLAMA_HOST)'],
    ['openai-compatible', 'URL/v1 (`openaiCompatible.url`)'],
  ])('%s: a server that is not there', async (provider, who) => {
    await server.close()
    const { message } = await failure(provider, 'reset')
    const told = `${who} refused the connection. Start the server, or correct the URL.`
    expect(message).toBe(told.replace('URL', server.url))
  })

  test('a server that is silent', async () => {
    const { message } = await failure('ollama', { silent: answer, after: 0 }, { limits: { idleMs: 30 } })
    expect(message).toBe(
      `ollama/qwen3:8b sent nothing for too long (0 s), so the call was stopped. ${fallback}`,
    )
  })

  test("the URL is not doubted where it is the provider's own", () => {
    const settings = { key: '`keys.anthropic`' }
    const scene = { model: 'anthropic/some', url: 'https://api.anthropic.com/v1', settings, now: () => 0 }
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ENOTFOUND' } })
    expect(faultOf(refused, scene).message).toBe(
      'Could not reach https://api.anthropic.com/v1 (ENOTFOUND). Check your connection.',
    )
    expect(faultOf({ statusCode: 404, message: '' }, scene).message).toBe(
      'anthropic/some does not exist (404). Check the name, or set another `model`.',
    )
  })
})

test('a password within an address is not repeated', async () => {
  const urls = { 'openai-compatible': `http://user:hidden@${new URL(server.url).host}/v1` }
  const { message, reason } = await failure('openai-compatible', 'reset', { urls })
  expect(reason).toBe('unavailable')
  expect(message).toContain('Remove them from `openaiCompatible.url`.')
  expect(message).not.toContain('hidden')
  expect(shownUrl('http://user:hidden@host:1/v1?key=hidden')).toBe('http://host:1/v1')
})
