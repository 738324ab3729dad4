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

let zone: { readonly of: string | undefined; readonly name: string } | undefined

/** The time zone of this machine, by its IANA name. Finding it takes a fifth of a turn, and only TZ changes it. */
export function systemZone(): string {
  const of = process.env['TZ']
  if (zone?.of !== of) zone = undefined
  zone ??= { of, name: new Intl.DateTimeFormat().resolvedOptions().timeZone }
  return zone.name
}

/** React looks at this when it is loaded, and is a good deal slower without it. */
export function preferProduction(): void {
  process.env['NODE_ENV'] ??= 'production'
}

/** Young objects get little room and are collected sooner: a process that stays for months is to stay small. */
export function preferSmallHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Where this process stands; undefined: that folder is gone. */
export function currentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}
