import { describe, expect, test } from 'vitest'
import { cannotDo, HELLO, HELP, IN_FORK, NOT_IN_FORK, STAND_IN } from '../offline/talk.ts'
import type { Spoken } from './entry.ts'
import { extractSummary } from './extract.ts'

/** Covered, but never quoted: without it, so few words leave no room for headings. */
const results: Spoken = { who: 'tool', text: '{"row":1},'.repeat(200) }
const bank: Spoken = { who: 'user', text: 'My bank is Sparda' }
const ONLY_BANK = '### People and facts\n- user: My bank is Sparda'

function summary(...texts: readonly string[]): string {
  const said = texts.map((text): Spoken => ({ who: 'assistant', text }))
  return extractSummary({ previous: null, messages: [results, bank, ...said], tokensMax: 500 })
}

const ASKED = 'We owe Dr. Miller 300 euros. Invoice 4758 is due on Friday'

describe('what a model says only of itself is no fact', () => {
  test.each([HELLO, HELP, IN_FORK, NOT_IN_FORK, STAND_IN])('the offline model: %s', (answer) => {
    expect(summary(answer, answer)).toBe(ONLY_BANK)
  })

  test('the offline model of what it was given to do', () => {
    const refusal = cannotDo(ASKED)
    expect(refusal).toContain('Miller')
    expect(summary(refusal, refusal)).toBe(ONLY_BANK)
  })

  test.each([
    "I understood that, but the tool `slash` isn't available here, so nothing was done.",
    "I'm sorry, but I can't book flights to Porto for 9 May.",
    'As an AI language model, I do not have access to your Sparda account from 2026.',
    'My apologies, I am only a text-based assistant and cannot call Dr. Patel on 9 May.',
    'Unfortunately I am unable to call Dr. Patel at 9:30.',
    'Leider kann ich keine Flüge nach Porto am 9. Mai buchen.',
    'Lo siento, no puedo reservar el vuelo 212 a Porto.',
    '抱歉，我无法预订5月9日的机票。',
  ])('%s', (text) => expect(summary(text)).toBe(ONLY_BANK))

  test('nor in an earlier summary', () => {
    const previous = `${ONLY_BANK}\n- assistant 3 May: I'm the offline stand-in: a few fixed rules`
    expect(extractSummary({ previous, messages: [results], tokensMax: 500 })).toBe(ONLY_BANK)
  })

  test('nor where nothing else was said', () => {
    const refusal: Spoken = { who: 'assistant', text: "I'm sorry, I can't book flights to Porto for 9 May." }
    expect(extractSummary({ previous: null, messages: [results, refusal], tokensMax: 500 })).toBe(
      'nothing was told: code, results or refusals only (2)',
    )
  })
})

describe('what a model tells besides is kept', () => {
  test.each([
    'I cannot find booking 4711 of 9 May in your mail.',
    "I can't book it for 9 May: the Hotel Graz is full on 9 May.",
    "I can't book it, but the number of the Hotel Graz is 0316 471 1200.",
    "I can't book it myself, but I found a room in the Hotel Graz for 80 euros.",
    'You decided to use the offline model for the plan of 9 May.',
    'I cannot pay invoice 4758 of Dr. Miller because the card from Sparda is blocked until 9 May.',
  ])('%s', (text) => expect(summary(text)).toContain(text.replace(/\.$/, '')))

  test('with the list behind it', () => {
    const text = summary(
      "I can't book it for you, but these have rooms:\n- Hotel Graz, room 12 for 80 euros on 9 May",
    )
    expect(text).toContain('Hotel Graz')
  })

  test('and so is what a person cannot do', () => {
    const said: Spoken = { who: 'user', text: 'I cannot eat peanuts' }
    const text = extractSummary({ previous: null, messages: [results, said], tokensMax: 500 })
    expect(text).toContain('- user: I cannot eat peanuts')
  })
})
