import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { stopwatchMs } from '../src/base/clock.ts'
import { newKey } from '../src/base/random.ts'
import { openOwnLife, type OwnLife } from '../src/cli/talk/own-life.ts'
import type { Life } from '../src/runtime/life/life.ts'
import { typedInbound } from '../src/runtime/terminal/place.ts'
import type { Data } from './data.ts'
import { share } from './measure.ts'
import { atMost, type Measure } from './report.ts'

const TURNS = 300
const WARM_UP = 30
/** Before a conversation fills the model: what is measured is a turn, not a long prompt. */
const CLEAR_EVERY = 15
const P50_MS_MAX = 10
const P95_MS_MAX = 25

/** What a client of /v1 waits longer than somebody who types the same in a chat, in one process and in turn. */
export async function measureV1(data: Data): Promise<Measure[]> {
  const home = join(data.directory, 'v1-home')
  mkdirSync(home)
  const environment = { MAINSTEM_MODEL: 'offline', MAINSTEM_TOKEN: TOKEN }
  const own = await openOwnLife({ home, command: 'bench', environment, fail })
  const server = await own.listen({ rank: 'serve', network: { host: '127.0.0.1', port: 0 } })
  const agent = new Agent({ keepAlive: true })
  const to = { agent, port: server.port }
  const ways = {
    typed: chatIn(own),
    whole: (text: string) => asked(to, { text, stream: false }),
    stream: (text: string) => asked(to, { text, stream: true }),
  }
  try {
    const times = await interleaved(ways, own.life.agent)
    return [
      ...measures('a whole answer', times.whole, times.typed),
      ...measures('a stream', times.stream, times.typed),
    ]
  } finally {
    agent.destroy()
    await own.close()
    rmSync(home, { recursive: true, force: true })
  }
}

type Ways = Readonly<Record<'typed' | 'whole' | 'stream', (text: string) => Promise<void>>>

async function interleaved(
  ways: Ways,
  agent: Life['agent'],
): Promise<Readonly<Record<keyof Ways, readonly number[]>>> {
  const times = { typed: [] as number[], whole: [] as number[], stream: [] as number[] }
  for (let n = 0; n < WARM_UP + TURNS; n++) {
    if (n % CLEAR_EVERY === 0) await ways.typed('/clear')
    for (const way of ['typed', 'whole', 'stream'] as const) {
      // What the turn before still writes is no part of this one.
      await agent.settled()
      const start = stopwatchMs()
      await ways[way](`hello ${way} ${n}`)
      if (n >= WARM_UP) times[way].push(stopwatchMs() - start)
    }
  }
  return times
}

const TOKEN = 'a'.repeat(32)

export function fail(error: unknown): never {
  throw error
}

const nothing = (): void => undefined

/** Types, and resolves when the answer is shown. */
export function chatIn({ life, seats }: OwnLife): Ways['typed'] {
  let shown = Promise.withResolvers<void>()
  const show = async (): Promise<void> => shown.resolve()
  seats.take({ kind: 'chat', show, exit: nothing, notice: nothing, handOver: nothing, end: nothing })
  return async (text) => {
    shown = Promise.withResolvers()
    await life.receive(typedInbound(text, { origin: 'terminal', key: newKey() }))
    await shown.promise
  }
}

async function asked(
  to: { readonly agent: Agent; readonly port: number | undefined },
  { text, stream }: { readonly text: string; readonly stream: boolean },
): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const options = { ...to, host: '127.0.0.1', path: '/v1/chat/completions', method: 'POST', headers }
  const sent = request({ ...options, headers: { ...headers, host: `localhost:${to.port}` } })
  sent.end(JSON.stringify({ model: 'mainstem', stream, messages: [{ role: 'user', content: text }] }))
  const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }]
  const got = Buffer.concat(await Array.fromAsync(response)).toString()
  if (response.statusCode !== 200) throw new Error(got)
}

function measures(name: string, over: readonly number[], bare: readonly number[]): Measure[] {
  const line = (p: number, bound: number): Measure => ({
    group: 'v1',
    measure: `${name} over /v1, p${p * 100}, more than typed in a chat`,
    value: share(over, p) - share(bare, p),
    unit: 'ms',
    comparedWith: { name: 'typed in a chat', value: share(bare, p) },
    goal: atMost(bound, 'value'),
  })
  return [line(0.5, P50_MS_MAX), line(0.95, P95_MS_MAX)]
}
