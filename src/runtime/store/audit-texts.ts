import { z } from 'zod'
import { contentOf, hashOf } from '../../agent/state/setup.ts'
import { contentTable } from '../../agent/state/tables.ts'
import { parsedJson } from '../../base/json.ts'
import { refuse } from '../../context/branch.ts'
import type { Event } from '../../event/event.ts'
import { settingsSchema, toolSpecSchema } from '../../event/prompt.ts'
import type { Projection, Reader } from '../../event/table.ts'

/**
 * Checks the texts that an imported event keeps or names by their hash. A text under a false hash would become the
 * system text of a home whose AGENTS.md has that hash.
 */
export const textAudit: Projection = { name: 'text-audit', version: 1, tables: [], apply: auditTexts }

function auditTexts(event: Event, reader: Reader): void {
  const { kind } = event
  if (kind === 'content-kept' && hashOf(event.text) !== event.hash) refuse(event, 'its text has another hash')
  if (kind === 'setup-changed' || kind === 'model-called') auditSetup(event, event, reader)
  if (kind === 'run-started' && event.setup !== null) auditSetup(event, event.setup, reader)
  if (kind === 'model-called') {
    requireJson(event, event.settings, { schema: settingsSchema, reader })
    if (event.tail !== null) textAt(event, event.tail.text, reader)
  }
  if (kind === 'approval-asked' && event.wish.kind === 'file') {
    const { before, after } = event.wish
    for (const hash of before === null ? [after] : [before, after]) textAt(event, hash, reader)
  }
}

const toolsSchema = z.array(toolSpecSchema)

function auditSetup(
  event: Event,
  { system, tools }: { system: string; tools: string },
  reader: Reader,
): void {
  textAt(event, system, reader)
  requireJson(event, tools, { schema: toolsSchema, reader })
}

function requireJson(
  event: Event,
  hash: string,
  { schema, reader }: { schema: z.ZodType; reader: Reader },
): void {
  const value = parsedJson(textAt(event, hash, reader))
  if (!schema.safeParse(value).success) refuse(event, `the text of hash ${hash} is not what it is taken for`)
}

function textAt(event: Event, hash: string, reader: Reader): string {
  if (reader.row(contentTable, [hash]) === undefined) refuse(event, `no text of hash ${hash} is kept`)
  return contentOf(reader, hash)
}
