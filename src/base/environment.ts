import { homedir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

type Environment = Readonly<Record<string, string | undefined>>

export function homeFromEnvironment(environment: Environment): string {
  return environment['MAINSTEM_HOME'] || join(homedir(), '.mainstem')
}

export function wantsColour({ isTTY }: { readonly isTTY?: boolean }, environment: Environment): boolean {
  return isTTY === true && environment['NO_COLOR'] === undefined
}

/** The time zone of this machine, by its IANA name. */
export function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** React looks at this when it is loaded, and is a good deal slower without it. */
export function preferProduction(): void {
  process.env['NODE_ENV'] ??= 'production'
}

/** Young objects get little room and are collected sooner: a process that stays for months is to stay small. */
export function preferSmallHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
