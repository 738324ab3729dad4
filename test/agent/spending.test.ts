import { describe, expect, test } from 'vitest'
import { mainOf } from '../../src/agent/state/person.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import { receive } from '../../src/command/door/reception.ts'
import { readConfig } from '../../src/config/config.ts'
import { agentSettings } from '../../src/runtime/home/live-config.ts'
import type { BranchId } from '../../src/event/id.ts'
import type { Address } from '../../src/event/work.ts'
import { FREE, type Price } from '../../src/model/contract/model.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { costView } from '../../src/view/cost.ts'
import { statusView } from '../../src/view/status.ts'
import { countedTool, play, ruleModel } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { addGuest } from './rig.ts'
import { stage, type Stage, type StageOptions } from './stage.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const price: Price = { perMillionIn: 1_000_000, perMillionOut: 0, perMillionCached: 0 }

/** Each call costs 1 in money, or 100 tokens. */
function costly(options: StageOptions & { readonly max: number; readonly unit?: 'money' | 'tokens' }) {
  const { max, unit = 'money', ...more } = options
  const usage = { tokensIn: 1, tokensOut: 99, tokensCached: 0, tokensCacheWritten: 0 }
  let count = 0
  const model = ruleModel(() => ({ text: `Answer ${++count}.`, usage }), { price })
  return stage({ ...more, models: { model }, settings: { model: 'model', dayLimit: { unit, max } } })
}

const NEAR = (percent: number): string => `${percent} % of today's spending limit is used. /cost shows it.`
const REACHED =
  "Today's spending limit ($5) is reached. /cost allow lets me go on today; /cost shows what was used. Your message is kept; /retry sends it again."

async function sayTimes(at: Stage, count: number): Promise<void> {
  for (let time = 0; time < count; time++) await at.say('go')
}

describe("the day's spending limit", () => {
  test('is said once when 80 % of it are used', async () => {
    const at = await costly({ max: 5 })
    await sayTimes(at, 4)
    expect(await at.say('go')).toEqual([NEAR(80), 'Answer 5.'])
    await at.say('/cost allow')
    expect(await at.say('go')).toEqual(['Answer 6.'])
    await expectLawful(at)
  })

  test('stops at 100 %, asks, and goes on once it may, with nothing lost', async () => {
    const at = await costly({ max: 5 })
    await sayTimes(at, 5)
    expect(await at.say('one more')).toEqual([REACHED])
    expect(await at.say('/retry')).toEqual(['Trying again.', REACHED])
    expect(await at.say('/cost allow')).toEqual([
      "Today's spending limit is lifted. /retry resends what it stopped.",
    ])
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Answer 6.'])
    expect(await at.say('and more')).toEqual(['Answer 7.'])
    await expectLawful(at)
  })

  test('is of one day: the next one begins with nothing used, and asks again', async () => {
    const at = await costly({ max: 5 })
    await sayTimes(at, 5)
    await at.say('/cost allow')
    await at.clock.pass(DAY_MS)
    await sayTimes(at, 4)
    expect(await at.say('go')).toEqual([NEAR(80), 'Answer 10.'])
    expect(await at.say('go')).toEqual([REACHED])
  })

  test('counts tokens where it is a limit of tokens', async () => {
    const at = await costly({ max: 250, unit: 'tokens' })
    await sayTimes(at, 2)
    expect(await at.say('go')).toEqual([NEAR(80), 'Answer 3.'])
    expect(await at.say('go')).toEqual([expect.stringContaining('limit (250 tokens) is reached')])
  })

  test('is asked before each call: in the middle of a turn it keeps what the tools gave', async () => {
    const tool = countedTool('dig')
    const usage = { tokensIn: 1, tokensOut: 0, tokensCached: 0, tokensCacheWritten: 0 }
    const model = ruleModel(
      ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? { text: 'Found.', usage }
          : { calls: [{ id: 'a', tool: 'dig', args: {} }], usage },
      { price },
    )
    const settings = { model: 'model', dayLimit: { unit: 'money', max: 1 } } as const
    const at = await stage({ models: { model }, settings, tools: [tool] })
    expect(await at.say('dig')).toEqual([expect.stringContaining('limit ($1) is reached')])
    await at.say('/cost allow')
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Found.'])
    expect(tool.runs).toHaveLength(1)
    await expectLawful(at)
  })

  test('of which half is used by work in the background makes such work wait, and people go on', async () => {
    const at = await costly({ max: 4 })
    await at.say('/fork -- one')
    await at.say('/fork -- two')
    expect(await at.say('/fork -- three')).toEqual([expect.stringMatching(/^Forked/)])
    const ended = (await at.events('turn-ended')).map(({ outcome }) => outcome)
    expect(ended).toEqual(['answered', 'answered', 'deferred'])
    expect(await at.say('me')).toEqual(['Answer 3.'])
    await at.clock.pass(DAY_MS)
    expect(at.sent.at(-1)?.text).toMatch(/^\w{6} finished: Answer 4\.$/)
    await expectLawful(at)
  })

  test('is said to be near also when work in the background came near it', async () => {
    const at = await costly({ max: 12 })
    for (let count = 0; count < 5; count++) await at.say('/fork -- dig')
    await sayTimes(at, 5)
    const notices = (): number => at.sent.filter(({ text }) => text.includes('% of today')).length
    expect(notices()).toBe(0)
    expect(await at.say('/fork -- dig')).toContain(NEAR(83))
    await at.say('go')
    expect(notices()).toBe(1)
    await expectLawful(at)
  })
})

