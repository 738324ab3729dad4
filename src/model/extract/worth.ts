import {
  CHANGED,
  DECIDED,
  IMPORTANT,
  LEANING,
  LIKES,
  NEEDS,
  OWN,
  OWN_PROMISE,
  PROMISED,
  SETTLED,
  STATED,
  WILL,
} from './cues.ts'
import { OPEN } from './doubt-cues.ts'
import type { About, Section, Who } from './entry.ts'
import { fold, stemsOf } from './folding.ts'
import { ANECDOTE, GENERAL, HEDGED, POLITE, REQUEST } from './idle-cues.ts'
import { labelsIn } from './labels.ts'
import { namesIn, valuesIn, type Value } from './signals.ts'

export function aboutOf(text: string, known: ReadonlySet<string>): About {
  const told = text.replace(EARLIER, '')
  const folded = fold(told)
  // What a value was before stands in the line, but the line is not about it any more.
  const values = valuesIn(folded.slice(folded.lastIndexOf(ARROW) + 1))
  // Two sentences that both speak of June need not speak of the same thing.
  const rest = values.reduce((left, { text }) => left.replace(text, ' '), folded)
  return {
    folded,
    stems: stemsOf(rest),
    names: namesIn(told, folded, known),
    values,
    labels: labelsIn(folded),
  }
}

/** How a line tells what was said before. */
export const EARLIER = / \(before: [^()]*\)$/
const ARROW = ' → '
export const LATER = / → .*$/

export function sectionOf({ folded }: About, who: Who | undefined): Section {
  if (DECIDED.test(folded) || LEANING.test(folded) || SETTLED.test(folded)) return 'decisions'
  if (who === 'assistant' && !OWN_PROMISE.test(folded)) return 'facts'
  if (PROMISED.test(folded) || (WILL.test(folded) && !POLITE.test(folded))) return 'promises'
  return 'facts'
}

/** In the summary of a section a sentence is worth what its section is, and what it tells. */
export function worthOf(about: About, section: Section, who: Who | undefined): number {
  const { folded } = about
  const told = valuesWorth(about.values) + namesWorth(about.names.size)
  const own =
    (OWN.test(folded) ? 1.2 : 0) +
    (STATED.test(folded) ? 0.8 : 0) +
    (NEEDS.test(folded) ? 3 : LIKES.test(folded) ? 1.5 : 0)
  const stressed =
    (IMPORTANT.test(folded) ? (told > 0 ? 1.5 : 0.6) : 0) +
    (CHANGED.test(folded) && told > 0 ? 1 : 0) +
    (LABELLED.test(folded) && told > 0 ? 0.8 : 0) +
    (DEADLINE.test(folded) ? 1 : 0)
  const worth = sectionWorth(about, section) + told + own + stressed - idle(about, section, who)
  return worth * share(folded, section, who)
}

/** A limit in time or in amount. */
const DEADLINE =
  /\b(?:by|before|until|no later than|bis|antes del?|hasta) (?:the |zum |el |am )?(?:end|next|tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|easter|\d)|\b(?:at (?:least|most)|max|maximum|no more than|mindestens|hochstens|como maximo)\b|\d (?:max|tops)\b/

/** "Honeymoon: Azores" is a note to be kept. */
const LABELLED = /^[\p{L}][\p{L}\p{N} '-]{1,28}: \S/u

function valuesWorth(values: readonly Value[]): number {
  let worth = 0
  for (const { kind, text } of values) worth += kind === 'code' && text.length < 5 ? 0.9 : VALUE_WORTH[kind]
  return worth === 0 ? 0 : Math.min(4, worth) + 0.5
}

/** The second name tells less than the first. */
function namesWorth(names: number): number {
  return Math.min(3.6, names * 1.2 - Math.max(0, names - 1) * 0.2)
}

const VALUE_WORTH: Readonly<Record<Value['kind'], number>> = {
  link: 2,
  path: 2,
  date: 1.8,
  weekday: 1.2,
  time: 1.3,
  money: 1.7,
  amount: 1.1,
  code: 2.6,
  number: 1,
}

function sectionWorth({ folded, stems, values, names }: About, section: Section): number {
  const isSpecific = values.length + names.size > 0 || stems.size > 3
  switch (section) {
    case 'decisions':
      if (DECIDED.test(folded)) return isSpecific ? 3.5 : 2.8
      return isSpecific ? 2.4 : 1.4
    case 'promises':
      if (PROMISED.test(folded)) return isSpecific ? 3.2 : 2.2
      return values.length + names.size > 0 ? 1.5 : 0.5
    case 'questions':
      if (OPEN.test(folded)) return 4.2
      return isSpecific ? 3.2 : 2.4
    case 'facts':
    case 'topics':
      return 0
  }
}

/** What is taken off for talk that nobody will ask for. */
function idle({ folded, stems, values }: About, section: Section, who: Who | undefined): number {
  let off = 0
  if (section !== 'questions' && ANECDOTE.test(folded)) off += 1.3
  if (HEDGED.test(folded)) off += 0.8
  if (POLITE.test(folded)) off += 2
  if (section === 'facts' && REQUEST.test(folded)) off += 1.5
  if (who === 'assistant' && GENERAL.test(folded)) off += 2
  if (stems.size < 2) off += values.length > 0 ? 0.2 : 0.7
  return off
}

/** A person's words count most: what a model said can often be said again. */
function share(folded: string, section: Section, who: Who | undefined): number {
  if (who === 'tool') return 0.3
  if (who !== 'assistant') return who === 'note' ? 1.2 : 1
  if (section === 'promises' && PROMISED.test(folded)) return 0.9
  return section === 'facts' ? 0.5 : 0.7
}
