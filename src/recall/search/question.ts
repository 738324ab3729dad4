import { ASSISTANT, UNNAMED } from '../../event/speaker.ts'
import type { BranchId } from '../../event/id.ts'
import type { Indexed } from './indexed.ts'
import { readerOf, type Meant } from './meant.ts'
import { heard, heardWithin, type Heard } from './people.ts'
import { timeHintIn, type TimeHint } from './time-hint.ts'
import type { Within } from '../contract/recall.ts'
import { folded } from '../words/stem.ts'
import { OF_ASKING } from './weights.ts'
import { termsOf, wordsIn, type Word } from '../words/words.ts'

/** The subject of a search. */
export interface Question {
  readonly sought: readonly Sought[]
  /** The people it names, in order. Several speakers may share a name. */
  readonly persons: readonly ReadonlySet<number>[]
  /** Whether it is about what the assistant said. */
  readonly isToAssistant: boolean
  /** Whether it asks for something new, and not for what was said: then wishes told before count. */
  readonly isRequest: boolean
  /** Whether what answers it may be all over the talk: it asks for many, or not for one event. */
  readonly isBroad: boolean
  readonly time: TimeHint | null
  readonly asks: 'when' | 'how-many' | 'else'
  /** The text to embed: without names and words of asking, which carry no meaning. */
  readonly meaning: string
  readonly repaired: readonly { readonly typed: string; readonly taken: string }[]
}

/** A term of the question. */
interface Sought {
  readonly typed: string
  readonly term: string
  /** Number of documents that have it. */
  readonly count: number
  /** Share of its worth that counts. */
  readonly share: number
}

export interface Asker {
  readonly asker?: string | undefined
  /** The branches searched; all if absent. */
  readonly within?: Within
  /** Whether a word exists in the language: then it is not a typo, even if nobody used it yet. */
  readonly knows?: ((word: string) => boolean) | undefined
}

/** Only the beginning and the end of a long text are read: the request is usually there. */
const LENGTH_MAX = 8_192
const WORDS_MAX = 256
/** Only the rarest words are searched for. */
const SOUGHT_MAX = 24

export function readQuestion(index: Indexed, text: string, { asker, knows, within }: Asker): Question {
  const people = within === undefined ? heard(index) : heardWithin(index, within)
  const read = ends(text)
  const words = wordsOf(read)
  const isTheirs = (word: string): boolean => within === undefined || isUsedWithin(index, within, word)
  const meantBy = readerOf({ index, people, text: read, knows, isTheirs })
  const known = new Map<string, Meant>()
  const meant = words.map((word, place) => {
    // The first word may have a capital without being a name.
    const found = (place === 0 ? undefined : known.get(word.typed)) ?? meantBy(word, place)
    if (place > 0) known.set(word.typed, found)
    return { word, meant: found }
  })
  const time = timeHintIn(read, (month) => people.names.has(folded(month)))
  const named = personsIn(read, meant, people)
  return {
    sought: soughtIn(index, meant, time),
    persons: named.length > 0 ? named : meantPersons(index, read, asker),
    isToAssistant: OF_ASSISTANT.test(read),
    isRequest: named.length === 0 && !LOOKS_BACK.test(read),
    isBroad: MANY.test(read) || !ONE_EVENT.test(read),
    time,
    asks: WHEN.test(read) ? 'when' : HOW_MANY.test(read) ? 'how-many' : 'else',
    meaning: meaningOf(meant.filter(({ word }) => !asking.has(word.term))) || meaningOf(meant),
    repaired: Array.from(repairsIn(meant), ([typed, taken]) => ({ typed, taken })),
  }
}

function isUsedWithin({ columns, branches, postings }: Indexed, within: Within, word: string): boolean {
  const isSeen = (document: number): boolean =>
    within(branches[columns.branch[document] as number] as BranchId).length > 0
  return termsOf(word).some((term) => postings(term).documents.some(isSeen))
}

const OF_ASKER = /\b(?:i|im|ive|my|me|mine|myself)\b/i
/** "What did you suggest", "the list you made", "your advice"; not a request such as "can you". */
const OF_ASSISTANT = new RegExp(
  [
    String.raw`\b(?:did|had|were|was|have|has)(?:n['’]?t)? you\b`,
    String.raw`\byou(?:['’](?:ve|d))?(?: (?:have|had|also|just|already|even|once|first|last|\w+ly))* (?:(?!need|feed)\w+ed|said|told|gave|given|wrote|written|made|shown|found|took|chose|sent|drew|built|did|thought|meant)\b`,
    String.raw`\byour (?:\w+ )?(?:advice|answers?|drafts?|estimates?|examples?|explanations?|ideas?|instructions?|proposals?|recommendations?|repl(?:y|ies)|suggestions?|tips?|warnings?|words)\b`,
    String.raw`\b(?:was|were) I (?:\w+ly )?(?:told|advised|given|shown|warned|recommended)\b`,
    String.raw`\bthe assistant\b`,
  ].join('|'),
  'i',
)
const LOOKS_BACK =
  /\b(?:ago|brought up|did|earlier|ever|had|has|have (?:I|we|you)|how (?:long|many|much|often|old)|last|mentioned|recall|remember|said|told|was|were)\b|^\W*when\b/i
