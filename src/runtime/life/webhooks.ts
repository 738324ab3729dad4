import { receiveCall } from '../../agent/job/webhook-calls.ts'
import { canonicalJson } from '../../base/canonical.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { isStrongSecret, type HookSecrets } from '../../config/hook-secret.ts'
import type { Config } from '../../config/table/settings.ts'
import type { BranchId } from '../../event/id.ts'
import type { Log } from '../../log/log.ts'
import type { Webhook } from '../../schedule/definition.ts'
import { findJob, type JobShelf } from '../../schedule/job-shelf.ts'
import { checkPayload } from '../../schedule/payload-check.ts'

interface WebhookParts {
  readonly log: Log
  readonly now: Clock
  readonly random: Random
  readonly shelf: Pick<JobShelf, 'jobs'>
  readonly secrets: HookSecrets
  readonly values: () => Pick<Config, 'webhookRateMax' | 'dedupTtl'>
  /** Starts what is due. */
  readonly look: () => void
}

/** A request whose sender knows the secret. */
export interface Delivery {
  /** The sender's name for it; null: it has none. */
  readonly key: string | null
  /** SHA-256 of the body. */
  readonly hash: string
  readonly payload: unknown
}

export type Delivered =
  | { readonly kind: 'taken'; readonly run: BranchId }
  /** `late`: nobody knows whether it is wrong, because checking it took too long. */
  | { readonly kind: 'wrong' | 'late'; readonly problems: readonly string[] }
  | { readonly kind: 'full' }

const MINUTE_MS = 60_000

/** Takes requests for webhooks. Each webhook takes so many a minute. */
export class Webhooks {
  readonly #parts: WebhookParts
  /** When each webhook was called within the last minute, oldest first. */
  readonly #times = new Map<string, number[]>()

  constructor(parts: WebhookParts) {
    this.#parts = parts
  }

  /** A webhook that takes requests, with its secret as it is now. */
  find(id: string): { readonly hook: Webhook; readonly secret: string } | undefined {
    const hook = findJob(this.#parts.shelf, { what: 'webhook', job: id })?.definition
    if (hook?.kind !== 'webhook' || hook.secretEnv === null) return undefined
    const secret = this.#parts.secrets(hook.secretEnv) ?? ''
    return isStrongSecret(secret) ? { hook, secret } : undefined
  }

  /** Counts a request; returns how long the sender has to wait before it is taken. 0: not at all. */
  waitMs({ id }: Webhook): number {
    const now = this.#parts.now()
    // A time to come is from before the clock was set back.
    const recent = (this.#times.get(id) ?? []).filter((at) => at <= now && at > now - MINUTE_MS)
    const max = this.#parts.values().webhookRateMax
    const isFull = recent.length >= max
    this.#times.set(id, isFull ? recent : [...recent, now])
    return isFull ? (recent.at(-max) ?? now) + MINUTE_MS - now : 0
  }

  /** Resolves once the delivery is durable. */
  async receive(hook: Webhook, { key, hash, payload }: Delivery): Promise<Delivered> {
    const { log, now, random, values, look } = this.#parts
    const checked = await checkPayload(hook, payload)
    if ('problems' in checked)
      return { kind: checked.isLate === true ? 'late' : 'wrong', problems: checked.problems }
    const data = canonicalJson(checked.payload)
    const moment = { at: now(), seed: random(), dedupMs: values().dedupTtl }
    const call = { job: hook.id, key, hash, data, ...moment }
    const taken = await log.write((writing) => receiveCall(writing, call))
    if (taken.kind === 'full') return taken
    if (taken.isNew) look()
    return { kind: 'taken', run: taken.run }
  }
}
