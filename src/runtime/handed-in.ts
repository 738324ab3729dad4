import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { UPDATE_BYTES_MAX } from '../mcp/report-updates.ts'

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

/** Nobody has read them for a long time; more would only fill the disk. */
const WAITING_MAX = 1_000

/** An update that cannot be kept. */
export class HandInError extends Error {
  override readonly name = 'HandInError'
}

/** Leaves an update for the process that writes to the log, now or at its next start: this one may not write there. */
export async function handIn(home: string, { text, source }: Update): Promise<void> {
  if (text.trim() === '') throw new HandInError('an update needs a text')
  if (Buffer.byteLength(text) > UPDATE_BYTES_MAX)
    throw new HandInError(`an update has at most ${UPDATE_BYTES_MAX / 1_024} KB; say it shorter`)
  const folder = handedInFolder(home)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await namesIn(folder)).length >= WAITING_MAX)
    throw new HandInError(
      `${WAITING_MAX} updates wait in ${folder} already, and nobody takes them; start mainstem, or remove them`,
    )
  await writeWhole(folder, `${JSON.stringify({ text: text.toWellFormed(), source, at: systemClock() })}\n`)
}

const updateSchema = z.strictObject({
  text: z.string().min(1),
  source: z.string().min(1),
  at: z.int().min(0),
})

/** What waits, the oldest first. What is no update is passed over: anybody may put a file there. */
export async function listHandedIn(home: string): Promise<readonly HandedIn[]> {
  const folder = handedInFolder(home)
  const found = await Promise.all((await namesIn(folder)).map((name) => readOne(folder, name)))
  return found
    .filter((one) => one !== undefined)
    .toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
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

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => NAME.test(name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function readOne(folder: string, name: string): Promise<HandedIn | undefined> {
  try {
    const { success, data } = updateSchema.safeParse(JSON.parse(await readFile(join(folder, name), 'utf8')))
    return success ? { ...data, name } : undefined
  } catch (error) {
    // Taken by another process meanwhile, or no JSON.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
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
