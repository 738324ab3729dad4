import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { orElse } from '../../base/message-of.ts'
import { processesNow, type ProcessNow } from './left-behind.ts'

/** What a program may use together with all that it started. */
export interface TreeLimits {
  readonly processesMax: number
  readonly threadsMax?: number
  readonly residentBytesMax: number
  /** Of the machine. Below it, the largest program is ended: not all that a program uses can be counted. */
  readonly availableBytesMin?: number
  /** Places that are read-only for it by a mount, which is lost once another file or folder is put there. */
  readonly guarded?: readonly string[]
  /** Whether there is by now what it may not write to, and could: a folder that became a skill, for example. */
  readonly isOutgrown?: () => boolean
}

export type Excess = 'processes' | 'memory' | 'guard'

/** As much of a program as is looked at. */
export interface WatchedProgram {
  readonly child: { readonly pid?: number | undefined }
  readonly first: () => ProcessNow | undefined
}

interface Watched {
  readonly first: WatchedProgram['first']
  readonly limits: TreeLimits
  readonly onExcess: (excess: Excess) => void
  /** What was at the guarded places when it started. */
  readonly guards: ReadonlyMap<string, string | undefined>
  readonly watchers: readonly FSWatcher[]
  looksWhileYoung: number
}

const LOOK_MS = 100
/** Once all that is watched has run for a while: a server stays for months. */
const CALM_LOOK_MS = 500
const YOUNG_LOOKS = 50
/** That takes longer to find out. */
const OUTGROWN_LOOKS = 5

const watched = new Map<number, Watched>()
let timer: NodeJS.Timeout | undefined

interface Dying {
  readonly tree: readonly ProcessNow[]
  /** What was at the places that they had guards of. */
  readonly guards: readonly (string | undefined)[]
}

/** Processes that were told to end, until they have. */
let dying: readonly Dying[] = []

/**
 * Tells once if a process and all below it use more than they may, or have lost a guard; then they must be killed. They
 * are looked at because the system's own limits do not help: one of addresses kills Node, which reserves far more than
 * it uses, and one of processes does not hold for root. The returned function ends the watch, as the end of the process
 * does. Call it in the tick that starts the process: what is guarded could be replaced in the next.
 */
export function watchTree(
  { child: { pid = 0 }, first }: WatchedProgram,
  limits: TreeLimits,
  onExcess: (excess: Excess) => void,
): () => void {
  const { guarded = [] } = limits
  const guards = new Map(guarded.map((path) => [path, identityAt(path)]))
  const lookAtGuards = (): void => {
    const one = watched.get(pid)
    if (one?.guards === guards && isUnguarded(one)) end(pid, 'guard', processesNow())
  }
  const watchers = watchersOf(guarded, lookAtGuards)
  watched.set(pid, { first, limits, onExcess, guards, watchers, looksWhileYoung: YOUNG_LOOKS })
  clearTimeout(timer)
  lookSoon()
  return () => forget(pid, [])
}

/** It is over, or is about to be; its processes may still be there. */
function forget(pid: number, tree: readonly ProcessNow[]): void {
  const one = watched.get(pid)
  if (one === undefined) return
  for (const watcher of one.watchers) watcher.close()
  watched.delete(pid)
  const first = one.first()
  // The first process in a box dies as the last one in it.
  const left = [...tree, ...(first === undefined ? [] : [first])]
  dying = [...dying, { tree: left, guards: [...one.guards.values()] }].filter(isDying)
}

function isDying({ tree }: Dying): boolean {
  return tree.some(isAlive)
}

const DEATH_LOOK_MS = 10
const DEATH_LOOKS = 1_000

/**
 * Replaces or removes what is at this path, once all programs that have a guard there are dead: from then on they could
 * write there. A program that starts later is given a guard of what is there then. False: one of them does not die.
 */
export async function replaceGuarded(
  path: string,
  replace: () => void,
  looksMax = DEATH_LOOKS,
): Promise<boolean> {
  for (let looks = 0; looks < looksMax; looks++) {
    const identity = identityAt(path)
    const holders = [...watched].filter(([, { guards }]) => [...guards.values()].includes(identity))
    const all = holders.length === 0 ? [] : processesNow()
    if (identity !== undefined) for (const [pid] of holders) end(pid, 'guard', all)
    dying = dying.filter(isDying)
    if (identity === undefined || !dying.some(({ guards }) => guards.includes(identity))) {
      replace()
      return true
    }
    await pause(DEATH_LOOK_MS)
  }
  return false
}

/** Ends all programs that could write to what they may not by now, before that is read. */
export async function endOutgrown(): Promise<void> {
  const lacking = [...watched].filter(([, one]) => isUnguarded(one) || isOutgrown(one))
  if (lacking.length === 0) return
  const all = processesNow()
  for (const [pid] of lacking) end(pid, 'guard', all)
  const ended = dying
  for (let looks = 0; looks < DEATH_LOOKS && ended.some(isDying); looks++) await pause(DEATH_LOOK_MS)
}

function isOutgrown({ limits }: Watched): boolean {
  return orElse(false, () => limits.isOutgrown?.() === true)
}

function lookSoon(): void {
  if (watched.size === 0) return
  const isCalm = [...watched.values()].every(({ looksWhileYoung }) => looksWhileYoung === 0)
  timer = setTimeout(look, isCalm ? CALM_LOOK_MS : LOOK_MS).unref()
}

