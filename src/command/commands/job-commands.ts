import { whenText } from '../../base/time-text.ts'
import { type Actor, type Said, ok, refusal } from '../../agent/contract/act.ts'
import { dueMeanwhile, dueWords } from '../../agent/job/due-meanwhile.ts'
import { nameOf } from '../../agent/state/job-schedule.ts'
import { pausedJobs, pauseOf } from '../../agent/state/jobs.ts'
import { cancelReminder } from '../../agent/job/reminder-list.ts'
import { capital } from '../../base/words.ts'
import { jobText, type JobName, jobKinds } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { findJob, type LoadedJob } from '../../schedule/job-shelf.ts'
import { readWhen } from '../../schedule/when.ts'
import { definitionText, UnwritableDefinition } from '../../schedule/write-definition.ts'
import { PathError } from '../../tool/files/path.ts'
import type { JobAsked } from '../read/catalogue-jobs.ts'
import {
  conclude,
  concludeDone,
  concludeLook,
  wasRun,
  type Desk,
  type Order,
  type OrderOf,
} from '../desk/desk.ts'
import { jobDetails, jobsView, nextTime, type When } from '../../view/jobs.ts'
import { jobDetailsText, jobsText, untilWords } from '../../view/jobs-text.ts'
import { nearest } from '../../base/nearest.ts'
import { shorten } from '../../base/width.ts'

export function runRoutines(desk: Desk, order: OrderOf<'routines'>): Promise<Said | undefined> {
  const { job: id, isCancel } = order.command
  if (id !== null && isCancel === true) return cancelRoutine(desk, order, id)
  return showJobs(desk, order, { what: 'routine', id })
}

export function runReminders(desk: Desk, order: OrderOf<'reminders'>): Promise<Said | undefined> {
  const { job: id, isCancel } = order.command
  if (id !== null && isCancel === true) return cancelOne(desk, order, id)
  return showJobs(desk, order, { what: 'reminder', id })
}

/** A file goes outside of the log, so it is looked first whether it was asked before. */
async function cancelOne(desk: Desk, order: Order, id: string): Promise<Said | undefined> {
  if (await desk.log.read((reader) => wasRun(reader, order))) return undefined
  const said = await cancelReminder(desk, order.branch, id)
  return concludeDone(desk, order, () => said)
}

async function cancelRoutine(desk: Desk, order: Order, id: string): Promise<Said | undefined> {
  if (await desk.log.read((reader) => wasRun(reader, order))) return undefined
  await desk.shelf.refresh()
  const found = findNamed(namesIn(desk), { what: 'routine', id }, '/routines cancel')
  const job = 'name' in found ? findJob(desk.shelf, found.name) : undefined
  if ('problem' in found || job === undefined)
    return conclude(desk, order, () =>
      refusal('problem' in found ? found.problem : `${capital(jobText(found.name))} is gone.`),
    )
  const said = await removed(desk, job)
  return concludeDone(desk, order, () => said)
}

async function removed(desk: Desk, { definition, file }: LoadedJob): Promise<Said> {
  const name = jobText(nameOf(definition))
  const when = whenOf(desk)
  const next = await desk.log.read((reader) => nextTime(reader, definition, when))
  try {
    if (!(await desk.shelf.remove(file))) return refusal(`${capital(name)} is gone already.`)
  } catch (error) {
    if (error instanceof PathError) return refusal(`Nothing was cancelled: ${error.message}`)
    throw error
  }
  const due = next === null ? '' : `, next due ${whenText(next, when)}`
  return ok(`Cancelled ${name}${due} (${file}). A run that has started goes on.`)
}

interface Shown {
  readonly what: 'routine' | 'reminder'
  readonly id: string | null
}

async function showJobs(desk: Desk, order: Order, { what, id }: Shown): Promise<Said | undefined> {
  await desk.shelf.refresh()
  const when = whenOf(desk)
  if (id === null)
    return concludeLook(desk, order, (reader) => {
      const view = jobsView(reader, { shelf: desk.shelf, when, kind: what })
      return ok(jobsText(view, { kind: what, when, face: 'chat' }))
    })
  const found = findNamed(namesIn(desk), { what, id }, `/${what}s`)
  const job = 'name' in found ? findJob(desk.shelf, found.name) : undefined
  if ('problem' in found || job === undefined) {
    const text = 'problem' in found ? found.problem : `${capital(jobText(found.name))} is gone.`
    const wrong = desk.shelf.problems().find(({ file }) => file === `${what}s/${id}.md`)
    return conclude(desk, order, () => refusal(wrong === undefined ? text : `${text} ${BROKEN}`))
  }
  const [text, details] = await Promise.all([fileText(job), jobDetails(desk.log, job, when)])
  return conclude(desk, order, () => ok(jobDetailsText(details, { text, when })))
}

