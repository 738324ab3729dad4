import { systemClock } from '../../base/clock.ts'
import type { Happening } from '../../event/happening.ts'
import type { BranchId, TurnId } from '../../event/id.ts'

interface RunningTurn {
  readonly turn: TurnId
  readonly startedAt: number
  /** What the model has said of its answer so far. */
  pieces: string
  /** The call failed, and is tried again at that time; until the model says something. */
  retry?: { readonly tries: number; readonly at: number; readonly reason: string } | undefined
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
    else if (kind === 'piece')
      Object.assign(running, { pieces: running.pieces + happening.text, retry: undefined })
    else if (kind === 'pieces-void') Object.assign(running, { pieces: '', retry: undefined })
    else if (kind === 'retry-planned') {
      const { tries, waitMs, reason } = happening
      Object.assign(running, { pieces: '', retry: { tries, at: systemClock() + waitMs, reason } })
    }
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
