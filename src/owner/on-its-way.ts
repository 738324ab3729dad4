import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../base/json.ts'
import { readText } from '../base/regular-file.ts'

const noted = z.object({ bootAt: z.number(), logEnd: z.number(), positions: z.array(z.number()) })

/** The clock may be corrected a little; no machine boots twice in this time. */
const BOOT_SPREAD_MS = 5_000

/**
 * Notes which messages platforms have at this moment, by their positions in the log of a home. Written without fsync: a
 * killed process leaves what it wrote, and after a crash of the machine nobody knows.
 */
export function onItsWayIn(home: string, now: () => number) {
  const file = join(home, 'run', 'sending.json')
  const unfinished = `${file}.new`
  const bootAt = (): number => now() - uptime() * 1_000
  let logEnd = 0
  return {
    /** Those of the last process that owned the log, which ends here now; undefined: nobody knows. */
    last(end: number): ReadonlySet<number> | undefined {
      logEnd = end
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const read = readText(file, { links: 'refuse' })
      const { data } = noted.safeParse('text' in read ? parsedJson(read.text) : undefined)
      // A log that ends before is an older copy: what it has not sent may have been sent since.
      const isOurs =
        data !== undefined && Math.abs(data.bootAt - bootAt()) < BOOT_SPREAD_MS && data.logEnd <= end
      return isOurs ? new Set(data.positions) : undefined
    },
    note(open: ReadonlySet<number>): void {
      const positions = [...open]
      logEnd = Math.max(logEnd, ...positions)
      try {
        rmSync(unfinished, { force: true })
        const text = JSON.stringify({ bootAt: bootAt(), logEnd, positions })
        writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx' })
        renameSync(unfinished, file)
      } catch {
        // The disk is full. An older note would be wrong; without one, the next process takes the safe side.
        rmSync(file, { force: true })
      }
    },
  }
}
