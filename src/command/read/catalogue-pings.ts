import { firstWord, numberIn, type CommandEntry, type Reading } from './arguments.ts'
import { timeIn } from './ping-words.ts'

/** The commands about messages that nobody asked for. */
export const pingEntries = [
  {
    name: 'ping-budget',
    aliases: ['ping_budget', 'pings'],
    group: 'jobs',
    usage: ['[why]', 'capacity N', 'refill MINUTES', 'more JOB'],
    help: 'how often jobs may write to you',
    more: `Shows how many pings are left, when the next one is added, and what was used
today. 'why' lists the last pings and refusals with their reasons, and jobs
whose pings you ignore. 'capacity' sets the most pings there can be, 'refill'
how many minutes it takes to add one; raising them adds none at once. 'more'
undoes a /less.`,
    example: '/ping-budget why',
    offers: ['why', 'capacity', 'refill', 'more'],
    read: pingBudgetArguments,
  },
  {
    name: 'done',
    group: 'jobs',
    usage: ['NUMBER'],
    help: 'mark a ping as done',
    more: `The job behind it is left alone. If the ping was snoozed, it does not come
back. Replying just 'done' does the same.`,
    example: '/done 3',
    offers: ['NUMBER'],
    read: pingNumber,
  },
  {
    name: 'snooze',
    group: 'jobs',
    usage: ['NUMBER [WHEN]'],
    help: 'have a ping come back later',
    more: `The same message comes again then, and you can answer it like the first one.
WHEN is 10m, 1h, tomorrow, or any time such as 'tomorrow 18:30'; without it,
one hour. Snoozing again moves it. Replying just 'snooze 1h' or 'later' does
the same.`,
    example: '/snooze 3 1h',
    offers: ['NUMBER'],
    read: snoozeArguments,
  },
  {
    name: 'less',
    group: 'jobs',
    usage: ['NUMBER'],
    help: 'get fewer pings from that job',
    more: `The job may then ping you at most once a day; said again to a later ping, once
a week, then once in 30 days. Critical pings still come.
/ping-budget more JOB undoes it. Replying just 'less of this' does the same.`,
    example: '/less 3',
    offers: ['NUMBER'],
    read: pingNumber,
  },
] as const satisfies readonly CommandEntry[]

export interface PingNumber {
  /** As in `/reply`. */
  readonly number: number
}

export function pingNumber(text: string): Reading<PingNumber> {
  const number = numberIn(text)
  return number === undefined ? { misfit: 'takes the number of a message.' } : { fits: { number } }
}

export interface SnoozeArguments extends PingNumber {
  /** As typed; null: for the usual time. */
  readonly when: string | null
}

/** `3`, `3 10m`, `3 tomorrow`, `3 until tomorrow 9:00`. */
export function snoozeArguments(text: string): Reading<SnoozeArguments> {
  const [word, rest] = firstWord(text)
  const number = numberIn(word)
  if (number === undefined) return { misfit: 'needs the number of a message, and a time.' }
  return { fits: { number, when: timeIn(rest) } }
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
