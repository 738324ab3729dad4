import { describe, expect, test } from 'vitest'
import { AT, branchOf, DAY, Talk, type Said } from '../../../test/recall-search/said.ts'
import type { Meaning } from './meaning-search.ts'
import type { Hit } from '../contract/recall.ts'
import { recencyOf } from './searcher.ts'
import { documentPlaces, openVectors } from '../vector/sqlite-vectors.ts'

/** A word's meaning is one of two; what has neither means nothing. */
function vectorOf(text: string): Float32Array {
  return Float32Array.of(/pet|cat|dog/.test(text) ? 1 : 0, /food|bread|soup/.test(text) ? 1 : 0)
}

/** People talk; of the first `known` things they say the meaning is known. */
async function withMeaning(said: readonly (Said | string)[], known = said.length): Promise<Talk> {
  const embedder: Meaning['embedder'] = {
    id: 'two',
    dimensions: 2,
    alpha: 0.6,
    embed: async (texts) => texts.map(vectorOf),
    knows: () => true,
  }
  let talk: Talk | undefined
  const places = () => documentPlaces((talk as Talk).index)()
  const vectors = openVectors({ place: 'memory', embedder, places })
  talk = new Talk({ embedder, vectors })
  await talk.say(...said)
  vectors.add(said.slice(0, known).map((one) => vectorOf(typeof one === 'string' ? one : one.text)))
  return talk
}

const apart = (...texts: string[]): Said[] => texts.map((text, at) => ({ text, at: AT + at * DAY }))
const animals = apart('the dog barks', 'bread and butter', 'a cat sleeps', 'the lamp', 'soup of the day')

function sum({ score, why }: Hit): void {
  const fused = why.alpha * why.words + (1 - why.alpha) * (why.vector ?? 0)
  expect(score).toBeCloseTo(Math.min(1, fused * why.recency * why.spread), 6)
}

