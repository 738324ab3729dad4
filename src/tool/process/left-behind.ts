import { orElse } from '../../base/message-of.ts'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { StartedProcess } from '../../event/work.ts'

/** When a process started, in a form that no other process with its id ever has; null: it is not there. */
export function startTimeOf(pid: number): string | null {
  return processesNow(pid)[0]?.startTime ?? null
}

const GRACE_MS = 2_000
const LOOK_MS = 20

/**
 * Ends a program whose starter was killed; whether it still ran. With its group, if it has one of its own, or else with
 * its children and theirs. Another process with its id is left alone.
 */
export async function endLeftBehind({ group, startTime }: StartedProcess): Promise<boolean> {
  if (startTime === null || startTimeOf(group) !== startTime) return false
  const tree = hasTaken(-group, 0) ? undefined : treeOf(group)
  const send = (signal: NodeJS.Signals | 0): boolean => {
    const there = tree?.filter((one) => startTimeOf(one.pid) === one.startTime)
    return (there?.map(({ pid }) => pid) ?? [-group]).map((pid) => hasTaken(pid, signal)).includes(true)
  }
  if (!send('SIGTERM')) return false
  for (let waitedMs = 0; waitedMs < GRACE_MS && send(0); waitedMs += LOOK_MS) await pause(LOOK_MS)
  // Its first process may be gone while others of the group stay; the id is not given to another process until they end.
  if (tree !== undefined || [startTime, null].includes(startTimeOf(group))) send('SIGKILL')
  return true
}

/** Whether a process, or somebody of a group (a negative number), is there. */
function hasTaken(target: number, signal: NodeJS.Signals | 0): boolean {
  return orElse(false, () => process.kill(target, signal))
}

export interface ProcessNow {
  readonly pid: number
  readonly parent: number
  readonly startTime: string
  /** One letter; empty where there is no /proc. `Z`: it is dead, and nobody has asked how it ended. */
  readonly state: string
}

function treeOf(pid: number): readonly ProcessNow[] {
  const all = processesNow()
  const below = (parents: readonly ProcessNow[]): readonly ProcessNow[] => {
    const children = all.filter(({ parent }) => parents.some((one) => one.pid === parent))
    return children.length === 0 ? parents : [...parents, ...below(children)]
  }
  return below(all.filter((one) => one.pid === pid))
}

/** One process, or all. */
export function processesNow(only?: number): readonly ProcessNow[] {
  // After a restart of the machine ids and ticks may come again, so the boot belongs to the time.
  const boot = textOf('/proc/sys/kernel/random/boot_id')?.trim()
  if (boot === undefined) return processesByPs(only)
  const pids = only === undefined ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [only]
  return pids.flatMap((pid): ProcessNow[] => {
    const stat = textOf(`/proc/${pid}/stat`) ?? ''
    // The second field is the program's name in parentheses and may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', parent, ticks] = [fields[0], fields[1], fields[19]]
    return ticks === undefined
      ? []
      : [{ pid: Number(pid), parent: Number(parent), startTime: `${ticks}@${boot}`, state }]
  })
}

/** Where there is no /proc, as on macOS. */
function processesByPs(only?: number): readonly ProcessNow[] {
  try {
    const which = only === undefined ? ['-A'] : ['-p', String(only)]
    const lines = execFileSync('ps', [...which, '-o', 'pid=,ppid=,lstart='], { encoding: 'utf8' })
    return lines.split('\n').flatMap((line): ProcessNow[] => {
      const [, pid, parent, startTime] = /^\s*(\d+)\s+(\d+)\s+(\S.*?)\s*$/.exec(line) ?? []
      return startTime === undefined
        ? []
        : [{ pid: Number(pid), parent: Number(parent), startTime, state: '' }]
    })
  } catch {
    return []
  }
}

function textOf(file: string): string | undefined {
  return orElse(undefined, () => readFileSync(file, 'utf8'))
}
