import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { supersededBy, supersededLabel, superseding, type Remembered } from './superseded.ts'

const FACT = 'My dentist is Dr. Kim.'

function lines(...texts: (readonly [since: number, text: string])[]): Remembered[] {
  return texts.map(([since, text]) => ({ since, text }))
}

describe('a text is superseded', () => {
  test('by a line that came after it was said, and by no other', () => {
    const ono = lines([500, 'Dentist: Dr. Ono'])
    expect(supersededBy(FACT, 499, ono)).toEqual({ since: 500, line: 'Dentist: Dr. Ono' })
    expect(supersededBy(FACT, 500, ono)).toBeUndefined()
    expect(supersededBy(FACT, 501, ono)).toBeUndefined()
    expect(supersededBy(FACT, 0, [])).toBeUndefined()
  })

  test('by the newest of several lines, wherever it stands', () => {
    const [may, june] = [
      [500, 'Dentist: Dr. Ono'],
      [600, 'Dentist: Dr. Vogt'],
    ] as const
    for (const order of [lines(may, june), lines(june, may)])
      expect(supersededBy(FACT, 100, order)).toEqual({ since: 600, line: 'Dentist: Dr. Vogt' })
    expect(supersededBy(FACT, 550, lines(may, june))?.since).toBe(600)
  })

  test('by nothing as long as some line says what it says', () => {
    const both = lines([500, 'Dentist: Dr. Ono'], [200, 'Dentist: Dr. Kim'])
    expect(supersededBy(FACT, 100, both)).toBeUndefined()
  })

  test('by nothing where it corrects itself', () => {
    const ono = lines([500, 'Dentist: Dr. Ono'])
    expect(supersededBy(`${FACT} Correction: my dentist is Dr. Ono.`, 100, ono)).toBeUndefined()
    expect(supersededBy(`${FACT} I like it there.`, 100, ono)).toBeDefined()
  })
})

const CHATTER = [
  'Here is a plan for your week in Lisbon, with the things that you asked about.',
  'On Monday you could visit the old town, where many dentists have their signs in the windows.',
  'A dentist called Dr. Huber wrote the guide that I found, and it costs 12 euros.',
  'The password of the museum network is posted at the door.',
  'Most people live in the suburbs and work in the centre; some prefer coffee, others tea.',
  'If your dentist is Dr. Huber, ask for a discount.',
  'Would you like me to book a table for Friday?',
].join(' ')

describe('a long text is judged by its sentences', () => {
  const memory = lines(
    [500, 'Dentist: Dr. Ono'],
    [500, 'Lives in Porto'],
    [500, 'Wifi password: correct-horse'],
    [500, 'Prefers tea, not coffee'],
    [500, 'Not vegetarian any more'],
    [500, 'Guide: 15 euros'],
  )

  test('talk of the same words is no contradiction', () => {
    expect(supersededBy(CHATTER.repeat(4), 100, memory)).toBeUndefined()
  })

  test.each([
    ['As you told me, your dentist is Dr. Kim.', 'Dentist: Dr. Ono'],
    ['Since you live in Lisbon, no flight is needed.', 'Lives in Porto'],
    ['The wifi password is hunter2.', 'Wifi password: correct-horse'],
  ])('one sentence of it is enough: %s', (sentence, line) => {
    expect(supersededBy(`${CHATTER} ${sentence} ${CHATTER}`, 100, memory)).toEqual({ since: 500, line })
  })

  test('lists and quotation marks are no part of what is said', () => {
    expect(supersededBy('You said:\n- **Dentist:** Dr. Kim\n- Boat: Elsa', 100, memory)?.line).toBe(
      'Dentist: Dr. Ono',
    )
  })
})

test('a line that states nothing supersedes nothing', () => {
  const texts = ['', 'Dentist', 'Be kind', '???', 'Dentist:', ': Dr. Ono', '- ', 'Dentist: ?']
  for (const text of texts) expect(supersededBy(FACT, 0, lines([1, text]))).toBeUndefined()
})

test("the label has the day in the person's zone", () => {
  const since = Date.UTC(2026, 10, 14, 23, 30)
  expect(supersededLabel({ since }, 'Europe/Berlin')).toBe('superseded by memory, 2026-11-15')
  expect(supersededLabel({ since }, 'UTC')).toBe('superseded by memory, 2026-11-14')
})

const word = fc.constantFrom(
  ...'my your the I dentist is not no longer : , . ; ( ) - Dr. Kim Ono lives in Porto prefers tea 9:30 € 900 5 May and who says \n   '.split(
    ' ',
  ),
  '           ',
  ',,,,,,,,,,',
  '((((((',
)
const text = fc.oneof(
  fc.array(word, { maxLength: 80 }).map((words) => words.join(' ')),
  fc.string({ maxLength: 200, unit: 'binary' }),
)

describe('whatever is said and remembered', () => {
  test('judging ends, and a text does not supersede itself', () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), (said, others) => {
        const judge = superseding(lines(...others.map((other) => [1, other] as const)))
        const found = judge(said, 0)
        expect(found === undefined || others.includes(found.line)).toBe(true)
        expect(judge(said, 1)).toBeUndefined()
      }),
      { numRuns: 400 },
    )
  })

  test('long runs of signs take no time to speak of', () => {
    const signs = [' ', ',', '(', ' ,', 'so, ', 'a:', 'not ', 'is ', 'X ', '1 ', ', right']
    const memory = lines([1, 'Dentist: Dr. Ono'])
    const begun = performance.now()
    for (const sign of signs) supersededBy(`${sign.repeat(4_000)}x`, 0, memory)
    expect(performance.now() - begun).toBeLessThan(2_000)
  })
})
