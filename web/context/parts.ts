import type { TurnContextView } from '../../src/view/prompt/turn-context.ts'
import { counted, fullCount } from '../ui/numbers.ts'
import { dayText } from '../ui/time.tsx'

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

/** `summary, 2–10 Nov` */
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

/** `2–10 Nov`, `18 May – 26 Sep` */
export function spanOfDays(from: string, to: string): string {
  const [first, last] = [dayText(from), dayText(to)].map((text) => text.replace(/^[A-Z][a-z]{2} /, ''))
  if (first === last) return first ?? ''
  const [, month] = first?.split(' ') ?? []
  const [day, other] = last?.split(' ') ?? []
  return month === other ? `${first?.split(' ')[0]}–${day} ${other}` : `${first} – ${last}`
}

export interface ChangeWords {
  readonly text: string
  readonly tone: 'faint' | 'good' | 'warn' | 'bad'
}

/** What became of a part since the turn before: `same`, `+1 line`, `+2`, `new`. */
export function changeWords({ difference, kind }: Part): ChangeWords {
  if (difference === null) return { text: '', tone: 'faint' }
  const { state, unit, added, gone, moved } = difference
  if (state === 'same') return { text: 'same', tone: 'faint' }
  if (state === 'new') return { text: 'new', tone: 'good' }
  if (state === 'gone') return { text: 'gone', tone: 'bad' }
  if (kind === 'recall') return { text: 'changed', tone: 'warn' }
  const counts = [
    ...(added > 0 ? [`+${fullCount(added)}`] : []),
    ...(gone > 0 ? [`−${fullCount(gone)}`] : []),
    ...(moved > 0 ? [`${fullCount(moved)} moved`] : []),
  ].join(' ')
  const noun = unit === 'line' ? (added + gone === 1 ? ' line' : ' lines') : ''
  return { text: `${counts}${noun}`, tone: gone > 0 ? 'warn' : 'good' }
}

/** Lines or pieces that came and went, in all parts. */
export function sumOfChanges(parts: readonly Part[]): { readonly added: number; readonly gone: number } {
  return parts.reduce(
    (sum, { difference }) => ({
      added: sum.added + (difference?.added ?? 0),
      gone: sum.gone + (difference?.gone ?? 0),
    }),
    { added: 0, gone: 0 },
  )
}
