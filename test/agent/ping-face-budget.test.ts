import { describe, expect, test } from 'vitest'
import { ChannelError } from '../../src/channel/channel.ts'
import { pingBudgetText, pingLedgerText } from '../../src/view/pings-text.ts'
import { background, ping, RED, type Background, type BackgroundOptions } from './background.ts'
import { expectLawful } from './lawful.ts'
import { START } from './stage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A stage whose configuration takes the sizes of a budget, within limits. */
async function budgeted(options: BackgroundOptions = {}, message = RED): Promise<Background> {
  const at = await background([[ping(message)]], options)
  Object.assign(at.desk, {
    configure: async (key: string, value: number) => {
      if (value < 1) return `${key} cannot be '${value}'. Write a whole number from 1 to 1000`
      const name = key === 'pingCapacity' ? 'capacity' : 'refillMinutes'
      at.settings = { ...at.settings, pings: { ...at.settings.pings, [name]: value } }
      return undefined
    },
  })
  return at
}

async function asked(at: Background, line: string): Promise<string[]> {
  const said = await at.say(line)
  return said.join('\n').split('\n')
}

const WHY = '/ping-budget why lists the last pings and refusals, with their reasons.'

describe('/ping-budget', () => {
  test('of whom nobody pinged is full', async () =>
    expect(await asked(await budgeted(), '/ping-budget')).toEqual([
      'Ping budget: 5/5 available.',
      'Refill: one every 90 min; it is full.',
      'Today: 0 used, 0 critical.',
      'Quiet hours: none.',
      WHY,
    ]))

  test('a pace that is set in the configuration counts from then on, without any ping', async () => {
    const at = await budgeted()
    await at.run()
    const refillMinutes = 30
    at.settings = { ...at.settings, pings: { ...at.settings.pings, refillMinutes } }
    at.agent.deliver()
    await at.settle()
    expect(await at.events('budget-set')).toMatchObject([{ refillMinutes, available: 4 }])
    await at.clock.pass(15 * MINUTE_MS)
    expect((await asked(at, '/ping-budget')).slice(0, 2)).toEqual([
      'Ping budget: 4/5 available.',
      'Refill: one every 30 min; the next today 10:00, in 15 min.',
    ])
  })

  test('says what is left, when the next comes back, and what was used today', async () => {
    const at = await budgeted()
    await at.run()
    await at.clock.pass(30 * MINUTE_MS)
    await at.run()
    expect((await asked(at, '/ping-budget')).slice(0, 3)).toEqual([
      'Ping budget: 3/5 available.',
      'Refill: one every 90 min; the next today 11:00, in 1 h.',
      'Today: 2 used, 0 critical.',
    ])
    await at.clock.pass(DAY_MS)
    expect((await asked(at, '/ping-budget')).slice(0, 3)).toEqual([
      'Ping budget: 5/5 available.',
      'Refill: one every 90 min; it is full.',
      'Today: 0 used, 0 critical.',
    ])
  })

  test('says what keeps pings back now', async () => {
    const at = await budgeted({ settings: { quietHours: { from: 9 * 60, to: 10 * 60 } } })
    const branch = await at.branch()
    await at.log.write((writing) => {
      const pause = { one: null, until: START + 2 * HOUR_MS, author: { by: 'person' } } as const
      writing.append({ kind: 'jobs-paused', branch, at: START, v: 1, ...pause })
    })
    expect((await asked(at, '/ping-budget')).slice(3)).toEqual([
      'Quiet hours: 09:00-10:00; quiet now, until today 10:00, in 30 min.',
      'Paused until today 11:30, in 2 h: no pings are sent. /resume ends the pause.',
      WHY,
    ])
    await at.clock.pass(3 * HOUR_MS)
    expect((await asked(at, '/ping-budget')).slice(3)).toEqual(['Quiet hours: 09:00-10:00.', WHY])
  })

  test('counts what is on its way', async () => {
    const at = await budgeted({
      send: async ({ form }) => {
        if (form === 'ping') throw new ChannelError('not now', { isFinal: false, retryAfterMs: DAY_MS })
        return null
      },
    })
    await at.type('/run routines/brief.md')
    await at.clock.pass(1_000)
    const [said] = (await at.events('command-run')).slice(-1)
    expect(said?.isError).toBe(false)
    await at.type('/ping-budget')
    const [shown] = (await at.events('command-run')).slice(-1)
    expect(shown?.output).toContain('\nNow: 1 ping on the way.\n')
  })

  test.each([
    [
      '/ping-budget enough',
      "/ping-budget takes 'why', 'capacity N', 'refill MINUTES', 'more JOB' or nothing.",
    ],
    ['/ping-budget capacity', "/ping-budget takes a number after 'capacity', of pings."],
    ['/ping-budget refill soon', "/ping-budget takes a number after 'refill', of minutes."],
    ['/ping-budget more', "/ping-budget needs a job after 'more'."],
  ])('that is not understood says its forms: %s', async (line, said) =>
    expect((await asked(await budgeted(), line))[0]).toMatch(said),
  )
})

