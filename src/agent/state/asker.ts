import { getBranch, lineOf, type Branch } from '../../context/branch.ts'
import { messagesIn, rangeOf } from '../../context/message-index.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address, PersonSource } from '../../event/work.ts'
import { admittedAt, type Admitted } from './inbox.ts'
import { openingOf } from './opening.ts'
import { addressNear, addressOf, lastHeard, placeOf } from './person.ts'
import { runAbove } from './run.ts'
import { OWNER, UNNAMED, personOf } from '../../event/speaker.ts'

/** Who asked for a work, and what was said in it. A work is a turn with those that it continues. */

/** Where the person is answered who waits for this work; undefined when nobody does. */
export function whoAsked(reader: Reader, branch: Branch): Address | undefined {
  const asked = askedIn(reader, branch)
  if (asked !== undefined || !isForPeople(branch)) return asked
  return forWhom(reader, branch) ?? addressNear(reader, branch.id)
}

/** A job may be for somebody else than who talks there. */
function forWhom(reader: Reader, branch: Branch): Address | undefined {
  const person = openingOf(reader, branch).jobs.at(-1)?.person ?? null
  return person === null ? undefined : addressOf(reader, person)
}

/** Somebody waits for whatever such a branch does. */
export function isForPeople({ mode }: Pick<Branch, 'mode'>): boolean {
  return mode === 'main' || mode === 'fork'
}

/** Where the person is who spoke last in the work. */
export function askedIn(reader: Reader, branch: Branch): Address | undefined {
  return placeOf(questionsIn(reader, branch).at(-1)?.source)
}

interface Question {
  readonly text: string
  readonly source: PersonSource
}

/** What people said in the work, oldest first. */
export function questionsIn(reader: Reader, branch: Branch): Question[] {
  return workMessages(reader, branch).flatMap(({ took, message }) => {
    // A note asks for no answer: whoever adds one from elsewhere does not draw the answer there.
    if (took === undefined || message.role !== 'user') return []
    const { source } = admittedAt(reader, took)
    return source.from === 'person' ? { text: message.text, source } : []
  })
}

/** Whose work a branch does; null: the owner's, or of nobody in particular. */
export function personHere(reader: Reader, branch: BranchId): string | null {
  const run = runAbove(reader, branch)
  const person = run === undefined ? workingFor(reader, branch) : personOf(run)
  return person === OWNER || person === UNNAMED ? null : person
}

/** Who asked for the work, and not whoever else says a word to the same session. */
function workingFor(reader: Reader, branch: BranchId): string | null {
  const { isByPerson, jobs } = openingOf(reader, getBranch(reader, branch))
  const last = jobs.at(-1)
  if (!isByPerson && last !== undefined) return last.person
  return speakerNear(reader, branch) ?? lastHeard(reader, branch)?.person ?? null
}

/** Who spoke last in the work of this branch, or else of the nearest one above. */
export function speakerNear(reader: Reader, branch: BranchId): string | undefined {
  for (const one of lineOf(reader, getBranch(reader, branch))) {
    const person = questionsIn(reader, one).at(-1)?.source.person
    if (person !== undefined) return person
  }
  return undefined
}

/** The event that the work answers: what a person said last in it, or else what the host did. */
export function causeOf(reader: Reader, branch: Branch): Position | null {
  const taken = takenIn(reader, branch)
  const last = taken.findLast(({ source }) => source.from === 'person') ?? taken.at(-1)
  return last?.position ?? null
}

/** What was said to the work, oldest first; notes ask for nothing. */
function takenIn(reader: Reader, branch: Branch): Admitted[] {
  return workMessages(reader, branch).flatMap(({ took, message }) =>
    took === undefined || message.role !== 'user' ? [] : admittedAt(reader, took),
  )
}

/** Whether the host asked in the work to wrap up, since nobody spoke, and a person has spoken after that. */
export function spokeInSilence(reader: Reader, branch: Branch): boolean {
  const sources = takenIn(reader, branch).map(({ source }) => source)
  const asked = sources.findLastIndex((source) => source.from === 'host' && source.tag === 'fork-timeout')
  return asked >= 0 && sources.slice(asked).some(({ from }) => from === 'person')
}

/** Whether anything but a person's words made a child work: a task, or mail. Then its parent waits for it. */
export function isGiven(reader: Reader, branch: Branch): boolean {
  return workMessages(reader, branch).some(({ took, message }) => {
    if (message.role !== 'user') return false
    return took === undefined || admittedAt(reader, took).source.from === 'host'
  })
}

/** How often a model called tools since the work began, in turns that died too. */
export function roundsIn(reader: Reader, branch: Branch): number {
  return workMessages(reader, branch).filter(
    ({ message }) => message.role === 'assistant' && message.calls.length > 0,
  ).length
}

/** Of the work that runs, or of the last one while nothing parted the next turn from it. */
function workMessages(reader: Reader, { id, state }: Branch): EventOf<'message-added'>[] {
  const from = since(state)
  const range = from && rangeOf(reader, id, { from, to: Number.MAX_SAFE_INTEGER })
  if (range === undefined) return []
  return messagesIn(reader, range).map(({ position }) => reader.event(position) as EventOf<'message-added'>)
}

function since(state: Branch['state']): Position | undefined {
  if (state.kind === 'running') return state.since
  return state.kind === 'idle' ? state.last?.since : undefined
}
