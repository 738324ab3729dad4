import { CHANGED } from './cues.ts'
import type { About, Label } from './entry.ts'
import { stem, STOP } from './folding.ts'
import {
  COPULA,
  FOLLOWING,
  HAVING,
  LEADING,
  MEASURE,
  PLACE,
  PRONOUN,
  SKIPPED,
  SWAPPED,
  VERB,
} from './label-words.ts'
import { valuesIn, type PlacedValue, type Value } from './signals.ts'

/** The labels in folded text. */
export function labelsIn(folded: string): Label[] {
  return valuesIn(folded).flatMap((value) => labelOf(folded, value) ?? [])
}

const LEAD = /(?:(?<before>[\p{L}'-]+)\s+)?(?:(?<skipped>[\p{L}'-]+)\s+)?(?<noun>\p{L}[\p{L}'-]*)\s+$/u
const NUMBER_WORD = /(?<=\s)(?:no|nr|num|number|nummer|numero)\b\.?\s*$/
const HAN_LEAD = /(?<noun>\p{Script=Han}{1,2})(?:号|第)?$/u
/** Verbs and measures of a script without spaces: what follows them is a value. */
const HAN_VALUE = /[是为到约共要花买有了在改成至付价钱算租费额约超满每]$/u
const NEXT = /^\s*(?:\([^)]*\)\s*)?([\p{L}'-]+|:)/u
const READ_CHARACTERS = 60

function labelOf(folded: string, { kind, text, from }: PlacedValue): Label | undefined {
  if (kind !== 'number' && kind !== 'code') return undefined
  const lead = folded.slice(Math.max(0, from - READ_CHARACTERS), from).replace(NUMBER_WORD, '')
  const next = NEXT.exec(folded.slice(from + text.length))?.[1]
  const isSubject = next !== undefined && !FOLLOWING.has(next)
  const number = numberOf(text)
  const han = HAN_LEAD.exec(lead)?.groups?.['noun']
  if (han !== undefined) return HAN_VALUE.test(han) ? undefined : { noun: han, number, isSubject: true }
  const found = LEAD.exec(lead)?.groups
  if (found === undefined) {
    const isAlone = kind === 'code' && isSubject && /(?:^|[.!?;:,]\s*)$/.test(lead)
    return isAlone ? { noun: '', number, isSubject } : undefined
  }
  const { before = '', skipped = '', noun = '' } = found
  // The pattern fills `skipped` last, so a single word in front of the noun is in `before`.
  const [nearest, farther] = skipped === '' ? [before, ''] : [skipped, before]
  if (!isNaming(noun, nearest) || (MEASURE.has(noun) && !isSubject)) return undefined
  if (VERB.has(noun) && !COPULA.has(next ?? '') && !HAVING.has(next ?? '')) return undefined
  const governing = SKIPPED.has(nearest) ? farther : nearest
  // "The meeting is in room 12" tells where the meeting is, which can change.
  if (!isSubject && (PLACE.has(governing) || COPULA.has(governing))) return undefined
  return { noun: stem(noun), number, isSubject }
}

/** Whether a number behind this word can be its name. A name follows one thing, and neither a verb nor a preposition. */
function isNaming(noun: string, nearest: string): boolean {
  if (LEADING.has(noun) || COPULA.has(noun) || PLACE.has(noun) || SKIPPED.has(noun)) return false
  if (PRONOUN.has(nearest) || PRONOUN.has(noun) || (STOP.has(noun) && noun !== 'day')) return false
  if (/(?:..ly|...ed)$/.test(noun) || HAVING.has(nearest)) return false
  // "Rooms 12 and 14", but "the sofa weighs 80".
  return !/[^sui]s$/.test(noun) || nearest === '' || SKIPPED.has(nearest)
}

function numberOf(text: string): string {
  return text.replaceAll(/[#\s]/g, '')
}

/** Whether each speaks of something by its number that the other does not speak of. */
export function areOtherThings(old: About, now: About): boolean {
  if (old.labels.length === 0 || now.labels.length === 0) return false
  // "We take flight 340 instead" is about the journey, whichever flight it is.
  const isSwapped = SWAPPED.test(now.folded)
  const lacks = (labels: readonly Label[], other: About) =>
    labels.some((label) => (label.isSubject || !isSwapped) && !tells(other, label))
  return lacks(old.labels, now) && lacks(now.labels, old)
}

function tells({ labels, values }: About, { noun, number }: Label): boolean {
  const same = labels.filter((label) => label.number === number)
  if (same.length > 0) return same.some((label) => label.noun === noun || label.noun === '' || noun === '')
  return values.some(({ text }) => numberOf(text) === number)
}

/** Whether the old line says by a number which one it means, and the new one does not. */
export function isMoreExact(old: About, now: About): boolean {
  return old.labels.some(({ isSubject }) => isSubject) && now.labels.length === 0
}

/** The values of a line that another can have in their place. */
export function changeable({ values, labels }: About, now: About): Value[] {
  const isChange = CHANGED.test(now.folded)
  const fixed = labels.filter(({ isSubject }) => isSubject || !isChange)
  return values.filter(({ text }) => !fixed.some(({ number }) => number === numberOf(text)))
}
