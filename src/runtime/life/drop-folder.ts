import { messageOf } from '../../base/message-of.ts'
import { watch, type FSWatcher } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { Again } from '../../base/again.ts'
import { parsedJson } from '../../base/json.ts'
import { systemRandom } from '../../base/random.ts'
import { readText } from '../../base/regular-file.ts'
import { counted, sentence } from '../../base/words.ts'

interface Named {
  readonly folder: string
  /** `update` */
  readonly thing: string
}

/** A folder where other processes leave one file per thing, such as an update. */
export interface DropFolder<T extends { readonly at: number }> extends Named {
  readonly schema: z.ZodType<T>
}

type Dropped<T> = T & { readonly name: string }

interface Bad {
  readonly name: string
  /** `it is too large` */
  readonly because: string
}

/** A folder this full has had no reader for a long time. */
export const WAITING_MAX = 1_000
export const FILE_BYTES_MAX = 64 * 1_024
/** Kept so that a person can find out where they came from. */
const BAD_KEPT_MAX = 20

export interface Door {
  close(): Promise<void>
}

/** Takes in the files of a folder, at the start and as they arrive. Resolves after the first round. */
export async function openDoor<T extends { readonly at: number }>(
  drop: DropFolder<T>,
  parts: {
    readonly take: (dropped: Dropped<T>) => Promise<void>
    /** Per round: the start waits for no more than that. */
    readonly takenMax?: number
    readonly isBug: (error: unknown) => boolean
    readonly warn?: ((text: string) => void) | undefined
    /** Called for bugs only: a bad file in the folder must not end the process. */
    readonly fail: (error: unknown) => void
  },
): Promise<Door> {
  const { folder, thing } = drop
  const { take, takenMax = WAITING_MAX, isBug, fail } = parts
  const told = new Set<string>()
  // Once each: a program that fills the folder with junk must not fill the screen too.
  const warnOnce = (what: string, text: string): void => {
    if (!told.has(what)) parts.warn?.(text)
    told.add(what)
  }
  const unlessBug = (error: unknown): void => {
    if (isBug(error)) return fail(error)
    const why = sentence(messageOf(error))
    warnOnce('trouble', `Could not take in ${thing}s from ${folder}: ${why} The next start tries again.`)
  }
  const round = async (): Promise<void> => {
    const { waiting, bad, isWhole } = await lookThrough(drop)
    for (const dropped of waiting.slice(0, takenMax)) {
      await take(dropped)
      await removeFile(folder, dropped.name)
    }
    const moved = await setAside(folder, bad)
    if (bad[0] !== undefined) warnOnce('bad', badText(drop, bad[0], bad.length - 1))
    const hasStalled = waiting.length + moved === 0
    if (waiting.length > takenMax || (!isWhole && !hasStalled)) void rounds.ask()
  }
  await makeFolder(folder).catch(unlessBug)
  const rounds = new Again(round, { fail: unlessBug })
  const watcher = watching(folder, () => void rounds.ask())
  await rounds.ask().catch(() => undefined)
  return {
    close: async () => {
      watcher?.close()
      await rounds.close()
    },
  }
}

function badText({ folder, thing }: Named, bad: Bad, more: number) {
  const { name, because } = bad
  const others = more === 0 ? '' : ` The same goes for ${counted(more, 'other')}.`
  return (
    `${name} in ${folder} is not an ${thing} (${because}) and was renamed to ${name}.bad.${others} ` +
    'Check which program writes there. You can delete .bad files.'
  )
}

/** Where the system cannot watch a folder, the next start looks into it. */
function watching(folder: string, look: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, look)
    return watcher.on('error', () => watcher.close())
  } catch {
    return undefined
  }
}

/** The files of a folder, oldest first. Not `isWhole`: there are more than were looked at. */
export async function lookThrough<T extends { readonly at: number }>(drop: DropFolder<T>) {
  const names = await namesIn(drop.folder)
  const waiting: Dropped<T>[] = []
  const bad: Bad[] = []
  for (const name of names.slice(0, WAITING_MAX)) {
    const found = readDropped(join(drop.folder, name), drop)
    if (found !== undefined && 'bad' in found) bad.push({ name, because: found.bad })
    else if (found !== undefined) waiting.push({ ...found.value, name })
  }
  waiting.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
  return { waiting, bad, isWhole: names.length <= WAITING_MAX }
}

/** Errors that do not go away by themselves, unlike those of a file that another process just took. */
const LASTING = new Set(['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO', 'EACCES', 'EPERM'])

/** Anybody may put something there: a folder, a pipe that would block for ever, a huge file. */
function readDropped<T extends { readonly at: number }>(path: string, drop: DropFolder<T>) {
  const read = readText(path, { links: 'refuse', bytesMax: FILE_BYTES_MAX })
  if ('problem' in read) {
    const isLasting = read.code === undefined || LASTING.has(read.code)
    return isLasting ? { bad: `it ${read.problem}` } : undefined
  }
  const { success, data } = drop.schema.safeParse(parsedJson(read.text))
  return success ? { value: data } : { bad: 'it has the wrong content' }
}

/** Renames bad files so that they are not read again. Returns how many could be renamed. */
async function setAside(folder: string, bad: readonly Bad[]): Promise<number> {
  if (bad.length === 0) return 0
  const moves = bad.map(({ name }) => rename(join(folder, name), join(folder, `${name}.bad`)))
  const moved = (await Promise.allSettled(moves)).filter(({ status }) => status === 'fulfilled').length
  const kept = (await readdir(folder)).filter((name) => BAD_NAME.test(name)).map((name) => join(folder, name))
  const dated = await Promise.all(
    kept.map(async (path) => ({ path, at: (await lstat(path).catch(() => undefined))?.ctimeMs ?? 0 })),
  )
  for (const { path } of dated.toSorted((a, b) => b.at - a.at).slice(BAD_KEPT_MAX)) {
    // Folders are removed only when they are empty.
    await rm(path, { force: true }).catch(() => rmdir(path).catch(() => undefined))
  }
  return moved
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

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
}

/** Writes a file, whole or not at all, and returns its name, which is never used again. */
export async function leaveFile({ folder, thing }: Named, content: object): Promise<string> {
  await makeFolder(folder)
  if ((await namesIn(folder)).length >= WAITING_MAX)
    throw new Error(
      `${WAITING_MAX} ${thing}s already wait in ${folder}: start mainstem to process them, or delete them`,
    )
  const random = Array.from({ length: 4 }, () => systemRandom().toString(16).padStart(8, '0'))
  const name = `${random.join('')}.json`
  const unfinished = join(folder, `${name}.unfinished`)
  try {
    await using file = await open(unfinished, 'wx', 0o600)
    await file.writeFile(`${JSON.stringify(content)}\n`)
    await file.sync()
    await rename(unfinished, join(folder, name))
  } finally {
    await rm(unfinished, { force: true })
  }
  // Makes the new name durable.
  await using directory = await open(folder, 'r')
  await directory.sync()
  return name
}

export async function removeFile(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true })
}
