import { describe, expect, test } from 'vitest'
import { ChannelError } from '../../src/channel/channel.ts'
import { background, backgroundTools, holding, ping, type Step } from './background.ts'
import { expectLawful } from './lawful.ts'
import { ended, ruled } from './rig.ts'
import { pendingNow, ran, startRun } from './run-rig.ts'
import { breathe, FakeClock, START, type Stage } from './stage.ts'

const MINUTE = 60_000
const SETTINGS = {
  capacity: 5,
  refillMinutes: 90,
  criticalMax: 0,
  ttlMs: 30 * MINUTE,
  busyMs: MINUTE,
  to: null,
}

async function ledger(at: Stage): Promise<string[]> {
  const decided = await at.events('ping-decided')
  return decided.map(({ verdict, because, text }) => `${verdict} ${because}: ${text}`)
}

function pings(at: Stage): string[] {
  return at.sent.filter(({ form }) => form === 'ping').map(({ text }) => text)
}

const patient: Step[number] = ['ping_user', { message: 'a', when_free: true }]

describe('a ping of a run in a living agent', () => {
  test('is held while the person has just written, and sent by itself when they are free', async () => {
    const at = await background([[patient]], { settings: { pings: SETTINGS } })
    await at.say('I am writing something.')
    await ran(at)
    expect(at.given[0]?.[0]?.text).toBe(
      'Held: the person is busy. It is sent when they are free; after 30 min it is told to main instead.',
    )
    expect(pings(at)).toEqual([])
    await at.clock.pass(MINUTE)
    expect(pings(at)).toEqual(['a'])
    await expectLawful(at)
  })

  test('[RUN2] that is held is not told to main as if the person had it', async () => {
    const asked = { reporting: 'on_ping' } as const
    const at = await background([[patient]], { asked, settings: { pings: SETTINGS } })
    await at.say('I am writing something.')
    await ran(at, asked)
    expect((await at.events('update-reported')).map(({ text }) => text)).toEqual([
      'It ended without reporting; this waits and was not sent to the person yet: "a"',
    ])
  })

  test('is not held by a command: who started the run by hand waits for it', async () => {
    const at = await background([[patient]], { settings: { pings: SETTINGS } })
    await at.run()
    expect(pings(at)).toEqual(['a'])
  })

  test('is not held by what the person wrote before they started the run by hand, but by what they write then', async () => {
    const at = await background([[patient]], { settings: { pings: SETTINGS } })
    await at.say('I am writing something.')
    await at.run()
    expect(pings(at)).toEqual(['a'])
    const opening = at.model.prompts.flatMap(({ messages }) => messages.map(({ text }) => text))
    expect(opening.join('\n')).not.toContain('BUSY:')
    const release = Promise.withResolvers<void>()
    holding(at, { until: 'routine-bg', reply: () => release.promise })
    await at.type('/run routines/brief.md')
    await at.type('And something more.')
    while ((await at.events('turn-ended')).length < 3) await breathe()
    release.resolve()
    await at.settle()
    expect(await ledger(at)).toEqual(['sent allowed: a', 'held busy: a'])
  })

  test('that is held outlives the process', async () => {
    const first = await background([[patient]], { settings: { pings: SETTINGS } })
    await first.say('I am writing something.')
    await ran(first)
    const at = await background([], { ...(await ended(first)), settings: { pings: SETTINGS } })
    await at.clock.pass(MINUTE)
    expect(pings(at)).toEqual(['a'])
    expect(await ledger(at)).toEqual(['held busy: a', 'sent allowed: a'])
  })

  test('[PING2] that was on its way when the process ended, and comes too late, is an update of main', async () => {
    const first = await background([[ping('a')]], { send: () => new Promise(() => undefined) })
    await first.type('/run routines/brief.md')
    await breathe()
    await first.log.close()
    const at = await background([], { disk: first.disk, clock: new FakeClock(START + 31 * MINUTE) })
    await at.settle()
    await at.clock.pass(0)
    expect(await ledger(at)).toEqual(['sent allowed: a'])
    expect(pings(at)).toEqual([])
    expect(await pendingNow(at)).toBe(1)
    expect(await at.events('update-reported')).toMatchObject([
      { source: 'routine brief', text: 'A message to the person did not arrive within 30 min: a' },
    ])
  })
})

