import type { JobRead } from '../../src/agent/run/run-act.ts'
import type { World } from '../../src/agent/contract/world.ts'
import type { ActTool } from '../../src/agent/contract/act.ts'
import { startAgent, type Agent } from '../../src/agent/agent.ts'
import { agentProjection } from '../../src/agent/state/fold.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import { seededRandom, type Random } from '../../src/base/random.ts'
import type { Channel, Outgoing } from '../../src/channel/channel.ts'
import { boundBranch, branchFor } from '../../src/agent/branch/binding.ts'
import { todoList, type TodoParts } from '../../src/agent/job/todo-list.ts'
import type { Desk, WorkspaceFiles } from '../../src/command/desk/desk.ts'
import { receive, performAdmitted, type Received } from '../../src/command/door/reception.ts'
import { takeSetup, type ReadSetup } from '../../src/command/desk/setup-change.ts'
import { slashTool } from '../../src/command/commands/slash.ts'
import { contextProjections } from '../../src/context/fold.ts'
import type { Event, EventOf, Kind } from '../../src/event/event.ts'
import type { BranchId } from '../../src/event/id.ts'
import type { Reader } from '../../src/event/table.ts'
import { rerunning } from '../simulation/rerunning-log.ts'
import type { Log } from '../../src/log/log.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import { MEMORY_FILE, memoryLines } from '../../src/memory/memory-file.ts'
import { ModelError, type Model } from '../../src/model/contract/model.ts'
import { offlineModel } from '../../src/model/offline/offline.ts'
import { startResilience } from '../../src/model/resilient.ts'
import type { Sleep } from '../../src/model/contract/sleep.ts'
import { emptyShelf, type JobShelf } from '../../src/schedule/job-shelf.ts'
import type { Tool } from '../../src/tool/tool.ts'
import type { Recall } from '../../src/recall/contract/recall.ts'
import { mainOf } from '../../src/agent/state/person.ts'
import { newVersions } from '../../src/recall/scope/standing.ts'
import { liveRecall } from './live-recall.ts'
import type { Happening } from '../../src/event/happening.ts'
import { memoryFiles } from '../stand-ins/small-files.ts'

export const projections = [...contextProjections, agentProjection]
export const terminal = { channel: 'terminal', conversation: 'local' }
export const START = Date.UTC(2026, 2, 1, 8, 30)

const defaults: AgentSettings = {
  model: 'offline',
  modelFrom: 'test',
  thinking: 'off',
  chat: { tokensMax: null, temperature: null },
  afterTools: { tokensMax: null, temperature: null },
  roundsMax: 5,
  childRoundsMax: 25,
  depthMax: 5,
  childrenMax: 8,
  runningMax: 4,
  runsMax: 4,
  runTimeoutMs: 1_800_000,
  forkIdleMs: 600_000,
  zone: 'Europe/Berlin',
  dayLimit: null,
  dayWarn: null,
  priceUnknown: 15,
  unattendedMax: 1e6,
  causedMax: { calls: 10_000, tokens: 1e9, branches: 1_000 },
  web: { openHosts: [], addresses: [] },
  retryMs: 1_000,
  recentMin: 20,
  window: {
    policy: 'managed',
    windowMessages: 20,
    thresholdMessages: 40,
    truncationMessages: 100,
    shareMin: 0,
    historyTokensMax: null,
    summaryTokensMax: 500,
  },
  compactionModel: 'offline',
  hasCompactionModel: false,
  recall: { limit: 5, snippetTokensMax: 300, acrossClear: false },
  permissions: 'dontAsk',
  approvalTimeoutMs: 600_000,
  // Whoever wrote a moment ago is free again: what is busy has tests of its own.
  pings: { capacity: 5, refillMinutes: 90, criticalMax: 0, ttlMs: 1_800_000, busyMs: 0, to: null },
  quietHours: null,
  digestAt: null,
  links: [],
  guests: {},
  rateLimit: { max: 1_000, windowMs: 60_000 },
  progressMs: 3_000,
}

/** Files that nobody else sees. */
export function memoryWorkspace(files = new Map<string, string>()): WorkspaceFiles {
  return {
    root: '/workspace',
    read: async (path) => files.get(path),
    write: async (path, text) => void files.set(path, text),
  }
}

function todoFilesIn(files: WorkspaceFiles): TodoParts['files'] {
  return {
    read: (path) => files.read(path),
    change: async (path, decide) => {
      const after = await decide({ place: path, before: await files.read(path) })
      if (after !== undefined) await files.write(path, after)
    },
  }
}