describe('a score', () => {
  test('is what its explanation adds up to, and hits come by it', async () => {
    const talk = await withMeaning(animals)
    for (const by of ['words', 'vectors', 'both'] as const) {
      const { hits } = await talk.find('which dog or cat eats soup', { by })
      expect(hits.length).toBeGreaterThan(1)
      for (const hit of hits) sum(hit)
      const scores = hits.map(({ score }) => score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect(Math.max(...scores)).toBeLessThanOrEqual(1)
    }
  })

  test('is the share of the best by words, where only they count', async () => {
    const talk = await withMeaning(animals)
    const { hits } = await talk.find('dog and soup', { by: 'words', recency: false })
    expect(hits.map(({ why }) => [why.vector, why.alpha])).toEqual([
      [null, 1],
      [null, 1],
    ])
    expect(hits[0]?.score).toBe(1)
  })

  test.each([
    [1, ['a cat sleeps']],
    [0, ['the dog barks', 'a cat sleeps']],
  ])('with alpha %j finds %j', async (alpha, expected) => {
    const talk = await withMeaning(animals)
    const { hits } = await talk.find('cat', { recency: false }, { alpha })
    const texts = await talk.textsFor('cat', { recency: false })
    expect(hits.map(({ why }) => why.alpha)).toEqual(hits.map(() => alpha))
    const found = texts.slice(0, hits.length)
    expect(found.toSorted()).toEqual(expected.toSorted())
  })

  test('takes the embedder’s own alpha where none is set, and less of it for what it does not know', async () => {
    const talk = await withMeaning(animals)
    expect((await talk.find('cat')).hits[0]?.why.alpha).toBe(0.6)
    const plain = await withMeaning(animals)
    const { hits } = await plain.find('zebra lamp')
    expect(hits.map(({ why }) => [why.vector, why.alpha])).toEqual([[null, 1]])
  })

  test('has a vector of 1 for the nearest, whoever said it', async () => {
    const said = [...apart('a cat sleeps', 'the dog barks'), { by: 'Bert', text: 'a cat', at: AT + 5 * DAY }]
    const talk = await withMeaning(said)
    for (const question of ['Which cat has Bert?', 'Which cat was it in 2023?', 'cat']) {
      const { hits } = await talk.find(question, { recency: false })
      expect(Math.max(...hits.map(({ why }) => why.vector ?? 0))).toBe(1)
    }
  })

  test('goes by the words of what has no vector yet, as if there were no meanings', async () => {
    const talk = await withMeaning(animals, 1)
    const { hits } = await talk.find('cat', { recency: false })
    expect(hits.map(({ score, why: { words, vector } }) => [score, words, vector])).toEqual([
      [1, 1, null],
      [expect.closeTo(0.4, 5), 0, 1],
    ])
  })

  test('is whole where only one message may be found', async () => {
    const talk = await withMeaning(animals)
    const { hits } = await talk.find('cat', { since: AT + 2 * DAY, until: AT + 2 * DAY, recency: false })
    expect(hits.map(({ score }) => score)).toEqual([1])
    const alone = await talk.find('pet', { since: AT, until: AT, by: 'vectors', recency: false })
    expect(alone.hits.map(({ score }) => score)).toEqual([1])
  })
})

const byAge = ([a = 0]: number[], [b = 0]: number[]) => a - b

describe('age', () => {
  test.each([
    [0, 0.1, 1],
    [10, 0.1, 0.9],
    [30, 0.1, 0.85],
    [365, 0.1, 0.8 + 0.2 / 37.5],
    [1e9, 0.1, 0.8],
    [1e9, 0, 1],
  ])('of %j days with a decay of %j counts %j', (days, decay, expected) => {
    expect(recencyOf(days, decay)).toBeCloseTo(expected, 6)
  })

  test('brings the newer of two equal messages first, unless it does not count', async () => {
    const talk = new Talk()
    await talk.say(...apart('the lamp', 'the lamp'), { text: 'now', at: AT + 11 * DAY })
    const ages = async (...how: Parameters<Talk['find']> extends [string, ...infer T] ? T : never) =>
      (await talk.find('lamp', ...how)).hits.map(({ at, why }) => [
        (at - AT) / DAY,
        Number(why.recency.toFixed(6)),
      ])
    expect(await ages()).toEqual([
      [1, 0.9],
      [0, Number((0.8 + 0.2 / 2.1).toFixed(6))],
    ])
    const both = [
      [0, 1],
      [1, 1],
    ]
    expect((await ages({ recency: false })).toSorted(byAge)).toEqual(both)
    expect((await ages({}, { decay: 0 })).toSorted(byAge)).toEqual(both)
    expect((await ages({ now: 0 })).toSorted(byAge)).toEqual(both)
  })

  test('never hides the better of two', async () => {
    const talk = new Talk()
    await talk.say({ text: 'the old green lamp' }, { text: 'a lamp', at: AT + 1_000 * DAY })
    expect(await talk.textsFor('green lamp')).toEqual(['the old green lamp', 'a lamp'])
  })
})

describe('a hit', () => {
  test('says where, when and by whom it was said, and by which words it was found', async () => {
    const talk = new Talk()
    await talk.say({ by: 'assistant', text: 'The pottery is open', at: AT, branch: 2 })
    const { hits, repaired } = await talk.find('Which potery was open?')
    expect(hits).toEqual([
      {
        position: 2,
        part: 0,
        branch: branchOf(2),
        at: AT,
        kind: 'assistant',
        speaker: 'assistant',
        score: 1,
        why: {
          words: 1,
          vector: null,
          meaning: null,
          alpha: 1,
          recency: 1,
          spread: 1,
          matched: expect.arrayContaining(['potery', 'open']),
          coverage: 1,
        },
      },
    ])
    expect(repaired).toEqual([{ typed: 'potery', taken: 'pottery' }])
  })

  test('covers what stands in it and in the question that it answers', async () => {
    const talk = new Talk()
    await talk.say('clay?', 'tent', 'lamp', 'rose', 'hat')
    const { hits } = await talk.find('clay rose')
    expect(
      hits.map(({ at, why }) => [(at - AT) / 60_000, Number(why.coverage.toFixed(2))]).toSorted(byAge),
    ).toEqual([
      [1, 0.5],
      [2, 0.5],
      [3, 0],
      [4, 0.5],
      [5, 0],
    ])
  })

  test('is one of as many as are wanted, however many there are', async () => {
    const talk = new Talk()
    await talk.say(...Array.from({ length: 60 }, (_, at) => `lamp ${'x '.repeat(at % 7)}`))
    for (const limit of [0, 1, 7, 10, 59, 60]) {
      const { hits } = await talk.find('lamp', { limit })
      expect(hits).toHaveLength(limit)
    }
  })
})

test('searches at the same time find what each finds alone', async () => {
  const talk = new Talk()
  const words = ['clay', 'tent', 'rose', 'lamp', 'lake']
  await talk.say(...Array.from({ length: 80 }, (_, at) => `${words[at % 5]} ${words[(at * 3) % 5]} ${at}`))
  const questions = ['clay tent', 'rose', 'lamp lake', 'tent 17', 'clay']
  const alone = []
  for (const question of questions) alone.push(await talk.find(question))
  expect(await Promise.all(questions.map((question) => talk.find(question)))).toEqual(alone)
})

test('a search goes on while the log grows, and the next one finds what came', async () => {
  const talk = new Talk()
  await talk.say('lamp', 'tent')
  const [found] = await Promise.all([
    talk.find('lamp'),
    talk.say(...Array.from({ length: 3_000 }, (_, at) => `lamp ${at}`)),
  ])
  expect(found.hits.length).toBeGreaterThan(0)
  expect(await talk.textsFor('lamp 2999', { limit: 1 })).toEqual(['lamp 2999'])
})

test('a search goes on while the index begins anew', async () => {
  const talk = new Talk()
  await talk.say('lamp', 'tent')
  const expected = await talk.find('lamp')
  const searching = talk.find('lamp')
  await Promise.resolve()
  talk.index.clear()
  expect((await searching).hits.length).toBeLessThanOrEqual(expected.hits.length)
  expect((await talk.find('lamp')).hits).toEqual([])
  await talk.say('rose')
  expect((await talk.textsFor('lamp')).slice(0, 2)).toEqual(['lamp', 'tent'])
})

const within = () => {
  throw new Error('no reader')
}

test('one search that fails does not stop the next', async () => {
  const talk = new Talk()
  await talk.say('lamp')
  await expect(talk.find('lamp', { within })).rejects.toThrow('no reader')
  expect(await talk.textsFor('lamp')).toEqual(['lamp'])
})
