import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopwatchMs, systemClock } from '../src/base/clock.ts'
import { systemRandom } from '../src/base/random.ts'
import { Telegram } from '../src/channel/telegram/telegram.ts'
import { openOwnLife } from '../src/cli/talk/own-life.ts'
import { startTelegram } from '../test/stand-ins/telegram/server.ts'
import type { Data } from './data.ts'
import { share } from './measure.ts'
import { atMost, type Measure } from './report.ts'
import { processorMsOf, startServe, stopped } from './serve.ts'
import { chatIn, fail } from './v1.ts'

const TURNS = 200
const WARM_UP = 20
const CLEAR_EVERY = 15
const MORE_MS_MAX = 5
const IDLE_PERCENT_MAX = 0.1
const MINUTE_MS = 60_000

/** What a turn over Telegram costs more than one in the terminal, and what waiting for messages costs. */
export async function measureTelegram(data: Data): Promise<Measure[]> {
  return [...(await turns(data)), await waiting(data)]
}

async function turns(data: Data): Promise<Measure[]> {
  const home = join(data.directory, 'telegram-home')
  mkdirSync(home, { mode: 0o700 })
  const telegram = await startTelegram()
  const anna = telegram.person('Anna')
  const environment = {
    MAINSTEM_MODEL: 'offline',
    MAINSTEM_LINKS: `telegram:${anna.id}`,
    MAINSTEM_RATE_LIMIT_MAX: '100000',
  }
  const channel = new Telegram({
    token: telegram.token,
    url: telegram.url,
    settings: { tries: 10, baseMs: 5_000, maxMs: 300_000, jitterMs: 0 },
    now: systemClock,
    random: systemRandom,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    readFile: async () => undefined,
    fail,
  })
  const own = await openOwnLife({ home, command: 'bench', environment, channels: [channel], fail })
  let shown = Promise.withResolvers<void>()
  const { world } = telegram
  const add = world.add.bind(world)
  world.add = (chat, from, content) => {
    if (from.is_bot) shown.resolve()
    return add(chat, from, content)
  }
  const ways = {
    typed: chatIn(own),
    telegram: async (text: string): Promise<void> => {
      shown = Promise.withResolvers()
      anna.writes(text)
      await shown.promise
    },
  }
  const times = { typed: [] as number[], telegram: [] as number[] }
  try {
    for (let n = 0; n < WARM_UP + TURNS; n++) {
      if (n % CLEAR_EVERY === 0) await ways.typed('/clear')
      for (const way of ['typed', 'telegram'] as const) {
        await own.life.agent.settled()
        const start = stopwatchMs()
        await ways[way](`hello ${way} ${n}`)
        if (n >= WARM_UP) times[way].push(stopwatchMs() - start)
      }
    }
  } finally {
    await own.close()
    await telegram.close()
    rmSync(home, { recursive: true, force: true })
  }
  const bare = share(times.typed, 0.5)
  return [
    {
      group: 'telegram',
      measure: 'a turn over Telegram, p50, more than typed in a chat (the stand-in included)',
      value: share(times.telegram, 0.5) - bare,
      unit: 'ms',
      comparedWith: { name: 'typed in a chat', value: bare },
      goal: atMost(MORE_MS_MAX, 'value'),
    },
  ]
}

/** Two of them side by side: one waits for messages of Telegram, the other one for nothing. */
async function waiting(data: Data): Promise<Measure> {
  const telegram = await startTelegram()
  const homes = ['telegram-waits', 'nobody-waits'].map((name) => join(data.directory, name))
  const config = { telegram: { token: telegram.token, url: telegram.url } }
  for (const [index, home] of homes.entries()) {
    mkdirSync(home, { mode: 0o700 })
    writeFileSync(join(home, 'config.json'), JSON.stringify(index === 0 ? config : {}), { mode: 0o600 })
  }
  const children = await Promise.all(homes.map(async (home) => (await startServe(home)).child))
  await sleep(MINUTE_MS)
  const before = children.map(processorMsOf)
  await sleep(2 * MINUTE_MS)
  const [polling = 0, idle = 0] = children.map((child, index) => processorMsOf(child) - (before[index] ?? 0))
  await Promise.all(children.map(stopped))
  await telegram.close()
  for (const home of homes) rmSync(home, { recursive: true, force: true })
  const percent = (ms: number): number => (ms / (2 * MINUTE_MS)) * 100
  return {
    group: 'telegram',
    measure: 'waiting for messages, processor time more than without Telegram, share of a core',
    value: Math.max(0, percent(polling - idle)),
    unit: '%',
    comparedWith: { name: 'without Telegram', value: percent(idle) },
    goal: atMost(IDLE_PERCENT_MAX, 'value'),
  }
}
