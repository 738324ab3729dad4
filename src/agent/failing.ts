import { sentence } from '../base/words.ts'
import { getBranch } from '../context/branch.ts'
import { handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Writing } from '../log/log.ts'
import { ModelError } from '../model/model.ts'
import type { DayLimit } from '../model/spending.ts'
import { whoAsked } from './asker.ts'
import type { Asked } from './asking.ts'
import type { Begun } from './begin.ts'
import { endWith, isRunning } from './ending.ts'
import { policyIn } from './room.ts'
import type { AgentSettings } from './settings.ts'
import { tellWhoAsked } from './telling.ts'
import { timeWords } from './time-words.ts'

export interface Failing {
  readonly begun: Begun
  readonly call: number
  /** Whether the model was called at all. */
  readonly isCalled: boolean
  readonly at: number
  readonly error: ModelError
  readonly settings: AgentSettings
}

/** A failed call ends the turn: deferred if it may pass, else failed. The person is told once. */
export function takeFailure(writing: Writing, act: Failing): readonly BranchId[] {
  const { begun, call, at, error } = act
  if (!isRunning(writing, begun)) return []
  const { branch, turn } = begun
  const retryAt = error.retriable ? nextTryAt(act) : null
  if (act.isCalled) {
    const { reason, message } = error
    writing.append({ kind: 'model-failed', branch, at, v: 1, turn, call, reason, message, retryAt })
  }
  const wake = retryAt !== null && isSilent(writing, act) ? [] : tellFailure(writing, act, retryAt)
  if (retryAt === null) endWith(writing, { branch, turn, at, outcome: 'failed' })
  else endWith(writing, { branch, turn, at, outcome: 'deferred', retryAt })
  return wake
}

/** While another branch's call tries a circuit that was open, the time that it names is past: do not ask all the time. */
function nextTryAt({ error, at, settings: { retryMs } }: Failing): number {
  return error.nextTryAt !== undefined && error.nextTryAt > at ? error.nextTryAt : at + Math.max(retryMs, 1)
}

/** Said once until the model answers again, as it did before every call of a turn but the first; and to somebody. */
function isSilent(reader: Reader, { begun, call }: Failing): boolean {
  return (begun.isTold && call === 1) || whoAsked(reader, getBranch(reader, begun.branch)) === undefined
}

function tellFailure(writing: Writing, act: Failing, retryAt: number | null): readonly BranchId[] {
  const { begun, at } = act
  const text = `${sentence(reasonWords(act))} ${nextWords(writing, act, retryAt)}`
  return tellWhoAsked(writing, { ...begun, at, text, form: 'notice' })
}

function reasonWords({ error, settings: { model } }: Failing): string {
  // Its own text names the time of the next try in a form for operators.
  if (error.reason === 'circuit-open') return `${model} failed too often and is left alone for a while`
  return error.message
}

function nextWords(reader: Reader, act: Failing, retryAt: number | null): string {
  const { begun, at, settings, error } = act
  const branch = getBranch(reader, begun.branch)
  if (retryAt !== null) {
    const kept = `Your message is kept, and I try again at ${timeWords(retryAt, at, settings.zone)}.`
    // Of no use while nothing is let through.
    return error.reason === 'circuit-open' ? kept : `${kept} /retry tries at once.`
  }
  if (whoAsked(reader, branch) === undefined)
    return `The task is kept; /switch ${handleOf(branch.id)} and /retry take it up again.`
  if (error.reason === 'overflow') {
    const isExplicit = policyIn(reader, { branch: branch.id, settings }) === 'explicit'
    // Where the context is managed, summing up was tried.
    const other = isExplicit ? 'Or sum up the older part with /compact, or choose' : 'Or choose'
    return `${ROOM_WORDS} ${other} a model that takes more with /model NAME, and /retry: your message is kept.`
  }
  return 'Your message is kept; /retry sends it again.'
}

const ROOM_WORDS =
  '/clear or /rewind MARK makes room; then say it again. /undo brings back what they took out.'

/** Background work that has used up its share looks again so often whether a new day has begun. */
const SPENDING_WAIT_MS = 60 * 60 * 1000

/** What stands in the way before a model is even asked. */
export function obstacle(
  asked: Extract<Asked, { kind: 'too-large' | 'spent' }>,
  { model, at }: { model: string; at: number },
): ModelError {
  if (asked.kind === 'too-large') {
    const sizes = `about ${asked.tokens} tokens with the answer, and it takes ${asked.max}`
    return new ModelError('overflow', `The conversation does not fit into ${model}: ${sizes}`)
  }
  if (asked.answer.kind === 'wait') {
    const nextTryAt = at + SPENDING_WAIT_MS
    return new ModelError('rate-limited', "Today's spending limit for background work is reached", {
      nextTryAt,
    })
  }
  const max = amountWords(asked.answer.max, asked.unit)
  return new ModelError(
    'rejected',
    `Today's spending limit (${max}) is reached. /cost allow lets me go on today; /cost shows what was used`,
  )
}

function amountWords(amount: number, unit: DayLimit['unit']): string {
  return unit === 'tokens' ? `${amount} tokens` : `$${amount}`
}
