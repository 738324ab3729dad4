import { isJsonObject } from '../base/json.ts'
import { getBranch } from '../context/branch.ts'
import type { Call, Message } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Writing } from '../log/log.ts'
import { ModelError, type Model, type Reply, type ReplyCall } from '../model/model.ts'
import { costOf } from '../model/spending.ts'
import type { Asked } from './asking.ts'
import type { Begun } from './begin.ts'
import { askedIn, endWith, isRunning, tellWhoAsked } from './ending.ts'
import { add } from './taking.ts'
import { timeWords } from './time-words.ts'

export interface Answering {
  readonly begun: Begun
  readonly call: number
  readonly at: number
  readonly model: Model
  readonly asked: Extract<Asked, { kind: 'ask' }>
}

export type Answered =
  | { readonly kind: 'gone' }
  | { readonly kind: 'ended'; readonly wake: readonly BranchId[] }
  | { readonly kind: 'calls'; readonly position: Position; readonly calls: readonly CallToRun[] }

/** A call as it stands in the log, and why it cannot be run, if so. */
export interface CallToRun extends Call {
  readonly bad?: string
}

/** Writes down what the model said. An answer ends the turn and is on its way to the person in the same transaction. */
export function takeReply(writing: Writing, act: Answering, reply: Reply): Answered {
  const { begun, call, at, model, asked } = act
  if (!isRunning(writing, begun)) return { kind: 'gone' }
  const { branch, turn } = begun
  const name = reply.answeredBy ?? model.name
  const { usage, finish } = reply
  const price = reply.answeredBy === undefined ? model.price : undefined
  const { day, purpose } = asked
  const cost = price === undefined ? null : costOf(usage, price)
  const facts = { turn, call, model: name, finish, usage, cost, purpose, day }
  writing.append({ kind: 'model-answered', branch, at, v: 1, ...facts })
  const calls = callsToRun(act, reply)
  const position = add(writing, { branch, at, message: assistantMessage(reply, calls, name) })
  if (calls.length > 0) return { kind: 'calls', position, calls }
  const text = shownAnswer(reply, model.name)
  const wake = tellWhoAsked(writing, { ...begun, at, text, form: 'answer' })
  endWith(writing, { branch, turn, at, outcome: 'answered' })
  return { kind: 'ended', wake }
}

function assistantMessage(reply: Reply, calls: readonly CallToRun[], model: string): Message {
  const { text } = reply
  return {
    role: 'assistant',
    text,
    calls: calls.map(({ id, tool, args }) => ({ id, tool, args })),
    ...(reply.reasoning.length > 0 && { reasoning: [...reply.reasoning] }),
    model,
  }
}

/** What is run of the reply's calls: nothing that a limit may have cut, and nothing when an answer was asked for. */
function callsToRun({ begun, call, asked }: Answering, reply: Reply): CallToRun[] {
  if (reply.finish === 'length' || asked.prompt.settings.toolChoice === 'none') return []
  return reply.calls.map((one, index) => ({
    // Our own id: models give the same one again after a restart or a clear, and none may be run twice.
    id: `${begun.turn.slice('tn_'.length)}-${call}-${index + 1}`,
    tool: one.tool === '' ? 'unnamed' : one.tool,
    ...argumentsOf(one),
  }))
}

const QUOTED_MAX = 200

function argumentsOf(call: ReplyCall): Pick<CallToRun, 'args' | 'bad'> {
  if ('args' in call && isJsonObject(call.args)) return { args: call.args }
  const raw = 'badArgs' in call ? call.badArgs : JSON.stringify(call.args)
  return {
    args: {},
    bad: `The arguments are no JSON object: ${raw.slice(0, QUOTED_MAX)}. Call again with one; {} is one.`,
  }
}

/** What the person sees: the answer, and plainly what is the matter with it. */
function shownAnswer(reply: Reply, model: string): string {
  const remarks: string[] = []
  if (reply.finish === 'length') remarks.push('(cut off: the token limit for an answer was reached)')
  if (reply.finish === 'refused') remarks.push('(the model declined to answer)')
  if (reply.text.trim() === '' && remarks.length === 0) remarks.push('(the model gave an empty answer)')
  if (reply.answeredBy !== undefined)
    remarks.push(`(answered by ${reply.answeredBy}: ${model} could not be reached)`)
  return [reply.text, ...remarks].filter((part) => part.trim() !== '').join('\n\n')
}

export interface Failing {
  readonly begun: Begun
  /** Null when no call was made. */
  readonly call: number | null
  readonly at: number
  readonly error: ModelError
  readonly retryMs: number
  readonly zone: string
}

/** A failed call ends the turn: deferred if it may pass, else failed. The person is told once. */
export function takeFailure(writing: Writing, act: Failing): readonly BranchId[] {
  const { begun, call, at, error } = act
  if (!isRunning(writing, begun)) return []
  const { branch, turn } = begun
  const retryAt = error.retriable ? Math.max(error.nextTryAt ?? at + act.retryMs, at + 1) : null
  if (call !== null) {
    const { reason, message } = error
    writing.append({ kind: 'model-failed', branch, at, v: 1, turn, call, reason, message, retryAt })
  }
  const wake = retryAt !== null && isSilent(writing, begun) ? [] : tellFailure(writing, act, retryAt)
  if (retryAt === null) endWith(writing, { branch, turn, at, outcome: 'failed' })
  else endWith(writing, { branch, turn, at, outcome: 'deferred', retryAt })
  return wake
}

/** Said once until the model answers again; and nobody waits for a child that was not asked by a person. */
function isSilent(reader: Reader, { branch, wasDeferred }: Begun): boolean {
  return wasDeferred || askedIn(reader, getBranch(reader, branch)) === undefined
}

function tellFailure(
  writing: Writing,
  { begun, at, error, zone }: Failing,
  retryAt: number | null,
): readonly BranchId[] {
  const next =
    retryAt === null
      ? 'Your message is kept; /retry sends it again.'
      : `Your message is kept, and I try again at ${timeWords(retryAt, at, zone)}. /retry tries at once.`
  return tellWhoAsked(writing, { ...begun, at, text: `${sentence(error.message)} ${next}`, form: 'notice' })
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`
}

/** Background work that has used up its share looks again so often whether a new day has begun. */
const SPENDING_WAIT_MS = 60 * 60 * 1000

/** What stands in the way before a model is even asked. */
export function obstacle(
  asked: Extract<Asked, { kind: 'too-large' | 'spent' }>,
  { model, at }: { model: string; at: number },
): ModelError {
  if (asked.kind === 'too-large') {
    return new ModelError(
      'overflow',
      `The conversation does not fit into ${model}: about ${asked.tokens} tokens with the answer, and it takes ${asked.max}. ` +
        '/rewind MARK or /clear makes room (/undo brings it back), /fork MARK works on a part, /model NAME chooses a larger model',
    )
  }
  if (asked.answer.kind === 'wait') {
    const nextTryAt = at + SPENDING_WAIT_MS
    return new ModelError('rate-limited', "Today's spending limit for background work is reached", {
      nextTryAt,
    })
  }
  return new ModelError(
    'rejected',
    `Today's spending limit (${asked.answer.max}) is reached. /cost allow lets me go on today; /cost shows what was used`,
  )
}
