import { getBranch, lineOf, workOf, type Branch } from '../../context/branch.ts'
import { messagesAdded, type Stretch } from '../../context/message-index.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { JobName } from '../../event/job.ts'
import { OWNER, UNNAMED, personOf } from '../../event/speaker.ts'
import type { Reader } from '../../event/table.ts'
import type { Address, PersonSource } from '../../event/work.ts'
import { admittedAt, type Admitted } from './inbox.ts'
import { addressNear, addressOf, lastHeard, placeOf } from './person.ts'
import { runAbove } from './run.ts'
import { forkTable, turnTable } from './tables.ts'

/** Who asked for a work, why, and what was said in it. A work is a turn together with the turns that it continues. */

/** The address of the person who waits for this work; undefined if nobody waits. */
export function whoAsked(reader: Reader, branch: Branch): Address | undefined {
  const speaker = askedIn(reader, branch)
  if (speaker !== undefined || !isForPeople(branch)) return speaker
  // A job may be for another person than the one who talks there.
  const person = openingOf(reader, branch).jobs.at(-1)?.person ?? null
  const theirs = person === null ? undefined : addressOf(reader, person)
  return theirs ?? addressNear(reader, branch.id)
}

/**
 * The address where the person sees what the host says while the work goes on. A program that passes on their words takes
 * the answer and shows nothing else.
 */
export function whoWatches(reader: Reader, branch: Branch): Address | undefined {
  return isPassedOn(reader, branch) ? addressNear(reader, branch.id) : whoAsked(reader, branch)
}

/** Whether a program passed on what the work answers. */
export function isPassedOn(reader: Reader, branch: Branch): boolean {
  return questionsIn(reader, branch).at(-1)?.source.isText === true
}

/** Whether somebody always waits for what such a branch does. */
export function isForPeople({ mode }: Pick<Branch, 'mode'>): boolean {
  return mode === 'main' || mode === 'fork'
}

/** The address of the person who last spoke in the work. */
export function askedIn(reader: Reader, branch: Branch): Address | undefined {
  return placeOf(questionsIn(reader, branch).at(-1)?.source)
}

/** Whether these words belong to the conversation that the work is for. Work that no person started accepts messages
 * from any conversation. */
export function joinsWork(reader: Reader, branch: Branch, { source }: Admitted): boolean {
  const asked = questionsIn(reader, branch).at(-1)?.source
  return asked === undefined || source.from !== 'person' || talkOf(asked) === talkOf(source)
}

function talkOf({ channel, conversation, thread = '' }: PersonSource): string {
  return JSON.stringify([channel, conversation, thread])
}

interface Question {
  readonly text: string
  readonly source: PersonSource
}

/** People's messages in the work, oldest first. */
export function questionsIn(reader: Reader, branch: Branch): Question[] {
  return heardInWork(reader, branch).flatMap(({ text, admitted }) =>
    admitted?.source.from === 'person' ? { text, source: admitted.source } : [],
  )
}

/** Whether everything that the work answers was said in this conversation. */
export function isAllSaidIn(reader: Reader, branch: Branch, source: PersonSource): boolean {
  const sources = heardInWork(reader, branch).flatMap(({ admitted }) => admitted?.source ?? [])
  return sources.length > 0 && sources.every((one) => one.from === 'person' && talkOf(one) === talkOf(source))
}

/** The person a branch works for; null: the owner, or nobody in particular. */
export function personHere(reader: Reader, branch: BranchId): string | null {
  const run = runAbove(reader, branch)
  const person = run === undefined ? workingFor(reader, branch) : personOf(run)
  return person === OWNER || person === UNNAMED ? null : person
}

/** The person who asked for the work, not just anybody who spoke in the same session. */
function workingFor(reader: Reader, branch: BranchId): string | null {
  const { isByPerson, jobs } = openingOf(reader, getBranch(reader, branch))
  const last = jobs.at(-1)
  if (!isByPerson && last !== undefined) return last.person
  return speakerNear(reader, branch) ?? lastHeard(reader, branch)?.person ?? null
}

/** The person who last spoke in the work of this branch, or of the nearest branch above. */
export function speakerNear(reader: Reader, branch: BranchId): string | undefined {
  for (const one of lineOf(reader, getBranch(reader, branch))) {
    const person = questionsIn(reader, one).at(-1)?.source.person
    if (person !== undefined) return person
  }
  return undefined
}

/** The event that the work answers: a person's last message in it, or else the host's. */
export function causeOf(reader: Reader, branch: Branch): Position | null {
  const taken = heardInWork(reader, branch).flatMap(({ admitted }) => admitted ?? [])
  const last = taken.findLast(({ source }) => source.from === 'person') ?? taken.at(-1)
  return last?.position ?? null
}

