import { request, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import type { SentEvent } from '../../src/client/socket.ts'
import { fromLine } from '../../src/event/codec.ts'
import type { Life } from '../../src/runtime/life/life.ts'
import { terminalAddress, typedInbound } from '../../src/runtime/terminal/place.ts'
import { branchFor } from '../../src/agent/branch/binding.ts'
import { serving } from './stage.ts'

const never = new AbortController().signal

/** Reads until `isLast` holds of an event, and says what came. */
async function readTo(
  stream: AsyncIterable<SentEvent>,
  isLast: (event: SentEvent) => boolean,
): Promise<SentEvent[]> {
  const events: SentEvent[] = []
  for await (const event of stream) {
    events.push(event)
    if (isLast(event)) break
  }
  return events
}

const isAt = (position: number) => (event: SentEvent) => event.id === position

function get(socketPath: string, path: string, headers = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, headers }, resolve).on('error', reject).end()
  })
}

async function mark(life: Life, name: string): Promise<number> {
  return life.log.write((writing) => {
    const branch = branchFor(writing, terminalAddress, { at: 1, seed: 1 })
    return writing.append({ kind: 'mark-set', branch, at: 1, v: 1, name, author: { by: 'person' } })
  })
}

test('[STREAM1] a stream goes on with Last-Event-ID, also on the next owner, without a gap or a repeat', async () => {
  const first = await serving()
  const one = await mark(first.life, 'one')
  const before = await readTo(first.client.stream('/api/stream?after=0', never), isAt(one))
  await mark(first.life, 'two')
  await first.close()
  const second = await serving({ home: first.home })
  const three = await mark(second.life, 'three')
  const headers = { 'last-event-id': String(one) }
  const response = await get(second.socket, '/api/stream?after=0', headers)
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk)
    if (text.includes(`id: ${three}\n`) && text.endsWith('\n\n')) break
  }
  const ids = [...text.matchAll(/^id: (\d+)\nevent: event$/gm)].map(([, id]) => Number(id))
  const got = [...before.filter(({ event }) => event === 'event').map(({ id }) => id), ...ids]
  expect(got).toEqual(Array.from({ length: three }, (_, index) => index + 1))
  const [data = ''] = /(?<=^data: ).*"three".*$/m.exec(text) ?? []
  expect(fromLine(data)).toMatchObject({ kind: 'mark-set', name: 'three', position: three })
})

test('a turn is told as it happens: its pieces, the answer in the log, then its end', async () => {
  const { client, life } = await serving()
  const stream = client.stream('/api/stream', never)
  const opened = await stream.next()
  expect(opened.value).toMatchObject({ event: 'opened', id: await life.log.read(({ end }) => end) })
  await life.receive(typedInbound('hello', { origin: 'terminal', key: 'k' }))
  const told = await readTo(stream, ({ event, data }) => event === 'happening' && isKind(data, 'turn-ended'))
  const kinds = told.map(({ data }) => (data as { kind: string }).kind)
  expect(kinds.indexOf('turn-started')).toBeLessThan(kinds.indexOf('piece'))
  expect(kinds.indexOf('piece')).toBeLessThan(kinds.lastIndexOf('message-added'))
  expect(told.filter(({ event }) => event === 'happening').every(({ id }) => id === undefined)).toBe(true)
})

function isKind(data: unknown, kind: string): boolean {
  return (data as { kind: string }).kind === kind
}

/** Writes two megabytes, more than a socket takes that nobody reads from; a reader of `stream` keeps up. */
async function writeMuch(life: Life, stream: AsyncGenerator<SentEvent>): Promise<void> {
  const text = 'x'.repeat(50_000)
  for (let n = 0; n < 40; n++) {
    const at = await life.log.write((writing) => {
      const branch = branchFor(writing, terminalAddress, { at: 1, seed: 1 })
      return writing.append({ kind: 'content-kept', branch, at: 1, v: 1, hash: hash(n), text })
    })
    for (let next = await stream.next(); next.value?.id !== at; next = await stream.next())
      expect(next.done).toBe(false)
  }
}

test('[STREAM1] a client that stops reading is cut off, told where to resume, while another gets everything', async () => {
  const { client, life, socket } = await serving({ stream: { behindBytesMax: 10_000 } })
  const stuck = await get(socket, '/api/stream?after=now')
  await writeMuch(life, client.stream('/api/stream?after=now', never))
  const text = Buffer.concat(await Array.fromAsync(stuck)).toString()
  const last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1]
  expect(text.endsWith(`event: cut\ndata: {"position":${last}}\n\n`)).toBe(true)
  expect(text.length).toBeLessThan(1_500_000)
})

test('[STREAM1] the connection of a client that never reads again is closed', async () => {
  const { client, life, socket } = await serving({ stream: { behindBytesMax: 10_000, patienceMs: 10 } })
  const stuck = await get(socket, '/api/stream?after=now')
  stuck.socket.on('error', () => undefined)
  await writeMuch(life, client.stream('/api/stream?after=now', never))
  // Writing to it is how one who does not read finds out.
  const isClosed = (): boolean => {
    stuck.socket.write('\r\n')
    return stuck.socket.destroyed
  }
  await expect.poll(isClosed).toBe(true)
})

function hash(n: number): string {
  return String(n).padStart(64, '0')
}

test('an idle stream has a comment now and then, and ends cleanly when the server does', async () => {
  const { socket, close } = await serving({ stream: { keepAliveMs: 10 } })
  const response = await get(socket, '/api/stream')
  expect(response.headers['content-type']).toBe('text/event-stream')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk)
    if (/\n\n:\n\n:\n\n/.test(text)) void close()
  }
  expect(response.complete).toBe(true)
})

test('a position that the log does not have is refused', async () => {
  const { client, life } = await serving()
  const end = await life.log.read((reader) => reader.end)
  const opened = (after: string) => client.stream(`/api/stream?after=${after}`, never).next()
  const none = `There is no position 9999 in this log, which ends at ${end}.`
  await expect(opened('9999')).rejects.toThrow(none)
  await expect(opened('-1')).rejects.toThrow('The address is wrong: after: It is a position, or now.')
})
