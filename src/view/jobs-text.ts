import { whenText, type Place } from '../base/time-text.ts'
import { oneLine, shorten, tableRows } from '../base/width.ts'
import { counted } from '../base/words.ts'
import { jobKinds, jobText, type JobKind, type JobName } from '../event/job.ts'
import { problemText } from '../schedule/read-definition.ts'
import type { JobDetails, JobsView, JobView } from './jobs.ts'

/** Where a list is read: a chat has /commands and narrow lines, a terminal has columns. */
export type ListFace = 'chat' | 'terminal'

const NONE: Readonly<Record<ListFace, Readonly<Record<JobKind, string>>>> = {
  chat: {
    routine: `There are no routines. A routine is a file routines/NAME.md with a line such as
cron: 30 8 * * 1-5 before its task. See /help routines.`,
    reminder: `There are no reminders. Ask for one in your own words, or write a file
reminders/NAME.md with a line such as run-at: 2026-08-01T09:00 before its
task. See /help reminders.`,
    webhook: 'There are no webhooks. A webhook is a file webhooks/NAME.md.',
  },
  terminal: {
    routine: `There are no routines. Add one: mainstem routine add TEXT --cron "30 8 * * 1-5"`,
    reminder: `There are no reminders. Add one: mainstem reminder add TEXT --at "tomorrow 9:00"`,
    webhook: 'There are no webhooks. Add one: mainstem webhook add TEXT',
  },
}

/** All jobs of a kind, then the files that wait for the person or have mistakes. */
export function jobsText(
  view: JobsView,
  { kind, when, face }: { kind: JobKind; when: Place; face: ListFace },
): string {
  const { paused, jobs, problems, waiting } = view
  const isChat = face === 'chat'
  const resume = isChat ? ' /resume ends the pause.' : ''
  const list = isChat
    ? [`${counted(jobs.length, kind)}:`, ...jobs.flatMap((job) => entryLines(job, when))]
    : tableLines(jobs, when)
  return [
    ...(paused === false ? [] : [`All jobs are paused ${pausedWords(paused, when)}.${resume}`]),
    ...(jobs.length === 0 ? [NONE[face][kind]] : list),
    ...waiting.map(({ path, number }) =>
      isChat
        ? `${path} waits for you: /approvals ${number} shows it.`
        : `${path} waits for you; in a conversation /approvals ${number} shows it.`,
    ),
    ...jobs.flatMap(({ file, warnings }) => warnings.map((warning) => `Warning: ${file}: ${warning}`)),
    ...problems.map((problem) => `Not used: ${problemText(problem)}`),
  ].join('\n')
}

function entryLines(job: JobView, when: Place): string[] {
  const schedule = job.kind === 'routine' ? [job.schedule ?? 'by hand'] : []
  const words = wordsOf(job)
  return [
    `  ${job.id}: ${nextWords(job.next, when)} (${[...schedule, ...howWords(job, when)].join(', ')})`,
    ...(words === '' ? [] : [`    ${words}`]),
    ...job.last.map((firing) => `    Last: ${firingWords(firing, when)}`),
  ]
}

function tableLines(jobs: readonly JobView[], when: Place): string[] {
  const isTimed = jobs.some(({ kind }) => kind !== 'webhook')
  const rows = jobs.map((job) => [
    job.id,
    ...(isTimed ? [nextWords(job.next, when)] : []),
    howWords(job, when).join(', '),
    wordsOf(job),
  ])
  const titles = ['ID', ...(isTimed ? ['NEXT'] : []), 'HOW', 'WHAT']
  return tableRows([titles, ...rows])
}

const WORDS_COLUMNS = 60

function wordsOf({ description, task }: JobView): string {
  return shorten(oneLine(description === '' ? task : description), WORDS_COLUMNS)
}

function howWords(job: JobView, when: Place): string[] {
  const { background, persistent, check, paused, failures, requests } = job
  return [
    background ? 'background' : 'in main',
    ...(persistent ? ['persistent'] : []),
    ...(check === null ? [] : [`check ${check.join('/')}`]),
    ...(job.for === null ? [] : [`for ${oneLine(job.for)}`]),
    ...(paused === false ? [] : [`paused ${pausedWords(paused, when)}`]),
    ...(requests === null ? [] : requestWords(requests)),
    ...(failures === 0 ? [] : [failures === 1 ? 'failed' : `failed ${failures} times in a row`]),
  ]
}

