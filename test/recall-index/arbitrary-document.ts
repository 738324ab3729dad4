import fc from 'fast-check'
import type { BranchId, Position } from '../../src/event/id.ts'
import { documentKinds, type Document } from '../../src/recall/contract/document.ts'

const HOUR_MS = 3_600_000
const WORDS = [
  'lamp',
  'lamps',
  'green',
  'the',
  'Anna',
  'München',
  '黑猫',
  '학교에서',
  'สวัสดี',
  '👍',
  '42',
  "don't",
]

const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' ')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.integer({ min: 250, max: 300 }).map((times) => 'lamp '.repeat(times)) },
)

/** As they come from a log: positions rise, with gaps where nothing was said, and branches take turns. */
export const documentsArbitrary: fc.Arbitrary<readonly Document[]> = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 3 }),
      pause: fc.oneof(fc.integer({ min: -HOUR_MS, max: HOUR_MS }), fc.constantFrom(HOUR_MS, HOUR_MS + 1_000)),
      branch: fc.constantFrom('br_a', 'br_b', 'br_c'),
      kind: fc.constantFrom(...documentKinds),
      speaker: fc.constantFrom('anna', 'bob', 'assistant', 'search'),
      text,
    }),
    { maxLength: 60 },
  )
  .map((drafts) => {
    let position = 0
    let at = 1_700_000_000_000
    return drafts.map(({ gap, pause, branch, ...rest }) => {
      position += gap + 1
      at += pause
      return { ...rest, position: position as Position, part: 0, at, branch: branch as BranchId }
    })
  })
