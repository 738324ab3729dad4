import { whenText } from '../../base/time-text.ts'
import { type Said, ok, refusal } from '../../agent/contract/act.ts'
import { jobOfPing, personPinged, pingsOfJob } from '../../agent/state/ledger.ts'
import { runIn } from '../../agent/state/run.ts'
import { pingTable } from '../../agent/state/tables.ts'
import { sentence } from '../../base/words.ts'
import type { EventOf } from '../../event/event.ts'
import { jobText, type JobName } from '../../event/job.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import type { Reminder } from '../../schedule/definition.ts'
import type { LoadedJob } from '../../schedule/job-shelf.ts'
import { newReminder, runAtOf } from '../../schedule/new-reminder.ts'
import { UnwritableDefinition } from '../../schedule/write-definition.ts'
import { PathError } from '../../tool/files/path.ts'
import { conclude, concludeDone, wasRun, type Desk, type Order, type OrderOf } from '../desk/desk.ts'
import { pingNumbered, type PingMessage } from '../desk/numbered.ts'
import { paceText, shortName } from '../../view/pings-text.ts'
import { jobsOf } from '../../view/pings.ts'
import { snoozeEnd, type PingCommand } from '../desk/ping-said.ts'
import { OWNER } from '../../event/speaker.ts'

type Ping = EventOf<'ping-decided'>

/** The person has seen to it. What they had put off does not come back, nor is it asked again. */
export async function runDone(desk: Desk, order: OrderOf<'done'>): Promise<Said | undefined> {
  const found = await named(desk, order)
  if (typeof found !== 'object') return found === undefined ? undefined : refuse(desk, order, found)
  await desk.shelf.refresh()
  const checks = await followUpsOf(desk, found)
  const problem = await callOff(desk, [...snoozesOf(desk, found), ...checks])
  if (problem !== undefined) return refuse(desk, order, problem)
  return concludeDone(desk, order, (writing, { branch, at }) => {
    for (const { position: ping } of found.pings)
      writing.append({ kind: 'ping-answered', branch, at, v: 1, ping, answer: 'done' })
    const rest = checks.map(({ definition: { id } }) => ` The follow-up ${id} is cancelled.`)
    return ok([`#${found.number} is done.`, ...rest].join(''))
  })
}

/** The same message comes again at that time, as a reminder that anybody can see and change. */
export async function runSnooze(desk: Desk, order: OrderOf<'snooze'>): Promise<Said | undefined> {
  const found = await named(desk, order)
  if (typeof found !== 'object') return found === undefined ? undefined : refuse(desk, order, found)
  const { zone } = desk.settings()
  const now = desk.now()
  const end = await snoozeEnd(order.command.when, { now, zone })
  if ('problem' in end) return refuse(desk, order, `Not snoozed: ${end.problem}`)
  const { at: until } = end
  const [{ position: snoozeOf }] = found.pings
  const person = await desk.log.read((reader) => personPinged(reader, found.pings[0]))
  const id = snoozesOf(desk, found)[0]?.definition.id ?? `snooze-${found.number}-${snoozeOf}`
  const problem = await kept(() =>
    desk.shelf.write(
      newReminder({
        id,
        person: person === OWNER ? null : person,
        runAt: runAtOf(until, zone),
        snoozeOf,
        body: bodyOf(found),
      }),
    ),
  )
  if (problem !== undefined) return refuse(desk, order, `Not snoozed: ${sentence(problem)}`)
  return concludeDone(desk, order, (writing, { branch, at }) => {
    for (const { position: ping } of found.pings)
      writing.append({ kind: 'ping-answered', branch, at, v: 1, ping, answer: 'snoozed', until })
    return ok(`Snoozed until ${whenText(until, { now, zone })}.`)
  })
}

/** Fewer pings of the job behind it. The same button twice means it once. */
export async function runLess(desk: Desk, order: OrderOf<'less'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, { branch, at }) => {
    const found = pingNumbered(writing, order.source, { number: order.command.number, how: '/less' })
    if (typeof found === 'string') return refusal(found)
    const jobs = jobsBehind(writing, found)
    if (jobs.length === 0) return refusal(noJob(found.number))
    for (const { name, ping } of jobs)
      if (!isLessAsked(writing, { name, ping }))
        writing.append({ kind: 'ping-answered', branch, at, v: 1, ping: ping.position, answer: 'less' })
    return ok(jobs.map(({ name, ping }) => lessText(writing, { name, ping })).join('\n'))
  })
}

/** What words in a reply mean is what the command of that name does. */
export function runPingCommand(
  desk: Desk,
  order: Omit<Order, 'command'> & { readonly command: PingCommand },
): Promise<Said | undefined> {
  const { command } = order
  if (command.name === 'done') return runDone(desk, { ...order, command })
  return command.name === 'less'
    ? runLess(desk, { ...order, command })
    : runSnooze(desk, { ...order, command })
}

function refuse(desk: Desk, order: Order, why: string): Promise<Said | undefined> {
  return conclude(desk, order, () => refusal(why))
}

/** Undefined: the command was run before, and nothing may be done twice outside of the log. */
function named(desk: Desk, order: OrderOf<'done' | 'snooze'>): Promise<PingMessage | string | undefined> {
  const { name, number } = order.command
  return desk.log.read((reader) =>
    wasRun(reader, order) ? undefined : pingNumbered(reader, order.source, { number, how: `/${name}` }),
  )
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

/** The next checks of the chains that it comes from. */
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
    const problem = await kept(() => desk.shelf.remove(file))
    if (problem !== undefined)
      return `Not done: ${file} cannot be removed, so it would come again: ${sentence(problem)}`
  }
  return undefined
}

/** Why a file could not be changed: a disk or a text that no file can hold, said to the person. */
async function kept(act: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await act()
    return undefined
  } catch (error) {
    const isSaid = error instanceof PathError || error instanceof UnwritableDefinition
    if (error instanceof Error && (isSaid || 'code' in error)) return error.message
    throw error
  }
}

/** For whoever looks into the file. The message itself is in the log, so what no file can hold is left out. */
function bodyOf({ message: { text } }: PingMessage): string {
  const lines = text.toWellFormed().replaceAll(/(?!\n)\p{Cc}/gu, ' ')
  return lines.trim() || 'A ping that was snoozed.'
}

interface JobPing {
  readonly name: JobName
  readonly ping: Ping
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

/** By this very message, and not taken back since. */
function isLessAsked(reader: Reader, { name, ping }: JobPing): boolean {
  const row = reader.row(pingTable, [personPinged(reader, ping), ping.position])
  const answer = row?.answer
  return answer === 'less' && (pingsOfJob(reader, name)?.less ?? 0) > 0
}

function noJob(number: number): string {
  return `#${number} does not come from a job, so there is nothing to get less of.`
}

function lessText(writing: Writing, { name, ping }: JobPing): string {
  const pings = pingsOfJob(writing, name)
  const short = pings && shortName(pings, jobsOf(writing, personPinged(writing, ping)))
  return `Less of ${jobText(name)}: ${paceText(pings?.less ?? 1)} from now on. /ping-budget more ${short ?? name.job} undoes it.`
}
