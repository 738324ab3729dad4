import { isJsonObject, jsonText, type JsonObject } from '../../base/json.ts'
import type { Prompt, Reasoning } from '../../event/prompt.ts'

/** Answers prompts. Knows no branch, no log and no turn. */
export interface Model {
  /** As a person names it: `anthropic/claude-…`, `offline`. */
  readonly name: string
  /** How many tokens a prompt may have with its answer. */
  readonly contextTokens: number
  /** Money for a million tokens; absent where it is not known. */
  readonly price?: Price
  /**
   * One call of the model: no retries, no tools run. Resolves with a whole reply, or rejects with a ModelError; a
   * stream that breaks off is an error, not a short reply. Aborting `signal` rejects with reason `aborted` at once.
   */
  call(prompt: Prompt, options: CallOptions): Promise<Reply>
}

export interface CallOptions {
  readonly signal: AbortSignal
  /** Where in the messages the tail stands, if there is one: a provider's cache is of use only up to there next turn. */
  readonly tailAt?: number
  /** Told every piece of the answer's text as it comes; what counts is the reply. */
  readonly onText?: (piece: string) => void
  /** Told by the failure policy of every request that broke off after its provider had taken it, and what was heard. */
  readonly onBroken?: (model: string, heard: string) => void
  /** Told before the failure policy waits and calls again, or a fallback is called: the pieces told so far are void. */
  readonly onRetry?: (failed: { model: string; attempt: number; waitMs: number; error: ModelError }) => void
}

export interface Reply {
  readonly text: string
  readonly reasoning: readonly Reasoning[]
  readonly calls: readonly ReplyCall[]
  /** `length`: cut by a token limit, so the last call may not be whole and none may be run. */
  readonly finish: 'stop' | 'calls' | 'length' | 'refused'
  readonly usage: Usage
  /** Set when another model than the one that was asked answered: the name of the fallback. */
  readonly answeredBy?: string
}

/** A model may call what does not exist with arguments that do not parse: the one who runs tools answers that. */
export type ReplyCall =
  | { readonly id: string; readonly tool: string; readonly args: JsonObject }
  | { readonly id: string; readonly tool: string; readonly badArgs: string }

/** A call as a provider gives it, whose arguments may be anything. */
export function replyCall(id: string, tool: string, input: unknown): ReplyCall {
  if (isJsonObject(input)) return { id, tool, args: input }
  return { id, tool, badArgs: typeof input === 'string' ? input : jsonText(input) }
}

export interface Usage {
  readonly tokensIn: number
  readonly tokensOut: number
  /** Of `tokensIn`: read from, and written to, the provider's cache. */
  readonly tokensCached: number
  readonly tokensCacheWritten: number
}

export interface Price {
  readonly perMillionIn: number
  readonly perMillionOut: number
  readonly perMillionCached: number
  /** Absent where writing to the cache costs what reading the prompt costs. */
  readonly perMillionCacheWritten?: number
}

/** How much `offline` takes: its own file and the list of known models say the same. */
export const OFFLINE_CONTEXT_TOKENS = 32_000

/** For models of this machine. A model without a price may cost anything. */
export const FREE: Price = { perMillionIn: 0, perMillionOut: 0, perMillionCached: 0 }

/** A call of a model failed. `reason` says whose fault it is; `message` what a person can do. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly reason: ModelErrorReason
  /** Set when the provider said when to try again. */
  readonly retryAfterMs: number | undefined
  /** Set by the failure policy once it gave up for now: until then it would refuse another call. */
  readonly nextTryAt: number | undefined
  /** What came of the reply before it broke off. Set if the provider took the request, for which it may charge. */
  heard?: string

  constructor(
    reason: ModelErrorReason,
    message: string,
    more: { cause?: unknown; retryAfterMs?: number | undefined; nextTryAt?: number } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.reason = reason
    this.retryAfterMs =
      more.retryAfterMs === undefined ? undefined : Math.min(more.retryAfterMs, RETRY_AFTER_MAX_MS)
    this.nextTryAt = more.nextTryAt
  }

  /** Worth another try, after a wait: the fault is the network's or the provider's. */
  get retriable(): boolean {
    return isRetriable(this.reason)
  }
}

/** By the reason alone, as the log has it. */
export function isRetriable(reason: string): boolean {
  return retriable.some((one) => one === reason)
}

/** A provider may name any time; after a day it is asked again in any case. */
const RETRY_AFTER_MAX_MS = 24 * 60 * 60 * 1000

const retriable = [
  'rate-limited',
  'overloaded',
  'network',
  'timeout',
  /** The provider answered something that is no reply. */
  'garbled',
  /** It failed so often that it is not called before `nextTryAt`; nothing was sent. */
  'circuit-open',
] as const

export const modelErrorReasons = [
  ...retriable,
  /** The prompt does not fit the model. */
  'overflow',
  'unauthorised',
  'unknown-model',
  'rejected',
  /** What is needed to reach it is not installed or not configured. */
  'unavailable',
  'aborted',
] as const
export type ModelErrorReason = (typeof modelErrorReasons)[number]
