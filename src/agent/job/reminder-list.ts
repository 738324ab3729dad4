import { whenText, type Place } from '../../base/time-text.ts'
import type { Clock } from '../../base/clock.ts'
import { nearest } from '../../base/nearest.ts'
import { oneLine, shorten } from '../../base/width.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import type { Reminder } from '../../schedule/definition.ts'
import type { JobShelf } from '../../schedule/job-shelf.ts'
import { PathError } from '../../tool/files/path.ts'
import { type Said, ok, refusal } from '../contract/act.ts'
import { reminderDue } from '../state/jobs.ts'
import { firedAt, knownJob, pauseOf } from '../state/jobs.ts'
import type { Propose } from '../right/proposing.ts'
import type { AgentSettings } from '../state/settings.ts'
import { personHere } from '../state/asker.ts'
import { personOf } from '../../event/speaker.ts'

export interface ReminderParts {
  readonly log: Log
  readonly shelf: JobShelf
  readonly now: Clock
  readonly settings: () => Pick<AgentSettings, 'zone'>
  /** Sends what is in the outbox. Left out: somebody else does. */
  readonly deliver?: () => void
  /** Left out: a reminder that needs the person's approval is refused. */
  readonly propose?: Propose
}

export interface Listed {
  readonly reminder: Reminder
  readonly file: string
}

export function remindersIn(shelf: JobShelf): Listed[] {
  return shelf
    .jobs()
    .flatMap(({ definition, file }) => (definition.kind === 'reminder' ? { reminder: definition, file } : []))
}

const LISTED_MAX = 50
const WORDS_COLUMNS = 60

/** The soonest first. */
export async function listReminders(parts: ReminderParts, branch: BranchId): Promise<Said> {
  const { log, shelf, now, settings } = parts
  await shelf.refresh()
  const place = { now: now(), zone: settings().zone }
  return log.read((reader) => {
    const mine = ownOf(reader, branch, remindersIn(shelf))
      .map(({ reminder }) => ({ reminder, at: reminderDue(reader, reminder, place.zone) ?? 0 }))
      .filter(({ reminder, at }) => firedAt(reader, reminder.id, at) === undefined)
      .toSorted((a, b) => a.at - b.at || (a.reminder.id < b.reminder.id ? -1 : 1))
    if (mine.length === 0) return ok('No reminders are set.')
    const lines = mine.slice(0, LISTED_MAX).map(({ reminder, at }) => {
      const marks = marksOf(reader, reminder, place.now)
      return `${reminder.id}: ${whenText(at, place)}${marks}: ${wordsOf(reminder)}`
    })
    const more = mine.length - lines.length
    if (pauseOf(reader, null, place.now) !== null) lines.unshift('(All jobs are paused.)')
    if (more > 0) lines.push(`and ${more} later ones`)
    return ok(lines.join('\n'))
  })
}

/** A guest sees only their own reminders; the owner sees all. */
function ownOf(reader: Reader, branch: BranchId, all: readonly Listed[]): readonly Listed[] {
  const person = personHere(reader, branch)
  return person === null ? all : all.filter(({ reminder }) => personOf(reminder) === person)
}

function marksOf(reader: Reader, { id, background, chain, person }: Reminder, now: number): string {
  const isPaused = pauseOf(reader, { what: 'reminder', job: id }, now) !== null
  const marks = [
    ...(background ? ['background'] : []),
    ...(chain.max > 0 ? [`check ${chain.depth + 1}/${chain.max + 1}`] : []),
    ...(person === null ? [] : [`for ${oneLine(person)}`]),
    ...(isPaused ? ['paused'] : []),
  ]
  return marks.length === 0 ? '' : ` (${marks.join(', ')})`
}

function wordsOf({ description, body }: Reminder): string {
  return shorten(oneLine(description === '' ? body : description), WORDS_COLUMNS)
}

