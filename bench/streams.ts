import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stopwatchMs } from '../src/base/clock.ts'
import { OwnerClient } from '../src/client/socket.ts'
import { openOwnLife } from '../src/cli/talk/own-life.ts'
import { readOwner } from '../src/owner/owner-file.ts'
import type { Data } from './data.ts'
import { median, share } from './measure.ts'
import { atMost, type Measure } from './report.ts'

const STREAMS = 1_000
const TURNS = 30
const WARM_UP = 5
const MORE_MB_MAX = 60
const REACHED_MS_MAX = 100
const PAGES = 200
const PAGE_EVENTS = 100
const PAGE_MS_MAX = 20
const WAIT_MS_MAX = 100
const SERVER = fileURLToPath(new URL('streams-once.ts', import.meta.url))
const MANY = STREAMS.toLocaleString('en')

/** What readers cost the process that they read from, and how long they wait. */
export async function measureStreams(data: Data): Promise<Measure[]> {
  return [...(await measureReaders(data)), ...(await measurePages(data))]
}

async function measureReaders(data: Data): Promise<Measure[]> {
  const home = mkdtempSync(join(data.directory, 'home-'))
  const server = fork(SERVER, [home], { execArgv: ['--expose-gc'] })
  try {
    await told(server, (message) => message === 'ready')
    const socketPath = readOwner(home)?.socket ?? ''
    const few = await openStreams(socketPath, WARM_UP)
    for (let n = 0; n < WARM_UP; n++) await answer(server)
    for (const stream of few) stream.destroy()
    const before = await sizeOf(server)
    const streams = await openStreams(socketPath, STREAMS)
    const open = await sizeOf(server)
    const reached = await reachAll(server, streams)
    const after = await sizeOf(server)
    for (const stream of streams) stream.destroy()
    const memory = { group: 'streams', unit: 'MB', goal: atMost(MORE_MB_MAX, 'value') } as const
    return [
      { ...memory, measure: `${MANY} streams open: memory more`, value: open - before },
      { ...memory, measure: `${MANY} streams open: memory more after ${TURNS} turns`, value: after - before },
      {
        group: 'streams',
        measure: `${MANY} streams open: a piece reaches all of them, p95`,
        value: share(reached, 0.95),
        unit: 'ms',
        goal: atMost(REACHED_MS_MAX, 'value'),
      },
    ]
  } finally {
    server.send('end')
    await once(server, 'exit')
    rmSync(home, { recursive: true, force: true })
  }
}

async function openStreams(socketPath: string, count: number): Promise<IncomingMessage[]> {
  const agent = new Agent({ maxSockets: Infinity })
  const streams: IncomingMessage[] = []
  const openOne = async (): Promise<void> => {
    const request = get({ socketPath, agent, path: '/api/stream', headers: { host: 'localhost' } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    await once(response, 'readable')
    streams.push(response)
  }
  // More at once than a socket's backlog has room for are refused.
  while (streams.length < count)
    await Promise.all(Array.from({ length: Math.min(100, count - streams.length) }, openOne))
  return streams
}

/** For each piece, how long it took from the model to the last of the streams. */
async function reachAll(server: ChildProcess, streams: readonly IncomingMessage[]): Promise<number[]> {
  const sent: number[] = []
  const got: { count: number; last: number }[] = []
  const listen = (message: unknown): void => {
    if (isPiece(message)) sent.push(message.pieceAt)
  }
  server.on('message', listen)
  for (const stream of streams) {
    let pieces = 0
    let rest = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      const now = performance.timeOrigin + performance.now()
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      const came = lines.filter((line) => line.startsWith('data: {"kind":"piece"')).length
      for (const end = pieces + came; pieces < end; pieces++) {
        const piece = (got[pieces] ??= { count: 0, last: 0 })
        piece.count++
        piece.last = now
      }
    })
  }
  for (let n = 0; n < TURNS; n++) await answer(server)
  while (got.length < sent.length || got.some(({ count }) => count < streams.length))
    await new Promise(setImmediate)
  server.off('message', listen)
  return got.map(({ last }, index) => last - (sent[index] ?? Number.NaN))
}

async function answer(server: ChildProcess): Promise<void> {
  const answered = told(server, (message) => message === 'answered')
  server.send('ask')
  await answered
}

async function sizeOf(server: ChildProcess): Promise<number> {
  const size = told(server, (message) => isSize(message))
  server.send('size')
  return ((await size) as Size).rssMb
}

/** The first message for which this holds. */
function told(server: ChildProcess, holds: (message: unknown) => boolean): Promise<unknown> {
  return new Promise((resolve) => {
    const listen = (message: unknown): void => {
      if (!holds(message)) return
      server.off('message', listen)
      resolve(message)
    }
    server.on('message', listen)
  })
}

interface Size {
  readonly rssMb: number
}

function isSize(message: unknown): message is Size {
  return typeof message === 'object' && message !== null && 'rssMb' in message
}

function isPiece(message: unknown): message is { readonly pieceAt: number } {
  return typeof message === 'object' && message !== null && 'pieceAt' in message
}

function fail(error: unknown): never {
  throw error
}

async function measurePages(data: Data): Promise<Measure[]> {
  const home = mkdtempSync(join(data.directory, 'home-'))
  copyFileSync(data.fileOf(100_000), join(home, 'log.db'))
  const own = await openOwnLife({ home, command: 'bench', environment: {}, fail })
  await own.listen({ rank: 'chat' })
  const client = new OwnerClient(readOwner(home)?.socket ?? '')
  try {
    const end = await own.life.log.read((log) => log.end)
    const times: number[] = []
    for (let n = 0; n < PAGES; n++) {
      const began = stopwatchMs()
      const after = Math.floor((end * n) / PAGES)
      await client.call('GET', `/api/log?after=${after}&limit=${PAGE_EVENTS}`)
      times.push(stopwatchMs() - began)
    }
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const began = stopwatchMs()
    await client.call('GET', '/api/log?kind=mark-set&grep=nobody%20ever%20wrote%20this')
    const searchMs = stopwatchMs() - began
    delay.disable()
    const at = 'at 100,000 messages'
    return [
      {
        group: 'streams',
        measure: `a page of /api/log, ${PAGE_EVENTS} events, ${at}`,
        value: median(times),
        unit: 'ms',
        goal: atMost(PAGE_MS_MAX, 'value'),
      },
      { group: 'streams', measure: `/api/log, looking for a rare kind ${at}`, value: searchMs, unit: 'ms' },
      {
        group: 'streams',
        measure: `the longest wait of others meanwhile`,
        value: delay.max / 1e6,
        unit: 'ms',
        goal: atMost(WAIT_MS_MAX, 'value'),
      },
    ]
  } finally {
    client.close()
    await own.close()
    rmSync(home, { recursive: true, force: true })
  }
}