describe('/ping-budget capacity and refill', () => {
  test('[PING1] raising grants nothing, lowering clamps, and the log knows it', async () => {
    const at = await budgeted()
    await at.run()
    expect(await asked(at, '/ping-budget capacity 8')).toEqual([
      'At most 8 pings, one added every 90 min. 4/8 available. Raising it adds none at once.',
    ])
    expect(await asked(at, '/ping-budget capacity 2')).toEqual([
      'At most 2 pings, one added every 90 min. 2/2 available.',
    ])
    expect(await asked(at, '/ping-budget capacity 5')).toEqual([
      expect.stringMatching('2/5 available. Raising it adds none at once.$'),
    ])
    expect(await at.events('budget-set')).toMatchObject([
      { person: 'owner', capacity: 8, refillMinutes: 90, available: 4, author: { by: 'person' } },
      { capacity: 2, available: 2 },
      { capacity: 5, available: 2 },
    ])
    await expectLawful(at)
  })

  test('what came back before a new pace came at the old one', async () => {
    const at = await budgeted()
    await at.run()
    await at.run()
    await at.clock.pass(45 * MINUTE_MS)
    expect(await asked(at, '/ping-budget refill 30')).toEqual([
      'At most 5 pings, one added every 30 min. 3/5 available.',
    ])
    expect(await at.events('budget-set')).toMatchObject([{ refillMinutes: 30, available: 3.5 }])
    await at.clock.pass(15 * MINUTE_MS)
    expect((await asked(at, '/ping-budget'))[0]).toBe('Ping budget: 4/5 available.')
  })

  test('[PING1] raising it before the first ping grants nothing either', async () => {
    const at = await budgeted()
    expect(await asked(at, '/ping-budget capacity 8 pings')).toEqual([
      'At most 8 pings, one added every 90 min. 5/8 available. Raising it adds none at once.',
    ])
    expect(await at.events('budget-set')).toMatchObject([{ person: 'owner', capacity: 8, available: 5 }])
    await at.run()
    expect((await asked(at, '/ping-budget'))[0]).toBe('Ping budget: 4/8 available.')
    await at.clock.pass(90 * MINUTE_MS)
    expect((await asked(at, '/ping-budget'))[0]).toBe('Ping budget: 5/8 available.')
    await expectLawful(at)
  })

  test('[PING1] lowering it before the first ping clamps', async () => {
    const at = await budgeted()
    expect(await asked(at, '/ping-budget capacity 2')).toEqual([
      'At most 2 pings, one added every 90 min. 2/2 available.',
    ])
  })

  test('what cannot be is refused, with the reason and what holds', async () => {
    const at = await budgeted()
    await at.run()
    expect(await asked(at, '/ping-budget capacity 0')).toEqual([
      "pingCapacity cannot be '0'. Write a whole number from 1 to 1000.",
      'Nothing changed: At most 5 pings, one added every 90 min.',
    ])
    expect(await asked(at, '/ping-budget refill -5')).toContain(
      'Nothing changed: At most 5 pings, one added every 90 min.',
    )
    expect((await at.events('command-run')).at(-1)?.isError).toBe(true)
    expect(await at.events('budget-set')).toEqual([])
  })
})

const QUOTED = '"The build has been red for an hour."'

