import type { Random } from '../../src/base/random.ts'
import { SqliteStore } from '../../src/log/sqlite-store.ts'
import type { Batch, Store } from '../../src/log/store.ts'
import { firstDifference } from '../model/dump.ts'
import type { Happenings } from './happenings.ts'
import { Onlooker, type State } from './onlooker.ts'
import { hold } from './witness.ts'

/** A look, and what it must have seen, if that is known already. */
interface Look {
  readonly when: string
  readonly seen: Promise<State>
  readonly expected: State | undefined
}

/**
 * Outside readers of the log, at random moments. They see the state of one commit: the last one while the next is
 * incomplete, and the next as soon as it is complete, acknowledged or not.
 */
export class Visitors {
  readonly #random: Random
  readonly #happenings: Happenings
  #onlooker: Onlooker | undefined
  #looks: Look[] = []
  /** The last state that was seen to be right. */
  #state: State | undefined

  constructor(random: Random, happenings: Happenings) {
    this.#random = random
    this.#happenings = happenings
  }

  /** A process has opened its log. Only a file can be read from outside; existing readers stay. */
  come(store: Store): void {
    if (!(store instanceof SqliteStore)) return
    this.#onlooker ??= new Onlooker(store.file)
    this.#onlooker.standBehind(store)
  }

  async leave(): Promise<void> {
    const onlooker = this.#onlooker
    this.#onlooker = undefined
    await onlooker?.close()
  }

  /** Nothing is being written, and this is the state. */
  visit(state: State): void {
    this.#state = state
    this.#looks = this.#looks.map((look) => ({ ...look, expected: look.expected ?? state }))
    const onlooker = this.#onlooker
    if (onlooker === undefined || this.#random() % 3 > 0) return
    this.#add({ when: 'between two commits', seen: onlooker.look(), expected: state })
  }

  /** Something is being written. */
  during(batch: Batch, commit: () => void): void {
    const onlooker = this.#onlooker
    const choice = this.#random() % 8
    const before = this.#state
    if (onlooker === undefined || before === undefined || choice > 2) return commit()
    const saw = (seen: Promise<State>) => {
      this.#add({ when: 'within a commit', seen, expected: before })
      this.#happenings.add('looks from outside within a commit')
      if (batch.caughtUp) this.#happenings.add('looks from outside within a flush')
    }
    if (choice === 0) commit()
    else if (choice === 1) onlooker.lookDuring(commit, saw)
    else onlooker.lookAcross(commit, saw)
    this.#add({ when: 'right after a commit', seen: onlooker.look(), expected: undefined })
  }

  /** Compares the looks whose right answer is known by now. */
  async compare(): Promise<void> {
    const looks = this.#looks.filter(({ expected }) => expected !== undefined)
    this.#looks = this.#looks.filter(({ expected }) => expected === undefined)
    for (const { when, seen, expected } of looks) {
      const { end, rows } = await seen
      hold(end === expected?.end, `from outside, ${when}, the log ends at ${end}, not ${expected?.end}`)
      if (rows === expected.rows) continue
      throw new Error(
        `[CTX2] from outside, ${when}, at ${end}, another state: ${firstDifference(rows, expected.rows)}`,
      )
    }
    // Some come for one look, others stay.
    if (this.#random() % 16 === 0) await this.#onlooker?.close()
  }

  #add(look: Look): void {
    this.#happenings.add('looks from outside')
    this.#looks.push(look)
  }
}
