import { describe, expect, test } from 'vitest'
import type { BranchId, Position } from '../event/id.ts'
import type { AskedHit } from '../recall/asking.ts'
import { headOf, recallText, whyLines, type Answered, type RecallWords } from './recall-text.ts'

const words: RecallWords = { words: 'ferry', zone: 'Europe/Berlin', why: false, isNarrowed: false }
const why = { words: 1, vector: 0.5, alpha: 0.6, recency: 0.81, matched: ['ferry'], coverage: 1 }

function hit(text: string, more: Partial<AskedHit> = {}): AskedHit {
  return {
    position: 12 as Position,
    part: 0,
    branch: 'br_1' as BranchId,
    branchName: 'main',
    at: Date.UTC(2026, 2, 1, 8, 30),
    kind: 'user',
    speaker: 'owner',
    isOwn: true,
    label: undefined,
    score: 0.72,
    why,
    text,
    ...more,
  }
}

function found(hits: readonly AskedHit[], more: Partial<Answered> = {}): Answered {
  const behind = { events: 0, vectors: 0 }
  return { kind: 'found', hits, isMore: false, isFar: false, repaired: [], behind, ...more }
}

test('hits are numbered, each apart from the next, without an indent that a narrow screen would break', () => {
  expect(recallText(found([hit('one'), hit('two\nlines')]), words).split('\n')).toEqual([
    '1. 2026-03-01 Sun 09:30, you, main at 12',
    'one',
    '',
    '2. 2026-03-01 Sun 09:30, you, main at 12',
    'two lines',
  ])
})

test('what is to be known besides comes first', () => {
  expect(recallText(found([hit('one')], { isMore: true }), words)).toMatch(
    /^These are the best 1; there are more: --limit N shows them\.\n\n1\. /,
  )
})

describe('the head of a hit', () => {
  test.each([
    [{}, 'main at 12'],
    [{ label: 'rewound' as const }, 'main at 12 (rewound)'],
    [{ why: { ...why, matched: [] } }, 'main at 12 (said beside a hit)'],
    [{ why: { ...why, matched: [], coverage: 0 } }, 'main at 12 (near in meaning)'],
    [{ label: 'cleared' as const, why: { ...why, matched: [] } }, 'main at 12 (cleared, said beside a hit)'],
  ])('says what became of it, and why it is there without a word of the question: %j', (more, end) => {
    expect(headOf(hit('one', more), 'UTC')).toBe(`2026-03-01 Sun 08:30, you, ${end}`)
  })
})

describe('why', () => {
  const wanted = { why: true }

  test('is told only to those who ask', () => expect(whyLines(hit('one'), words)).toEqual([]))

  test('is a sum that comes out: the age is what the score says it is', () => {
    expect(whyLines(hit('one'), wanted)).toEqual([
      'score 0.72 = (0.60 × words 1.00 + 0.40 × meaning 0.50) × age 0.90; it has ferry',
    ])
  })

  test('has no meaning where no vectors took part, and says where there is no word', () => {
    const alone = { ...why, vector: null, words: 0.5, matched: [] }
    expect(whyLines(hit('one', { score: 0.5, why: alone }), wanted)).toEqual([
      'score 0.50 = words 0.50 × age 1.00; it has none of the words',
    ])
  })
})
