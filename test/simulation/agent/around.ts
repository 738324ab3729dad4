import type { DayHours } from '../../../src/config/type/domain-type.ts'
import type { ActTool } from '../../../src/agent/contract/act.ts'
import { ChannelError, type Outgoing } from '../../../src/channel/channel.ts'
import type { JobRead } from '../../../src/agent/run/run-act.ts'
import { fromStored } from '../../../src/event/codec.ts'
import type { BranchId } from '../../../src/event/id.ts'
import type { Batch } from '../../../src/log/store.ts'
import { ModelError, type Model } from '../../../src/model/contract/model.ts'
import { offlineModel } from '../../../src/model/offline/offline.ts'
import type { LoadedJob } from '../../../src/schedule/job-shelf.ts'
import type { Tool } from '../../../src/tool/tool.ts'
import type { Fate, Surroundings } from '../mortal-store.ts'
import { AgentHappenings, type AgentHappening } from './agent-happenings.ts'
import { never, type AgentLife } from './agent-life.ts'
import type { Chance } from './chance.ts'
import { Diary } from './diary.ts'
import { Lately } from './lately.ts'
import { Laws } from './laws.ts'
import { isWithin } from './naive-time.ts'
import { Recent } from './recent.ts'
import type { SimClock } from './sim-clock.ts'
import type { SimConfig } from './sim-config.ts'
import { dueJob, someJob } from './sim-jobs.ts'
import { simModel } from './sim-model.ts'
import { JobDisk, simShelf, type SimShelf } from './sim-shelf.ts'
import { simTools, type Run, type ToolParts } from './sim-tools.ts'
import { simWorkspace } from './sim-workspace.ts'
import { foldAll } from './state-laws.ts'

const SLOW_MS = 20_000
const WAIT_SECONDS = 30
/** A command that acts at once is done within this many hops of the microtask queue. */
const HOPS = 80
/** How likely (one in N) each thing outside of the log kills the process. */
const RISKS: Partial<Record<AgentHappening, number>> = {
  'deaths in a tool': 20,
  'deaths between a file and the log': 5,
  'deaths between the file of a job and the log': 15,
}
/** One in this many firings kills the process, before it is written or right after. */
const FIRING_RISK = 8
const RISK = 70

/** Everything around a process: a disk that fills up, models, tools, a platform. Any of it may kill the process. */
export class Around implements Surroundings {
  readonly story: string[] = []
  readonly happenings = new AgentHappenings()
  readonly laws: Laws
  readonly diary = new Diary()
  /** The fold of the events, apart from the log's own. */
  readonly folded = foldAll([])
  readonly chance: Chance
  readonly clock: SimClock
  readonly config: SimConfig
  /** The files that define jobs. */
  readonly disk = new JobDisk()
  readonly #zones: Lately<string>
  readonly #quiet: Lately<DayHours | null>
  readonly #tools = new Recent<readonly (Tool | ActTool)[]>([])
  /** Set when everything should come to an end: nothing fails any more. */
  isCalm = false
  /** Called at every commit. */
  onCommit: () => void = () => undefined
  /** Called when a person is asked for something. */
  onAsked: () => void = () => undefined
  /** Called when a branch is about to hear from a model or a tool; returns whether somebody interferes just then. */
  onNews: (branch: BranchId) => boolean = () => false
  /** How many of the next model calls fail. */
  outage = 0
  /** The first law that was broken. */
  broken: unknown
  lives = 0
  #life: AgentLife | undefined
  #number = 0
  #asking = new Set<BranchId>()

  constructor(chance: Chance, clock: SimClock, config: SimConfig) {
    this.chance = chance
    this.clock = clock
    this.config = config
    this.laws = new Laws({
      modes: () => config.mode.all,
      natures: (name) =>
        this.#tools.all.flatMap((tools) => tools.find(({ spec }) => spec.name === name)?.nature ?? []),
    })
    this.laws.causes.max = () => config.settings.causedMax
    this.laws.causes.unattendedMax = () => config.settings.unattendedMax
    this.laws.files.typed = () => this.diary.typed.map(({ text }) => text)
    const commits = (): number => this.laws.tree.commits
    this.#zones = new Lately(config.settings.zone, commits)
    this.#quiet = new Lately(config.settings.quietHours, commits)
    config.onChange = () => {
      this.#zones.change(config.settings.zone)
      this.#quiet.change(config.settings.quietHours)
    }
    this.laws.jobs.ambient = {
      zones: () => this.#zones.all,
      hadQuietHours: () => this.#quiet.ever.some((hours) => hours !== null),
    }
    this.laws.pings.ambient = { quiet: (at) => this.#isQuiet(at), busyMs: () => config.settings.pings.busyMs }
    this.laws.notices.isQuiet = (at) => this.#isQuiet(at).every
  }

  #isQuiet(at: number): { readonly some: boolean; readonly every: boolean } {
    const ways = this.#quiet.all.flatMap((hours) => this.#zones.all.map((zone) => isWithin(hours, zone, at)))
    return { some: ways.some((isSo) => isSo), every: ways.every((isSo) => isSo) }
  }

