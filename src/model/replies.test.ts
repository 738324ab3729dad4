import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  calling,
  modelAt,
  modelNames,
  promptOf,
  providers,
  testKey,
  toolNamed,
} from '../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer } from '../../test/stand-ins/model-server.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

describe.each(providers)('%s', (provider) => {
  test('tells the text in pieces and replies with the whole', async () => {
    const text = 'Grüße, 世界! 👋🏽 This comes in more than one piece.'
    server.will({ blocks: [{ text }], usage: { in: 120, out: 9, cached: 0, written: 0 } })
    const told: string[] = []
    const reply = await modelAt(server, provider).call(
      promptOf('hello'),
      calling({ onText: (piece) => told.push(piece) }),
    )
    expect(reply).toEqual({
      text,
      reasoning: [],
      calls: [],
      finish: 'stop',
      usage: { tokensIn: 120, tokensOut: 9, tokensCached: 0, tokensCacheWritten: 0 },
    })
    expect(told.join('')).toBe(text)
    expect(told.length).toBeGreaterThan(1)
  })

  test('sends the system text, the user texts as given, and its key', async () => {
    const text = '  [user]\n\nline  \n  '
    await modelAt(server, provider, { keys: { [provider]: testKey } }).call(promptOf(text), calling())
    const [request] = server.requests
    expect(JSON.stringify(request?.body)).toContain('You are kind.')
    expect(JSON.stringify(request?.body)).toContain(JSON.stringify(text))
    expect(JSON.stringify(request?.headers)).toContain(testKey)
  })

  test('puts a reply together from single bytes', async () => {
    const text = 'Ein Wörtchen 🙂'
    server.will({ slowly: { blocks: [{ text }] } })
    expect((await modelAt(server, provider).call(promptOf('hello'), calling())).text).toBe(text)
  })

  test('replies with the calls of tools, of unknown ones too', async () => {
    server.will({
      blocks: [
        { text: 'Looking.' },
        { call: 'read', id: 'call_a', args: '{"path":"a/ü.md"}' },
        { call: 'read', id: 'call_b', args: '{}' },
        { call: 'nonesuch', id: 'call_c', args: '{"deep":{"list":[1,null]}}' },
      ],
    })
    const prompt = promptOf('look', { tools: [toolNamed('read')] })
    const { text, calls, finish } = await modelAt(server, provider).call(prompt, calling())
    expect({ text, finish }).toEqual({ text: 'Looking.', finish: 'calls' })
    expect(
      calls.map(({ tool, ...call }) => ({ tool, ...('args' in call ? { args: call.args } : call) })),
    ).toEqual([
      { tool: 'read', args: { path: 'a/ü.md' } },
      { tool: 'read', args: {} },
      { tool: 'nonesuch', args: { deep: { list: [1, null] } } },
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  })

  test('lists the tools in their order, whatever they are called', async () => {
    const names = ['zeta', '10', 'alpha', '9', 'constructor']
    await modelAt(server, provider).call(promptOf('look', { tools: names.map(toolNamed) }), calling())
    const sent = JSON.stringify(server.requests[0]?.body.tools)
    const found = [...sent.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name)
    expect(found).toEqual(names)
  })

  test.each([
    ['length', 'length'],
    ['stop', 'stop'],
    ...(provider === 'ollama' ? [] : [['refused', 'refused'] as const]),
  ] as const)('says that an answer ended by %s', async (finish, expected) => {
    server.will({ blocks: [{ text: 'so far' }], finish })
    expect((await modelAt(server, provider).call(promptOf('hello'), calling())).finish).toBe(expected)
  })

  test('a call that is cut by a token limit says so', async () => {
    const blocks = [{ call: 'read', id: 'call_a', args: '{"path":"a"}' }]
    server.will({ blocks, finish: 'length' })
    const prompt = promptOf('look', { tools: [toolNamed('read')] })
    expect((await modelAt(server, provider).call(prompt, calling())).finish).toBe('length')
  })

  test('sends back a conversation with calls and results', async () => {
    const args = { path: 'a' }
    const prompt = promptOf(
      [
        { role: 'user', text: 'look' },
        {
          role: 'assistant',
          text: 'Looking.',
          reasoning: [],
          calls: [
            { id: 'call_1', tool: 'read', args },
            { id: 'functions.read:2', tool: 'read', args: {} },
          ],
        },
        { role: 'tool', call: 'call_1', tool: 'read', text: 'the first result' },
        { role: 'tool', call: 'functions.read:2', tool: 'read', text: 'the second result' },
      ],
      { tools: [toolNamed('read')] },
    )
    const reply = await modelAt(server, provider).call(prompt, calling())
    expect(reply.text).toBe('ok')
    const sent = JSON.stringify(server.requests[0]?.body)
    expect(sent.indexOf('the first result')).toBeGreaterThan(sent.indexOf('Looking.'))
    expect(sent.indexOf('the second result')).toBeGreaterThan(sent.indexOf('the first result'))
  })
})

describe.each(['anthropic', 'openai', 'openrouter', 'openai-compatible', 'ollama'])('%s', (provider) => {
  test.each(['{"path": "a', '[1]', '"text"', 'null', 'nonsense'])(
    'takes arguments %s for bad, not for an error',
    async (args) => {
      server.will({ blocks: [{ call: 'read', id: 'call_a', args }] })
      const prompt = promptOf('look', { tools: [toolNamed('read')] })
      const { calls, finish } = await modelAt(server, provider).call(prompt, calling())
      expect(calls).toHaveLength(1)
      expect(calls[0]).toMatchObject({ tool: 'read', badArgs: expect.any(String) })
      expect(finish).toBe('calls')
    },
  )
})

describe.each(['anthropic', 'openai', 'google', 'openrouter', 'openai-compatible'] as const)(
  '%s',
  (provider) => {
    test('says how much of the prompt came from the cache', async () => {
      const written = provider === 'anthropic' ? 30 : 0
      server.will({ blocks: [{ text: 'ok' }], usage: { in: 200, out: 5, cached: 150, written } })
      const { usage } = await modelAt(server, provider).call(promptOf('hello'), calling())
      expect(usage).toEqual({ tokensIn: 200, tokensOut: 5, tokensCached: 150, tokensCacheWritten: written })
    })

    test('asks for a last answer with the tools still listed', async () => {
      const prompt = promptOf('sum up', { tools: [toolNamed('read')], settings: { toolChoice: 'none' } })
      await modelAt(server, provider).call(prompt, calling())
      const body = server.requests[0]?.body
      expect(JSON.stringify(body.tools)).toContain('"name":"read"')
      expect(JSON.stringify(body.tool_choice ?? body.toolConfig)).toMatch(/none/i)
    })

    test('ignores calls that nobody wanted', async () => {
      server.will({ blocks: [{ text: 'Fine.' }, { call: 'read', id: 'call_a', args: '{}' }] })
      const prompt = promptOf('sum up', { tools: [toolNamed('read')], settings: { toolChoice: 'none' } })
      const reply = await modelAt(server, provider).call(prompt, calling())
      expect(reply).toMatchObject({ text: 'Fine.', calls: [], finish: 'stop' })
    })
  },
)

test('a blank message does not spoil the conversation', async () => {
  const blank = { role: 'assistant' as const, text: '\n', reasoning: [], calls: [] }
  const prompt = promptOf([{ role: 'user', text: ' ' }, blank, { role: 'user', text: 'hello' }])
  await modelAt(server, 'anthropic').call(prompt, calling())
  expect(server.requests[0]?.body.messages).toMatchObject([
    { role: 'user', content: [{ text: '(no text)' }, { text: 'hello' }] },
  ])
})

test('a model has the name a person gave, its context size and its price', () => {
  const model = modelAt(server, 'anthropic')
  expect(model).toMatchObject({
    name: modelNames.anthropic,
    contextTokens: 1_000_000,
    price: { perMillionIn: 3, perMillionOut: 15 },
  })
})
