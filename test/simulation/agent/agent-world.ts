import type { DayHours } from '../../../src/config/type/domain-type.ts'
import { budgetOf } from '../../../src/agent/state/ledger.ts'
import { updateKeyTable } from '../../../src/agent/state/tables.ts'
import { pendingUpdates } from '../../../src/agent/state/updates.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { fromStored } from '../../../src/event/codec.ts'
import type { Event } from '../../../src/event/event.ts'
import { MemoryDisk, openMemoryStore } from '../../../src/log/memory.ts'
import { permissionModes } from '../../../src/permission/judge.ts'
import { readDefinition } from '../../../src/schedule/read-definition.ts'
import { definitionText } from '../../../src/schedule/write-definition.ts'
import { readWhen } from '../../../src/schedule/when.ts'
import type { Search } from '../../../src/recall/contract/recall.ts'
import type { Store } from '../../../src/log/store.ts'
import { isFull } from '../mortal-store.ts'
import { hold } from '../witness.ts'
import { AgentLife, agentProjections } from './agent-life.ts'
import type { Rerunning } from '../rerunning-log.ts'
import { Around } from './around.ts'
import { Chance } from './chance.ts'
import { RecallDisk } from './sim-recall.ts'
import { SimClock } from './sim-clock.ts'
import { Planner } from './sim-planner.ts'
import { settingsBy, SimConfig } from './sim-config.ts'
import { STRANGE } from './sim-tools.ts'
import { compareRows, foldAll } from './state-laws.ts'
import { Typist } from './typist.ts'
import { OWNER } from '../../../src/event/speaker.ts'

/** Some are shortly before a change to or from summer time. */
const STARTS = ['2026-03-01T08:30', '2026-03-28T23:10', '2026-10-24T21:50', '2026-03-08T05:30'].map((text) =>
  Date.parse(`${text}Z`),
)
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
const DAY_MINUTES = DAY_MS / MINUTE_MS
/** The most wakings until everything rests. */
const WAKINGS_MAX = 3_000
const EVENTS_MAX = 20_000
/** The number of fruitless wakings before more time passes. */
const VAIN = 20
/** One in this many worlds has its index in a file. */
const FILES = 4
/** One in this many worlds runs works again. */
const RERUN = 3
/** This many turns of the event loop without any work mean the end, not a pause. */
const BREATHS_MAX = 12

/** One seed drives everything: the clock, the models, the person, the platform, the disk, and every death. */
export class AgentWorld {
  readonly around: Around
  readonly disk = new MemoryDisk()
  readonly #chance: Chance
  readonly #clock: SimClock
  readonly #config: SimConfig
  readonly #followEventsMax: number
  readonly #rerun: Rerunning | undefined
  readonly #typist: Typist
  readonly #planner: Planner
  readonly #recallDisk: RecallDisk
  readonly #lookMs: number
  /** People rarely talk, so that jobs are by themselves. */
  readonly #isQuiet: boolean
  #store: Store | undefined
  #life: AgentLife | undefined
  #isClosing = false