const BROKEN = 'Its file has a mistake; the list shows it.'

async function fileText({ definition }: LoadedJob): Promise<string> {
  try {
    return await definitionText(definition)
  } catch (error) {
    if (error instanceof UnwritableDefinition) return definition.body
    throw error
  }
}

export async function runPause(desk: Desk, order: OrderOf<'pause'>): Promise<Said | undefined> {
  const { target, time } = order.command
  const when = whenOf(desk)
  if (target === null) return concludeLook(desk, order, (reader) => ok(pausedText(reader, when)))
  await desk.shelf.refresh()
  const found = target === 'all' ? { name: null } : findNamed(namesIn(desk), target, '/pause')
  const until = time === null ? { at: null } : await readWhen(time, when)
  return conclude(desk, order, (writing, { branch, at, author }) => {
    if ('problem' in found) return refusal(found.problem)
    if ('problem' in until) return refusal(`Nothing was paused. ${until.problem}`)
    const pause = { one: found.name, until: until.at, author }
    writing.append({ kind: 'jobs-paused', branch, at, v: 1, ...pause })
    return ok(pauseWords(found.name, until.at, when))
  })
}

function pauseWords(one: JobName | null, until: number | null, when: When): string {
  const back = one === null ? '/resume' : `/resume ${one.job}`
  const what = one === null ? 'All jobs and pings are' : `${capital(jobText(one))} is`
  if (until === null) return `${what} paused until you say ${back}.`
  return `${what} paused until ${whenText(until, when)}. ${back} ends it sooner.`
}

function pausedText(reader: Reader, when: When): string {
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

function pausedOne(reader: Reader, { now }: When): JobName[] {
  return pausedJobs(reader).filter((one) => pauseOf(reader, one, now) !== null)
}

export async function runResume(desk: Desk, order: OrderOf<'resume'>): Promise<Said | undefined> {
  const { target } = order.command
  await desk.shelf.refresh()
  const when = whenOf(desk)
  const known = namesIn(desk)
  return conclude(desk, order, (writing, actor) =>
    target === 'all' ? resumeAll(writing, actor, when) : resumeOne(writing, actor, { target, when, known }),
  )
}

function resumeAll(writing: Writing, actor: Actor, when: When): Said {
  const single = pausedOne(writing, when)
  const own = single.map(
    (one) => `${capital(jobText(one))} is paused separately: /resume ${one.job} ends that.`,
  )
  if (pauseOf(writing, null, when.now) === null)
    return ok([own.length === 0 ? 'Nothing is paused.' : 'Not all jobs are paused.', ...own].join('\n'))
  resume(writing, actor, null)
  return ok([['Jobs and pings resume.', ...dueNow(writing, null, when)].join(' '), ...own].join('\n'))
}

interface Resuming {
  readonly target: JobAsked
  readonly when: When
  readonly known: readonly JobName[]
}

function resumeOne(writing: Writing, actor: Actor, { target, when, known }: Resuming): Said {
  const paused = pausedOne(writing, when)
  // What is paused may have no file any more; and of two of one name, only one may be paused.
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
  const due = all === null ? dueNow(writing, name, when) : []
  return ok([`${capital(jobText(name))} resumes.${others}`, ...due].join(' '))
}

function resume(writing: Writing, { branch, at, author }: Actor, one: JobName | null): void {
  writing.append({ kind: 'jobs-resumed', branch, at, v: 1, one, author })
}

function dueNow(reader: Reader, one: JobName | null, when: When): string[] {
  const due = dueMeanwhile(reader, when).filter(
    ({ what, job }) => one === null || (what === one.what && job === one.job),
  )
  return due.length === 0 ? [] : [`Due meanwhile: ${dueWords(due, when)}.`]
}

function whenOf(desk: Desk): When {
  return { now: desk.now(), zone: desk.settings().zone }
}

function namesIn(desk: Desk): JobName[] {
  return desk.shelf.jobs().map(({ definition }) => nameOf(definition))
}

type JobFound = { readonly name: JobName } | { readonly problem: string }

const SHOWN_COLUMNS = 60

/** The job that was meant. `how` is the command, to say how it is written without doubt. */
function findNamed(known: readonly JobName[], { what, id }: JobAsked, how: string): JobFound {
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

function unknown(known: readonly JobName[], { what, id }: JobAsked): string {
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
