import { constants } from 'node:os'

/** How a program that ended by itself, or was ended by somebody else, says so. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** Codes by which shells and launchers say that what they ran was killed. Others above 128 mean what a program wants. */
const KILLED: Readonly<Record<number, string>> = {
  130: 'SIGINT',
  134: 'SIGABRT',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
}
const MEANT: Readonly<Record<number, string>> = {
  126: 'something it needs cannot be executed',
  127: 'something it needs was not found',
}

/** `exit code 3`, `killed by SIGKILL (exit code 137)`. */
export function exitText({ code, signal }: Exit): string {
  if (signal !== null) return `killed by ${signal}${codeOfSignal(signal)}`
  if (code === null) return 'ended without an exit code'
  const killer = KILLED[code]
  if (killer !== undefined) return `killed by ${killer} (exit code ${code})`
  const meant = MEANT[code]
  return `exit code ${code}${meant === undefined ? '' : ` (${meant})`}`
}

function codeOfSignal(signal: string): string {
  const entry = Object.entries(constants.signals).find(([name]) => name === signal)
  return entry === undefined ? '' : ` (exit code ${128 + entry[1]})`
}