  constructor(seed: number) {
    this.#chance = new Chance(seededRandom(seed))
    this.#rerun = seed % RERUN === 0 ? runAgain(seed) : undefined
    this.#clock = new SimClock(this.#chance.pick(STARTS))
    this.#config = new SimConfig(settingsBy(this.#chance))
    this.around = new Around(this.#chance, this.#clock, this.#config)
    this.#typist = new Typist(this.around)
    this.#planner = new Planner(this.around)
    this.around.laws.recall.acrossClear = this.#config.settings.recall.acrossClear
    this.#recallDisk = new RecallDisk(this.#chance.oneIn(FILES) ? 'file' : 'memory', this.around)
    this.around.onCommit = () => this.#interfere(50, () => this.#typist.type())
    this.around.onAsked = () => void this.#answerSoon()
    this.around.onNews = (branch) => this.#interfere(10, () => this.#typist.disturb(branch))
    this.#isQuiet = this.#chance.oneIn(5)
    this.#lookMs = this.#chance.oneIn(4) ? MINUTE_MS : HOUR_MS
    this.#followEventsMax = this.#chance.oneIn(4) ? 256 : 1 + this.#chance.below(20)
  }

  /** Lives as many lives as it takes, comes to rest, and is judged. Throws when a law is broken. */
  async run(): Promise<void> {
    try {
      await this.#live()
    } finally {
      this.#recallDisk.remove()
    }
  }

  async #live(): Promise<void> {
    await warmUp()
    if (this.#isQuiet) await this.#planner.chores()
    for (let files = this.#chance.below(4); files > 0; files--) await this.#planner.act()
    if (this.#chance.oneIn(4)) this.#config.set({ quietHours: this.#someHours() })
    await this.#start()
    const steps = (25 + this.#chance.below(42)) * (this.#isQuiet ? 2 : 1)
    for (let left = steps; left > 0; left--) {
      await this.#step()
      await this.#chance.lag()
      await this.#look()
    }
    this.around.story.push('-- everything comes to an end --')
    this.around.isCalm = true
    this.#config.set({ quietHours: null })
    await this.#typist.resumeAll()
    this.#planner.endRoutines()
    await this.#rest()
    if (this.#chance.oneIn(3)) await this.#waitForDays()
    await this.#compare()
    for (let times = 0; times < 3; times++) await this.#drive(this.#ask())
    await this.#close()
    await this.#breathe()
    this.#breakIfBroken()
    this.#judge()
  }

  /** Somebody may type at the very moment something else happens; returns whether they do. */
  #interfere(oneIn: number, typing: () => void): boolean {
    const isUp = this.#life?.isDead === false && this.#typist.hasMet(this.#life)
    if (!isUp || this.#isClosing || this.around.isCalm || !this.#chance.oneIn(oneIn)) return false
    typing()
    return true
  }

  /** A person who is asked answers at once, a little later, or not at all. */
  async #answerSoon(): Promise<void> {
    if (this.#chance.oneIn(4)) return
    if (this.#chance.oneIn(6)) this.#edit()
    for (let lags = this.#chance.below(5); lags > 0; lags--) await this.#chance.lag()
    this.#interfere(1, () => this.#typist.answer())
  }

  /** CTX2: the process's state equals the fold. */
  #compare(): Promise<void> {
    const { folded, laws } = this.around
    return this.#living.log.read((reader) => {
      compareRows(reader, folded, this.disk.rows.all())
      laws.budget.compare(budgetOf(reader, OWNER))
      for (const branch of laws.tree.branches.keys()) {
        const [naive, known] = [laws.updates.pending(branch), pendingUpdates(reader, branch)]
        hold(naive.join() === known.join(), `[UPD1] ${known.join()} are said to wait, and ${naive.join()} do`)
      }
    })
  }

  /** Judges from the bytes on the disk alone. */
  #judge(): void {
    const { laws, diary, happenings } = this.around
    laws.settled(diary)
    laws.files.ended('closed')
    const events = this.disk.events.map((stored) => fromStored(stored))
    const folded = foldAll(events)
    compareRows(this.around.folded, folded)
    laws.prompts.rebuilt(folded)
    happenings.addLog(laws)
  }

  get #living(): AgentLife {
    if (this.#life === undefined) throw new Error('nobody lives')
    return this.#life
  }

  /** Starts processes until one lives long enough to be up. */
  async #start(): Promise<void> {
    for (;;) {
      if (this.around.lives > 0 && !this.around.isCalm) await this.#sleepAWhile()
      this.#store?.close()
      this.#store = openMemoryStore(this.disk, 'the simulation')
      const life = this.#bear(this.#store)
      const isUp = await life.start().catch((error: unknown) => {
        this.#fail(error)
        return 'dead'
      })
      this.#breakIfBroken()
      if (isUp === 'up' && !life.isDead) break
    }
    await this.#compare()
    this.#typist.meet(this.#living)
    this.#ask().catch((error: unknown) => (this.around.broken ??= error))
  }

  /** Searches for a word that somebody said; the recall laws judge the result. */
  async #ask(): Promise<void> {
    const said = this.around.laws.events.flatMap((event) => numbersIn(event))
    if (said.length === 0) return
    const text = this.#chance.pick(said)
    await this.#living.recall.search({ ...EVERYTHING, text, now: this.#clock.now() })
  }

  #bear(store: Store): AgentLife {
    const { around } = this
    for (const name of STRANGE) if (this.#chance.oneIn(2)) this.#config.versions[name]++
    const policy = {
      retriesMax: this.#chance.below(3),
      retryBackoffMs: [0, 500, 2_000],
      circuit: { threshold: 3, backoffMs: [1_000, 60_000], resetMs: 300_000 },
    }
    this.#life = new AgentLife({
      store,
      policy,
      surroundings: around,
      clock: this.#clock,
      seed: this.#chance.random(),
      followEventsMax: this.#followEventsMax,
      rerun: this.#rerun,
      config: this.#config,
      around: (life) => ({
        model: (name) => around.model(name, life),
        tools: (parts) => around.tools(life, parts),
        equipped: (tools) => around.equipped(tools),
        workspace: around.workspace(life),
        jobIn: (path) => around.jobIn(life, path),
        send: around.send(life),
        jobFor: (job) => around.jobFor(life, job),
        lookMs: this.#lookMs,
        warn: (text) => around.story.push(`-- it warns: ${text} --`),
        hear: (happening) => {
          if (!life.isDead) around.laws.answers.hear(happening)
        },
      }),
      shelf: (life) => around.shelf(life),
      recall: (log, life) => this.#recallDisk.open(log, life),
      fail: (error) => this.#fail(error),
    })
    around.bear(this.#life)
    around.story.push(`-- a process starts, the log ends at ${store.end} --`)
    return this.#life
  }

