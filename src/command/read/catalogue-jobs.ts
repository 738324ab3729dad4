import { optionalWord } from './arguments.ts'
import { pauseArguments, resumeArguments } from './arguments-jobs.ts'
import { jobShown, todoArguments } from './arguments-lists.ts'
import type { CommandEntry } from './command-entry.ts'

/** The commands about what happens by itself, and when. */
export const jobEntries = [
  {
    name: 'routines',
    aliases: ['routine'],
    group: 'background',
    usage: ['[ID]', 'cancel ID'],
    help: 'what is done again and again, and when',
    more: `Lists the routines, the next one first, with how the last time went, and the
files that are wrong. With an ID, all about one. A routine is a Markdown file
in routines/ with 'cron: 30 8 * * 1-5' in front of its task; what you change
there counts within seconds. 'cancel ID' takes its file away.`,
    example: '/routines morning-brief',
    when: 'at-once',
    offers: [],
    read: jobShown('routine'),
  },
  {
    name: 'reminders',
    aliases: ['reminder', 'remind'],
    group: 'background',
    usage: ['[ID]', 'cancel ID'],
    help: 'what falls due once, and when',
    more: `Lists the reminders, the next one first, and the files that are wrong. With an
ID, all about one. A reminder is a Markdown file in reminders/ with
'run-at: 2026-08-01T09:00' in front of its task; it goes when it is done.
'cancel ID' takes it away.`,
    example: '/reminders call-mum',
    when: 'at-once',
    offers: [],
    read: jobShown('reminder'),
  },
  {
    name: 'todo',
    aliases: ['todos'],
    group: 'background',
    usage: ['[all]', 'add TEXT', 'done ITEM', 'delete ITEM'],
    help: 'your to-do list',
    more: `The list is the file workspace/todo.md, which you and the agent share. Alone
it shows what is open, with numbers; 'all' also what is done. ITEM is a
number, or words that only that one has.`,
    example: '/todo add buy milk',
    when: 'at-once',
    offers: ['add', 'all', 'delete', 'done'],
    read: todoArguments,
  },
  {
    name: 'pause',
    aliases: [],
    group: 'background',
    usage: ['[all|JOB] [TIME]'],
    help: 'no jobs and no pings, or not this job',
    more: `'all' stops jobs, pings and messages of the host; a JOB is an id such as
morning-brief, or 'routine morning-brief' where a reminder has the same id.
TIME is 2h, 1d, 'until 18:00', 'until tomorrow 9:00'; without it the pause
lasts until /resume. What fell due meanwhile is caught up on as after a
restart. Runs that have begun go on. Alone it tells what is paused.`,
    example: '/pause all 2h',
    when: 'at-once',
    offers: ['all'],
    read: pauseArguments,
  },
  {
    name: 'resume',
    aliases: [],
    group: 'background',
    usage: ['[all|JOB]'],
    help: 'end the pause of all jobs, or of one',
    more: `Tells what fell due meanwhile.`,
    example: '/resume morning-brief',
    when: 'at-once',
    offers: ['all'],
    read: resumeArguments,
  },
  {
    name: 'timezone',
    aliases: [],
    group: 'background',
    usage: ['[ZONE]'],
    help: 'show or change the time zone you live in',
    more: `Routines keep their time of day, by the new zone from then on; reminders keep
the moment they were set for. A job with a timezone of its own keeps that.`,
    example: '/timezone Europe/Berlin',
    when: 'at-once',
    offers: [],
    read: optionalWord('zone', 'the name of one time zone, such as Europe/Berlin'),
  },
] as const satisfies readonly CommandEntry[]
