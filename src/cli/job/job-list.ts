import { openApprovals } from '../../agent/state/approvals.ts'
import { nameOf, scheduleText } from '../../agent/state/job-schedule.ts'
import { knownJob, pauseOf } from '../../agent/state/jobs.ts'
import { oneLine, padTo, shorten, widthOf } from '../../base/width.ts'
import {
  hasFired,
  untilWords,
  warningLines,
  withTimes,
  type Upcoming,
  type When,
} from '../../view/jobs-text.ts'
import type { JobKind } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import { problemText } from '../../schedule/read-definition.ts'
import { whenText } from '../../schedule/when.ts'
import { isSet, type CommandCall } from '../frame/command.ts'
import { withJobs, type JobsHere } from './job-home.ts'
import { isoIn } from '../frame/words.ts'

/** All jobs of one kind, the next one first, and the files that cannot be used. */
export function listJobs(call: CommandCall, kind: JobKind): Promise<number> {
  return withJobs(call, 'look', async (here) => {
    const lines = isSet(call, 'json') ? [await listJson(here, kind)] : await listLines(here, kind)
    for (const line of lines) await call.out.line(call.out.safe(line))
    return 0
  })
}

/** What the log adds to what a file says. */
export interface JobState {
  readonly job: Upcoming
  /** Undefined: it is not paused by itself. Null: until somebody says so. */
  readonly pausedUntil: number | null | undefined
  /** In a row. */
  readonly failures: number
}

export function statesOf(reader: Reader, { shelf, when }: JobsHere, kind: JobKind): JobState[] {
  const own = shelf.jobs().filter(({ definition }) => definition.kind === kind)
  return withTimes(reader, own, when).map((job) => {
    const name = nameOf(job.definition)
    return {
      job,
      pausedUntil: pauseOf(reader, name, when.now)?.until,
      failures: knownJob(reader, name)?.failures ?? 0,
    }
  })
}

function comingStates(reader: Reader, here: JobsHere, kind: JobKind): JobState[] {
  return statesOf(reader, here, kind).filter(({ job }) => !hasFired(reader, job))
}

const NONE: Readonly<Record<JobKind, string>> = {
  routine: `There are no routines. mainstem routine add TEXT --cron "30 8 * * 1-5" sets one.`,
  reminder: `There are no reminders. mainstem reminder add TEXT --at "tomorrow 9:00" sets one.`,
  webhook: 'There are no webhooks. mainstem webhook add TEXT sets one.',
}

async function listLines(here: JobsHere, kind: JobKind): Promise<string[]> {
  const { log, shelf, when } = here
  const folder = `${kind}s/`
  const { states, pause, waiting } = await log.read((reader) => ({
    states: comingStates(reader, here, kind),
    pause: pauseOf(reader, null, when.now),
    waiting: openApprovals(reader, when.now).flatMap(({ asked: { wish, number } }) =>
      wish.kind === 'file' && wish.path.startsWith(folder)
        ? `${wish.path} waits for you; in a conversation /approvals ${number} shows it.`
        : [],
    ),
  }))
  const wrong = shelf.problems().filter(({ file }) => file.startsWith(folder) || `${file}/` === folder)
  return [
    ...(pause === null ? [] : [`All jobs are paused ${untilWords(pause.until, when)}.`]),
    ...(states.length === 0 ? [NONE[kind]] : tableOf(states, when)),
    ...waiting,
    ...warningLines(states.map(({ job }) => job)),
    ...wrong.map((problem) => `Not used: ${problemText(problem)}`),
  ]
}

function tableOf(states: readonly JobState[], when: When): string[] {
  const isTimed = states.some(({ job }) => job.definition.kind !== 'webhook')
  const rows = states.map((state) => [
    state.job.definition.id,
    ...(isTimed ? [nextWords(state.job, when)] : []),
    howWords(state, when),
    wordsOf(state.job),
  ])
  const titles = ['ID', ...(isTimed ? ['NEXT'] : []), 'HOW', 'WHAT']
  const widths = titles.map((title, column) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[column] ?? ''))),
  )
  return [titles, ...rows].map((row) =>
    row
      .map((cell, column) => padTo(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

export function nextWords({ next }: Pick<Upcoming, 'next'>, when: When): string {
  if (next === null) return 'at no time'
  return next <= when.now ? `due since ${whenText(next, when)}` : whenText(next, when)
}

function howWords({ job: { definition }, pausedUntil, failures }: JobState, when: When): string {
  const chain = definition.kind === 'reminder' ? definition.chain : { max: 0, depth: 0 }
  const words = [
    definition.background ? 'background' : 'in main',
    ...(definition.kind === 'routine' && definition.isPersistent ? ['persistent'] : []),
    ...(chain.max > 0 ? [`check ${chain.depth + 1}/${chain.max + 1}`] : []),
    ...(definition.person === null ? [] : [`for ${oneLine(definition.person)}`]),
    ...(pausedUntil === undefined ? [] : [`paused ${untilWords(pausedUntil, when)}`]),
    ...(failures === 0 ? [] : [failures === 1 ? 'failed' : `failed ${failures} times in a row`]),
  ]
  return words.join(', ')
}

const WHAT_COLUMNS = 60

function wordsOf({ definition: { description, body } }: Upcoming): string {
  return shorten(oneLine(description === '' ? body : description), WHAT_COLUMNS)
}

async function listJson(here: JobsHere, kind: JobKind): Promise<string> {
  const { log, shelf, when } = here
  const { states, pause } = await log.read((reader) => ({
    states: comingStates(reader, here, kind),
    pause: pauseOf(reader, null, when.now),
  }))
  const problems = shelf.problems().filter(({ file }) => file.startsWith(`${kind}s`))
  const paused = pausedJson(pause === null ? undefined : pause.until, when)
  const jobs = states.map((state) => stateJson(state, when))
  return JSON.stringify({ paused, jobs, problems }, undefined, 2)
}

export function stateJson({ job, pausedUntil, failures }: JobState, when: When): object {
  const { definition, file, next, warnings } = job
  const { kind, id, description, background, person, body } = definition
  return {
    id,
    kind,
    file,
    schedule: scheduleText(definition),
    next: next === null ? null : isoIn(next, when.zone),
    background,
    for: person,
    paused: pausedJson(pausedUntil, when),
    failures,
    description,
    task: body,
    warnings,
  }
}

/** False, true, or until when. */
function pausedJson(until: number | null | undefined, when: When): boolean | string {
  if (until === undefined) return false
  return until === null ? true : isoIn(until, when.zone)
}
