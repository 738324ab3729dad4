import { expect, test } from 'vitest'
import { makeTurnId } from '../../event/id.ts'
import { seededRandom } from '../../base/random.ts'
import type { Heard } from './ask.ts'
import { ApiError } from './error.ts'
import { respond } from './respond.ts'

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

function telling() {
  let controller: ReadableStreamDefaultController<Heard> | undefined
  const heard = new ReadableStream<Heard>({ start: (own) => void (controller = own) })
  return { heard, tell: (one: Heard) => controller?.enqueue(one), end: () => controller?.close() }
}

test('who has to wait gets headers and comments before anything is known, and then the answer', async () => {
  const { heard, tell, end } = telling()
  const response = await respond(heard, { wanted, now: 5_000, keepAliveMs: 1 })
  expect(response.headers.get('mainstem-turn')).toBeNull()
  expect(response.headers.get('mainstem-ignored')).toBe('system messages')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let got = ''
  const read = async (until: string): Promise<void> => {
    while (!got.includes(until)) got += (await reader?.read())?.value ?? ''
  }
  await read(': keep-alive\n\n: keep-alive\n\n')
  tell({ kind: 'taken', turn })
  tell({ kind: 'text', text: 'Hi' })
  tell(answer)
  end()
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
  const early = telling()
  early.tell({ kind: 'taken', turn })
  early.tell({ kind: 'failed', error })
  await expect(respond(early.heard, { wanted, now: 1 })).rejects.toBe(error)
  const late = telling()
  late.tell({ kind: 'text', text: 'Hi' })
  late.tell({ kind: 'failed', error })
  late.end()
  const blocks = (await (await respond(late.heard, { wanted, now: 1 })).text()).trim().split('\n\n')
  expect(blocks.slice(-2)).toEqual([
    'data: {"error":{"message":"No.","type":"server_error","param":null,"code":"overloaded"}}',
    'data: [DONE]',
  ])
})
