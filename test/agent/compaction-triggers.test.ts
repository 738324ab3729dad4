import { describe, expect, test } from 'vitest'
import { ModelError } from '../../src/model/contract/model.ts'
import { builtIn, type Tool } from '../../src/tool/tool.ts'
import { ruleModel } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { slowly, stopped } from './rig.ts'
import { breathe } from './stage.ts'
import {
  compactions,
  expectNothingLost,
  sayTurns,
  shownNow,
  summariesIn,
  summariesNow,
  talk,
  type Talk,
} from './talk.ts'

const DEFAULTS = { windowMessages: 20, thresholdMessages: 40, truncationMessages: 100 }

function look(text = () => 'x'): Tool {
  const spec = { name: 'look', description: '', parameters: {} }
  return { spec, nature: builtIn('looks'), run: async () => ({ text: text(), isError: false }) }
}

async function expectWhole(at: Talk): Promise<void> {
  await expectLawful(at)
  await expectNothingLost(at)
}

describe('the older messages are summed up after an answer', () => {
  test('when more than 40 are shown, and the last 20 stay', async () => {
    const at = await talk({ window: DEFAULTS })
    await sayTurns(at, 20)
    expect(await compactions(at)).toEqual([])
    expect(await at.say('the 41st')).toEqual([
      'ok',
      expect.stringMatching(
        /^Summarized 22 older messages \(\d+ tokens, by summariser\)\. \/expand or \/undo brings them back\.$/,
      ),
    ])
    expect(await shownNow(at)).toBe(20)
    expect(await summariesNow(at)).toEqual(['Facts: none but 1 and so on and so on.'])
    const [summedUp] = await at.events('context-compacted')
    expect(summedUp).toMatchObject({ author: { by: 'policy', name: 'window' }, writer: 'summariser' })
    await sayTurns(at, 10)
    expect(await compactions(at)).toHaveLength(1)
    await at.say('the next one')
    expect(await compactions(at)).toHaveLength(2)
    expect(at.summariser.prompts[1]?.messages[0]?.text).toContain(
      'Earlier summary:\n<data source="summary">\nFacts: none but 1 and so on and so on.\n</data>',
    )
    await expectWhole(at)
  })

  test('when they take more than three quarters of what the model takes, however few they are', async () => {
    const at = await talk({ contextTokens: 4_000, window: DEFAULTS })
    const text = 'word '.repeat(300)
    for (let turn = 0; turn < 6; turn++) await at.say(text)
    expect(await compactions(at)).toEqual([])
    await at.say(text)
    expect(await compactions(at)).toEqual(['summariser'])
    expect(await shownNow(at)).toBeLessThan(14)
    expect(at.chat.prompts.every(({ messages }) => summariesIn({ messages }).length === 0)).toBe(true)
    await expectWhole(at)
  })

  test('and not one message more is summed up than is older than the window, even if a turn has many', async () => {
    const tools = [look()]
    let calls = 0
    const at = await talk({
      tools,
      answer: () => (calls++ % 4 < 3 ? { calls: [{ id: 'c', tool: 'look', args: {} }] } : { text: 'ok' }),
    })
    await sayTurns(at, 2)
    // Eight messages each: the window of four is completed to the whole last turn.
    expect(await shownNow(at)).toBe(8)
    expect(await compactions(at)).toEqual(['summariser'])
    await expectWhole(at)
  })
})

/** The summariser fails until told otherwise. */
async function stuck(): Promise<Talk & { mend(): void }> {
  let isBroken = true
  const at = await talk({
    summarise: () => {
      if (isBroken) throw new ModelError('rejected', 'summariser: not today')
      return { text: 'A model wrote this.' }
    },
  })
  return Object.assign(at, { mend: () => (isBroken = false) })
}

