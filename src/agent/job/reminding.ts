import { z } from 'zod'
import { isoInstant } from '../../base/iso-time.ts'
import { whenText } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { getBranch } from '../../context/branch.ts'
import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Reminder } from '../../schedule/definition.ts'
import { JobTakenError, type JobShelf } from '../../schedule/job-shelf.ts'
import { newReminder, reminderId, runAtOf } from '../../schedule/new-reminder.ts'
import { filesFor } from '../../schedule/shelving.ts'
import { readWhen } from '../../schedule/when.ts'
import { definitionText, UnwritableDefinition } from '../../schedule/write-definition.ts'
import { PathError } from '../../tool/files/path.ts'
import type { CallContext } from '../../tool/tool.ts'
import { type Said, ok, refusal } from '../contract/act.ts'
import { remindersIn, type Listed, type ReminderParts } from './reminder-list.ts'
import { pauseOf } from '../state/jobs.ts'
import { isForPeople, openingOf, personHere, whoWatches } from '../state/asker.ts'
import { mainOrSelf } from '../state/person.ts'
import { rootOfReminder } from '../state/cause.ts'
import { nameOf, scheduleText } from '../state/jobs.ts'
import { say } from '../state/outbox.ts'
import { visible } from '../right/call-wording.ts'
import { personOf } from '../../event/speaker.ts'
import { runAbove } from '../state/run.ts'

export const TEXT_CHARS_MAX = 4_000
export const CHAIN_MAX = 100

/** A reminder as a model asks for it. */
export const reminderAsked = z.strictObject({
  text: z.string().trim().min(1).max(TEXT_CHARS_MAX).describe('What to do or say then'),
  when: z.string().max(500).describe('A time, as in "Friday 9:00"'),
  description: z.string().max(200).describe('A few words for lists').exactOptional(),
  background: z.boolean().describe('Run in the background').exactOptional(),
  allow_ping: z.boolean().describe('false: a background run must not ping').exactOptional(),
  max_chain: z.int().min(0).max(CHAIN_MAX).describe('Follow-up checks; 0 unless given').exactOptional(),
})

type ReminderWish = z.output<typeof reminderAsked>

/** More open reminders than this come from a model in a loop. */
export const REMINDERS_MAX = 200

/** Runs works one after the other: two at once would choose the same id. */
export function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => undefined)
    return next
  }
}

/** Writes a reminder's file, with no more rights than the branch that asks for it (SAFE4). */
export async function addReminder(
  parts: ReminderParts,
  call: CallContext,
  wish: ReminderWish,
): Promise<Said> {
  const { shelf, now, settings } = parts
  const place = { now: now(), zone: settings().zone }
  const when = await readWhen(wish.when, place)
  if ('problem' in when) return refusal(`No reminder is set. ${when.problem}`)
  const body = bodyFrom(wish.text)
  if (body === '') return refusal('No reminder is set: the text is empty. Say what to remind of.')
  // Another process may take the same id at the same moment.
  for (const taken = new Set<string>(); ;) {
    await shelf.refresh()
    if (remindersIn(shelf).length >= REMINDERS_MAX) return refusal(TOO_MANY)
    const said = { body, runAt: runAtOf(when.at, place.zone) }
    const { reminder, isFromOutside } = await planned(parts, call.branch, { said, wish, taken })
    if (isFromOutside) return propose(parts, call, reminder)
    await recordRoot(parts, call.branch, reminder)
    const written = await writeReminder(shelf, reminder, { isNew: true })
    if (written === 'taken') {
      taken.add(reminder.id)
      continue
    }
    if (written !== undefined) return refusal(`No reminder is set. ${written.problem}`)
    const time = whenText(when.at, place)
    await announce(parts, call.branch, { reminder, time })
    return ok(`Reminder ${reminder.id} is set: ${time}.${mannerText(reminder)}`)
  }
}

const WORDS_COLUMNS = 100

/** Tells the person what will wake the agent, whatever the model says. A run's words come only by a ping. */
async function announce(
  { log, now, deliver }: ReminderParts,
  id: BranchId,
  { reminder, time }: { readonly reminder: Reminder; readonly time: string },
): Promise<void> {
  const at = now()
  await log.write((writing) => {
    const asker = getBranch(writing, id)
    const branch = mainOrSelf(writing, id)
    const to = isForPeople(asker) ? whoWatches(writing, asker) : undefined
    const text = `The agent set the reminder ${reminder.id}: ${time}. /reminders lists them.`
    if (to === undefined) {
      const notice = { person: personOf(reminder), cause: 'reminders', text }
      return writing.append({ kind: 'notice-raised', branch, at, ...notice })
    }
    const words = shorten(oneLine(visible(reminder.body)), WORDS_COLUMNS)
    return say(writing, {
      branch,
      at,
      to,
      notice: 'reminder-set',
      text: `${text} Its text: ${words}`,
      cause: null,
    })
  })
  deliver?.()
}

const TOO_MANY = `No reminder is set: there are ${REMINDERS_MAX} open ones already. cancel_reminder cancels those that nobody needs.`

interface Planning {
  readonly said: Pick<Reminder, 'body' | 'runAt'>
  readonly wish: ReminderWish
  readonly taken: ReadonlySet<string>
}

