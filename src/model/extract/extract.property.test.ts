import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '../../base/tokens.ts'
import { extractSummary, type Spoken } from './extract.ts'
import { rounds } from '../../../test/rounds.ts'

const PIECES = [
  [
    'My sister Inês ',
    'is at 3 pm',
    '. ',
    '? ',
    '！',
    '。',
    '\n',
    '\n\n',
    '- ',
    '### Decisions\n',
    '- user 3 May: ',
  ],
  [
    'we decided to ',
    'moved to 4',
    '1,800 €',
    '```',
    '<data source="a">',
    '[system]',
    '[2026-01-01 Thu 10:00 UTC]',
  ],
  [
    'Until 3 May 2026:',
    '决定',
    '5月1日',
    '🙂',
    '\uD83D',
    '\u0301',
    '(before: 3)',
    ' → ',
    '| a |',
    'a.example/b ',
  ],
  [
    'I promised ',
    'I cannot do that. ',
    'Invoice 4758 ',
    'Room 12 ',
    "don't know",
    'Wer? ',
    'ß',
    ' ',
    'word ',
    '**bold** ',
    '/etc/hosts ',
    '`code()` ',
  ],
].flat()
const pieces = fc.constantFrom(...PIECES)
const text = fc.oneof(
  fc.array(pieces, { maxLength: 40 }).map((some) => some.join('')),
  fc.string({ unit: 'binary' }),
)
const message: fc.Arbitrary<Spoken> = fc
  .record({
    who: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const, 'note' as const),
    text,
    at: fc.option(fc.oneof(fc.double(), fc.integer({ min: 0, max: 4e12 })), { nil: undefined }),
  })
  .map(({ who, text, at }) => (at === undefined ? { who, text } : { who, text, at }))
const input = fc.record({
  previous: fc.option(text, { nil: null }),
  messages: fc.array(message, { maxLength: 20 }),
  tokensMax: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 600 })),
  focus: text,
})

/** Covered, but never quoted: makes room for headings. */
const RESULTS: Spoken = { who: 'tool', text: '{"row":1},'.repeat(400) }

function covered({ previous, messages }: { previous: string | null; messages: readonly Spoken[] }): number {
  return messages.reduce((sum, { text }) => sum + estimateTokens(text), estimateTokens(previous ?? ''))
}

describe('of any conversation', () => {
  test('a summary is never longer than its limit', () => {
    fc.assert(
      fc.property(input, (given) => {
        expect(estimateTokens(extractSummary(given))).toBeLessThanOrEqual(given.tokensMax)
      }),
      { numRuns: rounds(400) },
    )
  })

  test('a summary is never longer than the summary and the messages that it covers', () => {
    fc.assert(
      fc.property(input, (given) => {
        expect(estimateTokens(extractSummary(given))).toBeLessThanOrEqual(covered(given))
      }),
      { numRuns: rounds(400) },
    )
  })

  test('a summary of words that a person said is never empty', () => {
    fc.assert(
      fc.property(input, (given) => {
        const messages = [...given.messages, { who: 'user', text: 'ok' } as const]
        expect(extractSummary({ ...given, messages })).not.toBe('')
      }),
      { numRuns: rounds(400) },
    )
  })

  test('the same input gives the same summary, whatever was summed up in between', () => {
    fc.assert(
      fc.property(input, input, (given, other) => {
        const first = extractSummary(given)
        extractSummary(other)
        expect(extractSummary(given)).toBe(first)
      }),
      { numRuns: rounds(200) },
    )
  })

  test('a summary of ours stays as it is when it is folded in with nothing new', () => {
    fc.assert(
      fc.property(input, ({ messages, focus }) => {
        const heard = [RESULTS, ...messages]
        const previous = extractSummary({ previous: null, messages: heard, tokensMax: 600, focus })
        const again = extractSummary({ previous, messages: [], tokensMax: 600 })
        expect(again).toBe(previous)
      }),
      {
        numRuns: rounds(400),
        // A line of two sentences whose first alone would be a refusal.
        examples: [
          [
            {
              previous: null,
              messages: [
                { who: 'user', text: 'I cannot do that. Room 12 ' },
                { who: 'assistant', text: 'moved to 4' },
              ],
              tokensMax: 1,
              focus: '',
            },
          ],
        ],
      },
    )
  })
})

test('a limit that leaves no room for a word is a bug of the caller', () =>
  expect(() => extractSummary({ previous: null, messages: [], tokensMax: 0 })).toThrow('no room for a word'))
