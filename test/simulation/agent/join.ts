import type { ActTool } from '../../../src/agent/contract/act.ts'
import { todoList } from '../../../src/agent/job/todo-list.ts'
import { startAgent, type Agent } from '../../../src/agent/agent.ts'
import { proposing } from '../../../src/agent/right/proposing.ts'
import type { AgentSettings } from '../../../src/agent/state/settings.ts'
import type { Clock } from '../../../src/base/clock.ts'
import type { Random } from '../../../src/base/random.ts'
import type { Channel } from '../../../src/channel/channel.ts'
import { branchFor } from '../../../src/agent/branch/binding.ts'
import type { Desk } from '../../../src/command/desk/desk.ts'
import { finishProposals } from '../../../src/command/desk/proposal.ts'
import { performAdmitted } from '../../../src/command/door/reception.ts'
import { takeSetup, type ReadSetup } from '../../../src/command/desk/setup-change.ts'
import { readConfig } from '../../../src/config/config.ts'
import type { Happening } from '../../../src/event/happening.ts'
import type { Log } from '../../../src/log/log.ts'
import { MEMORY_FILE, memoryLines } from '../../../src/memory/memory-file.ts'
import type { Model } from '../../../src/model/contract/model.ts'
import { startResilience, type FailurePolicy } from '../../../src/model/resilient.ts'
import type { Sleep } from '../../../src/model/contract/sleep.ts'
import { agentSettings } from '../../../src/runtime/home/live-config.ts'
import { ownTools } from '../../../src/runtime/tool/own-tools.ts'
import { Scheduler, type SchedulerParts } from '../../../src/agent/job/scheduler.ts'
import type { JobShelf } from '../../../src/schedule/job-shelf.ts'
import type { Tool } from '../../../src/tool/tool.ts'
import type { Recall } from '../../../src/recall/contract/recall.ts'
import { newVersions } from '../../../src/recall/scope/standing.ts'
import { CHANNEL } from './diary.ts'
import type { ToolParts } from './sim-tools.ts'
import { memoryFiles } from '../../stand-ins/small-files.ts'

/** What outlives a process besides its log. */
export interface Config {
  readonly settings: AgentSettings
  system: string
  /** Returns why not, if the setting cannot be changed. */
  configure(key: string, value: string | number): string | undefined
}

/** The default settings, with the simulation's changes. */
export function settingsWith(wanted: Partial<AgentSettings>): AgentSettings {
  const nowhere = { home: '/nowhere', environment: {}, flags: {} }
  const usual = agentSettings(readConfig(nowhere), 'Europe/Berlin')
  return { ...usual, modelFrom: 'the simulation', ...wanted }
}

const RECENT_MAX = 20
const NO_SKILLS = { skills: [], reports: [], shipped: [] }

export interface Joining {
  readonly log: Log
  readonly recall: Recall
  readonly now: Clock
  readonly random: Random
  readonly sleep: Sleep
  readonly policy: FailurePolicy
  readonly config: Config
  readonly model: (name: string) => Model
  /** Called whenever the setup is read. */
  readonly tools: (parts: ToolParts) => readonly Tool[]
  /** Called with all tools from now on. */
  readonly equipped: (tools: readonly (Tool | ActTool)[]) => void
  readonly workspace: ToolParts['workspace']
  readonly jobIn: Desk['jobIn']
  readonly shelf: JobShelf
  /** For the cleanup of finished jobs, if it uses another shelf. */
  readonly tidying?: JobShelf
  /** How a job is started when it is due. */
  readonly jobFor: SchedulerParts['jobFor']
  readonly lookMs?: number
  readonly warn: (text: string) => void
  /** Told what people who watch see. */
  readonly hear: (happening: Happening) => void
  readonly send: Channel['send']
  readonly fail: (error: unknown) => void
  /** The setup is written, and the agent is about to start. */
  readonly starting: () => void
}

export interface Joined {
  readonly agent: Agent
  readonly desk: Desk
  readonly scheduler: Scheduler
}

/** Joins the product's parts around a log as the product does, with the simulation's tools and models. */
export async function joinAgent(joining: Joining): Promise<Joined> {
  const { log, recall, now, random, sleep, config, fail, workspace, shelf } = joining
  const { jobFor, warn, lookMs } = joining
  const startedAt = now()
  const held: { agent?: Agent } = {}
  const agent = (): Agent => {
    if (held.agent === undefined) throw new Error('the agent has not started yet')
    return held.agent
  }
  const resilience = startResilience(joining.policy, { now, sleep })
  const model = (name: string): Model => resilience.guard(joining.model(name))
  const settings = (): AgentSettings => config.settings
  const propose = proposing({ log, now, deliver: () => agent().deliver() })
  const own = ownTools({
    shelf,
    todoFiles: workspace,
    log,
    recall,
    now,
    sleep,
    settings,
    recentMax: () => RECENT_MAX,
    agent,
    fail,
    sending: { files: memoryFiles(), root: '/workspace', workspace },
  })
  let tools: readonly (Tool | ActTool)[] = own
  const readSetup = async (): Promise<ReadSetup> => {
    const memory = memoryLines((await workspace.read(MEMORY_FILE)) ?? '')
    tools = [...own, ...joining.tools({ propose, workspace })]
    joining.equipped(tools)
    return { system: config.system, tools: tools.map(({ spec }) => spec), memory, notes: [] }
  }
  const configure: Desk['configure'] = async (key, value) => config.configure(key, value)
  const rights = {
    tools: () => tools,
    skills: () => NO_SKILLS,
    servers: () => [],
    jobIn: joining.jobIn,
    shelf,
    workspace,
    files: memoryFiles(),
    todos: todoList({ files: workspace, now, zone: () => settings().zone }),
  }
  const others = {
    ...rights,
    recall,
    wayOut: () => undefined,
    deskOf: async () => desk,
  }
  const desk: Desk = { log, now, random, settings, agent, configure, openModel: model, readSetup, ...others }
  await writeSetup(desk)
  joining.starting()
  const channels = new Map([[CHANNEL, makeChannel(joining.send)]])
  const runCommand = (entry: Parameters<typeof performAdmitted>[1]) => performAdmitted(desk, entry)
  const world = {
    log,
    now,
    random,
    sleep,
    model,
    tools: () => tools,
    recall,
    versions: newVersions(),
    channels,
    settings,
    runCommand,
    jobs: () => shelf.jobs(),
    endProcess: async () => true,
    watch: joining.hear,
  }
  held.agent = await startAgent(world, fail)
  await finishProposals(desk)
  const due = { ...world, shelf: joining.tidying ?? shelf, jobFor, agent: held.agent, startedAt, warn, fail }
  const scheduler = new Scheduler({ ...due, ...(lookMs !== undefined && { lookMs }) })
  return { agent: held.agent, desk, scheduler }
}

async function writeSetup(desk: Desk): Promise<void> {
  const setup = await desk.readSetup('all')
  const at = desk.now()
  const seed = desk.random()
  await desk.log.write((writing) => {
    const home = { channel: CHANNEL, conversation: 'desk' }
    const branch = branchFor(writing, home, { at, seed })
    takeSetup(writing, setup, { branch, at, author: { by: 'policy', name: 'start' } })
  })
}

const nothing = async (): Promise<void> => undefined

export function makeChannel(send: Channel['send']): Channel {
  return { name: CHANNEL, canAsk: true, can: { follow: true }, start: nothing, stop: nothing, send }
}
