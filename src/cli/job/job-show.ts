import { join } from 'node:path'
import { nameOf } from '../../agent/state/job-schedule.ts'
import { pauseOf } from '../../agent/state/jobs.ts'
import { kindOfTag, pingsOfJob, type JobPings } from '../../agent/state/ledger.ts'
import { assert } from '../../base/assert.ts'
import { counted } from '../../base/words.ts'
import { nextTime, untilWords, type When } from '../../view/jobs-text.ts'
import { findBranch } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import { jobText, type JobKind, type JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Definition } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { whenText } from '../../schedule/when.ts'
import { readText } from '../../skill/read-text.ts'
import { isSet, type CommandCall } from '../frame/command.ts'
import { jobNamed, withJobs, type JobsHere } from './job-home.ts'
import { nextWords, statesOf, stateJson, type JobState } from './job-list.ts'
import { isoIn } from '../frame/words.ts'

const TIMES = 3
const LAST = 5

type Firing = EventOf<'job-fired'> | EventOf<'job-skipped'> | EventOf<'run-started'>

/** Everything about one job. */
export function showJob(call: CommandCall, kind: JobKind, word: string): Promise<number> {
  return withJobs(call, 'look', async (here) => {
    const job = jobNamed(here, kind, word)
    const about = await aboutJob(here, kind, job)
    const text = isSet(call, 'json')
      ? JSON.stringify(json(about, here.when), undefined, 2)
      : textOf(call, about, here.when)
    for (const line of text.split('\n')) await call.out.line(call.out.safe(line))
    return 0
  })
}

interface About {
  readonly name: JobName
  readonly state: JobState
  readonly times: readonly number[]
  /** The newest first, with what became of each. */
  readonly last: readonly { readonly event: Firing; readonly outcome: string }[]
  readonly pings: JobPings | undefined
  /** Of all jobs; undefined: there is none. */
  readonly pause: number | null | undefined
}

async function aboutJob(here: JobsHere, kind: JobKind, { definition }: LoadedJob): Promise<About> {
  const { log, when } = here
  const name = nameOf(definition)
  const firings = await lastFirings(here, name)
  return log.read((reader) => {
    const state = statesOf(reader, here, kind).find(({ job }) => job.definition.id === definition.id)
    assert(state !== undefined, 'a job that is on the shelf has a state')
    return {
      name,
      state,
      times: nextTimes(reader, definition, when),
      last: firings.map((event) => ({ event, outcome: outcomeOf(reader, event) })),
      pings: pingsOfJob(reader, name),
      pause: pauseOf(reader, null, when.now)?.until,
    }
  })
}

async function lastFirings({ log }: JobsHere, { what, job }: JobName): Promise<Firing[]> {
  const found: Firing[] = []
  for (const kind of ['job-fired', 'job-skipped', 'run-started'] as const)
    for await (const event of log.events({ kind })) {
      const firing = event as Firing
      const isOwn = firing.kind === 'run-started' ? isByHand(firing, what) : firing.what === what
      if (isOwn && firing.job === job) found.push(firing)
    }
  return found.toSorted((a, b) => b.position - a.position).slice(0, LAST)
}

/** What the clock started has a firing of its own. */
function isByHand({ tag, author }: EventOf<'run-started'>, what: JobKind): boolean {
  return kindOfTag(tag) === what && !(author.by === 'policy' && author.name === 'schedule')
}

function nextTimes(reader: Reader, definition: Definition, when: When): number[] {
  const times: number[] = []
  let next = nextTime(reader, definition, when)
  while (next !== null && times.length < TIMES) {
    times.push(next)
    if (definition.kind !== 'routine') break
    next = nextTime(reader, definition, { ...when, now: next })
  }
  return times
}

const SKIPPED: Readonly<Record<EventOf<'job-skipped'>['because'], string>> = {
  running: 'left out, as it was still running',
  missed: 'left out, as nobody was there',
  nobody: 'left out, as the one it is for never wrote here',
  broken: 'not started, as something in it was wrong',
}

function outcomeOf(reader: Reader, event: Firing): string {
  if (event.kind === 'job-skipped') return SKIPPED[event.because]
  if (event.kind === 'run-started') return `started by hand${runWords(reader, event.branch)}`
  const fired = event.isLate ? 'fired late' : 'fired'
  return event.run === null ? `${fired}, in main` : `${fired}${runWords(reader, event.run)}`
}

function runWords(reader: Reader, run: BranchId): string {
  const state = findBranch(reader, run)?.state
  return `, as ${handleOf(run)}${state?.kind === 'ended' ? `, ${state.reason}` : ''}`
}

function dueOf(event: Firing): number {
  return event.kind === 'run-started' ? event.at : event.due
}

function textOf({ home }: CommandCall, about: About, when: When): string {
  const { name, state, times, last, pings, pause } = about
  const { job, pausedUntil, failures } = state
  const read = readText(join(home, 'workspace', job.file))
  const facts: (readonly [string, readonly string[]])[] = [
    ['Next', times.length === 0 ? [nextWords(job, when)] : times.map((next) => nextWords({ next }, when))],
    ['Paused', pauseWords({ pausedUntil, pause }, when)],
    ['Last', last.map(({ event, outcome }) => `${whenText(dueOf(event), when)}: ${outcome}`)],
    ['Failures', failures === 0 ? [] : [`${failures} in a row`]],
    ['Pings', pings === undefined ? [] : [pingWords(pings)]],
    ['Warning', job.warnings],
  ]
  const shown = name.what === 'webhook' ? facts.slice(1) : facts
  return [
    `${jobText(name)} (${job.file})`,
    ...shown.flatMap(([title, lines]) =>
      lines.map((line, index) => `${(index === 0 ? title : '').padEnd(TITLE_COLUMNS)}${line}`),
    ),
    '',
    'text' in read ? read.text.trimEnd() : job.definition.body,
  ].join('\n')
}

const TITLE_COLUMNS = 'Failures  '.length

function pauseWords(
  { pausedUntil, pause }: { pausedUntil: JobState['pausedUntil']; pause: About['pause'] },
  when: When,
) {
  return [
    ...(pausedUntil === undefined ? [] : [untilWords(pausedUntil, when)]),
    ...(pause === undefined ? [] : [`with all jobs ${untilWords(pause, when)}`]),
  ]
}

function pingWords({ arrived, answered, less }: JobPings): string {
  const asked = less === 0 ? '' : `; less of them was asked for ${less === 1 ? 'once' : `${less} times`}`
  return `${counted(arrived, 'ping')} arrived, ${answered} answered${asked}`
}

function json({ state, times, last, pings }: About, when: When): object {
  return {
    ...stateJson(state, when),
    definition: state.job.definition,
    times: times.map((at) => isoIn(at, when.zone)),
    last: last.map(({ event, outcome }) => ({
      due: isoIn(dueOf(event), when.zone),
      at: isoIn(event.at, when.zone),
      outcome,
    })),
    pings:
      pings === undefined ? null : { arrived: pings.arrived, answered: pings.answered, less: pings.less },
  }
}
