import type { Room, WindowRules } from '../../src/context/window.ts'
import { isContent, tokensIn, type NaiveMessage } from './entry.ts'
import { planCompaction, type NaivePlan } from './naive-compaction.ts'
import type { NaiveWorld } from './naive.ts'

export interface NaiveQuestion {
  readonly rules: WindowRules
  readonly room: Room
  readonly demand?: 'by-person' | 'must-fit'
}

export interface NaiveDue {
  readonly because: 'messages' | 'tokens' | 'truncation' | 'asked'
  readonly plan: NaivePlan
  readonly mayExtract: boolean
  /** Whether one message took most of it. The next largest may take most of what is left. */
  readonly isHuge: boolean
}

/** What the window wants done, or why nothing. */
export function dueCompaction(world: NaiveWorld, number: number, question: NaiveQuestion): NaiveDue | string {
  if (!world.mayChange(number)) return 'refused'
  const { rules, room, demand } = question
  const { entries, held } = world.get(number)
  const messages = entries.filter((entry) => entry.kind === 'said').length
  const tokens = room.fixedTokens + tokensIn(entries.filter(isContent))
  const isLarge = rules.shareMin === 0 || tokens > rules.shareMin * room.contextTokens
  const isHeld = held !== null && held <= rules.thresholdMessages
  const tooMany = {
    truncation: !isHeld && isLarge && messages > rules.truncationMessages,
    tokens: tokens > (room.contextTokens * 3) / 4,
    messages:
      (isLarge && messages > rules.thresholdMessages) ||
      (rules.historyTokensMax !== null && tokens - room.fixedTokens > rules.historyTokensMax),
  }
  const because = whichOf(question, tooMany)
  if (because === undefined) return rules.policy === 'explicit' ? 'explicit' : 'not-needed'
  if (because === 'messages' && isHeld) return 'held-off'
  const whole = demand === 'must-fit' && tokens < room.contextTokens ? tokens : room.contextTokens
  const { summaryTokensMax: most } = rules
  const summaryTokensMax = most ?? 500
  const history = rules.historyTokensMax ?? Infinity
  const isCount = demand === 'by-person' || rules.shareMin === 0
  const keepTokens = isCount ? 0 : Math.min(room.contextTokens / 10, history / 2)
  const isMuch = demand !== 'must-fit' && tokens - room.fixedTokens > history
  const huge = demand === 'by-person' ? hugeIn(world, number, summaryTokensMax) : undefined
  const plan = planCompaction(world, number, {
    keep: rules.windowMessages,
    keepTokens,
    tokensMax: (whole * 3) / 4 - room.fixedTokens,
    summaryTokensMax,
    keptTokensMax: isMuch ? Math.min(room.contextTokens / 10, history / 2) : Infinity,
    huge,
  })
  if (plan === undefined) return 'nothing-to-cover'
  const freed = plan.parts.reduce((sum, part) => {
    const least =
      demand === 'must-fit'
        ? Math.max(Math.ceil(part.tokens / 4), 1)
        : Math.max(Math.ceil(part.tokens / 2), 1, part.summed)
    return sum + part.tokens - Math.min(least, summaryTokensMax)
  }, 0)
  const shown = because === 'tokens' ? tokens : tokens - room.fixedTokens
  if (freed <= 0 || (demand !== 'must-fit' && freed * 10 < shown)) return 'frees-too-little'
  return {
    because,
    plan,
    mayExtract: rules.policy === 'managed' && tooMany.truncation,
    isHuge: huge !== undefined,
  }
}

/** A message of more than half of all, and of twice its summary; not one that is being answered. */
function hugeIn(world: NaiveWorld, number: number, summaryTokensMax: number): NaiveMessage | undefined {
  const { entries, turn } = world.get(number)
  const content = entries.filter(isContent)
  const all = tokensIn(content)
  return content.flatMap((entry) => {
    if (entry.kind === 'summed') return []
    const { message } = entry
    const isHuge = message.tokens * 2 > all && message.tokens >= 2 * summaryTokensMax
    const isAnswered = message.role !== 'user' || turn?.messages.includes(message) !== true
    return isHuge && isAnswered ? [message] : []
  })[0]
}

function whichOf(
  { rules, demand }: NaiveQuestion,
  tooMany: Record<'truncation' | 'tokens' | 'messages', boolean>,
): NaiveDue['because'] | undefined {
  if (demand === 'by-person') return 'asked'
  if (rules.policy === 'explicit') return undefined
  if (demand === 'must-fit') return 'tokens'
  return (['truncation', 'tokens', 'messages'] as const).find((what) => tooMany[what])
}