/** Whether the host asked this work to wrap up or report a fork, and a person has spoken since. */
export function spokeInSilence(reader: Reader, branch: Branch): boolean {
  const sources = heardInWork(reader, branch).map(({ admitted }) => admitted?.source)
  const wrapUp = sources.findLastIndex(
    (source) => source?.from === 'host' && (source.tag === 'fork-timeout' || source.reportBy !== undefined),
  )
  return wrapUp >= 0 && sources.slice(wrapUp).some((source) => source?.from === 'person')
}

/**
 * Until when the agent of a fork may write the report that the person asked for. Null: nobody asked, or the person took it
 * back by a word or a stop.
 */
export function reportBy(reader: Reader, branch: BranchId): number | null {
  return reader.row(forkTable, [branch])?.report_by ?? null
}

/** Whether a task or mail, not a person, made a child work: then its parent waits for it. */
export function isGiven(reader: Reader, branch: Branch): boolean {
  // A line that the host adds in a turn was never admitted, and gives no work.
  return heardInWork(reader, branch).some(({ admitted }) => (admitted?.source.from ?? 'person') !== 'person')
}

/** How often a model called tools since the work began, including turns that died. */
export function roundsIn(reader: Reader, branch: Branch): number {
  const work = workIn(branch)
  const messages = work === undefined ? [] : messagesAdded(reader, work)
  return messages.filter(({ message }) => message.role === 'assistant' && message.calls.length > 0).length
}

/** Why a work began. */
export interface Opening {
  /** A person spoke first. */
  readonly isByPerson: boolean
  /** The jobs that it does itself or works for. */
  readonly jobs: readonly OpeningJob[]
}

export interface OpeningJob extends JobName {
  /** Null: the owner. */
  readonly person: string | null
  readonly allowPing: boolean
}

/** Why the work of a branch began, if the branch is not a run. */
export function openingOf(reader: Reader, branch: Branch): Opening {
  const work = workIn(branch)
  return work === undefined ? { isByPerson: false, jobs: [] } : openingIn(reader, work)
}

/** The job that a turn was begun for, as of `to`; undefined: a person spoke first, or it is unknown. */
export function jobOfTurn(reader: Reader, turn: TurnId, to: Position): JobName | undefined {
  const beginning = beginningOf(reader, turn)
  const heard = beginning === undefined ? [] : heardIn(reader, { ...beginning, to })
  return isPersons(heard[0]) ? undefined : heard.flatMap(jobsIn).at(-1)
}

function openingIn(reader: Reader, stretch: Stretch): Opening {
  const heard = heardIn(reader, stretch)
  const jobs = heard.flatMap(jobsIn)
  const isByPerson = isPersons(heard[0])
  if (jobs.length > 0 || isByPerson) return { isByPerson, jobs }
  // Otherwise a child could do for a job what the job may not do itself (PING3).
  const work = makingWork(reader, stretch.src)
  return { isByPerson, jobs: work === undefined ? [] : openingIn(reader, work).jobs }
}

function isPersons(heard: Heard | undefined): boolean {
  return heard?.admitted?.source.from === 'person'
}

function jobsIn({ admitted }: Heard): OpeningJob[] {
  const source = admitted?.source
  if (source?.from !== 'host' || source.id === undefined) return []
  if (source.tag !== 'routine' && source.tag !== 'reminder') return []
  const { tag: what, id: job, person = null, allowPing = true } = source
  return [{ what, job, person, allowPing }]
}

/** The model's work that made the branch, up to that point. Undefined: a person made it. */
function makingWork(reader: Reader, branch: BranchId): Stretch | undefined {
  const { forkedAt } = getBranch(reader, branch)
  const made = reader.event(forkedAt)
  if (made.kind !== 'branch-created' || made.author.by !== 'model') return undefined
  const beginning = beginningOf(reader, made.author.turn)
  return beginning && { ...beginning, to: forkedAt }
}

/** The work that a turn belongs to. */
function beginningOf(reader: Reader, turn: TurnId): Stretch | undefined {
  const row = reader.row(turnTable, [turn])
  return row && { src: row.branch, from: row.since }
}

function workIn(branch: Branch): Stretch | undefined {
  const work = workOf(branch)
  return work === null ? undefined : { src: branch.id, from: work.since }
}

/** A message that asks for an answer. Notes do not, so no answer goes to their author. */
interface Heard {
  readonly text: string
  /** Undefined: mail. */
  readonly admitted: Admitted | undefined
}

function heardInWork(reader: Reader, branch: Branch): Heard[] {
  const work = workIn(branch)
  return work === undefined ? [] : heardIn(reader, work)
}

/** Messages to a branch, oldest first. */
function heardIn(reader: Reader, stretch: Stretch): Heard[] {
  return messagesAdded(reader, stretch).flatMap(({ message, took }) => {
    if (message.role !== 'user') return []
    return { text: message.text, admitted: took === undefined ? undefined : admittedAt(reader, took) }
  })
}
