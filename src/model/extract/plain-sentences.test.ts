import { expect, test } from 'vitest'
import { extractSummary } from './extract.ts'
import { plainSentences } from './plain-sentences.ts'

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
