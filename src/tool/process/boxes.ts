import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { messageOf, orElse } from '../../base/message-of.ts'
import { isWithin, realPath } from '../../base/regular-file.ts'
import {
  boxDecision,
  bubblewrapWords,
  closedProblem,
  hiddenPlaces,
  programPlaces,
  seatbeltProfile,
  SHOWN_ALWAYS,
  straysInto,
  SYSTEM_FOLDERS,
  wayFrom,
  type BoxMaker,
  type BoxPlan,
  type Closed,
  type Room,
  type SandboxMode,
  type Starting,
  type SystemPlaces,
} from './box.ts'
import { findBinary } from './find-binary.ts'
import type { TreeLimits } from './watchdog.ts'

export interface BoxesParts {
  readonly mode: () => SandboxMode
  readonly closed: () => Closed
  /** Has a private folder for each room. */
  readonly folder: string
  /** What defines the agent. */
  readonly guarded: () => Guarded
  /** Where bubblewrap is looked for. */
  readonly path: string
  readonly warn?: (text: string) => void
  /** Tests have less, and machines without a maker. */
  readonly limits?: BoxLimits
  readonly findMaker?: () => BoxMaker
}

/** What no program writes to, nor makes where it is missing. */
export interface Guarded {
  readonly files: readonly string[]
  readonly folders: readonly string[]
  /** Links on the way to these, by where they really are: none is replaced either. */
  readonly links?: readonly string[]
}

/** What to start, and how much all of it together may use; or why it must not start. */
export type Boxed =
  | (Starting & {
      /** Whether it tells on `TOLD_ON` which process is the first in its box. */
      readonly tellsFirst?: boolean
      readonly limits?: TreeLimits
      /** Nothing of this name was in a box before. */
      readonly isFirst?: boolean
    })
  | { readonly problem: string; readonly isMissing?: true }

/** Puts a program that is to be started into a box, as far as the settings want one. */
export type Boxes = (program: Starting, room: Room) => Boxed

/** Of one program and all that it starts. */
export interface BoxLimits extends TreeLimits {
  /** Of /tmp, and of /dev/shm. */
  readonly memoryFolderBytes: number
}

const LIMITS: BoxLimits = {
  processesMax: 512,
  threadsMax: 2_048,
  residentBytesMax: totalmem() / 2,
  availableBytesMin: totalmem() / 32,
  memoryFolderBytes: 256 * 1024 * 1024,
}

export function openBoxes({ mode, closed, folder, guarded, path, ...parts }: BoxesParts): Boxes {
  const { limits = LIMITS, findMaker = () => boxMaker(path), warn } = parts
  const guardedNow = onceATick(guarded)
  return (program, room) => {
    const decision = boxDecision(mode(), findMaker)
    if (decision.kind === 'refused') return decision
    if (decision.kind === 'bare') {
      if (decision.warning !== undefined) warn?.(decision.warning)
      return program
    }
    const missing = [program.file, program.cwd ?? '/'].find((path) => !isAbsolute(path) || !existsSync(path))
    if (missing !== undefined) return { problem: `there is no ${missing}`, isMissing: true }
    const real = realClosed(closed())
    const problem = roomProblem(room, { workspace: closed().workspace, real })
    if (problem !== undefined) return { problem }
    const privateFolder = join(folder, room.name)
    const isFirst = !existsSync(privateFolder)
    mkdirSync(privateFolder, { recursive: true, mode: 0o700 })
    const held = heldIn([...room.folders, ...room.writable], guarded())
    if ('problem' in held) return held
    const system = systemPlaces()
    const hidden = hiddenPlaces(real, system)
    const bare = hidden.find((path) => existsSync(path) && !isFolder(path))
    if (bare !== undefined)
      return { problem: `each box shows ${bare}, where a link in Mainstem's home leads to: move it` }
    const theirs = withTargets([...room.folders, ...room.writable, privateFolder])
    const kept = withTargets(held.paths)
    // What is guarded, and the folders on the way to it, it cannot change either.
    const isTheirs = (path: string): boolean =>
      theirs.some((folder) => isWithin(folder, path)) &&
      !kept.some((one) => isWithin(one, path) || isWithin(path, one))
    const files = filesOf(program, isTheirs)
    const isSeen = (path: string): boolean =>
      [...theirs, ...SHOWN_ALWAYS].some((folder) => isWithin(folder, path))
    const unsure = filesOf(program, () => false).find((path) => !files.includes(path) && !isSeen(path))
    if (unsure !== undefined)
      return {
        problem: `${program.file} lies in a folder that it may write to, and needs ${unsure}, so it could choose what it sees: leave out that folder (a server's cwd, too) and name its files by whole paths, or name what runs it as the command`,
      }
    const scripts = (room.scriptsIn ?? []).filter(isScript)
    const plan: BoxPlan = {
      program,
      room: {
        ...room,
        folders: withTargets(room.folders),
        writable: withTargets(room.writable),
        readable: withTargets(room.readable),
      },
      privateFolder: realOf(privateFolder),
      programPlaces: programPlaces(
        [...files, ...scripts.filter((word) => chainOf(word, isTheirs).includes(word))],
        { closed: real, system, packageOf, realOf },
      ),
      guarded: kept,
      system,
      hidden: hidden.filter(isFolder),
      uid: process.getuid?.() ?? 0,
      memoryFolderBytes: limits.memoryFolderBytes,
    }
    // On macOS a path is denied, whatever is there.
    const mounted = decision.maker.kind === 'bubblewrap' ? plan.guarded : []
    const isOutgrown = (): boolean => {
      const now = ownGuards([...room.folders, ...room.writable], guardedNow())
      return [...now.files, ...now.folders].some((path) => !held.paths.includes(path))
    }
    const watched = { ...limits, guarded: mounted, isOutgrown }
    return { ...startingOf(plan, decision.maker), limits: watched, isFirst }
  }
}

