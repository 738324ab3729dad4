import { fold } from '../../model/extract/folding.ts'
import { nameOf, valuesIn } from '../../model/extract/signals.ts'
import { stemOf } from '../words/stem.ts'
import { measureOf, type Measure } from './measures.ts'
import { stemsIn, bagOf } from './bag.ts'
import { isPeople } from './word-classes.ts'

/** What is told of something. */
export interface Told {
  /** The names that it begins with, folded. */
  readonly names: readonly Name[]
  readonly stems: readonly string[]
  readonly measures: readonly Measure[]
  /** Where it is: the preposition that it begins with. */
  readonly lead: string
  /** The one word that it is. */
  readonly word: string | undefined
}

export interface Name {
  readonly folded: string
  readonly isShort: boolean
}

export interface TellingWords {
  /** It is a name, wherever capitals stand in it. */
  readonly isName?: boolean
  readonly isLower?: boolean
  /** All of it counts: "calls for urgent things" is not "calls". */
  readonly isFull?: boolean
  /** It is a whole clause, of which only the measures are told. */
  readonly isWhole?: boolean
}

const LEAD =
  /^(?:(?:now|currently|still|just|only|probably)\s+)*(?<lead>in|at|on|under|behind|inside|beside|near|with|above|below|from|for|by|next to|beneath|between|about|to)\s+/iu
const TITLE = /^(?:(?:an?|the|my|our|your|called|named|dr|mr|mrs|ms|prof|professor|herr|frau|sir)\.?\s+)+/iu
const HAS_TITLE = /^(?:(?:an?|the|called|named)\s+)*(?:dr|mr|mrs|ms|prof|professor|herr|frau)\.?\s+/iu
/** What follows tells when, why or with whom. */
const CUT = /\s*(?:,\s*)?\b(?:since|as of|starting|from|with|because|when|until|for|who|which|as an?)\s.*$/iu

export function toldIn(
  text: string,
  { isName = false, isLower = false, isWhole = false, isFull = false }: TellingWords,
): Told {
  const plain = text.replaceAll('’', "'").trim()
  const measures = measuresIn(isWhole ? plain : plain.replace(SINCE, ''))
  if (isWhole) return { names: [], stems: [], measures, lead: '', word: undefined }
  const lead = LEAD.exec(plain)?.groups?.['lead']?.toLowerCase() ?? ''
  const rest = plain.slice(LEAD.exec(plain)?.[0].length ?? 0)
  const told = isFull ? rest : rest.replace(CUT, '')
  const names = isName ? placesIn(told, isLower) : namesIn(told)
  const words = told.replace(/[.,!;:]+$/u, '').split(/\s+/u)
  return {
    names,
    stems: stemsIn(bagOf(told)),
    measures,
    lead,
    word: words.length === 1 ? fold(words[0] ?? '') : undefined,
  }
}

const SINCE = /,?\s*\b(?:since|as of|starting|effective)\s.*$/iu

function measuresIn(text: string): Measure[] {
  const folded = fold(text)
  return valuesIn(folded).flatMap((value) => measureOf(value, folded.slice(0, value.from)) ?? [])
}

const NAME = /^(?<name>[\p{Lu}\p{Lt}][\p{L}\p{N}'.&-]*|\p{Lo}+)(?<rest>\s+|$|,\s*)/u
const LOWER_NAME = /^(?<name>\p{L}[\p{L}'-]*)/u

/** The names that a value begins with; what stands in it later is told of something else. */
function namesIn(text: string): Name[] {
  const names: Name[] = []
  let left = text.replace(TITLE, '')
  for (let found = NAME.exec(left); found !== null; found = NAME.exec(left)) {
    pushName(names, found.groups?.['name'] ?? '')
    left = left.slice(found[0].length).replace(/^(?:&|and|of|de|von|van|der|la)\s+(?=\p{Lu})/u, '')
  }
  const [only, ...others] = names
  if (only !== undefined && others.length === 0 && isPeople(only.folded)) return []
  if (names.length === 0 && HAS_TITLE.test(text))
    pushName(names, LOWER_NAME.exec(left)?.groups?.['name'] ?? '')
  return names
}

/** All that is written with a capital; where nobody writes capitals, the first word. */
function placesIn(text: string, isLower: boolean): Name[] {
  const names: Name[] = []
  for (const [name] of text.matchAll(/[\p{Lu}\p{Lt}][\p{L}\p{N}'.&-]*/gu)) pushName(names, name)
  if (isLower && !/^(?:an?|the|my|our|his|her|their)\b/u.test(text))
    pushName(names, LOWER_NAME.exec(text)?.groups?.['name'] ?? '')
  return names
}

function pushName(names: Name[], word: string): void {
  const folded = nameOf(word.replace(/[.'-]+$/u, '')).replaceAll('.', '')
  if (folded === '' || /^(?:dr|mr|mrs|ms|prof|herr|frau)$/.test(folded)) return
  names.push({ folded, isShort: /^\p{Lu}{2,4}$/u.test(word.replaceAll('.', '')) })
}

/** Whether some name of one is a name of the other, written as people write names. */
export function shareName(a: readonly Name[], b: readonly Name[]): boolean {
  return a.some((one) => b.some((two) => isSameName(one, two))) || isInitials(a, b) || isInitials(b, a)
}

function isSameName(a: Name, b: Name): boolean {
  const [short, long] = a.folded.length <= b.folded.length ? [a, b] : [b, a]
  if (short.folded === long.folded || stemOf(short.folded) === stemOf(long.folded)) return true
  if (short.folded.length >= 3 && long.folded.startsWith(short.folded)) return true
  if (short.isShort && isSubsequence(short.folded, long.folded)) return true
  return short.folded.length >= 5 && isOneOff(short.folded, long.folded)
}

/** "NYC", "New York City". */
function isInitials(short: readonly Name[], long: readonly Name[]): boolean {
  const initials = long.map(({ folded }) => folded[0]).join('')
  return initials.length >= 2 && short.some((one) => one.isShort && one.folded.startsWith(initials))
}

/** "VW", "Volkswagen". */
function isSubsequence(short: string, long: string): boolean {
  if (short[0] !== long[0]) return false
  let at = 0
  for (const character of long) if (character === short[at]) at++
  return at === short.length
}

/** One letter more, less or other: rather a slip than another name. */
function isOneOff(a: string, b: string): boolean {
  if (b.length - a.length > 1) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return a.slice(at + 1) === b.slice(at + 1) || a.slice(at) === b.slice(at + 1)
}
