import { describe, expect, test } from 'vitest'
import type { BranchId, Position } from '../event/id.ts'
import type { RecallHit } from '../recall/asking.ts'
import { headOf, recallText, remarksOn, whyLine, type Answered, type RecallWords } from './recall-text.ts'

const words: RecallWords = { words: 'ferry', zone: 'Europe/Berlin', why: false, isNarrowed: false }
const why = {
  words: 1,
  vector: 0.5,
  meaning: 0.4,
  alpha: 0.6,
  recency: 0.9,
  spread: 1,
  matched: ['ferry'],
  coverage: 1,
}

function hit(text: string, more: Partial<RecallHit> = {}): RecallHit {
  return {
    position: 12 as Position,
    part: 0,
    branch: 'br_1' as BranchId,
    branchName: 'main',
    branchTitle: null,
    at: Date.UTC(2026, 2, 1, 8, 30),
    kind: 'user',
    speaker: 'owner',
    isOwn: true,
    label: undefined,
    score: 0.72,
    why,
    text,
    written: [],
    ...more,
  }
}

function found(hits: readonly RecallHit[], more: Partial<Answered> = {}): Answered {
  const behind = { events: 0, vectors: 0 }
  return { kind: 'found', hits, isMore: false, isFar: false, repaired: [], behind, ...more }
}

function far(share: number): Answered {
  const beside = { ...why, words: share, matched: [], coverage: 0 }
  return found([hit('one', { why: beside })], { isFar: true })
}

function remarksOnBob(others: readonly string[]): string[] {
  return remarksOn(found([]), { ...words, isNarrowed: true, unheard: { name: 'Bob', others } })
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

test('an update is told as one, with its source, and as pending where main was not told of it', () => {
  const update = hit('one', {
    kind: 'update',
    speaker: 'routine\nmorning-brief',
    isOwn: false,
    label: 'pending',
  })
  expect(headOf(update, words.zone)).toBe(
    '2026-03-01 Sun 09:30, update from routine morning-brief, main at 12 (pending)',
  )
})

test('what is to be known besides comes first', () => {
  expect(recallText(found([hit('one')], { isMore: true }), words)).toMatch(
    /^This is the best one; there are more: --limit N shows them\.\n\n1\. /,
  )
  expect(recallText(found([hit('one'), hit('two')], { isMore: true }), words)).toMatch(
    /^These are the best 2; there are more: /,
  )
})

describe('a remark tells', () => {
  test.each([
    [0, []],
    [1, ['The meaning of 1 message is not known yet; that one is found by its words alone.']],
    [2_984, ['Meanings of 2,984 messages are not known yet; those are found by their words alone.']],
  ])('of how many messages no meaning is known yet: %i', (vectors, remarks) => {
    expect(remarksOn(found([hit('one')], { behind: { events: 0, vectors } }), words)).toEqual(remarks)
  })

  test('that no word was found, unless the words stand beside what is shown', () => {
    expect(remarksOn(far(0), words)).toEqual([
      'None of the words was found. These are only the nearest in meaning.',
    ])
    expect(remarksOn(far(0.2), words)).toEqual([
      'None of these has the words. They were said beside them, or are near in meaning.',
    ])
  })

  test('that nobody bears the name that was asked for, and who did speak', () => {
    expect(remarksOnBob([])).toEqual([
      "Nothing was found for 'ferry': nobody called 'Bob' ever spoke here. --by takes me and you (the assistant); nobody else spoke.",
    ])
    expect(remarksOnBob(['Anna', 'Ca\u001Brl'])).toEqual([
      "Nothing was found for 'ferry': nobody called 'Bob' ever spoke here. --by takes me, you (the assistant) and those who did: Anna, Ca�rl.",
    ])
  })
})

describe('the head of a hit', () => {
  test.each([
    [{}, 'main at 12'],
    [{ label: 'rewound' as const }, 'main at 12 (rewound)'],
    [{ label: 'superseded' as const }, 'main at 12 (superseded)'],
    [{ why: { ...why, matched: [] } }, 'main at 12 (said beside a hit)'],
    [{ why: { ...why, matched: [], coverage: 0 } }, 'main at 12 (said beside a hit)'],
    [{ why: { ...why, matched: [], coverage: 0, words: 0 } }, 'main at 12 (near in meaning)'],
    [{ label: 'cleared' as const, why: { ...why, matched: [] } }, 'main at 12 (cleared, said beside a hit)'],
  ])('says what became of it, and why it is there without a word of the question: %j', (more, end) => {
    expect(headOf(hit('one', more), 'UTC')).toBe(`2026-03-01 Sun 08:30, you, ${end}`)
  })
})

describe('why', () => {
  test('is told only to those who ask', () =>
    expect(recallText(found([hit('one')]), words)).not.toContain('score'))

  test('is a sum that comes out', () => {
    expect(whyLine(hit('one'), [])).toBe(
      'score 0.72 = (0.60 × words 1.00 + 0.40 × meaning 0.50) × age 0.90; it has ferry',
    )
  })

  test('tells that better hits of the same session lowered it', () => {
    expect(whyLine(hit('one', { score: 0.61, why: { ...why, spread: 0.85 } }), [])).toBe(
      'score 0.61 = (0.60 × words 1.00 + 0.40 × meaning 0.50) × age 0.90 × session 0.85; it has ferry',
    )
  })

  test('has no meaning where no vectors took part, and says where there is no word', () => {
    const alone = { ...why, vector: null, words: 0.5, recency: 1, matched: [] }
    expect(whyLine(hit('one', { score: 0.5, why: alone }), [])).toBe(
      'score 0.50 = words 0.50 × age 1.00; it has none of the words',
    )
  })

  test('says that a meaning is not known yet, where those of others are', () => {
    const without = hit('one', { score: 0.45, why: { ...why, vector: null, alpha: 1, words: 0.5 } })
    expect(whyLine(without, [hit('two'), without])).toBe(
      'score 0.45 = words 0.50 × age 0.90; meaning not known yet; it has ferry',
    )
    const shown = recallText(found([hit('two'), without]), { ...words, why: true })
    expect(shown.match(/not known yet/g)).toHaveLength(1)
    expect(recallText(found([without]), { ...words, why: true })).not.toContain('not known yet')
  })
})
