import { createHash } from 'node:crypto'
import { constants, mkdirSync } from 'node:fs'
import { lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The files that came and went with messages, by their SHA-256: equal bytes are stored once. */
export interface FileStore {
  /** Durable when it resolves. Returns the hash. */
  keep(bytes: Uint8Array): Promise<string>
  /** Undefined: it is not there, or is not what was kept. */
  read(hash: string): Promise<Buffer | undefined>
  pathOf(hash: string): string
  /** The hashes of all files in it. */
  all(): Promise<readonly string[]>
}

export function fileStore(home: string): FileStore {
  return storeIn(join(home, 'files'))
}

/** Files of messages that were not sent yet. Only they are ever deleted. */
export interface Uploads extends FileStore {
  remove(hash: string): Promise<void>
  /** Deletes what is older than this. */
  sweep(before: number): Promise<void>
}

export function uploadsIn(home: string): Uploads {
  return storeIn(join(home, 'run', 'uploads'))
}

function storeIn(folder: string): Uploads {
  const pathOf = (hash: string): string => join(folder, hash)
  const all = async (): Promise<readonly string[]> => {
    const names = await readdir(folder).catch(() => [])
    return names.filter((name) => HASH.test(name)).toSorted()
  }
  const remove = (hash: string): Promise<void> => rm(pathOf(hash), { force: true })
  return {
    pathOf,
    async keep(bytes) {
      const hash = hashOf(bytes)
      const known = await lstat(pathOf(hash)).catch(() => undefined)
      if (known?.isFile() === true && known.size === bytes.length) return hash
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      await writeWhole(folder, hash, bytes)
      return hash
    },
    async read(hash) {
      const bytes = await readFile(pathOf(hash)).catch(() => undefined)
      return bytes !== undefined && hashOf(bytes) === hash ? bytes : undefined
    },
    all,
    remove,
    async sweep(before) {
      for (const hash of await all()) {
        const found = await lstat(pathOf(hash)).catch(() => undefined)
        if (found !== undefined && found.mtimeMs < before) await remove(hash)
      }
    },
  }
}

const HASH = /^[0-9a-f]{64}$/

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** Refuses anything that is not a file: reading a pipe would block. */
async function readFile(path: string): Promise<Buffer | undefined> {
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  return (await file.stat()).isFile() ? file.readFile() : undefined
}

let written = 0

/** A file has its name only once all of it is on the disk. */
async function writeWhole(folder: string, hash: string, bytes: Uint8Array): Promise<void> {
  const unfinished = join(folder, `.${process.pid}-${++written}.unfinished`)
  try {
    await using file = await open(unfinished, 'w', 0o600)
    await file.writeFile(bytes)
    await file.sync()
    await rename(unfinished, join(folder, hash))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  await using names = await open(folder, 'r')
  // Some file systems cannot sync a folder's names on request, and keep them anyway.
  await names.sync().catch(() => undefined)
}
