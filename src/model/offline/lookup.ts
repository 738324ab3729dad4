import { daysIn } from './days.ts'
import {
  ASKED_FORMS,
  ASKS,
  ASKS_HOW,
  ASKS_US,
  FORMS,
  LEADS,
  NO_QUESTION,
  PERSONAL,
  WEAK,
  type Form,
  type Wants,
} from './lookup-forms.ts'
import { politeness, stopWords } from './phrases.ts'
import { typed, type Word } from './words.ts'

/** A question about what was said, and how it is looked for. */
export interface Lookup {
  readonly query: string
  readonly speaker?: 'user' | 'assistant'
  readonly since?: string
  readonly until?: string
  readonly wants: Wants
  /** Asks for what was said, in so many words; else it is a question that may happen to be answered by it. */
  readonly isSure: boolean
}

interface Sentence {
  readonly said: string
  readonly words: readonly Word[]
  /** `2026-03-01`, where it is known. */
  readonly today?: string | undefined
}

/** `no-topic`: it asks for what was said, but not about what. */
export function lookupIn(sentence: Sentence): Lookup | 'no-topic' | undefined {
  const words = afterPoliteness(sentence.words)
  if (words.length > WORDS_MAX) return undefined
  const norms = normsOf(words)
  const asked = [...FORMS, ...(isAsked(sentence) ? ASKED_FORMS : [])]
  for (const form of asked) {
    const found = form.pattern.exec(norms)
    if (found === null || form.except?.test(norms) === true) continue
    return lookup({ ...sentence, words }, found, form)
  }
  return undefined
}

/** A question that no rule understands: somebody may have said the answer. */
export function perhapsIn(sentence: Sentence): Lookup | undefined {
  const all = afterPoliteness(sentence.words)
  const lead = LEADS.exec(normsOf(all))
  const words = lead === null ? all : all.slice(countOf(lead[0]))
  const norms = normsOf(words)
  if (words.length > WORDS_MAX || (lead === null && NO_QUESTION.test(norms))) return undefined
  const isPersonal = PERSONAL.test(norms)
  const isQuestion =
    lead !== null || ASKS.test(norms) || (isPersonal && (ASKS_US.test(norms) || ASKS_HOW.test(norms)))
  const query = queryOf({ said: sentence.said, words })
  const content = contentOf(query)
  if (!isQuestion || content.length === 0) return undefined
  if (!isPersonal && content.every((word) => WEAK.test(word))) return undefined
  return { query, wants: 'what', isSure: false }
}

const WORDS_MAX = 60
const QUERY_MAX = 300

/** Words as one text: a quotation is a `"` in it, and a pause a comma. */
function normsOf(words: readonly Word[]): string {
  return words.map(({ norm, kind }) => (kind === 'pause' ? ',' : norm)).join(' ')
}

function countOf(prefix: string): number {
  return prefix.trim() === '' ? 0 : prefix.trim().split(' ').length
}

const GREETING_WORDS_MAX = 3

function afterPoliteness(words: readonly Word[]): readonly Word[] {
  let at = 0
  for (let word = words[at]; word !== undefined; word = words[at]) {
    const length = politeLength(words, at)
    if (length === 0 && word.kind !== 'pause') break
    at += Math.max(1, length)
  }
  // "Quick question: …", "By the way, …"
  const pause = words.slice(at, at + GREETING_WORDS_MAX + 1).findIndex(({ kind }) => kind === 'pause')
  const aside = normsOf(words.slice(at, at + Math.max(0, pause)))
  return pause > 0 && ASIDE.test(aside) ? afterPoliteness(words.slice(at + pause + 1)) : words.slice(at)
}

const ASIDE = /^(?:(?:a |one |another |quick |short |small )*question|by the way|btw|listen|wait|tell me)$/

function politeLength(words: readonly Word[], at: number): number {
  for (let length = 5; length > 0; length--) {
    const phrase = normsOf(words.slice(at, at + length))
    if (
      words.length >= at + length &&
      (politeness.has(phrase) || phrase === 'i was wondering' || phrase === 'i wonder')
    )
      return length
  }
  return 0
}

function isAsked({ said, words }: Sentence): boolean {
  return /^\s*[?？]/u.test(said.slice(words.at(-1)?.end ?? said.length))
}

function lookup(
  { said, words, today }: Sentence,
  found: RegExpExecArray,
  { wants = 'what' }: Form,
): Lookup | 'no-topic' {
  const { who, noun = '' } = (found.groups ?? {}) as { who?: string; noun?: string }
  const rest = words.slice(countOf(found[0]))
  const before = countOf(noun) === 0 ? [] : words.slice(1, 1 + countOf(noun))
  const name = who === undefined || SPEAKERS.test(who) ? undefined : who.split(' ').at(-1)
  const others = words.filter(({ norm }) => norm === name).slice(0, 1)
  const asked = [before, others, rest]
    .map((part) => queryOf({ said, words: part }))
    .filter((part) => part !== '')
    .join(' ')
  const named = daysIn(asked, today)
  // "What did I say about March 2025?": the days are what it is about.
  const isTopic = ABOUT_END.test(found[0]) && contentOf(named.text).length === 0
  const { text: query, ...days } = isTopic ? { text: asked } : named
  if (contentOf(query).length === 0) return 'no-topic'
  const speaker = who === 'i' ? 'user' : who === 'you' ? 'assistant' : undefined
  return { query, wants, isSure: true, ...days, ...(speaker !== undefined && { speaker }) }
}

const ABOUT_END = / (?:about|on|of|regarding|concerning|over)$/
const SPEAKERS = /^(?:i|we|you|anyone|someone|he|she|they)$/
const LOOSE = /^(?:again|please|thanks|then|already|before|earlier|ever|,|--|:|know|once more|anymore)$/
const QUOTES = /^[`"“„«'‘]+|[`"”“»'’]+$/gu

/** As it was typed, without what stands loosely around it. */
function queryOf({ said, words }: Sentence): string {
  let [first, end] = [0, words.length]
  while (first < end && isLoose(words[first])) first++
  while (end > first && isLoose(words[end - 1])) end--
  const text = typed(said, words.slice(first, end)).replaceAll(/\s+/gu, ' ').replaceAll(QUOTES, '')
  return text.slice(0, QUERY_MAX).toWellFormed().trim()
}

function isLoose(word: Word | undefined): boolean {
  return word !== undefined && (word.kind === 'pause' || word.kind === 'stop' || LOOSE.test(word.norm))
}

/** The words that say what it is about. */
export function contentOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.filter((word) => !stopWords.has(word) && !EMPTY.test(word))
}

const EMPTY =
  /^(?:what|who|whose|whom|when|where|which|how|why|s|t|re|ve|ll|d|m|he|she|they|him|her|his|them|their|not|no|yes|if|that|than|anything|something|everything|today|yesterday|ever|already|last|first|after|before|because|but|while|still|exactly|really|just)$/
