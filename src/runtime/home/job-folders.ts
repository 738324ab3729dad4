import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { jobKinds } from '../../event/job.ts'
import type { HookSecrets } from '../../config/hook-secret.ts'
import { folderOf, sortShelf, type Shelved, type Sorted } from '../../schedule/shelving.ts'
import { codeOf, isHidden, isMarkdown, isPlain, PathError } from '../../tool/files/path.ts'
import {
  readEntry,
  signatureOf,
  statOf,
  type Changed,
  type Entry,
  type ReadingParts,
} from './read-job-file.ts'

export const JOB_FOLDERS: readonly string[] = jobKinds.map(folderOf)

/** Hidden files and backups of editors are not jobs. */
export function isJobName(name: string): boolean {
  return isMarkdown(name) && !isHidden(name) && !/^[#~]/.test(name) && isPlain(name)
}

export interface JobFilesParts extends ReadingParts {
  readonly warn: (text: string) => void
  readonly secrets: HookSecrets
}

export type JobFiles = ReturnType<typeof jobFiles>

export const FILES_MAX = 5_000
const AT_ONCE = 8
const STATS_AT_ONCE = 200

export function jobFiles(parts: JobFilesParts) {
  const { now } = parts
  const entries = new Map<string, Entry>()
  const troubles = new Map<string, Shelved>()
  const crowded = new Set<string>()
  let sorted: Sorted = { jobs: [], problems: [] }
  // Like `sorted`, these change only at the end of a look.
  let hashes = new Map<string, string | undefined>()
  const sort = (): void => {
    hashes = new Map([...entries].map(([file, { shownHash }]) => [file, shownHash]))
    const shown = [...entries.values()].flatMap((entry) => entry.shown ?? [])
    sorted = sortShelf([...shown, ...troubles.values()], parts.secrets)
  }
  const listed = async (folder: string): Promise<readonly string[] | undefined> => {
    const { names, trouble } = await namesIn(parts, folder)
    if (trouble === undefined) troubles.delete(folder)
    else troubles.set(folder, trouble)
    if (names === undefined) return undefined
    warnOfCrowd(parts, { folder, count: names.length, crowded })
    return names.slice(0, FILES_MAX).map((name) => `${folder}/${name}`)
  }
  const lookInto = async (folder: string): Promise<boolean> => {
    const before = troubles.get(folder)
    const files = await listed(folder)
    const isOther = JSON.stringify(before) !== JSON.stringify(troubles.get(folder))
    // A disk that is briefly unavailable must not remove jobs.
    if (files === undefined) return isOther
    const there = new Set(files)
    const gone = [...entries.keys()].filter((file) => file.startsWith(`${folder}/`) && !there.has(file))
    for (const file of gone) entries.delete(file)
    const changed = await changedFiles(parts, files, entries)
    const isRead = await readAll(parts, changed, entries)
    return isOther || gone.length > 0 || isRead
  }
  return {
    sorted: () => sorted,
    /** Reads changed files; returns whether there were any. */
    look: async (): Promise<boolean> => {
      let isChanged = false
      for (const folder of JOB_FOLDERS) isChanged = (await lookInto(folder)) || isChanged
      isChanged = tellWrong(entries, now()) || isChanged
      // A secret may have changed instead of a file.
      const before = JSON.stringify(sorted.problems)
      sort()
      return isChanged || JSON.stringify(sorted.problems) !== before
    },
    /** When to look again at a file that is wrong for now. */
    lookAt: (): number | undefined => {
      const times = [...entries.values()].flatMap(({ wrong }) => wrong?.from ?? [])
      return times.length === 0 ? undefined : Math.min(...times)
    },
    /** The hash of the text shown for this file, whatever the file has now. */
    hashOf: (file: string) => hashes.get(file),
    count: (folder: string) => [...entries.keys()].filter((file) => file.startsWith(`${folder}/`)).length,
    forget: (file: string): boolean => {
      const isKnown = entries.delete(file)
      if (isKnown) sort()
      return isKnown
    },
  }
}

/** Errors that mean there is certainly no folder to read. */
const NO_FOLDER: ReadonlySet<string | undefined> = new Set(['ENOTDIR', 'ELOOP', undefined])

/** No names: the folder cannot be read right now. */
async function namesIn(
  { workspace, root }: JobFilesParts,
  folder: string,
): Promise<{ readonly names: readonly string[] | undefined; readonly trouble?: Shelved }> {
  try {
    // Fails where the folder leads out of the workspace.
    workspace.realPlace(`${folder}/job.md`)
    const names = await readdir(join(root, folder))
    return { names: names.filter(isJobName).toSorted() }
  } catch (error) {
    const cause = error instanceof PathError ? error.cause : error
    const code = codeOf(cause)
    if (code === 'ENOENT') return { names: [] }
    if (code === undefined && !(error instanceof PathError)) throw error
    const why = error instanceof PathError ? error.message : `it cannot be read (${code ?? ''}).`
    const trouble = { problem: { file: folder, line: 1, reason: `the folder cannot be used: ${why}` } }
    return { names: NO_FOLDER.has(code) ? [] : undefined, trouble }
  }
}

function warnOfCrowd(
  { warn }: JobFilesParts,
  { folder, count, crowded }: { folder: string; count: number; crowded: Set<string> },
): void {
  if (count <= FILES_MAX) crowded.delete(folder)
  else if (!crowded.has(folder)) {
    crowded.add(folder)
    warn(
      `${folder} has ${count} files: the first ${FILES_MAX} by name are read, and the others are left out.`,
    )
  }
}

async function changedFiles(
  { root }: JobFilesParts,
  files: readonly string[],
  entries: ReadonlyMap<string, Entry>,
): Promise<readonly Changed[]> {
  const changed: Changed[] = []
  for (const [index, file] of files.entries()) {
    if (index % STATS_AT_ONCE === STATS_AT_ONCE - 1) await new Promise(setImmediate)
    const stat = statOf(join(root, file))
    const signature = entries.get(file)?.signature
    if (stat === undefined || signature == null || signature !== signatureOf(stat))
      changed.push({ file, stat })
  }
  return changed
}

/** Returns whether anything shown has changed. */
async function readAll(
  parts: JobFilesParts,
  changed: readonly Changed[],
  entries: Map<string, Entry>,
): Promise<boolean> {
  let isChanged = false
  const waiting = changed.values()
  const work = async (): Promise<void> => {
    for (const one of waiting) {
      await new Promise(setImmediate)
      const before = entries.get(one.file)
      const entry = await readEntry(parts, one, before)
      if (entry === undefined) entries.delete(one.file)
      else entries.set(one.file, entry)
      if (entry?.shown !== before?.shown) isChanged = true
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return isChanged
}

/** Shows problems that have lasted long enough. */
function tellWrong(entries: Map<string, Entry>, at: number): boolean {
  let isChanged = false
  for (const [file, entry] of entries) {
    if (entry.wrong === null || entry.wrong.from > at) continue
    entries.set(file, { ...entry, shown: entry.wrong.found, shownHash: entry.hash, wrong: null })
    isChanged = true
  }
  return isChanged
}
