import { seededRandom } from '../src/base/random.ts'
import { newBranchId } from '../src/context/branch.ts'
import { rewind, setMark } from '../src/context/change.ts'
import { compact, planCompaction } from '../src/context/compaction.ts'
import { isRefusal, type Decision } from '../src/context/decision.ts'
import { createBranch, fork } from '../src/context/fork.ts'
import { save } from '../src/context/save.ts'
import { addMessage, endTurn, startTurn } from '../src/context/step.ts'
import type { Author, EndReason, Kind, Message, Mode } from '../src/event/event.ts'
import { makeTurnId, type BranchId, type Position } from '../src/event/id.ts'
import type { Writing } from '../src/event/table.ts'

/** How much happened. */
export interface YearsWanted {
  /** On main. */
  readonly messages: number
  readonly days: number
  /** When it ends. */
  readonly until: number
  readonly seed?: number
}

const PERSON: Author = { by: 'person' }
const HOST: Author = { by: 'policy', name: 'window' }
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const KEEP = 20
const COMPACT_AT = 80
const TOPICS = ['ferries to Sicily', 'compare insurers', 'the garden', 'tax papers', 'a bike for Ada']
const MARKS = ['PLAN', 'before-tax', 'draft', 'idea', 'sicily']
const JOBS = [
  { job: 'morning-brief', tag: 'routine-bg', perDay: 1 },
  { job: 'inbox', tag: 'routine-bg', perDay: 24 },
  { job: 'news', tag: 'routine-bg', perDay: 3 },
  { job: 'build', tag: 'webhook', perDay: 6 },
  { job: 'pill', tag: 'reminder-bg', perDay: 2 },
] as const
const WORDS =
  'the night ferry leaves Genoa at half past ten and somebody asked for a cabin with two beds'.split(' ')

/** A life of some years: talk by day, forks, children, runs, marks, rewinds, compactions, mail, updates and pings. */
export class Years {
  readonly #random
  readonly #wanted: YearsWanted
  #main: BranchId | undefined
  #now: number
  #shown = 0
  #pending: Position[] = []
  #said = 0
  #days = 0

  constructor(wanted: YearsWanted) {
    this.#wanted = wanted
    this.#random = seededRandom(wanted.seed ?? 7)
    this.#now = wanted.until - wanted.days * DAY_MS
  }

  get said(): number {
    return this.#said
  }

  get isOver(): boolean {
    return this.#days >= this.#wanted.days
  }

