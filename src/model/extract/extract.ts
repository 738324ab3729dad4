import { assert } from '../../base/assert.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { candidatesIn, makeEntry } from './candidates.ts'
import { choose } from './choosing.ts'
import type { Entry, Spoken } from './entry.ts'
import { fold, shared, stemsOf } from './folding.ts'
import { formerEntries } from './former.ts'
import { merge } from './merging.ts'
import { cutToTokens, shortLine } from './shorten.ts'
import { spokenText } from './spoken.ts'
import { dayOf, lineOf, readSummary, writeSummary } from './summary-text.ts'
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
 * dates, decisions, promises and open questions before everything else. Empty only where there is nothing to sum up.
 */
export function extractSummary({ previous, messages, tokensMax, focus = '' }: ExtractInput): string {
  assert(tokensMax >= 1, `a summary of at most ${tokensMax} tokens has no room for a word`)
  const known = new Set<string>()
  const former = readSummary(previous ?? '')
  const entries = merge(formerEntries(former.told, known), candidatesIn(messages, known))
  const newest = newestOf(former.newest, messages)
  const focused = focus === '' ? entries : nearTo(entries, stemsOf(fold(focus)))
  const chosen = choose(focused, tokensMax, newest)
  const topics = topicsOf(former.topics, messages, chosen)
  const page = writeSummary({ entries: chosen, topics, newest })
  if (fits(page, tokensMax)) return page
  const lines = writeSummary({ entries: chosen, topics: [], newest })
  if (chosen.length > 0 && fits(lines, tokensMax)) return lines
  return atLeastOneLine({ previous, messages, tokensMax }, focused)
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

/** More than most lines are worth. */
const FOCUS_WORTH = 6

function nearTo(entries: readonly Entry[], focus: ReadonlySet<string>): Entry[] {
  return entries.map((entry) => {
    const near = Math.min(2, shared(entry.about.stems, focus))
    return near === 0 ? entry : { ...entry, worth: entry.worth + FOCUS_WORTH * near }
  })
}

/** Where nothing is worth a line, or the limit leaves no room for a heading. */
function atLeastOneLine({ previous, messages, tokensMax }: ExtractInput, entries: readonly Entry[]): string {
  const best = entries.toSorted((a, b) => b.worth - a.worth || b.order - a.order)[0]
  const only = best ?? wordlessEntry(previous, messages)
  if (only === undefined) return ''
  const page = writeSummary({ entries: [only], topics: [], newest: undefined })
  return fits(page, tokensMax) ? page : cutToTokens(lineOf(only, undefined), tokensMax)
}

/** Of code, results of tools and silence. What tools and data say is never told as if somebody had said it. */
function wordlessEntry(previous: string | null, messages: readonly Spoken[]): Entry | undefined {
  const said = messages.findLast(({ who, text }) => who !== 'tool' && spokenText(text) !== '')
  const words = shortLine(
    (said === undefined ? (previous ?? '') : spokenText(said.text)).slice(0, CHARACTERS_READ),
  )
  if (words === '' && messages.length === 0) return undefined
  const text = words === '' ? `nothing was said: code or results only (${messages.length})` : words
  return makeEntry({ text, section: 'facts', who: said?.who, day: undefined, order: 0 }, new Set())
}
const CHARACTERS_READ = 1_000
