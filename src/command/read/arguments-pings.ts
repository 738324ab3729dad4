import { firstWord, type Reading } from './arguments.ts'
import { timeIn } from './ping-words.ts'

export interface PingNumber {
  /** As in `/reply`. */
  readonly number: number
}

export function pingNumber(text: string): Reading<PingNumber> {
  const number = numberOf(text)
  return number === undefined ? { misfit: 'takes the number of a message.' } : { fits: { number } }
}

export interface SnoozeArguments extends PingNumber {
  /** As typed; null: for the usual time. */
  readonly when: string | null
}

/** `3`, `3 10m`, `3 tomorrow`, `3 until tomorrow 9:00`. */
export function snoozeArguments(text: string): Reading<SnoozeArguments> {
  const [word, rest] = firstWord(text)
  const number = numberOf(word)
  if (number === undefined) return { misfit: 'needs the number of a message, and a time.' }
  return { fits: { number, when: timeIn(rest) } }
}

function numberOf(word: string): number | undefined {
  return /^#?[1-9]\d{0,8}$/.test(word) ? Number(word.replace('#', '')) : undefined
}

export type BudgetAsked =
  | { readonly act: 'show' | 'why' }
  | { readonly act: 'capacity' | 'refill'; readonly value: number }
  | { readonly act: 'more'; readonly job: string }

const FORMS = "takes 'why', 'capacity N', 'refill MINUTES', 'more JOB' or nothing."

export function pingBudgetArguments(text: string): Reading<{ readonly asked: BudgetAsked }> {
  const [word, rest] = firstWord(text)
  const act = word.toLowerCase()
  if (act === '') return { fits: { asked: { act: 'show' } } }
  if (act === 'why' && rest === '') return { fits: { asked: { act } } }
  if (act === 'more')
    return rest === '' ? { misfit: "needs a job after 'more'." } : { fits: { asked: { act, job: rest } } }
  if (act !== 'capacity' && act !== 'refill') return { misfit: FORMS }
  // Whether such a number may be is for the configuration to say.
  const [, digits] = /^([-+]?\d{1,9}(?:\.\d{1,9})?)(?:\s*(?:m|min|minutes?|pings?))?$/i.exec(rest) ?? []
  if (digits === undefined)
    return { misfit: `takes a number after '${act}', of ${act === 'capacity' ? 'pings' : 'minutes'}.` }
  return { fits: { asked: { act, value: Number(digits) } } }
}