  /** One day, as one work of the log. */
  day(writing: Writing): void {
    const { days, until, messages } = this.#wanted
    const start = until - (days - this.#days) * DAY_MS
    this.#now = Math.max(this.#now, start)
    this.#main ??= this.#begin(writing, { mode: 'main', title: null })
    const main = this.#main
    const due = Math.round((messages * (this.#days + 1)) / days) - this.#said
    const runs = this.#runsOf(start)
    // Talk lies between eight in the morning and ten in the evening.
    const turns = Math.max(1, Math.round(due / 2))
    for (let n = 0; n < turns; n++) {
      this.#runAll(writing, runs, start + (0.33 + (0.58 * n) / turns) * DAY_MS)
      this.#turn(writing, main)
      this.#shown += 2
      this.#said += 2
      this.#aside(writing, main)
    }
    this.#runAll(writing, runs, start + DAY_MS)
    this.#days++
  }

  #runsOf(start: number): DueRun[] {
    return JOBS.flatMap((job) =>
      Array.from({ length: job.perDay }, (_, n) => ({
        ...job,
        at: start + (n + 0.5) * (DAY_MS / job.perDay) + this.#upTo(10 * MINUTE_MS),
      })),
    ).toSorted((one, other) => other.at - one.at)
  }

  #runAll(writing: Writing, runs: DueRun[], until: number): void {
    for (let next = runs.at(-1); next !== undefined && next.at < until; next = runs.at(-1)) {
      runs.pop()
      this.#now = Math.max(this.#now, next.at)
      this.#run(writing, next)
    }
    this.#now = Math.max(this.#now, until)
  }

  #run(writing: Writing, { job, tag }: DueRun): void {
    const branch = this.#begin(writing, { mode: 'background', title: job })
    writing.append({
      kind: 'run-started',
      ...this.#at(branch),
      v: 1,
      job,
      tag,
      file: null,
      isolated: false,
      model: null,
      thinking: 'off',
      reporting: 'freely',
      allowPing: true,
      tools: [],
      skills: [],
      timeoutMs: 600_000,
      setup: null,
      author: HOST,
    })
    const turn = this.#turn(writing, branch, () => {
      if (this.#chance(40)) this.#ping(writing, branch)
    })
    if (this.#chance(6)) this.#report(writing, branch)
    this.#end(writing, branch, turn ? 'finished' : 'failed')
  }

  #ping(writing: Writing, branch: BranchId): void {
    const turn = makeTurnId(Math.round(this.#now), this.#random)
    const decided = { turn, run: branch, what: 'message', isCritical: false, verdict: 'sent' } as const
    const text = `Flight LH ${this.#upTo(900)} moved to 14:20`
    const rest = { because: 'asked', text, before: null, delivery: null } as const
    const ping = writing.append({ kind: 'ping-decided', ...this.#at(branch), v: 1, ...decided, ...rest })
    writing.append({
      kind: 'ping-settled',
      ...this.#at(branch),
      v: 1,
      ping,
      outcome: 'expired',
      delivery: null,
    })
  }

  #report(writing: Writing, from: BranchId): void {
    if (this.#main === undefined) return
    const words = { source: 'routine', text: this.#text(80), from, author: HOST, key: null } as const
    this.#pending.push(writing.append({ kind: 'update-reported', ...this.#at(this.#main), v: 1, ...words }))
  }

  /** What comes between two turns of main, now and then. */
  #aside(writing: Writing, main: BranchId): void {
    if (this.#isDaily(0.5)) this.#do(writing, setMark(writing, { ...this.#act(main), name: this.#of(MARKS) }))
    if (this.#shown > COMPACT_AT) this.#compact(writing, main)
    if (this.#isDaily(0.5)) this.#fork(writing, main)
    if (this.#isDaily(0.4)) this.#child(writing, main)
    if (this.#isDaily(0.2) && this.#shown > KEEP + 10) {
      this.#do(writing, setMark(writing, { ...this.#act(main), name: 'PLAN' }))
      for (let n = 0; n < 4; n++) this.#turn(writing, main)
      const cut = rewind(writing, { ...this.#act(main), name: 'PLAN', messagesMin: 0 })
      if (!isRefusal(cut)) writing.append(cut.draft)
    }
  }

  #compact(writing: Writing, branch: BranchId): void {
    const plan = planCompaction(writing, { branch, keep: KEEP })
    if (isRefusal(plan)) return
    const texts = plan.parts.map(() => ({ text: this.#text(200), tokens: 300 }))
    const act = { ...this.#act(branch), author: HOST, covered: plan.covered, texts, writer: 'extract' }
    this.#do(writing, compact(writing, act))
    this.#shown = KEEP
  }

  #fork(writing: Writing, parent: BranchId): void {
    const branch = this.#begin(writing, { mode: 'fork', title: this.#of(TOPICS), parent })
    for (let n = 3 + this.#upTo(6); n > 0; n--) {
      this.#now += this.#upTo(90) * MINUTE_MS
      this.#turn(writing, branch)
    }
    if (this.#chance(3)) return this.#end(writing, branch, 'discarded')
    this.#do(writing, save(writing, this.#act(branch)))
    this.#end(writing, branch, 'saved')
  }

  #child(writing: Writing, parent: BranchId): void {
    const branch = this.#begin(writing, { mode: 'child', title: this.#of(TOPICS), parent })
    this.#turn(writing, branch)
    if (this.#chance(3)) {
      const below = this.#begin(writing, { mode: 'child', title: 'prices', parent: branch })
      this.#now += this.#upTo(60) * MINUTE_MS
      this.#turn(writing, below)
      this.#end(writing, below, 'finished')
    }
    this.#now += this.#upTo(240) * MINUTE_MS
    this.#turn(writing, branch)
    writing.append({ kind: 'mail-sent', ...this.#at(parent), v: 1, from: branch, text: this.#text(90) })
    this.#end(writing, branch, 'finished')
  }

  #turn(writing: Writing, branch: BranchId, between?: () => void): boolean {
    const turn = makeTurnId(Math.round(this.#now), this.#random)
    this.#do(writing, startTurn(writing, { ...this.#at(branch), turn }))
    const shown = branch === this.#main ? this.#pending.splice(0) : []
    this.#say(writing, branch, { role: 'user', text: this.#text(120), shown })
    this.#now += 5_000 + this.#upTo(20_000)
    between?.()
    this.#say(writing, branch, { role: 'assistant', text: this.#text(300), calls: [] })
    this.#do(writing, endTurn(writing, { ...this.#at(branch), outcome: 'answered' }))
    return true
  }

  #say(
    writing: Writing,
    branch: BranchId,
    { shown = [], ...message }: Message & { readonly shown?: readonly Position[] },
  ): void {
    const tokens = Math.ceil(message.text.length / 4)
    const decision = addMessage(writing, { ...this.#at(branch), message, tokens })
    if (isRefusal(decision)) throw new Error(`a message was refused: ${decision.refused}`)
    const updates = shown.length === 0 ? {} : { updates: { of: branch, shown: [...shown] } }
    writing.append({ ...decision.draft, ...updates })
  }

  #begin(writing: Writing, { mode, title, parent = this.#main }: Beginning): BranchId {
    const child = newBranchId(writing, { at: Math.round(this.#now), seed: this.#random() })
    const act = { child, mode, title, at: Math.round(this.#now), author: PERSON }
    const decision =
      parent === undefined
        ? createBranch(act)
        : fork(writing, { ...act, parent, inherit: { take: 'everything' }, hasGoal: true })
    this.#do(writing, decision)
    return child
  }

  #end(writing: Writing, branch: BranchId, reason: EndReason): void {
    this.#now += 1_000
    writing.append({ kind: 'branch-ended', ...this.#act(branch), v: 1, reason })
  }

  #do(writing: Writing, decision: Decision<Kind>): void {
    if (isRefusal(decision)) throw new Error(`the years were refused: ${decision.refused}`)
    writing.append(decision.draft)
  }

  #at(branch: BranchId) {
    this.#now += 50
    return { branch, at: Math.round(this.#now) }
  }

  #act(branch: BranchId) {
    return { ...this.#at(branch), author: PERSON }
  }

  #chance(one: number): boolean {
    return this.#random() % one === 0
  }

  /** True so many times a day, if asked once a turn. */
  #isDaily(times: number): boolean {
    const turns = this.#wanted.messages / this.#wanted.days / 2
    return this.#upTo(1_000_000) < (times / turns) * 1_000_000
  }

  #upTo(most: number): number {
    return this.#random() % most
  }

  #of<T>(list: readonly T[]): T {
    return list[this.#random() % list.length] as T
  }

  #text(chars: number): string {
    let text = ''
    while (text.length < chars) text += `${this.#of(WORDS)} `
    return text.slice(0, chars)
  }
}

type DueRun = (typeof JOBS)[number] & { readonly at: number }

interface Beginning {
  readonly mode: Mode
  readonly title: string | null
  readonly parent?: BranchId
}