/** Three runs that ping at the same moment with one token; the first send hangs until `end` is called. */
async function three() {
  const first = Promise.withResolvers<null>()
  let sends = 0
  const at = await background([[ping('a')]], {
    settings: { pings: { ...SETTINGS, capacity: 1, busyMs: 0 } },
    send: async ({ form, text }) => {
      if (form === 'ping' && ++sends === 1) return first.promise
      if (form === 'ping') arrived.push(text)
      return null
    },
  })
  const arrived: string[] = []
  for (const name of ['one', 'two', 'three']) await startRun(at, { job: name })
  while (at.given.length < 1) await breathe()
  return { at, first, arrived }
}

describe('pings for the last token', () => {
  test('[PING1] [PING2] wait for the send that has it: when it fails for good, exactly one of them arrives', async () => {
    const { at, first, arrived } = await three()
    expect(await ledger(at)).toEqual(['sent allowed: a'])
    first.reject(new ChannelError('gone', { isFinal: true }))
    await at.settle()
    expect(arrived).toEqual(['a'])
    expect(await ledger(at)).toEqual(['sent allowed: a', 'sent allowed: a', 'refused budget: a'])
    await expectLawful(at)
  })

  test('are refused when it arrives', async () => {
    const { at, first, arrived } = await three()
    first.resolve(null)
    await at.settle()
    expect(arrived).toEqual([])
    expect(await ledger(at)).toEqual(['sent allowed: a', 'refused budget: a', 'refused budget: a'])
  })

  test('wait 5 seconds at most', async () => {
    const { at, first } = await three()
    await at.clock.pass(4_999)
    expect(await ledger(at)).toEqual(['sent allowed: a'])
    await at.clock.pass(1)
    expect(await ledger(at)).toEqual(['sent allowed: a', 'refused budget: a', 'refused budget: a'])
    first.resolve(null)
    await at.settle()
  })
})

describe('a turn of main that a job opened', () => {
  const routine = { from: 'host', tag: 'routine', id: 'brief' } as const

  async function foreground(): Promise<Stage> {
    const at = await ruled(
      ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? { text: 'done' }
          : {
              calls: ['one', 'two'].map((message) => ({ id: message, tool: 'ping_user', args: { message } })),
            },
      { tools: backgroundTools },
    )
    await at.say('/help')
    const branch = await at.branch()
    const about = { branch, at: at.clock.now(), v: 1, source: routine } as const
    await at.log.write((writing) =>
      writing.append({ kind: 'inbound-admitted', ...about, form: 'message', text: 'Look at the build.' }),
    )
    at.agent.wake([branch])
    await at.settle()
    return at
  }

  test('pings on the budget of the owner, as its job, and its own turn does not make them busy', async () => {
    const at = await foreground()
    expect(await ledger(at)).toEqual(['sent allowed: one', 'refused one-per-work: two'])
    const [first] = await at.events('ping-decided')
    expect(first).toMatchObject({
      run: null,
      job: { what: 'routine', job: 'brief' },
      budget: { person: 'owner', capacity: 5, available: 5 },
    })
    const sent = at.sent.find(({ form }) => form === 'ping')
    expect(sent?.choices.map(({ label }) => label)).toContain('Less of this')
  })
})

test('a ping of what no job is behind has no choice to have less of it', async () => {
  const at = await ruled(
    ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'done' }
        : { calls: [{ id: 'x', tool: 'ping_user', args: { message: 'news' } }] },
    { tools: backgroundTools },
  )
  await at.say('/fork -- watch')
  const sent = at.sent.find(({ form }) => form === 'ping')
  expect(sent?.choices.map(({ label }) => label)).toEqual([
    'Done',
    'Snooze 10 min',
    'Snooze 1 h',
    'Snooze tomorrow',
  ])
})

test('[PING3] a job that may not ping is refused before anything else is looked at', async () => {
  const at = await background([[ping('a', true)]], { settings: { pings: SETTINGS } })
  await startRun(at, { allowPing: false })
  await at.settle()
  expect(await ledger(at)).toEqual(['refused not-allowed: a'])
})