  readonly number = (): number => ++this.#number

  /** A new process begins. */
  bear(life: AgentLife): void {
    this.laws.begins(this.#life?.isDead === false ? 'closed' : 'died')
    this.#life = life
    this.#asking = new Set()
    this.lives++
    this.happenings.add('lives')
  }

  die(when: AgentHappening): void {
    if (this.#life === undefined || this.#life.isDead) return
    this.story.push(`-- ${when} --`)
    this.happenings.add(when)
    this.#life.die()
  }

  fate({ events }: Batch): Fate {
    if (this.isCalm) return 'lives'
    const isFiring = events.some(({ kind }) => kind === 'job-fired') && this.chance.oneIn(FIRING_RISK)
    const fate = isFiring
      ? this.chance.pick(['dies-before', 'dies-after'] as const)
      : ((['dies-before', 'dies-after', 'dies-after', 'full'] as const)[this.chance.below(450)] ?? 'lives')
    if (isFiring) this.#note('deaths in a firing')
    if (fate === 'full') this.#note('full disks')
    if (fate === 'dies-before') this.#note('deaths before a commit')
    if (fate === 'dies-after') this.#note('deaths after a commit')
    const life = this.#life
    if (fate === 'dies-before' || fate === 'dies-after') queueMicrotask(() => life?.mourn())
    return fate
  }

  during(_: Batch, commit: () => void): void {
    commit()
  }

  committed({ events }: Batch): void {
    this.judge(() => {
      for (const stored of events) {
        const event = fromStored(stored)
        this.folded.take(event)
        this.laws.take(event)
        if (event.kind === 'approval-asked') queueMicrotask(this.onAsked)
      }
      this.laws.committed()
    })
    this.config.mode.settle()
    this.#tools.settle()
    queueMicrotask(this.onCommit)
  }

  /** The notice about a file is lost, as after a death. */
  foundFull(): void {
    this.laws.files.wasFull = true
  }

  /** The caller may swallow the error, so it is remembered. */
  judge<T>(law: () => T): T {
    try {
      return law()
    } catch (error) {
      this.broken ??= error
      throw error
    }
  }

  model(name: string, life: AgentLife): Model {
    const inner = this.#innerModel(name, life)
    const { contextTokens } = inner
    const call: Model['call'] = async (prompt, options) => {
      if (life.isDead) return never()
      // A summariser gets no tools and belongs to no turn.
      if (prompt.tools.length === 0) return life.untilDeath(inner.call(prompt, options))
      const asking = this.#asking
      const branch = this.judge(() => this.laws.prompts.handed(prompt, asking))
      if (branch !== undefined) asking.add(branch)
      try {
        return await life.untilDeath(inner.call(prompt, options))
      } finally {
        if (branch !== undefined) asking.delete(branch)
        if (branch !== undefined) await this.#bring(branch)
      }
    }
    return { name, contextTokens, call }
  }

  tools(life: AgentLife, parts: ToolParts): readonly Tool[] {
    const { versions } = this.config
    return simTools({ versions, run: (run) => life.untilDeath(this.#run(life, run)) }, parts)
  }

  /** The process has these tools from now on. */
  equipped(tools: readonly (Tool | ActTool)[]): void {
    this.#tools.change(tools)
  }

  workspace(life: AgentLife): ToolParts['workspace'] {
    return simWorkspace({
      files: this.config.files,
      pause: () => life.untilDeath(this.chance.lag()),
      writes: (path, text) => {
        this.story.push(`-- ${path} is written: ${short(text)} --`)
        this.judge(() => this.laws.files.writes(path, text))
      },
      wrote: () => this.#risk(life, 'deaths between a file and the log'),
    })
  }

  async jobIn(life: AgentLife, path: string): Promise<JobRead> {
    await life.untilDeath(this.chance.lag())
    return someJob(this, path)
  }

  async jobFor(life: AgentLife, job: LoadedJob): Promise<JobRead> {
    await life.untilDeath(this.chance.lag())
    return dueJob(job, this.config.settings.runTimeoutMs)
  }

  shelf(life: AgentLife): SimShelf {
    return simShelf({
      disk: this.disk,
      now: this.clock.now,
      pause: () => life.untilDeath(this.chance.lag()),
      wrote: () => this.#risk(life, 'deaths between the file of a job and the log'),
      sees: (sorted) => {
        if (!life.isDead) this.laws.jobs.sees(sorted)
      },
      looks: () => {
        if (!life.isDead) this.laws.jobs.looks()
      },
      tidies: (job) => {
        this.story.push(`-- ${job.file} is tidied up --`)
        this.judge(() => this.laws.jobs.tidies(job, (fired) => fired <= life.startedAt))
      },
    })
  }

  /** A job's file changed: the living process notices at once, or later. */
  stirs(): void {
    const life = this.#life
    if (life === undefined || life.isDead) return
    if (this.isCalm || this.chance.oneIn(3)) return life.shelf?.look()
    const ms = this.chance.oneIn(4) ? this.chance.below(60_000) : 150
    life.sleep(ms, new AbortController().signal).then(
      () => life.shelf?.look(),
      (error: unknown) => (this.broken ??= error),
    )
  }

  send(life: AgentLife): (message: Outgoing) => Promise<string | null> {
    return (message) => life.untilDeath(this.#send(life, message))
  }

  /** On its way to a branch, a result meets whatever happens to the branch: its turn may have just ended. */
  async #bring(branch: BranchId): Promise<void> {
    if (this.isCalm) return
    const isDisturbed = this.onNews(branch)
    const runs = (): boolean => this.laws.tree.branch(branch).running !== undefined
    for (let hops = isDisturbed ? HOPS : 0; hops > 0 && runs(); hops--) await Promise.resolve()
    for (let hops = this.chance.below(8); hops > 0; hops--) await Promise.resolve()
  }

  #note(happening: AgentHappening): void {
    this.story.push(`-- ${happening} --`)
    this.happenings.add(happening)
  }

  #innerModel(name: string, life: AgentLife): Model {
    if (name === 'offline') return offlineModel
    if (name !== 'sim' && name !== 'other') throw new ModelError('unavailable', `there is no model '${name}'`)
    const { chance, diary, number } = this
    return simModel({
      name,
      chance,
      diary,
      number,
      sleep: life.sleep,
      slowMs: SLOW_MS,
      waitSeconds: WAIT_SECONDS,
      known: () => this.laws.tree.known,
      isCalm: () => this.isCalm,
      isDown: () => this.outage > 0 && this.outage-- > 0,
      risk: () => this.#risk(life, 'deaths in a call of a model'),
    })
  }

  /** Never resolves if the process dies here. */
  async #risk(life: AgentLife, when: AgentHappening): Promise<void> {
    if (!this.isCalm && this.chance.oneIn(RISKS[when] ?? RISK)) this.die(when)
    if (life.isDead) await never()
  }

  async #run(life: AgentLife, { number, tool, call }: Run): Promise<void> {
    if (life.isDead) return never()
    this.judge(() => {
      this.laws.runsCall(number, tool)
      this.diary.ran(number)
    })
    await this.chance.lag()
    await this.#risk(life, 'deaths in a tool')
    if (tool.name === 'slow') await life.sleep(this.chance.below(8_000), call.signal)
    await this.#bring(call.branch)
  }

  async #send(life: AgentLife, message: Outgoing): Promise<string | null> {
    if (life.isDead) return never()
    if (this.isCalm) return this.#show(life, message)
    await this.chance.lag()
    await this.#risk(life, 'deaths before a message is shown')
    if (message.form === 'ping') await this.#sendPing(life)
    const kind = this.chance.below(40)
    if (kind < 3) {
      this.happenings.add('failures of the platform for now')
      const retryAfterMs = this.chance.oneIn(2) ? this.chance.below(20_000) : undefined
      throw new ChannelError('the platform is down', { isFinal: false, retryAfterMs })
    }
    if (kind === 3) throw new ChannelError('the platform refuses it', { isFinal: true })
    if (kind < 7) await life.sleep(this.chance.below(10_000), new AbortController().signal)
    if (life.isDead) return never()
    const shown = this.#show(life, message)
    if (this.chance.oneIn(40)) this.die('deaths between showing and the outcome')
    await this.chance.lag()
    return shown
  }

  /** Unasked messages are refused or hang more often, possibly for hours. */
  async #sendPing(life: AgentLife): Promise<void> {
    const kind = this.chance.below(24)
    if (kind < 3) throw new ChannelError('the platform refuses pings', { isFinal: true })
    if (kind < 5) throw new ChannelError('the platform is down', { isFinal: false, retryAfterMs: 900_000 })
    if (kind < 6) await life.sleep(this.chance.below(3_600_000), new AbortController().signal)
  }

  #show(life: AgentLife, message: Outgoing): string | null {
    if (message.isAgain) this.happenings.add('messages shown again after a death')
    const { startedAt } = life
    const process = { life: this.lives, foundAt: startedAt, startedAt }
    this.judge(() => this.laws.post.show(message, process))
    this.story.push(
      `${message.conversation} sees ${message.id}${message.isAgain ? ' (again)' : ''}: ${short(message.text)}`,
    )
    return this.chance.oneIn(2) ? `p${message.id}` : null
  }
}

const SHORT = 70

export function short(text: string): string {
  const line = text.replaceAll('\n', ' ⏎ ')
  return line.length > SHORT ? `${line.slice(0, SHORT)}…` : line
}
