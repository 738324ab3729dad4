import type { Act } from '../../context/decision.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { newest } from './newest.ts'

/** A line of memory.md, and since when it is there. */
export type MemoryLine = Readonly<EventOf<'memory-changed'>['lines'][number]>

/** The lines of memory.md as last read; empty before the first read. */
export function memoryIn(reader: Reader): readonly MemoryLine[] {
  return newest(reader, 'memory')?.lines ?? []
}

/** Records the lines of memory.md if they changed; returns whether they did. A line that stays keeps its time. */
export function noteMemory(writing: Writing, lines: readonly string[], act: Act): boolean {
  const { branch, at, author } = act
  const before = memoryIn(writing)
  const isSame = lines.length === before.length && before.every(({ text }, index) => text === lines[index])
  if (isSame) return false
  const known = new Map(before.map(({ text, since }) => [text, since]))
  const noted = lines.map((text) => ({ text, since: known.get(text) ?? at }))
  writing.append({ kind: 'memory-changed', branch, at, v: 1, lines: noted, author })
  return true
}
