import type { AgentSettings } from '../../agent/state/settings.ts'
import { spendingNow } from '../../agent/state/spent.ts'
import { modelCallTable } from '../../agent/state/tables.ts'
import { clockIn } from '../../base/time-text.ts'
import { sentence } from '../../base/words.ts'
import { messagesAdded } from '../../context/message-index.ts'
import type { EventOf } from '../../event/event.ts'
import type { Position, TurnId } from '../../event/id.ts'
import { allRows, type Reader } from '../../event/table.ts'
import { isRetriable } from '../../model/contract/model.ts'
import { takenIn, type Taken } from '../../runtime/life/program-channel.ts'
import type { Outcome } from '../../runtime/terminal/exchange.ts'
import { ApiError } from './error.ts'
import { joined } from './growing.ts'

export interface Answer {
  readonly turn: TurnId
  readonly text: string
  readonly finish: 'stop' | 'length' | 'content_filter'
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
    readonly prompt_tokens_details: { readonly cached_tokens: number }
  }
}

interface Over {
  readonly key: string
  readonly outcome: Outcome
  readonly patienceMs: number | null
  readonly now: number
  readonly settings: AgentSettings
}

/** The answer to a request that is over, or why there is none. */
export function answerIn(reader: Reader, over: Over): Answer | ApiError {
  const { deliveries, isFailed, isStopped = false } = over.outcome
  const taken = takenIn(reader, over.key)
  const intent = deliveries.findLast(({ form }) => form === 'answer')
  // A program would take the beginning of an answer that was stopped for all of it.
  if (intent === undefined || taken === undefined || isFailed || isStopped)
    return failureIn(reader, over, taken)
  const { turn, branch, position } = taken
  const steps = messagesAdded(reader, { src: branch, from: position, to: intent.position })
  const texts = steps.flatMap(({ message }) =>
    message.role === 'assistant' && message.calls.length > 0 ? message.text : [],
  )
  const calls = answersIn(reader, new Set([turn, intent.turn ?? turn]), position)
  return {
    turn,
    text: joined([...texts, intent.text]),
    finish: FINISH[calls.at(-1)?.finish ?? 'stop'],
    usage: usageOf(calls),
  }
}

const FINISH = { stop: 'stop', calls: 'stop', length: 'length', refused: 'content_filter' } as const

/** A turn may continue another one, and may have begun before it took the request. */
function answersIn(reader: Reader, turns: ReadonlySet<TurnId>, after: Position): EventOf<'model-answered'>[] {
  return [...turns].flatMap((turn) =>
    [...allRows(reader, modelCallTable, { prefix: [turn] })].flatMap(({ answered }) => {
      const event = answered === null || answered < after ? undefined : reader.event(answered)
      return event?.kind === 'model-answered' ? event : []
    }),
  )
}

function usageOf(calls: readonly EventOf<'model-answered'>[]): Answer['usage'] {
  const total = (of: (usage: EventOf<'model-answered'>['usage']) => number): number =>
    calls.reduce((sum, { usage }) => sum + of(usage), 0)
  const [prompt, completion] = [total(({ tokensIn }) => tokensIn), total(({ tokensOut }) => tokensOut)]
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: total(({ tokensCached }) => tokensCached) },
  }
}

/** Says what a client can do; what the person is told in main names commands. */
function failureIn(reader: Reader, over: Over, taken: Taken | undefined): ApiError {
  const { failure, isFailed, left } = over.outcome
  const { now, settings, patienceMs } = over
  const day = clockIn(now, settings.zone).date
  const spending = taken && spendingNow(reader, { ...taken, settings, day, purpose: 'person' })
  if (isFailed && spending?.kind === 'ask') return new ApiError(429, SPENT, { code: 'insufficient_quota' })
  if (failure?.reason === 'overflow')
    return new ApiError(400, `${sentence(failure.message)} ${TOO_LONG}`, { code: 'context_length_exceeded' })
  if (failure !== undefined) {
    const next = isRetriable(failure.reason)
      ? 'Send the request again later.'
      : 'Once that is mended, send the request again.'
    return new ApiError(503, `${sentence(failure.message)} ${next}`, {
      code: failure.reason.replaceAll('-', '_'),
    })
  }
  if (left !== undefined && patienceMs !== null)
    return new ApiError(503, `No answer within ${patienceMs / 1_000} s. ${LEFT[left]}`, { code: 'timeout' })
  if (!isFailed) return new ApiError(503, `The turn was stopped. ${AGAIN}`, { code: 'stopped' })
  return new ApiError(503, `There is no answer. ${AGAIN}`, { code: 'no_answer' })
}

const AGAIN = 'Send the request again.'
const LEFT = {
  withdrawn: 'The message is withdrawn; send the request again, with a longer mainstem-timeout.',
  queued: 'Other messages are answered first; send the same request again to go on waiting.',
}
const TOO_LONG =
  'Send it in smaller parts; if it is short, make room in the conversation at the terminal or on the page.'
const SPENT =
  "Today's spending limit of this assistant is reached. Send the request again tomorrow, or raise the setting costDayMax."
