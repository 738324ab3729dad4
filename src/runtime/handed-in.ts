import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { oneLine } from '../base/width.ts'
import { UPDATE_BYTES_MAX } from '../mcp/report-updates.ts'
import { readUpdate, SOURCE_MAX, UPDATE_FILE_BYTES_MAX } from './handed-in-file.ts'

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

/** Something there that is no update. */
export interface Bad {
  readonly name: string
  /** `it is a folder` */
  readonly because: string
}

export interface LookedThrough {
  /** The oldest first. */
  readonly waiting: readonly HandedIn[]
  readonly bad: readonly Bad[]
  /** False: there is more than is looked at. */
  readonly isWhole: boolean
}

/** Nobody has read them for a long time; more would only fill the disk. */
const WAITING_MAX = 1_000
/** For a person who wants to know what it was. */
const BAD_KEPT_MAX = 20

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
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await namesIn(folder)).length >= WAITING_MAX)
    throw new HandInError(
      `${WAITING_MAX} updates wait in ${folder} already, and nobody takes them; start mainstem, or remove them`,
    )
  await writeWhole(folder, file)
}

function fileOf({ text, source }: Update): string {
  const plain = oneLine(source).slice(0, SOURCE_MAX).toWellFormed().trim() || 'unnamed'
  return `${JSON.stringify({ text: text.toWellFormed(), source: plain, at: systemClock() })}\n`
}

/** What waits, the oldest first. */
export async function listHandedIn(home: string): Promise<readonly HandedIn[]> {
  return (await lookThrough(home)).waiting
}

export async function lookThrough(home: string): Promise<LookedThrough> {
  const folder = handedInFolder(home)
  const names = await namesIn(folder)
  const waiting: HandedIn[] = []
  const bad: Bad[] = []
  for (const name of names.slice(0, WAITING_MAX)) {
    const read = await readUpdate(join(folder, name))
    if (read === undefined) continue
    if ('bad' in read) bad.push({ name, because: read.bad })
    else waiting.push({ ...read.update, name })
  }
  waiting.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
  return { waiting, bad, isWhole: names.length <= WAITING_MAX }
}

/** Under another name they are not looked at again, and take no update's place. Gives how many could be moved. */
export async function setAside(home: string, bad: readonly Bad[]): Promise<number> {
  if (bad.length === 0) return 0
  const folder = handedInFolder(home)
  const moves = bad.map(({ name }) => rename(join(folder, name), join(folder, `${name}.bad`)))
  const moved = (await Promise.allSettled(moves)).filter(({ status }) => status === 'fulfilled').length
  const kept = (await readdir(folder)).filter((name) => BAD_NAME.test(name))
  const dated = await Promise.all(
    kept.map(async (name) => ({ name, since: await changedAt(join(folder, name)) })),
  )
  for (const { name } of dated.toSorted((a, b) => b.since - a.since).slice(BAD_KEPT_MAX)) {
    const path = join(folder, name)
    // A folder goes only when nothing is in it.
    await rm(path, { force: true }).catch(() => rmdir(path).catch(() => undefined))
  }
  return moved
}

async function changedAt(path: string): Promise<number> {
  return (await lstat(path).catch(() => undefined))?.ctimeMs ?? 0
}

/** It stands in the log. */
export async function removeHandedIn(home: string, name: string): Promise<void> {
  await rm(join(handedInFolder(home), name), { force: true })
}

/** One file for each update that waits. */
export function handedInFolder(home: string): string {
  return join(home, 'updates')
}

const NAME = /^[0-9a-f]{32}\.json$/
const BAD_NAME = /^[0-9a-f]{32}\.json\.bad$/

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => NAME.test(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Whoever looks meanwhile, and whatever fails, the file is there whole or not at all. */
async function writeWhole(folder: string, text: string): Promise<void> {
  const file = join(folder, `${randomName()}.json`)
  const unfinished = `${file}.unfinished`
  try {
    const handle = await open(unfinished, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(unfinished, file)
  } finally {
    await rm(unfinished, { force: true })
  }
  // The name is in the folder, and that may still be in memory only.
  const directory = await open(folder, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function randomName(): string {
  return Array.from({ length: 4 }, () => systemRandom().toString(16).padStart(8, '0')).join('')
}
