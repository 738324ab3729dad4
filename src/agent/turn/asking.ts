import { clockIn } from '../../base/time-text.ts'
import { counted } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import { lastMessage } from '../../context/message-index.ts'
import { tokensShown } from '../../context/part.ts'
import { messageOf } from '../../context/step.ts'
import { listOf } from '../../context/version.ts'
import type { BranchId } from '../../event/id.ts'
import type { Prompt, Settings } from '../../event/prompt.ts'
import type { Writing } from '../../event/table.ts'
import type { SpendingAnswer } from '../../model/spending.ts'
import type { RunningTurn, Memory, Tail } from './begin.ts'
import { recordCall } from './call-prompt.ts'
import { isForPeople, roundsIn, whoAsked } from '../state/asker.ts'
import { isTooMany } from '../compaction/compaction-due.ts'
import { isRunning } from '../step/ending.ts'
import { tellNearLimit } from './near-limit.ts'
import { modelFor, thinkingFor } from '../state/run.ts'
import { fixedTokens } from '../compaction/prompt-size.ts'
import { say } from '../state/outbox.ts'
import type { AgentSettings } from '../state/settings.ts'
import { spendingNow, type Purpose, type Spent } from '../state/spent.ts'
import { isStillMeant } from './remembering.ts'
import { addHostLine, takeInbox } from '../step/take-inbox.ts'
import { addressNear } from '../state/person.ts'

export interface Asking {
  readonly running: RunningTurn
  readonly call: number
  readonly at: number
  readonly settings: AgentSettings
  readonly contextTokens: number
  /** Lets a prompt have more messages than allowed: the remaining ones could not be summed up. */
  readonly mayBeMany: boolean
}

export type PreparedCall =
  /** Somebody else ended the turn. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'ready'
      readonly prompt: Prompt
      readonly tail: Tail | null
      readonly day: string
      readonly purpose: Purpose
    }
  /** `fixed`: the tokens that would be there without any message. */
  | { readonly kind: 'too-large'; readonly tokens: number; readonly fixed: number; readonly max: number }
  /** Too many messages for one prompt: the older ones are summed up first. */
  | { readonly kind: 'too-many' }
  | ({ readonly kind: 'spent' } & Spent)

/** Takes new messages from people, checks that there is money and room, and writes the call. */
export function prepareCall(writing: Writing, asking: Asking): PreparedCall {
  const { running, call, at, settings, contextTokens } = asking
  const { branch, turn } = running
  if (!isRunning(writing, running)) return { kind: 'gone' }
  if (call > 1) takeInbox(writing, { branch, at, zone: settings.zone, from: 'people' })
  const now = getBranch(writing, branch)
  const isAsked = isForPeople(now) || whoAsked(writing, now) !== undefined
  const purpose: Purpose = isAsked ? 'person' : 'background'
  const day = clockIn(at, settings.zone).date
  const spending = spendingNow(writing, { settings, day, purpose })
  if (spending.kind === 'ask' || spending.kind === 'wait')
    return { kind: 'spent', answer: spending, unit: settings.dayLimit?.unit ?? 'money' }
  if (spending.kind === 'go-and-tell') tellNear(writing, running, { at, day, spending })
  const rounds = roundsIn(writing, now)
  const isLast = rounds >= roundsMax(settings, running)
  if (isLast && rounds > 0) askForRest(writing, { branch, at, zone: settings.zone, rounds })
  const chosen = callSettings(settings, { running, isFirst: call === 1 || rounds === 0, isLast })
  const answerTokens = chosen.tokensMax
  const shown = tokensShown(writing, listOf(writing, now))
  const fixedWith = (tail: Tail | null): number => fixedTokens(writing, { branch, answerTokens, tail })
  const { memory } = running
  const whole =
    memory && isStillMeant(writing, memory, now.version) ? joined(memory, running.tail) : running.tail
  // Recalled messages must not push out what is being said.
  const tail = fixedWith(whole) + shown > contextTokens ? running.tail : whole
  const fixed = fixedWith(tail)
  const tokens = fixed + shown
  const place = { branch, settings, contextTokens, tail }
  if (tokens > contextTokens) return { kind: 'too-large', tokens, fixed, max: contextTokens }
  if (!asking.mayBeMany && isTooMany(writing, place)) return { kind: 'too-many' }
  tellNearLimit(writing, { ...place, running, call, at })
  const prompt = recordCall(writing, { branch, turn, call, at, settings: chosen, tail })
  return { kind: 'ready', prompt, tail, day, purpose }
}

function joined({ text, after }: Memory, tail: Tail | null): Tail {
  return { text: tail === null ? text : `${text}\n\n${tail.text}`, after }
}

function roundsMax(settings: AgentSettings, { mode }: RunningTurn): number {
  return isForPeople({ mode }) ? settings.roundsMax : settings.childRoundsMax
}

/** At the limit the model gets no more tools. It is told why, so that its answer says what is left, and not that all is done. */
function askForRest(
  writing: Writing,
  { branch, at, zone, rounds }: { branch: BranchId; at: number; zone: string; rounds: number },
): void {
  const last = lastMessage(writing, branch)
  const message = last && messageOf(writing.event(last.position))
  const text =
    `You have called tools in ${counted(rounds, 'round')}, the limit of one turn. Answer now, without tools: ` +
    'say what is done and what is left. If something is left, say that "go on" continues the work.'
  // It stands there already when this call was prepared before, and room had to be made for it.
  if (message?.role === 'user' && message.text === text) return
  addHostLine(writing, { branch, at }, { text, zone })
}

function callSettings(
  settings: AgentSettings,
  { running, isFirst, isLast }: { running: RunningTurn; isFirst: boolean; isLast: boolean },
): Settings {
  const { mode, run, job } = running
  const step = isFirst || isLast ? settings.chat : settings.afterTools
  return {
    model: modelFor(job, settings),
    tokensMax: step.tokensMax,
    temperature: step.temperature,
    thinking: thinkingFor({ mode, run }, settings),
    toolChoice: isLast ? 'none' : 'auto',
  }
}

function tellNear(
  writing: Writing,
  { branch, turn }: RunningTurn,
  {
    spending,
    day,
    at,
  }: { spending: Extract<SpendingAnswer, { kind: 'go-and-tell' }>; day: string; at: number },
): void {
  // Also told when background work came near the limit. While there is nobody to tell, it stays untold.
  const to = whoAsked(writing, getBranch(writing, branch)) ?? addressNear(writing, branch)
  if (to === undefined) return
  writing.append({ kind: 'spending-noted', branch, at, v: 1, day, what: 'near' })
  const text = `${Math.round((spending.spent / spending.max) * 100)} % of today's spending limit is used. /cost shows it.`
  say(writing, { branch, at, to, form: 'notice', text, turn, cause: null })
}
