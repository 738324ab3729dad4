import type { TodoAsked } from '../../agent/job/todo-list.ts'
import { jobKinds, type JobKind } from '../../event/job.ts'
import { firstWord, optionalWord, type Entries, type Reading } from './arguments.ts'
import { timeIn } from './ping-words.ts'

/** Commands about jobs, to-dos and the time zone. */
export const jobEntries = {
  routines: {
    aliases: ['routine'],
    usage: ['[ID]', 'cancel ID'],
    help: 'recurring jobs, and when they run',
    more: `Lists the routines, the next one first, with how the last run went, and files
with mistakes. With an ID, everything about one. A routine is a Markdown file
in routines/ with a line such as 'cron: 30 8 * * 1-5' before its task; changes
take effect within seconds. 'cancel ID' deletes its file.`,
    example: '/routines morning-brief',
    offers: ['ROUTINE', 'cancel ROUTINE'],
    read: jobArguments('routine'),
  },
  reminders: {
    aliases: ['reminder', 'remind'],
    usage: ['[ID]', 'cancel ID'],
    help: 'one-time jobs, and when they run',
    more: `Lists the reminders, the next one first, and files with mistakes. With an ID,
everything about one. A reminder is a Markdown file in reminders/ with a line
such as 'run-at: 2026-08-01T09:00' before its task; the file goes when it is
done. 'cancel ID' deletes it.`,
    example: '/reminders call-mum',
    offers: ['REMINDER', 'cancel REMINDER'],
    read: jobArguments('reminder'),
  },
  todo: {
    aliases: ['todos'],
    usage: ['[all]', 'add TEXT', 'done ITEM', 'delete ITEM'],
    help: 'your to-do list',
    more: `The list is the file workspace/todo.md, which you and the agent share. Alone,
/todo shows what is open, with numbers; 'all' includes what is done. ITEM is a
number, or words that only one item has.`,
    example: '/todo add buy milk',
    offers: [
      ['add', 'add an item'],
      ['all', 'with what is done'],
      ['done', 'tick an item off'],
      ['delete', 'remove an item'],
    ],
    read: todoArguments,
  },
  pause: {
    usage: ['[all|JOB] [TIME]'],
    help: 'pause all jobs and pings, or one job',
    more: `'all' stops jobs, pings and notices. JOB is an id such as morning-brief, or
'routine morning-brief' if a reminder has the same id. TIME is 2h, 1d,
'until 18:00' or 'until tomorrow 9:00'; without it the pause lasts until
/resume. What came due meanwhile is caught up on, as after a restart. Runs
that have started go on. Alone, /pause says what is paused.`,
    example: '/pause all 2h',
    offers: [['all', 'all jobs, pings and notices'], 'JOB'],
    read: pauseArguments,
  },
  resume: {
    usage: ['[all|JOB]'],
    help: 'end a pause',
    more: `Says what came due meanwhile.`,
    example: '/resume morning-brief',
    offers: [['all', 'everything that is paused'], 'JOB'],
    read: resumeArguments,
  },
  timezone: {
    usage: ['[ZONE]'],
    help: 'show or change your time zone',
    more: `Routines keep their time of day, in the new zone; reminders keep the moment
they were set for. A job with its own timezone keeps it.`,
    example: '/timezone Europe/Berlin',
    read: optionalWord('zone', 'the name of one time zone, such as Europe/Berlin'),
  },
} as const satisfies Entries

/** A job as somebody names it; without its kind, several jobs may have the id. */
export interface JobWords {
  readonly what: JobKind | null
  readonly id: string
}

/** `all`, `all 2h`, `2h`, `brief`, `routine brief 1d`, `all until tomorrow 9:00`. */
function pauseArguments(text: string): Reading<{
  /** Null: /pause alone, which lists what is paused. */
  readonly target: 'all' | JobWords | null
  /** As typed, without 'for' and 'until'; null: until /resume. */
  readonly time: string | null
}> {
  if (text === '') return { target: null, time: null }
  if (/^(?:for|until|till)\s/i.test(text) || DURATION.test(text)) return { target: 'all', time: timeIn(text) }
  const read = targetIn(text)
  return typeof read === 'string' ? read : { target: read.target, time: timeIn(read.rest) }
}

/** Nothing, `all`, `brief`, `routine brief`. */
function resumeArguments(text: string): Reading<{ readonly target: 'all' | JobWords }> {
  const read = targetIn(text === '' ? 'all' : text)
  if (typeof read === 'string') return read
  return read.rest === '' ? { target: read.target } : 'takes all, the id of one job, or nothing.'
}

/** Nobody calls a job `2h`, so such a word is a duration. */
const DURATION = /^\d+(?:\.\d+)?\s*(?:s|m|h|d|w|sec|min|hr|hour|day|week)s?(?:\s.*)?$/i

function targetIn(text: string): Reading<{ readonly target: 'all' | JobWords; readonly rest: string }> {
  const [first, behind] = firstWord(text)
  const word = first.toLowerCase()
  if (word === 'all' || word === 'everything') return { target: 'all', rest: behind }
  const what = jobKinds.find((kind) => kind === word)
  if (what === undefined) return { target: { what: null, id: first }, rest: behind }
  const [id, rest] = firstWord(behind)
  return id === '' ? `takes the id of a ${what} after '${word}'.` : { target: { what, id }, rest }
}

const AWAY = /^(?:cancel|delete|remove)$/i

/** Nothing, an id, `cancel ID`. */
function jobArguments(what: 'routine' | 'reminder') {
  const set = what === 'reminder' ? ' To set one, say it in your own words, without a slash.' : ''
  const misfit = `takes the id of one ${what}, or 'cancel' and its id.${set}`
  return (text: string): Reading<{ readonly id: string | null; readonly isCancel: boolean }> => {
    const [first, rest] = firstWord(text)
    const isCancel = AWAY.test(first)
    if (firstWord(rest)[1] !== '' || isCancel === (rest === '')) return misfit
    return { id: (isCancel ? rest : first) || null, isCancel }
  }
}

/** Nothing, `all`, `add TEXT`, `done ITEM`, `delete ITEM`. */
function todoArguments(text: string): Reading<TodoAsked> {
  const [first, words] = firstWord(text)
  const verb = first.toLowerCase()
  if (words === '' && (verb === '' || verb === 'list')) return { action: 'list', which: 'open' }
  if (words === '' && verb === 'all') return { action: 'list', which: 'all' }
  if (words !== '' && verb === 'add') return { action: 'add', text: words }
  const action = verb === 'remove' ? 'delete' : verb
  if (words !== '' && (action === 'done' || action === 'delete')) return { action, item: words }
  return 'takes nothing, all, add and a text, or done or delete and the number or the words of one.'
}
