import { aboutIn } from './about.ts'
import { commands } from './commands.ts'
import type { Choice, Errand } from './errand.ts'
import { errandParts } from './errands.ts'
import type { Command, Scored, Talk, Weights } from './intent.ts'
import { forkParts, type ForkWish } from './fork-wishes.ts'
import { lookupIn, perhapsIn, type Lookup } from './lookup.ts'
import { politeness, stopWords, vocabulary } from './phrases.ts'
import type { Place } from './place.ts'
import type { Known } from './slot.ts'
import { question, talks } from './talks.ts'
import { wishParts } from './wishes.ts'
import { typed, type Word, wordsOf } from './words.ts'

/** What one part of a message asks for. */
export type Meaning =
  | Asked
  | { readonly kind: 'say'; readonly text: string }
  /** Asks for what was said. */
  | { readonly kind: 'look'; readonly lookup: Lookup }
  /** Asks that this be remembered for good. */
  | Wish
  /** Asks to enter or to end an interactive fork. */
  | ForkWish
  /** Asks for something with a reminder or a to-do. */
  | Errand
  | Choice
  /** Asks what is remembered for good. */
  | { readonly kind: 'memory' }
  | Unclear

/** `near`: what it may have been meant as; `text`: how it was typed; `lookup`: how its answer may be found. */
export interface Unclear {
  readonly kind: 'unclear'
  readonly near: Command | undefined
  readonly text: string
  readonly lookup?: Lookup
}

export type Wish = { readonly kind: 'remember'; readonly line: string }

export type Asked = { readonly kind: 'call'; readonly intent: Command; readonly args: string | undefined }

interface Reading {
  readonly meaning: Meaning
  readonly score: number
}

export interface Hearing {
  readonly today?: string | undefined
  readonly place?: Place['kind']
  /** What was answered last: a question, perhaps. */
  readonly asked?: string
}

/** What a person said, part by part, in order. */
export function understand(said: string, known: Known, hearing: Hearing = {}): Meaning[] {
  const { today, place = 'main', asked = '' } = hearing
  const isPersons = place === 'main' || place === 'fork'
  const errands = isPersons ? errandParts(said, { today, asked }) : undefined
  return (errands ?? [{ kind: 'other' as const, text: said }]).flatMap((part) =>
    part.kind === 'other' ? understandRest(part.text, known, { today, place }) : [part],
  )
}

function understandRest(said: string, known: Known, { today, place = 'main' }: Hearing): Meaning[] {
  const parts = wishParts(said) ?? [{ kind: 'other' as const, text: said }]
  return parts.flatMap((part) => {
    if (part.kind === 'remember') return [part]
    const own = forkParts(part.text, place) ?? [part]
    return own.flatMap((one) => (one.kind === 'other' ? understandRequests(one.text, known, today) : [one]))
  })
}

function understandRequests(said: string, known: Known, today?: string): Meaning[] {
  const words = wordsOf(said, vocabulary).map((word, at, all) =>
    namesIt(all, at) ? { ...word, kind: 'pause' as const } : word,
  )
  const text = { said, known, today, readings: new Map<string, Reading>() }
  const meanings: Meaning[] = []
  for (let start = 0; start < words.length;) {
    const end = sentenceEnd({ ...text, words }, start)
    if (end > start) meanings.push(...sentence({ ...text, words: words.slice(start, end) }))
    if (meanings.length > PARTS_MAX) return [unclear({ ...text, words })]
    start = end + 1
  }
  return withoutRepeats(meanings).map((meaning) =>
    meaning.kind === 'unclear' && REFUSALS.test(meaning.text) ? leftAlone : meaning,
  )
}

/** A text of more parts is something to read: to act on every line of it that sounds like a request would be folly. */
const PARTS_MAX = 40

/** "Throw it all away and start over" clears once. */
function withoutRepeats(meanings: readonly Meaning[]): Meaning[] {
  return meanings.filter((meaning, at) => {
    const last = meanings[at - 1]
    const isCall = meaning.kind === 'call' && last?.kind === 'call'
    return !(isCall && meaning.intent.command === last.intent.command && meaning.args === last.args)
  })
}

/** "Set a checkpoint. Call it A." is one request. */
function namesIt(words: readonly Word[], at: number): boolean {
  const [, verb, it] = words.slice(at, at + 3).map(({ norm }) => norm)
  return (
    words[at]?.kind === 'stop' &&
    /^(?:name|call|title|label)$/.test(verb ?? '') &&
    /^(?:it|this|:|--|is)$/.test(it ?? '')
  )
}

