import { admittedBefore, isWaiting } from '../../agent/state/inbox.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import { spendingNow } from '../../agent/state/spent.ts'
import { modelCallTable } from '../../agent/state/tables.ts'
import { clockIn } from '../../base/time-text.ts'
import { sentence } from '../../base/words.ts'
import { messagesAdded } from '../../context/message-index.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import { allRows, type Reader } from '../../event/table.ts'
import { programAddress } from '../../runtime/life/program-channel.ts'
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

/** The turn that took a request. */
export interface Taken {
  readonly branch: BranchId
  readonly turn: TurnId
  /** Where its words were added. */
  readonly position: Position
}

/** Undefined while it waits in the inbox. */
export function takenIn(reader: Reader, key: string): Taken | undefined {
  const asked = admittedBefore(reader, programAddress, key)
  if (asked === undefined) return undefined
  const { branch } = reader.event(asked)
  if (isWaiting(reader, branch, asked)) return undefined
  const added = messagesAdded(reader, { src: branch, from: asked }).find(({ took }) => took === asked)
  if (added === undefined || added.turn === null) return undefined
  return { branch, turn: added.turn, position: added.position }
}

interface Over {
  readonly key: string
  readonly outcome: Outcome
  readonly now: number
  readonly settings: AgentSettings
}

/** The answer to a request that is over, or why there is none. */
export function answerIn(reader: Reader, over: Over): Answer | ApiError {
  const { deliveries, isFailed } = over.outcome
  const taken = takenIn(reader, over.key)
  const intent = deliveries.findLast(({ form }) => form === 'answer')
  if (intent === undefined || taken === undefined || isFailed) return failureIn(reader, over, taken)
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

/** What the person would be told is the message; the status and the code are for programs. */
function failureIn(reader: Reader, { outcome, now, settings }: Over, taken: Taken | undefined): ApiError {
  const { deliveries, failure, isFailed } = outcome
  const told = deliveries.at(-1)?.text
  if (failure?.reason === 'overflow')
    return new ApiError(400, told ?? sentence(failure.message), { code: 'context_length_exceeded' })
  if (failure !== undefined)
    return new ApiError(503, told ?? sentence(failure.message), { code: failure.reason.replaceAll('-', '_') })
  if (!isFailed)
    return new ApiError(503, 'The turn was stopped before it had an answer.', { code: 'stopped' })
  const day = clockIn(now, settings.zone).date
  const spending = taken && spendingNow(reader, { ...taken, settings, day, purpose: 'person' })
  return spending?.kind === 'ask'
    ? new ApiError(429, told ?? 'The spending limit is reached.', { code: 'insufficient_quota' })
    : new ApiError(503, told ?? 'There is no answer.', { code: 'no_answer' })
}
