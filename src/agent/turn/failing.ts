import { timeText } from '../../base/time-text.ts'
import { sentence } from '../../base/words.ts'
import { getBranch, type Branch } from '../../context/branch.ts'
import { messagesAdded } from '../../context/message-index.ts'
import { tokensShown } from '../../context/part.ts'
import { listOf } from '../../context/version.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { ModelError } from '../../model/contract/model.ts'
import { askedIn, questionsIn, reportBy, whoAsked } from '../state/asker.ts'
import type { PreparedCall } from './asking.ts'
import type { RunningTurn } from './begin.ts'
import { endWith, isRunning } from '../step/ending.ts'
import { setupTokens } from '../compaction/prompt-size.ts'
import { policyIn, type AgentSettings } from '../state/settings.ts'
import { missingNotice, type HomeModel } from '../state/home-model.ts'
import { isSideJob } from '../state/run.ts'
import { endRun } from '../run/run-end.ts'
import { answerAsker } from './answer-asker.ts'
import { keepShown } from './answering.ts'

export interface Failing {
  readonly running: RunningTurn
  readonly call: number
  /** Whether the model was called at all. */
  readonly isCalled: boolean
  readonly at: number
  readonly error: ModelError
  /** How much too large the prompt was, if the model was not called because of that. */
  readonly tooLarge?: TooLarge
  /** What was shown of the answer before it broke off. */
  readonly received: { readonly text: string; readonly model: string }
  /** The home's model, if no model is set here: the work waits for it. */
  readonly missing?: HomeModel
  readonly settings: AgentSettings
}

type TooLarge = Extract<PreparedCall, { kind: 'too-large' }>

/** Ends the turn after a failed call: deferred if the failure may pass, else failed. The person is told once. */
export function takeFailure(writing: Writing, act: Failing): Failed {
  const { running, call, at, error } = act
  if (!isRunning(writing, running)) return { wake: [], abort: [] }
  const { branch, turn } = running
  // The host reports instead, so nothing is tried again.
  const isReport = reportBy(writing, branch) !== null
  const retryAt = isReport ? null : retryAtOf(writing, act)
  const { reason, message } = error
  if (act.isCalled) {
    writing.append({ kind: 'model-failed', branch, at, turn, call, reason, message, retryAt })
  }
  if (retryAt === null) keepShown(writing, { ...running, ...act.received, at, cut: 'broken' })
  const isOver = running.run !== null && retryAt === null
  const isUntold = isReport || (retryAt !== null && isSilent(writing, act))
  // The end of a run is reported separately.
  const wake = isOver || isUntold ? [] : tellFailure(writing, act, retryAt)
  const outcome = retryAt === null ? 'failed' : 'deferred'
  const failure = act.isCalled ? undefined : { reason, message }
  endWith(writing, { branch, turn, at, outcome, retryAt: retryAt ?? undefined, failure })
  if (!isOver) return { wake, abort: [] }
  const why = sentence(error.message)
  const ended = endRun(writing, { branch, at, reason: 'failed', why })
  return { wake, abort: ended.filter((id) => id !== branch) }
}

export interface Failed {
  readonly wake: readonly BranchId[]
  /** Branches that ended with it. */
  readonly abort: readonly BranchId[]
}

/** Null: not by itself. Work without a model is due as soon as one is chosen, but no program waits for that. */
function retryAtOf(reader: Reader, act: Failing): number | null {
  if (act.missing !== undefined) return isProgramsWork(reader, act) ? null : act.at
  return act.error.retriable ? nextTryAt(act) : null
}

function isProgramsWork(reader: Reader, { running: { branch, run } }: Failing): boolean {
  const asked = questionsIn(reader, getBranch(reader, branch)).at(-1)?.source
  return asked?.thread !== undefined || (run !== null && isSideJob(run))
}

/** While another branch tries an open circuit again, the time it names is past: asking must not become a busy loop. */
function nextTryAt({ error, at, settings: { retryMs } }: Failing): number {
  return error.nextTryAt !== undefined && error.nextTryAt > at ? error.nextTryAt : at + Math.max(retryMs, 1)
}

/** Told once until the model answers again, and only if somebody asked. */
function isSilent(reader: Reader, { running, call }: Failing): boolean {
  return (running.isTold && call === 1) || whoAsked(reader, getBranch(reader, running.branch)) === undefined
}

function tellFailure(writing: Writing, act: Failing, retryAt: number | null): readonly BranchId[] {
  const { running, at, missing } = act
  if (missing !== undefined) {
    const text = missingNotice(missing, { person: running.person, isWithdrawn: retryAt === null })
    return answerAsker(writing, { ...running, at, text, unfinished: 'model-missing' })
  }
  const cause = causeOf(writing, act)
  const why = cause.kind === 'message' ? aloneWords(writing, act, cause.tokens) : reasonWords(act, cause)
  const next = nextWords(writing, act, { retryAt, cause: cause.kind })
  return answerAsker(writing, { ...running, at, text: `${sentence(why)} ${next}`, unfinished: 'failed' })
}

/** Removing the other messages does not help if they are less than this share of the one that is too large. */
const REST_SHARE = 0.1

