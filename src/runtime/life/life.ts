import type { JobRead } from '../../agent/run/run-act.ts'
import { join } from 'node:path'
import { startAgent, type Agent } from '../../agent/agent.ts'
import { proposing } from '../../agent/right/proposing.ts'
import { peopleIn } from '../../agent/state/person.ts'
import { setupNow } from '../../agent/state/setup.ts'
import { systemClock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import { sentence } from '../../base/words.ts'
import { systemRandom } from '../../base/random.ts'
import type { Channel, ChannelState, Inbound } from '../../channel/channel.ts'
import { branchFor } from '../../agent/branch/binding.ts'
import type { Desk } from '../../command/desk/desk.ts'
import { finishProposals } from '../../command/desk/proposal.ts'
import { Gate } from '../../command/door/gate.ts'
import { receive, performAdmitted, type Received } from '../../command/door/reception.ts'
import { takeSetup, type ReadSetup } from '../../command/desk/setup-change.ts'
import { hookSecretsIn } from '../../config/hook-secret.ts'
import { providerAccess } from '../../config/provider-access.ts'
import type { Environment } from '../../config/table/source.ts'
import { OWNER } from '../../event/speaker.ts'
import { uploadsIn, type Uploads } from '../../file/file-store.ts'
import type { Address } from '../../event/work.ts'
import type { Log, LogError } from '../../log/log.ts'
import { systemSleep } from '../../model/contract/sleep.ts'
import { endLeftBehind } from '../../tool/process/left-behind.ts'
import { minimalEnvironment } from '../../tool/process/minimal-environment.ts'
import type { JobShelf } from '../../schedule/job-shelf.ts'
import type { DefinitionFile } from '../../schedule/read-definition.ts'
import { newVersions } from '../../recall/scope/standing.ts'
import { allJobs } from '../home/guest-jobs.ts'
import { homeFiles } from '../home/home-files.ts'
import { openHomeJobs } from '../home/home-jobs.ts'
import { openHomeRecall } from '../home/home-recall.ts'
import { LiveConfig } from '../home/live-config.ts'
import { onItsWayIn } from '../../owner/on-its-way.ts'
import { processesIn } from '../home/home.ts'
import { modelShelf } from '../home/model-shelf.ts'
import { openForWriting } from '../home/open-log.ts'
import { Doors } from './door.ts'
import { PageChannel } from './page-channel.ts'
import { ProgramChannel } from './program-channel.ts'
import { takeLeftOver } from './left-over.ts'
import { Shown } from './shown.ts'
import { Scheduler } from '../../agent/job/scheduler.ts'
import type { Toolbox } from '../tool/toolbox.ts'
import { GuestHouse, quartersOf, type Common } from './quarters.ts'
import { Webhooks } from './webhooks.ts'
import { prepareHome, prepareSystem } from '../home/workspace.ts'
import type { Happening } from '../../event/happening.ts'

export interface LifeOptions {
  readonly home: string
  /** Shown in the error a second process gets when the log is locked. */
  readonly command: string
  readonly environment: Environment
  readonly flags?: Readonly<Record<string, string>>
  readonly channels: readonly Channel[]
  /** Exists from the start; a setup is written to its branch. */
  readonly conversation: Address
  readonly warn: (text: string) => void
  readonly wayOut?: Desk['wayOut']
  /** Starts jobs when they are due. */
  readonly schedules?: boolean
  /** How long the start waits for new servers; slower ones are still added later. */
  readonly serversMs?: number
  /** Called for a bug or a broken disk: the process cannot go on. */
  readonly fail: (error: unknown) => void
  readonly watch?: (happening: Happening) => void
  /** Called when the connection of a channel changes. */
  readonly onState?: (channel: string, state: ChannelState) => void
}

/** A running mainstem: a log, an agent that works on it, and a way in for messages. */
export interface Life {
  readonly log: Log
  readonly agent: Agent
  readonly desk: Desk
  readonly config: LiveConfig
  readonly channels: readonly Channel[]
  /** How a channel is connected. */
  readonly stateOf: (channel: string) => ChannelState
  /** The position behind which everything happened in this life. */
  readonly begunAfter: number
  /** No agent has run on this log before. */
  readonly isFirstStart: boolean
  /** AGENTS.md or the tools have changed since the last run. */
  readonly isSetupNew: boolean
  /** Reads a job from a file anywhere. */
  readonly jobOf: (file: DefinitionFile, payload?: JsonObject) => Promise<JobRead>
  readonly programs: ProgramChannel
  readonly page: PageChannel
  /** Files of messages that somebody writes on the page. */
  readonly uploads: Uploads
  receive(inbound: Inbound): Promise<Received>
  readonly webhooks: Webhooks
  /** Why nothing can be written now: the disk is full, and what is to be written waits. */
  waitsFor(): string | undefined
  close(): Promise<void>
}

/** Builds and joins all parts by hand: this function is the diagram of the architecture. */
export async function openLife(options: LifeOptions): Promise<Life> {
  const { home, command, environment, flags = {} } = options
  prepareHome(home)
  const config = new LiveConfig({ home, environment, flags }, options.warn)
  const closing = new AbortController()
  let full: string | undefined
  const onFull = (why: LogError | undefined): void => {
    full = why && sentence(why.message)
    options.warn(full ?? 'There is room on the disk again, so everything goes on.')
  }
  const log = openForWriting({ home, command, room: { onFull, signal: closing.signal } })
  try {
    // Only after the log is ours: until then another process may be using them.
    await processesIn(home).endLeft()
    const life = await liveOn(log, config, options)
    const close = (): Promise<void> => {
      closing.abort()
      return life.close()
    }
    return { ...life, waitsFor: () => full, close }
  } catch (error) {
    await log.close()
    throw error
  }
}

async function liveOn(log: Log, config: LiveConfig, options: LifeOptions): Promise<Omit<Life, 'waitsFor'>> {
  const { home, conversation, warn, fail } = options
  const startedAt = now()
  const begunAfter = await log.read(({ end }) => end)
  let scheduler: Scheduler | undefined
  const look = (): void => scheduler?.look()
  const secrets = hookSecretsIn(home, options.environment)
  const jobs = { now, secrets, warn, fail, onChange: look }
  const watch = options.schedules === true
  const own = await openHomeJobs({ ...jobs, root: join(home, 'workspace'), watch })
  const programs = new ProgramChannel(log)
  const page = new PageChannel(() => agent.deliver())
  const channels = [...options.channels, programs.channel, page.channel]
  const parts = { log, config, options: { ...options, channels }, agent: () => agent }
  const { desk, toolbox, reader, works, shelf, guests } = furnish(parts, { own, jobs })
  await Promise.all((await log.read(peopleIn)).map(({ person }) => guests.of(person)))
  const isFirstStart = (await log.read(setupNow)) === undefined
  if (isFirstStart) prepareSystem(home)
  const setup = await toolbox.read('files')
  for (const note of setup.notes) warn(note)
  const isSetupChanged = await writeSetup(desk, conversation, setup)
  const agent: Agent = await startAgent(works, fail)
  await finishProposals(desk)
  const meeting = await meetServers(desk, toolbox, { ...options, told: setup.notes })
  const taken = (inbound: Inbound): Promise<Received> => receive(desk, inbound)
  // Before any job starts: a pause may be among it.
  await takeLeftOver({ home, log, now, receive: taken, conversation, warn })
  const due = { ...works, shelf, jobFor: guests.readingJobs(reader), agent, startedAt, warn, fail }
  if (options.schedules === true) scheduler = new Scheduler(due)
  const gate = new Gate({ desk, sleep, fail })
  const { onState = () => undefined } = options
  const way = { receive: taken, now, warn, fail, onState }
  const doors = new Doors({ channels, gate, files: desk.files, ...way })
  doors.open()
  const shown = new Shown({ channels, desk, fail })
  shown.start()
  return {
    log,
    agent,
    desk,
    config,
    channels: options.channels,
    stateOf: (channel) => doors.stateOf(channel),
    begunAfter,
    isFirstStart,
    isSetupNew: isSetupChanged && !isFirstStart,
    jobOf: reader.of,
    programs,
    page,
    uploads: uploadsIn(home),
    receive: taken,
    webhooks: new Webhooks({ ...desk, secrets, values: () => config.values, look }),
    close: async () => {
      meeting.end()
      // First stop starting new work.
      await Promise.all([doors.close(), shown.close(), scheduler?.close(), reader.close()])
      await agent.close()
      await Promise.all([toolbox.close(), own.close(), guests.close()])
      await meeting.met
      await works.recall.close()
      await log.close()
    },
  }
}

const [now, random, sleep] = [systemClock, systemRandom, systemSleep]

/** Builds what the agent and the commands work with. */
function furnish(
  parts: Pick<Common, 'log' | 'config' | 'agent'> & { readonly options: LifeOptions },
  { own, jobs }: { readonly own: JobShelf; readonly jobs: ConstructorParameters<typeof GuestHouse>[1] },
) {
  const { log, config, options, agent } = parts
  const { home, warn, fail } = options
  const values = () => config.values
  const env = minimalEnvironment(options.environment)
  const files = homeFiles({ home, values, env })
  const model = modelShelf(config, { now, sleep, readImage: (hash) => files.store.read(hash) })
  const recall = openHomeRecall({ home, log, values, models: () => providerAccess(config), warn, fail })
  const propose = proposing({ log, now, deliver: () => agent().deliver() })
  const deskOf: Desk['deskOf'] = async (person) => (person === OWNER ? desk : (await guests.of(person)).desk)
  const common: Common = { ...parts, model, recall, propose, files, env, deskOf }
  const guests = new GuestHouse(common, jobs)
  const shelf = allJobs(own, () => guests.shelves())
  const owner = quartersOf(common, { person: OWNER, root: join(home, 'workspace'), values, shelf: own })
  const desk: Desk = {
    ...owner.desk,
    readSetup: (what) => {
      guests.reload()
      return owner.desk.readSetup(what)
    },
  }
  const works = {
    log,
    now,
    sleep,
    settings: desk.settings,
    recall,
    random,
    model,
    tools: (person: string) =>
      person === OWNER ? owner.toolbox.callable() : (guests.openOf(person)?.toolbox.callable() ?? []),
    prepare: (person: string) => guests.prepare(person),
    versions: newVersions(),
    channels: new Map(options.channels.map((channel) => [channel.name, channel])),
    jobs: () => shelf.jobs(),
    onItsWay: onItsWayIn(home, now),
    endProcess: endLeftBehind,
    isPassing: options.schedules !== true,
    runCommand: (entry: Parameters<typeof performAdmitted>[1]) => performAdmitted(desk, entry),
    watch: (happening: Happening) => {
      if (happening.kind === 'changed') recall.nudge()
      options.watch?.(happening)
    },
  }
  return { desk, toolbox: owner.toolbox, reader: owner.reader, works, shelf, guests }
}

/** Writes the setup of this start if it differs from the log's. */
async function writeSetup(desk: Desk, conversation: Address, setup: ReadSetup): Promise<boolean> {
  const contact = { at: desk.now(), seed: desk.random() }
  const { at } = contact
  return desk.log.write((writing) => {
    const branch = branchFor(writing, conversation, contact)
    return takeSetup(writing, setup, { branch, at, author: { by: 'policy', name: 'start' } })
  })
}

/** Asks new servers for their tools in the background, so that a server that hangs blocks nothing. */
async function meetServers(
  desk: Desk,
  toolbox: Toolbox,
  options: LifeOptions & { readonly told: readonly string[] },
): Promise<{ readonly met: Promise<void>; end(): void }> {
  const { conversation, warn, fail, serversMs = 0, told } = options
  let [isOver, hasBegun] = [false, false]
  const meet = async (): Promise<void> => {
    const setup = await toolbox.meetServers()
    if (setup === undefined || isOver) return
    for (const note of setup.notes.filter((one) => !told.includes(one))) warn(note)
    const isNew = await writeSetup(desk, conversation, setup)
    if (isNew && hasBegun) warn('Tools of MCP servers were added; /tools lists them.')
  }
  const met = meet().catch((error: unknown) => {
    if (!isOver) fail(error)
  })
  const waited = new AbortController()
  await Promise.race([met, pause(serversMs, waited.signal)])
  waited.abort()
  hasBegun = true
  return { met, end: () => void (isOver = true) }
}

/** Ends early with the signal: a leftover timer would keep the process alive. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await systemSleep(ms, signal).catch(() => undefined)
}