describe('what others spend', () => {
  const anas = { channel: 'terminal', conversation: 'anas', person: 'ana', messageId: null } as const
  const bens = { channel: 'terminal', conversation: 'bens', person: 'ben', messageId: null } as const

  /** Each call costs 1; what a guest asks is answered or refused in their own conversation. */
  async function shared(settings: Partial<AgentSettings>) {
    const usage = { tokensIn: 1, tokensOut: 99, tokensCached: 0, tokensCacheWritten: 0 }
    const model = ruleModel(() => ({ text: 'Answer.', usage }), { price })
    const at = await stage({ models: { model }, settings: { model: 'model', ...settings } })
    for (const guest of [anas, bens]) await addGuest(at, guest)
    const ask = async (from: Required<Address>, text = 'go') => {
      const before = at.sent.length
      await receive(at.desk, { ...from, messageId: null, origin: 'phone', text })
      await at.settle()
      return at.sent.slice(before).map((one) => one.text)
    }
    return { at, ask }
  }

  test("[COST1] counts against the owner's limit, which bounds everybody together and is the owner's to lift", async () => {
    const guestDayLimit = { unit: 'money', max: 3 } as const
    const { at, ask } = await shared({ dayLimit: { ...guestDayLimit, max: 4 }, guestDayLimit })
    await sayTimes(at, 2)
    expect([await ask(anas), await ask(bens)]).toEqual([['Answer.'], ['Answer.']])
    expect(await at.say('go')).toEqual([expect.stringContaining('limit ($4) is reached')])
    const [refused] = await ask(anas)
    expect(refused).toBe(
      'The spending limit for today is reached. The owner of this assistant can raise it. Your message is kept; /retry sends it again.',
    )
    await at.say('/cost allow')
    expect(await ask(anas)).toEqual(['Answer.'])
    await expectLawful(at)
  })

  test('[COST1] is bounded for each guest within it, whatever is left of the limit of everybody', async () => {
    const guestDayLimit = { unit: 'money', max: 1 } as const
    const { at, ask } = await shared({ dayLimit: { unit: 'money', max: 100 }, guestDayLimit })
    expect(await ask(anas)).toEqual(['Answer.'])
    expect(await ask(anas)).toEqual([expect.stringMatching(/^The spending limit for today is reached\./)])
    expect(await ask(bens)).toEqual(['Answer.'])
    expect(await at.say('go')).toEqual(['Answer.'])
  })

  test('[COST1] in groups is bounded for all of them together, unless one has a limit of its own', async () => {
    const guestDayLimit = { unit: 'money', max: 2 } as const
    const own = { ownDayLimit: { unit: 'money', max: 1 } } as const
    const { at, ask } = await shared({ guestDayLimit, guests: { family: own } })
    const group = (person: string) => ({ ...anas, conversation: `of ${person}`, person })
    const [team, other, family] = [group('team'), group('other'), group('family')]
    for (const one of [team, other, family]) await addGuest(at, one, 'group')
    const refused = [expect.stringMatching(/^The spending limit for today is reached\./)]
    expect([await ask(team), await ask(other)]).toEqual([['Answer.'], ['Answer.']])
    expect([await ask(team), await ask(other)]).toEqual([refused, refused])
    expect([await ask(family), await ask(family)]).toEqual([['Answer.'], refused])
    expect(await ask(anas)).toEqual(['Answer.'])
    expect(await at.say('go')).toEqual(['Answer.'])
  })

  test.each([
    [{}, { unit: 'money', max: 1 }],
    [{ MAINSTEM_COST_DAY_MAX: '$5' }, { unit: 'money', max: 0.5 }],
    [{ MAINSTEM_COST_DAY_MAX: '5000 tokens' }, { unit: 'tokens', max: 500 }],
    [
      { MAINSTEM_GUESTS: '{"costDayMax": "$0.20", "ana": {"costDayMax": "$2"}}' },
      { unit: 'money', max: 0.2 },
    ],
  ])('with %j, each guest may use %j', (environment, limit) => {
    const settings = agentSettings(readConfig({ home: '/nowhere', environment }), 'UTC')
    expect(settings.guestDayLimit).toEqual(limit)
    expect(settings.guests).toEqual(
      'MAINSTEM_GUESTS' in environment ? { ana: { ownDayLimit: { unit: 'money', max: 2 } } } : {},
    )
  })

  test('[COST1] [PEOPLE2] is shown to the owner by person, and to nobody else', async () => {
    const { at, ask } = await shared({ dayLimit: { unit: 'money', max: 100 } })
    await sayTimes(at, 3)
    await ask(anas)
    for (const _ of [1, 2]) await ask(bens)
    const [owners = ''] = await at.say('/cost')
    expect(owners).toMatch(/^Today .*: \$6\.00, 6 calls/)
    expect(owners).toMatch(/ana: \$1\.00, 1 call,/)
    expect(owners).toMatch(/ben: \$2\.00, 2 calls,/)
    const [anasCost = ''] = await ask(anas, '/cost')
    expect(anasCost).toMatch(/^Today .*: \$1\.00, 1 call,/)
    expect(anasCost).not.toMatch(/ben|\$6|\$2|\$3|costDayMax|\$100/)
    expect((await at.say('/people'))[0]).toMatch(/ben .*\$2\.00 today/)
    const here = { home: '/home', now: at.clock.now(), model: { name: 'model', source: null } }
    const nothing = {
      unboxed: undefined,
      jobs: { jobs: [], problems: [], waiting: [], paused: false },
      skills: [],
      recall: null,
      bytes: 0,
    }
    const status = await at.read((reader) =>
      statusView(reader, { ...here, ...nothing, settings: at.settings }),
    )
    expect(status.othersToday).toMatchObject([
      { name: 'ana', cost: 1 },
      { name: 'ben', cost: 2 },
    ])
    const look = { at: at.clock.now(), settings: at.settings }
    const view = await at.read((reader) =>
      ['owner', 'ana'].map((who) => costView(reader, { ...look, branch: mainOf(reader, who) as BranchId })),
    )
    expect(view.map(({ today }) => today.people.map(({ person, cost }) => [person, cost]))).toEqual([
      [
        ['ana', 1],
        ['ben', 2],
      ],
      [],
    ])
  })
})

