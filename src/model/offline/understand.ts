import { type Command, commands, politeness, question, stopWords, type Talk, talks, vocabulary, type Weights } from './intents.ts'
import type { Known } from './slots.ts'
import { typed, type Word, wordsOf } from './words.ts'

/** What one part of a message asks for. */
export type Meaning =
  | Asked
  | { readonly kind: 'say'; readonly text: string }
  /** `near`: what it may have been meant as; `text`: how it was typed. */
  | { readonly kind: 'unclear'; readonly near: Command | undefined; readonly text: string }

export type Asked = { readonly kind: 'call'; readonly intent: Command; readonly args: string | undefined }

interface Reading {
  readonly meaning: Meaning
  readonly score: number
}

/** What a person said, part by part, in order. */
export function understand(said: string, known: Known): Meaning[] {
  const words = wordsOf(said, vocabulary)
  const meanings: Meaning[] = []
  for (let start = 0; start < words.length;) {
    const end = sentenceEnd({ said, known, words }, start)
    if (words.slice(start, end).some(({ kind }) => kind !== 'stop')) {
      meanings.push(...sentence({ said, known, words: words.slice(start, end) }))
    }
    start = end + 1
  }
  return meanings
}

interface Part {
  readonly said: string
  readonly known: Known
  readonly words: readonly Word[]
}

/** What follows a colon belongs to the goal or the message before it, over the ends of sentences. */
function sentenceEnd({ said, known, words }: Part, start: number): number {
  const at = (from: number, isEnd: (word: Word) => boolean): number => {
    const found = words.findIndex((word, index) => index >= from && isEnd(word))
    return found < 0 ? words.length : found
  }
  const end = at(start, ({ kind }) => kind === 'stop')
  const colon = at(start, ({ norm }) => norm === ':' || norm === '--')
  if (colon >= end) return end
  const line = words[colon + 1]?.norm === '\n' ? words.length : at(colon, ({ norm }) => norm === '\n')
  const meaning = clause({ said, known, words: words.slice(start, line) }).meaning
  return meaning.kind === 'call' && meaning.intent.isOpen ? line : end
}

const CONDITIONS = /^(?:if|when|whenever|once|after|unless|until|every|suppose|assuming)$/
const REPORTS = /^(?:said|says|say|wrote|writes|told|tells|asked|asks|think|thinks|thought|means|read|reads)$/
const JOINTS_MAX = 40

/** One sentence: as few parts as possible, so that a goal or a message stays whole. */
function sentence(part: Part): Meaning[] {
  const { words } = part
  const whole = clause(part).meaning
  if (opensWith(words, CONDITIONS)) return [whole.kind === 'say' ? whole : unclear(part)]
  const joints = words.flatMap((_, index) => jointAt(words, index) ?? []).slice(0, JOINTS_MAX)
  for (const { at, next, strength } of joints) {
    const left = { ...part, words: words.slice(0, at) }
    const right = { ...part, words: words.slice(next) }
    if (clause(right).meaning.kind === 'unclear' && !startsRequest(right)) continue
    const before = clause(left).meaning
    if (REPORTS.test(words[at - 1]?.norm ?? '')) continue
    if (strength === 'weak' && before.kind === 'unclear') continue
    if (strength !== 'strong' && before.kind === 'call' && before.intent.isOpen && before.args) continue
    return [before, ...sentence(right)]
  }
  return [whole]
}

/** Whether its beginning, up to some later joint, is understood. */
function startsRequest({ words, ...part }: Part): boolean {
  const joints = words.flatMap((_, index) => jointAt(words, index) ?? []).slice(0, JOINTS_MAX)
  return joints.some(({ at }) => clause({ ...part, words: words.slice(0, at) }).meaning.kind !== 'unclear')
}

/** `weak` carries what was before on: "do not fork and clear" clears nothing. */
type Joint = { readonly at: number; readonly next: number; readonly strength: 'strong' | 'medium' | 'weak' }

function jointAt(words: readonly Word[], at: number): Joint | undefined {
  const joining = /^(?:and|or|then|but|,|:|--|afterwards|finally)$/
  const isJoining = (index: number): boolean => joining.test(words[index]?.norm ?? '') && words[index]?.kind !== 'quote'
  if (at === 0 || !isJoining(at) || isJoining(at - 1)) return undefined
  let next = at
  while (isJoining(next)) next++
  const norms = words.slice(at, next).map(({ norm }) => norm)
  const isStrong = norms.some((norm) => /^(?:then|afterwards|finally)$/.test(norm))
  const isWeak = norms.every((norm) => norm === 'and' || norm === 'or')
  return { at, next, strength: isStrong ? 'strong' : isWeak ? 'weak' : 'medium' }
}

