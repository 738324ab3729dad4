import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { budgetOf } from '../../../src/agent/state/ledger.ts'
import { pendingUpdates } from '../../../src/agent/state/updates.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { toLine } from '../../../src/event/codec.ts'
import type { Event } from '../../../src/event/event.ts'
import { rebuild } from '../../../src/log/folding.ts'
import { openSqliteStore } from '../../../src/log/sqlite.ts'
import { StoreLog } from '../../../src/log/store-log.ts'
import { logFile } from '../../../src/runtime/home/home.ts'
import { openForReading } from '../../../src/runtime/home/open-log.ts'
import { hold } from '../witness.ts'
import { agentProjections } from './agent-life.ts'
import { Chance } from './chance.ts'
import { countStops, Diary, type Typed } from './diary.ts'
import { LeftFiles } from './left-files.ts'
import { Laws } from './laws.ts'
import { startProcess, type RealProcess } from './real-process.ts'
import { atOnce, something, tangent, type Numbers, type PersonParts, type Saying } from './sim-person.ts'
import { compareRows, foldAll } from './state-laws.ts'
import { numbersOf } from './typist.ts'
import { OWNER } from '../../../src/event/speaker.ts'

export interface AgentSurvived {
  readonly kills: number
  readonly events: number
  readonly turns: number
  readonly interrupted: number
  readonly shown: number
  readonly runs: number
  readonly forks: number
  readonly updates: number
  readonly firings: number
}

const KILLS = 2
const ROUTINE = ['cron: "* * * * *"', 'background: true', 'catch-up: once', 'session: persistent']
/** A process is killed at most this long after it is ready. */
const LIFE_MS = 200
/** Only a hanging process takes this long, even on a slow machine. */
const REST_MS = 600_000
/** The answer to a command may come just as its process closes: then the next one sends it. */
const LAST_LIVES = 3
/** The most events that a process writes before its agent starts. */
const SETUP_EVENTS = 8

/** Kills a process with an agent in the middle of its turns, twice on the same log; the next ones must come to rest. */
export async function killAgentOnce(seed: number): Promise<AgentSurvived> {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-agent-kill-'))
  const killing = new Killing(home, seed)
  try {
    for (let kills = 0; kills < KILLS; kills++) await killing.liveAndDie()
    await killing.comeToRest()
    return killing.survived()
  } finally {
    await killing.end()
    rmSync(home, { recursive: true, force: true, maxRetries: 20 })
  }
}

class Killing {
  readonly #home: string
  readonly #seed: number
  readonly #chance: Chance
  readonly #laws = new Laws()
  readonly #diary = new Diary()
  readonly #files: LeftFiles
  readonly #reminders = new Set<string>()
  /** Updates submitted for main. */
  readonly #news = new Set<string>()
  #process: RealProcess | undefined
  #number = 0
  #lives = 0
  #shown = 0

  constructor(home: string, seed: number) {
    this.#home = home
    this.#seed = seed
    this.#chance = new Chance(seededRandom(seed))
    this.#files = new LeftFiles(join(home, 'workspace'))
    this.#writeFile('routines/every-minute.md', ROUTINE)
    for (const ms of [-90_000, 1_000, 1_500, 2_500]) this.#remind(ms)
  }