function look(): void {
  const all = processesNow()
  const children = Map.groupBy(all, ({ parent }) => parent)
  const there = new Set(all.map(({ pid }) => pid))
  const machine = memoryNow()
  const sizes = new Map<number, number>()
  for (const [root, one] of watched) {
    if (!there.has(root)) {
      forget(root, [])
      continue
    }
    const isDue = one.looksWhileYoung % OUTGROWN_LOOKS === 0
    const lacksGuard = isUnguarded(one) || (isDue && isOutgrown(one))
    const tree = treeOf(root, children)
    const use = useOf(tree)
    const excess = lacksGuard ? 'guard' : excessOf(tree, { ...use, ...one.limits, ...machine })
    one.looksWhileYoung = Math.max(0, one.looksWhileYoung - 1)
    if (excess !== undefined) end(root, excess, all)
    else if (machine.availableBytes < (one.limits.availableBytesMin ?? 0)) sizes.set(root, use.residentBytes)
  }
  const [largest] = [...sizes].toSorted(([, one], [, other]) => other - one)
  if (largest !== undefined) end(largest[0], 'memory', all)
  lookSoon()
}

function treeOf(root: number, children: ReadonlyMap<number, readonly ProcessNow[]>): readonly number[] {
  const tree = [root]
  // Grows while it is walked.
  for (const pid of tree) tree.push(...(children.get(pid) ?? []).map((child) => child.pid))
  return tree
}

function end(root: number, excess: Excess, all: readonly ProcessNow[]): void {
  const one = watched.get(root)
  const children = Map.groupBy(all, ({ parent }) => parent)
  const tree = new Set(treeOf(root, children))
  forget(
    root,
    all.filter(({ pid }) => tree.has(pid)),
  )
  one?.onExcess(excess)
}

function isAlive({ pid, startTime }: ProcessNow): boolean {
  return processesNow(pid).some((now) => now.startTime === startTime && now.state !== 'Z')
}

function isUnguarded({ guards }: Watched): boolean {
  return [...guards].some(([path, identity]) => identityAt(path) !== identity)
}

/** Undefined: there is nothing. With the time of its making, as the number of a removed file is used again at once. */
function identityAt(path: string): string | undefined {
  const found = orElse(undefined, () => lstatSync(path, { bigint: true }))
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`
}

/** Only to look at once: where a folder cannot be watched, the next look finds out. */
function watchersOf(guarded: readonly string[], onChange: () => void): readonly FSWatcher[] {
  return [...Map.groupBy(guarded, dirname)].flatMap(([folder, paths]) =>
    orElse([], () => {
      const names = new Set(paths.map((path) => basename(path)))
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || names.has(name)) onChange()
      })
      watcher.on('error', () => watcher.close())
      return [watcher]
    }),
  )
}

interface Use {
  readonly threads: number
  /** Pages that processes share are counted for each. */
  readonly residentBytes: number
}

function useOf(tree: readonly number[]): Use {
  const texts = tree.map((pid) => orElse('', () => readFileSync(`/proc/${pid}/status`, 'utf8')))
  return {
    threads: texts.reduce((sum, text) => sum + numberIn(text, /^Threads:\s+(\d+)/m), 0),
    residentBytes: texts.reduce((sum, text) => sum + numberIn(text, /^VmRSS:\s+(\d+) kB/m) * 1024, 0),
  }
}

/** Of the machine. Where nothing tells, there is enough. */
function memoryNow(): { readonly availableBytes: number; readonly sharedBytes: number } {
  const text = orElse('MemAvailable: 1e15 kB', () => readFileSync('/proc/meminfo', 'utf8'))
  return {
    availableBytes: numberIn(text, /^MemAvailable:\s+(\S+) kB/m) * 1024,
    sharedBytes: numberIn(text, /^Shmem:\s+(\d+) kB/m) * 1024,
  }
}

function numberIn(text: string, line: RegExp): number {
  return Number(line.exec(text)?.[1] ?? 0)
}

function excessOf(
  tree: readonly number[],
  {
    processesMax,
    threadsMax = Infinity,
    residentBytesMax,
    threads,
    residentBytes,
    sharedBytes,
  }: TreeLimits & Use & { readonly sharedBytes: number },
): Excess | undefined {
  if (tree.length > processesMax) return 'processes'
  if (threads > threadsMax) return 'processes'
  // The rest takes long, so only where it can matter.
  if (residentBytes + sharedBytes <= residentBytesMax) return undefined
  const unmapped = filesInMemory(tree)
  if (residentBytes + unmapped <= residentBytesMax) return undefined
  return dividedBytes(tree) + unmapped > residentBytesMax ? 'memory' : undefined
}

/** With pages that processes share divided among them. */
function dividedBytes(tree: readonly number[]): number {
  const texts = tree.map((pid) => orElse('', () => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')))
  return texts.reduce((sum, text) => sum + numberIn(text, /^Pss:\s+(\d+) kB/m) * 1024, 0)
}

/** Bytes in files that exist in memory only, whether or not a process has mapped them. */
function filesInMemory(tree: readonly number[]): number {
  const sizes = new Map<string, number>()
  for (const pid of tree)
    for (const name of orElse([], () => readdirSync(`/proc/${pid}/fd`)))
      orElse(undefined, () => {
        const path = `/proc/${pid}/fd/${name}`
        if (!readlinkSync(path).startsWith('/memfd:')) return
        const { dev, ino, blocks } = statSync(path)
        sizes.set(`${dev}:${ino}`, blocks * 512)
      })
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
}
