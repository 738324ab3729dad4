import type { TodoAsked } from '../../agent/job/todo-list.ts'
import type { JobKind } from '../../event/job.ts'
import { firstWord, optionalWord, type CommandEntry, type Reading } from './arguments.ts'

/** The commands about what happens by itself, and when. */
export const jobEntries = [
  {
    name: 'routines',
    aliases: ['routine'],
    group: 'jobs',
    usage: ['[ID]', 'cancel ID'],
    help: 'recurring jobs, and when they run',
    more: `Lists the routines, the next one first, with how the last run went, and files
with mistakes. With an ID, everything about one. A routine is a Markdown file
in routines/ with a line such as 'cron: 30 8 * * 1-5' before its task; changes
take effect within seconds. 'cancel ID' deletes its file.`,
    example: '/routines morning-brief',
    read: jobShown('routine'),
  },
  {
    name: 'reminders',
    aliases: ['reminder', 'remind'],
    group: 'jobs',
    usage: ['[ID]', 'cancel ID'],
    help: 'one-time jobs, and when they run',
    more: `Lists the reminders, the next one first, and files with mistakes. With an ID,
everything about one. A reminder is a Markdown file in reminders/ with a line
such as 'run-at: 2026-08-01T09:00' before its task; the file goes when it is
done. 'cancel ID' deletes it.`,
    example: '/reminders call-mum',
    read: jobShown('reminder'),
  },
  {
    name: 'todo',
    aliases: ['todos'],
    group: 'jobs',
    usage: ['[all]', 'add TEXT', 'done ITEM', 'delete ITEM'],
    help: 'your to-do list',
    more: `The list is the file workspace/todo.md, which you and the agent share. Alone,
/todo shows what is open, with numbers; 'all' includes what is done. ITEM is a
number, or words that only one item has.`,
    example: '/todo add buy milk',
    offers: ['add', 'all', 'delete', 'done'],
    read: todoArguments,
  },
  {
    name: 'pause',
    group: 'jobs',
    usage: ['[all|JOB] [TIME]'],
    help: 'pause all jobs and pings, or one job',
    more: `'all' stops jobs, pings and notices. JOB is an id such as morning-brief, or
'routine morning-brief' if a reminder has the same id. TIME is 2h, 1d,
'until 18:00' or 'until tomorrow 9:00'; without it the pause lasts until
/resume. What came due meanwhile is caught up on, as after a restart. Runs
that have started go on. Alone, /pause says what is paused.`,
    example: '/pause all 2h',
    offers: ['all'],
    read: pauseArguments,
  },
  {
    name: 'resume',
    group: 'jobs',
    usage: ['[all|JOB]'],
    help: 'end a pause',
    more: `Says what came due meanwhile.`,
    example: '/resume morning-brief',
    offers: ['all'],
    read: resumeArguments,
  },
  {
    name: 'timezone',
    group: 'jobs',
    usage: ['[ZONE]'],
    help: 'show or change your time zone',
    more: `Routines keep their time of day, in the new zone; reminders keep the moment
they were set for. A job with its own timezone keeps it.`,
    example: '/timezone Europe/Berlin',
    read: optionalWord('zone', 'the name of one time zone, such as Europe/Berlin'),
  },
] as const satisfies readonly CommandEntry[]

/** A job as somebody names it: two kinds may have the same id. */
export interface JobAsked {
  readonly what: JobKind | null
  readonly id: string
}

export interface PauseArguments {
  /** `all`, one job, or nothing: then it is asked what is paused. */
  readonly target: 'all' | JobAsked | null
  /** As typed, without 'for' and 'until'; null: until somebody says so. */
  readonly time: string | null
}

const KINDS: ReadonlyMap<string, JobKind> = new Map([
  ['routine', 'routine'],
  ['reminder', 'reminder'],
  ['webhook', 'webhook'],
])

/** `all`, `all 2h`, `2h`, `brief`, `routine brief 1d`, `all until tomorrow 9:00`. */
export function pauseArguments(text: string): Reading<PauseArguments> {
  if (text === '') return { fits: { target: null, time: null } }
  if (/^(?:for|until|till)\s/i.test(text) || DURATION.test(text))
    return { fits: { target: 'all', time: timeIn(text) } }
  const read = targetIn(text)
  if ('misfit' in read) return read
  const { target, rest } = read.fits
  return { fits: { target, time: rest === '' ? null : timeIn(rest) } }
}

/** Nothing, `all`, `brief`, `routine brief`. */
export function resumeArguments(text: string): Reading<{ readonly target: 'all' | JobAsked }> {
  if (text === '') return { fits: { target: 'all' } }
  const read = targetIn(text)
  if ('misfit' in read) return read
  const { target, rest } = read.fits
  return rest === '' ? { fits: { target } } : { misfit: 'takes all, the id of one job, or nothing.' }
}

/** Nobody calls a job `2h`: that is how long. */
const DURATION = /^\d+(?:\.\d+)?\s*(?:s|m|h|d|w|sec|min|hr|hour|day|week)s?(?:\s.*)?$/i

function targetIn(text: string): Reading<{ readonly target: 'all' | JobAsked; readonly rest: string }> {
  const [first, behind] = firstWord(text)
  const word = first.toLowerCase()
  if (word === 'all' || word === 'everything') return { fits: { target: 'all', rest: behind } }
  const what = KINDS.get(word)
  if (what === undefined) return { fits: { target: { what: null, id: first }, rest: behind } }
  const [id, rest] = firstWord(behind)
  if (id === '') return { misfit: `takes the id of a ${what} after '${word}'.` }
  return { fits: { target: { what, id }, rest } }
}

function timeIn(text: string): string {
  return text.replace(/^(?:for|until|till)\s+/i, '').trim()
}

export interface JobShown {
  /** Null: all of them. */
  readonly job: string | null
  /** That one is to be taken away. */
  readonly isCancel?: true
}

const AWAY = /^(?:cancel|delete|remove)$/i

/** Nothing, an id, `cancel ID`. */
export function jobShown(what: 'routine' | 'reminder'): (text: string) => Reading<JobShown> {
  const set = what === 'reminder' ? ' To set one, say it in your own words, without a slash.' : ''
  const misfit = { misfit: `takes the id of one ${what}, or 'cancel' and its id.${set}` }
  return (text) => {
    const [first, rest] = firstWord(text)
    if (rest === '') return AWAY.test(first) ? misfit : { fits: { job: first === '' ? null : first } }
    return AWAY.test(first) && firstWord(rest)[1] === '' ? { fits: { job: rest, isCancel: true } } : misfit
  }
}

const TODO_MISFIT =
  'takes nothing, all, add and a text, or done or delete and the number or the words of one.'

/** Nothing, `all`, `add TEXT`, `done ITEM`, `delete ITEM`. */
export function todoArguments(text: string): Reading<{ readonly asked: TodoAsked }> {
  const [first, words] = firstWord(text)
  const verb = first.toLowerCase()
  if (words === '') {
    if (verb === '' || verb === 'list') return { fits: { asked: { action: 'list', which: 'open' } } }
    return verb === 'all' ? { fits: { asked: { action: 'list', which: 'all' } } } : { misfit: TODO_MISFIT }
  }
  if (verb === 'add') return { fits: { asked: { action: 'add', text: words } } }
  const action = verb === 'remove' ? 'delete' : verb
  const isOne = action === 'done' || action === 'delete'
  return isOne ? { fits: { asked: { action, item: words } } } : { misfit: TODO_MISFIT }
}
