import { tokenWords } from '../words.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { unreachable } from '../../base/assert.ts'
import { neutral } from '../../channel/terminal/text/neutral.ts'
import { tailPlace } from '../../agent/turn/call-prompt.ts'
import { pieceWords, recalledIn, thingsWords, type Recalled } from '../recalled.ts'
import { HISTORY_HEADING, imageTokensOf } from '../../context/prompt.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import { counted, cutText } from '../../base/words.ts'

const LINES_MAX = 3
const LINE_MAX = 96

/** `settings  offline, thinking off` */
export function settingsLine({ settings }: Prompt): string {
  const { model, toolChoice, ...rest } = settings
  const set = Object.entries(rest).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
  const choice = toolChoice === 'none' ? ['final answer, no tools'] : []
  return `settings  ${[model, ...set, ...choice].join(', ')}`
}

/** A prompt for people: each part with its size and beginning, and each piece that recall added. */
export function promptLines({ system, tools, messages }: Prompt, tail?: ShownTail): string[] {
  return [
    partLine('system', estimateTokens(system)),
    ...beginning(system),
    partLine('tools', estimateTokens(JSON.stringify(tools))),
    `    ${tools.map(({ name }) => name).join(', ') || 'none'}`,
    ...messages.flatMap((message, index) =>
      index === tail?.place
        ? [partLine(`${index + 1} recall`, tokensOf(message)), ...recalledLines(tail.recalled)]
        : [partLine(`${index + 1} ${roleOf(message)}`, tokensOf(message)), ...beginning(textOf(message))],
    ),
  ]
}

function recalledLines({ pieces, rest }: Recalled): string[] {
  const lines = pieces.flatMap((piece) => [
    `    ${pieceWords(piece)}`,
    ...beginning(piece.text).map((line) => `  ${line}`),
  ])
  return rest === '' ? lines : [...lines, ...beginning(rest)]
}

/** One line for a message among others. */
export function messageLine(message: PromptMessage): string {
  // Skip the time at the beginning of a person's message.
  const [line = ''] = beginning(textOf(message).replace(/^\[\d{4}-\d\d-\d\d [^\]\n]*\]\n\n/, ''))
  return `${roleOf(message)} (${tokenWords(tokensOf(message))})  ${line.trim()}`
}

export function textOf(message: PromptMessage): string {
  switch (message.role) {
    case 'user':
    case 'tool':
      return message.text
    case 'assistant': {
      const { text, calls, reasoning } = message
      const thoughts = reasoning.length === 0 ? [] : [`(${counted(reasoning.length, 'thought')})`]
      const called = calls.map(({ tool, args }) => `→ ${tool} ${JSON.stringify(args)}`)
      return [...thoughts, ...(text === '' ? [] : [text]), ...called].join('\n')
    }
    default:
      return unreachable(message)
  }
}

function roleOf(message: PromptMessage): string {
  return message.role === 'tool' ? `result of ${message.tool}` : message.role
}

function partLine(name: string, tokens: number): string {
  return `${name}  ${tokenWords(tokens)} tokens`
}

function tokensOf(message: PromptMessage): number {
  return estimateTokens(textOf(message)) + (message.role === 'user' ? imageTokensOf(message) : 0)
}

function beginning(text: string): string[] {
  const lines = neutral(text).split('\n')
  const shown = lines.slice(0, LINES_MAX).map((line) => `    ${cutText(line, LINE_MAX)}`)
  const more = lines.length - shown.length
  return text === ''
    ? ['    (empty)']
    : [...shown, ...(more > 0 ? [`    … ${counted(more, 'more line')}`] : [])]
}

interface Part {
  readonly part: 'system' | 'tools' | 'summary' | 'messages' | 'recall' | 'mail'
  readonly tokens: number
}

/** The one message of a prompt that was for its turn only. */
export type ShownTail = NonNullable<ReturnType<typeof shownTail>>

/** What recall added, and where among the messages. */
export function shownTail(prompt: Prompt, tail: Parameters<typeof tailPlace>[1]) {
  const recalled = tail && recalledIn(tail.text)
  const place = recalled ? tailPlace(prompt, tail) : undefined
  return recalled && place !== undefined ? { place, recalled } : undefined
}

/** The size of each part that is not empty. */
export function promptParts({ system, tools, messages }: Prompt, tail: ShownTail | undefined): Part[] {
  const tokensIn = (isMeant: (message: PromptMessage, place: number) => boolean): number =>
    messages.filter(isMeant).reduce((sum, message) => sum + tokensOf(message), 0)
  const isTail = (place: number): boolean => place === tail?.place
  const parts: Part[] = [
    { part: 'system', tokens: estimateTokens(system) },
    { part: 'tools', tokens: tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)) },
    { part: 'summary', tokens: tokensIn(isSummary) },
    { part: 'messages', tokens: tokensIn((message, place) => !isSummary(message) && !isTail(place)) },
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
