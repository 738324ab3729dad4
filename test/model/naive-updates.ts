import { ageText } from '../../src/base/words.ts'
import { messagesUnder, type NaiveMessage } from './entry.ts'
import { NaiveWorld, type Change } from './naive.ts'
import { save } from './naive-save.ts'

export const MAIN = 0

export interface NaiveUpdate {
  readonly text: string
  readonly source: string
  readonly at: number
  /** How it was told: by a message of main, or by a save that stands. */
  told: 'pending' | 'message' | Change
}

/** The naive idea of updates: one array of all of them, searched from end to end. */
export class NaiveUpdates {
  readonly world = new NaiveWorld()
  readonly all: NaiveUpdate[] = []
  /** The updates that a fork's message shows, as indexes into the array. */
  readonly #peeks = new Map<NaiveMessage, readonly number[]>()
  readonly #settled = new Map<Change, readonly number[]>()
  /** How many updates there were when a branch, or the one it copies, last looked. */
  readonly #looked = new Map<number, number>()
  #said = 0

  constructor() {
    this.world.create(null, 'main', [])
  }

  pending(): number[] {
    return this.#where('pending')
  }

  report(update: Omit<NaiveUpdate, 'told'>): void {
    this.all.push({ ...update, told: 'pending' })
  }

  /** Somebody speaks there; returns the lines that the message must show, oldest first. */
  say(branch: number, { isAnswered, now }: { isAnswered: boolean; now: number }): readonly string[] {
    const from = branch === MAIN ? 0 : (this.#looked.get(branch) ?? 0)
    const shown = this.pending().filter((place) => place >= from)
    const message = this.#message(branch, 'user')
    this.world.act(branch, { kind: 'add', messages: [message] })
    if (isAnswered) this.world.act(branch, { kind: 'add', messages: [this.#message(branch, 'assistant')] })
    if (branch === MAIN) this.#tell(shown, 'message')
    else if (shown.length > 0) {
      this.#peeks.set(message, shown)
      this.#looked.set(branch, this.all.length)
    }
    return shown.map((place) => lineOf(this.all[place] as NaiveUpdate, now))
  }

  /** The number of the new branch. */
  fork(from: number): number {
    this.world.fork(from, { inherit: 'everything', byModel: false, hasGoal: false, mode: 'fork' })
    const fork = this.world.branches.length - 1
    this.#looked.set(fork, from === MAIN ? 0 : (this.#looked.get(from) ?? 0))
    return fork
  }

  save(fork: number): boolean {
    const before = new Set(messagesUnder(this.world.get(MAIN).entries))
    if (!save(this.world, fork)) return false
    const { entries, journal } = this.world.get(MAIN)
    const brought = messagesUnder(entries).filter((message) => !before.has(message))
    const pending = this.pending()
    const shown = new Set(brought.flatMap((message) => this.#peeks.get(message) ?? []))
    const settled = pending.filter((place) => shown.has(place))
    const change = journal.at(-1) as Change
    this.#settled.set(change, settled)
    this.#tell(settled, change)
    this.world.end(fork)
    return true
  }

  undo(branch: number): boolean {
    const change = this.world.get(branch).journal.findLast((act) => act.kind === 'change')
    if (change === undefined || !this.world.undo(branch)) return false
    this.#tell(this.#where(change), 'pending')
    return true
  }

  redo(branch: number): boolean {
    const change = this.world.get(branch).redo.at(-1)?.act
    if (change === undefined || !this.world.redo(branch)) return false
    const pending = new Set(this.pending())
    const again = (this.#settled.get(change) ?? []).filter((place) => pending.has(place))
    this.#tell(again, change)
    return true
  }

  #where(told: NaiveUpdate['told']): number[] {
    return this.all.flatMap((update, place) => (update.told === told ? [place] : []))
  }

  #tell(places: readonly number[], told: NaiveUpdate['told']): void {
    for (const place of places) (this.all[place] as NaiveUpdate).told = told
  }

  #message(src: number, role: NaiveMessage['role']): NaiveMessage {
    return { id: `n${++this.#said}`, src, role, calls: [], turn: null, tokens: 1 }
  }
}

function lineOf({ text, source, at }: NaiveUpdate, now: number): string {
  return `- (${ageText(now - at)} ago, ${source}) ${text}`
}

const HEADINGS = {
  main: 'RECENT BACKGROUND UPDATES (mention key findings in your response)',
  fork: 'RECENT BACKGROUND UPDATES (read-only — main session will also see these)',
} as const

/** The lines as a message shows them; of 11 the newest 9, after a line that counts the others. */
export function naiveBlock(where: keyof typeof HEADINGS, lines: readonly string[]): string {
  const shown =
    lines.length > 10
      ? [`(${lines.length - 9} earlier update(s) omitted — cap reached)`, ...lines.slice(-9)]
      : lines
  return [HEADINGS[where], '<data source="updates">', ...shown, '</data>'].join('\n')
}
