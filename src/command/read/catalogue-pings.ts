import { pingBudgetArguments, pingNumber, snoozeArguments } from './arguments-pings.ts'
import type { CommandEntry } from './command-entry.ts'

/** The commands about messages that nobody asked for. */
export const pingEntries = [
  {
    name: 'ping-budget',
    aliases: ['ping_budget', 'pings'],
    group: 'background',
    usage: ['[why]', 'capacity N', 'refill MINUTES', 'more JOB'],
    help: 'how often jobs may write to you, and why',
    more: `Shows how many pings are left, when the next one comes back, and what was
used today. 'why' lists the last pings and refusals with their reasons, and
the jobs that nobody reacts to. 'capacity' sets how many pings there can be,
'refill' in how many minutes one comes back; raising them grants none at once.
'more' takes back a /less.`,
    example: '/ping-budget why',
    when: 'at-once',
    offers: ['why', 'capacity', 'refill', 'more'],
    read: pingBudgetArguments,
  },
  {
    name: 'done',
    aliases: [],
    group: 'background',
    usage: ['NUMBER'],
    help: 'say to a ping that it is done',
    more: `The job behind it is left alone. If the ping was snoozed, it does not come
back. A reply that only says 'done' does the same.`,
    example: '/done 3',
    when: 'at-once',
    offers: ['NUMBER'],
    read: pingNumber,
  },
  {
    name: 'snooze',
    aliases: [],
    group: 'background',
    usage: ['NUMBER [WHEN]'],
    help: 'let a ping come back later',
    more: `The same message comes again then, and can be answered as the first one.
WHEN is 10m, 1h, tomorrow, or any time such as 'tomorrow 18:30'; without it,
one hour. Once more moves it. A reply that only says 'snooze 1h' or 'later'
does the same.`,
    example: '/snooze 3 1h',
    when: 'at-once',
    offers: ['NUMBER'],
    read: snoozeArguments,
  },
  {
    name: 'less',
    aliases: [],
    group: 'background',
    usage: ['NUMBER'],
    help: 'get fewer pings of that job',
    more: `The job of that ping may write at most once a day from then on; said to a
later ping of it, once a week, then once in 30 days. What is critical still
comes.
/ping-budget more JOB takes it back. A reply that only says 'less of this'
does the same.`,
    example: '/less 3',
    when: 'at-once',
    offers: ['NUMBER'],
    read: pingNumber,
  },
] as const satisfies readonly CommandEntry[]
