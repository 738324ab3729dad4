import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calling, modelAt, promptOf } from '../../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer, type Turn } from '../../../test/stand-ins/model-server.ts'
import { estimateTokens } from '../../base/tokens.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

const text = 'An answer of some length, which nobody has counted.'
const choice = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const call = { index: 0, id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"here"}' } }

const uncounted: Record<string, Turn> = {
  'openai-compatible': {
    garbage: `${choice({ content: text })}${choice({ tool_calls: [call] })}${choice({}, 'stop')}data: [DONE]\n\n`,
    type: 'text/event-stream',
  },
  ollama: {
    garbage: [
      { message: { role: 'assistant', content: text }, done: false },
      { message: { role: 'assistant', tool_calls: [call] }, done: true, done_reason: 'stop' },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
    type: 'application/x-ndjson',
  },
}

describe.each(Object.entries(uncounted))('%s', (provider, turn) => {
  test('what the server does not count is estimated from prompt and answer', async () => {
    server.will(turn)
    const prompt = promptOf('word '.repeat(1_000))
    const { usage } = await modelAt(server, provider).call(prompt, calling())
    expect(usage.tokensIn).toBeGreaterThan(900)
    expect(usage.tokensIn).toBeLessThan(1_500)
    expect(usage.tokensOut).toBeGreaterThan(estimateTokens(text))
    expect(usage.tokensOut).toBeLessThan(estimateTokens(text) + 20)
  })

  test('zeros are no count, and a count is left as it is', async () => {
    const zeros = { in: 0, out: 0, cached: 0, written: 0 }
    server.will(
      { blocks: [{ text }], usage: zeros },
      { blocks: [{ text }], usage: { ...zeros, in: 7, out: 3 } },
    )
    const model = modelAt(server, provider)
    const estimated = await model.call(promptOf('word '.repeat(1_000)), calling())
    expect(estimated.usage.tokensIn).toBeGreaterThan(900)
    expect(estimated.usage.tokensOut).toBe(estimateTokens(text))
    const counted = await model.call(promptOf('word '.repeat(1_000)), calling())
    expect(counted.usage).toEqual({ tokensIn: 7, tokensOut: 3, tokensCached: 0, tokensCacheWritten: 0 })
  })
})
