import { createHash } from 'node:crypto'
import { canonicalJson } from '../../base/canonical.ts'
import type { Act } from '../../context/decision.ts'
import type { EventOf, Placed } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Sections } from '../../event/work.ts'
import { OWNER } from '../../event/speaker.ts'
import { personIn } from './person.ts'
import { runAbove } from './run.ts'
import { aboutPerson, newest } from './newest.ts'
import { contentTable } from './tables.ts'

/** The beginning of every prompt. It comes from the log, so that two prompts differ only where an event says so. */
export interface Setup extends SystemText {
  readonly tools: readonly ToolSpec[]
}

/** With the parts that it was made of; left out where nobody knows them. */
export interface SystemText {
  readonly system: string
  readonly sections?: Sections | undefined
}

/** Needs well-formed text: UTF-8 turns every half of a surrogate pair into the same bytes. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** Stores a text once, made well-formed. Its hash refers to it from then on. */
export function keep(
  writing: Writing,
  { branch, at, sections }: Placed & Pick<SystemText, 'sections'>,
  words: string,
): string {
  // Otherwise two texts that differ in half a character share a hash, and the second is read back as the first.
  const text = words.toWellFormed()
  const hash = hashOf(text)
  const isKept = writing.row(contentTable, [hash]) !== undefined
  // Logs of earlier releases keep system texts without their sections.
  if (!isKept || (sections !== undefined && sectionsOf(writing, hash) === undefined))
    writing.append({
      kind: 'content-kept',
      branch,
      at,
      hash,
      text,
      ...(sections && { sections: [...sections] }),
    })
  return hash
}

export function contentOf(reader: Reader, hash: string): string {
  return keptAs(reader, hash).text
}

/** The parts of a system text; undefined if they were not recorded. */
export function sectionsOf(reader: Reader, hash: string): Sections | undefined {
  return keptAs(reader, hash).sections
}

function keptAs(reader: Reader, hash: string): EventOf<'content-kept'> {
  const row = reader.row(contentTable, [hash])
  const event = row && reader.event(row.position)
  if (event?.kind !== 'content-kept') throw new TypeError(`no content of hash ${hash} is kept`)
  return event
}

/** The hashes of a person's current setup; undefined before the first one. Nobody gets that of another (PEOPLE2). */
export function setupNow(reader: Reader, person = OWNER) {
  const event = newest(reader, 'setup', aboutPerson(person))
  return event && { system: event.system, tools: event.tools }
}

/** The setup of this branch's prompts. A run may have its own, which its children share. */
export function setupOf(reader: Reader, branch: BranchId) {
  return runAbove(reader, branch)?.setup ?? setupNow(reader, personIn(reader, branch))
}

/** Makes this the setup of later prompts of the branch's person; returns whether anything changed. */
export function changeSetup(writing: Writing, setup: Setup, act: Act): boolean {
  const system = keep(writing, { ...act, sections: setup.sections }, setup.system)
  const tools = keep(writing, act, canonicalJson(setup.tools))
  const person = personIn(writing, act.branch)
  const before = setupNow(writing, person)
  if (before?.system === system && before.tools === tools) return false
  const { branch, at, author } = act
  const whose = person !== OWNER && { person }
  writing.append({ kind: 'setup-changed', branch, at, system, tools, ...whose, author })
  return true
}

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
  writing.append({ kind: 'memory-changed', branch, at, lines: noted, ...whose, author })
  return true
}
