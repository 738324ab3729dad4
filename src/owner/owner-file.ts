import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isJsonObject, parsedJson } from '../base/json.ts'
import { readText, realPath } from '../base/regular-file.ts'

/** The process that owns a log and listens for others. */
export interface Owner {
  readonly pid: number
  /** `mainstem serve` */
  readonly command: string
  /** `serve` stays; a chat hands over to it. */
  readonly rank: Rank
  readonly version: string
  /** The path of its socket. */
  readonly socket: string
  readonly since: number
}

export type Rank = 'serve' | 'chat'

/** The owner that a home names. It may be dead: only a connection tells. */
export function readOwner(home: string): Owner | undefined {
  const read = readText(ownerFile(home), { links: 'refuse' })
  const value = 'text' in read ? parsedJson(read.text) : undefined
  if (!isJsonObject(value)) return undefined
  const { pid, command, rank, version, socket, since } = value
  const isOwner =
    typeof pid === 'number' &&
    typeof command === 'string' &&
    (rank === 'serve' || rank === 'chat') &&
    typeof version === 'string' &&
    typeof socket === 'string' &&
    typeof since === 'number'
  return isOwner ? { pid, command, rank, version, socket, since } : undefined
}

/** Called once the socket answers. */
export function writeOwner(home: string, owner: Owner): void {
  const file = ownerFile(home)
  const unfinished = `${file}.${owner.pid}`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, `${JSON.stringify(owner)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(unfinished, file)
}

/** Leaves the file of a later owner alone. */
export function removeOwner(home: string, pid: number): void {
  if (readOwner(home)?.pid === pid) rmSync(ownerFile(home), { force: true })
}

function ownerFile(home: string): string {
  return join(home, 'run', 'owner.json')
}

/** The system's limit for the path of a socket. */
const PATH_BYTES_MAX = 107

type Environment = Readonly<Record<string, string | undefined>>

/** Makes the folder of the socket, which only its user can open, and returns the path. */
export function makeSocketPath(home: string, environment: Environment): string {
  closedFolder(join(realPath(home), 'run'))
  const path = socketPath(home, environment)
  if (dirname(path) === shortFolder()) closedFolder(dirname(path))
  return path
}

/** Where the socket of a home is, or will be. */
export function socketPath(home: string, environment: Environment): string {
  const real = realPath(home)
  const name = `mainstem-${createHash('sha256').update(real).digest('hex').slice(0, 16)}.sock`
  const runtime = environment['XDG_RUNTIME_DIR']
  if (runtime !== undefined && isOurs(runtime) && fits(join(runtime, name))) return join(runtime, name)
  const own = join(real, 'run', 'mainstem.sock')
  return fits(own) ? own : join(shortFolder(), name)
}

function shortFolder(): string {
  return join(tmpdir(), `mainstem-${process.getuid?.() ?? 0}`)
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= PATH_BYTES_MAX
}

function closedFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!isOurs(folder)) throw new Error(`${folder} belongs to another user: remove it, or use another --home`)
  chmodSync(folder, 0o700)
}

function isOurs(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid())
}