const MANY = /\b(?:all|different|each|ever|every|how many|list|order|several|throughout|total|various)\b/i
const ONE_EVENT = /^\W*(?:how long|when|who|why)\b|\b(?:did|had|was|were)\b/i
const WHEN =
  /^\W*(?:when|(?:in )?which (?:year|month)|what (?:year|month|date|day)|how long ago)\b|\bsince when\b/i
const HOW_MANY = /\bhow (?:many|long|much|often|old)\b/i

interface Read {
  readonly word: Word
  readonly meant: Meant
}

function ends(text: string): string {
  if (text.length <= 2 * LENGTH_MAX) return text
  return `${text.slice(0, LENGTH_MAX)} ${text.slice(-LENGTH_MAX)}`
}

function wordsOf(text: string): Word[] {
  const words = wordsIn(text)
  if (words.length <= WORDS_MAX) return words
  return [...words.slice(0, WORDS_MAX / 2), ...words.slice(-WORDS_MAX / 2)]
}

function meaningOf(read: readonly Read[]): string {
  const words = read.flatMap(({ word: { typed }, meant }) => {
    if (meant.kind === 'little') return [meant.word]
    if (meant.kind === 'name') return meant.isWordToo ? [typed] : []
    return [meant.kind === 'word' ? (meant.taken ?? typed) : typed]
  })
  return words.join(' ')
}

/** The misspelt words, with those taken for them. */
function repairsIn(read: readonly Read[]): ReadonlyMap<string, string> {
  const repairs = new Map<string, string>()
  for (const { word, meant } of read)
    if ('taken' in meant && meant.taken) repairs.set(word.typed, meant.taken)
  return repairs
}

/** Each once, in the order of their names. */
function personsIn(text: string, read: readonly Read[], { unspaced }: Heard): ReadonlySet<number>[] {
  const named = read.flatMap(({ meant }) => (meant.kind === 'name' ? [meant.speakers] : []))
  const whole = unspaced.size === 0 ? '' : folded(text)
  for (const [name, speakers] of unspaced) if (whole.includes(name)) named.push(speakers)
  const persons: ReadonlySet<number>[] = []
  for (const one of named) {
    // "Anna Smith" is one person with two names.
    const same = persons.findIndex((other) => !other.isDisjointFrom(one))
    if (same < 0) persons.push(one)
    else persons[same] = one.intersection(persons[same] as ReadonlySet<number>)
  }
  return persons
}

/** Messages that came through no channel have no name and count as the asker's. */
function meantPersons({ speakers }: Indexed, text: string, asker: string | undefined): ReadonlySet<number>[] {
  const isOfAssistant = OF_ASSISTANT.test(text)
  if (!isOfAssistant && (asker === undefined || !OF_ASKER.test(text))) return []
  const names = isOfAssistant ? [ASSISTANT] : [asker, UNNAMED]
  const meant = new Set(speakers.flatMap((name, number) => (names.includes(name) ? [number] : [])))
  return meant.size === 0 ? [] : [meant]
}

/** Words of asking. They tell what is wanted of the talk, and seldom stand in what is looked for. */
const asking = new Set(
  termsOf(
    `across ask aspects bring brought chats conversations describe details different discuss discussion explain give help
    ideas items kind list mention order recommend related remember sessions share show suggest talk throughout
    topics total types walk`,
  ),
)

/** The rarest words, each once. */
function soughtIn(index: Indexed, read: readonly Read[], time: TimeHint | null): Sought[] {
  return wanted(read, time)
    .map(([term, typed]): Sought => ({
      typed,
      term,
      count: index.count(term),
      share: asking.has(term) ? OF_ASKING : 1,
    }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => a.count - b.count)
    .slice(0, SOUGHT_MAX)
}

/** Terms with the words typed. A question of nothing but a name, a day or stop words means just those. */
function wanted(read: readonly Read[], time: TimeHint | null): [string, string][] {
  const words = read.flatMap(({ word, meant }): [string, string][] => {
    if (meant.kind === 'word') return [[meant.term, word.typed]]
    return meant.kind === 'name' && meant.isWordToo ? [[word.term, word.typed]] : []
  })
  if (words.length > 0) return [...new Map(words)]
  // A word nobody ever used is not replaced by the stop words around it.
  if (time === null && read.some(({ meant }) => meant.kind === 'unknown')) return []
  const names = read.filter(({ meant }) => meant.kind === 'name')
  const some = names.length > 0 && time === null ? names : read
  return [...new Map(some.map(({ word }): [string, string] => [word.term, word.typed]))]
}