  async liveAndDie(): Promise<void> {
    const process = await this.#start()
    const end = performance.now() + this.#chance.below(LIFE_MS)
    while (performance.now() < end) {
      this.#type(process)
      if (this.#chance.oneIn(6)) await this.#report()
      if (this.#chance.oneIn(8)) this.#remind(this.#chance.below(1_500))
      await sleep(this.#chance.below(20))
    }
    await process.kill()
    await this.#judge(process)
  }

  /** Brings everything that was begun to its end. */
  async comeToRest(): Promise<void> {
    for (let lives = 0; lives < LAST_LIVES; lives++) {
      await this.#liveAndClose(lives === 0 ? 'type' : 'listen')
      if (this.#laws.unrest() === undefined) break
    }
    this.#laws.settled(this.#diary)
    this.#checkFired()
    const told = this.#laws.events.flatMap((event) =>
      event.kind === 'update-reported' && event.from === null ? event.text : [],
    )
    hold(told.toSorted().join() === [...this.#news].toSorted().join(), '[UPD1] not all is told once')
    this.#laws.prompts.rebuilt(foldAll(this.#laws.events))
  }

  async #liveAndClose(how: 'type' | 'listen'): Promise<void> {
    const process = await this.#start()
    process.tell({ told: 'rest' })
    if (how === 'type') this.#type(process)
    this.#say(process, atOnce('/resume'))
    const log = openForReading(this.#home)
    const laws = new Laws()
    const end = performance.now() + REST_MS
    const denied = new Set<number>()
    for (;;) {
      for await (const event of log.events({ after: laws.events.length })) laws.take(event)
      this.#deny(process, laws, denied)
      const waiting = this.#updatesLeft()
      const news = waiting > 0 ? 'an update waits' : undefined
      const unrest = this.#untaken(process) ?? laws.unrest() ?? news ?? this.#undone(laws)
      if (unrest === undefined) break
      // A fork that ended meanwhile took the /resume along.
      if (this.#untaken(process) === undefined && laws.pauses.isAllPaused(Date.now()))
        this.#say(process, atOnce('/resume'))
      hold(process.failure === undefined, `the process failed: ${process.failure}`)
      hold(performance.now() < end, `it never comes to rest: ${unrest}`)
      await sleep(10)
    }
    await log.close()
    process.tell({ told: 'close' })
    await process.ended
    await this.#judge(process)
  }

  #untaken({ heard }: RealProcess): string | undefined {
    const taken = new Set(heard.map((one) => (one.said === 'heard' ? one.index : -1)))
    const left = this.#diary.typed.find((typed, index) => isUnheard(typed) && !taken.has(index))
    return left && `nobody took '${left.text}'`
  }

  survived(): AgentSurvived {
    const turns = [...this.#laws.tree.turns.values()]
    const interrupted = turns.filter(({ outcome }) => outcome === 'interrupted').length
    const { events } = this.#laws
    const count = (kind: Event['kind']): number => events.filter((event) => event.kind === kind).length
    return {
      kills: KILLS,
      events: events.length,
      turns: turns.length,
      interrupted,
      shown: this.#shown,
      runs: count('run-started'),
      forks: count('fork-entered'),
      updates: count('update-reported'),
      firings: count('job-fired'),
    }
  }

  async end(): Promise<void> {
    await this.#process?.kill()
  }

  #fired({ events }: Laws, id: string): number {
    return events.filter((event) => event.kind === 'job-fired' && event.job === id).length
  }

  #undone(laws: Laws): string | undefined {
    const left = [...this.#reminders].find((id) => this.#fired(laws, id) === 0 || this.#isThere(id))
    return left && `reminder ${left} is not done`
  }

  #isThere(id: string): boolean {
    return existsSync(join(this.#home, 'workspace', 'reminders', `${id}.md`))
  }

  /** JOB1: each reminder fires once, whatever was killed. */
  #checkFired(): void {
    for (const id of this.#reminders) {
      const times = this.#fired(this.#laws, id)
      hold(times === 1, `[JOB1] ${id} was fired ${times} ×`)
      hold(!this.#isThere(id), `[JOB1] the file of ${id} is left over`)
    }
  }

  /** Even seeds run the product as it is, odd ones a random model. */
  async #start(): Promise<RealProcess> {
    const kind = this.#seed % 2 === 0 ? 'offline' : 'random'
    const seed = this.#seed * (KILLS + 1) + this.#lives++
    this.#process = await startProcess([this.#home, kind, String(seed)])
    for (const typed of this.#diary.typed) if (isUnheard(typed)) this.#give(this.#process, typed)
    return this.#process
  }

  /** Denies approvals, so that nobody waits a minute for them. */
  #deny(process: RealProcess, laws: Laws, denied: Set<number>): void {
    for (const { asked } of laws.approvals.open) {
      if (asked.wish.kind !== 'call' || denied.has(asked.number)) continue
      denied.add(asked.number)
      this.#say(process, atOnce(`/deny ${asked.number}`))
    }
  }

  async #report(): Promise<void> {
    const text = `news ${++this.#number}`
    this.#news.add(text)
    const folder = join(this.#home, 'updates')
    const name = `${this.#number.toString(16).padStart(32, '0')}.json`
    const unfinished = join(this.#home, `${name}.unfinished`)
    writeFileSync(unfinished, JSON.stringify({ text, source: 'the simulation', at: 1 }))
    // The process removes the folder when it is empty.
    while (existsSync(unfinished)) {
      mkdirSync(folder, { recursive: true })
      try {
        renameSync(unfinished, join(folder, name))
      } catch {
        continue
      }
    }
  }

  #updatesLeft(): number {
    const folder = join(this.#home, 'updates')
    return existsSync(folder) ? readdirSync(folder).length : 0
  }

  /** Types anything: forks, jobs, replies and whatever else people do. */
  #type(process: RealProcess): void {
    const parts = this.#person
    const sayings = this.#chance.weighted<() => readonly Saying[]>([
      [5, () => [something(parts)]],
      [2, () => tangent(parts)],
      [2, () => [atOnce(`/run job-${parts.number()}.md`)]],
      [1, () => [atOnce(`/reply ${1 + this.#chance.below(parts.unasked() + 2)} reply ${parts.number()}`)]],
    ])
    for (const saying of sayings()) this.#say(process, saying)
  }

  get #person(): PersonParts {
    const number = (): number => ++this.#number
    const { tree, approvals, pings } = this.#laws
    const known = {
      known: () => tree.known,
      approvals: () => guessed(numbersOf(approvals)),
      unasked: () => pings.numbersMax + 1,
    }
    return { chance: this.#chance, number, ...known }
  }

  #say(process: RealProcess, { text, expected }: Saying): void {
    const typed: Typed = { conversation: 'desk', key: `k${++this.#number}`, text, expected, heard: [] }
    this.#diary.typed.push(typed)
    for (const [, file = ''] of text.matchAll(/^\/run (job-\d+\.md)$/gm)) this.#writeJob(file)
    this.#give(process, typed)
    if (this.#chance.oneIn(5)) this.#give(process, this.#chance.pick(this.#diary.typed))
  }

  /** The file as the product reads it; the random model has jobs of its own. */
  #writeJob(file: string): void {
    const chance = this.#chance
    const reporting = chance.pick(['on_ping', 'always', 'freely', 'blocked'])
    const lines = [
      '---',
      `update-main-session: ${reporting}`,
      `allow-ping: ${!chance.oneIn(4)}`,
      `isolated: ${chance.oneIn(3)}`,
      '---',
      `Look after ${++this.#number}.`,
    ]
    mkdirSync(join(this.#home, 'workspace'), { recursive: true })
    writeFileSync(join(this.#home, 'workspace', file), lines.join('\n'))
  }

  /** In main or beside it. */
  #remind(ms: number): void {
    const id = `soon-${++this.#number}`
    const due = new Date(Date.now() + ms)
    this.#reminders.add(id)
    const fields = [`run-at: ${due.toISOString()}`, `background: ${this.#chance.oneIn(2)}`]
    this.#writeFile(`reminders/${id}.md`, fields)
  }

  #writeFile(path: string, fields: readonly string[]): string {
    const file = join(this.#home, 'workspace', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, ['---', ...fields, '---', `Look after ${++this.#number}.`].join('\n'))
    return file
  }

  #give(process: RealProcess, typed: Typed): void {
    const { conversation, key, text } = typed
    this.#diary.stops += countStops(typed)
    process.tell({ told: 'typed', index: this.#diary.typed.indexOf(typed), conversation, key, text })
  }

  /** The process's reports must match the log that it left. */
  async #judge({ heard, failure }: RealProcess): Promise<void> {
    hold(failure === undefined, `the process failed: ${failure}`)
    this.#laws.begins('died')
    const foundAt = this.#laws.events.length
    for (const event of (await readLog(this.#home, this.#laws.events)).slice(foundAt)) this.#laws.take(event)
    const process = { life: this.#lives, foundAt, startedAt: foundAt + SETUP_EVENTS }
    for (const said of heard) {
      if (said.said === 'heard') this.#diary.typed[said.index]?.heard.push({ kind: said.heard })
      if (said.said === 'forbidden') this.#diary.forbid(said.number)
      if (said.said === 'ran') {
        this.#laws.runsCall(said.number, said.tool)
        this.#diary.ran(said.number)
      }
      if (said.said === 'shown') {
        this.#laws.post.shown(said.message, process)
        this.#shown++
      }
    }
    this.#laws.committed()
    comparePending(this.#laws)
    this.#diary.compare(this.#laws.inbox)
    this.#files.check(
      this.#laws.events,
      this.#diary.typed.map(({ text }) => text),
    )
  }
}

/** The log is only read after a death: later questions have one of the next numbers. */
function guessed({ open, lines, last }: Numbers): Numbers {
  return { open: [...open, last + 1, last + 2], lines, last: last + 3 }
}

function isUnheard({ heard }: Typed): boolean {
  return heard.length === 0
}

/** UPD1: main's pending updates match the naive list. PING2: so does the budget. */
function comparePending({ events, tree, updates, budget }: Laws): void {
  const folded = foldAll(events)
  budget.compare(budgetOf(folded, OWNER))
  for (const branch of tree.branches.keys()) {
    const [naive, known] = [updates.pending(branch), pendingUpdates(folded, branch)]
    hold(naive.join() === known.join(), `[UPD1] ${known.join()} are said to wait, and ${naive.join()} do`)
  }
}

/** Opens the log as the next process does. Everything from before is still there, and the tables match the fold. */
async function readLog(home: string, before: readonly Event[]): Promise<readonly Event[]> {
  const holder = { command: 'kill test', pid: process.pid, since: 0 }
  const store = openSqliteStore({ file: logFile(home), projections: agentProjections, holder })
  const log = new StoreLog(store, agentProjections)
  const events = await Array.fromAsync(log.events())
  const lost = before.find((event, index) => toLine(event) !== toLine(events[index] ?? event))
  hold(
    events.length >= before.length && lost === undefined,
    `[LOG3] event ${lost?.position} is not what it was`,
  )
  const folded = foldAll(events)
  await log.read((reader) => compareRows(reader, folded))
  const { tables } = rebuild(store, agentProjections, { keep: true })
  const wrong = tables.filter(({ differs }) => differs).map(({ table }) => table)
  hold(wrong.length === 0, `[CTX2] doctor --rebuild changed ${wrong.join(', ')}`)
  await log.close()
  return events
}
