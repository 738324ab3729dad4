import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { whenText } from './days.ts'
import { withoutFences } from './fence.ts'
import { WEAK } from './lookup-forms.ts'
import { contentOf, lookupIn, type Lookup } from './lookup.ts'
import { vocabulary } from './phrases.ts'
import { wordsOf } from './words.ts'

/** Something that was said, as the tool or the tail of a prompt tells it. */
export interface Quote {
  /** `2026-03-01 Sun 09:30` */
  readonly at: string
  /** Tells which of two was first that were said in the same minute. */
  readonly position: number
  readonly who: string
  readonly name: string | undefined
  readonly label: string | undefined
  readonly text: string
}

/** What the recall tool found, or why it did not look. */
export type Looked =
  | { readonly kind: 'failed'; readonly because: string }
  | {
      readonly kind: 'found'
      readonly quotes: readonly Quote[]
      readonly instead: readonly [string, string][]
    }

export function lookedIn(text: string): Looked {
  const value = parsed(text)
  if (!isJsonObject(value)) return { kind: 'failed', because: text }
  const { error, hits, instead } = value as { error?: unknown; hits?: unknown; instead?: unknown }
  if (typeof error === 'string') return { kind: 'failed', because: error }
  if (!Array.isArray(hits)) return { kind: 'failed', because: 'the answer of recall cannot be read' }
  const words = isJsonObject(instead) ? Object.entries(instead) : []
  return {
    kind: 'found',
    quotes: hits.filter(isJsonObject).map(quoteIn),
    instead: words.flatMap(([typed, taken]) =>
      typeof taken === 'string' ? [[typed, taken] as [string, string]] : [],
    ),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function quoteIn(hit: JsonObject): Quote {
  const field = (name: string): string | undefined => {
    const value = hit[name]
    return typeof value === 'string' ? value : undefined
  }
  const position = typeof hit['position'] === 'number' ? hit['position'] : 0
  const label = field('label')
  const text = withoutFences(field('text') ?? '').trim()
  return { at: field('at') ?? '', position, who: field('who') ?? '', name: field('name'), label, text }
}

const QUOTES_MAX = 3

/** What was said about it, word for word, who said it and when; honest where nothing is there. */
export function answerFor(lookup: Lookup, looked: Looked): string {
  if (looked.kind === 'failed') return `That did not work: ${short(looked.because, QUOTED_MAX)}`
  const about = topicOf(lookup, looked.instead)
  const told = tellingOf(looked.quotes)
  const mended = looked.instead.map(([typed, taken]) => `I looked for "${taken}" instead of "${typed}".`)
  const good = told.filter((quote) => shareOf(about, quote) >= GOOD)
  const statements = good.filter((quote) => !isQuestion(quote))
  if (statements.length > 0) {
    const lines = chosen(statements, lookup).map((quote) => sentence(quote, about, lookup))
    return [...mended, ...lines].join('\n')
  }
  const asked = chosen(
    good.filter((quote) => !asksForSaid(quote)),
    lookup,
  )
  const isAsked = asked.length > 0 || good.some((quote) => shareOf(about, quote) === 1)
  const nothing = [...mended, nothingAbout(lookup, isAsked)].join(' ')
  if (isAsked) return [nothing, ...asked.map((quote) => sentence(quote, about, lookup))].join('\n')
  const nearest = told.find((quote) => !isQuestion(quote))
  return nearest === undefined
    ? nothing
    : `${nothing} The nearest is this. ${sentence(nearest, about, lookup)}`
}

/**
 * The best of what was found, where it is about what was asked; else it is no answer. What was rewound, cleared or
 * discarded was taken back: it is for who asks for what was said, and nobody did.
 */
export function answerPerhaps(lookup: Lookup, quotes: readonly Quote[]): string | undefined {
  const about = topicOf(lookup, [])
  const needs = /\b(?:my|mine|our|ours|i|we|me|us)\b/i.test(lookup.query) ? GOOD : GOOD_ELSE
  const good = tellingOf(quotes).filter(
    (quote) => quote.label === undefined && !isQuestion(quote) && shareOf(about, quote) >= needs,
  )
  const [best] = good.toSorted((a, b) => shareOf(about, b) - shareOf(about, a) || echoes(a) - echoes(b))
  return best && sentence(best, about, lookup)
}

/** What a person said, others often say again. */
function echoes({ who }: Quote): number {
  return who === 'user' ? 0 : 1
}

const GOOD = 0.5
const GOOD_ELSE = 0.6

function topicOf({ query }: Lookup, instead: readonly [string, string][]): string[] {
  const mended = new Map(instead.map(([typed, taken]) => [typed.toLowerCase(), taken.toLowerCase()]))
  const words = contentOf(query).map((word) => mended.get(word) ?? word)
  const strong = words.filter((word) => !WEAK.test(word))
  return strong.length > 0 ? strong : words
}

/** Without what this model itself answered, and what only repeats the log: both would be found for ever. */
function tellingOf(quotes: readonly Quote[]): Quote[] {
  return quotes.filter(
    ({ who, text }) => text !== '' && who !== 'echo' && !(who === 'assistant' && OWN.test(text)),
  )
}

const OWN =
  /not a language model|^(?:Your )?memory\.md says|^I proposed that for your memory|^(?:you|i|[^\n]{1,40}) (?:said|asked) on \d{4}-\d\d-\d\d|^I (?:found nothing|looked for) /i

function isQuestion(quote: Quote): boolean {
  return quote.who === 'user' && (/\?\s*$/.test(quote.text) || asksForSaid(quote))
}

const ASKING_MAX = 300

/** "What did I say about the boat" says nothing about the boat, with a question mark or without. */
function asksForSaid({ who, text }: Quote): boolean {
  if (who !== 'user' || text.length > ASKING_MAX) return false
  const words = wordsOf(text, vocabulary)
  const isOne = words.slice(0, -1).every(({ kind }) => kind !== 'stop')
  return isOne && lookupIn({ said: text, words }) !== undefined
}

/** Which part of the words stands in it. */
function shareOf(about: readonly string[], { text }: Pick<Quote, 'text'>): number {
  if (about.length === 0) return 0
  const words = new Set(contentOf(text).map(rootOf))
  return about.filter((word) => has(words, rootOf(word))).length / about.length
}

function has(words: ReadonlySet<string>, root: string): boolean {
  if (words.has(root)) return true
  return root.length >= 5 && [...words].some((word) => word.length >= 5 && isAlike(word, root))
}

function isAlike(a: string, b: string): boolean {
  return Math.abs(a.length - b.length) <= 3 && (a.startsWith(b) || b.startsWith(a))
}

function rootOf(word: string): string {
  return word.length <= 3 ? word : word.replace(/(?:'s|ies|es|s|ed|ing|ly|y|e)$/, '')
}

function chosen(quotes: readonly Quote[], { wants }: Lookup): readonly Quote[] {
  if (wants === 'what' || wants === 'who') return quotes.slice(0, QUOTES_MAX)
  const byTime = quotes.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.position - b.position))
  if (wants === 'first') return byTime.slice(0, 1)
  return wants === 'last' ? byTime.slice(-1) : byTime.slice(-QUOTES_MAX)
}

function nothingAbout({ query, speaker, ...days }: Lookup, isAsked: boolean): string {
  const who = speaker === 'user' ? ' that you said' : speaker === 'assistant' ? ' that I said' : ''
  const about = `I found nothing${who} about "${short(query, QUOTED_MAX)}"${whenText(days)}`
  return isAsked ? `${about}; it was only asked about.` : `${about}.`
}

/** `You said on 2026-03-01: "…"` */
function sentence(quote: Quote, about: readonly string[], { wants }: Lookup): string {
  const [date = '', day, time] = quote.at.split(' ')
  const isTimed = wants !== 'what' && wants !== 'who' && day !== undefined && time !== undefined
  const when = isTimed ? `${date} (${day}) at ${time}` : date
  const label = quote.label === undefined ? '' : ` (${quote.label})`
  return `${speakerOf(quote)} on ${when}${label}: "${partOf(quote.text, about)}"`
}

function speakerOf(quote: Quote): string {
  const { who, name } = quote
  const said = isQuestion(quote) ? 'asked' : 'said'
  if (who === 'user') return `${name ?? 'You'} ${said}`
  if (who === 'assistant') return 'I said'
  if (who === 'summary') return 'A summary said'
  return who === 'note' ? 'A note said' : `The result of ${short(name ?? who, 40)} said`
}

const QUOTED_MAX = 240
const SENTENCES = /[^.!?\n]+(?:[.!?]+(?=\s|$)|\n|$)|[.!?]+/g

/** The sentence that has most of the words, and what stands beside it as far as there is room. */
function partOf(text: string, about: readonly string[]): string {
  const line = text.replaceAll(/[ \t\r]+/g, ' ').trim()
  if (line.length <= QUOTED_MAX) return quotable(line)
  const parts = line.match(SENTENCES) ?? [line]
  const shares = parts.map((part) => shareOf(about, { text: part }))
  const at = shares.indexOf(Math.max(...shares))
  const rest = parts.slice(at).join('').trim()
  return `${at > 0 ? '… ' : ''}${quotable(short(rest, QUOTED_MAX))}`
}

function quotable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('"', "'")
}

function short(text: string, max: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…`
}
