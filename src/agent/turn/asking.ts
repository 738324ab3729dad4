import { clockIn } from '../../base/time-text.ts'
import { counted } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import { lastMessage, messagesBack } from '../../context/message-index.ts'
import { tokensShown } from '../../context/part.ts'
import { messageOf } from '../../context/step.ts'
import { listAtVersion, listOf } from '../../context/version.ts'
import type { EventOf } from '../../event/event.ts'
import type { TurnId } from '../../event/id.ts'
import type { Items } from '../../event/item.ts'
import type { Prompt, Settings } from '../../event/prompt.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Model } from '../../model/contract/model.ts'
import type { RunningTurn, Memory, Tail } from './begin.ts'
import { recordCall } from './call-prompt.ts'
import { isForPeople, roundsIn, whoAsked, whoWatches } from '../state/asker.ts'
import { ceilingWords, isUnattended, unattendedOn, unattendedTold } from '../state/cause.ts'
import { isTooMany, type Place } from '../compaction/compaction-due.ts'
import { isRunning } from '../step/ending.ts'
import { modelFor, thinkingFor } from '../state/run.ts'
import { fixedTokens } from '../compaction/prompt-size.ts'
import { say } from '../state/outbox.ts'
import { policyIn, type AgentSettings } from '../state/settings.ts'
import { contentOf } from '../state/setup.ts'
import { modelCallTable } from '../state/tables.ts'
import { spendingNews, spendingNow, type Purpose, type SpendingNews, type Spent } from '../state/spent.ts'
import { isStillMeant } from './remembering.ts'
import { addHostLine, takeInbox } from '../step/take-inbox.ts'
import { addressNear, isOwners } from '../state/person.ts'

export interface Asking {
  readonly running: RunningTurn
  readonly call: number
  readonly at: number
  readonly settings: AgentSettings
  readonly contextTokens: number
  readonly model: Pick<Model, 'name' | 'price'>
  /** Lets a prompt have more messages than allowed: the remaining ones could not be summed up. */
  readonly mayBeMany: boolean
}

export type PreparedCall =
  /** Somebody else ended the turn. */
  | { readonly kind: 'gone' }
  | ReadyCall
  /** `fixed`: the tokens that would be there without any message. */
  | { readonly kind: 'too-large'; readonly tokens: number; readonly fixed: number; readonly max: number }
  /** Too many messages for one prompt: the older ones are summed up first. */
  | { readonly kind: 'too-many' }
  | ({ readonly kind: 'spent' } & Spent)
  /** The message or job that it works for has caused as much as it may. */
  | { readonly kind: 'caused'; readonly ceiling: string }
  /** Jobs have called models as often as they may in a day. */
  | { readonly kind: 'unattended'; readonly max: number; readonly waits: boolean }

export interface ReadyCall {
  readonly kind: 'ready'
  readonly prompt: Prompt
  readonly tail: Tail | null
  readonly day: string
  readonly purpose: Purpose
}

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
  const ceiling = ceilingWords(writing, { branch, day }, settings.causedMax)
  if (ceiling !== undefined) return { kind: 'caused', ceiling }
  const { unattendedMax } = settings
  if (isUnattended(writing, branch) && unattendedOn(writing, day) >= unattendedMax) {
    for (const draft of unattendedTold(writing, { at, day, max: unattendedMax })) writing.append(draft)
    return { kind: 'unattended', max: unattendedMax, waits: !isForPeople(now) }
  }
  const spending = spendingNow(writing, { branch, settings, day, purpose })
  if (spending.kind === 'ask' || spending.kind === 'wait')
    return { kind: 'spent', answer: spending, isOwner: isOwners(writing, branch) }
  const news = spendingNews(writing, { branch, settings, day, model: asking.model })
  if (spending.kind === 'go-and-tell') {
    const share = Math.round((spending.spent / spending.max) * 100)
    news.push({ what: 'near', text: `${share} % of today's spending limit is used. /cost shows it.` })
  }
  tellSpending(writing, asking, { day, news })
  const rounds = roundsIn(writing, now)
  const isLast = rounds >= roundsMax(settings, running)
  if (isLast && rounds > 0) askForRest(writing, asking, rounds)
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
  const prompt = recordCall(writing, { branch, turn, call, at, day, settings: chosen, tail })
  return { kind: 'ready', prompt, tail, day, purpose }
}

function joined({ text, ...memory }: Memory, tail: Tail | null): Tail {
  return { ...memory, text: tail === null ? text : `${text}\n\n${tail.text}` }
}

