import { createHash } from 'node:crypto'
import { canonicalJson } from '../../base/canonical.ts'
import type { Act } from '../../context/decision.ts'
import type { Placed } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { OWNER } from '../../event/speaker.ts'
import { personIn } from './person.ts'
import { runAbove } from './run.ts'
import { aboutPerson, newest } from './newest.ts'
import { contentTable } from './tables.ts'

/** The beginning of every prompt. It comes from the log, so that two prompts differ only where an event says so. */
export interface Setup {
  readonly system: string
  readonly tools: readonly ToolSpec[]
}

/** Needs well-formed text: UTF-8 turns every half of a surrogate pair into the same bytes. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** Stores a text once, made well-formed. Its hash refers to it from then on. */
export function keep(writing: Writing, { branch, at }: Placed, words: string): string {
  // Otherwise two texts that differ in half a character share a hash, and the second is read back as the first.
  const text = words.toWellFormed()
  const hash = hashOf(text)
  if (writing.row(contentTable, [hash]) === undefined)
    writing.append({ kind: 'content-kept', branch, at, v: 1, hash, text })
  return hash
}

export function contentOf(reader: Reader, hash: string): string {
  const row = reader.row(contentTable, [hash])
  const event = row && reader.event(row.position)
  if (event?.kind !== 'content-kept') throw new TypeError(`no content of hash ${hash} is kept`)
  return event.text
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
  const system = keep(writing, act, setup.system)
  const tools = keep(writing, act, canonicalJson(setup.tools))
  const person = personIn(writing, act.branch)
  const before = setupNow(writing, person)
  if (before?.system === system && before.tools === tools) return false
  const { branch, at, author } = act
  const whose = person !== OWNER && { person }
  writing.append({ kind: 'setup-changed', branch, at, v: 1, system, tools, ...whose, author })
  return true
}
