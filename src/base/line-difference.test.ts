import { describe, expect, test } from 'vitest'
import { lineDifference } from './line-difference.ts'

function long(word: string): string {
  return Array.from({ length: 3_000 }, (_, n) => `${word} ${n}`).join('\n')
}

function around(middle: string): string {
  return `first\n${middle}\nlast`
}

describe('a difference', () => {
  test.each([
    ['a', 'a', []],
    ['a\nb', 'a\nc', ['- b', '+ c']],
    ['', 'new', ['- ', '+ new']],
    ['a\nb', 'a', ['- b']],
    ['a\nb\nc\nd\ne', 'a\nX\nc\nd\nY\ne', ['- b', '+ X', '…', '+ Y']],
    ['x\nb\nb\ny', 'p\nb\nb\nq', ['- x', '+ p', '…', '- y', '+ q']],
  ])('of %j and %j says what went and what came', (before, after, expected) =>
    expect(lineDifference(before, after, 9)).toEqual(expected),
  )

  test('is cut where it is too long, and says by how much', () =>
    expect(lineDifference('1\n2\n3\n4', '', 2)).toEqual(['- 1', '- 2', '… 3 more lines']))

  test('of long texts is found in time', () => {
    expect(lineDifference(long('old'), long('new'), 10)).toHaveLength(11)
  })

  test('of long texts says what a few changes far apart are, and keeps what surrounds too many', () => {
    const text = long('line')
    const changed = text.replace('line 9\n', 'X\n').replace('line 2990\n', '')
    expect(lineDifference(text, changed, 9)).toEqual(['- line 9', '+ X', '…', '- line 2990'])
    const lines = lineDifference(around(long('old')), around(long('new')), 6_000)
    expect([lines.length, lines[0], lines[3_000], lines.at(-1)]).toEqual([
      6_000,
      '- old 0',
      '+ new 0',
      '+ new 2999',
    ])
  })
})
