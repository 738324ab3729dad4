import { estimateTokens } from '../../base/tokens.ts'
import type { Entry, Section } from './entry.ts'
import { heading, headOf, lineOf, yearOf } from './summary-text.ts'

/** Of the limit, so that one talkative kind of line does not push out the others. */
const SHARE_MAX: Readonly<Record<Section, number>> = {
  facts: 0.6,
  decisions: 0.4,
  promises: 0.4,
  questions: 0.25,
  topics: 0.08,
}
/** Below this a new line is chatter. One that was kept before goes only for a better one. */
const WORTH_MIN = 1.2

interface Priced {
  readonly entry: Entry
  readonly tokens: number
  readonly rank: number
}

/** The entries that are worth most for what they take, within the limit. */
export function choose(entries: readonly Entry[], tokensMax: number, newest: number | undefined): Entry[] {
  const year = newest === undefined ? undefined : yearOf(newest)
  const priced = entries
    .filter(({ worth, order }) => worth >= WORTH_MIN || order < 0)
    .map((entry): Priced => {
      const tokens = estimateTokens(lineOf(entry, year)) + 1
      return { entry, tokens, rank: entry.worth / tokens ** 0.5 }
    })
    .toSorted((a, b) => b.rank - a.rank || b.entry.order - a.entry.order)
  const purse = new Purse(tokensMax - tokensOf(headOf(newest)))
  const later = priced.filter((one) => !purse.takeWithin(one, SHARE_MAX[one.entry.section] * tokensMax))
  for (const one of later) purse.takeWithin(one, tokensMax)
  return purse.taken
}

function tokensOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + estimateTokens(line) + 1, 0)
}

/** What can still be spent, with what each section has cost so far. */
class Purse {
  readonly taken: Entry[] = []
  readonly #spent = new Map<Section, number>()
  #left: number

  constructor(left: number) {
    this.#left = left
  }

  takeWithin({ entry, tokens }: Priced, sectionMax: number): boolean {
    const spent = this.#spent.get(entry.section)
    const cost = tokens + (spent === undefined ? tokensOf([heading(entry.section)]) : 0)
    if (cost > this.#left || (spent ?? 0) + cost > sectionMax) return false
    this.#left -= cost
    this.#spent.set(entry.section, (spent ?? 0) + cost)
    this.taken.push(entry)
    return true
  }
}
