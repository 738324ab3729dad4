import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemRandom } from '../../base/random.ts'
import { readDropped, type Dropped } from './drop-file.ts'

/** Something in a folder that is not what belongs there. */
export interface Bad {
  readonly name: string
  /** `it is a folder` */
  readonly because: string
}

export interface LookedThrough<T> {
  /** The oldest first. */
  readonly waiting: readonly (T & { readonly name: string })[]
  readonly bad: readonly Bad[]
  /** False: there is more than is looked at. */
  readonly isWhole: boolean
}

/** Nobody has read them for a long time; more would only fill the disk. */
export const WAITING_MAX = 1_000
/** For a person who wants to know what it was. */
const BAD_KEPT_MAX = 20

/** What waits in a folder in which other processes leave one file for each thing. */
export async function lookThroughFolder<T extends { readonly at: number }>(
  folder: string,
  kind: Dropped<T>,
): Promise<LookedThrough<T>> {
  const names = await namesIn(folder)
  const waiting: (T & { readonly name: string })[] = []
  const bad: Bad[] = []
  for (const name of names.slice(0, WAITING_MAX)) {
    const found = await readDropped(join(folder, name), kind)
    if (found === undefined) continue
    if ('bad' in found) bad.push({ name, because: found.bad })
    else waiting.push({ ...found.value, name })
  }
  waiting.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
  return { waiting, bad, isWhole: names.length <= WAITING_MAX }
}

/** Under another name they are not looked at again, and take no other's place. Gives how many could be moved. */
export async function setAside(folder: string, bad: readonly Bad[]): Promise<number> {
  if (bad.length === 0) return 0
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

export async function countIn(folder: string): Promise<number> {
  return (await namesIn(folder)).length
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

/** Only its owner may look into it. */
export async function makeDropFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

/** Its name, different for ever. Whoever looks meanwhile, and whatever fails, the file is there whole or not at all. */
export async function leaveFile(folder: string, text: string): Promise<string> {
  const name = `${randomName()}.json`
  const file = join(folder, name)
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
  return name
}

export async function removeFile(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true })
}

function randomName(): string {
  return Array.from({ length: 4 }, () => systemRandom().toString(16).padStart(8, '0')).join('')
}