/** An answer that breaks off after these words, and is not tried again. */
const broken: StepInput = { pieces: ['some words'], error: { reason: 'rejected' } }

describe('what is counted', () => {
  const max5 = { dayLimit: { unit: 'money', max: 5 } } as const

  test('[COST1] is an answer that breaks off: its prompt, and what was received', async () => {
    const at = await play(
      Array.from({ length: 20 }, () => broken),
      { settings: { dayLimit: { unit: 'tokens', max: 150 } } },
    )
    await at.say('hi')
    const [used] = await at.events('model-used')
    expect(used).toMatchObject({ what: 'broken', model: 'scripted', usage: { tokensOut: 2 } })
    expect(used?.usage.tokensIn).toBeGreaterThan(50)
    await sayTimes(at, 19)
    expect(at.sent.at(-1)?.text).toContain("Today's spending limit (150 tokens) is reached")
    expect(at.prompts.length).toBeLessThan(5)
    await expectLawful(at)
  })

  test('[COST1] is every try of a call, also those before one that was answered', async () => {
    const lost: StepInput = { pieces: ['some'], error: { reason: 'network' } }
    const at = await play([lost, lost, { reply: { text: 'There.' } }])
    await at.type('hi')
    await at.clock.pass(20_000)
    expect(at.sent.map(({ text }) => text)).toEqual(['There.'])
    expect(await at.events('model-used')).toHaveLength(2)
    expect((await at.say('/cost'))[0]).toMatch(/^Today .*: 3 calls/)
  })

  test('[COST1] is nothing where no provider was reached', async () => {
    const at = await play([{ error: { reason: 'rejected' } }, { error: { reason: 'unauthorised' } }])
    await sayTimes(at, 2)
    expect(await at.events('model-used')).toEqual([])
  })

  test('[COST1] is a model without a price, at once told, for what it may cost', async () => {
    const usage = { tokensIn: 90_000, tokensOut: 10_000, tokensCached: 0, tokensCacheWritten: 0 }
    const model = ruleModel(() => ({ text: 'ok', usage }), { name: 'odd' })
    const at = await stage({ models: { odd: model }, settings: { model: 'odd', ...max5 } })
    const unknown =
      'The price of odd is unknown, so the spending limit counts $15 per million tokens for it (priceUnknown).'
    expect(await at.say('go')).toEqual([unknown, 'ok'])
    await sayTimes(at, 2)
    expect(await at.say('go')).toEqual([NEAR(90), 'ok'])
    expect(await at.say('go')).toEqual([REACHED])
    expect((await at.say('/cost'))[0]?.split('\n').slice(-2)).toEqual([
      'Of models without a known price: 400k tokens, counted as $6.00 (priceUnknown).',
      'Daily limit: $5.00, 120 % used.',
    ])
    await expectLawful(at)
  })

  test('[COST1] is nothing for a model that is known to be free', async () => {
    const usage = { tokensIn: 1e9, tokensOut: 0, tokensCached: 0, tokensCacheWritten: 0 }
    const model = ruleModel(() => ({ text: 'ok', usage }), { price: FREE })
    const at = await stage({ models: { model }, settings: { model: 'model', ...max5 } })
    expect([await at.say('go'), await at.say('go')]).toEqual([['ok'], ['ok']])
  })

  test('[COST1] is told once a day from costDayWarn on, without any limit', async () => {
    const usage = { tokensIn: 3, tokensOut: 0, tokensCached: 0, tokensCacheWritten: 0 }
    const model = ruleModel(() => ({ text: 'ok', usage }), { price })
    const dayWarn = { unit: 'money', max: 5 } as const
    const at = await stage({ models: { model }, settings: { model: 'model', dayWarn } })
    const warned = '$6 used today (costDayWarn: $5). /cost shows it; costDayMax sets a limit.'
    await sayTimes(at, 2)
    expect(await at.say('go')).toEqual([warned, 'ok'])
    expect(await at.say('go')).toEqual(['ok'])
    await at.clock.pass(DAY_MS)
    await sayTimes(at, 2)
    expect(await at.say('go')).toEqual([warned, 'ok'])
  })
})

test('a fallback answers for a model that is out of reach, says so, and has its own price', async () => {
  const other = ruleModel(() => ({ text: 'Here.' }), { name: 'other', price })
  const down: StepInput[] = Array.from({ length: 4 }, () => ({ error: { reason: 'network' } }))
  const at = await play(down, { models: { other }, fallbacks: ['other'] })
  await at.type('hi')
  await at.clock.pass(20_000)
  expect(at.sent.map(({ text }) => text)).toEqual([
    'Here.\n\n(answered by other: scripted could not be reached)',
  ])
  expect(await at.events('model-answered')).toMatchObject([{ model: 'other', cost: 10 }])
  expect(await at.events('message-added')).toMatchObject([{}, { message: { text: 'Here.', model: 'other' } }])
  await expectLawful(at)
})
