import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { pendingUpdates, updateAt } from '../../src/agent/state/updates.ts'
import { updateTable } from '../../src/agent/state/tables.ts'
import { getBranch } from '../../src/context/branch.ts'
import { messagesShown } from '../../src/context/part.ts'
import { listOf } from '../../src/context/version.ts'
import { handleOf, type BranchId } from '../../src/event/id.ts'
import { allRows, type Reader } from '../../src/event/table.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import { reportUpdate } from '../../src/runtime/life/reported-update.ts'
import { messagesUnder } from '../model/entry.ts'
import { MAIN, naiveBlock, NaiveUpdates, type NaiveUpdate } from '../model/naive-updates.ts'
import { modelFault, type Said } from './doubles.ts'
import { ended, ruled, stopped } from './rig.ts'
import { breathe, projections, terminal, type Stage, type StageOptions } from './stage.ts'

/** `job`: a turn of main that no person opened, also while they talk in a fork. `tell`: a fork ends with a report. */
export type Doing =
  | { readonly do: 'report'; readonly count: number }
  | { readonly do: 'turn' | 'job'; readonly ends: Ending }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: Simple }
export type Ending = 'answered' | 'failed' | 'crashed'
export type Simple =
  | 'hand-in'
  | 'fork'
  | 'save'
  | 'exit'
  | 'tell'
  | 'copy'
  | 'away'
  | 'back'
  | 'restart'
  | 'undo'
  | 'redo'
  | 'clear'
  | 'mark'
  | 'rewind'

/** What happened in all lives: a law that was never tried was not kept. */
export const tried = { popped: 0, peeked: 0, omitted: 0, settled: 0, unsettled: 0, resettled: 0 }

/** Does all this, and compares updates with the naive idea of them after every act. */
export async function live(doings: readonly Doing[]): Promise<void> {
  const life = new UpdatesLife()
  try {
    await life.start()
    for (const doing of doings) {
      await life.act(doing)
      await life.check()
    }
    await life.checkEnd()
  } finally {
    await life.end()
  }
}

const QUIET = {
  forkIdleMs: 1e12,
  // A copy of a copy is one deeper.
  depthMax: 1_000,
  window: {
    policy: 'managed',
    windowMessages: 400,
    thresholdMessages: 500,
    truncationMessages: 600,
    shareMin: 0,
    historyTokensMax: null,
    summaryTokensMax: 500,
  },
} as const

class UpdatesLife {
  readonly #naive = new NaiveUpdates()
  readonly #home = mkdtempSync(join(tmpdir(), 'mainstem-updates-'))
  #at!: Stage
  #main!: BranchId
  /** Real forks by the numbers of their twins, from 1. */
  readonly #forks: BranchId[] = []
  /** The number of the fork that is open. */
  #open: number | undefined
  #isInFork = false
  #mood: 'answered' | 'failed' | 'hangs' = 'answered'
  #news = 0

  async start(parts: Pick<StageOptions, 'disk' | 'clock'> = {}): Promise<void> {
    this.#at = await ruled((_prompt, signal) => this.#answer(signal), { settings: QUIET, ...parts })
    this.#main ??= await this.#at.branch()
    await this.#at.settle()
  }

  async end(): Promise<void> {
    await this.#at.close()
    rmSync(this.#home, { recursive: true, force: true })
  }

  async act(doing: Doing): Promise<void> {
    switch (doing.do) {
      case 'report':
        for (let count = 0; count < doing.count; count++) await this.#report()
        return
      case 'turn':
        return this.#turn(this.#here, doing.ends)
      case 'job':
        return this.#turn(MAIN, doing.ends, 'job')
      case 'wait':
        return this.#at.clock.pass(doing.minutes * 60_000)
      case 'hand-in':
        return this.#handIn()
      case 'restart':
        return this.#restart()
      case 'fork':
      case 'copy':
        return this.#enter(doing.do)
      case 'away':
      case 'back':
        return this.#go(doing.do)
      case 'save':
      case 'exit':
      case 'tell':
        return this.#leave(doing.do)
      default:
        return this.#change(doing.do)
    }
  }

  get #here(): number {
    return this.#isInFork && this.#open !== undefined ? this.#open : MAIN
  }

