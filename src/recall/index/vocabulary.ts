import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { classOf, LETTER, MARK } from '../words/letters.ts'
import { folded } from '../words/stem.ts'

/** Shorter words have too many neighbours. */
const MEANT_LENGTH_MIN = 3
const TYPED_LENGTH_MIN = 4
const LENGTH_MAX = 32
/** From this length on two mistakes are forgiven. */
const LONG_WORD = 8
const KNOWN_MAX = 65_536
/** Number of candidates looked up to find the most frequent one. */
const COUNTED_MAX = 24
/** Letters of one script lie together, in blocks of this many code points. */
const BLOCK = 32
/** Two mistakes in the first letters make a word unrecognisable. */
const SURE_LETTERS = 2

/** The words of the index by their length, to find those that are nearly the same. Within the caller's transactions. */
export class Vocabulary {
  readonly #insert: StatementSync
  readonly #among: StatementSync
  readonly #between: StatementSync
  /** Words known to be stored. */
  readonly #known = new Set<string>()

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT OR IGNORE INTO word VALUES (?, ?)')
    this.#among = db.prepare(
      'SELECT term FROM word WHERE length = ? AND term IN (SELECT value FROM json_each(?))',
    )
    this.#between = db.prepare(
      `SELECT group_concat(term, ' ') AS terms FROM word WHERE length = ? AND term >= ? AND term < ?`,
    )
  }

  /** As written in a text. */
  add(typed: string): void {
    if (this.#known.has(typed)) return
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.add(typed)
    const word = folded(typed)
    if (isWord(word, MEANT_LENGTH_MIN)) this.#insert.run(word.length, word)
  }

  /** After a failed transaction nothing is certain. */
  forget(): void {
    this.#known.clear()
  }

  /** Words that differ by one or two letters, the likeliest first. */
  near(typed: string, countOf: (word: string) => number): readonly string[] {
    const term = folded(typed)
    if (!isWord(term, TYPED_LENGTH_MIN)) return []
    const near = this.#oneAway(term)
    const far = term.length < LONG_WORD ? [] : this.#twoAway(term).filter((other) => !near.includes(other))
    return [...byFrequency(near, countOf), ...byFrequency(far, countOf)]
  }

  /** Makes up all words that are one mistake away, a few hundred, and looks them up. */
  #oneAway(term: string): string[] {
    const others = new Set(mistakesIn(term))
    others.delete(term)
    const byLength = Map.groupBy(others, ({ length }) => length)
    return [...byLength].flatMap(([length, words]) =>
      this.#among.all(length, JSON.stringify(words)).map((row) => row['term'] as string),
    )
  }

  #twoAway(term: string): string[] {
    const begins = term.slice(0, SURE_LETTERS)
    const swapped = begins.charAt(1) + begins.charAt(0)
    const letters = lettersOf(term)
    const found: string[] = []
    for (let length = term.length - 2; length <= term.length + 2; length++) {
      for (const prefix of new Set([begins, swapped, term.slice(1, 1 + SURE_LETTERS)])) {
        const terms = this.#between.get(length, prefix, `${prefix}\u{10ffff}`)?.['terms']
        if (typeof terms !== 'string') continue
        for (let from = 0; from < terms.length; from += length + 1) {
          if (countOthers(terms, { from, to: from + length, letters }) > 2) continue
          const other = terms.slice(from, from + length)
          if (distanceUpTo(2, term, other) === 2) found.push(other)
        }
      }
    }
    return found
  }
}

/** The letters of a word, as bits. Letters may share a bit: then a word too many is examined. */
function lettersOf(term: string): number {
  let letters = 0
  for (let at = 0; at < term.length; at++) letters |= 1 << (term.charCodeAt(at) % BLOCK)
  return letters
}

/** Counts the letters of a word that are not among these. Each is a mistake, and most words have too many. */
function countOthers(
  terms: string,
  { from, to, letters }: { from: number; to: number; letters: number },
): number {
  let others = 0
  for (let at = from; at < to && others <= 2; at++) {
    if (((letters >>> (terms.charCodeAt(at) % BLOCK)) & 1) === 0) others++
  }
  return others
}

function byFrequency(terms: readonly string[], countOf: (term: string) => number): string[] {
  return terms
    .slice(0, COUNTED_MAX)
    .map((term) => ({ term, count: countOf(term) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map(({ term }) => term)
}

/** Every word that becomes this one by leaving out, adding, changing or swapping a letter. */
function* mistakesIn(term: string): Iterable<string> {
  const alphabet = alphabetOf(term)
  for (let at = 0; at <= term.length; at++) {
    const head = term.slice(0, at)
    const tail = term.slice(at)
    const rest = tail.slice(1)
    if (tail !== '') yield head + rest
    if (rest !== '') yield head + rest.charAt(0) + tail.charAt(0) + rest.slice(1)
    for (const letter of alphabet) {
      yield head + letter + tail
      if (tail !== '') yield head + letter + rest
    }
  }
}

/** The letters of the script that a word is written in. */
function alphabetOf(term: string): readonly string[] {
  const blocks = new Set(Array.from(term, (letter) => Math.floor((letter.codePointAt(0) as number) / BLOCK)))
  return [...blocks].flatMap((block) =>
    Array.from({ length: BLOCK }, (_, index) => String.fromCodePoint(block * BLOCK + index)).filter(
      (letter) => classOf(letter.codePointAt(0) as number) === LETTER && folded(letter) === letter,
    ),
  )
}

/** Of letters only, in a script with words. */
function isWord(term: string, lengthMin: number): boolean {
  if (term.length < lengthMin || term.length > LENGTH_MAX) return false
  if (/^[a-z]+$/.test(term)) return true
  for (const character of term) {
    const letters = classOf(character.codePointAt(0) as number)
    if ((letters !== LETTER && letters !== MARK) || /\p{N}/u.test(character)) return false
  }
  return true
}

/** Letters to add, take away, change or swap with their neighbour; more than `max` for more than that. */
function distanceUpTo(max: number, a: string, b: string): number {
  let start = 0
  while (start < a.length && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let [endA, endB] = [a.length, b.length]
  while (endA > start && endB > start && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--
    endB--
  }
  // There is no cheaper test: two mistakes can be far apart with everything between them equal.
  if (Math.abs(endA - endB) > max) return max + 1
  return distance(a.slice(start, endA), b.slice(start, endB), max)
}

const rows = [0, 1, 2].map(() => new Uint8Array(LENGTH_MAX + 3))

function distance(a: string, b: string, max: number): number {
  let [before, row, next] = rows as [Uint8Array, Uint8Array, Uint8Array]
  for (let j = 0; j <= b.length; j++) row[j] = j
  for (let i = 1; i <= a.length; i++) {
    next[0] = i
    let best = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let least = Math.min(at(row, j - 1) + (isSame ? 0 : 1), at(row, j) + 1, at(next, j - 1) + 1)
      const isSwapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      if (isSwapped) least = Math.min(least, at(before, j - 2) + 1)
      next[j] = least
      best = Math.min(best, least)
    }
    // A swap reaches back over one row, so one bad row is not the end.
    if (best > max + 1) return best
    ;[before, row, next] = [row, next, before]
  }
  return at(row, b.length)
}

function at(row: Uint8Array, index: number): number {
  return row[index] as number
}
