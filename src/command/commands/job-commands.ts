import { whenText, type Place } from '../../base/time-text.ts'
import { type Actor, type Said, ok, refusal } from '../../agent/contract/act.ts'
import { dueMeanwhile } from '../../agent/job/pause-end.ts'
import { nameOf } from '../../agent/state/jobs.ts'
import { pausedJobs, pauseOf } from '../../agent/state/jobs.ts'
import { cancelReminder } from '../../agent/job/reminder-list.ts'
import { capital } from '../../base/words.ts'
import { jobText, type JobName, jobKinds } from '../../event/job.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { findJob, type LoadedJob } from '../../schedule/job-shelf.ts'
import { readWhen } from '../../schedule/when.ts'
import { definitionText, UnwritableDefinition } from '../../schedule/write-definition.ts'
import { PathError } from '../../tool/files/path.ts'
import type { JobWords } from '../read/catalogue-jobs.ts'
import type { Commands, Desk, Outcome } from '../desk/desk.ts'
import { jobDetails, jobsView, nextTime } from '../../view/jobs.ts'
import { jobDetailsText, jobsText, untilWords } from '../../view/jobs-text.ts'
import { nearest } from '../../base/nearest.ts'
import { shorten } from '../../base/width.ts'

export const jobCommands: Commands<'routines' | 'reminders' | 'pause' | 'resume'> = {
  routines: async (desk, { command: { id, isCancel } }) => {
    if (id === null || !isCancel) return shownJobs(desk, 'routine', id)
    await desk.shelf.refresh()
    const job = loadedJob(desk, { what: 'routine', id }, '/routines cancel')
    return typeof job === 'string' ? refusal(job) : removed(desk, job)
  },

  reminders: (desk, { branch, command: { id, isCancel } }) =>
    id !== null && isCancel ? cancelReminder(desk, branch, id) : shownJobs(desk, 'reminder', id),

  pause: async (desk, { command: { target, time } }) => {
    const when = whenOf(desk)
    if (target === null) return { look: (reader) => ok(pausedText(reader, when)) }
    await desk.shelf.refresh()
    const found = target === 'all' ? { name: null } : findNamed(namesIn(desk), target, '/pause')
    if ('problem' in found) return refusal(found.problem)
    const until = time === null ? { at: null } : await readWhen(time, when)
    if ('problem' in until) return refusal(`Nothing was paused. ${until.problem}`)
    return (writing, { branch, at, author }) => {
      const pause = { one: found.name, until: until.at, author }
      writing.append({ kind: 'jobs-paused', branch, at, ...pause })
      return ok(pauseWords(found.name, until.at, when))
    }
  },

  resume: async (desk, { command: { target } }) => {
    await desk.shelf.refresh()
    const when = whenOf(desk)
    const known = namesIn(desk)
    return (writing, actor) =>
      target === 'all' ? resumeAll(writing, actor, when) : resumeOne(writing, actor, { target, when, known })
  },
}

/** The job that was meant, or why there is none. */
function loadedJob(desk: Desk, words: JobWords, how: string): LoadedJob | string {
  const found = findNamed(namesIn(desk), words, how)
  if ('problem' in found) return found.problem
  return findJob(desk.shelf, found.name) ?? `${capital(jobText(found.name))} is gone.`
}

async function removed(desk: Desk, { definition, file }: LoadedJob): Promise<Said> {
  const name = jobText(nameOf(definition))
  const when = whenOf(desk)
  const next = await desk.log.read((reader) => nextTime(reader, definition, when))
  try {
    if (!(await desk.shelf.remove(file))) return refusal(`${capital(name)} is already gone.`)
  } catch (error) {
    if (error instanceof PathError) return refusal(`Nothing was cancelled: ${error.message}`)
    throw error
  }
  const due = next === null ? '' : `, next due ${whenText(next, when)}`
  return ok(`Cancelled ${name}${due} (${file}). A run that has started goes on.`)
}

async function shownJobs(desk: Desk, what: 'routine' | 'reminder', id: string | null): Promise<Outcome> {
  await desk.shelf.refresh()
  const when = whenOf(desk)
  if (id === null)
    return {
      look: (reader) => {
        const view = jobsView(reader, { shelf: desk.shelf, when, kind: what })
        return ok(jobsText(view, { kind: what, when, face: 'chat' }))
      },
    }
  const job = loadedJob(desk, { what, id }, `/${what}s`)
  if (typeof job === 'string') {
    const isBroken = desk.shelf.problems().some(({ file }) => file === `${what}s/${id}.md`)
    return refusal(isBroken ? `${job} Its file has a mistake; the list shows it.` : job)
  }
  const [text, details] = await Promise.all([fileText(job), jobDetails(desk.log, job, when)])
  return ok(jobDetailsText(details, { text, when }))
}

async function fileText({ definition }: LoadedJob): Promise<string> {
  try {
    return await definitionText(definition)
  } catch (error) {
    if (error instanceof UnwritableDefinition) return definition.body
    throw error
  }
}