  async #answer(signal: AbortSignal): Promise<Said> {
    if (this.#mood === 'hangs') return stopped(signal)
    if (this.#mood === 'failed') throw modelFault('rejected')
    return { text: 'ok' }
  }

  async #report(): Promise<void> {
    const text = `news ${++this.#news}`
    const facts = { source: 'routine brief', text, key: null, from: null }
    const author = { by: 'policy', name: 'host' } as const
    const [branch, at] = [this.#main, this.#at.clock.now()]
    await this.#at.log.write((writing) =>
      writing.append({ kind: 'update-reported', branch, at, v: 1, ...facts, author }),
    )
    this.#naive.report({ text, source: 'routine brief', at })
  }

  async #handIn(): Promise<void> {
    const text = `news ${++this.#news}`
    const { log, clock } = this.#at
    const update = { text, source: 'mcp test', at: clock.now() }
    // A program that does not know whether it arrived reports it again.
    for (let tries = 0; tries < 2; tries++) await reportUpdate(log, terminal, { ...update, key: text })
    this.#naive.report(update)
  }

  async #turn(branch: number, ends: Ending, by: 'person' | 'job' = 'person'): Promise<void> {
    const shown = this.#naive.say(branch, { isAnswered: ends !== 'failed', now: this.#at.clock.now() })
    this.#mood = ends === 'crashed' ? 'hangs' : ends
    if (by === 'person') await this.#at.type('hello')
    else await this.#jobInMain()
    if (ends === 'crashed') {
      await breathe()
      this.#mood = 'answered'
      await this.#restart()
    } else await this.#at.settle()
    this.#mood = 'answered'
    await this.#checkMessage(branch, shown)
  }

  async #jobInMain(): Promise<void> {
    const { log, clock, agent } = this.#at
    const source = { from: 'host', tag: 'routine', id: 'brief' } as const
    const entry = { at: clock.now(), v: 1, source, form: 'message', text: 'Look around.' } as const
    await log.write((writing) => writing.append({ kind: 'inbound-admitted', branch: this.#main, ...entry }))
    agent.wake([this.#main])
  }

  async #restart(): Promise<void> {
    await this.start(await ended(this.#at))
  }

  async #enter(how: 'fork' | 'copy'): Promise<void> {
    const last = this.#forks.length
    if (this.#open !== undefined || (how === 'copy' && last === 0)) return
    if (how === 'fork') await this.#at.say('/fork')
    else await this.#at.say(`/switch ${handleOf(this.#forks[last - 1] as BranchId)}`)
    this.#forks.push(await this.#at.branch())
    this.#open = this.#naive.fork(how === 'fork' ? MAIN : last)
    this.#isInFork = true
  }

  /** A fork that one goes away from stays open. */
  async #go(where: 'away' | 'back'): Promise<void> {
    if (this.#open === undefined || (where === 'back') === this.#isInFork) return
    const handle = handleOf(this.#forks[this.#open - 1] as BranchId)
    await this.#at.say(`/switch ${where === 'away' ? 'main' : handle}`)
    this.#isInFork = where === 'back'
  }

  async #leave(how: 'save' | 'exit' | 'tell'): Promise<void> {
    const fork = this.#here
    if (fork === MAIN) return
    const text = `news ${this.#news + 1}`
    await this.#at.say(how === 'tell' ? `/report ${text}` : `/${how}`)
    const pending = this.#naive.pending().length
    if (how === 'save' && !this.#naive.save(fork)) return
    if (how === 'save') tried.settled += pending - this.#naive.pending().length
    if (how === 'tell') {
      this.#news++
      const handle = handleOf(this.#forks[fork - 1] as BranchId)
      this.#naive.report({ text, source: `fork ${handle}`, at: this.#at.clock.now() })
    }
    if (how !== 'save') this.#naive.world.end(fork)
    this.#open = undefined
    this.#isInFork = false
  }

  async #change(what: 'undo' | 'redo' | 'clear' | 'mark' | 'rewind'): Promise<void> {
    const branch = this.#here
    await this.#at.say(what === 'mark' || what === 'rewind' ? `/${what} A` : `/${what}`)
    const pending = this.#naive.pending().length
    if (what === 'undo') this.#naive.undo(branch)
    else if (what === 'redo') this.#naive.redo(branch)
    else if (what === 'clear') this.#naive.world.clear(branch)
    else if (what === 'mark') this.#naive.world.mark(branch, 'A')
    else this.#naive.world.rewind(branch, { name: 'A', messagesMin: 0 })
    tried.unsettled += Math.max(0, this.#naive.pending().length - pending)
    tried.resettled += Math.max(0, pending - this.#naive.pending().length)
  }

  /** What the message shows that opened the turn, to the letter. */
  async #checkMessage(branch: number, shown: readonly string[]): Promise<void> {
    const id = this.#idOf(branch)
    const added = await this.#at.events('message-added')
    const opened = added.findLast((event) => event.branch === id && event.message.role === 'user')
    const before = opened?.message.role === 'user' ? (opened.message.before ?? []) : []
    const block = shown.length === 0 ? [] : [naiveBlock(branch === MAIN ? 'main' : 'fork', shown)]
    same(before, block, 'what the message shows')
    same(opened?.updates?.shown.length ?? 0, shown.length, 'how many it shows or counts')
    tried[branch === MAIN ? 'popped' : 'peeked'] += shown.length
    if (shown.length > 10) tried.omitted++
  }

  #idOf(branch: number): BranchId {
    return branch === MAIN ? this.#main : (this.#forks[branch - 1] as BranchId)
  }

  async check(): Promise<void> {
    await this.#at.read((reader) => {
      const states = statesIn(reader, this.#main)
      same(states, this.#naive.all.map(stateOf), 'what was told, and how')
      const waiting = pendingUpdates(reader, this.#main).map((position) => updateAt(reader, position).text)
      const naively = this.#naive.pending().map((place) => this.#naive.all[place]?.text)
      same(waiting, naively, 'what is pending')
      for (const branch of [MAIN, ...(this.#open === undefined ? [] : [this.#open])]) {
        const list = listOf(reader, getBranch(reader, this.#idOf(branch)))
        const { entries } = this.#naive.world.get(branch)
        same(messagesShown(reader, list), messagesUnder(entries).length, 'messages')
      }
    })
  }

  /** UPD1 and CTX2, read off the log alone. */
  async checkEnd(): Promise<void> {
    const events = await this.#at.all()
    const told = events.flatMap((event) =>
      event.kind === 'message-added' && event.branch === this.#main ? (event.updates?.shown ?? []) : [],
    )
    same(new Set(told).size, told.length, '[UPD1] each is in one message')
    const again = openMemoryLog({ disk: new MemoryDisk(), projections })
    await again.write((writing) => {
      for (const { position: _, ...draft } of events) writing.append(draft)
    })
    const [folded, lived] = await Promise.all(
      [again, this.#at.log].map((log) => log.read((reader) => statesIn(reader, this.#main))),
    )
    same(folded, lived, '[CTX2] folding gives the same')
    await again.close()
  }
}

function same(real: unknown, naive: unknown, what: string): void {
  expect({ [what]: real }).toEqual({ [what]: naive })
}

type State = readonly [text: string, told: 'pending' | 'message' | 'save']

function stateOf({ text, told }: NaiveUpdate): State {
  return [text, typeof told === 'string' ? told : 'save']
}

function statesIn(reader: Reader, main: BranchId): State[] {
  return [...allRows(reader, updateTable, { prefix: [main] })].map(({ position, settled }): State => {
    const { text } = updateAt(reader, position)
    if (settled === null) return [text, 'pending']
    const { kind } = reader.event(settled)
    return [text, kind === 'context-saved' ? 'save' : 'message']
  })
}
