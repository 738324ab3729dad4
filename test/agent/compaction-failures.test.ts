import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../src/base/tokens.ts'
import { ModelError, modelErrorReasons, type Price } from '../../src/model/contract/model.ts'
import { ruleModel } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { dieEverywhere, type Scenario } from './mortal.ts'
import { breathe, type Stage } from './stage.ts'
import {
  compactions,
  expectNothingLost,
  keepFacts,
  promptNow,
  sayTurns,
  shownNow,
  SMALL,
  summariesNow,
  talk,
  type Rule,
  type Talk,
} from './talk.ts'

async function expectWhole(at: Stage): Promise<void> {
  await expectLawful(at)
  await expectEmpty(at.log)
  await expectNothingLost(at)
}

/** Five turns, after which the summariser does what `first` says; from then on it keeps facts. */
async function failingOnce(first: Rule): Promise<Talk> {
  let hasFailed = false
  const at = await talk({
    summarise: (prompt, signal) => {
      if (hasFailed) return keepFacts(prompt)
      return first(prompt, signal)
    },
  })
  await at.say('Remember FACT-one.')
  await sayTurns(at, 3)
  await at.type('and now?')
  // Retries and their waits belong to it.
  await at.clock.pass(20_000)
  await at.settle()
  hasFailed = true
  return at
}

/** Nothing was changed, it stands in the log why, and the next answer is followed by another try. */
async function expectAbandonedOnce(at: Talk): Promise<void> {
  expect(await compactions(at)).toEqual(['(writer-failed)'])
  expect(await shownNow(at)).toBe(10)
  expect(await summariesNow(at)).toEqual([])
  expect(at.sent.map(({ text }) => text)).toEqual([
    ...Array<string>(5).fill('ok'),
    expect.stringMatching(/^Could not summarize the older messages: /),
  ])
  await at.clock.pass(60_000)
  await at.say('go on')
  expect((await compactions(at)).slice(1)).toEqual(['summariser'])
  expect(await summariesNow(at)).toEqual(['Facts: FACT-one.'])
  await expectWhole(at)
}

describe('a summariser that', () => {
  test.each(modelErrorReasons)(
    'fails (%s) changes nothing, and is asked again after the next answer',
    async (reason) => {
      const at = await failingOnce(() => {
        throw new ModelError(reason, `summariser: ${reason}`)
      })
      await expectAbandonedOnce(at)
    },
  )

  test.each([
    ['nothing', { text: '' }],
    ['blanks', { text: ' \n ' }],
    ['that it would rather not', { text: 'I cannot help with that.', finish: 'refused' as const }],
  ])('says %s has failed', async (_, reply) => {
    const at = await failingOnce(() => reply)
    expect(await at.events('model-used')).toHaveLength(1)
    await expectAbandonedOnce(at)
  })

  test.each(['ok', "I'm sorry, I can't do that."])(
    'says %j has failed: nothing changes, and the person is told',
    async (text) => {
      const at = await talk({ summarise: () => ({ text }) })
      await sayTurns(at, 4)
      const before = await shownNow(at)
      expect(await at.say('hello 5')).toEqual([
        'ok',
        expect.stringMatching(
          /^Could not summarize the older messages: summariser gave no usable summary: it is /,
        ),
      ])
      expect(await compactions(at)).toEqual(['(writer-failed)'])
      expect(await summariesNow(at)).toEqual([])
      expect(await shownNow(at)).toBe(before + 2)
    },
  )

  test('cannot be opened has failed', async () => {
    const at = await talk({ settings: { compactionModel: 'gone' } })
    await sayTurns(at, 5)
    await expect(compactions(at)).resolves.toEqual(['(writer-failed)'])
    at.settings = { ...at.settings, compactionModel: 'summariser' }
    await at.say('go on')
    await expect(compactions(at)).resolves.toEqual(['(writer-failed)', 'summariser'])
  })

  test('writes ten times what is allowed is cut behind a sentence', async () => {
    const sentences = Array.from({ length: 120 }, (_, at) => `Item ${at} costs 3.50 euros.`)
    const at = await talk({ summarise: () => ({ text: sentences.join(' ') }) })
    await sayTurns(at, 5)
    const [summary = ''] = await summariesNow(at)
    expect(estimateTokens(summary)).toBeLessThanOrEqual(SMALL.summaryTokensMax)
    expect(estimateTokens(summary)).toBeGreaterThan(SMALL.summaryTokensMax / 2)
    expect(sentences.join(' ').startsWith(summary)).toBe(true)
    expect(summary).toMatch(/euros\.$/)
    await expectWhole(at)
  })

  test('is cut off by its own limit leaves out what it could not finish', async () => {
    const at = await talk({
      summarise: () => ({ text: 'The code is 4711. The price is 3.5', finish: 'length' as const }),
    })
    await sayTurns(at, 5)
    expect(await summariesNow(at)).toEqual(['The code is 4711.'])
  })

  test('reads less than there is gets it in pieces, each folded into the summary of those before', async () => {
    const narrow = { ...ruleModel(keepFacts, { name: 'narrow' }), contextTokens: 500 }
    const at = await talk({ models: { narrow }, settings: { compactionModel: 'narrow' } })
    for (let turn = 1; turn <= 5; turn++) await at.say(`FACT-${turn} ${'and so on '.repeat(60)}`)
    expect(narrow.prompts.length).toBeGreaterThan(2)
    for (const { messages } of narrow.prompts)
      expect(estimateTokens(messages[0]?.text ?? '')).toBeLessThan(500)
    expect(await summariesNow(at)).toEqual([
      expect.stringMatching(/^Facts: FACT-1 FACT-2 FACT-3(?: and so on)*\.$/),
    ])
    expect(await at.events('model-used')).toHaveLength(narrow.prompts.length)
  })

  test('finds even that too long gets shorter pieces', async () => {
    const narrow = ruleModel(
      (prompt) => {
        if (estimateTokens(prompt.messages[0]?.text ?? '') > 600) throw new ModelError('overflow', 'too long')
        return keepFacts(prompt)
      },
      { name: 'narrow' },
    )
    const at = await talk({
      models: { narrow: { ...narrow, contextTokens: 4_000 } },
      settings: { compactionModel: 'narrow' },
    })
    for (let turn = 1; turn <= 5; turn++) await at.say(`FACT-${turn} ${'and so on '.repeat(100)}`)
    expect(await summariesNow(at)).toEqual([
      expect.stringMatching(/^Facts: FACT-1 FACT-2 FACT-3(?: and so on)*\.$/),
    ])
  })
})

