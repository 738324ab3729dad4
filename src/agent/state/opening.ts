import { getBranch, type Branch } from '../../context/branch.ts'
import { messagesIn, rangeOf } from '../../context/message-index.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { HostSource, PersonSource } from '../../event/work.ts'
import { admittedAt } from './inbox.ts'
import { turnTable } from './tables.ts'

/** What the work that runs in a branch was begun for, where it is none of a run. */
export interface Opening {
  /** A person's words came first. */
  readonly isByPerson: boolean
  /** The jobs that it does, or that what it works for does. */
  readonly jobs: readonly OpeningJob[]
}

export interface OpeningJob extends JobName {
  /** Null: the owner. */
  readonly person: string | null
  readonly allowPing: boolean
}

/** Of the work that runs, or of the last one while nothing parted the next turn from it. */
export function openingOf(reader: Reader, { id, state }: Branch): Opening {
  const work = state.kind === 'running' ? state : state.kind === 'idle' ? state.last : null
  if (work === null) return { isByPerson: false, jobs: [] }
  return openingIn(reader, { branch: id, from: work.since, to: Number.MAX_SAFE_INTEGER })
}

/** The job for which a turn was begun, as of what it was told up to there; undefined: a person spoke first, or nobody says what for. */
export function jobOfTurn(reader: Reader, turn: TurnId, to: Position): JobName | undefined {
  const beginning = beginningOf(reader, turn)
  if (beginning === undefined) return undefined
  const sources = sourcesIn(reader, { ...beginning, to })
  return sources[0]?.from === 'person' ? undefined : sources.flatMap((source) => jobOf(source) ?? []).at(-1)
}

interface Stretch {
  readonly branch: BranchId
  readonly from: number
  readonly to: number
}

function openingIn(reader: Reader, stretch: Stretch): Opening {
  const sources = sourcesIn(reader, stretch)
  const jobs = sources.flatMap((source) => jobOf(source) ?? [])
  const isByPerson = sources[0]?.from === 'person'
  if (jobs.length > 0 || isByPerson) return { isByPerson, jobs }
  // Else what a job may not do, a child that it makes could do for it (PING3).
  const work = makingWork(reader, stretch.branch)
  return { isByPerson, jobs: work === undefined ? [] : openingIn(reader, work).jobs }
}

type Source = HostSource | PersonSource | undefined

/** Of what was said to a branch, oldest first; undefined: it was mail. */
function sourcesIn(reader: Reader, { branch, from, to }: Stretch): Source[] {
  const range = rangeOf(reader, branch, { from, to })
  return (range === undefined ? [] : messagesIn(reader, range)).flatMap(({ position }): Source[] => {
    const { message, took } = reader.event(position) as EventOf<'message-added'>
    if (message.role !== 'user') return []
    return [took === undefined ? undefined : admittedAt(reader, took).source]
  })
}

function jobOf(source: Source): OpeningJob | undefined {
  if (source?.from !== 'host' || source.id === undefined) return undefined
  if (source.tag !== 'routine' && source.tag !== 'reminder') return undefined
  const { tag: what, id: job, person = null, allowPing = true } = source
  return { what, job, person, allowPing }
}

/** What was said in the work of a model that made the branch, until then. Undefined: a person made it. */
function makingWork(reader: Reader, branch: BranchId): Stretch | undefined {
  const { forkedAt } = getBranch(reader, branch)
  const made = reader.event(forkedAt)
  if (made.kind !== 'branch-created' || made.author.by !== 'model') return undefined
  const beginning = beginningOf(reader, made.author.turn)
  return beginning && { ...beginning, to: forkedAt }
}

/** Where the work began that a turn belongs to. */
function beginningOf(reader: Reader, turn: TurnId): Omit<Stretch, 'to'> | undefined {
  const row = reader.row(turnTable, [turn])
  return row && { branch: row.branch, from: row.since }
}
