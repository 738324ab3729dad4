import { expect, test } from 'vitest'
import { makeTurnId } from '../../event/id.ts'
import { seededRandom } from '../../base/random.ts'
import { ApiError } from './error.ts'
import { respond, type Heard, type Tell } from './respond.ts'

const turn = makeTurnId(1, seededRandom(1))
const usage = {
  prompt_tokens: 1,
  completion_tokens: 1,
  total_tokens: 2,
  prompt_tokens_details: { cached_tokens: 0 },
}
const answer: Heard = {
  kind: 'answered',
  answer: { turn, text: 'Hi', finish: 'stop', usage },
}
const wanted = { isStream: true, hasUsage: false, ignored: ['system messages'] }

test('who has to wait gets headers and comments before anything is known, and then the answer', async () => {
  const waited = Promise.withResolvers<void>()
  const work = async (tell: Tell): Promise<void> => {
    await waited.promise
    for (const heard of [{ kind: 'taken', turn }, { kind: 'text', text: 'Hi' }, answer] as const) tell(heard)
  }
  const response = await respond(work, { wanted, now: 5_000, keepAliveMs: 1 })
  expect(response.headers.get('mainstem-turn')).toBeNull()
  expect(response.headers.get('mainstem-ignored')).toBe('system messages')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let got = ''
  const read = async (until: string): Promise<void> => {
    while (!got.includes(until)) got += (await reader?.read())?.value ?? ''
  }
  await read(': keep-alive\n\n: keep-alive\n\n')
  waited.resolve()
  await read('[DONE]')
  const data = got.split('\n\n').filter((block) => block.startsWith('data: '))
  expect(data.slice(0, -1).map((block) => JSON.parse(block.slice(6)) as unknown)).toMatchObject([
    { id: `chatcmpl-${turn}`, created: 5, choices: [{ delta: { role: 'assistant' }, finish_reason: null }] },
    { choices: [{ delta: { content: 'Hi' } }] },
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
  ])
})

test('a failure before the first words has its status, and one after them is a chunk', async () => {
  const error = new ApiError(503, 'No.', { code: 'overloaded' })
  const early = async (tell: Tell): Promise<void> => {
    tell({ kind: 'taken', turn })
    tell({ kind: 'failed', error })
  }
  await expect(respond(early, { wanted, now: 1 })).rejects.toBe(error)
  const late = async (tell: Tell): Promise<void> => {
    tell({ kind: 'text', text: 'Hi' })
    tell({ kind: 'failed', error })
  }
  const blocks = (await (await respond(late, { wanted, now: 1 })).text()).trim().split('\n\n')
  expect(blocks.slice(-2)).toEqual([
    'data: {"error":{"message":"No.","type":"server_error","param":null,"code":"overloaded"}}',
    'data: [DONE]',
  ])
})
