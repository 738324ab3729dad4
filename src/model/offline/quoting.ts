import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { WEAK } from './lookup-forms.ts'
import { contentOf, type Lookup } from './lookup.ts'

/** Something that was said, as the tool or the tail of a prompt tells it. */
export interface Quote {
  /** `2026-03-01 Sun 09:30` */
  readonly at: string
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
  return {
    at: field('at') ?? '',
    who: field('who') ?? '',
    name: field('name'),
    label: field('label'),
    text: (field('text') ?? '').replaceAll(FENCE, '$1').trim(),
  }
}

const FENCE = /<data source="[^"\n]*">\n([\s\S]*?)\n<\/data>/g

const QUOTES_MAX = 3

/** What was said about it, word for word, who said it and when; honest where nothing is there. */
export function answerFor(lookup: Lookup, looked: Looked): string {
  if (looked.kind === 'failed') return `That did not work: ${short(looked.because, QUOTED_MAX)}`
  const about = topicOf(lookup, looked.instead)
  const told = tellingOf(looked.quotes)
  const mended = looked.instead.map(([typed, taken]) => `I looked for "${taken}" instead of "${typed}".`)
  const [best] = told
  if (best === undefined) return [...mended, nothingAbout(lookup)].join(' ')
  const good = told.filter((quote) => shareOf(about, quote) >= GOOD)
  if (good.length === 0)
    return [...mended, nothingAbout(lookup), `The nearest is this. ${sentence(best, about, lookup)}`].join(
      ' ',
    )
  const lines = chosen(good, lookup).map((quote) => sentence(quote, about, lookup))
  return [...mended, ...lines].join('\n')
}

/** The best of what was found, where it is about what was asked; else it is no answer. */
export function answerPerhaps(lookup: Lookup, quotes: readonly Quote[]): string | undefined {
  const about = topicOf(lookup, [])
  const needs = /\b(?:my|mine|our|ours|i|we|me|us)\b/i.test(lookup.query) ? GOOD : GOOD_ELSE
  const good = tellingOf(quotes).filter((quote) => !isQuestion(quote) && shareOf(about, quote) >= needs)
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

/** Without what this model itself answered: its own words would be found for ever. */
function tellingOf(quotes: readonly Quote[]): Quote[] {
  const told = quotes.filter(({ who, text }) => text !== '' && !(who === 'assistant' && OWN.test(text)))
  const statements = told.filter((quote) => !isQuestion(quote))
  return statements.length > 0 ? statements : told
}

const OWN =
  /not a language model|^(?:you|i|[^\n]{1,40}) (?:said|asked) on \d{4}-\d\d-\d\d|^I (?:found nothing|looked for) /i

function isQuestion({ who, text }: Quote): boolean {
  return who === 'user' && /\?\s*$/.test(text)
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
  const byTime = quotes.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  if (wants === 'first') return byTime.slice(0, 1)
  return wants === 'last' ? byTime.slice(-1) : byTime.slice(-QUOTES_MAX)
}

function nothingAbout({ query, speaker }: Lookup): string {
  const who = speaker === 'user' ? ' that you said' : speaker === 'assistant' ? ' that I said' : ''
  return `I found nothing${who} about "${short(query, QUOTED_MAX)}".`
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
