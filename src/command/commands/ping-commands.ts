import { whenText } from '../../base/time-text.ts'
import { ok, refusal } from '../../agent/contract/act.ts'
import { jobOfPing, personPinged, pingsOfJob } from '../../agent/state/ledger.ts'
import { runIn } from '../../agent/state/run.ts'
import { pingTable } from '../../agent/state/tables.ts'
import { sentence } from '../../base/words.ts'
import type { EventOf } from '../../event/event.ts'
import { jobText, type JobName } from '../../event/job.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Reminder } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { newReminder, runAtOf } from '../../schedule/new-reminder.ts'
import { UnwritableDefinition } from '../../schedule/write-definition.ts'
import { PathError } from '../../tool/files/path.ts'
import type { Commands, Desk, OrderOf, Outcome, Work } from '../desk/desk.ts'
import { pingNumbered, type PingMessage } from '../desk/numbered.ts'
import { shortName } from '../../view/pings-text.ts'
import { jobsOf, paceText } from '../../view/pings.ts'
import { snoozeEnd } from '../desk/ping-said.ts'
import { OWNER } from '../../event/speaker.ts'

export const pingCommands: Commands<'done' | 'snooze' | 'less' | 'here'> = {
  /** Also cancels the snooze of the ping and the next checks of its chain. */
  done: async (desk, order) => {
    const found = await pingNamed(desk, order)
    if (typeof found === 'string') return refusal(found)
    await desk.shelf.refresh()
    const checks = await followUpsOf(desk, found)
    const problem = await callOff(desk, [...snoozesOf(desk, found), ...checks])
    if (problem !== undefined) return refusal(problem)
    const rest = checks.map(({ definition: { id } }) => ` The follow-up ${id} is cancelled.`)
    return answered(found, { answer: 'done' }, [`#${found.number} is done.`, ...rest].join(''))
  },

  /** Writes a reminder, which anybody can see and change, that brings the same message again. */
  snooze: async (desk, order) => {
    const found = await pingNamed(desk, order)
    if (typeof found === 'string') return refusal(found)
    const when = { now: desk.now(), zone: desk.settings().zone }
    const end = await snoozeEnd(order.command.when, when)
    if ('problem' in end) return refusal(`Not snoozed: ${end.problem}`)
    const [{ position: snoozeOf }] = found.pings
    const person = await desk.log.read((reader) => personPinged(reader, found.pings[0]))
    const reminder = newReminder({
      id:
        snoozesOf(desk, found)[0]?.definition.id ??
        `${desk.shelf.prefix ?? ''}snooze-${found.number}-${snoozeOf}`,
      person: person === OWNER ? null : person,
      runAt: runAtOf(end.at, when.zone),
      snoozeOf,
      body: bodyOf(found),
    })
    const problem = await problemOf(() => desk.shelf.write(reminder))
    if (problem !== undefined) return refusal(`Not snoozed: ${sentence(problem)}`)
    return answered(found, { answer: 'snoozed', until: end.at }, `Snoozed until ${whenText(end.at, when)}.`)
  },

  here: async (desk, { source: { channel, conversation, person } }) => {
    if (person !== OWNER) return ok('Pings come to where you wrote last, which is here.')
    const problem = await desk.configure('pings.to', `${channel}:${conversation}`)
    return problem === undefined ? ok('Pings come here from now on.') : refusal(sentence(problem))
  },

  /** Once for each message: the same button pressed twice counts once. */
  less:
    (_, { source, numbered = source, command: { number } }) =>
    (writing, { branch, at }) => {
      const found = pingNumbered(writing, numbered, { number, how: '/less' })
      if (typeof found === 'string') return refusal(found)
      const jobs = jobsBehind(writing, found)
      if (jobs.length === 0) return refusal(`#${number} does not come from a job, so /less does not apply.`)
      for (const { name, ping } of jobs)
        if (!isLess(writing, { name, ping }))
          writing.append({ kind: 'ping-answered', branch, at, ping: ping.position, answer: 'less' })
      return ok(jobs.map(({ name, ping }) => lessText(writing, { name, ping })).join('\n'))
    },
}

