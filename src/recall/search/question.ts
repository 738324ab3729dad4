import { timeHintIn, type TimeHint } from './time-hint.ts'
import { ASSISTANT } from '../document.ts'
import { heard } from './people.ts'
import { isSlipOf } from '../words/slip.ts'
import { folded } from '../words/stem.ts'
import { allStopWords, isStopWord } from '../words/stop-words.ts'
import type { Postings, TextIndex } from '../index/text-index.ts'
import { termsOf, wordsIn, type Word } from '../words/words.ts'

/** What a question looks for. */
export interface Question {
  readonly sought: readonly Sought[]
  /** Numbers of the speakers it is about, in the order in which it names them. */
  readonly speakers: readonly number[]
  /** Whether it is about what the assistant said. */
  readonly isToAssistant: boolean
  readonly time: TimeHint | null
  readonly asks: 'when' | 'how-many' | 'else'
  /** Without names, which say nothing of what is meant. */
  readonly meaning: string
  readonly repaired: readonly { readonly typed: string; readonly taken: string }[]
}

/** A term of the question and the documents that have it. */
export interface Sought {
  readonly typed: string
  readonly term: string
  readonly postings: Postings
}

export interface Asker {
  readonly asker?: string
  /** Whether a word is one of the language: then it is no slip of the keyboard, though nobody used it yet. */
  readonly knows?: (word: string) => boolean
}

/** So many different words are looked for, the rarest: a whole page may be asked with. */
const SOUGHT_MAX = 24
const LOOKED_UP_MAX = 96

export function readQuestion(index: TextIndex, text: string, { asker, knows }: Asker): Question {
  const people = heard(index).names
  const words = wordsIn(text)
  const named: number[] = []
  const kept: Word[] = []
  const meaning: string[] = []
  const repaired: { typed: string; taken: string }[] = []
  for (const word of words) {
    const speaker = people.get(word.term)
    if (speaker !== undefined) named.push(speaker)
    else if (isStopWord(word.typed)) meaning.push(word.typed)
    else {
      const meant = meantBy(index, { word, people, knows })
      if (meant.kind === 'speaker') named.push(meant.speaker)
      else if (meant.kind === 'little') meaning.push(meant.word)
      else if (meant.kind === 'unknown') meaning.push(word.typed)
      else {
        kept.push({ typed: word.typed, term: meant.term })
        meaning.push(meant.taken ?? word.typed)
      }
      if ('taken' in meant && meant.taken !== undefined)
        repaired.push({ typed: word.typed, taken: meant.taken })
    }
  }
  // Who asks for nothing but a name or a little word means just that.
  const sought = soughtIn(index, kept.length > 0 ? kept : words)
  const speakers = [...new Set(named.length > 0 ? named : meantPersons(index, text, asker))]
  return {
    sought,
    speakers,
    isToAssistant: TO_ASSISTANT.test(text),
    time: timeHintIn(text),
    asks: WHEN.test(text) ? 'when' : HOW_MANY.test(text) ? 'how-many' : 'else',
    meaning: meaning.join(' '),
    repaired,
  }
}

const OF_ASKER = /\b(?:i|my|me|mine|myself)\b/i
const TO_ASSISTANT = /\b(?:you|your|yours)\b/i
const WHEN =
  /^\W*(?:when|(?:in )?which (?:year|month)|what (?:year|month|date|day)|how long ago)\b|\bsince when\b/i
const HOW_MANY = /\bhow (?:many|long|much|often|old)\b/i

type Meant =
  | { readonly kind: 'word'; readonly term: string; readonly taken?: string }
  | { readonly kind: 'speaker'; readonly speaker: number; readonly taken: string }
  /** One that says nothing. */
  | { readonly kind: 'little'; readonly word: string }
  | { readonly kind: 'unknown' }

interface Meaning {
  readonly word: Word
  readonly people: ReadonlyMap<string, number>
  readonly knows: Asker['knows']
}

/** A word that nobody ever used is taken for the nearest one that somebody did. */
function meantBy(index: TextIndex, { word: { typed, term }, people, knows }: Meaning): Meant {
  if (index.postings(term).documents.length > 0) return { kind: 'word', term }
  if (knows?.(typed) === true) return { kind: 'unknown' }
  const word = folded(typed)
  for (const [name, speaker] of people)
    if (isSlipOf(word, name)) return { kind: 'speaker', speaker, taken: name }
  for (const little of allStopWords()) if (isSlipOf(word, little)) return { kind: 'little', word: little }
  const [nearest] = index.near(typed)
  const [nearTerm] = nearest === undefined ? [] : termsOf(nearest)
  if (nearest === undefined || nearTerm === undefined) return { kind: 'unknown' }
  return { kind: 'word', term: nearTerm, taken: nearest }
}

function meantPersons(index: TextIndex, text: string, asker: string | undefined): number[] {
  const isOfAsker = OF_ASKER.test(text)
  const isToAssistant = TO_ASSISTANT.test(text)
  if (isOfAsker === isToAssistant) return []
  const meant = isOfAsker ? asker : ASSISTANT
  const speaker = meant === undefined ? -1 : index.speakers.indexOf(meant)
  return speaker < 0 ? [] : [speaker]
}

/** The rarest words, each once. */
function soughtIn(index: TextIndex, words: readonly Word[]): Sought[] {
  const byTerm = new Map(words.map((word) => [word.term, word]))
  const found = [...byTerm.values()].slice(0, LOOKED_UP_MAX).map(({ typed, term }): Sought => {
    return { typed, term, postings: index.postings(term) }
  })
  return found
    .filter(({ postings }) => postings.documents.length > 0)
    .toSorted((a, b) => a.postings.documents.length - b.postings.documents.length)
    .slice(0, SOUGHT_MAX)
}
