import { join } from 'node:path'
import { z } from 'zod'
import { boundBranch } from '../../agent/branch/binding.ts'
import { updateKeyTable } from '../../agent/state/tables.ts'
import { mainAbove } from '../../agent/state/person.ts'
import { assert, AssertionError } from '../../base/assert.ts'
import { systemClock, type Clock } from '../../base/clock.ts'
import { oneLine } from '../../base/width.ts'
import type { Address } from '../../event/work.ts'
import type { Log } from '../../log/log.ts'
import { UPDATE_BYTES_MAX } from '../../mcp/report-updates.ts'
import {
  FILE_BYTES_MAX,
  leaveFile,
  lookThrough,
  openDoor,
  type Door,
  type DropFolder,
} from './drop-folder.ts'

const SOURCE_MAX = 80

const schema = z.strictObject({
  text: z
    .string()
    .refine((text) => text.trim() !== '' && Buffer.byteLength(text) <= UPDATE_BYTES_MAX)
    .transform((text) => text.toWellFormed()),
  /** The reporter's name for people: `mcp claude-code`. */
  source: z
    .string()
    .min(1)
    .max(SOURCE_MAX)
    .refine((source) => source === oneLine(source)),
  at: z.int().min(0),
})

function drop(home: string): DropFolder<z.infer<typeof schema>> {
  return { folder: handedInFolder(home), thing: 'update', schema }
}

/** One file per update that waits. */
export function handedInFolder(home: string): string {
  return join(home, 'updates')
}

/** Leaves an update for the process that writes to the log, now or at its next start. */
export async function handIn(
  home: string,
  { text, source }: { readonly text: string; readonly source: string },
): Promise<void> {
  if (text.trim() === '') throw new Error('an update needs text')
  if (Buffer.byteLength(text) > UPDATE_BYTES_MAX)
    throw new Error(`an update can have at most ${UPDATE_BYTES_MAX / 1_024} KB; shorten it`)
  const plain = oneLine(source).slice(0, SOURCE_MAX).toWellFormed().trim() || 'unnamed'
  const content = { text: text.toWellFormed(), source: plain, at: systemClock() }
  // The file has escapes, so it can be larger than the text.
  if (Buffer.byteLength(JSON.stringify(content)) >= FILE_BYTES_MAX)
    throw new Error('an update must be plain text; this one has too many control characters')
  await leaveFile(drop(home), content)
}

/** The updates that wait, oldest first. */
export async function listHandedIn(home: string) {
  return (await lookThrough(drop(home))).waiting
}

/** The start waits for so many updates; the rest follows. */
const TAKEN_MAX = 200

/**
 * Takes in updates from other processes, at the start and as they arrive. The event has the name of its file, which is
 * removed afterwards: after a crash in between, no update is reported twice.
 */
export function openUpdatesDoor(parts: {
  readonly home: string
  readonly log: Log
  readonly now: Clock
  /** Updates go to its main. */
  readonly conversation: Address
  readonly warn?: (text: string) => void
  readonly fail: (error: unknown) => void
}): Promise<Door> {
  const { home, log, now, conversation, warn, fail } = parts
  const author = { by: 'policy', name: 'handed-in' } as const
  return openDoor(drop(home), {
    take: ({ name: key, text, source, at: reportedAt }) =>
      log.write((writing) => {
        if (writing.row(updateKeyTable, [key]) !== undefined) return
        const at = Math.min(reportedAt, now())
        const bound = boundBranch(writing, conversation)
        assert(bound !== undefined, 'a life binds its conversation when it begins')
        const branch = mainAbove(writing, bound) ?? bound
        writing.append({ kind: 'update-reported', branch, at, v: 1, source, text, from: null, author, key })
      }),
    takenMax: TAKEN_MAX,
    isBug: (error) => error instanceof AssertionError,
    warn,
    fail,
  })
}
