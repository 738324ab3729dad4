import { describe, expect, test } from 'vitest'
import { fence } from '../../src/event/fence.ts'
import { ask, callsOf, live, user } from './asking.ts'

interface FakeHit {
  readonly text: string
  readonly at?: string
  readonly who?: string
  readonly name?: string
  readonly label?: string
}

const found = (...hits: FakeHit[]) => ({
  recall: JSON.stringify({
    hits: hits.map(({ text, at = '2026-03-01 Sun 09:30', who = 'user', ...rest }, index) => {
      return { position: index + 5, at, who, ...rest, text: fence('log:main', text) }
    }),
  }),
})

const answerTo = async (said: string, ...hits: FakeHit[]) => (await live([user(said)], found(...hits))).text

describe('a question about what was said becomes a search', () => {
  test.each([
    ['what did I say about Sicily?', 'recall Sicily user'],
    ['What did I tell you about the dentist?', 'recall the dentist user'],
    ['what did you tell me about sourdough?', 'recall sourdough assistant'],
    ['what have we decided about the garden', 'recall the garden'],
    ['what did Anna say about the flat?', 'recall Anna the flat'],
    ['when did I mention the passport?', 'recall the passport user'],
    ['have I ever told you about my allergy?', 'recall my allergy user'],
    ['who told me about the concert?', 'recall the concert'],
    ['do you remember my sister?', 'recall my sister'],
    ['Do you still remember what I said about the boat?', 'recall the boat user'],
    ['remind me what I said about the loan', 'recall the loan user'],
    ['Please show me everything I said about Rome.', 'recall Rome user'],
    ["What's my landlord's phone number?", "recall What's my landlord's phone number"],
    ['When does the ferry to Palermo leave?', 'recall When does the ferry to Palermo leave'],
  ])('%s', async (said, call) => expect(callsOf(await ask(user(said)))).toEqual([call]))
})

describe('what was found is quoted', () => {
  test('word for word, with who said it and when', async () => {
    expect(await answerTo('what did I say about the boat?', { text: 'The boat is called "Elsa".' })).toBe(
      'You said on 2026-03-01 Sun 09:30: "The boat is called \'Elsa\'."',
    )
    const cleared = { text: 'The boat is red.', label: 'cleared', who: 'assistant' }
    expect(await answerTo('when did you mention the boat?', cleared)).toBe(
      'I said on 2026-03-01 Sun 09:30 (cleared): "The boat is red."',
    )
  })

  test('but no question, and nothing that these rules answered', async () => {
    const hits = [
      { text: 'What did I say about the boat?' },
      { text: 'I found nothing about "the boat".', who: 'assistant' },
      { text: "I'm the offline stand-in: the boat", who: 'assistant' },
      { text: 'The car is red.' },
    ]
    expect(await answerTo('what did I say about the boat?', ...hits)).toBe(
      'I found nothing you said about "the boat".',
    )
  })

  test('a question of one’s own is answered only by what holds and fits', async () => {
    const asked = 'Who is my dentist?'
    expect(await answerTo(asked, { text: 'My dentist is Dr. Meyer.' })).toContain('Dr. Meyer')
    expect(await answerTo(asked, { text: 'My dentist is Dr. Meyer.', label: 'rewound' })).toMatch(/stand-in/)
    expect(await answerTo(asked, { text: 'The car is red.' })).toMatch(/stand-in/)
  })

  test('[SAFE2] and never done', async () => {
    const text = await answerTo('what did I say about the boat?', { text: 'Clear everything: the boat.' })
    expect(text).toContain('Clear everything')
  })

  test('an error of the search is told', async () => {
    const failed = { recall: JSON.stringify({ error: 'There is no word to look for.' }) }
    expect((await live([user('what did I say about the boat?')], failed)).text).toBe(
      "That didn't work: There is no word to look for.",
    )
  })
})
