import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import { Telegram } from '../../src/channel/telegram/telegram.ts'
import type { Event, EventOf, Kind } from '../../src/event/event.ts'
import { fileStore } from '../../src/file/file-store.ts'
import { openLife, type Life } from '../../src/runtime/life/life.ts'
import { terminalAddress } from '../../src/runtime/terminal/place.ts'
import { tempFolder } from '../cli/run.ts'
import { startTelegram, type TelegramStandIn } from '../stand-ins/telegram/server.ts'
import type { Person } from '../stand-ins/telegram/people.ts'

interface Stage {
  readonly telegram: TelegramStandIn
  /** Whose account the configuration names as the owner's. */
  readonly anna: Person
  readonly open: () => Promise<Life>
}

/** A whole life on Telegram, with the model that needs no key. */
async function stage(settings: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const telegram = await startTelegram()
  const anna = telegram.person('Anna')
  const home = tempFolder()
  const environment = { MAINSTEM_MODEL: 'offline', MAINSTEM_LINKS: `telegram:${anna.id}`, ...settings }
  const lives: Life[] = []
  onTestFinished(async () => {
    for (const life of lives) await life.close()
    await telegram.close()
  })
  const open = async (): Promise<Life> => {
    const channel = new Telegram({
      token: telegram.token,
      url: telegram.url,
      settings: { tries: 3, baseMs: 20, maxMs: 100, jitterMs: 1 },
      now: Date.now,
      random: seededRandom(1),
      sleep: (ms, signal) => sleep(ms / 20, undefined, { signal }),
      readFile: (hash) => fileStore(home).read(hash),
      fail,
    })
    const opened = await openLife({
      home,
      command: 'test',
      environment,
      channels: [channel],
      conversation: terminalAddress,
      warn: () => undefined,
      fail,
    })
    let closed: Promise<void> | undefined
    const life: Life = { ...opened, close: async () => (closed ??= opened.close()) }
    lives.push(life)
    return life
  }
  return { telegram, anna, open }
}

function fail(error: unknown): never {
  throw error
}

async function eventsOf<K extends Kind>({ log }: Life, kind: K): Promise<EventOf<K>[]> {
  const events: Event[] = await Array.fromAsync(log.events({ kind }))
  return events as EventOf<K>[]
}

describe('the owner', () => {
  test('is answered, sees that the message was seen, and finds the answer where they asked', async () => {
    const { anna, open } = await stage()
    const life = await open()
    const question = anna.writes('hello')
    await expect.poll(() => anna.texts().length).toBe(1)
    await life.agent.settled()
    await expect.poll(() => anna.reactionsTo(question)).toEqual([])
    const [turn, ...more] = await eventsOf(life, 'turn-ended')
    expect([turn?.outcome, more]).toEqual(['answered', []])
  })

  test('gives commands, also by the names of the menu', async () => {
    const { telegram, anna, open } = await stage()
    await open()
    await expect.poll(() => telegram.world.commands.length).toBeGreaterThan(20)
    anna.writes('/mark@mainstem_bot porto')
    await expect.poll(() => anna.texts().at(-1)).toMatch(/porto/)
    anna.writes('/ping_budget')
    await expect.poll(() => anna.texts().at(-1)).toMatch(/pings?/)
  })

  test('replies to an answer, and the quote reaches the log', async () => {
    const { anna, open } = await stage()
    const life = await open()
    anna.writes('hello')
    await expect.poll(() => anna.texts().length).toBe(1)
    anna.replies(anna.last(), 'what do you mean?')
    await expect.poll(() => anna.texts().length).toBe(2)
    const admitted = await eventsOf(life, 'inbound-admitted')
    expect(admitted.map(({ text }) => text)).toEqual(['hello', 'what do you mean?'])
  })

  test('sends a picture and a document, which are kept', async () => {
    const { anna, open } = await stage()
    const life = await open()
    const words = new TextEncoder().encode('The train leaves at nine.')
    anna.sends({ document: { bytes: words }, name: 'train.txt', type: 'text/plain' }, { caption: 'when?' })
    await expect.poll(() => anna.texts().length).toBe(1)
    const [admitted] = await eventsOf(life, 'inbound-admitted')
    expect(admitted?.files).toMatchObject([{ name: 'train.txt', text: 'The train leaves at nine.' }])
  })
})

describe('[RECV1] a restart', () => {
  test('loses nothing that came meanwhile, and answers nothing twice', async () => {
    const { telegram, anna, open } = await stage()
    const first = await open()
    const message = anna.writes('one')
    await expect.poll(() => anna.texts().length).toBe(1)
    await first.close()
    anna.writes('two')
    anna.repeats(message)
    const second = await open()
    await expect.poll(() => anna.texts().length).toBe(2)
    await expect.poll(() => telegram.world.updates).toEqual([])
    await second.agent.settled()
    expect(anna.texts()).toHaveLength(2)
    expect(await eventsOf(second, 'turn-ended')).toHaveLength(2)
  })
})

describe('[SEND1] an answer', () => {
  test('waits as long as Telegram says, and comes once', async () => {
    const { telegram, anna, open } = await stage()
    const life = await open()
    telegram.will('sendMessage', { retryAfter: 1 })
    anna.writes('/mark porto')
    await expect.poll(() => anna.texts().length, { timeout: 20_000 }).toBe(1)
    await life.agent.settled()
    expect(anna.texts()).toEqual([expect.stringMatching(/^[^(].*porto/)])
  })

  test('whose outcome the network hid comes again, and is marked', async () => {
    const { telegram, anna, open } = await stage()
    await open()
    anna.writes('hello')
    await expect.poll(() => anna.texts().length).toBe(1)
    telegram.will('sendMessage', 'drop-after')
    anna.writes('/mark porto')
    await expect.poll(() => anna.texts().length, { timeout: 20_000 }).toBe(3)
    expect(anna.texts()[2]).toBe(`(again: it may have arrived before)\n${anna.texts()[1]}`)
  })

  test('to somebody who blocked the bot is set aside, and others go on', async () => {
    const { telegram, anna, open } = await stage()
    const life = await open()
    anna.writes('hello')
    await expect.poll(() => anna.texts().length).toBe(1)
    telegram.will('sendMessage', { code: 403, description: 'Forbidden: bot was blocked by the user' })
    anna.writes('/mark porto')
    await expect.poll(() => eventsOf(life, 'delivery-failed')).toHaveLength(1)
    anna.writes('/mark faro')
    await expect.poll(() => anna.texts().at(-1)).toMatch(/faro/)
  })
})

describe('[SAFE1] a stranger', () => {
  test('gets a code and nothing else; with it, the owner lets them in', async () => {
    const { telegram, anna, open } = await stage()
    const life = await open()
    const ben = telegram.person('Ben')
    ben.writes('hello')
    ben.sends({ voice: { bytes: new Uint8Array(10) } })
    await expect.poll(() => ben.texts().length).toBe(1)
    const [, code = ''] = /code: (\w{4}-\w{4})/.exec(ben.texts()[0] ?? '') ?? []
    expect(await eventsOf(life, 'turn-started')).toEqual([])
    expect(telegram.count('getFile')).toBe(0)
    anna.writes(`/pair approve ${code} Ben`)
    await expect.poll(() => eventsOf(life, 'person-added')).toHaveLength(1)
    ben.writes('hello again')
    await expect.poll(() => eventsOf(life, 'turn-ended')).toHaveLength(1)
    await expect.poll(() => ben.texts().length).toBeGreaterThan(1)
  })
})