describe('more messages than one prompt may have', () => {
  test('are summed up by an extract when the model fails, which is marked and said with the reason', async () => {
    const at = await stuck()
    await sayTurns(at, 10)
    expect(new Set(await compactions(at))).toEqual(new Set(['(writer-failed)']))
    expect(await shownNow(at)).toBe(20)
    const [notice, answer] = await at.say('the 21st')
    expect(notice).toMatch(
      /^Summarized 16 older messages \(\d+ tokens, key sentences only; no model could: summariser: not today\)\. \/expand/,
    )
    expect(answer).toBe('ok')
    expect((await compactions(at)).at(-1)).toBe('extract')
    expect(await shownNow(at)).toBe(6)
    at.mend()
    await sayTurns(at, 2)
    expect((await compactions(at)).at(-1)).toBe('summariser')
    await expectWhole(at)
  })

  test('are never in a prompt: what could not be summed up after the answer is summed up before the next', async () => {
    const slow = slowly({ text: 'Too late.' })
    const at = await talk({ summarise: (_, signal) => slow.reply(signal) })
    for (let turn = 1; turn <= 10; turn++) {
      await at.type(`hello ${turn}`)
      await breathe()
    }
    expect(at.sent).toHaveLength(10)
    await at.type('the 21st')
    await breathe()
    expect(at.sent).toHaveLength(10)
    // Whoever waits is not kept waiting for ever.
    await at.clock.pass(30_000)
    expect(at.sent.slice(10).map(({ text }) => text)).toEqual([
      expect.stringMatching(/key sentences only; no model could: summariser took too long\)/),
      'ok',
    ])
    expect(Math.max(...at.chat.prompts.map(({ messages }) => messages.length))).toBeLessThanOrEqual(20)
    await expectWhole(at)
  })

  test('wait for the summary that is on its way already, and for no second one', async () => {
    const slow = slowly({ text: 'In time for hello 1.' })
    const at = await talk({ summarise: (_, signal) => slow.reply(signal) })
    for (let turn = 1; turn <= 11; turn++) {
      await at.type(`hello ${turn}`)
      await breathe()
    }
    expect(at.sent).toHaveLength(10)
    slow.go.open()
    await at.settle()
    const summedUp = expect.stringMatching(/by summariser\)\./)
    expect(at.sent.slice(10).map(({ text }) => text)).toEqual([summedUp, 'ok', summedUp])
    expect(at.clock.sleepers).toBe(0)
    await expectWhole(at)
  })

  test('of one turn alone are kept: it is answered whole', async () => {
    const tools = [look()]
    let calls = 0
    const at = await talk({
      tools,
      settings: { roundsMax: 50 },
      answer: () => (calls++ < 15 ? { calls: [{ id: 'c', tool: 'look', args: {} }] } : { text: 'done' }),
    })
    expect((await at.say('look fifteen times')).at(-1)).toBe('done')
    expect(at.chat.prompts.at(-1)?.messages).toHaveLength(31)
    expect(await compactions(at)).toEqual([])
    await expectWhole(at)
  })
})

