import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../src/base/tokens.ts'
import { liveRecall } from './live-recall.ts'
import { memoryFor, QUESTION, quotedIn, RECALL, sayMuch } from './recalling.ts'
import { talk, type Talk, type TalkOptions } from './talk.ts'

const DAY = 86_400_000
const NAMES = ['Meyer', 'Huber', 'Wagner', 'Schmidt', 'Fischer', 'Becker', 'Koch']

/** Who said these things, with a day between them, and much else since. */
async function heard(texts: readonly string[], options: TalkOptions = {}): Promise<Talk> {
  const at = await talk({ summarise: () => ({ text: 'They talked about 1 thing.' }), ...options })
  for (const text of texts) {
    await at.say(text)
    await at.clock.pass(DAY)
  }
  await sayMuch(at)
  return at
}

async function quoted(at: Talk, text = QUESTION): Promise<string[]> {
  return quotedIn(await memoryFor(at, text)).map((one) => one.split('\n').at(-1) ?? '')
}

const dentists = NAMES.map((name) => `A dentist in our street is called ${name}.`)

function much(what: string): string {
  return `It was about ${what} and nothing but ${what}, all day long. `.repeat(25)
}

describe('what comes back by itself', () => {
  test.each([0, 1, 3, 5])('is at most RECALL_LIMIT: %i', async (limit) => {
    const at = await heard(dentists, { settings: { recall: { ...RECALL, limit } } })
    const found = await quoted(at)
    expect(found).toHaveLength(limit)
    for (const text of found) expect(dentists).toContain(text)
    expect(new Set(found).size).toBe(limit)
  })

  test('says each thing once, however often it was said', async () => {
    const at = await heard([dentists[0] ?? '', dentists[0] ?? '', dentists[1] ?? '', dentists[0] ?? ''])
    expect((await quoted(at)).toSorted()).toEqual([dentists[1], dentists[0]])
  })

  test('is cut to RECALL_SNIPPET_TOKENS around what is asked for', async () => {
    const long = `${much('sailing')}The dentist Meyer moved to Potsdam. ${much('cooking')}`
    for (const snippetTokensMax of [20, 60, 300]) {
      const at = await heard([long], {
        settings: { recall: { ...RECALL, limit: 1, snippetTokensMax } },
        summarise: () => ({ text: 'They talked about 1 thing, and about many others. '.repeat(3) }),
      })
      const [text = ''] = await quoted(at)
      expect(text).toContain('The dentist Meyer moved to Potsdam.')
      expect(estimateTokens(text)).toBeLessThanOrEqual(snippetTokensMax)
      expect(estimateTokens(text)).toBeGreaterThan(snippetTokensMax * 0.5)
      expect(text.startsWith('… ')).toBe(true)
    }
  })

  test('is in the order that RECALL_DECAY gives', async () => {
    const [old, later] = ['The dentist Meyer has moved.', 'The dentist Huber has moved.']
    for (const decay of [0, 10]) {
      const at = await talk({
        summarise: () => ({ text: 'They talked about 1 thing.' }),
        recall: (log) => liveRecall(log, { weights: { alpha: null, decay } }),
      })
      await at.say(old)
      await sayMuch(at)
      await at.clock.pass(300 * DAY)
      await at.say(later)
      await sayMuch(at)
      expect(await quoted(at, 'Where is the dentist?')).toEqual(decay === 0 ? [old, later] : [later, old])
    }
  })

  test('is in the order that RECALL_ALPHA gives, and by words alone without an embedder', async () => {
    const byWord = 'The garage band wrote a song about an engine for the radio festival.'
    const byMeaning = 'The garage has a mechanic for cars and motors.'
    const first = async (options: Parameters<typeof liveRecall>[1]): Promise<string | undefined> => {
      const at = await heard([byWord, byMeaning], { recall: (log) => liveRecall(log, options) })
      return (await quoted(at, 'Which garage for the engine?'))[0]
    }
    expect(await first({ weights: { alpha: 1, decay: 0 } })).toBe(byWord)
    expect(await first({ weights: { alpha: 0, decay: 0 } })).toBe(byMeaning)
    expect(await first({ weights: { alpha: 0, decay: 0 }, embedder: null })).toBe(byWord)
  })
})
