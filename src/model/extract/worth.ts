import { DECIDED, LIKES, NEEDS, OWN, OWN_PROMISE, PROMISED, STATED } from './cues.ts'
import type { About, Entry, Section, Who } from './entry.ts'
import { fold, stemsOf } from './folding.ts'
import type { Told } from './summary-text.ts'
import { labelsIn, namesIn, valuesIn } from './signals.ts'

/** The section is read from the words if it is not known. */
export function makeEntry({ text, section, who, day, order }: Told & { readonly order: number }): Entry {
  const about = aboutOf(text)
  const chosen = section ?? sectionOf(about, who)
  return { section: chosen, who, day, text, order, about, worth: worthOf(about, chosen, who), near: NOTHING }
}
const NOTHING: ReadonlySet<string> = new Set()

/** The suffix of a line that keeps an earlier value. */
export const EARLIER = / \(before: [^()]*\)$/
export const LATER = / → .*$/

function aboutOf(text: string): About {
  const told = text.replace(EARLIER, '')
  const folded = fold(told)
  // The former value is in the line, but the line is not about it any more.
  const values = valuesIn(folded.slice(folded.lastIndexOf(' → ') + 1))
  // Two sentences that both mention June need not be about the same thing.
  const rest = values.reduce((left, { text }) => left.replace(text, ' '), folded)
  return { folded, stems: stemsOf(rest), names: namesIn(told), values, labels: labelsIn(folded) }
}

/** What a model says others must do is advice, not a promise. */
function sectionOf({ folded }: About, who: Who | undefined): Section {
  if (DECIDED.test(folded)) return 'decisions'
  return (who === 'assistant' ? OWN_PROMISE : PROMISED).test(folded) ? 'promises' : 'facts'
}

/** "Honeymoon: Azores" is a note worth keeping. */
const LABELLED = /^\p{L}[\p{L}\p{N} '-]{1,28}: \S/u
/** Numbers and weekdays are in every story; a date, a price or a code is worth keeping. */
const WEAK = new Set(['number', 'amount', 'weekday', 'time'])

/** A sentence's worth comes from its section and its content. */
function worthOf({ folded, stems, values, names }: About, section: Section, who: Who | undefined): number {
  const valuesWorth = values.reduce((sum, { kind }) => sum + (WEAK.has(kind) ? 1.1 : 2), 0)
  const told = Math.min(4, valuesWorth) + Math.min(3.6, names.size * 1.2)
  const isSpecific = told > 0 || stems.size > 3
  const worth =
    (section === 'facts' ? 0 : isSpecific ? 3.5 : 2.2) +
    told +
    (values.length > 0 ? 0.5 : 0) +
    (OWN.test(folded) ? 1.2 : 0) +
    (STATED.test(folded) ? 0.8 : 0) +
    (NEEDS.test(folded) ? 3 : LIKES.test(folded) ? 1.5 : 0) +
    (LABELLED.test(folded) && told > 0 ? 0.8 : 0)
  return worth * share(section, who)
}

/** A person's words count most: a model can often repeat its own. */
function share(section: Section, who: Who | undefined): number {
  if (who !== 'assistant') return who === 'note' ? 1.2 : 1
  return section === 'facts' ? 0.5 : 0.7
}