function pingNamed(
  desk: Desk,
  { source, numbered = source, command }: OrderOf<'done' | 'snooze'>,
): Promise<PingMessage | string> {
  const { name, number } = command
  return desk.log.read((reader) => pingNumbered(reader, numbered, { number, how: `/${name}` }))
}

function answered(
  { pings }: PingMessage,
  answer: { readonly answer: 'done' } | { readonly answer: 'snoozed'; readonly until: number },
  text: string,
): Outcome {
  const work: Work = (writing, { branch, at }) => {
    for (const { position: ping } of pings)
      writing.append({ kind: 'ping-answered', branch, at, ping, ...answer })
    return ok(text)
  }
  return { work, isDone: true }
}

type LoadedReminder = LoadedJob & { readonly definition: Reminder }

function remindersIn(desk: Desk, isMeant: (reminder: Reminder) => boolean): LoadedReminder[] {
  return desk.shelf.jobs().flatMap((job) => {
    const { definition } = job
    return definition.kind === 'reminder' && isMeant(definition) ? [{ ...job, definition }] : []
  })
}

/** Reminders that bring this ping back. */
function snoozesOf(desk: Desk, { pings }: PingMessage): LoadedReminder[] {
  return remindersIn(desk, ({ snoozeOf }) => pings.some(({ position }) => position === snoozeOf))
}

/** The next checks of the chains behind the pings. */
async function followUpsOf(desk: Desk, { pings }: PingMessage): Promise<LoadedReminder[]> {
  const parents = await desk.log.read((reader) =>
    pings.flatMap((ping) => {
      const run = ping.run === null ? undefined : runIn(reader, ping.run)
      return run?.chain?.parent ?? jobOfPing(reader, ping)?.job ?? []
    }),
  )
  return remindersIn(desk, ({ chain }) => chain.depth > 0 && parents.includes(chain.parent))
}

async function callOff(desk: Desk, reminders: readonly LoadedReminder[]): Promise<string | undefined> {
  for (const { file } of reminders) {
    const problem = await problemOf(() => desk.shelf.remove(file))
    if (problem !== undefined)
      return `Not done: ${file} cannot be removed, so it would come again: ${sentence(problem)}`
  }
  return undefined
}

/** Why a file could not be changed, for the person: the disk, or a text that no file can hold. */
async function problemOf(act: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    const isSaid = error instanceof PathError || error instanceof UnwritableDefinition
    if (error instanceof Error && (isSaid || 'code' in error)) return error.message
    throw error
  }
}

/** For people who open the file. The message itself comes from the log, so characters no file can hold are left out. */
function bodyOf({ message: { text } }: PingMessage): string {
  const lines = text.toWellFormed().replaceAll(/(?!\n)\p{Cc}/gu, ' ')
  return lines.trim() || 'A ping that was snoozed.'
}

interface JobPing {
  readonly name: JobName
  readonly ping: EventOf<'ping-decided'>
}

/** Each job once, with its first ping in the message. */
function jobsBehind(reader: Reader, { pings }: PingMessage): JobPing[] {
  const found = new Map<string, JobPing>()
  for (const ping of pings) {
    const name = jobOfPing(reader, ping)
    if (name !== undefined && !found.has(jobText(name))) found.set(jobText(name), { name, ping })
  }
  return [...found.values()]
}

/** In answer to this message, and not undone since. */
function isLess(reader: Reader, { name, ping }: JobPing): boolean {
  const row = reader.row(pingTable, [personPinged(reader, ping), ping.position])
  return row?.answer === 'less' && (pingsOfJob(reader, name)?.less ?? 0) > 0
}

function lessText(writing: Writing, { name, ping }: JobPing): string {
  const pings = pingsOfJob(writing, name)
  const short = pings && shortName(pings, jobsOf(writing, personPinged(writing, ping)))
  return `Less of ${jobText(name)}: ${paceText(pings?.less ?? 1)} from now on. /ping-budget more ${short ?? name.job} undoes it.`
}
