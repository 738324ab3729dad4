import { fold, UNSPACED } from '../../model/extract/folding.ts'
import { valuesIn } from '../../model/extract/signals.ts'
import { stemOf } from '../words/stem.ts'
import { FILLING, SYNONYMS } from './word-classes.ts'

/** What a phrase speaks of: stems of its words. Those that it writes with a capital are marked. */
export type Bag = ReadonlySet<string>

/** Stands for somebody of whom the text does not say who it is. */
const SOMEBODY = '?'
const CAPITAL = '^'

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’]*/gu
const OTHERS = /^(?:he|she|they|him|them|his|her|hers|their|theirs|he's|she's|they're)$/

export function bagOf(text: string): Bag {
  const bag = new Set<string>()
  const plain = joinedWords(text)
  const folded = fold(plain)
  const values = valuesIn(folded)
  const isValue = (at: number): boolean =>
    values.some(({ from, text: value, kind }) => kind !== 'path' && from <= at && at < from + value.length)
  for (const { 0: typed, index } of plain.matchAll(WORD)) {
    const word = fold(typed)
    if (OTHERS.test(word)) bag.add(SOMEBODY)
    if (isValue(index) || FILLING.has(word) || UNSPACED.test(word)) continue
    const one = termOf(word)
    if (FILLING.has(one) || one === '') continue
    bag.add(one)
    if (/^\p{Lu}/u.test(typed)) bag.add(CAPITAL + one)
  }
  return bag
}

/** Words that people write apart, together or with a hyphen. */
function joinedWords(text: string): string {
  return text
    .replaceAll(/\bwi-fi\b/giu, 'wifi')
    .replaceAll(/\be-mail\b/giu, 'email')
    .replaceAll(/\bwell[- ]done\b/giu, 'welldone')
    .replaceAll(/\b(?:get|gets|getting|wake|wakes|waking) up\b/giu, 'wake')
    .replaceAll(/\b(?:phone|mobile|cell|telephone|cellphone) number\b/giu, 'phone')
}

function termOf(word: string): string {
  const bare = word.replace(/'(?:s|re|m|ll|ve|d)?$/, '')
  const own = SYNONYMS.get(bare) ?? bare
  return SYNONYMS.get(stemOf(own)) ?? stemOf(own)
}

export function isUnknown(bag: Bag): boolean {
  return bag.has(SOMEBODY)
}

export function stemsIn(bag: Bag): string[] {
  return [...bag].filter((one) => !one.startsWith(CAPITAL))
}

export function isCapital(bag: Bag, one: string): boolean {
  return bag.has(CAPITAL + one)
}
