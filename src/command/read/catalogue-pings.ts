import { firstWord, numberIn, type Entries, type Reading } from './arguments.ts'
import { timeIn } from './ping-words.ts'

/** Commands about pings. */
export const pingEntries = {
  'ping-budget': {
    aliases: ['ping_budget', 'pings'],
    usage: ['[why]', 'capacity N', 'refill MINUTES', 'more JOB'],
    help: 'how often jobs may write to you',
    more: `Shows how many pings are left, when the next one is added, and what was used
today. 'why' lists the last pings and refusals with their reasons, and jobs
whose pings you ignore. 'capacity' sets the most pings there can be, 'refill'
how many minutes it takes to add one; raising them adds none at once. 'more'
undoes a /less.`,
    example: '/ping-budget why',
    offers: [
      ['why', 'the last pings and refusals, with reasons'],
      ['capacity', 'the most pings there can be'],
      ['refill', 'how many minutes it takes to add one'],
      'more JOB',
    ],
    read: pingBudgetArguments,
  },
  done: {
    usage: ['NUMBER'],
    help: 'mark a ping as done',
    more: `The job that sent it goes on as before. If the ping was snoozed, it does not
come back. Replying just 'done' does the same.`,
    example: '/done 3',
    offers: ['NUMBER'],
    read: pingNumber,
  },
  snooze: {
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
  less: {
    usage: ['NUMBER'],
    help: 'get fewer pings from that job',
    more: `The job may then ping you at most once a day; said again to a later ping, once
a week, then once in 30 days. Critical pings still come.
/ping-budget more JOB undoes it. Replying just 'less of this' does the same.`,
    example: '/less 3',
    offers: ['NUMBER'],
    read: pingNumber,
  },
  here: {
    help: 'get pings in this conversation',
    more: `Pings and reminders come to this conversation from now on, wherever you write.
This changes the setting 'pings.to'; 'mainstem config unset pings.to' makes
them come to where you wrote last.`,
  },
} as const satisfies Entries

function pingNumber(text: string): Reading<{ readonly number: number }> {
  const number = numberIn(text)
  return number === undefined ? 'takes the number of a message.' : { number }
}

/** `3`, `3 10m`, `3 tomorrow`, `3 until tomorrow 9:00`; `when` is as typed, null for the usual time. */
function snoozeArguments(text: string): Reading<{ readonly number: number; readonly when: string | null }> {
  const [word, rest] = firstWord(text)
  const number = numberIn(word)
  return number === undefined ? 'needs the number of a message, and a time.' : { number, when: timeIn(rest) }
}

export interface BudgetSizing {
  readonly act: 'capacity' | 'refill'
  readonly value: number
}

type BudgetArguments =
  | { readonly act: 'show' | 'why' }
  | { readonly act: 'more'; readonly job: string }
  | BudgetSizing

function pingBudgetArguments(text: string): Reading<BudgetArguments> {
  const [word, rest] = firstWord(text)
  const act = word.toLowerCase()
  if (act === '') return { act: 'show' }
  if (act === 'why' && rest === '') return { act }
  if (act === 'more') return rest === '' ? "needs a job after 'more'." : { act, job: rest }
  if (act !== 'capacity' && act !== 'refill')
    return "takes 'why', 'capacity N', 'refill MINUTES', 'more JOB' or nothing."
  // The configuration checks the range of the number.
  const [, digits] = /^([-+]?\d{1,9}(?:\.\d{1,9})?)(?:\s*(?:m|min|minutes?|pings?))?$/i.exec(rest) ?? []
  if (digits === undefined)
    return `takes a number after '${act}', of ${act === 'capacity' ? 'pings' : 'minutes'}.`
  return { act, value: Number(digits) }
}