describe('in front of an answer', () => {
  const long = 'word '.repeat(1_000)

  test('room is made only when the prompt does not fit otherwise', async () => {
    const at = await talk({ contextTokens: 4_000, window: DEFAULTS })
    await at.say(long)
    expect(await at.say(long)).toEqual(['ok', expect.stringMatching(/^Summarized 2 older messages/)])
    expect(summariesIn(at.chat.prompts.at(-1) ?? { messages: [] })).toEqual([])
    expect(await at.say(`${long}${long}`)).toEqual([
      expect.stringMatching(/^Summarized 2 older messages/),
      'ok',
    ])
    expect(summariesIn(at.chat.prompts.at(-1) ?? { messages: [] })).toHaveLength(1)
    await expectWhole(at)
  })

  test('an extract stands in when the model cannot sum up, for else there would be no answer', async () => {
    const at = await talk({
      contextTokens: 4_000,
      window: DEFAULTS,
      summarise: () => {
        throw new ModelError('unauthorised', 'summariser: no')
      },
    })
    await at.say(long)
    await at.say(long)
    expect((await at.say(long)).at(-1)).toBe('ok')
    expect((await compactions(at)).at(-1)).toBe('extract')
    await expectWhole(at)
  })

  test('nothing is summed up where that would not help: the turn is refused with what to do', async () => {
    const at = await talk({ contextTokens: 2_500 })
    await at.say('hello')
    expect(await at.say(`${long}${long}`)).toEqual([
      expect.stringMatching(
        /^Your message alone does not fit into chat: it has about 2\d{3} tokens, and besides AGENTS\.md, the tools and the answer, 1\d{3} of its 2500 are left\. Send it in smaller parts\. Or choose a model with a larger context \(\/model NAME\) and type \/retry: your message is kept\.$/,
      ),
    ])
    expect(await compactions(at)).toEqual([])
    await expectWhole(at)
  })

  test('a provider that finds the prompt too long gets a shorter one, once for each answer', async () => {
    let refusals = 1
    const at = await talk({
      answer: () => {
        if (refusals-- > 0) throw new ModelError('overflow', 'chat: too long for me')
        return { text: 'ok' }
      },
    })
    refusals = 0
    await sayTurns(at, 3)
    refusals = 1
    expect(await at.say('more')).toEqual([expect.stringMatching(/^Summarized 6 older messages/), 'ok'])
    expect(at.chat.prompts.at(-1)?.messages).toHaveLength(2)
    expect(await at.events('model-failed')).toMatchObject([{ reason: 'overflow', call: 1 }])
    refusals = 2
    expect((await at.say('and more')).at(-1)).toMatch(
      /^chat: too long for me\. \/clear or \/rewind MARK makes room/,
    )
    expect(await at.events('model-failed')).toHaveLength(3)
    expect(await at.say('/retry')).toEqual(['Trying again.', 'ok'])
    await expectWhole(at)
  })

  test('a provider that finds every prompt too long is asked twice, and then the turn is refused', async () => {
    let isFull = false
    const at = await talk({
      window: DEFAULTS,
      answer: () => {
        if (isFull) throw new ModelError('overflow', 'chat: too long for me')
        return { text: 'ok' }
      },
    })
    await sayTurns(at, 10, () => 'word '.repeat(400))
    isFull = true
    expect((await at.say('more')).at(-1)).toMatch(/^chat: too long for me\. \/clear/)
    expect(await at.events('model-failed')).toHaveLength(2)
    expect(await compactions(at)).toEqual(['summariser'])
    await expectWhole(at)
  })

  test('room is made more than once in a turn that grows and grows', async () => {
    let calls = 0
    const at = await talk({
      window: DEFAULTS,
      tools: [look(() => 'word '.repeat(400))],
      answer: () => {
        calls++
        if (calls === 1 || calls === 4) throw new ModelError('overflow', 'chat: too long for me')
        return calls < 6 ? { calls: [{ id: 'c', tool: 'look', args: {} }] } : { text: 'done' }
      },
    })
    calls = 10
    await sayTurns(at, 10, () => 'word '.repeat(400))
    calls = 0
    expect((await at.say('look around')).at(-1)).toBe('done')
    expect(await compactions(at)).toEqual(['summariser', 'summariser'])
    await expectWhole(at)
  })

  test('/stop stops the summary too', async () => {
    const at = await talk({
      contextTokens: 4_000,
      window: DEFAULTS,
      summarise: (_, signal) => stopped(signal),
    })
    await at.say('word '.repeat(1_400))
    await at.type(`${long}${long}`)
    await breathe()
    await at.type('/stop')
    await at.settle()
    expect(at.sent.map(({ text }) => text)).toEqual(['ok', 'Stopped.'])
    expect(await compactions(at)).toEqual([])
  })
})

test('a fallback that sums up signs and is paid by its own name', async () => {
  const price = { perMillionIn: 1_000_000, perMillionOut: 0, perMillionCached: 0 }
  const other = ruleModel(() => ({ text: 'By another, of hello 1.' }), { name: 'other', price })
  const at = await talk({
    models: { other },
    fallbacks: ['other'],
    summarise: () => {
      throw new ModelError('network', 'summariser: out of reach', { retryAfterMs: 100_000 })
    },
  })
  await sayTurns(at, 5)
  expect(await compactions(at)).toEqual(['other'])
  expect(await at.events('model-used')).toMatchObject([{ model: 'other', cost: 10, purpose: 'background' }])
})
