import { assert } from '../../base/assert.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { candidatesIn, makeEntry } from './candidates.ts'
import { choose } from './choosing.ts'
import type { Entry, Spoken } from './entry.ts'
import { focusOf, raise } from './focus.ts'
import { formerEntries } from './former.ts'
import { sentencesBeyond } from './inability.ts'
import { merge } from './merging.ts'
import { CHARACTERS_PER_TOKEN_MAX, cutToTokens, shortLine } from './shorten.ts'
import { spokenText } from './spoken.ts'
import { dayOf, readSummary, writeSummary } from './summary-text.ts'
import { topicsOf } from './topics.ts'

export interface ExtractInput {
  /** The summary so far, ours or a model's: it is folded in. */
  readonly previous: string | null
  readonly messages: readonly Spoken[]
  readonly tokensMax: number
  /** What to keep before other things. */
  readonly focus?: string
}

/**
 * Sums up a conversation in sentences that were said in it, as Markdown of at most `tokensMax` tokens: names, numbers,
 * dates, decisions, promises and open questions before everything else. Never longer than what it covers: where headings
 * would make it so, there are none. Empty where nothing can be told in so few tokens.
 */
export function extractSummary({ previous, messages, tokensMax, focus = '' }: ExtractInput): string {
  assert(tokensMax >= 1, `a summary of at most ${tokensMax} tokens has no room for a word`)
  const room = roomFor({ previous, messages, tokensMax })
  if (room === 0) return ''
  const known = new Set<string>()
  const former = readSummary(previous ?? '')
  const sought = focusOf(focus)
  const entries = merge(
    raise(formerEntries(former.told, known), sought),
    candidatesIn(messages, known, sought),
  )
  const newest = newestOf(former.newest, messages)
  const page = writePage({ entries, newest, messages, topics: former.topics }, tokensMax)
  if (fits(page.text, room)) return page.text
  const smaller = writePage({ entries, newest, messages, topics: [] }, room)
  const bare = bareLines(choose(entries, tokensMax, newest), room)
  const isBetter = fits(smaller.text, room) && smaller.lines >= bare.lines
  if (isBetter || bare.lines > 0) return isBetter ? smaller.text : bare.text
  return onlyLine({ previous, messages, tokensMax: room }, entries)
}

/** As many tokens as it covers, up to the limit. */
function roomFor({ previous, messages, tokensMax }: ExtractInput): number {
  let covered = 0
  for (const text of [previous ?? '', ...messages.map(({ text }) => text)]) {
    // Counting the tokens of a book to see that there are more than 500 takes long.
    covered += estimateTokens(text.slice(0, tokensMax * CHARACTERS_PER_TOKEN_MAX))
    if (covered >= tokensMax) return tokensMax
  }
  return covered
}

interface Written {
  readonly text: string
  readonly lines: number
}

interface Material {
  readonly entries: readonly Entry[]
  readonly messages: readonly Spoken[]
  readonly topics: readonly string[]
  readonly newest: number | undefined
}

function writePage({ entries, messages, topics, newest }: Material, tokensMax: number): Written {
  const chosen = choose(entries, tokensMax, newest)
  const found = topicsOf(topics, messages, chosen)
  const page = writeSummary({ entries: chosen, topics: found, newest })
  if (fits(page, tokensMax)) return { text: page, lines: chosen.length }
  return { text: writeSummary({ entries: chosen, topics: [], newest }), lines: chosen.length }
}

/** Without headings, dashes, days and who said it: those that are worth most, in their order. */
function bareLines(entries: readonly Entry[], tokensMax: number): Written {
  let [text, taken]: [string, Entry[]] = ['', []]
  for (const entry of entries) {
    const some = [...taken, entry].toSorted((a, b) => a.order - b.order)
    const lines = some.map((one) => one.text).join('\n')
    if (fits(lines, tokensMax)) [text, taken] = [lines, some]
  }
  return { text, lines: taken.length }
}

function fits(text: string, tokensMax: number): boolean {
  return text !== '' && estimateTokens(text) <= tokensMax
}

function newestOf(former: number | undefined, messages: readonly Spoken[]): number | undefined {
  let newest = former
  for (const { at } of messages) {
    const day = dayOf(at)
    if (day !== undefined && (newest === undefined || day > newest)) newest = day
  }
  return newest
}

/** Where nothing is worth a line, or there is no room for one. */
function onlyLine({ previous, messages, tokensMax }: ExtractInput, entries: readonly Entry[]): string {
  const best = entries.toSorted((a, b) => b.worth - a.worth || b.order - a.order)[0]
  const only = best ?? lastWords(previous, messages)
  if (only === undefined) {
    const note = `nothing was told: code, results or refusals only (${messages.length})`
    return fits(note, tokensMax) ? note : ''
  }
  const page = writeSummary({ entries: [only], topics: [], newest: undefined })
  return fits(page, tokensMax) ? page : cutToTokens(only.text, tokensMax)
}

/** Of chatter, the last. What tools and data say is never told as if somebody had said it. */
function lastWords(previous: string | null, messages: readonly Spoken[]): Entry | undefined {
  const said = messages.findLast(isSaid)
  const words = shortLine(
    (said === undefined ? (previous ?? '') : spokenText(said.text)).slice(0, CHARACTERS_READ),
  )
  if (words === '') return undefined
  return makeEntry({ text: words, section: 'facts', who: said?.who, day: undefined, order: 0 }, new Set())
}
const CHARACTERS_READ = 1_000

function isSaid({ who, text }: Spoken): boolean {
  if (who === 'tool') return false
  const words = spokenText(text)
  return who === 'assistant' ? sentencesBeyond(words).length > 0 : words !== ''
}
