import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { oneLine } from '../../base/width.ts'
import { UPDATE_BYTES_MAX } from '../../mcp/report-updates.ts'
import {
  countIn,
  leaveFile,
  lookThroughFolder,
  makeDropFolder,
  removeFile,
  WAITING_MAX,
  type LookedThrough,
} from './drop-folder.ts'
import { SOURCE_MAX, UPDATE_FILE_BYTES_MAX, updateFile } from './handed-in-file.ts'

/** Something another program reports to main. */
export interface Update {
  readonly text: string
  /** As people call it: `mcp claude-code`. */
  readonly source: string
}

export interface HandedIn extends Update {
  /** Of its file; different for ever. */
  readonly name: string
  readonly at: number
}

/** An update that cannot be kept. */
export class HandInError extends Error {
  override readonly name = 'HandInError'
}

/** Leaves an update for the process that writes to the log, now or at its next start: this one may not write there. */
export async function handIn(home: string, { text, source }: Update): Promise<void> {
  if (text.trim() === '') throw new HandInError('an update needs a text')
  if (Buffer.byteLength(text) > UPDATE_BYTES_MAX)
    throw new HandInError(`an update has at most ${UPDATE_BYTES_MAX / 1_024} KB; say it shorter`)
  const file = fileOf({ text, source })
  if (Buffer.byteLength(file) > UPDATE_FILE_BYTES_MAX)
    throw new HandInError('an update is plain text; this one has too many signs that cannot be seen')
  const folder = handedInFolder(home)
  await makeDropFolder(folder)
  if ((await countIn(folder)) >= WAITING_MAX)
    throw new HandInError(
      `${WAITING_MAX} updates wait in ${folder} already, and nobody takes them; start mainstem, or remove them`,
    )
  await leaveFile(folder, file)
}

function fileOf({ text, source }: Update): string {
  const plain = oneLine(source).slice(0, SOURCE_MAX).toWellFormed().trim() || 'unnamed'
  return `${JSON.stringify({ text: text.toWellFormed(), source: plain, at: systemClock() })}\n`
}

/** What waits, the oldest first. */
export async function listHandedIn(home: string): Promise<readonly HandedIn[]> {
  return (await lookThrough(home)).waiting
}

export function lookThrough(home: string): Promise<LookedThrough<Omit<HandedIn, 'name'>>> {
  return lookThroughFolder(handedInFolder(home), updateFile)
}

/** It stands in the log. */
export function removeHandedIn(home: string, name: string): Promise<void> {
  return removeFile(handedInFolder(home), name)
}

/** One file for each update that waits. */
export function handedInFolder(home: string): string {
  return join(home, 'updates')
}
