import type { Entry } from './timeline.ts'

export type Row =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  | ShownEntry
  /** What no context shows any more. */
  | {
      readonly kind: 'ghost'
      readonly key: string
      readonly label: string
      readonly rows: readonly ShownEntry[]
    }

export interface ShownEntry {
  readonly kind: 'entry'
  readonly key: string
  readonly entry: Entry
  /** It follows another entry of the same speaker at about the same time: the name is not shown again. */
  readonly isSame: boolean
  /** Updates that the turn of an answer looked at. */
  readonly updates: number
}

/** Entries with days between them, and those that were taken out of the context gathered into stretches. */
export function rowsOf(entries: readonly Entry[], dayOf: (at: string) => string): Row[] {
  const updates = new Map<number, number>()
  for (const entry of entries)
    if ((entry.kind === 'said' || entry.kind === 'told') && entry.turn !== null)
      updates.set(entry.turn, (updates.get(entry.turn) ?? 0) + entry.updates)
  const rows: Row[] = []
  let day = ''
  let before: Entry | undefined
  for (const entry of entries) {
    if (dayOf(entry.at) !== day) {
      day = dayOf(entry.at)
      rows.push({ kind: 'day', key: `day ${day}`, at: entry.at })
      before = undefined
    }
    const looked = entry.kind === 'answer' && entry.turn !== null ? (updates.get(entry.turn) ?? 0) : 0
    const isSame = before !== undefined && isContinued(before, entry)
    const shown: ShownEntry = {
      kind: 'entry',
      key: String(entry.position),
      entry,
      isSame,
      updates: looked,
    }
    const last = rows.at(-1)
    if (entry.label === null) rows.push(shown)
    else if (last?.kind === 'ghost' && last.label === entry.label)
      rows[rows.length - 1] = { ...last, rows: [...last.rows, shown] }
    else rows.push({ kind: 'ghost', key: `ghost ${entry.position}`, label: entry.label, rows: [shown] })
    before = entry
  }
  return rows
}

const NEAR_MS = 5 * 60_000

function isContinued(before: Entry, entry: Entry): boolean {
  if (before.kind !== entry.kind || (entry.kind !== 'answer' && entry.kind !== 'said')) return false
  if (entry.kind === 'answer') return before.turn === entry.turn
  return Date.parse(entry.at) - Date.parse(before.at) < NEAR_MS
}

/** The typed lines, the newest last, for the arrow keys. */
export function typedIn(entries: readonly Entry[]): string[] {
  const lines = entries.flatMap((entry) =>
    entry.kind === 'said' ? entry.text : entry.kind === 'command' && entry.by === 'person' ? entry.line : [],
  )
  return lines.filter((line, index) => line !== '' && line !== lines[index + 1])
}