function roundsMax(settings: AgentSettings, { mode }: RunningTurn): number {
  return isForPeople({ mode }) ? settings.roundsMax : settings.childRoundsMax
}

/** At the limit the model gets no more tools. It is told why, so that its answer says what is left, and not that all is done. */
function askForRest(writing: Writing, { running, at, settings }: Asking, rounds: number): void {
  const { branch } = running
  const last = lastMessage(writing, branch)
  const message = last && messageOf(writing.event(last.position))
  const text =
    `You have called tools in ${counted(rounds, 'round')}, the limit of one turn. Answer now, without tools: ` +
    'say what is done and what is left. If something is left, say that "go on" continues the work.'
  // It stands there already when this call was prepared before, and room had to be made for it.
  if (message?.role === 'user' && message.text === text) return
  addHostLine(writing, { branch, at }, { text, zone: settings.zone })
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

function tellSpending(
  writing: Writing,
  { running: { branch, turn }, at }: Asking,
  { day, news }: { day: string; news: readonly SpendingNews[] },
): void {
  // Also told when background work came near the limit. While there is nobody to tell, it stays untold.
  const to = whoWatches(writing, getBranch(writing, branch)) ?? addressNear(writing, branch)
  if (to === undefined) return
  for (const { what, text } of news) {
    writing.append({ kind: 'spending-noted', branch, at, day, what })
    say(writing, { branch, at, to, notice: 'spending', text, turn, cause: null })
  }
}

interface Filling extends Place {
  readonly running: RunningTurn
  readonly call: number
  readonly at: number
}

/** A context is nearly full from this share of the model's context on. */
const NEAR_SHARE = 0.9

/** Where nothing leaves by itself, tells whoever talks what to do before nothing fits; once, until that changes. */
function tellNearLimit(writing: Writing, filling: Filling): void {
  const { branch, running, at, settings, contextTokens } = filling
  if (policyIn(writing, branch, settings) !== 'explicit') return
  const now = getBranch(writing, branch)
  const tokens = tokensWith(writing, filling, listOf(writing, now))
  if (tokens < NEAR_SHARE * contextTokens) return
  const to = whoWatches(writing, now)
  if (to === undefined || wasNear(writing, filling)) return
  const full = `${Math.floor((tokens / contextTokens) * 100)} %`
  const text =
    `The context is ${full} full: about ${tokens} of the ${contextTokens} tokens that ${modelFor(running.job, settings)} takes. ` +
    'Older messages are not summarized automatically here. /compact summarizes the older part, /rewind MARK or /clear removes it, ' +
    'and /undo brings it back. /context shows what is in it.'
  say(writing, { branch, at, to, notice: 'context-full', text, turn: running.turn, cause: null })
}

/** Whether the previous prompt had the same list and model and was nearly full too: then it was already said. */
function wasNear(reader: Reader, filling: Filling): boolean {
  const { branch, settings, contextTokens } = filling
  const before = callBefore(reader, filling)
  if (before === undefined || before.version !== getBranch(reader, branch).version) return false
  const { model } = JSON.parse(contentOf(reader, before.settings)) as Settings
  if (model !== modelFor(filling.running.job, settings)) return false
  const list = listAtVersion(reader, before.version, before.head)
  const tail = before.tail && { text: contentOf(reader, before.tail.text) }
  return tokensWith(reader, { branch, settings, tail }, list) >= NEAR_SHARE * contextTokens
}

/** Roughly the tokens of a prompt with this list, its answer included. */
function tokensWith(
  reader: Reader,
  { branch, settings, tail }: Pick<Filling, 'branch' | 'settings' | 'tail'>,
  list: Items,
): number {
  return (
    fixedTokens(reader, { branch, answerTokens: settings.chat.tokensMax, tail }) + tokensShown(reader, list)
  )
}

function callBefore(reader: Reader, { running, call }: Filling): EventOf<'model-called'> | undefined {
  if (call > 1) return callAt(reader, running.turn, call - 1)
  const isEarlier = (turn: TurnId | null): boolean => turn !== null && turn !== running.turn
  const turn = messagesBack(reader, running.branch).find((one) => isEarlier(one.turn))?.turn ?? null
  return turn === null ? undefined : callAt(reader, turn, Number.MAX_SAFE_INTEGER)
}

/** The call with this number, or the last one before it. */
function callAt(reader: Reader, turn: TurnId, call: number): EventOf<'model-called'> | undefined {
  const stretch = { prefix: [turn], to: call, order: 'down', limit: 1 } as const
  const [row] = reader.rows(modelCallTable, stretch)
  const event = row && reader.event(row.position)
  return event?.kind === 'model-called' ? event : undefined
}
