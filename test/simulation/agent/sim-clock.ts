import { ModelError } from '../../../src/model/contract/model.ts'
import type { Sleep } from '../../../src/model/contract/sleep.ts'

interface Sleeper {
  readonly process: object
  readonly until: number
  readonly wake: () => void
}

/**
 * Time that only the simulation moves. The wall clock may jump; sleeps are counted by another clock that does not, like
 * timers.
 */
export class SimClock {
  #wall: number
  #passed = 0
  #sleepers: Sleeper[] = []

  constructor(start: number) {
    this.#wall = start
  }

  readonly now = (): number => this.#wall

  get passed(): number {
    return this.#passed
  }

  jump(ms: number): void {
    this.#wall += ms
  }

  /** For everything that sleeps in one process. */
  sleepIn(process: object): Sleep {
    return (ms, signal) =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
          signal.removeEventListener('abort', abort)
        }
        const abort = (): void => {
          leave()
          reject(new ModelError('aborted', 'stopped while it waited'))
        }
        const wake = (): void => {
          leave()
          resolve()
        }
        const sleeper: Sleeper = { process, until: this.#passed + ms, wake }
        if (signal.aborted) return abort()
        this.#sleepers.push(sleeper)
        signal.addEventListener('abort', abort, { once: true })
      })
  }

  /** Nobody in this process wakes up any more. */
  forget(process: object): void {
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.process !== process)
  }

  /** Advances to the next sleeper and wakes it; returns whether there was one. */
  next(): boolean {
    const first = this.#sleepers.toSorted((a, b) => a.until - b.until)[0]
    if (first === undefined) return false
    this.#goOn(Math.max(0, first.until - this.#passed))
    first.wake()
    return true
  }

  /** Advances by this much and wakes everyone due meanwhile. */
  pass(ms: number): void {
    this.#goOn(ms)
    const due = this.#sleepers.filter(({ until }) => until <= this.#passed)
    for (const sleeper of due.toSorted((a, b) => a.until - b.until)) sleeper.wake()
  }

  #goOn(ms: number): void {
    this.#passed += ms
    this.#wall += ms
  }
}
