import { describe, expect, test } from 'vitest'
import { isSlipOf } from './meant.ts'

describe('a word is another one with a slip in it, where', () => {
  test.each<[string, string, string, boolean]>([
    ['a letter is too many', 'Carolline', 'Caroline', true],
    ['a letter is missing', 'caroine', 'caroline', true],
    ['a letter is wrong', 'carolune', 'caroline', true],
    ['two letters are swapped', 'carolnie', 'caroline', true],
    ['two letters side by side are wrong in a long word', 'carolxxe', 'caroline', true],
    ['not: two are wrong in a short one', 'maxxe', 'marie', false],
    ['not: the first letter is another', 'faroline', 'caroline', false],
    ['not: it is the same', 'caroline', 'caroline', false],
    ['not: two letters are missing', 'caroli', 'caroline', false],
    ['not: the other one is short', 'thx', 'the', false],
    ['not: wrong letters stand apart', 'corolina', 'caroline', false],
    ['not: there is no word', '', 'caroline', false],
  ])('%s', (_, ...[word, other, is]) => {
    expect(isSlipOf(word.toLowerCase(), other.toLowerCase())).toBe(is)
  })
})
