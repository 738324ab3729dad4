import { constants } from 'node:os'
import type { Excess } from './watchdog.ts'

/** How a program that ended by itself, or was ended by somebody else, says so. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** Shells and launchers say with 128 and its number that one of these killed what they ran. Other codes mean anything. */
const KILLERS = ['SIGINT', 'SIGABRT', 'SIGKILL', 'SIGSEGV', 'SIGTERM'] as const
const MEANT: Readonly<Record<number, string>> = {
  126: 'something it needs cannot be executed',
  127: 'something it needs was not found',
}

/** `exit code 3`, `killed by SIGKILL (exit code 137)`. */
export function exitText({ code, signal }: Exit): string {
  const killer = signal ?? KILLERS.find((name) => 128 + constants.signals[name] === code)
  if (killer !== undefined) {
    const number = (constants.signals as Readonly<Record<string, number>>)[killer]
    return `killed by ${killer}${number === undefined ? '' : ` (exit code ${128 + number})`}`
  }
  if (code === null) return 'ended without an exit code'
  const meant = MEANT[code]
  return `exit code ${code}${meant === undefined ? '' : ` (${meant})`}`
}

export function excessText(excess: Excess): string {
  if (excess === 'processes') return 'started more processes or threads than a box may have'
  if (excess === 'memory') return 'used more memory than a box may have'
  return 'was running when a file that defines the agent, a skill or a job was replaced or made'
}
