import {
  BrokenCircuitError,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  type IBackoff,
} from 'cockatiel'
import type { Clock } from '../base/clock.ts'
import { ModelError } from './contract/model.ts'

export interface CircuitPolicy {
  /** Calls in a row that failed after their retries. */
  readonly threshold: number
  /** The wait of the k-th opening in a row; the last repeats. */
  readonly backoffMs: readonly number[]
  /** After so long without a failure, all is forgotten. */
  readonly resetMs: number
}

/** Leaves a model alone for a while after it failed too often. */
export interface Circuit {
  /** Runs `work`, or rejects at once with reason `circuit-open`. Only retriable ModelErrors count as failures. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** When a call would be let through again, if it would not be now. */
  openUntil(): number | undefined
  /** The wait that fits the failures so far. */
  backoffMs(): number
}

export function startCircuit(name: string, policy: CircuitPolicy, now: Clock): Circuit {
  let failedAt: number | undefined
  let failures = 0
  let nextTryAt = 0
  const wait = (turn: number): number => policy.backoffMs[Math.min(turn, policy.backoffMs.length) - 1] ?? 0

  // The breaker asks for `duration` when a call comes, and compares it with the system's time: answering always or
  // never lets our clock decide.
  const backoff: IBackoff<unknown> = {
    get duration() {
      return now() < nextTryAt ? Infinity : -Infinity
    },
    next: ({ attempt }: { attempt: number }) => {
      nextTryAt = now() + wait(attempt)
      return backoff
    },
  }
  const fresh = (): CircuitBreakerPolicy =>
    circuitBreaker(
      handleWhen((error) => error instanceof ModelError && error.retriable),
      { halfOpenAfter: backoff, breaker: new ConsecutiveBreaker(policy.threshold) },
    )
  let breaker = fresh()

  const forgetIfQuiet = (): void => {
    if (failedAt === undefined || now() - failedAt < policy.resetMs || now() < nextTryAt) return
    breaker = fresh()
    failures = 0
    failedAt = undefined
  }
  return {
    async run(work) {
      forgetIfQuiet()
      try {
        const result = await breaker.execute(work)
        failures = 0
        return result
      } catch (error) {
        if (error instanceof BrokenCircuitError) throw refusal(name, nextTryAt)
        if (error instanceof ModelError && error.retriable) {
          failures++
          failedAt = now()
        }
        throw error
      }
    },
    openUntil: () => (breaker.state === CircuitState.Open && now() < nextTryAt ? nextTryAt : undefined),
    backoffMs: () => wait(Math.max(1, failures)),
  }
}

function refusal(name: string, nextTryAt: number): ModelError {
  const at = new Date(nextTryAt).toISOString()
  return new ModelError('circuit-open', `${name} failed too often; the next try is at ${at}`, { nextTryAt })
}
