import { isSummary } from '../event/item.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Branch } from './branch.ts'
import { planCompaction, type CompactionPlan, type Keeping } from './compaction.ts'
import { changeable, isRefusal, type Refusal } from './decision.ts'
import { countTokens, lastMessage, messageAtOrBefore, messagesIn } from './message-index.ts'
import { freedBy, messagesShown, tokensShown, type Amount, type CompactionPart } from './part.ts'
import { messageOf } from './step.ts'
import { listOf } from './version.ts'

/** `managed`: old messages are summed up as the list grows. `explicit`: nothing leaves it unless somebody says so. */
export interface WindowRules {
  readonly policy: 'managed' | 'explicit'
  /** How many messages stay outside of a summary. */
  readonly windowMessages: number
  /** More messages than this are too many. */
  readonly thresholdMessages: number
  /** Far too many: from here on, a summary without a model is better than none. */
  readonly truncationMessages: number
  /** The count alone never compacts a prompt that takes less than this share of the model's context. 0: it does. */
  readonly shareMin: number
  /** Messages of more tokens than this are too many, whatever their count. */
  readonly historyTokensMax: number | null
  /** None: as long as suits what it covers. */
  readonly summaryTokensMax: number | null
}

/** The available space. */
export interface Room {
  /** Roughly the tokens of a prompt besides the list: system, tools, answer. */
  readonly fixedTokens: number
  readonly contextTokens: number
}

export interface WindowQuestion {
  readonly branch: BranchId
  readonly rules: WindowRules
  readonly room: Room
  /** `by-person`: somebody asked for it now. `must-fit`: the model refused the prompt as too long. */
  readonly demand?: 'by-person' | 'must-fit'
}

export type CompactionDue =
  | NotDue
  /** The context cannot be changed now, even if something is due. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'due'
      readonly because: Reason
      readonly plan: CompactionPlan
      /** How long the summary of each part may be. */
      readonly summaryTokens: readonly number[]
      /** Beyond `truncationMessages`: an extract may stand in when the model fails. */
      readonly mayExtract: boolean
    }

export type NotDue =
  | {
      readonly kind: 'nothing'
      /** `tried-in-vain`: the last try cost money and achieved nothing, and little was said since. */
      readonly because: 'explicit' | 'not-needed' | 'held-off' | 'nothing-to-cover' | 'tried-in-vain'
    }
  | {
      readonly kind: 'nothing'
      readonly because: 'frees-too-little'
      readonly frees: Amount
      /** The size shown now. */
      readonly of: Amount
    }

type Reason = 'messages' | 'tokens' | 'truncation' | 'asked'

/** The share of the model's context that a prompt may take before it is made smaller. */
export const SHARE_MAX = 0.75
/** Messages that fit into this share of it stay as they were said. */
const KEPT_SHARE = 0.1
/** Freeing less than a tenth is not worth the loss. */
const TENTH = 10
/** Summaries are kept short enough to free this share, if they can: messages that come meanwhile count too. */
const WANTED_SHARE = 1 / 8
/** No summary has to be shorter than this share of its original, or it would say too little. */
const SUMMARY_SHARE_MIN = 1 / 2
/** The same, if nothing fits otherwise. */
const MUST_FIT_SHARE_MIN = 1 / 4

/** Whether something should be summed up now, and what. Not final: the commit compares again. */
export function dueCompaction(reader: Reader, question: WindowQuestion): CompactionDue {
  const { rules, room, demand } = question
  const branch = changeable(reader, question.branch)
  if (isRefusal(branch)) return { kind: 'refused', refusal: branch }
  const size = sizeOf(reader, branch, room)
  const isHeld = isHeldOff(reader, branch, rules)
  const because = reasonFor(question, size, isHeld)
  if (typeof because === 'object') return because
  // A refused prompt is too long whatever our own count says, and must become shorter each time.
  const whole = demand === 'must-fit' ? Math.min(room.contextTokens, size.tokens) : room.contextTokens
  const isShort = demand === 'must-fit' || !isMuch(question, size)
  const fit = {
    tokensMax: SHARE_MAX * whole - room.fixedTokens,
    summaryTokensMax: summaryTokensMax(rules, size.tokens),
    // Messages that grow past the limit are cut back well below it, or the next one would pass it again.
    keptTokensMax: isShort ? Infinity : keptTokensMax(question),
  }
  const through = demand === 'by-person' ? hugeMessage(reader, branch, rules) : undefined
  const plan = planCompaction(reader, { branch: branch.id, ...keptOf(question), fit, through })
  if (isRefusal(plan)) return { kind: 'nothing', because: 'nothing-to-cover' }
  const shown = { messages: size.messages, tokens: size.tokens - room.fixedTokens }
  const lengths = summaryLengths(reader, plan.parts, question)
  const frees = { messages: freedBy(reader, plan.parts, 0).messages, tokens: lengths.freedMax }
  // If the rest of the prompt alone is nearly too large, summing up again and again would not help.
  const of = because === 'tokens' ? size : shown
  if (!isWorthIt({ freed: frees.tokens, of: of.tokens }, demand))
    return { kind: 'nothing', because: 'frees-too-little', frees, of }
  const mayExtract = rules.policy === 'managed' && !isHeld && isFarTooMany(question, size)
  return {
    kind: 'due',
    because,
    plan,
    summaryTokens: lengths.within(shown.tokens * WANTED_SHARE),
    mayExtract,
  }
}

function isFarTooMany(question: WindowQuestion, size: Amount): boolean {
  return size.messages > question.rules.truncationMessages && isLarge(question, size)
}

