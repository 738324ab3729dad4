import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { StartedProcess } from '../../event/work.ts'

/** As the kernel counts it, with the id of the boot: after a restart of the machine both id and ticks may come again. */
export function startTimeOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses and may contain spaces and parentheses.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return ticks === undefined ? null : `${ticks}@${boot}`
  } catch {
    return null
  }
}

const GRACE_MS = 2_000
const LOOK_MS = 20

/** Ends the group of a program whose starter was killed; whether it still ran. Another process with its id is left alone. */
export async function endLeftBehind({ group, startTime }: StartedProcess): Promise<boolean> {
  if (startTime === null || startTimeOf(group) !== startTime) return false
  if (!signalGroup(group, 'SIGTERM')) return false
  for (let waitedMs = 0; waitedMs < GRACE_MS && signalGroup(group, 0); waitedMs += LOOK_MS)
    await pause(LOOK_MS)
  // Its first process may be gone while others of the group stay; the id is not given to another process until they end.
  if ([startTime, null].includes(startTimeOf(group))) signalGroup(group, 'SIGKILL')
  return true
}

/** Whether anybody of the group is there. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}
