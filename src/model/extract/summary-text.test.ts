import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../base/tokens.ts'
import type { Spoken } from './entry.ts'
import { extractSummary } from './extract.ts'
import { plainSentences, readSummary } from './summary-text.ts'

const user = (text: string, at?: number): Spoken => ({
  who: 'user',
  text,
  ...(at === undefined ? {} : { at }),
})
/** Covered, but never quoted: without it, so few words leave no room for headings. */
const results: Spoken = { who: 'tool', text: '{"row":1},'.repeat(200) }
const day = (date: string): number => Date.parse(`${date}T12:00:00Z`)

describe('a summary of ours that is folded in', () => {
  test('stays as it is where nothing is new', () => {
    const previous = extractSummary({
      previous: null,
      messages: [
        results,
        user('My bank is Sparda', day('2025-12-30')),
        user("Let's take the train to Porto", day('2026-01-02')),
        user('I need to call Mrs Okafor by Friday', day('2026-01-03')),
      ],
      tokensMax: 500,
    })
    expect(previous).toContain('- user 30 Dec 2025: My bank is Sparda')
    expect(extractSummary({ previous, messages: [], tokensMax: 500 })).toBe(previous)
  })

  test('keeps its facts word for word through ten compactions of chatter', () => {
    const facts = ['confirmation code is R7KQ2M', 'my doctor is Dr. Patel', "I'm allergic to penicillin"]
    let text = extractSummary({
      previous: null,
      messages: [results, ...facts.map((fact) => user(fact))],
      tokensMax: 500,
    })
    for (let round = 0; round < 10; round++) {
      const messages = Array.from({ length: 20 }, (_, index) =>
        user(`${index % 2 ? 'lunch' : 'dinner'} was nice, haha`),
      )
      text = extractSummary({ previous: text, messages, tokensMax: 500 })
    }
    for (const fact of facts) expect(text).toContain(`- user: ${fact}`)
  })

  test('keeps the years of its lines when the next year comes', () => {
    const first = extractSummary({
      previous: null,
      messages: [results, user('My bank is Sparda', day('2025-12-30'))],
      tokensMax: 500,
    })
    const messages = [results, user('My dentist is Dr. Adeyemi', day('2026-01-02'))]
    const second = extractSummary({ previous: first, messages, tokensMax: 500 })
    expect(second).toBe(
      'Until 2 Jan 2026:\n### People and facts\n' +
        '- user 30 Dec 2025: My bank is Sparda\n- user 2 Jan: My dentist is Dr. Adeyemi',
    )
  })

  test('loses the least valuable lines first when it has to become shorter', () => {
    const messages = [
      results,
      user('we saw 3 ducks'),
      user('the code of the safe is R7KQ2M'),
      user('we decided to sell the house in Graz'),
      user('I promised Inês to bring the keys on Friday'),
      user('there were 4 more ducks'),
    ]
    const long = extractSummary({ previous: null, messages, tokensMax: 500 })
    expect(long).toContain('ducks')
    const short = extractSummary({ previous: long, messages: [], tokensMax: 60 })
    expect(short).not.toContain('ducks')
    for (const kept of ['R7KQ2M', 'sell the house', 'keys on Friday']) expect(short).toContain(kept)
    expect(estimateTokens(short)).toBeLessThanOrEqual(60)
  })
})

describe('a summary that somebody else wrote', () => {
  const previous = `Maria is moving to Graz on 6 June with her cat Mokka.

**Decisions:**
1. The old kitchen stays.

## Open questions
* Who orders the internet line?

## Next steps
- Call Herr Wieser by Friday
`

  test('is folded in sentence by sentence, under the headings that it has', () => {
    const text = extractSummary({ previous, messages: [results, user('My bank is Sparda')], tokensMax: 500 })
    expect(text).toBe(`### People and facts
- Maria is moving to Graz on 6 June with her cat Mokka.
- user: My bank is Sparda
### Decisions
- The old kitchen stays.
### Promises and to-dos
- Call Herr Wieser by Friday
### Open questions
- Who orders the internet line?`)
  })

  test('survives being folded in again', () => {
    const once = extractSummary({ previous, messages: [results, user('My bank is Sparda')], tokensMax: 500 })
    expect(extractSummary({ previous: once, messages: [], tokensMax: 500 })).toBe(once)
  })

  test('is cut at sentences where it is one long paragraph', () => {
    const sentences = Array.from(
      { length: 12 },
      (_, index) => `Firm${index} wants 3${index}0 euros from the person.`,
    )
    const text = extractSummary({ previous: sentences.join(' '), messages: [results], tokensMax: 500 })
    for (const sentence of sentences) expect(text).toContain(`- ${sentence}`)
  })
})

test('the list of names that older versions wrote is left out', () => {
  const { told } = readSummary('### Decisions\n- user: we sell it\n### Topics\n- Lisbon, Porto')
  expect(told.map(({ text }) => text)).toEqual(['we sell it'])
})

test('a summary of ours becomes the sentences it has, without headings, days and speakers', () => {
  const at = Date.UTC(2026, 2, 1, 9)
  const texts = [
    'The ferry to Palermo leaves Genoa at 22:30 on Saturdays.',
    'It costs 55 euros for each of us.',
    'We decided to take the cabin with a window.',
    'I will book it on Monday.',
    'Should we take the car?',
  ]
  const talk = {
    who: 'assistant',
    text: 'Mm, that sounds nice indeed, go on and on. '.repeat(20),
    at,
  } as const
  const messages = [talk, ...texts.map((text) => ({ who: 'user', text, at }) as const)]
  const summary = extractSummary({ previous: null, messages, tokensMax: 200 })
  expect(summary).toMatch(/^- /m)
  const plain = plainSentences(summary)
  expect(plain).not.toMatch(/[#\n]|- |user|Mar/)
  for (const text of texts.slice(0, 3)) expect(plain).toContain(text)
})

test('what has no headings stays as it is', () => {
  expect(plainSentences('The tram goes up the hill.')).toBe('The tram goes up the hill.')
  expect(plainSentences('')).toBe('')
})
