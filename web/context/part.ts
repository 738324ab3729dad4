import { inZone } from '../api/zone.ts'
import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { counted, fullCount } from '../ui/numbers.ts'

export type Part = TurnContextView['parts'][number]
export type Kind = Part['kind']

/** The colour of a kind of part. Mail is news too. */
export function colourOf(kind: Kind): string {
  return `var(--k-${kind === 'mail' ? 'updates' : kind})`
}

const NAMES: Readonly<Record<string, string>> = {
  agents: 'AGENTS.md',
  host: 'who is talking',
  memory: 'memory.md',
  skills: 'skills',
  mail: 'unread mail',
}

/** `summary, 2 – 10 Nov` */
export function partName({ id, kind, count, covers }: Part): string {
  if (covers !== null) return `summary, ${spanOfDays(covers.from, covers.to)}`
  const name = NAMES[id]
  if (name !== undefined) return name
  if (kind === 'summary') return 'summary'
  const noun = kind === 'recall' ? 'recalled' : kind
  return count === 0 ? noun : `${noun} · ${fullCount(count)}`
}

/** `summary of 142 messages`, for the legend. */
export function partLegend(part: Part): string {
  if (part.covers !== null) return `summary of ${counted(part.covers.messages, 'message')}`
  if (part.kind === 'messages') return counted(part.count, 'message')
  if (part.kind === 'recall') return 'recalled'
  return part.id === 'agents' ? 'system' : part.kind
}

const DAYS = { day: 'numeric', month: 'short' } as const

/** `2 – 10 Nov`, `18 May – 26 Sept` */
export function spanOfDays(from: string, to: string): string {
  return inZone(DAYS).formatRange(new Date(from), new Date(to))
}

export interface ChangeWords {
  readonly text: string
  readonly tone: 'faint' | 'good' | 'warn' | 'bad'
}

/** The change of a part since the turn before: `same`, `+1 line`, `+2`, `new`. */
export function changeWords({ difference, kind }: Part): ChangeWords {
  if (difference === null) return { text: '', tone: 'faint' }
  const { state, unit, added, gone, moved } = difference
  if (state === 'same') return { text: 'same', tone: 'faint' }
  if (state === 'new') return { text: 'new', tone: 'good' }
  if (state === 'gone') return { text: 'gone', tone: 'bad' }
  if (kind === 'recall') return { text: 'changed', tone: 'warn' }
  const counts = [
    added > 0 && `+${fullCount(added)}`,
    gone > 0 && `−${fullCount(gone)}`,
    moved > 0 && `${fullCount(moved)} moved`,
  ].filter(Boolean)
  const noun = unit === 'line' ? (added + gone === 1 ? ' line' : ' lines') : ''
  return { text: `${counts.join(' ')}${noun}`, tone: gone > 0 ? 'warn' : 'good' }
}
