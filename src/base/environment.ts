import { homedir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

/** The one place outside `config/` that looks at the environment. */
export function homeFromEnvironment(): string {
  return process.env['MAINSTEM_HOME'] || join(homedir(), '.mainstem')
}

export function wantsColour(): boolean {
  return process.stdout.isTTY && process.env['NO_COLOR'] === undefined
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
