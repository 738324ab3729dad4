import { estimateTokens } from '../../base/tokens.ts'
import { makeEntry } from './candidates.ts'
import type { Entry } from './entry.ts'
import { isInability, sentencesBeyond } from './inability.ts'
import { sentencesOf } from './sentences.ts'
import { LINE_TOKENS_MAX, shortLine } from './shorten.ts'
import type { Told } from './summary-text.ts'

/** Somebody else thought it worth telling. */
const TOLD_WORTH = 1.5

/** What a former summary told, older than everything said since. */
export function formerEntries(told: readonly Told[], known: Set<string>): Entry[] {
  const lines = told.filter(isTold).flatMap((one) => sentencesIn(one))
  return lines.map((line, index) => {
    const entry = makeEntry({ ...line, order: index - lines.length }, known)
    for (const name of entry.about.names) known.add(name)
    return { ...entry, worth: keptWorth(entry) }
  })
}

function isTold({ who, text }: Told): boolean {
  // A line may be of several sentences: what one of them tells, the line tells.
  return text !== '' && (who !== 'assistant' || !isInability(text) || sentencesBeyond(text).length > 0)
}

/** A model's words are not worth more for having been kept once; in the section they had to be worth it. */
function keptWorth({ who, section, worth }: Entry): number {
  if (who === undefined) return worth + TOLD_WORTH
  return who === 'assistant' && section === 'facts' ? worth * KEPT_SHARE : worth
}
const KEPT_SHARE = 0.6

/** Our own lines stay as they are. A paragraph is cut into sentences. */
function sentencesIn(told: Told): Told[] {
  if (told.who !== undefined || estimateTokens(told.text) <= LINE_TOKENS_MAX) return [told]
  return sentencesOf(told.text).map((text) => ({ ...told, text: shortLine(text) }))
}
