import { describe, expect, test } from 'vitest'
import { tokensShown } from '../../src/context/part.ts'
import { getBranch } from '../../src/context/branch.ts'
import { listOf } from '../../src/context/version.ts'
import { expectLawful } from './lawful.ts'
import { countedTool, modelFault } from './doubles.ts'
import { compactions, promptNow, sayTurns, shownNow, summariesNow, talk, type Talk } from './talk.ts'

const PASTE = `The first line of Melville.\n${'Some words of the middle, and a whale.\n'.repeat(4_000)}The last line of Melville.`

const summarise = () => ({ text: `A text by Melville about 1 whale${', and the sea'.repeat(40)}.` })

async function tokensNow(at: Talk): Promise<number> {
  const branch = await at.branch()
  return at.read((reader) => tokensShown(reader, listOf(reader, getBranch(reader, branch))))
}

describe('one huge message', () => {
  const window = {
    summaryTokensMax: null,
    historyTokensMax: 32_000,
    windowMessages: 20,
    thresholdMessages: 40,
  }

  test('[CTX10] that was just answered is covered by /compact, which keeps its first and last lines', async () => {
    const at = await talk({ window, summarise })
    await at.say('hello')
    await at.say(PASTE)
    expect(await compactions(at)).toEqual([])
    expect((await at.say('/context')).join('\n')).toContain(
      'One message takes most of it. /compact summarizes it; /rewind removes it.',
    )
    expect(await at.say('/compact')).toEqual([expect.stringMatching(/^Summarized /)])
    const [summary = ''] = await summariesNow(at)
    expect(summary).toContain('The first line of Melville.')
    expect(summary).toContain('The last line of Melville.')
    expect(await tokensNow(at)).toBeLessThan(5_000)
    await at.say('/expand')
    expect(JSON.stringify(await promptNow(at))).toContain('a whale')
    await expectLawful(at)
  })

  test('[CTX10] that a tool gave is covered too, and the question stays', async () => {
    let asked = 0
    const at = await talk({
      // Otherwise it is covered as soon as it is answered.
      window: { ...window, historyTokensMax: null },
      summarise,
      tools: [countedTool('dig', () => PASTE)],
      answer: () => (asked++ === 0 ? { calls: [{ id: 'c', tool: 'dig', args: {} }] } : { text: 'ok' }),
    })
    await at.say('please dig')
    expect(await at.say('/compact')).toEqual([expect.stringMatching(/^Summarized /)])
    expect(JSON.stringify(await promptNow(at))).toContain('please dig')
    expect((await summariesNow(at)).join()).toContain('The last line of Melville.')
    await expectLawful(at)
  })

  test('[CTX10] with nothing behind it is covered, and the conversation goes on', async () => {
    let isDown = true
    const at = await talk({
      // Otherwise it is covered as soon as it is answered.
      window: { ...window, historyTokensMax: null },
      summarise,
      answer: () => {
        if (isDown) throw modelFault('rejected')
        return { text: 'ok' }
      },
    })
    await at.say(PASTE)
    isDown = false
    expect((await at.say('/compact')).join()).toContain('Summarized')
    expect(await tokensNow(at)).toBeLessThan(5_000)
    expect(await at.say('and now?')).toEqual(['ok'])
    await expectLawful(at)
  })

  test('[CTX10] before the last turn is summarized by itself', async () => {
    const at = await talk({ window, summarise })
    await at.say(PASTE)
    await at.say('and now?')
    expect(await compactions(at)).toEqual(['summariser'])
    expect(await shownNow(at)).toBe(2)
    expect((await summariesNow(at)).join()).toContain('The first line of Melville.')
  })
})

test('[CTX10] the prompts of a model with a million tokens stay bounded', async () => {
  const window = {
    historyTokensMax: 32_000,
    windowMessages: 20,
    thresholdMessages: 40,
    truncationMessages: 100,
    shareMin: 0.25,
  }
  const at = await talk({ window: { ...window, summaryTokensMax: null }, contextTokens: 1_000_000 })
  const sizes: number[] = []
  for (let turn = 0; turn < 60; turn++) {
    await sayTurns(at, 1, () => `question ${turn} ${'of many words, '.repeat(500)}`)
    sizes.push(await tokensNow(at))
  }
  expect(Math.max(...sizes)).toBeLessThan(34_000)
  expect((await compactions(at)).length).toBeGreaterThan(2)
  expect(Math.min(...sizes.slice(30))).toBeLessThanOrEqual(16_000 + 4_000)
})