function isLarge({ rules, room }: WindowQuestion, { tokens }: Amount): boolean {
  return rules.shareMin === 0 || tokens > rules.shareMin * room.contextTokens
}

/** Somebody who asks for it, or counts messages alone, wants the rest summarized, small as it may be. */
function keptOf(question: WindowQuestion): Keeping {
  const { windowMessages: keep, shareMin } = question.rules
  if (question.demand === 'by-person' || shareMin === 0) return { keep }
  return { keep, keepTokens: keptTokensMax(question) }
}

function keptTokensMax({ rules, room }: WindowQuestion): number {
  return Math.min(KEPT_SHARE * room.contextTokens, (rules.historyTokensMax ?? Infinity) / 2)
}

/** Whether the messages have more tokens than the rules allow, whatever their count. */
function isMuch({ rules, room }: WindowQuestion, { tokens }: Amount): boolean {
  return tokens - room.fixedTokens > (rules.historyTokensMax ?? Infinity)
}

/**
 * A message that takes most of the list, and is worth a summary of its own. Not what somebody said in the running turn:
 * it is being answered.
 */
export function hugeMessage(reader: Reader, branch: Branch, rules: WindowRules): Position | undefined {
  const list = listOf(reader, branch)
  const all = tokensShown(reader, list)
  if (all < 2 * summaryTokensMax(rules, 0)) return undefined
  const { state } = branch
  const since = state.kind === 'running' ? state.since : Number.POSITIVE_INFINITY
  for (const item of list) {
    if (isSummary(item) || 2 * countTokens(reader, item) <= all) continue
    let before = messageAtOrBefore(reader, item.src, item.from - 1)?.tokens ?? 0
    for (const { position, tokens: sum } of messagesIn(reader, item)) {
      const tokens = sum - before
      before = sum
      if (2 * tokens <= all || tokens < 2 * summaryTokensMax(rules, tokens)) continue
      const { role } = messageOf(reader.event(position))
      return role === 'user' && position > since ? undefined : position
    }
  }
  return undefined
}

/** How long one summary of so many tokens may be. */
function summaryTokensMax(rules: WindowRules, covered: number): number {
  return rules.summaryTokensMax ?? Math.min(4_000, Math.max(500, Math.ceil(covered / 20)))
}

/** Whether freeing so many of the shown tokens is worth it. If the prompt must fit, any saving counts. */
export function isWorthIt(
  { freed, of }: { readonly freed: number; readonly of: number },
  demand: WindowQuestion['demand'],
): boolean {
  return freed > 0 && (demand === 'must-fit' || freed * TENTH >= of)
}

/** How long the summaries of these parts may be: less than allowed if they would free too little. */
function summaryLengths(
  reader: Reader,
  parts: readonly CompactionPart[],
  { rules, demand }: WindowQuestion,
): { readonly freedMax: number; within(tokensFreed: number): number[] } {
  const sizes = parts.map(({ items }) => tokensShown(reader, items))
  // An empty message has no tokens, but every summary needs room for a word.
  const long = sizes.map((tokens) => Math.min(Math.max(1, tokens), summaryTokensMax(rules, tokens)))
  // An earlier summary must not shrink for the sake of a few new messages, unless nothing fits otherwise.
  const kept = parts.map(({ items }) =>
    demand === 'must-fit' ? 0 : tokensShown(reader, items.filter(isSummary)),
  )
  const share = demand === 'must-fit' ? MUST_FIT_SHARE_MIN : SUMMARY_SHARE_MIN
  const short = sizes.map((tokens, index) =>
    Math.min(summaryTokensMax(rules, tokens), Math.max(1, Math.ceil(tokens * share), kept[index] ?? 0)),
  )
  const [all, longest, shortest] = [sum(sizes), sum(long), sum(short)]
  return {
    freedMax: all - shortest,
    within: (tokensFreed) => {
      const wanted = longest <= shortest ? 0 : (all - tokensFreed - shortest) / (longest - shortest)
      const part = Math.min(1, Math.max(0, wanted))
      return long.map((most, index) => {
        const least = short[index] ?? most
        return least + Math.floor((most - least) * part)
      })
    },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function sizeOf(reader: Reader, branch: Branch, { fixedTokens }: Room): Amount {
  const list = listOf(reader, branch)
  return { messages: messagesShown(reader, list), tokens: fixedTokens + tokensShown(reader, list) }
}

function reasonFor(question: WindowQuestion, size: Amount, isHeld: boolean): Reason | NotDue {
  const { rules, room, demand } = question
  if (demand === 'by-person') return 'asked'
  if (rules.policy === 'explicit') return { kind: 'nothing', because: 'explicit' }
  if (demand === 'must-fit') return 'tokens'
  if (!isHeld && isFarTooMany(question, size)) return 'truncation'
  if (size.tokens > SHARE_MAX * room.contextTokens) return 'tokens'
  const isMany = size.messages > rules.thresholdMessages && isLarge(question, size)
  if (!isMuch(question, size) && !isMany) return { kind: 'nothing', because: 'not-needed' }
  return isHeld ? { kind: 'nothing', because: 'held-off' } : 'messages'
}

/** A person who opens a summary wants to read it: the policy waits for another `thresholdMessages` messages. */
function isHeldOff(reader: Reader, { id, heldSince }: Branch, { thresholdMessages }: WindowRules): boolean {
  if (heldSince === null) return false
  const since = messageAtOrBefore(reader, id, heldSince)?.ordinal ?? 0
  return (lastMessage(reader, id)?.ordinal ?? 0) - since <= thresholdMessages
}
