import { describe, expect, test } from 'vitest'
import { assistantTalk, topics } from '../../../test/recall-search/assistant-talk.ts'
import { AT, DAY, MINUTE, Talk, type Said } from '../../../test/recall-search/said.ts'
import { documentPlaces, openVectors } from '../vector/sqlite-vectors.ts'
import { staticEncoder } from '../vector/static-encoder.ts'
import { VectorFollower } from '../vector/vector-follower.ts'

/** A talk whose meaning the built-in encoder knows. */
async function talkOf(said: readonly (Said | string)[]): Promise<Talk> {
  const embedder = staticEncoder()
  let talk: Talk | undefined
  const places = () => documentPlaces((talk as Talk).index)()
  const vectors = openVectors({ place: 'memory', embedder, places })
  talk = new Talk({ embedder, vectors })
  await talk.say(...said)
  await new VectorFollower({ log: talk.log, index: talk.index, vectors, embedder }).catchUp()
  return talk
}

const asker = 'Anna'

describe('beside the person’s own words', async () => {
  const talk = await talkOf(assistantTalk)

  test.each(topics.map(([, answer, , later]) => [later, answer] as const))(
    'what the assistant said stays answerable: %s',
    async (question, answer) => {
      for (const by of ['words', 'both'] as const) {
        const [first] = await talk.textsFor(question, { asker, by, limit: 5 })
        expect(first).toContain(answer)
      }
    },
  )

  test.each([
    ['When is the half marathon?', 'the half marathon is on October 12'],
    ['Who did I sign up with for the half marathon?', 'I signed up with Petra'],
    ['When do we fly to Lisbon?', 'We fly to Lisbon on May 3'],
    ['What is the name of the cat?', 'The cat is called Minka'],
    ['How large is the attic?', 'The attic has ninety square metres'],
    ['When did my back pain begin?', 'My back pain began when I moved the piano'],
  ])('what the person said comes before replies: %s', async (question, said) => {
    const { hits } = await talk.find(question, { asker })
    const texts = await talk.textsFor(question, { asker })
    const place = texts.findIndex((text) => text.includes(said))
    expect(hits.slice(0, place + 1).map(({ speaker }) => speaker)).toEqual(Array(place + 1).fill(asker))
    expect(place).toBeLessThan(4)
  })
})

test('a fix is found by what it was about, without a word in common', async () => {
  const talk = await talkOf([
    'The new office chairs arrive on Tuesday',
    'I fixed the JWT token refresh',
    'We had pasta and a salad for lunch',
    'The printer on the second floor is out of toner',
    'Mara wants to repaint the hallway',
    'The fix for the sink costs 80 euros',
  ])
  const [first, second] = await talk.textsFor('What was that auth fix?')
  expect([first, second]).toContain('I fixed the JWT token refresh')
  const [alone] = await talk.textsFor('authentication trouble')
  expect(alone).toBe('I fixed the JWT token refresh')
})

const about = (thing: string, at: number): Said => ({ text: `In the garden I look after the ${thing}`, at })

describe('hits of a question about a topic', async () => {
  const oneDay = ['soil', 'seeds', 'compost', 'fence', 'tools', 'weeds'].map((thing, at) =>
    about(thing, AT + at * MINUTE),
  )
  const days = ['hose', 'paths', 'roses', 'shed'].map((thing, day) => about(thing, AT + (day + 1) * DAY))
  const talk = await talkOf([...oneDay, ...days])
  const daysFor = async (question: string) => {
    const { hits } = await talk.find(question, { asker, limit: 6, recency: false })
    return new Set(hits.map(({ at }) => Math.floor((at - AT) / DAY))).size
  }

  test('spread over the talk, unless it asks for one event', async () => {
    const many = await daysFor('Can you list the order in which I brought up the garden?')
    const one = await daysFor('Where did I look after the garden?')
    expect(many).toBeGreaterThanOrEqual(3)
    expect(one).toBeLessThan(many)
  })
})