function requestWords({ secret, waiting }: NonNullable<JobView['requests']>): string[] {
  return [
    ...(secret === null ? ['no secret-env, so no requests'] : []),
    ...(waiting === 0 ? [] : [`${counted(waiting, 'request')} waiting`]),
  ]
}

/** `tomorrow 09:00, in 14 h`, `due since today 14:00, 30 min ago` */
export function nextWords(next: string | null, when: Place): string {
  if (next === null) return 'not scheduled'
  const at = Date.parse(next)
  return at <= when.now ? `due since ${whenText(at, when)}` : whenText(at, when)
}

function firingWords({ due, outcome }: JobView['last'][number], when: Place): string {
  return `${whenText(Date.parse(due), when)}: ${outcome}`
}

function pausedWords(paused: true | string, when: Place): string {
  return untilWords(paused === true ? null : Date.parse(paused), when)
}

/** `until tomorrow 09:00, in 14 h`, or until somebody resumes it. */
export function untilWords(until: number | null, when: Place): string {
  return until === null ? 'until resumed' : `until ${whenText(until, when)}`
}

export function nameIn({ kind, id }: Pick<JobView, 'kind' | 'id'>): JobName {
  return { what: kind, job: id }
}

/** How many there are, which is next, what is paused and what cannot be used; undefined where there are none. */
export function jobsLine({ paused, jobs, problems }: JobsView, when: Place): string | undefined {
  if (jobs.length === 0 && problems.length === 0) return undefined
  const counts = jobKinds.flatMap((kind) => {
    const count = jobs.filter((job) => job.kind === kind).length
    return count === 0 ? [] : counted(count, kind)
  })
  const first = jobs.find(({ next }) => next !== null)
  const closed = jobs.filter(({ requests }) => requests?.secret === null).map(({ id }) => id)
  const single = jobs.filter((job) => job.paused !== false).map((job) => jobText(nameIn(job)))
  return [
    counts.join(', ') || 'none that can be used',
    ...(first === undefined ? [] : [`next is ${jobText(nameIn(first))}, ${nextWords(first.next, when)}`]),
    ...(paused === false ? [] : [`all are paused ${pausedWords(paused, when)}`]),
    ...(single.length === 0 ? [] : [`paused: ${single.join(', ')}`]),
    ...(closed.length === 0 ? [] : [`no secret-env, so no requests: ${closed.join(', ')}`]),
    ...(problems.length === 0
      ? []
      : [`${counted(problems.length, 'file')} cannot be used: the lists say why`]),
  ].join('; ')
}

const TITLE_COLUMNS = 'Failures  '.length

/** All about one job, then the text of its file. */
export function jobDetailsText(details: JobDetails, { text, when }: { text: string; when: Place }): string {
  const { kind, file, next, times, last, failures, pings, warnings, paused, allPaused, requests } = details
  const timed = times.length === 0 ? [next] : times
  const facts: (readonly [string, readonly string[]])[] = [
    ['Requests', requests === null ? [] : requestLines(details.id, requests)],
    ['Next', kind === 'webhook' ? [] : timed.map((at) => nextWords(at, when))],
    [
      'Paused',
      [
        ...(paused === false ? [] : [pausedWords(paused, when)]),
        ...(allPaused === false ? [] : [`with all jobs ${pausedWords(allPaused, when)}`]),
      ],
    ],
    ['Last', last.map((firing) => firingWords(firing, when))],
    ['Failures', failures === 0 ? [] : [`${failures} in a row`]],
    ['Pings', pings === null ? [] : [pingWords(pings)]],
    ['Warning', warnings],
  ]
  return [
    `${jobText(nameIn(details))} (${file})`,
    ...facts.flatMap(([title, lines]) =>
      lines.map((line, index) => `${(index === 0 ? title : '').padEnd(TITLE_COLUMNS)}${line}`),
    ),
    '',
    text.trimEnd(),
  ].join('\n')
}

function requestLines(id: string, { secret, waiting }: NonNullable<JobView['requests']>): string[] {
  const how =
    secret === null
      ? 'none: it has no secret-env'
      : `with the secret in ${secret}; 'mainstem webhook url ${id}' shows how`
  return [how, ...(waiting === 0 ? [] : [`${waiting} waiting`])]
}

function pingWords({ arrived, answered, less }: NonNullable<JobDetails['pings']>): string {
  const asked = less === 0 ? '' : `; /less ${less === 1 ? 'once' : `${less} times`}`
  return `${counted(arrived, 'ping')} arrived, ${answered} answered${asked}`
}
