import { tokenWords } from '../../view/words.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { unreachable } from '../../base/unreachable.ts'
import { neutral } from '../../channel/terminal/text/neutral.ts'
import { pieceWords, type Recalled } from '../../view/recalled.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import { counted } from '../../base/words.ts'

const LINES_MAX = 3
const LINE_MAX = 96

/** `settings  offline, thinking off` */
export function settingsLine({ settings }: Prompt): string {
  const { model, toolChoice, ...rest } = settings
  const set = Object.entries(rest).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
  const choice = toolChoice === 'none' ? ['a last answer, without tools'] : []
  return `settings  ${[model, ...set, ...choice].join(', ')}`
}

/** A prompt for people: each part with its size and how it begins, and what recall brought piece by piece. */
export function promptLines(
  { system, tools, messages }: Prompt,
  tail?: { readonly place: number; readonly recalled: Recalled },
): string[] {
  return [
    partLine('system', system),
    ...beginning(system),
    partLine('tools', JSON.stringify(tools)),
    `    ${tools.map(({ name }) => name).join(', ') || 'none'}`,
    ...messages.flatMap((message, index) =>
      index === tail?.place
        ? [partLine(`${index + 1} recall`, textOf(message)), ...recalledLines(tail.recalled)]
        : [partLine(`${index + 1} ${roleOf(message)}`, textOf(message)), ...beginning(textOf(message))],
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
  // The time that a person's message begins with says less than its words.
  const [line = ''] = beginning(textOf(message).replace(/^\[\d{4}-\d\d-\d\d [^\]\n]*\]\n\n/, ''))
  return `${roleOf(message)} (${tokenWords(estimateTokens(textOf(message)))})  ${line.trim()}`
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

function partLine(name: string, text: string): string {
  return `${name}  ${tokenWords(estimateTokens(text))} tokens`
}

function beginning(text: string): string[] {
  const lines = neutral(text).split('\n')
  const shown = lines
    .slice(0, LINES_MAX)
    .map((line) => `    ${line.length <= LINE_MAX ? line : `${line.slice(0, LINE_MAX - 1).toWellFormed()}…`}`)
  const more = lines.length - shown.length
  return text === ''
    ? ['    (empty)']
    : [...shown, ...(more > 0 ? [`    … ${counted(more, 'more line')}`] : [])]
}
