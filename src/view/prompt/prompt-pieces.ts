import { sectionsOf } from '../../agent/state/setup.ts'
import { isUpdatesText } from '../../agent/state/updates.ts'
import type { Recorded } from '../../agent/turn/call-prompt.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { unreachable } from '../../base/assert.ts'
import { counted } from '../../base/words.ts'
import { imageTokensOf, type PromptSource } from '../../context/prompt.ts'
import type { EventOf } from '../../event/event.ts'
import type { Prompt, PromptMessage } from '../../event/prompt.ts'
import type { Reader } from '../../event/table.ts'
import type { Sections } from '../../event/work.ts'
import { skillsStart } from '../../skill/context-text.ts'
import { recallBlocks, recalledIn } from '../recalled.ts'

export const partKinds = [
  'system',
  'memory',
  'skills',
  'tools',
  'summary',
  'messages',
  'recall',
  'updates',
  'mail',
] as const

/** The name of the piece with what the host says about all recalled ones. */
export const HEADING = 'heading'

/** A stretch of a prompt. All pieces together, in order, are the whole prompt. */
export interface Piece {
  readonly kind: (typeof partKinds)[number]
  /** The part it belongs to: each summary is one, and so are AGENTS.md and the host's words. */
  readonly part: string
  /** Pieces of two prompts with the same name are compared line by line; without one, text is the same or not. */
  readonly name: string | null
  /** Who says it, or what it is. */
  readonly label: string
  readonly text: string
  readonly tokens: number
  /** Where in the log it was said. */
  readonly position: number | null
}

/** A prompt, and where its messages came from. */
export interface Sourced {
  readonly prompt: Prompt
  readonly sources: readonly PromptSource[]
}

/** The pieces of a prompt, in the order in which a model gets them. */
export function promptPieces(
  reader: Reader,
  { prompt, sources }: Sourced,
  setup: Pick<Recorded, 'system'>,
): Piece[] {
  return [
    ...systemPieces(prompt.system, sectionsOf(reader, setup.system)),
    ...prompt.tools.map(({ name, ...tool }) =>
      piece('tools', `${tool.description}\n${JSON.stringify(tool.parameters, null, 2)}`, {
        label: name,
        name,
        tokens: estimateTokens(JSON.stringify({ name, ...tool })),
      }),
    ),
    ...prompt.messages.flatMap((message, index) => messagePieces(message, index, sources)),
  ]
}

function piece(
  kind: Piece['kind'],
  text: string,
  {
    label = kind,
    part = kind,
    name = null,
    position = null,
    tokens = estimateTokens(text),
  }: Partial<Piece> = {},
): Piece {
  return { kind, part, name, label, text, tokens, position }
}

const SECTIONS = {
  agents: { kind: 'system', label: 'AGENTS.md' },
  host: { kind: 'system', label: 'host' },
  memory: { kind: 'memory', label: 'memory.md' },
  skills: { kind: 'skills', label: 'skills' },
} as const

const SEPARATOR = '\n\n'.length

function systemPieces(system: string, recorded: Sections | undefined): Piece[] {
  const sections = recorded ?? foundSections(system)
  const pieces: Piece[] = []
  let start = 0
  for (const { name, length } of sections) {
    const { kind, label } = SECTIONS[name]
    pieces.push(piece(kind, system.slice(start, start + length), { label, part: name, name }))
    start += length + SEPARATOR
  }
  return pieces
}

/** For texts whose sections were not recorded: only the beginning of the skills can be found for certain. */
function foundSections(system: string): Sections {
  const skills = skillsStart(system)
  const agents = Math.max(0, (skills ?? system.length + SEPARATOR) - SEPARATOR)
  return [
    ...(agents === 0 ? [] : [{ name: 'agents', length: agents } as const]),
    ...(skills === undefined ? [] : [{ name: 'skills', length: system.length - skills } as const]),
  ]
}

function messagePieces(message: PromptMessage, index: number, sources: readonly PromptSource[]): Piece[] {
  const source = sources[index]
  const text = textOf(message)
  switch (source?.kind) {
    case undefined:
    case 'opening':
      return [piece('messages', text, { label: 'host' })]
    case 'tail':
      return tailPieces(text)
    case 'summary': {
      const part = summaryPart(summariesIn(sources).indexOf(source))
      return [piece('summary', text, { part, name: part, position: source.ref.summary })]
    }
    case 'message':
      return saidPieces(message, source.event, text)
    default:
      return unreachable(source)
  }
}

export function summariesIn(sources: readonly PromptSource[]) {
  return sources.filter((source) => source.kind === 'summary')
}

/** Summaries are numbered, so that one is compared with the one that it replaced. */
export function summaryPart(index: number): string {
  return `summary-${index + 1}`
}

function tailPieces(text: string): Piece[] {
  const recalled = recalledIn(text)
  if (recalled === undefined) return [piece('mail', text)]
  const { pieces, rest } = recalled
  const { heading, wholes } = recallBlocks(recalled)
  return [
    piece('recall', heading, { name: HEADING }),
    ...pieces.map(({ position, who }, index) =>
      piece('recall', wholes[index] ?? '', { label: who, name: `log ${position}`, position }),
    ),
    ...(rest === '' ? [] : [piece('mail', rest)]),
  ]
}

/** A message that shows updates is three pieces: what stands before them, the updates, and what was said. */
function saidPieces(message: PromptMessage, event: EventOf<'message-added'>, text: string): Piece[] {
  const { position } = event
  const label = labelOf(message, event)
  const shown = event.message.role === 'user' ? event.message.before?.find(isUpdatesText) : undefined
  const start = shown === undefined ? -1 : text.indexOf(shown)
  if (shown === undefined || start < 0)
    return [piece('messages', text, { label, tokens: event.tokens, position })]
  const [head, rest] = [text.slice(0, start).trimEnd(), text.slice(start + shown.length).trimStart()]
  const images = message.role === 'user' ? imageTokensOf(message) : 0
  const sized = (words: string, more = 0) => ({ label, tokens: estimateTokens(words) + more, position })
  return [
    ...(head === '' ? [] : [piece('messages', head, sized(head))]),
    piece('updates', shown, { position }),
    piece('messages', rest, sized(rest, images)),
  ]
}

/** A person's message begins with its time; what the host or a job says, with a tag. */
function labelOf(message: PromptMessage, { message: said }: EventOf<'message-added'>): string {
  if (said.role === 'note') return 'note'
  if (said.role === 'user') return said.head === undefined || /^\[\d{4}-/.test(said.head) ? 'person' : 'host'
  return roleOf(message)
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

export function roleOf(message: PromptMessage): string {
  return message.role === 'tool' ? `result of ${message.tool}` : message.role
}
