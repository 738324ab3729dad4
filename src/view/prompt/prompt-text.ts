import { tokenWords } from '../words.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { neutral } from '../../channel/terminal/text/neutral.ts'
import { pieceWords, recalledIn, thingsWords } from '../recalled.ts'
import { whyLine } from '../recall-text.ts'
import { imageTokensOf } from '../../context/prompt.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import type { Reason } from '../../event/work.ts'
import { counted, cutText } from '../../base/words.ts'
import { partKinds, roleOf, textOf, type Piece, type Sourced } from './prompt-pieces.ts'

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
        ? [partLine(`${index + 1} recall`, tokensOf(message)), ...recalledLines(tail)]
        : [partLine(`${index + 1} ${roleOf(message)}`, tokensOf(message)), ...beginning(textOf(message))],
    ),
  ]
}

function recalledLines({ recalled: { pieces, rest }, why }: ShownTail): string[] {
  const among = why?.map((reason) => ({ score: reason.score, why: reason })) ?? []
  const lines = pieces.flatMap((piece, index) => [
    `    ${pieceWords(piece)}`,
    ...beginning(piece.text).map((line) => `  ${line}`),
    `      why: ${among[index] === undefined ? 'not recorded then' : whyLine(among[index], among)}`,
  ])
  return rest === '' ? lines : [...lines, ...beginning(rest)]
}

export function messageLine(message: PromptMessage): string {
  // Skip the time at the beginning of a person's message.
  const [line = ''] = beginning(textOf(message).replace(/^\[\d{4}-\d\d-\d\d [^\]\n]*\]\n\n/, ''))
  return `${roleOf(message)} (${tokenWords(tokensOf(message))})  ${line.trim()}`
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

/** The one message of a prompt that was for its turn only. */
export type ShownTail = NonNullable<ReturnType<typeof shownTail>>

/** What recall added, where among the messages, and why; null if that was not recorded. */
export function shownTail({ prompt, sources }: Sourced, why: readonly Reason[] | null) {
  const place = sources.findIndex(({ kind }) => kind === 'tail')
  const recalled = recalledIn(prompt.messages[place]?.text ?? '')
  return recalled && { place, recalled, why }
}

export function promptParts(pieces: readonly Piece[]) {
  return partKinds
    .map((part) => ({
      part,
      tokens: pieces.reduce((sum, { kind, tokens }) => sum + (kind === part ? tokens : 0), 0),
    }))
    .filter(({ tokens }) => tokens > 0)
}

const BAR_WIDTH = 40

/** A bar for each part, as long as its share. */
export function partLines(parts: ReturnType<typeof promptParts>, tail: ShownTail | undefined): string[] {
  const all = parts.reduce((sum, { tokens }) => sum + tokens, 0)
  const lines = parts.map(({ part, tokens }) => {
    const bar = '▓'.repeat(Math.max(1, Math.round((tokens / all) * BAR_WIDTH)))
    const what = part === 'recall' && tail ? `  ${thingsWords(tail.recalled.pieces.length)}` : ''
    return `  ${part.padEnd(10)} ${tokenWords(tokens).padStart(6)}  ${bar}${what}`
  })
  return [...lines, `  ${'together'.padEnd(10)} ${tokenWords(all).padStart(6)}`]
}
