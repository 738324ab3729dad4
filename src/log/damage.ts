import { readFileSync, rmSync, writeFileSync } from 'node:fs'

/** Writes a note beside a damaged log, so that no later start writes to it before somebody has looked. */
export function noteDamage(file: string, message: string): void {
  try {
    writeFileSync(noteOf(file), `${message}\n`, { mode: 0o600 })
  } catch {
    // A failing disk may refuse the note too. The open log refuses to write in any case.
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