describe('what summaries cost', () => {
  const price: Price = { perMillionIn: 1_000_000, perMillionOut: 0, perMillionCached: 0 }

  async function costly(max: number): Promise<Talk> {
    const paid = ruleModel(keepFacts, { name: 'paid', price })
    return talk({
      models: { paid },
      settings: { compactionModel: 'paid', dayLimit: { unit: 'money', max }, zone: 'UTC' },
    })
  }

  test('counts in /cost, as work in the background', async () => {
    const at = await costly(100)
    await sayTurns(at, 5)
    expect((await at.say('/cost'))[0]?.split('\n').slice(0, 2)).toEqual([
      'Today (2026-03-01): $10.00, 6 calls, 60 tokens in, 30 out',
      'In the background: $10.00, 1 call, 10 tokens in, 5 out',
    ])
  })

  test('counts for the person who asks for one', async () => {
    const at = await costly(100)
    await sayTurns(at, 4)
    await at.say('/compact')
    expect(await at.events('model-used')).toMatchObject([{ purpose: 'person', cost: 10 }])
  })

  test("is not spent beyond the background's half of the day's limit; past the hard limit an extract stands in", async () => {
    const at = await costly(20)
    await sayTurns(at, 5)
    expect(await compactions(at)).toEqual(['paid'])
    await sayTurns(at, 3)
    expect(await compactions(at)).toEqual(['paid', '(writer-failed)'])
    await sayTurns(at, 6)
    expect((await compactions(at)).at(-1)).toBe('extract')
    expect(await at.events('model-used')).toHaveLength(1)
    expect(at.sent.some(({ text }) => text.includes("no model could: Today's spending limit"))).toBe(true)
    await expectWhole(at)
  })
})

function scenario(lines: readonly string[]): Scenario {
  const summariser = ruleModel(keepFacts, { name: 'summariser' })
  const chat = ruleModel(() => ({ text: 'ok' }), { name: 'chat' })
  const settings = { model: 'chat', compactionModel: 'summariser', window: SMALL }
  return {
    options: () => ({ models: { chat, summariser }, settings }),
    act: async (at) => {
      for (const [key, line] of lines.entries()) {
        await at.type(line, String(key))
        await breathe()
      }
    },
    lastsMs: 1_000,
    check: async ({ at, platform }) => {
      await expectNothingLost(at)
      const said = lines.filter((line) => !line.startsWith('/'))
      expect(platform.texts('answer')).toHaveLength(said.length)
      await at.say('once more')
      expect((await compactions(at)).length).toBeGreaterThan(0)
      const facts = `${await promptNow(at)} ${(await summariesNow(at)).join(' ')}`
      expect(facts).toContain('FACT-one')
    },
  }
}

describe('whenever the process dies', () => {
  test('nothing is lost, nothing is half done, and it is summed up later', async () => {
    const lines = ['FACT-one', 'b', 'c', 'd', 'e']
    expect(await dieEverywhere(() => scenario(lines))).toBeGreaterThan(10)
  })

  test('/compact is done once, and says so once', async () => {
    const lines = ['FACT-one', 'b', 'c', '/compact', 'd']
    const once: () => Scenario = () => ({
      ...scenario(lines),
      check: async ({ at, platform }) => {
        await expectNothingLost(at)
        expect(platform.texts('output')).toEqual([expect.stringMatching(/^Summarized 2 older messages/)])
        expect(await compactions(at)).toEqual(['summariser'])
      },
    })
    expect(await dieEverywhere(once)).toBeGreaterThan(10)
  })
})
