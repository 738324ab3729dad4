import type { Indexed } from './indexed.ts'
import type { Heard } from './people.ts'
import { OWNER, UNNAMED } from '../../event/speaker.ts'
import { folded } from '../words/stem.ts'
import { isStopWord, stopWords } from '../words/stop-words.ts'
import { termsOf, type Word } from '../words/words.ts'

/** The meaning of one word in a question. `taken` is the word that a typo was corrected to. */
export type Meant =
  | { readonly kind: 'word'; readonly term: string; readonly taken?: string }
  /** Of these speakers; some names are words too. */
  | {
      readonly kind: 'name'
      readonly speakers: ReadonlySet<number>
      readonly isWordToo: boolean
      readonly taken?: string
    }
  /** A stop word. */
  | { readonly kind: 'little'; readonly word: string }
  /** Nobody ever used it. */
  | { readonly kind: 'unknown' }

interface Asked {
  readonly index: Indexed
  readonly people: Heard
  readonly text: string
  /** Whether a word exists in the language: then it is not a typo, even if nobody used it yet. */
  readonly knows: ((word: string) => boolean) | undefined
  /** Whether the asker may find a word: a typo is never corrected to somebody else's word (PEOPLE2). */
  readonly isTheirs: (word: string) => boolean
}

/** A word with fewer letters has too many neighbours. */
const SLIP_LENGTH_MIN = 4
/** A limit, because in another language every word would look like a typo. */
const SLIPS_MAX = 16

/** Interprets the words of one question. */
export function readerOf({
  index,
  people,
  text,
  knows,
  isTheirs,
}: Asked): (word: Word, place: number) => Meant {
  let slips = 0
  const writesCapitals = /\p{Lu}/u.test(text)
  const nameIn = (typed: string, place: number): Meant | undefined => {
    const word = withoutSuffix(typed)
    const isCapital = /^\p{Lu}/u.test(typed)
    const speakers =
      people.names.get(word) ?? (isCapital ? people.names.get(word.replace(/s$/, '')) : undefined)
    if (speakers === undefined) return undefined
    // The "Will" in "Will you" is not a name.
    if (isStopWord(word) && (!isCapital || place === 0)) return undefined
    const isRole = word === OWNER || word === UNNAMED
    return { kind: 'name', speakers, isWordToo: isRole || (writesCapitals && !isCapital) }
  }
  return ({ typed, term }, place) => {
    const name = nameIn(typed, place)
    if (name !== undefined) return name
    if (isStopWord(typed)) return { kind: 'little', word: typed }
    if (index.count(term) > 0) return { kind: 'word', term }
    // Numbers are never corrected.
    const mayBeSlip = typed.length >= SLIP_LENGTH_MIN && !/\p{N}/u.test(typed)
    if (!mayBeSlip || knows?.(typed) === true || slips++ >= SLIPS_MAX) return { kind: 'unknown' }
    return slipIn(typed, index.near(typed).find(isTheirs), people)
  }
}

/** Replaces a word nobody ever used by the nearest name, stop word or used word. */
function slipIn(typed: string, nearest: string | undefined, people: Heard): Meant {
  const word = withoutSuffix(typed)
  for (const [name, speakers] of people.names)
    if (isSlipOf(word, name)) return { kind: 'name', speakers, isWordToo: false, taken: name }
  for (const little of stopWords) if (isSlipOf(word, little)) return { kind: 'little', word: little }
  const [term] = nearest === undefined ? [] : termsOf(nearest)
  return nearest === undefined || term === undefined
    ? { kind: 'unknown' }
    : { kind: 'word', term, taken: nearest }
}

/** `Anna's` names Anna. */
function withoutSuffix(typed: string): string {
  return folded(typed).replace(/['’‘`ʼ＇].*$/u, '')
}

const LENGTH_MIN = 4
const LONG_WORD = 8

/** Whether a word is another one with a typo: one letter too many, missing, wrong or swapped; in long words two adjacent ones. */
export function isSlipOf(word: string, other: string): boolean {
  if (other.length < LENGTH_MIN || word === other) return false
  if (Math.abs(word.length - other.length) > 1 || word.charAt(0) !== other.charAt(0)) return false
  let [from, wordTo, otherTo] = [0, word.length, other.length]
  while (from < Math.min(wordTo, otherTo) && word[from] === other[from]) from++
  while (wordTo > from && otherTo > from && word[wordTo - 1] === other[otherTo - 1]) {
    wordTo--
    otherTo--
  }
  const [typed, meant] = [word.slice(from, wordTo), other.slice(from, otherTo)]
  if (typed.length <= 1 && meant.length <= 1) return true
  const isSwapped = typed.length === 2 && meant.length === 2 && typed[0] === meant[1] && typed[1] === meant[0]
  return isSwapped || (other.length >= LONG_WORD && typed.length <= 2 && meant.length <= 2)
}