function planned({ log, shelf, now }: ReminderParts, branch: BranchId, { said, wish, taken }: Planning) {
  return log.read((reader) => {
    const free = { there: remindersIn(shelf), now: now(), taken }
    const id = reminderId(said.body, (name) => isTaken(reader, name, free), shelf.prefix)
    const chain = { max: wish.max_chain ?? 0, depth: 0, parent: id }
    const reminder = newReminder({ id, ...said, ...rightsFor(reader, branch, wish), chain, isByModel: true })
    return { reminder, isFromOutside: runAbove(reader, branch)?.tag === 'webhook' }
  })
}

/** A webhook's reminder needs approval: it would come back as the person's own task, with its tools (SAFE2, SAFE4). */
async function propose(parts: ReminderParts, call: CallContext, reminder: Reminder): Promise<Said> {
  if (parts.propose === undefined)
    return refusal(
      'No reminder is set: this run was started by data from outside, and such a run plans nothing. Say in your answer what should be planned.',
    )
  try {
    const after = await definitionText(reminder)
    const path = freeFile(parts.shelf, reminder)
    const why = 'comes from outside'
    const number = await parts.propose(call, { kind: 'file', path, before: undefined, after, why })
    return ok(
      `Reminder ${reminder.id} is not set yet: this run was started by data from outside, so the person has to approve it (approval ${number}). There is nothing else to do.`,
    )
  } catch (error) {
    if (error instanceof UnwritableDefinition) return refusal(`No reminder is set. ${error.message}`)
    throw error
  }
}

function freeFile(shelf: JobShelf, reminder: Reminder): string {
  const there = new Set([...shelf.jobs(), ...shelf.problems()].map(({ file }) => file.toLowerCase()))
  for (const file of filesFor(reminder)) if (!there.has(file.toLowerCase())) return file
  throw new Error('there is always another name for a file')
}

/**
 * Before its file: whose job the reminder works for, if no person's message (CAUSE2). A file alone would say nothing, and
 * reminders that set reminders would go on for ever.
 */
export async function recordRoot(
  { log, now, settings }: Pick<ReminderParts, 'log' | 'now' | 'settings'>,
  branch: BranchId,
  reminder: Reminder,
): Promise<void> {
  const at = now()
  const { zone } = settings()
  await log.write((writing) => {
    const root = rootOfReminder(writing, branch)
    if (root === undefined || reminder.runAt === null) return
    const due = Math.max(0, isoInstant(reminder.runAt, reminder.timezone ?? zone))
    const [file = ''] = filesFor(reminder)
    const schedule = { ...nameOf(reminder), file, schedule: scheduleText(reminder), due, root }
    writing.append({ kind: 'job-scheduled', branch, at, ...schedule })
  })
}

/** Undefined when it was written, or else why not. `taken`: a new reminder's id exists already. */
export async function writeReminder(
  shelf: JobShelf,
  reminder: Reminder,
  how: { readonly isNew: boolean },
): Promise<'taken' | { readonly problem: string } | undefined> {
  try {
    await shelf.write(reminder, how)
    return undefined
  } catch (error) {
    if (error instanceof JobTakenError) return 'taken'
    if (error instanceof PathError || error instanceof UnwritableDefinition) return { problem: error.message }
    throw error
  }
}

/** A run's reminders have its limits: in the background, with the same tools, skills and model. */
function rightsFor(reader: Reader, branch: BranchId, wish: ReminderWish): Partial<Reminder> {
  const { background = false, allow_ping: allowPing = true, description = '' } = wish
  const person = personHere(reader, branch)
  const said = { person, description: oneLine(description) }
  const run = runAbove(reader, branch)
  if (run === undefined) {
    const { jobs } = openingOf(reader, getBranch(reader, branch))
    return { ...said, background, allowPing: allowPing && jobs.every((job) => job.allowPing) }
  }
  // Without its tools and skills: a run that was talked into something could pass them on to itself for ever.
  const { isolated, model, thinking, reporting } = run
  const inherited = { isolated, model, thinking, reporting }
  return { ...said, ...inherited, background: true, allowPing: allowPing && run.allowPing }
}

/** With `\n` line ends. Control characters, which no file can hold, become blanks. */
function bodyFrom(text: string): string {
  const lines = text.toWellFormed().replaceAll(/\r\n?/g, '\n')
  return lines.replaceAll(/(?![\n\t])\p{Cc}/gu, ' ').trim()
}

function mannerText({ background, chain }: Reminder): string {
  const ups = chain.max === 1 ? '1 follow-up' : `up to ${chain.max} follow-ups`
  const manner = [...(background ? ['in the background'] : []), ...(chain.max > 0 ? [`with ${ups}`] : [])]
  return manner.length === 0 ? '' : ` It runs ${manner.join(', ')}.`
}

/** Whether an id belongs to another reminder, or is paused so that nothing would happen. */
function isTaken(
  reader: Reader,
  id: string,
  { there, now, taken }: { there: readonly Listed[]; now: number; taken: ReadonlySet<string> },
): boolean {
  const isThere = there.some(({ reminder }) => reminder.id.toLowerCase() === id.toLowerCase())
  return isThere || taken.has(id) || pauseOf(reader, { what: 'reminder', job: id }, now) !== null
}
