import type { Act } from '../../context/decision.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { OWNER } from '../../event/speaker.ts'
import { aboutPerson, newest } from './newest.ts'
import { personIn } from './person.ts'

/** A line of memory.md, and since when it is there. */
export type MemoryLine = Readonly<EventOf<'memory-changed'>['lines'][number]>

/** The lines of a person's memory.md as last read; empty before the first read. */
export function memoryIn(reader: Reader, person = OWNER): readonly MemoryLine[] {
  return newest(reader, 'memory', aboutPerson(person))?.lines ?? []
}

/** Records the lines of the memory.md of the branch's person if they changed; returns whether they did. A line that stays keeps its time. */
export function noteMemory(writing: Writing, lines: readonly string[], act: Act): boolean {
  const { branch, at, author } = act
  const person = personIn(writing, branch)
  const before = memoryIn(writing, person)
  const isSame = lines.length === before.length && before.every(({ text }, index) => text === lines[index])
  if (isSame) return false
  const known = new Map(before.map(({ text, since }) => [text, since]))
  const noted = lines.map((text) => ({ text, since: known.get(text) ?? at }))
  const whose = person !== OWNER && { person }
  writing.append({ kind: 'memory-changed', branch, at, v: 1, lines: noted, ...whose, author })
  return true
}