function pauseWords(one: JobName | null, until: number | null, when: Place): string {
  const back = one === null ? '/resume' : `/resume ${one.job}`
  const what = one === null ? 'All jobs and pings are' : `${capital(jobText(one))} is`
  if (until === null) return `${what} paused until you say ${back}.`
  return `${what} paused until ${whenText(until, when)}. ${back} ends it sooner.`
}

function pausedText(reader: Reader, when: Place): string {
  const all = pauseOf(reader, null, when.now)
  const single = pausedOne(reader, when)
  const lines = [
    ...(all === null ? [] : [`All jobs and pings are paused ${untilWords(all.until, when)}.`]),
    ...single.map(
      (one) =>
        `${capital(jobText(one))} is paused ${untilWords(pauseOf(reader, one, when.now)?.until ?? null, when)}.`,
    ),
  ]
  return lines.length === 0
    ? 'Nothing is paused. /pause all 2h pauses all jobs and pings, /pause JOB one job.'
    : [...lines, '/resume ends the pause of all jobs, /resume JOB that of one.'].join('\n')
}

function pausedOne(reader: Reader, { now }: Place): JobName[] {
  return pausedJobs(reader).filter((one) => pauseOf(reader, one, now) !== null)
}

function resumeAll(writing: Writing, actor: Actor, when: Place): Said {
  const single = pausedOne(writing, when)
  const own = single.map(
    (one) => `${capital(jobText(one))} is paused separately: /resume ${one.job} ends that.`,
  )
  if (pauseOf(writing, null, when.now) === null)
    return ok([own.length === 0 ? 'Nothing is paused.' : 'Not all jobs are paused.', ...own].join('\n'))
  resume(writing, actor, null)
  return ok([`Jobs and pings resume. ${dueMeanwhile(writing, when)}`.trimEnd(), ...own].join('\n'))
}

interface Resuming {
  readonly target: JobWords
  readonly when: Place
  readonly known: readonly JobName[]
}

function resumeOne(writing: Writing, actor: Actor, { target, when, known }: Resuming): Said {
  const paused = pausedOne(writing, when)
  // A paused job may have no file any more, and of two jobs with one id only one may be paused.
  const isMeant = (one: JobName): boolean =>
    one.job === target.id && (target.what === null || one.what === target.what)
  const meant = paused.filter(isMeant)
  const found = findNamed(meant.length > 0 ? meant : known, target, '/resume')
  if ('problem' in found) return refusal(found.problem)
  const { name } = found
  const all = pauseOf(writing, null, when.now)
  const others = all === null ? '' : ` All jobs are paused ${untilWords(all.until, when)}: /resume ends that.`
  if (pauseOf(writing, name, when.now) === null)
    return ok(`${capital(jobText(name))} is not paused${others === '' ? '' : ' separately'}.${others}`)
  resume(writing, actor, name)
  const isOwn = (one: JobName): boolean => jobText(one) === jobText(name)
  const due = all === null ? dueMeanwhile(writing, when, isOwn) : ''
  return ok(`${capital(jobText(name))} resumes.${others} ${due}`.trimEnd())
}

function resume(writing: Writing, { branch, at, author }: Actor, one: JobName | null): void {
  writing.append({ kind: 'jobs-resumed', branch, at, one, author })
}

function whenOf(desk: Desk): Place {
  return { now: desk.now(), zone: desk.settings().zone }
}

function namesIn(desk: Desk): JobName[] {
  return desk.shelf.jobs().map(({ definition }) => nameOf(definition))
}

type JobFound = { readonly name: JobName } | { readonly problem: string }

const SHOWN_COLUMNS = 60

/** The job that was meant. `how` is the command, shown when the name is ambiguous. */
function findNamed(known: readonly JobName[], { what, id }: JobWords, how: string): JobFound {
  const ofKind = known.filter((name) => what === null || name.what === what)
  const exact = ofKind.filter(({ job }) => job === id)
  const plain = id.normalize('NFC').toLowerCase()
  const found = exact.length > 0 ? exact : ofKind.filter(({ job }) => job.toLowerCase() === plain)
  const [name, other] = found
  if (name === undefined) return { problem: unknown(ofKind, { what, id }) }
  if (other === undefined) return { name }
  const sorted = found.toSorted((a, b) => jobKinds.indexOf(a.what) - jobKinds.indexOf(b.what))
  const ways = sorted.map((one) => `${how} ${jobText(one)}`).join(' or ')
  return { problem: `There are ${sorted.map(jobText).join(' and ')}. Write ${ways}.` }
}

function unknown(known: readonly JobName[], { what, id }: JobWords): string {
  const near = nearest(
    id.toLowerCase(),
    known.map(({ job }) => job),
  )
  const meant = known.find(({ job }) => job === near)
  const instead = meant === undefined ? '' : ` Did you mean ${jobText(meant)}?`
  const list = what === null ? '/routines and /reminders list them' : `/${what}s lists them`
  const lists = what === 'webhook' ? 'Webhooks are files in webhooks/.' : `${list}.`
  return `There is no ${what ?? 'job'} '${shorten(id, SHOWN_COLUMNS)}'.${instead} ${lists}`
}
