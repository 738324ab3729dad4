import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from '../base/regular-file.ts'

/** Notes where the log ends as its owner closes it: nothing was on its way to anybody. */
export function noteRest(home: string, end: number): void {
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 })
  rmSync(restFile(home), { force: true })
  writeFileSync(restFile(home), String(end), { mode: 0o600, flag: 'wx' })
}

/** Whether the last owner of a log that ends there closed it. Asked once: whoever asks may die. */
export function takeRest(home: string, end: number): boolean {
  const read = readText(restFile(home), { links: 'refuse' })
  rmSync(restFile(home), { force: true })
  return 'text' in read && read.text === String(end)
}

function restFile(home: string): string {
  return join(home, 'run', 'rest')
}
