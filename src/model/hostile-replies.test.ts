import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calling, modelAt, promptOf, providers, testKey } from '../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer, type Turn } from '../../test/stand-ins/model-server.ts'
import { ModelError, type Reply } from './contract/model.ts'
import type { ModelOptions } from './models.ts'

let server: ModelServer
let elsewhere: ModelServer
beforeEach(async () => {
  server = await startModelServer()
  elsewhere = await startModelServer()
})
afterEach(() => Promise.all([server.close(), elsewhere.close()]))

async function failure(provider: string, turn: Turn, more: ModelOptions = {}): Promise<ModelError> {
  const outcome = await called(provider, turn, more).catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(ModelError)
  return outcome as ModelError
}

function called(provider: string, turn: Turn, more: ModelOptions = {}): Promise<Reply> {
  server.will(turn)
  return modelAt(server, provider, more).call(promptOf('hello'), calling())
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value < 1e9
}

const MIB = 1024 * 1024

describe.each(providers)('%s', (provider) => {
  test('usage that is no count becomes one that the log takes', async () => {
    for (const odd of [-1, 0.5, 1e300, Number.NaN, Number.MAX_SAFE_INTEGER]) {
      const usage = { in: odd, out: odd, cached: odd, written: odd }
      const reply = await called(provider, { blocks: [{ text: 'ok' }], usage }).catch(
        (error: unknown) => error,
      )
      // Some packages refuse such an answer themselves.
      if (reply instanceof ModelError) expect(reply.reason).toBe('garbled')
      else expect(Object.values((reply as Reply).usage).filter(isCount)).toHaveLength(4)
    }
  })

  test.each(['99999999999999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'retry-after: %s is a day at most',
    async (after) => {
      const { retryAfterMs = 0 } = await failure(provider, { status: 429, headers: { 'retry-after': after } })
      expect(retryAfterMs).toBeLessThanOrEqual(24 * 60 * 60 * 1000)
    },
  )

  test('a reply that no event could hold is an error', async () => {
    const args = JSON.stringify({ path: 'x'.repeat(5 * MIB) })
    for (const block of [{ text: 'x'.repeat(5 * MIB) }, { call: 'write', id: 'c1', args }])
      expect(await failure(provider, { blocks: [block] })).toMatchObject({
        reason: 'garbled',
        message: expect.stringContaining('more than an answer can have') as string,
      })
  })

  test('the name of a tool is cut', async () => {
    const { calls } = await called(provider, { blocks: [{ call: 'x'.repeat(MIB), id: 'c1', args: '{}' }] })
    expect(calls.map(({ tool }) => tool.length)).toEqual([128])
  })

  test.each([302, 307])(
    'a redirect is not followed, and the error says where it points: %d',
    async (status) => {
      const location = `${elsewhere.url}/v1/stolen?key=1`
      const error = await failure(provider, { status, headers: { location } })
      expect(elsewhere.requests).toEqual([])
      expect(error.retriable).toBe(false)
      expect(error.message).toContain(`redirects to ${elsewhere.url}/v1/stolen (${status})`)
      expect(error.message).toMatch(/If you trust that address, set it as the URL \(`/)
      expect(error.message).not.toContain(testKey)
    },
  )

  const comment = provider === 'ollama' ? '\n' : ': keep-alive\n\n'

  test.each([['keep-alives', comment] as const, ['letters', 'x'] as const])(
    'a stream that drips %s for ever is ended when its time is over',
    async (_, endless) => {
      const error = await failure(provider, { endless, everyMs: 1 }, { limits: { answerMs: 50 } })
      expect(error.retriable).toBe(true)
      expect(error.message).toContain('did not finish its answer in time')
    },
  )

  test('a stream without end is ended when it is too long', async () => {
    for (const endless of [comment.repeat(500), 'x'.repeat(5_000)]) {
      const error = await failure(provider, { endless }, { limits: { answerBytesMax: 100_000 } })
      expect(error.message).toContain('more than an answer can have')
    }
  })

  test('a single line without end is ended long before the whole answer', async () => {
    const { message } = await failure(provider, { endless: 'x'.repeat(MIB) })
    expect(message).toContain('more than an answer can have')
    await server.hungUp
    expect(server.bytesSent()).toBeLessThan(32 * MIB)
  })
})
