import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headOf } from '../../src/context/message-index.ts'
import { tokensShown } from '../../src/context/part.ts'
import { listAtVersion } from '../../src/context/version.ts'
import { slowly } from './rig.ts'
import { breathe, type Stage } from './stage.ts'
import { compactions, expectNothingLost, promptNow, sayTurns, summariesNow, talk } from './talk.ts'
import { isWholeRun, rounds } from '../rounds.ts'

const words = (count: number): string => 'word '.repeat(count)
const sentences = (count: number): string => 'One more sentence that says nothing. '.repeat(count)

/** What each compaction freed, in tokens, and what was shown before it. */
async function freedIn(at: Stage): Promise<{ freed: number; shown: number }[]> {
  const compacted = await at.events('context-compacted')
  return at.read((reader) =>
    compacted.map(({ branch, position, prev, summaries }) => ({
      freed: summaries.reduce((sum, { tokens, tokensCovered }) => sum + tokensCovered - tokens, 0),
      shown: tokensShown(reader, listAtVersion(reader, prev, headOf(reader, branch, position))),
    })),
  )
}

describe('a summary is shorter than what it stands for', () => {
  test('whatever a model writes about however short messages: it frees a tenth of what was shown', async () => {
    let found = 0
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 5, maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 60 }), fc.boolean(), async (said, told, isAsked) => {
        const at = await talk({
          window: { summaryTokensMax: 500 },
          summarise: () => ({ text: sentences(told) }),
        })
        for (const size of said) await at.say(words(size))
        if (isAsked) await at.say('/compact')
        for (const { freed, shown } of await freedIn(at)) {
          found++
          expect(freed * 10).toBeGreaterThanOrEqual(shown)
        }
        await expectNothingLost(at)
      }),
      { numRuns: rounds(60) },
    )
    if (isWholeRun) expect(found).toBeGreaterThan(60)
  })

  test('an extract too', async () => {
    const at = await talk({ window: { summaryTokensMax: 500 }, settings: { compactionModel: 'offline' } })
    await sayTurns(at, 10, (turn) => `We pay ${turn} euros to Anna.`)
    const all = await freedIn(at)
    expect(all.length).toBeGreaterThan(1)
    for (const { freed, shown } of all) expect(freed * 10).toBeGreaterThanOrEqual(shown)
  })

  test('and the model is told how short, so that it need not be cut', async () => {
    const at = await talk({ window: { summaryTokensMax: 500 } })
    await sayTurns(at, 5)
    const asked = /At most (\d+) tokens\.$/.exec(at.summariser.prompts[0]?.messages[0]?.text ?? '')?.[1]
    const [{ shown } = { shown: 0 }] = await freedIn(at)
    expect(Number(asked)).toBeGreaterThan(20)
    expect(Number(asked)).toBeLessThan(shown * 0.6)
  })

  test('nothing is asked for where too little can be freed, however many messages there are', async () => {
    let answer = 'ok'
    const at = await talk({ answer: () => ({ text: answer }), contextTokens: 200_000 })
    await sayTurns(at, 3)
    answer = words(3_000)
    await sayTurns(at, 2)
    expect(at.summariser.prompts).toEqual([])
    expect(await at.say('/compact')).toEqual([
      expect.stringMatching(/^Not compacted: a summary would free only about \d+ of 6\.\dk tokens\./),
    ])
    expect(await compactions(at)).toEqual([])
  })
})

/** Much is said while the summary of the first short messages is written. */
async function overtaken() {
  const slow = slowly({ text: sentences(20) })
  let count = 0
  const at = await talk({
    summarise: (_, signal) =>
      count++ === 0 ? slow.reply(signal) : { text: 'All of it, hello 1 and many words. '.repeat(7) },
  })
  await sayTurns(at, 4)
  await at.type('the fifth')
  await breathe()
  await at.type(words(4_000))
  await breathe()
  const before = await promptNow(at)
  slow.go.open()
  await at.settle()
  return { at, before }
}

describe('what is no longer worth it when it is written', () => {
  test('is not committed: nothing changes, and what it cost is counted', async () => {
    const { at, before } = await overtaken()
    expect(await compactions(at)).toEqual(['(context-changed)'])
    expect(await promptNow(at)).toBe(before)
    expect(await summariesNow(at)).toEqual([])
    expect(await at.events('model-used')).toHaveLength(1)
    await expectNothingLost(at)
  })

  test('is not tried, nor paid for, again before the context has grown by a tenth', async () => {
    const { at } = await overtaken()
    // The long message leaves the window of four, so a summary would be worth it now.
    await sayTurns(at, 4)
    expect(at.summariser.prompts).toHaveLength(1)
    await at.say(words(450))
    expect(at.summariser.prompts).toHaveLength(2)
    expect(await compactions(at)).toEqual(['(context-changed)', 'summariser'])
    await expectNothingLost(at)
  })

  test('is tried at once for a person who asks', async () => {
    const { at } = await overtaken()
    await sayTurns(at, 2)
    expect(await at.say('/compact')).toEqual([expect.stringMatching(/^Summarized /)])
  })
})

describe('a summariser that takes money and gives nothing', () => {
  const empty = { summarise: () => ({ text: '' }), window: { windowMessages: 2, thresholdMessages: 3 } }

  test('is asked again when the context has grown by a tenth, not after every answer', async () => {
    const at = await talk({ ...empty, window: { ...empty.window, truncationMessages: 1_000 } })
    await at.say(words(2_000))
    await sayTurns(at, 12)
    expect(at.summariser.prompts.length).toBeGreaterThanOrEqual(1)
    expect(at.summariser.prompts.length).toBeLessThanOrEqual(3)
  })

  test('is stood in for past the truncation limit all the same', async () => {
    const at = await talk({ ...empty, window: { ...empty.window, truncationMessages: 12 } })
    await at.say(words(2_000))
    await sayTurns(at, 6)
    expect(await compactions(at)).toContain('extract')
    expect(Math.max(...at.chat.prompts.map(({ messages }) => messages.length))).toBeLessThanOrEqual(12)
  })
})