/** All programs are looked at in one tick, twice a second, and many skills take long to walk through. */
function onceATick<T>(find: () => T): () => T {
  let found: { readonly it: T } | undefined
  return () => {
    if (found === undefined) {
      found = { it: find() }
      queueMicrotask(() => (found = undefined))
    }
    return found.it
  }
}

/** Why a program is not given what is in its room. */
function roomProblem(
  { folders, writable, readable }: Room,
  { workspace, real }: { readonly workspace: string; readonly real: Closed },
): string | undefined {
  const problem = [
    ...folders.map((one) => closedProblem(realOf(one), real)),
    ...[...writable, ...readable].map((one) => straysInto(realOf(one), real)),
  ].find((one) => one !== undefined)
  if (problem !== undefined) return problem
  const within = [workspace, ...folders, ...writable]
  const strayed = folders.find((one) => within.some((outer) => leadsOut(one, outer)))
  if (strayed !== undefined) return `${strayed} is a link out of what programs write to: name its target`
  return undefined
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Whether a program that may write to the outer folder could have put a link in the place of the inner one. */
function leadsOut(inner: string, outer: string): boolean {
  return inner !== outer && isWithin(outer, inner) && !isWithin(realOf(outer), realOf(inner))
}

/** What is guarded in folders that a program may write to. */
function ownGuards(
  writable: readonly string[],
  { files, folders, links: ways = [] }: Guarded,
): Required<Guarded> {
  const real = withTargets(writable)
  const isHeld = (path: string): boolean =>
    withTargets([path]).some((one) => real.some((folder) => isWithin(folder, one)))
  const heldFiles = [...new Set(files)].filter(isHeld)
  const heldFolders = [...new Set(folders)].filter(isHeld)
  // A folder that is guarded is read-only with all that is in it.
  const isOfAnother = (path: string): boolean =>
    heldFolders.some((folder) => folder !== path && isWithin(folder, path))
  const links = [...withTargets([...heldFiles, ...heldFolders]), ...ways]
    .flatMap((path) => real.flatMap((folder) => wayFrom(folder, path)))
    .filter((path) => !isOfAnother(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
  return {
    files: heldFiles.filter((path) => !isOfAnother(path)),
    folders: heldFolders.filter((path) => !isOfAnother(path)),
    links,
  }
}

/** The same, made where it is missing, or the program could make it. */
function heldIn(
  writable: readonly string[],
  guarded: Guarded,
): { readonly paths: readonly string[] } | { readonly problem: string } {
  const { files: ownFiles, folders: ownFolders, links } = ownGuards(writable, guarded)
  const [link] = links
  if (link !== undefined)
    return {
      problem: `it could replace the link ${link}, which leads to what defines the agent: put its target there`,
    }
  try {
    for (const path of ownFolders) mkdirSync(path, { recursive: true, mode: 0o700 })
    for (const path of ownFiles.filter((one) => !existsSync(one))) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(path, '', { mode: 0o600, flag: 'wx' })
    }
  } catch (error) {
    return { problem: `it could make what defines the agent: ${messageOf(error)}` }
  }
  return { paths: [...ownFiles, ...ownFolders] }
}

function startingOf(
  plan: BoxPlan,
  maker: Exclude<BoxMaker, { kind: 'none' }>,
): Starting & { readonly tellsFirst?: boolean } {
  const { program, privateFolder } = plan
  const { file } = maker
  if (maker.kind === 'bubblewrap')
    return { file, argv: bubblewrapWords(plan, maker), cwd: '/', env: program.env, tellsFirst: true }
  return {
    file,
    argv: ['-p', seatbeltProfile(plan), program.file, ...program.argv],
    cwd: program.cwd ?? privateFolder,
    env: { ...program.env, HOME: privateFolder, TMPDIR: privateFolder },
  }
}

const NONE_FOR_SYSTEM: BoxMaker = { kind: 'none', because: 'there are boxes on Linux and macOS only' }
const INSTALL = "install bubblewrap ('apt-get install bubblewrap', 'dnf install bubblewrap')"
const SEATBELT = '/usr/bin/sandbox-exec'

let bubblewrap: Extract<BoxMaker, { kind: 'bubblewrap' }> | undefined

/** Whether bubblewrap works is tried until it does: it may be installed at any time, and fail where there is no memory. */
export function boxMaker(path: string): BoxMaker {
  if (process.platform === 'darwin')
    return existsSync(SEATBELT)
      ? { kind: 'seatbelt', file: SEATBELT }
      : { kind: 'none', because: `there is no ${SEATBELT}` }
  if (process.platform !== 'linux') return NONE_FOR_SYSTEM
  const file = findBinary('bwrap', `${path}:/usr/bin:/usr/local/bin`)
  if (file === undefined) return { kind: 'none', because: INSTALL }
  if (bubblewrap?.file === file) return bubblewrap
  const maker = workingBubblewrap(file)
  if (maker.kind === 'bubblewrap') bubblewrap = maker
  return maker
}

const PROBE_MS = 10_000

/** By trying: systems forbid namespaces in many ways, and what each version understands differs. */
function workingBubblewrap(file: string): Exclude<BoxMaker, { kind: 'seatbelt' }> {
  const best = {
    kind: 'bubblewrap',
    file,
    hasUserNamespaces: true,
    boundsMemoryFolders: true,
    endsUserNamespaces: true,
  } as const
  const older = { ...best, endsUserNamespaces: false }
  const oldest = { ...older, boundsMemoryFolders: false }
  // Root can do without user namespaces.
  const makers = [
    best,
    older,
    oldest,
    ...[older, oldest].map((one) => ({ ...one, hasUserNamespaces: false })),
  ]
  const privateFolder = mkdtempSync(join(tmpdir(), 'mainstem-box-'))
  try {
    const plan: BoxPlan = {
      program: { file: '/bin/sh', argv: ['-c', ':'], cwd: null, env: {} },
      room: { name: 'probe', folders: [], writable: [], readable: [], network: false },
      privateFolder: realOf(privateFolder),
      programPlaces: [],
      guarded: [],
      system: systemPlaces(),
      hidden: [],
      uid: process.getuid?.() ?? 0,
      memoryFolderBytes: LIMITS.memoryFolderBytes,
    }
    let said = ''
    for (const maker of makers) {
      const { status, stderr, error } = spawnSync(file, [...bubblewrapWords(plan, maker)], {
        encoding: 'utf8',
        timeout: PROBE_MS,
        env: {},
        // The last is `TOLD_ON`.
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      })
      if (status === 0) return maker
      said ||= (error?.message ?? stderr).trim().split('\n')[0] ?? ''
      // It hung, and the others would.
      if (error !== undefined) break
    }
    return { kind: 'none', because: `${file} cannot make one (${said})`, fails: true }
  } finally {
    rmSync(privateFolder, { recursive: true, force: true })
  }
}

function systemPlaces(): SystemPlaces {
  const there = SYSTEM_FOLDERS.filter((path) => existsSync(path))
  return {
    folders: there.filter((path) => !isLink(path)),
    links: there.filter(isLink).map((path) => ({ path, target: readlinkSync(path) })),
  }
}

function isLink(path: string): boolean {
  return dirname(path) === '/' && lstatSync(path).isSymbolicLink()
}

function realClosed({ home, workspace, userHome, sockets, linked = [] }: Closed): Closed {
  return {
    linked,
    home: realOf(home),
    workspace: realOf(workspace),
    userHome: realOf(userHome),
    sockets: sockets.map(realOf),
  }
}

/** A path that is a link is shown under both of its names. */
function withTargets(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, realOf(path)]))]
}