describe('/ping-budget why', () => {
  test('[PING4] before any ping says so', async () =>
    expect(await asked(await budgeted(), '/ping-budget why')).toEqual(['No pings yet.']))

  test('[PING4] tells of each ping and refusal why, what became of it and what was said to it, newest first', async () => {
    const at = await budgeted({ settings: {} })
    at.settings = { ...at.settings, pings: { ...at.settings.pings, capacity: 2 } }
    await at.run()
    await at.say('/done 1')
    await at.clock.pass(MINUTE_MS)
    await at.run()
    await at.clock.pass(MINUTE_MS)
    await at.run()
    await at.clock.pass(MINUTE_MS)
    at.settings = { ...at.settings, quietHours: { from: 0, to: 23 * 60 } }
    await at.run()
    await at.say('/reply 2 Who broke it?')
    expect(await asked(at, '/ping-budget why')).toEqual([
      'The last pings and refusals, the newest first:',
      `- 2026-03-01 Sun 09:33 routine brief: ${QUOTED} → refused: quiet hours.`,
      `- 2026-03-01 Sun 09:32 routine brief: ${QUOTED} → refused: the budget was used up.`,
      `- 2026-03-01 Sun 09:31 routine brief: ${QUOTED} → sent, within the budget; arrived; replied to.`,
      `- 2026-03-01 Sun 09:30 routine brief: ${QUOTED} → sent, within the budget; arrived; answered: done.`,
    ])
  })

  test('[PING4] shows twenty, each in one line, whatever was written', async () => {
    const at = await budgeted({}, `long\n\u001B[31m${'words '.repeat(40)}`)
    for (let count = 0; count < 22; count++) await at.run()
    const lines = (await asked(at, '/ping-budget why')).filter((line) => line.startsWith('- 2026'))
    expect(lines).toHaveLength(20)
    expect(lines[0]).toMatch(/: "long �\[31mwords (?:words )*[^"]*…" → refused: the budget was used up\.$/)
  })

  test('[PING4] names the jobs whose pings nobody reacts to for a day, until somebody does', async () => {
    const ignored = 'Ignored: routine brief (3 arrived, none answered).'
    const at = await budgeted()
    await at.run()
    await at.run()
    expect((await asked(at, '/ping-budget why')).join('\n')).not.toContain('Ignored')
    await at.run()
    expect((await asked(at, '/ping-budget why')).join('\n')).not.toContain('Ignored')
    await at.clock.pass(24 * 60 * 60 * 1000)
    await at.settle()
    expect((await asked(at, '/ping-budget why')).at(-1)).toBe(ignored)
    await at.say('/done 2')
    expect((await asked(at, '/ping-budget why')).join('\n')).not.toContain('Ignored')
  })

  test('[PING4] tells of what was held, lost or sent again', async () => {
    const at = await budgeted()
    await at.run()
    const [decided] = await at.events('ping-decided')
    if (decided === undefined) throw new Error('there is no ping')
    // Read at once: what is held may be decided again a moment later.
    const texts = await at.log.write((writing) => {
      const { position: _, budget: __, ...line } = decided
      const held = { ...line, verdict: 'held', because: 'busy', delivery: null, held: { text: RED } } as const
      const about = { branch: line.branch, at: START, v: 1 } as const
      const lost = writing.append({ ...held, text: 'lost' })
      writing.append({ kind: 'ping-settled', ...about, ping: lost, outcome: 'expired', delivery: null })
      const waited = writing.append({ ...held, text: 'waited' })
      writing.append({ ...line, text: 'waited', because: 'critical', of: waited })
      writing.append({ ...line, text: 'again', because: 'asked' })
      writing.append({ ...held, text: 'waits' })
      const look = { person: 'owner', now: START, settings: at.settings }
      return [pingLedgerText(writing, look), pingBudgetText(writing, look)]
    })
    const [ledger = '', budget] = texts
    const lines = ledger.split('\n').map((line) => line.replace(/^.*? routine brief: /, ''))
    expect(lines.slice(1, 5)).toEqual([
      '"waits" → held: you were busy.',
      '"again" → sent again after a snooze, asked for; on its way.',
      '"waited" → sent after being held, critical; on its way.',
      '"lost" → held, you were busy; not delivered in time, so it became an update.',
    ])
    expect(budget).toMatch(/\nNow: 2 pings on the way, 1 ping held\.$/)
  })

  test('[PING4] a reply in words is a reaction', async () => {
    const at = await budgeted()
    for (let count = 0; count < 3; count++) await at.run()
    await at.say('/reply 3 Who?')
    await at.clock.pass(24 * 60 * 60 * 1000)
    await at.settle()
    expect((await asked(at, '/ping-budget why')).join('\n')).not.toContain('Ignored')
  })
})
