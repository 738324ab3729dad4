import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../agent/agent.ts'
import { todoList } from '../../agent/job/todo-list.ts'
import { mainOf, roleOf } from '../../agent/state/person.ts'
import { settingsFor } from '../../agent/state/settings.ts'
import type { Propose } from '../../agent/right/proposing.ts'
import { assert } from '../../base/assert.ts'
import { systemClock } from '../../base/clock.ts'
import { systemRandom } from '../../base/random.ts'
import type { Channel } from '../../channel/channel.ts'
import type { Desk } from '../../command/desk/desk.ts'
import { takeSetup } from '../../command/desk/setup-change.ts'
import type { Config } from '../../config/table/settings.ts'
import { OWNER, personOf } from '../../event/speaker.ts'
import type { Log } from '../../log/log.ts'
import { systemSleep } from '../../model/contract/sleep.ts'
import { modeForGuests } from '../../permission/judge.ts'
import type { JobShelf } from '../../schedule/job-shelf.ts'
import { openGuestJobs } from '../home/guest-jobs.ts'
import type { HomeJobs, HomeJobsOptions } from '../home/home-jobs.ts'
import type { openHomeRecall } from '../home/home-recall.ts'
import { processesIn } from '../home/home.ts'
import { agentSettings, type LiveConfig } from '../home/live-config.ts'
import { todoFiles } from '../home/todo-lock.ts'
import { jobReader } from '../tool/job-file.ts'
import { workspaceIn } from '../home/workspace.ts'
import { ownTools } from '../tool/own-tools.ts'
import { Toolbox } from '../tool/toolbox.ts'

const [now, random, sleep] = [systemClock, systemRandom, systemSleep]

/** The parts that all people share. */
export interface Common {
  readonly log: Log
  readonly config: LiveConfig
  readonly options: {
    readonly home: string
    readonly channels: readonly Channel[]
    readonly warn: (text: string) => void
    readonly fail: (error: unknown) => void
    readonly wayOut?: Desk['wayOut']
  }
  readonly model: Desk['openModel']
  readonly recall: ReturnType<typeof openHomeRecall>
  readonly propose: Propose
  readonly files: Desk['files']
  /** Of programs, without the secrets of this process. */
  readonly env: Readonly<Record<string, string>>
  /** Called only once the agent runs. */
  readonly agent: () => Agent
  readonly deskOf: Desk['deskOf']
}

/** The parts that a person has alone. */
interface Own {
  readonly person: string
  /** The folder with their files. */
  readonly root: string
  readonly values: () => Config
  readonly shelf: JobShelf
}

export type Quarters = ReturnType<typeof quartersOf>

/** The tools of a person, and the desk that their commands work with. */
export function quartersOf(common: Common, { person, root, values, shelf }: Own) {
  const { log, config, options, model, recall, propose, files, env, agent, deskOf } = common
  const { home, warn, fail } = options
  const settings = () => settingsFor(agentSettings({ values: values(), sourceOf: config.sourceOf }), person)
  const todos = todoFiles(home, root)
  const recentMax = (): number => config.values.recentMsgLimit
  const shared = { log, now, sleep, settings, recall }
  // Guests are not told where the home is on this machine.
  const sending = { files, root: person === OWNER ? root : 'files', workspace: workspaceIn(home, root) }
  const toolbox = new Toolbox({
    home,
    person,
    root,
    log,
    values,
    environment: env,
    started: processesIn(home).started,
    own: ownTools({ ...shared, shelf, todoFiles: todos, recentMax, agent, fail, propose, sending }),
    propose,
    warn,
    now,
    sleep,
  })
  const reader = jobReader({ openModel: model, settings, sleep, ...toolbox.forJobs })
  const desk: Desk = {
    ...shared,
    random,
    agent,
    deskOf,
    configure: async (key, value) =>
      person === OWNER ? config.set(key, value) : 'Only the owner changes settings.',
    openModel: model,
    ...toolbox.forDesk,
    wayOut: (source) => options.wayOut?.(source),
    jobIn: reader.inWorkspace,
    shelf,
    files,
    todos: todoList({ files: todos, now, zone: () => settings().zone }),
  }
  return { desk, toolbox, reader }
}

