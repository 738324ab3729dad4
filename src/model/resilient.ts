import type { Clock } from '../base/clock.ts'
import type { Prompt } from '../event/prompt.ts'
import { type CallOptions, type Model, ModelError, type Reply } from './contract/model.ts'
import type { Sleep } from './contract/sleep.ts'

export interface FailurePolicy {
  /** Tries after the first. */
  readonly retriesMax: number
  /** `[n]` is the wait before attempt n+1, the first attempt's included; the last repeats. */
  readonly retryBackoffMs: readonly number[]
  readonly circuit: {
    /** How many calls in a row may fail after their retries before the model is not called for a while. */
    readonly threshold: number
    /** The wait of the k-th opening in a row; the last repeats. */
    readonly backoffMs: readonly number[]
    /** After this long without a failure, earlier ones are forgotten. */
    readonly resetMs: number
  }
}

/** The failure policy of all models of a process: a circuit belongs to a model and not to its callers. */
export function startResilience(policy: FailurePolicy, world: { now: Clock; sleep: Sleep }) {
  const circuits = new Map<string, Circuit>()
  const circuitOf = (name: string): Circuit => {
    const circuit = circuits.get(name) ?? startCircuit(name, policy.circuit, world.now)
    circuits.set(name, circuit)
    return circuit
  }
  const attempt = async (model: Model, prompt: Prompt, options: CallOptions): Promise<Reply> => {
    const circuit = circuitOf(model.name)
    try {
      return await circuit.run(() => withRetries({ model, prompt, options, policy, sleep: world.sleep }))
    } catch (error) {
      throw forNow(error, circuit, world.now())
    }
  }
  return {
    /**
     * A model that retries, and lets the next of `fallbacks` answer when the one before failed for now. What it rejects
     * with, if it is retriable, says with `nextTryAt` when to come back.
     */
    guard: (model: Model, fallbacks: readonly Model[] = []): Model => ({
      name: model.name,
      contextTokens: model.contextTokens,
      ...(model.price && { price: model.price }),
      call: (prompt, options) =>
        firstAnswer([model, ...fallbacks], options, (one) => attempt(one, prompt, options)),
    }),
  }
}

/** Stops calling a model for a while after it failed too often. */
interface Circuit {
  /** Runs `work`, or rejects at once with reason `circuit-open`. Only retriable ModelErrors count as failures. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** When another call is worth a try, after one that failed. */
  nextTryAt(): number
}

function startCircuit(name: string, policy: FailurePolicy['circuit'], now: Clock): Circuit {
  const { threshold, backoffMs, resetMs } = policy
  /** Calls that failed in a row. */
  let failures = 0
  /** How often it opened in a row; 0 is closed. */
  let openings = 0
  let failedAt = 0
  let openUntil = 0
  /** The one call that is let through after the wait: the others wait for its end, which closes or opens the circuit. */
  let trial: Promise<void> | undefined
  const wait = (turn: number): number => backoffMs[Math.min(turn, backoffMs.length) - 1] ?? 0

  const close = (): void => {
    failures = 0
    openings = 0
  }
  const fail = (isTrial: boolean): void => {
    failures++
    failedAt = now()
    if (isTrial || (openings === 0 && failures >= threshold)) openUntil = now() + wait(++openings)
  }
  return {
    async run(work) {
      for (let earlier = trial; earlier; earlier = trial) await earlier
      if (openings > 0 && now() < openUntil) throw refusal(name, openUntil)
      if (now() - failedAt >= resetMs) close()
      const isTrial = openings > 0
      const end = Promise.withResolvers<void>()
      if (isTrial) trial = end.promise
      try {
        const result = await work()
        if (isTrial || openings === 0) close()
        return result
      } catch (error) {
        if (error instanceof ModelError && error.retriable) fail(isTrial)
        else if (isTrial) close()
        throw error
      } finally {
        if (isTrial) trial = undefined
        end.resolve()
      }
    },
    nextTryAt: () => (openings > 0 && now() < openUntil ? openUntil : now() + wait(Math.max(1, failures))),
  }
}

function refusal(name: string, nextTryAt: number): ModelError {
  const at = new Date(nextTryAt).toISOString()
  return new ModelError('circuit-open', `${name} failed too often. It is not called before ${at}.`, {
    nextTryAt,
  })
}

/** A provider that asks for more patience than this is not waited for: the message is deferred instead. */
const RETRY_WAIT_MAX_MS = 60_000

async function withRetries(call: {
  model: Model
  prompt: Prompt
  options: CallOptions
  policy: FailurePolicy
  sleep: Sleep
}): Promise<Reply> {
  const { model, prompt, options, policy, sleep } = call
  const { retriesMax, retryBackoffMs } = policy
  const backoffMs = (tries: number): number => retryBackoffMs[Math.min(tries, retryBackoffMs.length - 1)] ?? 0
  let waitMs = backoffMs(0)
  for (let attempt = 1; ; attempt++) {
    if (waitMs > 0) await sleep(waitMs, options.signal)
    try {
      return await model.call(prompt, options)
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      if (error.heard !== undefined) options.onBroken?.(model.name, error.heard)
      if (!error.retriable || attempt > retriesMax) throw error
      const askedMs = error.retryAfterMs ?? 0
      if (askedMs > RETRY_WAIT_MAX_MS) throw error
      waitMs = Math.max(backoffMs(attempt), askedMs)
      options.onRetry?.({ model: model.name, attempt, waitMs, error })
    }
  }
}

/** Adds to a failure that may pass when it is worth coming back. */
function forNow(error: unknown, circuit: Circuit, now: number): unknown {
  if (!(error instanceof ModelError) || !error.retriable || error.nextTryAt !== undefined) return error
  const { reason, message, retryAfterMs } = error
  const nextTryAt = Math.max(circuit.nextTryAt(), now + (retryAfterMs ?? 0))
  return new ModelError(reason, message, { cause: error.cause ?? error, retryAfterMs, nextTryAt })
}

/**
 * The reply of the first model that gives one. When none does, the error is the first one's, for that is the model
 * which was asked: a fallback that is too small or badly configured changes nothing about it.
 */
async function firstAnswer(
  models: readonly Model[],
  { onRetry }: CallOptions,
  attempt: (model: Model) => Promise<Reply>,
): Promise<Reply> {
  let first: ModelError | undefined
  let nextTryAt = Infinity
  for (const [index, model] of models.entries()) {
    try {
      const reply = await attempt(model)
      return first ? { ...reply, answeredBy: model.name } : reply
    } catch (error) {
      if (!(error instanceof ModelError) || error.reason === 'aborted') throw error
      if (!first && !error.retriable) throw error
      first ??= error
      nextTryAt = Math.min(nextTryAt, error.nextTryAt ?? Infinity)
      const next = models[index + 1]
      if (next !== undefined) onRetry?.({ model: next.name, attempt: 1, waitMs: 0, error })
    }
  }
  if (!first) throw new ModelError('unavailable', 'No model was given.')
  const { reason, message, cause, retryAfterMs } = first
  throw new ModelError(reason, message, { cause, retryAfterMs, nextTryAt })
}