export interface StageOptions {
  readonly jobIn?: (path: string) => JobRead
  /** What files define. */
  readonly shelf?: JobShelf
  readonly workspace?: WorkspaceFiles
  /** Whether people can answer a question while a turn waits. */
  readonly canAsk?: boolean
  readonly disk?: MemoryDisk
  /** A process for one question: see `World.isPassing`. */
  readonly isPassing?: boolean
  readonly onItsWay?: World['onItsWay']
  readonly log?: Log
  readonly clock?: FakeClock
  readonly models?: Readonly<Record<string, Model>>
  /** Names of the models that answer when the chosen one cannot be reached. */
  readonly fallbacks?: readonly string[]
  readonly settings?: Partial<AgentSettings>
  readonly tools?: readonly (Tool | ActTool)[] | ((parts: ToolParts) => readonly (Tool | ActTool)[])
  readonly system?: string
  readonly seed?: number
  /** Instead of the chance that `seed` gives. */
  readonly random?: Random
  /** Replaces what the terminal does with a message; by default it is kept in `sent`. */
  readonly send?: Channel['send']
  /** Channels beside the terminal. */
  readonly apps?: readonly Channel[]
  readonly endProcess?: World['endProcess']
  /** Instead of the product's own. */
  readonly recall?: (log: Log) => Recall
}

/** What a tool may need of the stage that it belongs to. */
export interface ToolParts {
  readonly log: Log
  readonly clock: FakeClock
  readonly recall: Recall
  readonly agent: () => Agent
}

/** A whole agent on a memory log, with a clock that only tests move and a channel that remembers. */
export interface Stage {
  readonly log: Log
  readonly agent: Agent
  readonly desk: Desk
  readonly recall: Recall
  readonly clock: FakeClock
  readonly disk: MemoryDisk
  /** What reached the person, in order. */
  readonly sent: Outgoing[]
  readonly happenings: Happening[]
  readonly failures: unknown[]
  settings: AgentSettings
  /** Types a text; does not wait for what follows from it. */
  type(text: string, key?: string): Promise<Received>
  /** Types a text and lets everything run until nothing is left to do now. */
  say(text: string): Promise<readonly string[]>
  settle(): Promise<void>
  branch(): Promise<BranchId>
  read<T>(work: (reader: Reader) => T): Promise<T>
  events<K extends Kind>(kind: K): Promise<EventOf<K>[]>
  all(): Promise<Event[]>
  close(): Promise<void>
}

