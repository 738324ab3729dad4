import { rmSync, writeFileSync } from 'node:fs'
import { readText } from '../base/regular-file.ts'

/** Writes a note beside a damaged log, so that no later start writes to it before somebody has looked. */
export function noteDamage(file: string, message: string): void {
  try {
    forgetDamage(file)
    writeFileSync(noteOf(file), `${message}\n`, { mode: 0o600, flag: 'wx' })
  } catch {
    // A failing disk may refuse the note too. The open log refuses to write in any case.
  }
}

export function notedDamage(file: string): string | undefined {
  const read = readText(noteOf(file), { links: 'refuse' })
  return 'text' in read ? read.text.trim() : undefined
}

export function forgetDamage(file: string): void {
  rmSync(noteOf(file), { force: true })
}

function noteOf(file: string): string {
  return `${file}.damaged.txt`
}
