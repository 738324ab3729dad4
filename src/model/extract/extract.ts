import { assert } from '../../base/assert.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { candidatesIn, formerEntries } from './candidates.ts'
import type { Entry, Section, Spoken } from './entry.ts'
import { focusOf, raise } from './focus.ts'
import { merge } from './merging.ts'
import { CHARACTERS_PER_TOKEN_MAX, cutToTokens, shorten } from './sentences.ts'
import { sentencesBeyond, spokenText } from './spoken.ts'
import { dayOf, heading, headOf, lineOf, readSummary, writeSummary } from './summary-text.ts'
import { makeEntry } from './worth.ts'

interface ExtractInput {
  /** The summary so far, ours or a model's; it is folded in. */
  readonly previous: string | null
  readonly messages: readonly Spoken[]
  readonly tokensMax: number
  /** The subject to keep before anything else. */
  readonly focus?: string
}

/**
 * Summarizes a conversation in its own sentences, as Markdown of at most `tokensMax` tokens: names, numbers, dates,
 * decisions, promises and open questions first. Never longer than its source: headings are left out if they would make
 * it so. Empty if nothing fits into so few tokens.
 */
export function extractSummary({ previous, messages, tokensMax, focus = '' }: ExtractInput): string {
  assert(tokensMax >= 1, `a summary of at most ${tokensMax} tokens has no room for a word`)
  const room = roomFor({ previous, messages, tokensMax })
  if (room === 0) return ''
  const former = readSummary(previous ?? '')
  const sought = focusOf(focus)
  const entries = merge(raise(formerEntries(former.told), sought), candidatesIn(messages, sought))
  const days = [former.newest, ...messages.map(({ at }) => dayOf(at))].filter((day) => day !== undefined)
  const newest = days.length === 0 ? undefined : days.reduce((a, b) => Math.max(a, b))
  const chosen = choose(entries, tokensMax, newest)
  const page = writeSummary(chosen, newest)
  if (fits(page, room)) return page
  const fewer = choose(entries, room, newest)
  const bare = bareLines(chosen, room)
  const smaller = writeSummary(fewer, newest)
  if (fits(smaller, room) && fewer.length >= bare.length) return smaller
  if (bare.length > 0) return textOf(bare)
  return onlyLine({ previous, messages, tokensMax: room }, entries)
}

/** As many tokens as the source has, up to the limit. */
function roomFor({ previous, messages, tokensMax }: ExtractInput): number {
  let covered = 0
  for (const text of [previous ?? '', ...messages.map(({ text }) => text)]) {
    // Counting a whole book's tokens, just to see that there are more than 500, takes long.
    covered += estimateTokens(text.slice(0, tokensMax * CHARACTERS_PER_TOKEN_MAX))
    if (covered >= tokensMax) return tokensMax
  }
  return covered
}

/** Below this a new line is chatter. A line that was kept before only goes for a better one. */
const WORTH_MIN = 1.2

/** The entries with the most worth for their length, within the limit. */
function choose(entries: readonly Entry[], tokensMax: number, newest: number | undefined): Entry[] {
  const ranked = entries
    .filter(({ worth, order }) => worth >= WORTH_MIN || order < 0)
    .map((entry) => {
      const tokens = estimateTokens(lineOf(entry, newest)) + 1
      return { entry, tokens, rank: entry.worth / tokens ** 0.5 }
    })
    .toSorted((a, b) => b.rank - a.rank || b.entry.order - a.entry.order)
  const begun = new Set<Section>()
  let left = tokensMax - headOf(newest).reduce((sum, line) => sum + estimateTokens(line) + 1, 0)
  return ranked.flatMap(({ entry, tokens }) => {
    const cost = tokens + (begun.has(entry.section) ? 0 : estimateTokens(heading(entry.section)) + 1)
    if (cost > left) return []
    left -= cost
    begun.add(entry.section)
    return [entry]
  })
}

/** The most valuable lines, in order, without headings, dashes, days and speakers. */
function bareLines(entries: readonly Entry[], tokensMax: number): readonly Entry[] {
  let taken: readonly Entry[] = []
  for (const entry of entries) {
    const more = [...taken, entry].toSorted((a, b) => a.order - b.order)
    if (fits(textOf(more), tokensMax)) taken = more
  }
  return taken
}

function textOf(entries: readonly Entry[]): string {
  return entries.map(({ text }) => text).join('\n')
}

function fits(text: string, tokensMax: number): boolean {
  return text !== '' && estimateTokens(text) <= tokensMax
}

/** Used when nothing is worth a line, or there is no room for one. */
function onlyLine({ previous, messages, tokensMax }: ExtractInput, entries: readonly Entry[]): string {
  const best = entries.toSorted((a, b) => b.worth - a.worth || b.order - a.order)[0]
  const only = best ?? lastWords(previous, messages)
  if (only === undefined) {
    const note = `nothing was told: code, results or refusals only (${messages.length})`
    return fits(note, tokensMax) ? note : ''
  }
  const page = writeSummary([only], undefined)
  return fits(page, tokensMax) ? page : cutToTokens(only.text, tokensMax)
}

const CHARACTERS_READ = 1_000

/** The last of the chatter. Tool results and data are never quoted as if somebody had said them. */
function lastWords(previous: string | null, messages: readonly Spoken[]): Entry | undefined {
  const said = messages.findLast((message) => wordsOf(message) !== '')
  const words = said === undefined ? (previous ?? '') : wordsOf(said)
  const text = shorten(words.slice(0, CHARACTERS_READ))
  return text === ''
    ? undefined
    : makeEntry({ text, section: 'facts', who: said?.who, day: undefined, order: 0 })
}

function wordsOf({ who, text }: Spoken): string {
  if (who === 'tool') return ''
  const words = spokenText(text)
  return who === 'assistant' ? sentencesBeyond(words).join('\n') : words
}