/** Cancels by id, or by a unique beginning of one. A reminder that has fired comes, even if its file is still there. */
export async function cancelReminder(parts: ReminderParts, branch: BranchId, id: string): Promise<Said> {
  const { log, shelf, now, settings } = parts
  await shelf.refresh()
  const place = { now: now(), zone: settings().zone }
  const found = await log.read((reader) => {
    const named = namedIn(ownOf(reader, branch, remindersIn(shelf)), id)
    if ('isError' in named) return firedSaid(reader, { branch, id, place }) ?? named
    const at = reminderDue(reader, named.reminder, place.zone) ?? 0
    return { ...named, at, fired: firedAt(reader, named.reminder.id, at) }
  })
  if ('isError' in found) return found
  const { reminder, file, at } = found
  if (found.fired !== undefined) return refusal(firedText(reminder.id, at, place))
  let isRemoved: boolean
  try {
    isRemoved = await shelf.remove(file)
  } catch (error) {
    if (error instanceof PathError) return refusal(`It is not cancelled. ${error.message}`)
    throw error
  }
  // Written after anything in progress: a firing that began before the file was removed counts.
  const fired = await log.write((writing) => firedAt(writing, reminder.id, at))
  if (fired !== undefined) return refusal(firedText(reminder.id, at, place))
  if (!isRemoved) return refusal(`Reminder ${reminder.id} is already gone.`)
  return ok(`Cancelled reminder ${reminder.id}, ${whenText(at, place)}: ${wordsOf(reminder)}`)
}

function firedText(id: string, at: number, place: Place): string {
  return `Reminder ${id} has already fired: ${whenText(at, place)}. If it has not come yet, it comes next. Nothing was cancelled.`
}

const LATELY_MS = 3_600_000

/** The refusal for a reminder that was fired a moment ago. Guests are not told about other people's. */
function firedSaid(
  reader: Reader,
  { branch, id, place }: { branch: BranchId; id: string; place: Place },
): Said | undefined {
  const known = knownJob(reader, { what: 'reminder', job: idIn(id) })
  const fired = known?.fired == null ? undefined : reader.event(known.fired)
  if (fired?.kind !== 'job-fired' || place.now - fired.at > LATELY_MS) return undefined
  return personHere(reader, branch) === null ? refusal(firedText(fired.job, fired.due, place)) : undefined
}

function idIn(given: string): string {
  return given
    .trim()
    .replace(/^reminders?[ /:]/i, '')
    .replace(/\.md$/i, '')
}

function namedIn(all: readonly Listed[], given: string): Listed | Said {
  const word = idIn(given)
  const keys = all.map((one) => ({ one, key: one.reminder.id.toLowerCase() }))
  const exact = keys.find(({ key }) => key === word.toLowerCase())
  if (exact !== undefined) return exact.one
  const begun = word === '' ? [] : keys.filter(({ key }) => key.startsWith(word.toLowerCase()))
  const [only, ...others] = begun
  if (only !== undefined && others.length === 0) return only.one
  const quoted = `'${shorten(oneLine(word), WORDS_COLUMNS)}'`
  if (only !== undefined)
    return refusal(
      `${quoted} could be ${idsText(begun.map(({ one }) => one))}. Give the whole id. Nothing was cancelled.`,
    )
  if (all.length === 0) return refusal(`There is no reminder ${quoted}: none are set.`)
  const known = keys.map(({ key }) => key)
  const near = nearest(word.toLowerCase(), known)
  const meant = near === undefined ? ` There are: ${idsText(all)}.` : ` Did you mean ${near}?`
  return refusal(`There is no reminder ${quoted}.${meant} Nothing was cancelled.`)
}

const IDS_MAX = 20

function idsText(all: readonly Listed[]): string {
  const ids = all.slice(0, IDS_MAX).map(({ reminder }) => reminder.id)
  return [...ids, ...(all.length > IDS_MAX ? [`and ${all.length - IDS_MAX} more`] : [])].join(', ')
}
