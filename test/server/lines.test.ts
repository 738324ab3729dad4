import { expect, test } from 'vitest'
import type { OwnerClient, SentEvent } from '../../src/client/socket.ts'
import { serving } from './stage.ts'

const { signal } = new AbortController()

async function say(client: OwnerClient, key: string, text: string): Promise<SentEvent[]> {
  const body = { thread: key, say: { key, text } }
  return Array.fromAsync(client.stream('/api/lines', signal, body))
}

test('what is said over the socket is answered there, and the stream ends', async () => {
  const { client } = await serving()
  const events = await say(client, 'k1', 'hello')
  expect(events.map(({ event }) => event)).toEqual(['said', 'outcome'])
  expect(events[0]?.data).toMatchObject({ form: 'answer', part: 'result', branch: 'main', isAgain: false })
})

test('of ten that say something at once, each gets its own answer', async () => {
  const { client } = await serving()
  const names = Array.from({ length: 10 }, (_, index) => `k${index}`)
  const all = await Promise.all(names.map((name) => say(client, name, `echo ${name}`)))
  const told = all.map((events) => events.flatMap(({ event, data }) => (event === 'said' ? [data] : [])))
  expect(told.map((said) => said.length)).toEqual(names.map(() => 1))
  const turns = told.map(([said]) => (said as { turn: string }).turn)
  expect(new Set(turns).size).toBe(10)
})

test('[RECV1] the same key again, on another connection, is answered from the log', async () => {
  const { client, life } = await serving()
  const first = await say(client, 'k1', 'hello')
  const end = await life.log.read((reader) => reader.end)
  const again = await say(client, 'k1', 'hello')
  expect(again).toEqual(first.filter(({ event }) => event === 'outcome'))
  expect(await life.log.read((reader) => reader.end)).toBe(end)
})

test('what the log refuses is told as such, and a way out as well', async () => {
  const { client } = await serving()
  expect(await say(client, 'k1', '/exit')).toEqual([
    { event: 'exit', data: null },
    expect.objectContaining({ event: 'said' }),
    expect.objectContaining({ event: 'outcome' }),
  ])
  const [refused, ...more] = await say(client, 'k2', 'x'.repeat(17 * 1024 * 1024))
  expect(refused).toEqual({ event: 'refused', data: expect.stringContaining('at most 1,000,000') as string })
  expect(more).toEqual([])
})

test('a question is told its own answer, also behind one that nobody is there for, which waits', async () => {
  const { client, life } = await serving()
  const source = { origin: 'program', channel: 'terminal', conversation: 'local', person: 'owner' } as const
  await life.receive({ ...source, messageId: 'gone', thread: 'gone', text: 'hello' })
  await life.agent.settled()
  const events = await say(client, 'k1', 'hello')
  const outcome = events.at(-1)?.data as { deliveries: readonly { id: number }[] }
  expect(events.map(({ event }) => event)).toEqual(['outcome'])
  expect(outcome.deliveries).toHaveLength(1)
  const leaving = new AbortController()
  const heard: number[] = []
  const seat = (async () => {
    for await (const { data } of client.stream('/api/lines/t1', leaving.signal))
      heard.push((data as { id: number }).id)
  })()
  await expect.poll(() => heard).toHaveLength(2)
  expect(heard).toContain(outcome.deliveries[0]?.id)
  leaving.abort()
  await seat
})

test('whoever waits with a seat hears what nobody there asked for', async () => {
  const { client, life } = await serving()
  const leaving = new AbortController()
  const heard: unknown[] = []
  const seat = (async () => {
    for await (const { data } of client.stream('/api/lines/t1', leaving.signal)) heard.push(data)
  })()
  await life.receive({
    origin: 'terminal',
    channel: 'terminal',
    conversation: 'local',
    person: 'owner',
    messageId: null,
    text: 'hello',
  })
  await expect.poll(() => heard).toEqual([expect.objectContaining({ form: 'answer', part: 'nothing' })])
  leaving.abort()
  await seat
})
