import { stopwatchMs } from '../src/base/clock.ts'

/** One thing to measure. Only `run` is timed; the state is the same before every run. */
export interface Case {
  readonly name: string
  readonly prepare?: () => Promise<unknown>
  readonly run: () => unknown
  readonly restore?: () => Promise<unknown>
}

export interface Rounds {
  readonly rounds: number
  readonly perRound: number
}

/** Times in milliseconds of each case, one array a round. */
export class Samples {
  readonly #times = new Map<string, number[][]>()

  add(name: string, round: number, ms: number): void {
    const rounds = this.#times.get(name) ?? []
    this.#times.set(name, rounds)
    ;(rounds[round] ??= []).push(ms)
  }

  /** The median of the rounds' medians. */
  median(name: string): number {
    return median(this.#medians(name))
  }

  /**
   * How many times `b` fits into `a`, as the median of the rounds' own ratios: a disk that becomes slow for a
   * while slows both sides of a round, and a round in which it did not is not compared with one in which it did.
   */
  ratio(a: string, b: string): number {
    const [above, below] = [this.#medians(a), this.#medians(b)]
    return median(above.map((ms, round) => ms / (below[round] ?? Number.NaN)))
  }

  #medians(name: string): number[] {
    return (this.#times.get(name) ?? []).map(median)
  }
}

/** Runs the cases in turn, so that whatever the machine does besides falls on all of them alike. */
export async function interleave(cases: readonly Case[], { rounds, perRound }: Rounds): Promise<Samples> {
  const samples = new Samples()
  for (let round = -1; round < rounds; round++) {
    globalThis.gc?.()
    for (let n = 0; n < perRound; n++) {
      for (const item of cases) {
        const ms = await timed(item)
        // The first round warms up.
        if (round >= 0) samples.add(item.name, round, ms)
      }
    }
  }
  return samples
}

export async function timed({ prepare, run, restore }: Case): Promise<number> {
  await prepare?.()
  const start = stopwatchMs()
  await run()
  const ms = stopwatchMs() - start
  await restore?.()
  return ms
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** The value that so great a part of them does not exceed: 0.95 of them, say. */
export function share(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
