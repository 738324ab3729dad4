import { isJsonObject } from '../../base/json.ts'
import { cutText } from '../../base/words.ts'
import { limits } from '../../base/limits.ts'
import { beginningOf } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import type { Message } from '../../event/event.ts'
import type { BranchId, Position } from '../../event/id.ts'
import type { Writing } from '../../event/table.ts'
import type { Price, Reply, ReplyCall } from '../../model/contract/model.ts'
import { costOf } from '../../model/spending.ts'
import type { ReadyCall } from './asking.ts'
import type { RunningTurn } from './begin.ts'
import { readElsewhere } from './leaving.ts'
import { endWith, isRunning, type Running } from '../step/ending.ts'
import { type CallToRun, judgeCalls, type Judging } from './judging.ts'
import { causeOf, reportBy, whoAsked } from '../state/asker.ts'
import { firstWaiting, isCommand, waiting } from '../state/inbox.ts'
import { say } from '../state/outbox.ts'
import { endRun, sendBack } from '../run/run-end.ts'
import { add } from '../step/take-inbox.ts'
import { answerAsker } from './answer-asker.ts'

export interface Answering {
  readonly running: RunningTurn
  readonly call: number
  readonly at: number
  /** The name of the model that was asked. */
  readonly model: string
  readonly price: Price | undefined
  readonly prepared: ReadyCall
  readonly judging: Judging
  readonly zone: string
}

export type Answered =
  | { readonly kind: 'gone' }
  /** A run that still owes a report: it continues with a note from the host. */
  | { readonly kind: 'sent-back' }
  | { readonly kind: 'ended'; readonly wake: readonly BranchId[]; readonly abort: readonly BranchId[] }
  | { readonly kind: 'calls'; readonly position: Position; readonly calls: readonly CallToRun[] }

/** Writes the model's reply. An answer ends the turn and is queued for the person in the same transaction. */
export function takeReply(writing: Writing, act: Answering, reply: Reply): Answered {
  const { running, call, at, model, price, prepared, zone } = act
  if (!isRunning(writing, running)) return { kind: 'gone' }
  const { branch, turn } = running
  const name = reply.answeredBy ?? model
  const { usage, finish } = reply
  const { day, purpose } = prepared
  const cost = costOf(usage, price)
  const facts = { turn, call, model: name, finish, usage, cost, purpose, day }
  writing.append({ kind: 'model-answered', branch, at, ...facts })
  const calls = act.judging.calls.map(({ call }) => call)
  const reads = readElsewhere(writing, turn) && { elsewhere: true as const }
  const position = add(writing, { branch, at, message: assistantMessage(reply, calls, name), ...reads })
  if (calls.length > 0) return { kind: 'calls', position, calls: judgeCalls(writing, act.judging) }
  const canCall = prepared.prompt.settings.toolChoice !== 'none'
  if (running.run !== null && canCall && sendBack(writing, running, { now: at, zone }))
    return { kind: 'sent-back' }
  if (finish !== 'refused') takeAsReport(writing, act, reply.text.trim())
  const text = shownAnswer(reply, act)
  const wake = answerAsker(writing, { ...running, at, text, unfinished: null })
  endWith(writing, { branch, turn, at, outcome: 'answered' })
  // People who talk to a run are answered: a message that came too late for this turn opens another.
  const isOver = running.run !== null && firstWaiting(writing, branch) === undefined
  const ended = isOver ? endRun(writing, { branch, at, reason: 'finished' }) : []
  return { kind: 'ended', wake, abort: ended.filter((id) => id !== branch) }
}

export interface CutAnswer extends Running {
  readonly at: number
  /** What was received of its text, and the model that wrote it. */
  readonly text: string
  readonly model: string
  readonly cut: NonNullable<Extract<Message, { role: 'assistant' }>['cut']>
  /** Who stopped it. */
  readonly by?: keyof typeof STOPPED_NOTES
}

/**
 * Keeps the text of an answer that ends here, in the transaction that ends its turn: people have seen it. The reasoning
 * and the calls of that step are not whole, so they are dropped.
 */
