import { describe, expect, test } from 'vitest'
import { AT, DAY, indexOf, Talk, type Said } from '../../../test/recall-search/said.ts'
import { feedbackFrom, type FirstHit } from './feedback.ts'
import { readQuestion } from './question.ts'

const filler = Array.from({ length: 100 }, (_, at): Said => ({ text: `other thing${at}`, branch: 1 }))

/** The terms that join, with their gains, the weightiest first. */
function joining(said: readonly string[], question: string, hits: readonly FirstHit[]): [string, number][] {
  const index = indexOf(...said, ...filler)
  const terms = new Map(
    said
      .join(' ')
      .split(/\W+/)
      .map((word) => [index.postings(word).documents.join(), word]),
  )
  return feedbackFrom(index, readQuestion(index, question, {}), hits).map(({ postings, gain }) => {
    return [terms.get(postings.documents.join()) ?? '?', gain]
  })
}

const hit = (text: string, score = 1): FirstHit => ({ text, score })

describe('of the best hits join', () => {
  test.each<[string, string[], FirstHit[], string[]]>([
    ['words that stand elsewhere too', ['clay kiln', 'kiln'], [hit('clay kiln')], ['kiln']],
    ['no words that stand nowhere else', ['clay kiln'], [hit('clay kiln')], []],
    ['no words of the question', ['clay', 'clay'], [hit('clay')], []],
    ['no little words', ['clay about', 'about'], [hit('clay about')], []],
    ['no short words', ['clay ox', 'ox'], [hit('clay ox')], []],
    ['no names', ['clay anna', 'anna'], [hit('clay anna')], []],
    ['no very common words', ['clay other'], [hit('clay other')], []],
    [
      'no words that only stand beside those of the question',
      ['clay', 'tent kiln', 'kiln'],
      [hit('tent kiln')],
      [],
    ],
    ['nothing where nothing was found', ['clay kiln', 'kiln'], [], []],
    ['nothing where nothing is worth anything', ['clay kiln', 'kiln'], [hit('clay kiln', 0)], []],
  ])('%s', (_, ...[said, hits, expected]) => {
    expect(joining(said, 'clay', hits).map(([term]) => term)).toEqual(expected)
  })

  test('at most ten, the most telling with a fifth of its worth, the others with less', () => {
    const words = Array.from({ length: 14 }, (_, at) => `kiln${'abcdefghijklmn'[at] ?? ''}`)
    const text = `clay ${words.join(' ')}`
    const found = joining([text, text], 'clay', [hit(text)])
    expect(found).toHaveLength(10)
    const said = ['clay kiln', 'kiln', 'oven', 'oven', 'oven']
    const [rare, often] = joining(said, 'clay', [hit('clay kiln oven')])
    const gain = Math.log((105 - 2 + 0.5) / 2.5)
    expect(rare).toEqual(['kiln', expect.closeTo(0.2 * gain, 5)])
    const less = Math.log((105 - 3 + 0.5) / 3.5)
    expect(often).toEqual(['oven', expect.closeTo((0.2 * less * less) / gain, 5)])
  })

  test('all of them together are worth three quarters of the question at most', () => {
    const text = `clay ${Array.from('abcdefghij', (letter) => `kiln${letter}`).join(' ')}`
    const found = joining([text, text], 'clay', [hit(text)])
    const asked = Math.log((102 - 2 + 0.5) / 2.5)
    expect(found.reduce((sum, [, gain]) => sum + gain, 0)).toBeCloseTo(0.75 * asked, 5)
  })

  test('words count by the hits they stand in', () => {
    const said = ['kiln', 'kiln', 'oven', 'oven', 'clay']
    const found = joining(said, 'clay', [
      hit('clay oven', 2),
      hit('clay kiln', 1),
      hit('clay kiln', 0.5),
      hit('clay oven oven', 1),
    ])
    expect(found.map(([term]) => term)).toEqual(['oven', 'kiln'])
    expect((found[1]?.[1] as number) / (found[0]?.[1] as number)).toBeCloseTo(0.5, 5)
  })
})

test('what is said in other words nearby gets a little more', async () => {
  const talk = new Talk()
  await talk.say(
    ...['clay and kiln', 'the kiln was hot'].map((text) => ({ text })),
    { text: 'clay and rain', at: AT + DAY },
    ...filler.map((one, at) => ({ ...one, at: AT + (2 + at) * DAY })),
  )
  const { hits } = await talk.find('clay', { recency: false })
  const [first, second] = hits.map(({ why }) => why.words)
  expect(first).toBe(1)
  expect(second).toBeLessThan(1)
  expect((await talk.textsFor('clay', { recency: false })).slice(0, 2)).toEqual([
    'clay and kiln',
    'clay and rain',
  ])
})
