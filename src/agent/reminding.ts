import { oneLine } from '../base/width.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Reminder } from '../schedule/definition.ts'
import type { JobShelf } from '../schedule/job-shelf.ts'
import { newReminder, reminderId, runAtOf } from '../schedule/new-reminder.ts'
import { readWhen, whenText } from '../schedule/when.ts'
import { UnwritableDefinition } from '../schedule/write-definition.ts'
import { PathError } from '../tool/files/path.ts'
import { done, refusal, type Said } from './act.ts'
import { personHere } from './chain-here.ts'
import { dueOf, remindersIn, type Listed, type ReminderParts } from './reminder-list.ts'
import { pauseOf } from './jobs.ts'
import { runAbove } from './run.ts'

/** What a model asks to be reminded of. */
export interface ReminderWish {
  readonly text: string
  readonly when: string
  readonly description?: string
  readonly background?: boolean
  readonly allowPing?: boolean
  readonly maxChain?: number
}

/** So many that are open are enough for anybody; more are a model in a loop. */
export const REMINDERS_MAX = 200

/** One after the other: two at once would choose the same id. */
export function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
}

/** Writes a file that falls due, with no more rights than the branch has that asks for it (SAFE4). */
export async function addReminder(parts: ReminderParts, branch: BranchId, wish: ReminderWish): Promise<Said> {
  const { log, shelf, now, settings } = parts
  const place = { now: now(), zone: settings().zone }
  const when = await readWhen(wish.when, place)
  if ('problem' in when) return refusal(`No reminder is set. ${when.problem}`)
  const body = bodyFrom(wish.text)
  if (body === '') return refusal('No reminder is set: the text is empty. Say what to remind of.')
  await shelf.refresh()
  const there = remindersIn(shelf)
  if (there.length >= REMINDERS_MAX) return refusal(TOO_MANY)
  const reminder = await log.read((reader) => {
    const id = reminderId(body, (name) => isTaken(reader, name, { there, now: place.now }))
    const said = { id, body, runAt: runAtOf(when.at, place.zone) }
    return newReminder({ ...said, ...rightsFor(reader, branch, wish), ...chainOf(id, wish) })
  })
  const problem = await writeReminder(shelf, reminder)
  if (problem !== undefined) return refusal(`No reminder is set. ${problem}`)
  const at = dueOf(reminder, place.zone)
  return done(`Reminder ${reminder.id} is set: ${whenText(at, place)}.${mannerText(reminder)}`)
}

const TOO_MANY = `No reminder is set: there are ${REMINDERS_MAX} open ones already. cancel_reminder cancels those that nobody needs.`

/** Why it could not be written; undefined when it was. */
export async function writeReminder(shelf: JobShelf, reminder: Reminder): Promise<string | undefined> {
  try {
    await shelf.write(reminder)
    return undefined
  } catch (error) {
    if (error instanceof PathError || error instanceof UnwritableDefinition) return error.message
    throw error
  }
}

type Rights = Partial<Reminder> & Pick<Reminder, 'background' | 'allowPing' | 'person'>

/** What a run may not do, nothing that it plans may do: not in main, and not with other tools, skills or another model. */
function rightsFor(reader: Reader, branch: BranchId, wish: ReminderWish): Rights {
  const { background = false, allowPing = true, description = '' } = wish
  const person = personHere(reader, branch)
  const said = { person, description: oneLine(description) }
  const run = runAbove(reader, branch)
  if (run === undefined) return { ...said, background, allowPing }
  const { isolated, model, thinking, reporting, tools, skills } = run
  const inherited = { isolated, model, thinking, reporting, tools, skills }
  return { ...said, ...inherited, background: true, allowPing: allowPing && run.allowPing }
}

function chainOf(id: string, { maxChain = 0 }: ReminderWish): Pick<Reminder, 'chain'> {
  return { chain: { max: maxChain, depth: 0, parent: id } }
}

/** Line ends as files have them; what no file can hold is a blank. */
function bodyFrom(text: string): string {
  const lines = text.toWellFormed().replaceAll(/\r\n?/g, '\n')
  return lines.replaceAll(/(?![\n\t])\p{Cc}/gu, ' ').trim()
}

function mannerText({ background, chain }: Reminder): string {
  const ups = chain.max === 1 ? '1 follow-up' : `up to ${chain.max} follow-ups`
  const manner = [...(background ? ['in the background'] : []), ...(chain.max > 0 ? [`with ${ups}`] : [])]
  return manner.length === 0 ? '' : ` It runs ${manner.join(', ')}.`
}

/** Somebody else's file, or a name under which nothing would happen. */
function isTaken(
  reader: Reader,
  id: string,
  { there, now }: { readonly there: readonly Listed[]; readonly now: number },
): boolean {
  const isThere = there.some(({ reminder }) => reminder.id.toLowerCase() === id.toLowerCase())
  return isThere || pauseOf(reader, { what: 'reminder', job: id }, now) !== null
}
