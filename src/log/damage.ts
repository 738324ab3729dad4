import { readFileSync, rmSync, writeFileSync } from 'node:fs'

/** Damage is noted beside the log, so that no later start writes over it before somebody has looked. */
export function noteDamage(file: string, message: string): void {
  try {
    writeFileSync(noteOf(file), `${message}\n`, { mode: 0o600 })
  } catch {
    // The disk that damaged the log may refuse this too; the open log refuses to write all the same.
  }
}

export function notedDamage(file: string): string | undefined {
  try {
    return readFileSync(noteOf(file), 'utf8').trim()
  } catch {
    return undefined
  }
}

export function forgetDamage(file: string): void {
  rmSync(noteOf(file), { force: true })
}

function noteOf(file: string): string {
  return `${file}.damaged.txt`
}