function opensWith(words: readonly Word[], pattern: RegExp): boolean {
  let at = 0
  while (words[at]?.kind === 'pause' || /^(?:and|but|so|ok|please|then)$/.test(words[at]?.norm ?? '')) at++
  return pattern.test(words[at]?.norm ?? '')
}

/** The best reading of words that are one request, or none. */
function clause(part: Part): Reading {
  const asked = askedAbout(part)
  const readings = [...commands.map((intent) => request(part, intent)), ...talks.map((talk) => remark(part, talk)), asked]
  const found = readings.filter((reading) => reading !== undefined)
  const best = found.filter(({ meaning }) => meaning.kind !== 'unclear').toSorted((a, b) => b.score - a.score)[0]
  if (best) return best
  const near = found.filter(({ score }) => score >= 1.5).toSorted((a, b) => b.score - a.score)[0]
  return near ?? { meaning: unclear(part), score: 0 }
}

function unclear({ said, words }: Part, near?: Command): Meaning {
  return { kind: 'unclear', near, text: typed(said, words) }
}

const NEGATIONS = /^(?:not|never|no|nothing|without|nobody|none|instead)$/
const LATER = /^(?:later|tomorrow|tonight|soon|yesterday|ago|when|if|once|after|until|unless|while|whether)$/

function request(part: Part, intent: Command): Reading | undefined {
  const { said, known, words } = part
  const opening = intent.opens === 'anything' ? { next: 0, weight: 0 } : openingOf(words, intent.opens)
  if (!opening) return undefined
  const rest = words.slice(opening.next)
  const filled = intent.fill ? intent.fill({ said, words: rest, known }) : { used: [], weight: 0 }
  if (!filled) return undefined
  const head = rest.filter((word) => !filled.used.includes(word))
  if (head.some(({ norm }) => NEGATIONS.test(norm) || LATER.test(norm))) return undefined
  const score = opening.weight + filled.weight + sum(head, intent)
  if (score < intent.needs) return { meaning: unclear(part, intent), score }
  if (filled.missing !== undefined) return { meaning: { kind: 'say', text: filled.missing }, score }
  return { meaning: { kind: 'call', intent, args: filled.args || undefined }, score }
}

function openingOf(words: readonly Word[], opens: Weights): { next: number; weight: number } | undefined {
  for (let at = 0; at < words.length;) {
    const opening = longest(words, at, (phrase) => Object.hasOwn(opens, phrase))
    if (opening) return { next: at + opening.length, weight: opens[opening.phrase] ?? 0 }
    const polite = longest(words, at, (phrase) => politeness.has(phrase))
    if (!polite && words[at]?.kind !== 'pause') return undefined
    at += polite?.length ?? 1
  }
  return undefined
}

function remark({ words }: Part, talk: Talk): Reading | undefined {
  const score = sum(words, talk)
  return score < talk.needs ? undefined : { meaning: { kind: 'say', text: talk.answer }, score }
}

function askedAbout({ words }: Part): Reading | undefined {
  const score = sum(words, question)
  const about = words.flatMap(({ norm }) => commands.find(({ topics }) => topics.includes(norm))?.about ?? [])
  if (score < question.needs || about.length === 0) return undefined
  return { meaning: { kind: 'say', text: [...new Set(about)].join(' ') }, score }
}

/** What the words say for an intent, longest phrases first. */
function sum(words: readonly Word[], { words: weights, strange }: { words: Weights; strange: number }): number {
  let total = 0
  for (let at = 0; at < words.length;) {
    const found = longest(words, at, (phrase) => Object.hasOwn(weights, phrase))
    const word = words[at]
    if (found) total += weights[found.phrase] ?? 0
    else if (word?.kind === 'quote' || (word?.kind === 'word' && !stopWords.has(word.norm))) total -= strange
    at += found?.length ?? 1
  }
  return total
}

const PHRASE_WORDS_MAX = 5

function longest(words: readonly Word[], at: number, isKnown: (phrase: string) => boolean): { phrase: string; length: number } | undefined {
  for (let length = PHRASE_WORDS_MAX; length > 0; length--) {
    const part = words.slice(at, at + length)
    if (part.length < length || part.some(({ kind }) => kind !== 'word')) continue
    const phrase = part.map(({ norm }) => norm).join(' ')
    if (isKnown(phrase)) return { phrase, length }
  }
  return undefined
}