export async function stage(options: StageOptions = {}): Promise<Stage> {
  const disk = options.disk ?? new MemoryDisk()
  const again = { random: seededRandom(1), projections, forget: () => undefined }
  const log = options.log ?? rerunning(openMemoryLog({ disk, projections }), again)
  const clock = options.clock ?? new FakeClock(START)
  const random = options.random ?? seededRandom(options.seed ?? 7)
  const sent: Outgoing[] = []
  const happenings: Happening[] = []
  const failures: unknown[] = []
  const held = { settings: { ...defaults, ...options.settings } }
  const settings = (): AgentSettings => held.settings
  const now = (): number => clock.now()
  const { sleep } = clock
  const policy = { threshold: 3, backoffMs: [1_000, 5_000, 30_000], resetMs: 300_000 }
  const resilience = startResilience(
    { retriesMax: 3, retryBackoffMs: [0, 1_000, 3_000, 10_000], circuit: policy },
    { now, sleep },
  )
  const open = (name: string): Model => {
    const model = { offline: offlineModel, ...options.models }[name]
    if (model === undefined) throw new ModelError('unavailable', `there is no model '${name}' here`)
    const fallbacks = (options.fallbacks ?? []).filter((other) => other !== name)
    return resilience.guard(
      model,
      fallbacks.flatMap((other) => options.models?.[other] ?? []),
    )
  }
  const recall = (options.recall ?? liveRecall)(log)
  const given = options.tools ?? []
  const own = typeof given === 'function' ? given({ log, clock, recall, agent: () => agent }) : given
  const tools = [slashTool, ...own]
  const workspace = options.workspace ?? memoryWorkspace()
  const readSetup = async (): Promise<ReadSetup> => ({
    system: options.system ?? 'You are a test.',
    tools: tools.map(({ spec }) => spec),
    memory: memoryLines((await workspace.read(MEMORY_FILE)) ?? ''),
    notes: [],
  })
  const send: Channel['send'] = async (message) => {
    sent.push(message)
    return null
  }
  const channel: Channel = {
    name: 'terminal',
    canAsk: options.canAsk ?? true,
    can: { follow: true },
    start: async () => undefined,
    stop: async () => undefined,
    send: options.send ?? send,
  }
  const desk: Desk = {
    log,
    now,
    random,
    settings,
    agent: () => agent,
    deskOf: async () => desk,
    recall,
    configure: async (key, value) => {
      const from = key === 'model' && { modelFrom: 'config.json' }
      held.settings = { ...held.settings, [key]: value, ...from }
      return undefined
    },
    openModel: open,
    readSetup,
    tools: () => tools,
    skills: () => ({ skills: [], reports: [], shipped: [] }),
    servers: () => [],
    workspace,
    shelf: options.shelf ?? emptyShelf,
    todos: todoList({ files: todoFilesIn(workspace), now, zone: () => settings().zone }),
    jobIn: async (path) => options.jobIn?.(path) ?? { problem: `There is no file ${path}.` },
    wayOut: () => undefined,
    files: memoryFiles(),
  }
  const setup = await readSetup()
  const contact = { at: now(), seed: random() }
  await log.write((writing) => {
    const branch = branchFor(writing, terminal, contact)
    takeSetup(writing, setup, { branch, at: contact.at, author: { by: 'policy', name: 'start' } })
  })
  const agent: Agent = await startAgent(
    {
      log,
      now,
      random,
      sleep,
      model: open,
      tools: () => tools,
      recall,
      versions: newVersions(),
      channels: new Map([channel, ...(options.apps ?? [])].map((one) => [one.name, one])),
      settings,
      jobs: () => desk.shelf.jobs(),
      endProcess: options.endProcess ?? (async () => false),
      ...(options.isPassing !== undefined && { isPassing: options.isPassing }),
      ...(options.onItsWay !== undefined && { onItsWay: options.onItsWay }),
      prepare: async (person) => {
        const author = { by: 'policy', name: 'start' } as const
        const at = now()
        await log.write((writing) => {
          const main = mainOf(writing, person)
          if (main !== undefined) takeSetup(writing, setup, { branch: main, at, author })
        })
      },
      runCommand: (entry) => performAdmitted(desk, entry),
      watch: (happening) => happenings.push(happening),
    },
    (error) => failures.push(error),
  )
  const settle = async (): Promise<void> => {
    await agent.settled()
    if (failures.length > 0) throw failures[0]
  }
  const type = (text: string, key?: string): Promise<Received> =>
    receive(desk, { ...terminal, origin: 'terminal', person: 'owner', messageId: key ?? null, text })
  const all = async (): Promise<Event[]> => Array.fromAsync(log.events())
  return {
    log,
    agent,
    desk,
    recall,
    clock,
    disk,
    sent,
    happenings,
    failures,
    get settings() {
      return held.settings
    },
    set settings(value) {
      held.settings = value
    },
    type,
    say: async (text) => {
      const before = sent.length
      await type(text)
      await settle()
      return sent.slice(before).map((message) => message.text)
    },
    settle,
    branch: () =>
      log.read((reader) => {
        const branch = boundBranch(reader, terminal)
        if (branch === undefined) throw new Error('nobody talks here')
        return branch
      }),
    read: (work) => log.read(work),
    events: async <K extends Kind>(kind: K) =>
      (await all()).filter((event): event is EventOf<K> => event.kind === kind),
    all,
    close: async () => {
      await agent.close()
      await recall.close()
    },
  }
}

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

/** Time that stands still until a test moves it; sleepers wake in the order of their times. */
export class FakeClock {
  #now: number
  readonly #sleepers = new Set<Sleeper>()

  constructor(start: number) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  get sleepers(): number {
    return this.#sleepers.size
  }

  readonly sleep: Sleep = (ms, signal) =>
    new Promise((resolve, reject) => {
      const sleeper: Sleeper = {
        until: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper)
          signal.removeEventListener('abort', abort)
          resolve()
        },
      }
      const abort = (): void => {
        this.#sleepers.delete(sleeper)
        reject(new ModelError('aborted', 'stopped while it waited'))
      }
      if (signal.aborted) return abort()
      this.#sleepers.add(sleeper)
      signal.addEventListener('abort', abort, { once: true })
    })

  /** Moves time on, waking whoever slept until then, one after the other. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      await breathe()
      const next = [...this.#sleepers].toSorted((a, b) => a.until - b.until)[0]
      if (next === undefined || next.until > end) break
      this.#now = Math.max(this.#now, next.until)
      next.wake()
    }
    this.#now = end
    await breathe()
  }
}

/** A search takes some of them for itself. */
const TURNS_OF_A_BREATH = 10

/** Lets everything run that needs no time. */
export async function breathe(): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_A_BREATH; turn++) await new Promise(setImmediate)
}