function realOf(path: string): string {
  return orElse(resolve(path), () => realPath(path))
}

const LINKS_MAX = 20

type IsTheirs = (path: string) => boolean

/**
 * Every file that the system opens to start a program: links on the way to it, and its interpreter. None that a link or
 * a first line which is theirs leads to: the program could have written it, to see more at its next start.
 */
function filesOf({ file, env }: Starting, isTheirs: IsTheirs): readonly string[] {
  const chain = chainOf(file, isTheirs)
  const last = chain.at(-1)
  if (last === undefined || last !== realOf(file)) return chain
  // As the system splits it: other white space belongs to a name.
  const [, interpreter = '', words = ''] = /^#![ \t]*([^ \t]+)[ \t]*(.*)$/s.exec(firstLineOf(last)) ?? []
  if (!isAbsolute(interpreter)) return chain
  const word = words.split(/[ \t]+/).find((one) => one !== '-S') ?? ''
  const named = interpreter.endsWith('/env') ? findBinary(word, env['PATH'] ?? '') : undefined
  return [
    ...chain,
    ...[interpreter, ...(named === undefined ? [] : [named])].flatMap((one) => chainOf(one, isTheirs)),
  ]
}

/** A file, and the files that links lead to from it, each as far as nothing on the way to it is theirs. */
function chainOf(file: string, isTheirs: IsTheirs): readonly string[] {
  const sure: string[] = []
  let open = [file]
  let [at, left] = ['/', namesIn(file)]
  for (let links = 0; left.length > 0;) {
    const [name = '', ...after] = left
    const next = join(at, name)
    if (isTheirs(next)) return sure
    const target = name === '..' ? undefined : orElse(undefined, () => readlinkSync(next))
    if (target === undefined) {
      ;[at, left] = [next, after]
      continue
    }
    if (++links > LINKS_MAX) return sure
    // The folder of what is a link itself has been walked.
    if (after.length === 0) sure.push(...open.splice(0))
    ;[at, left] = [isAbsolute(target) ? '/' : at, [...namesIn(target), ...after]]
    // Otherwise the path in one piece may lead elsewhere than its names one by one.
    if (!/[^./]\/(?:.*\/)?\.\.(?:\/|$)/.test(target)) open.push(join(at, ...left))
  }
  return [...sure, ...open, at]
}

function namesIn(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

/** Named by a whole path, as programs look for others from where they are started. Data is what `folders` are for. */
function isScript(word: string): boolean {
  if (!isAbsolute(word) || !/\.(?:[cm]?[jt]s|py|rb|pl|php|lua|sh|jar|wasm)$/.test(word)) return false
  return orElse(false, () => statSync(word).isFile())
}

const PACKAGE_FILES = ['package.json', 'pyproject.toml', 'deno.json']

/** The nearest folder above a file that says it is a package. */
function packageOf(file: string): string | undefined {
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder))
    if (PACKAGE_FILES.some((name) => existsSync(join(folder, name)))) return folder
  return undefined
}

const LINE_BYTES_MAX = 256

function firstLineOf(file: string): string {
  return orElse('', () => {
    // Its program may have put a pipe in its place, which would wait for a writer for ever.
    const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!fstatSync(opened).isFile()) return ''
      const bytes = Buffer.alloc(LINE_BYTES_MAX)
      return bytes.toString('utf8', 0, readSync(opened, bytes)).split('\n', 1)[0] ?? ''
    } finally {
      closeSync(opened)
    }
  })
}
