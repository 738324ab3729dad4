import { readFileSync } from 'node:fs'
import { orElse } from '../../base/message-of.ts'
import { processesNow } from './left-behind.ts'

/** What a program may use together with all that it started. */
export interface TreeLimits {
  readonly processesMax: number
  readonly residentBytesMax: number
}

export type Excess = 'processes' | 'memory'

interface Watched {
  readonly limits: TreeLimits
  readonly onExcess: (excess: Excess) => void
  looksWhileYoung: number
}

const LOOK_MS = 100
/** Once all that is watched has run for a while: a server stays for months. */
const CALM_LOOK_MS = 500
const YOUNG_LOOKS = 50

const watched = new Map<number, Watched>()
let timer: NodeJS.Timeout | undefined

/**
 * Tells once if a process and all below it use more than they may. They are looked at because the system's own limits
 * do not help: one of addresses kills Node, which reserves far more than it uses, and one of processes does not hold
 * for root. The returned function ends the watch, as the end of the process does.
 */
export function watchTree(pid: number, limits: TreeLimits, onExcess: (excess: Excess) => void): () => void {
  watched.set(pid, { limits, onExcess, looksWhileYoung: YOUNG_LOOKS })
  clearTimeout(timer)
  lookSoon()
  return () => void watched.delete(pid)
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
  for (const [root, one] of watched) {
    if (!there.has(root)) watched.delete(root)
    const tree = [root]
    // Grows while it is walked.
    for (const pid of tree) tree.push(...(children.get(pid) ?? []).map((child) => child.pid))
    const excess = excessOf(tree, one.limits)
    one.looksWhileYoung = Math.max(0, one.looksWhileYoung - 1)
    if (excess === undefined) continue
    watched.delete(root)
    one.onExcess(excess)
  }
  lookSoon()
}

function excessOf(
  tree: readonly number[],
  { processesMax, residentBytesMax }: TreeLimits,
): Excess | undefined {
  if (tree.length > processesMax) return 'processes'
  if (sumOf(tree, 'status', /^VmRSS:\s+(\d+) kB/m) <= residentBytesMax) return undefined
  // Pages that processes share were counted for each. Dividing them takes long, so only now.
  return sumOf(tree, 'smaps_rollup', /^Pss:\s+(\d+) kB/m) > residentBytesMax ? 'memory' : undefined
}

function sumOf(tree: readonly number[], file: string, line: RegExp): number {
  return tree.reduce((sum, pid) => {
    const text = orElse('', () => readFileSync(`/proc/${pid}/${file}`, 'utf8'))
    return sum + Number(line.exec(text)?.[1] ?? 0) * 1024
  }, 0)
}
