import { createHash } from 'node:crypto'
import { canonicalJson } from '../../base/canonical.ts'
import type { Author } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { runAbove } from './run.ts'
import { newest } from './newest.ts'
import { contentTable } from './tables.ts'

/** What every prompt begins with. It comes from the log, so that two prompts differ only where an event says so. */
export interface Setup {
  readonly system: string
  readonly tools: readonly ToolSpec[]
}

/** Of a text that is well-formed: UTF-8 makes all halves of surrogate pairs the same. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** Keeps a text once, whoever needs it, made well-formed; its hash refers to it from then on. */
export function keep(
  writing: Writing,
  { branch, at }: { branch: BranchId; at: number },
  words: string,
): string {
  // Else two texts that differ in half a character have one hash, and the second would be given as the first.
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

/** The hashes of the setup that holds now; undefined before the first one. */
export function setupNow(reader: Reader): { readonly system: string; readonly tools: string } | undefined {
  const event = newest(reader, 'setup')
  return event && { system: event.system, tools: event.tools }
}

/** What the prompts of this branch begin with: what all do, but for a run that was given a setup of its own, and what works for it. */
export function setupOf(
  reader: Reader,
  branch: BranchId,
): { readonly system: string; readonly tools: string } | undefined {
  return runAbove(reader, branch)?.setup ?? setupNow(reader)
}

/** Makes this the setup of every prompt from here on; whether anything changed. */
export function changeSetup(
  writing: Writing,
  setup: Setup,
  act: { branch: BranchId; at: number; author: Author },
): boolean {
  const system = keep(writing, act, setup.system)
  const tools = keep(writing, act, canonicalJson(setup.tools))
  const before = setupNow(writing)
  if (before?.system === system && before.tools === tools) return false
  writing.append({
    kind: 'setup-changed',
    branch: act.branch,
    at: act.at,
    v: 1,
    system,
    tools,
    author: act.author,
  })
  return true
}
