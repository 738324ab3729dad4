import { systemClock } from '../../base/clock.ts'
import type { Happening } from '../../event/happening.ts'
import type { BranchId, TurnId } from '../../event/id.ts'

interface RunningTurn {
  readonly turn: TurnId
  readonly startedAt: number
  /** What the model has said of its answer so far. */
  pieces: string
  /** The call failed, and is tried again at that time. */
  retry?: { readonly tries: number; readonly at: number }
}

/** The turns that run in this process, also for a screen that opens in the middle of one. */
export class Progress {
  readonly #running = new Map<BranchId, RunningTurn>()

  readonly hear = (happening: Happening): void => {
    if (happening.kind === 'changed') return
    const { kind, branch } = happening
    const running = this.#running.get(branch)
    if (kind === 'turn-started')
      this.#running.set(branch, { turn: happening.turn, startedAt: happening.at, pieces: '' })
    else if (kind === 'turn-ended') this.#running.delete(branch)
    else if (running === undefined) return
    else if (kind === 'piece') running.pieces += happening.text
    else if (kind === 'pieces-void' || kind === 'retry-planned') running.pieces = ''
    if (running !== undefined && kind === 'retry-planned')
      running.retry = { tries: happening.tries, at: systemClock() + happening.waitMs }
  };

  in(branch: BranchId): Readonly<RunningTurn> | undefined {
    return this.#running.get(branch)
  }

  /** The turns that run, for somebody who begins to watch now. */
  soFar(): Exclude<Happening, { kind: 'changed' }>[] {
    return [...this.#running].flatMap(([branch, { turn, startedAt, pieces }]) => [
      { kind: 'turn-started', branch, at: startedAt, turn },
      { kind: 'piece', branch, turn, text: pieces },
    ])
  }

  readonly isRunning = (turn: TurnId): boolean =>
    this.#running.values().some((running) => running.turn === turn)
}