/** The part that does not fit, whatever else leaves the context. */
type Cause =
  | { readonly kind: 'message'; readonly tokens: number }
  /** AGENTS.md and the tools: a model may be too small for them. */
  | { readonly kind: 'setup' }
  | { readonly kind: 'else' }

function causeOf(reader: Reader, { running, tooLarge, error }: Failing): Cause {
  if (error.reason !== 'overflow') return { kind: 'else' }
  const branch = getBranch(reader, running.branch)
  const tokens = largestSaid(reader, branch)
  if (tooLarge !== undefined) {
    if (tooLarge.fixed >= tooLarge.max) return { kind: 'setup' }
    return tooLarge.fixed + tokens > tooLarge.max ? { kind: 'message', tokens } : { kind: 'else' }
  }
  // The model counts tokens differently, so all we know is how much could leave.
  const rest = tokensShown(reader, listOf(reader, branch)) - tokens
  if (rest > REST_SHARE * tokens) return { kind: 'else' }
  return tokens < setupTokens(reader, branch.id) ? { kind: 'setup' } : { kind: 'message', tokens }
}

/** The largest message of this turn: none of these can be summed up. */
function largestSaid(reader: Reader, { id, state }: Branch): number {
  const from = state.kind === 'running' ? state.since : 0
  const said = messagesAdded(reader, { src: id, from }).filter(({ message }) => message.role === 'user')
  return said.reduce((largest, { tokens }) => Math.max(largest, tokens), 0)
}

function reasonWords({ error, tooLarge, settings: { model } }: Failing, { kind }: Cause): string {
  if (kind === 'setup') {
    const sizes =
      tooLarge === undefined ? '' : ` (about ${tooLarge.fixed} of the ${tooLarge.max} tokens it takes)`
    const filled = `AGENTS.md, the tools and the room for an answer already fill ${model}${sizes}`
    return tooLarge === undefined ? `${sentence(error.message)} ${filled}` : filled
  }
  // The error's own text gives the time of the next try in a form for operators.
  if (error.reason === 'circuit-open') return `${model} failed too often, so it is not called for a while`
  return error.message
}

function aloneWords(reader: Reader, { running, error, tooLarge, settings }: Failing, tokens: number): string {
  const { model } = settings
  const isAsked = whoAsked(reader, getBranch(reader, running.branch)) !== undefined
  if (tooLarge === undefined) {
    const what = isAsked ? 'your message' : 'the task'
    return `${sentence(error.message)} The context has little besides ${what}, which is about ${tokens} tokens`
  }
  const left = Math.max(0, tooLarge.max - tooLarge.fixed)
  return (
    `${isAsked ? 'Your message' : 'The task'} alone does not fit into ${model}: it has about ${tokens} tokens, and besides ` +
    `AGENTS.md, the tools and the answer, ${left} of its ${tooLarge.max} are left`
  )
}

function nextWords(
  reader: Reader,
  act: Failing,
  { retryAt, cause }: { retryAt: number | null; cause: Cause['kind'] },
): string {
  const { running, at, settings, error, received } = act
  const branch = getBranch(reader, running.branch)
  if (retryAt !== null) {
    const anew = received.text.trim() === '' ? '' : ' The answer will begin again from its start.'
    const next = `I'll try again at ${timeText(retryAt, { now: at, zone: settings.zone })}.${anew}`
    // Nobody wrote a message if the host asked for the work.
    const kept = askedIn(reader, branch) === undefined ? next : `Your message is kept, and ${next}`
    // Useless while the circuit is open.
    return error.reason === 'circuit-open' ? kept : `${kept} /retry tries at once.`
  }
  if (whoAsked(reader, branch) === undefined) {
    const larger = cause !== 'else' ? 'choose a model with a larger context (/model NAME); ' : ''
    return `The task is kept; ${larger}/switch ${handleOf(branch.id)} and /retry continue it.`
  }
  if (error.reason !== 'overflow') return 'Your message is kept; /retry sends it again.'
  const policy = policyIn(reader, branch.id, settings)
  if (cause === 'setup') return `${SETUP_WORDS} ${MODEL_WORDS}`
  return `${(cause === 'message' ? ALONE_WORDS : ROOM_WORDS)[policy]} ${MODEL_WORDS}`
}

const MODEL_WORDS = 'a model with a larger context (/model NAME) and type /retry: your message is kept.'

const ROOM = '/clear or /rewind MARK makes room; then say it again. /undo brings the messages back.'

const ROOM_WORDS = {
  // Summing up was tried.
  managed: `${ROOM} Or choose`,
  explicit: `${ROOM} Or sum up the older part with /compact, or choose`,
} as const

const SETUP_WORDS = 'Shorten AGENTS.md and /reload, or lower chatMaxTokens, or choose'

const ALONE_WORDS = {
  // The next message is answered: the one that is too large is summed up then.
  managed: 'Send it in smaller parts. Or choose',
  explicit: '/clear or /rewind MARK takes it out; then send it in smaller parts. Or choose',
} as const

export function tooLargeError({ tokens, max }: TooLarge, model: string): ModelError {
  const sizes = `about ${tokens} tokens with the answer, and its limit is ${max}`
  return new ModelError('overflow', `The conversation does not fit into ${model}: ${sizes}`)
}