/** "Do not clear yet" is understood, too. */
const REFUSALS = /^(?:please,? |no,? |but |ok,? )*(?:do not|don['’]?t|never) /i
const leftAlone: Meaning = { kind: 'say', text: 'All right, I leave that alone.' }

interface Part {
  readonly said: string
  readonly known: Known
  readonly today: string | undefined
  readonly words: readonly Word[]
  /** What was found for a stretch of words, by its place: the search for parts asks again and again. */
  readonly readings: Map<string, Reading>
}

/** What follows a colon belongs to the goal or the message before it, over the ends of sentences. */
function sentenceEnd(part: Part, start: number): number {
  const { words } = part
  const next = (from: number, isEnd: (word: Word) => boolean): number => {
    let at = from
    for (let word = words[at]; word && !isEnd(word); word = words[at]) at++
    return at
  }
  const end = next(start, ({ kind }) => kind === 'stop')
  const colon = next(start, ({ kind, norm }) => kind === 'stop' || norm === ':' || norm === '--')
  if (colon >= end && words[colon]?.norm !== ':') return end
  const line = words[colon + 1]?.norm === '\n' ? words.length : next(colon, ({ norm }) => norm === '\n')
  const { meaning } = clause({ ...part, words: words.slice(start, line) })
  return meaning.kind === 'call' && meaning.intent.isOpen ? line : end
}

const CONDITIONS = /^(?:if|when|whenever|once|after|unless|until|every|suppose|assuming)$/
const REPORTS = /^(?:said|says|say|wrote|writes|told|tells|asked|asks|think|thinks|thought|means|read|reads)$/
const QUESTIONS = /^(?:what|how|why|who|which|where|does|did|is|are|was|should|may)$/
const SUBJECTS = /^(?:i|it|we|he|she|they|you|that|this|there|because|since|so)$/
const JOINTS_MAX = 12
/** More words in one sentence are no list of requests. */
const SENTENCE_WORDS_MAX = 300

const noTopic: Meaning = {
  kind: 'say',
  text: 'About what? Say for example "what did I say about the dentist?".',
}

/** One sentence: what it asks for of the past, or its requests. */
function sentence(part: Part): Meaning[] {
  const about = aboutIn(part.words)
  if (about !== undefined) return [about]
  const lookup = lookupIn(part)
  if (lookup !== undefined) return [lookup === 'no-topic' ? noTopic : { kind: 'look', lookup }]
  const meanings = requests(part)
  const [only, second] = meanings
  if (only?.kind !== 'unclear' || only.near !== undefined || second !== undefined) return meanings
  const perhaps = perhapsIn(part)
  return perhaps === undefined ? meanings : [{ ...only, lookup: perhaps }]
}

/** As few parts as possible, so that a goal or a message stays whole. */
function requests(part: Part): Meaning[] {
  const { words } = part
  const whole = clause(part).meaning
  if (opensWith(words, CONDITIONS)) return [whole.kind === 'say' ? whole : unclear(part)]
  for (const { at, next, strength } of jointsIn(words)) {
    const right = { ...part, words: words.slice(next) }
    const before = clause({ ...part, words: words.slice(0, at) }).meaning
    if (REPORTS.test(words[at - 1]?.norm ?? '')) continue
    // "What is the difference between fork and clear?" asks all the way.
    if (strength === 'weak' && (before.kind === 'unclear' || opensWith(words, QUESTIONS))) continue
    if (strength !== 'strong' && before.kind === 'call' && before.intent.isOpen) continue
    // "Stop k3f9ab, it is too slow": the reason is no part of the request.
    const isReason = before.kind === 'call' && SUBJECTS.test(right.words[0]?.norm ?? '')
    const isMore = whole.kind === 'unclear' && before.kind === 'call' && at > 1 && !isLimited(right.words)
    if (beginsRequest(right) || isReason || isMore) return [before, ...requests(right)]
  }
  return [whole]
}

/** "Clear everything, if you can": what follows may take back what came before. */
function isLimited(words: readonly Word[]): boolean {
  return words.some(({ norm }) => NEGATIONS.test(norm) || LATER.test(norm))
}

/** Whether all of it, or its beginning up to a joint, is understood. */
function beginsRequest(part: Part): boolean {
  const ends = [part.words.length, ...jointsIn(part.words).map(({ at }) => at)]
  return ends.some((end) => clause({ ...part, words: part.words.slice(0, end) }).meaning.kind !== 'unclear')
}

/** `weak` carries what was before on: "do not fork and clear" clears nothing. */
type Joint = { readonly at: number; readonly next: number; readonly strength: 'strong' | 'medium' | 'weak' }

function jointsIn(words: readonly Word[]): Joint[] {
  if (words.length > SENTENCE_WORDS_MAX) return []
  return words.flatMap((_, at) => jointAt(words, at) ?? []).slice(0, JOINTS_MAX)
}

function jointAt(words: readonly Word[], at: number): Joint | undefined {
  const joining = /^(?:and|or|then|but|because|,|:|--|afterwards|finally)$/
  const isJoining = (index: number): boolean =>
    joining.test(words[index]?.norm ?? '') && words[index]?.kind !== 'quote'
  if (at === 0 || !isJoining(at) || isJoining(at - 1)) return undefined
  let next = at
  while (isJoining(next)) next++
  const norms = words.slice(at, next).map(({ norm }) => norm)
  const isStrong = norms.some((norm) => /^(?:then|afterwards|finally)$/.test(norm))
  const isWeak = norms.every((norm) => /^(?:and|or|because)$/.test(norm))
  return { at, next, strength: isStrong ? 'strong' : isWeak ? 'weak' : 'medium' }
}

function opensWith(words: readonly Word[], pattern: RegExp): boolean {
  let at = 0
  while (words[at]?.kind === 'pause' || /^(?:and|but|so|ok|please|then)$/.test(words[at]?.norm ?? '')) at++
  return pattern.test(words[at]?.norm ?? '')
}

const CLAUSE_WORDS_MAX = 60

/** The best reading of words that are one request, or none. */
function clause(part: Part): Reading {
  const place = `${part.words[0]?.start}-${part.words.at(-1)?.end}`
  const reading = part.readings.get(place) ?? readingOf(part)
  part.readings.set(place, reading)
  return reading
}

function readingOf(part: Part): Reading {
  // Nothing but a long goal or message is that long.
  const isLong = part.words.length > CLAUSE_WORDS_MAX
  const requests = commands.filter(({ isOpen }) => isOpen || !isLong).map((intent) => request(part, intent))
  const remarks = isLong ? [] : [...talks.map((talk) => remark(part, talk)), askedAbout(part)]
  const found = [...requests, ...remarks]
    .filter((reading) => reading !== undefined)
    .toSorted((a, b) => b.score - a.score)
  const near = found.find(({ score }) => score >= 1.5)
  return (
    found.find(({ meaning }) => meaning.kind !== 'unclear') ?? near ?? { meaning: unclear(part), score: 0 }
  )
}

function unclear({ said, words }: Part, near?: Command): Meaning {
  return { kind: 'unclear', near, text: typed(said, words) }
}

const NEGATIONS = /^(?:not|never|no|nothing|without|nobody|none|instead)$/
const LATER = /^(?:later|tomorrow|tonight|soon|yesterday|ago|when|if|once|after|until|unless|while|whether)$/

function request(part: Part, intent: Command): Reading | undefined {
  const { said, known, words } = part
  const opening =
    intent.opens === 'anything' ? { opener: '', next: 0, weight: 0 } : openingOf(words, intent.opens)
  if (!opening) return undefined
  const rest = words.slice(opening.next)
  const filled = intent.slot
    ? intent.slot({ said, opener: opening.opener, words: rest, known })
    : { used: [], weight: 0 }
  if (!filled) return undefined
  const used = new Set(filled.used)
  const head = rest.filter((word) => !used.has(word))
  if (isLimited(head)) return undefined
  const score = opening.weight + filled.weight + sum(head, intent)
  if (score < intent.needs) return { meaning: unclear(part, intent), score }
  if (filled.missing !== undefined) return { meaning: { kind: 'say', text: filled.missing }, score }
  return { meaning: { kind: 'call', intent, args: filled.args || undefined }, score }
}

function openingOf(
  words: readonly Word[],
  opens: Weights,
): { opener: string; next: number; weight: number } | undefined {
  for (let at = 0; at < words.length;) {
    const opening = longest(words, at, (phrase) => Object.hasOwn(opens, phrase))
    if (opening)
      return { opener: opening.phrase, next: at + opening.length, weight: opens[opening.phrase] ?? 0 }
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
function sum(words: readonly Word[], { words: weights, strange }: Scored): number {
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

function longest(
  words: readonly Word[],
  at: number,
  isKnown: (phrase: string) => boolean,
): { phrase: string; length: number } | undefined {
  for (let length = PHRASE_WORDS_MAX; length > 0; length--) {
    const part = words.slice(at, at + length)
    if (part.length < length || part.some(({ kind }) => kind !== 'word')) continue
    const phrase = part.map(({ norm }) => norm).join(' ')
    if (isKnown(phrase)) return { phrase, length }
  }
  return undefined
}