export function keepShown(writing: Writing, { branch, turn, at, model, cut, by, ...heard }: CutAnswer): void {
  const text = beginningOf(heard.text, limits.textCharsMax)
  if (text.trim() === '') return
  const now = getBranch(writing, branch)
  const [to, cause] = [whoAsked(writing, now), causeOf(writing, now)]
  const reads = readElsewhere(writing, turn) && { elsewhere: true as const }
  add(writing, { branch, at, message: { role: 'assistant', text, calls: [], model, cut }, ...reads })
  const author = { by: 'policy', name: 'host' } as const
  if (by !== undefined)
    add(writing, { branch, at, message: { role: 'note', author, text: STOPPED_NOTES[by] } })
  if (to !== undefined) say(writing, { branch, at, to, form: 'answer', text, turn, cause })
}

/** Otherwise the model would take the end of its words for the end of its answer. */
const STOPPED_NOTES = {
  person: '(The person stopped this answer here.)',
  time: '(The time of this run was over here.)',
} as const

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

/** The calls of the reply that are run: none that a limit may have cut, and none if an answer was required. */
export function callsToRun(
  { running, call, prepared }: Pick<Answering, 'running' | 'call' | 'prepared'>,
  reply: Reply,
): CallToRun[] {
  if (reply.finish === 'length' || prepared.prompt.settings.toolChoice === 'none') return []
  const { length } = reply.calls
  const max = limits.stepCallsMax
  const tooMany = {
    bad: `Not run: one step may have ${max} calls, and this one has ${length}. Call it in a later step.`,
  }
  return reply.calls.map((one, index) => ({
    // Our own id: models repeat theirs after a restart or a clear, and no call may run twice.
    id: `${running.turn.slice('tn_'.length)}-${call}-${index + 1}`,
    tool: one.tool === '' ? 'unnamed' : one.tool,
    ...argumentsOf(one),
    ...(index >= max && tooMany),
  }))
}

const QUOTED_MAX = 200

function argumentsOf(call: ReplyCall): Pick<CallToRun, 'args' | 'bad'> {
  if ('args' in call && isJsonObject(call.args)) return { args: call.args }
  const raw = 'badArgs' in call ? call.badArgs : JSON.stringify(call.args)
  return {
    args: {},
    bad: `The arguments are not a JSON object: ${raw.slice(0, QUOTED_MAX)}. Call again with one, such as {}.`,
  }
}

const REPORT_CHARS_MAX = 4_000

/** An agent that was asked to report its fork, and answers without the call, has reported by its answer. */
function takeAsReport(writing: Writing, { running: { branch, turn }, at }: Answering, report: string): void {
  if (report === '' || reportBy(writing, branch) === null) return
  if (waiting(writing, branch).some((one) => one.source === 'host' && isCommand(one))) return
  const source = { from: 'host', tag: 'system', turn } as const
  const text = `/report\n${cutText(report, REPORT_CHARS_MAX)}`
  writing.append({ kind: 'inbound-admitted', branch, at, source, form: 'command', text })
}

/** The text for the person: the answer, and plainly what is wrong with it. */
function shownAnswer(reply: Reply, { model, prepared }: Answering): string {
  const remarks: string[] = []
  if (reply.finish === 'length') remarks.push('(cut off: the token limit for an answer was reached)')
  if (reply.finish === 'refused') remarks.push('(the model declined to answer)')
  const isEmpty = reply.text.trim() === '' && remarks.length === 0
  // The model was told not to call anything, so its calls are what it could not get done. Most adapters drop them, and
  // then nothing is left of the reply.
  if (prepared.prompt.settings.toolChoice === 'none' && (reply.calls.length > 0 || isEmpty))
    remarks.push('(not done: the limit of tool rounds for one turn was reached; "go on" continues)')
  else if (isEmpty) remarks.push('(the model gave an empty answer)')
  if (reply.answeredBy !== undefined)
    remarks.push(`(answered by ${reply.answeredBy}: ${model} could not be reached)`)
  return [reply.text, ...remarks].filter((part) => part.trim() !== '').join('\n\n')
}
