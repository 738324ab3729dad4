import { estimateTokens } from '../../base/tokens.ts'
import { tailPlace } from '../../agent/turn/call-prompt.ts'
import { recalledIn, thingsWords, type Recalled } from '../../view/recalled.ts'
import { tokenWords } from '../../view/words.ts'
import { HISTORY_HEADING } from '../../context/prompt.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import { textOf } from './prompt-text.ts'

export interface Part {
  readonly part: 'system' | 'tools' | 'summary' | 'messages' | 'recall' | 'mail'
  readonly tokens: number
}

/** The one message of a prompt that belonged to its turn alone. */
export interface ShownTail {
  readonly place: number
  readonly recalled: Recalled
}

/** What recall brought, and where it stands among the messages. */
export function shownTail(prompt: Prompt, tail: Parameters<typeof tailPlace>[1]): ShownTail | undefined {
  const recalled = tail && recalledIn(tail.text)
  const place = recalled ? tailPlace(prompt, tail) : undefined
  return recalled && place !== undefined ? { place, recalled } : undefined
}

/** How large each part is; what is not there is left out. */
export function promptParts({ system, tools, messages }: Prompt, tail: ShownTail | undefined): Part[] {
  const tokensOf = (isMeant: (message: PromptMessage, place: number) => boolean): number =>
    messages.filter(isMeant).reduce((sum, message) => sum + estimateTokens(textOf(message)), 0)
  const isTail = (place: number): boolean => place === tail?.place
  const parts: Part[] = [
    { part: 'system', tokens: estimateTokens(system) },
    { part: 'tools', tokens: tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)) },
    { part: 'summary', tokens: tokensOf(isSummary) },
    { part: 'messages', tokens: tokensOf((message, place) => !isSummary(message) && !isTail(place)) },
    { part: 'recall', tokens: estimateTokens(tail?.recalled.text ?? '') },
    { part: 'mail', tokens: estimateTokens(tail?.recalled.rest ?? '') },
  ]
  return parts.filter(({ tokens }) => tokens > 0)
}

function isSummary(message: PromptMessage): boolean {
  return message.role === 'user' && message.text.startsWith(HISTORY_HEADING)
}

const BAR_WIDTH = 40

/** A bar for each part, as long as its share. */
export function partLines(parts: readonly Part[], tail: ShownTail | undefined): string[] {
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const lines = parts.map(({ part, tokens }) => {
    const bar = '▓'.repeat(Math.max(1, Math.round((tokens / all) * BAR_WIDTH)))
    const what = part === 'recall' && tail ? `  ${thingsWords(tail.recalled.pieces.length)}` : ''
    return `  ${part.padEnd(10)} ${tokenWords(tokens).padStart(6)}  ${bar}${what}`
  })
  return [...lines, `  ${'together'.padEnd(10)} ${tokenWords(all).padStart(6)}`]
}