interface GuestQuarters extends Quarters {
  readonly shelf: HomeJobs
  /** Undefined: their files must be read before their next turn. */
  setUp?: Promise<void> | undefined
}

/** The quarters of guests and groups. Each is opened when it is first needed. */
export class GuestHouse {
  readonly #common: Common
  readonly #jobs: Omit<HomeJobsOptions, 'root' | 'watch'>
  readonly #opening = new Map<string, Promise<GuestQuarters>>()
  readonly #open = new Map<string, GuestQuarters>()

  constructor(common: Common, jobs: Omit<HomeJobsOptions, 'root' | 'watch'>) {
    this.#common = common
    this.#jobs = jobs
  }

  of(person: string): Promise<GuestQuarters> {
    const opening = this.#opening.get(person) ?? this.#make(person)
    this.#opening.set(person, opening)
    return opening
  }

  /** Undefined: not opened yet. */
  openOf(person: string): GuestQuarters | undefined {
    return this.#open.get(person)
  }

  /** By the folders of their files, from the home. */
  shelves(): ReadonlyMap<string, JobShelf> {
    return new Map([...this.#open].map(([person, { shelf }]) => [folderOf(person), shelf]))
  }

  /** Reads the files that their prompts begin with, unless that was done since the last start or reload. */
  async prepare(person: string): Promise<void> {
    const quarters = await this.of(person)
    quarters.setUp ??= this.#setUp(person, quarters)
    await quarters.setUp
  }

  async #setUp(person: string, { toolbox }: Quarters): Promise<void> {
    const setup = await toolbox.read('files')
    const author = { by: 'policy', name: 'start' } as const
    const at = now()
    await this.#common.log.write((writing) => {
      const branch = mainOf(writing, person)
      if (branch !== undefined) takeSetup(writing, setup, { branch, at, author })
    })
  }

  /** Jobs of a guest get what the guest has, and no more. */
  readingJobs({ due }: Quarters['reader']): Quarters['reader']['due'] {
    return async (job, payload) => {
      const person = personOf(job.definition)
      const role = await this.#common.log.read((reader) => roleOf(reader, person))
      if (role === undefined || role === 'owner') return due(job, payload)
      await this.prepare(person)
      return (await this.of(person)).reader.due(job, payload)
    }
  }

  /** AGENTS.md or the skills may have changed: the next turn of each reads them again. */
  reload(): void {
    for (const quarters of this.#open.values()) quarters.setUp = undefined
  }

  async close(): Promise<void> {
    const all = await Promise.all(this.#opening.values())
    await Promise.all(
      all.flatMap(({ toolbox, shelf, reader }) => [toolbox.close(), shelf.close(), reader.close()]),
    )
  }

  async #make(person: string): Promise<GuestQuarters> {
    assert(/^[a-z\d][\w-]*$/i.test(person), `'${person}' can name a folder`)
    const root = join(this.#common.options.home, folderOf(person))
    mkdirSync(root, { recursive: true, mode: 0o700 })
    const shelf = await openGuestJobs({ ...this.#jobs, root }, person)
    const values = () => guestValues(this.#common.config.values)
    const made: GuestQuarters = { ...quartersOf(this.#common, { person, root, values, shelf }), shelf }
    this.#open.set(person, made)
    return made
  }
}

function folderOf(person: string): string {
  return `people/${person}`
}

/** The configuration as it counts for guests: no programs, servers or private addresses, and what would ask, asks. */
function guestValues(values: Config): Config {
  return {
    ...values,
    permissions: modeForGuests(values.permissions),
    skills: { ...values.skills, allowScripts: false },
    mcp: { ...values.mcp, servers: {} },
    web: { ...values.web, privateHosts: [] },
    pings: { ...values.pings, to: null },
  }
}