  async #step(): Promise<void> {
    const { around } = this
    const act = this.#chance.weighted([
      [this.#isQuiet ? 3 : 46, 'type'],
      [5, 'delegate'],
      [this.#isQuiet ? 1 : 7, 'digress'],
      [4, 'send'],
      [4, 'reply'],
      [2, 'return'],
      [11, 'typeAgain'],
      [this.#isQuiet ? 80 : 26, 'wake'],
      [this.#isQuiet ? 40 : 8, 'pass'],
      [2, 'jump'],
      [2, 'putBack'],
      [this.#isQuiet ? 16 : 12, 'plan'],
      [this.#isQuiet ? 12 : 8, 'schedule'],
      [this.#isQuiet ? 12 : 1, 'less'],
      [2, 'leap'],
      [3, 'die'],
      [1, 'close'],
      [2, 'edit'],
      [1, 'outage'],
      [2, 'index'],
      [3, 'harm'],
      [5, 'answer'],
      [5, 'report'],
    ] as const)
    switch (act) {
      case 'type':
      case 'delegate':
      case 'digress':
      case 'send':
      case 'reply':
      case 'return':
      case 'schedule':
      case 'less':
      case 'typeAgain':
      case 'answer':
        return this.#typist[act]()
      case 'wake':
        return void this.#clock.next()
      case 'pass':
        return this.#clock.pass(this.#chance.below(this.#isQuiet ? 4 * MINUTE_MS : 40_000))
      case 'jump':
        around.happenings.add('jumps of the clock')
        return this.#clock.jump((this.#chance.below(60) - 30) * HOUR_MS)
      case 'putBack':
        return this.#putBack()
      case 'plan':
        return this.#planner.act()
      case 'leap':
        return this.#leap()
      case 'die':
        for (let hops = this.#chance.below(60); hops > 0; hops--) await Promise.resolve()
        return around.die('deaths in between')
      case 'close':
        around.story.push('-- the process is closed --')
        around.happenings.add('closings')
        await this.#close()
        return this.#start()
      case 'edit':
        return this.#edit()
      case 'outage':
        around.outage = 2 + this.#chance.below(12)
        return
      case 'index':
        return this.#index()
      case 'harm':
        return this.#recallDisk.harm()
      case 'report':
        return this.#report()
    }
  }

  /** So long that forks become idle, runs time out, and replies expire. */
  #leap(): void {
    this.around.happenings.add('leaps of the clock')
    if (this.#chance.oneIn(4)) this.#clock.jump(WEEK_MS + HOUR_MS)
    this.#clock.pass(this.#chance.pick([2, 11, 25, 90]) * MINUTE_MS)
  }

  /** Sets back a clock that was ahead; rarely by days. */
  #putBack(): void {
    const isFar = this.#chance.oneIn(6)
    this.around.happenings.add(isFar ? 'clocks put back by days' : 'clocks put back')
    this.#clock.jump(-this.#chance.below(isFar ? 3 * DAY_MS : 20 * MINUTE_MS))
  }

  /** No process runs for a while, and files are changed meanwhile. */
  async #sleepAWhile(): Promise<void> {
    if (!this.#chance.oneIn(3)) return
    this.around.happenings.add('times in which nobody lived')
    this.#clock.jump(this.#chance.below(this.#chance.pick([MINUTE_MS, 30 * MINUTE_MS, 8 * HOUR_MS])))
    if (this.#chance.oneIn(2)) await this.#planner.act()
  }

  /** Somebody changes files by hand; a process notices later. */
  #edit(): void {
    this.#config.system = `You are test ${this.around.number()}.`
    this.#config.versions[this.#chance.pick(STRANGE)]++
    if (this.#chance.oneIn(2)) this.#config.configure('permissions', this.#chance.pick(permissionModes))
    if (this.#chance.oneIn(2))
      this.#config.set({ quietHours: this.#chance.oneIn(2) ? null : this.#someHours() })
  }

  /** Hours that begin soon, began recently, or are far away. */
  #someHours(): DayHours {
    const now = Math.floor((this.#clock.now() / MINUTE_MS) % DAY_MINUTES)
    const from = (now + this.#chance.below(180) - 90 + DAY_MINUTES) % DAY_MINUTES
    return { from, to: (from + 10 + this.#chance.below(300)) % DAY_MINUTES }
  }

  /** Reports an update once or often; the same one may be submitted again. */
  #report(): void {
    const { around } = this
    const branch = around.laws.tree.living.find(({ mode }) => mode === 'main')?.id
    if (branch === undefined) return
    const about = { branch, at: this.#clock.now(), v: 1, source: 'the simulation' } as const
    const author = { by: 'policy', name: 'handed-in' } as const
    for (let times = this.#chance.oneIn(5) ? 12 : 1; times > 0; times--) {
      const text = `news ${around.number()}`
      const key = this.#chance.oneIn(3) ? `key ${this.#chance.below(9)}` : null
      around.story.push(`-- ${text} of ${key} --`)
      const written = this.#living.log.write((writing) => {
        if (key !== null && writing.row(updateKeyTable, [key]) !== undefined) return
        writing.append({ kind: 'update-reported', ...about, text, from: null, author, key })
      })
      this.#living.untilDeath(written).catch((error: unknown) => {
        if (!isFull(error)) around.broken ??= error
      })
    }
    if (this.#chance.oneIn(6)) around.die('deaths in between')
  }

  /** Runs beside everything else, as the product indexes a while after something was said. */
  #index(): void {
    const { recall } = this.#living
    recall.catchUp().catch((error: unknown) => (this.around.broken ??= error))
  }

  /** Channels deliver nothing more then; what they delivered before is taken. */
  async #close(): Promise<void> {
    const { agent, log, recall, scheduler } = this.#living
    const close = async (): Promise<void> => {
      await scheduler.close()
      await agent.close()
      await this.#typist.heardAll()
      await recall.close()
      await log.close()
    }
    this.#isClosing = true
    await this.#drive(close())
    this.#isClosing = false
  }

  /** Lets time pass until the goal is reached, or the process is dead. */
  async #drive(goal: Promise<void>): Promise<void> {
    const state = { isOver: false }
    goal.then(
      () => (state.isOver = true),
      (error: unknown) => {
        if (!isFull(error)) this.around.broken ??= error
        state.isOver = true
      },
    )
    for (let wakings = 0; !state.isOver && !this.#living.isDead; wakings++) {
      hold(wakings < WAKINGS_MAX, 'what was begun never ends')
      await this.#breathe()
      if (!state.isOver) this.#clock.next()
      this.#breakIfBroken()
    }
  }

  async #breathe(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  }

  /** A full disk ends a process; any other failure is a bug. */
  #fail(error: unknown): void {
    if (isFull(error)) this.around.die('deaths of a full disk')
    else this.around.broken ??= error
  }

  async #look(): Promise<void> {
    this.#breakIfBroken()
    if (this.#living.isDead) await this.#start()
  }

  #breakIfBroken(): void {
    if (this.around.broken !== undefined) throw this.around.broken
  }

  /** Until nothing is left to do: every message answered, every delivery settled, every command run. */
  async #rest(): Promise<void> {
    const { laws } = this.around
    let [idle, vain] = [0, 0]
    for (let wakings = 0; ;) {
      const end = laws.events.length
      await this.#breathe()
      await this.#look()
      const later = laws.later(this.#clock.now())
      const unrest = this.#typist.isWaiting ? 'something typed is not taken' : (laws.unrest() ?? later?.what)
      if (unrest === undefined) break
      hold(laws.events.length < EVENTS_MAX, `it never comes to rest, and ${unrest}`)
      if (laws.events.length > end) {
        vain = 0
        continue
      }
      // A fork that ended meanwhile took along what was typed there.
      if (!this.#typist.isWaiting && laws.pauses.isAllPaused(this.#clock.now()))
        await this.#typist.resumeAll()
      // A poll every minute must not delay work that is due tomorrow.
      if (++vain % VAIN === 0) this.#clock.pass(10 * vain * MINUTE_MS)
      if (laws.unrest() === undefined) this.#clock.jump(this.#awayOf(later?.at))
      if (this.#clock.next()) {
        hold(++wakings < WAKINGS_MAX, `it never comes to rest: ${unrest}`)
        idle = 0
        continue
      }
      hold(++idle < BREATHS_MAX, `it does nothing more, and ${unrest}`)
    }
    await this.#drive(this.#living.agent.settled())
  }

  /** How long until `at`; an hour if unknown. */
  #awayOf(at: number | undefined): number {
    return at === undefined ? HOUR_MS : Math.min(HOUR_MS, Math.max(0, at - this.#clock.now()))
  }

  /** Idle children end, and nothing else happens. */
  async #waitForDays(): Promise<void> {
    for (const end = this.#clock.passed + 2 * DAY_MS; this.#clock.passed < end;) {
      await this.#breathe()
      this.#clock.pass(20 * MINUTE_MS)
    }
    await this.#rest()
  }
}

/** A random stream of its own, so that the same seed lives the same life. */
function runAgain(seed: number): Rerunning {
  return { random: seededRandom(-seed), projections: agentProjections, forget: () => undefined }
}

let isWarm = false

/** Modules loaded at first use would otherwise take time at a different point. */
async function warmUp(): Promise<void> {
  if (isWarm) return
  isWarm = true
  const file = { file: 'reminders/a.md', text: '---\nrun-at: 2026-01-01T09:00\n---\nGo.' }
  const read = await readDefinition(file, { due: 'required' })
  if ('definition' in read) await definitionText(read.definition)
  await readWhen('in 20 minutes', { now: 0, zone: 'UTC' })
}

const EVERYTHING: Omit<Search, 'text' | 'now'> = { within: () => 'all', limit: 40, isPatient: true }

/** Numbers that no two messages share, unless one is about the other. */
function numbersIn(event: Event): string[] {
  return event.kind === 'message-added' ? (event.message.text.match(/\d+/g) ?? []) : []
}
