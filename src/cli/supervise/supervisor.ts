import type { Unit } from './unit.ts'

/** What keeps a program running on this system: systemd or launchd. */
export interface Supervisor {
  /** Describes the service to it. */
  readonly file: string
  text(unit: Unit): string
  /** The command in a text that `text` made. */
  commandIn(text: string): string[]
  /** Throws a CommandError that says what to do, if it cannot be used here. */
  check(): Promise<void>
  /** Starts what the file describes, or starts it again, now and from then on. Returns what a person should know. */
  start(): Promise<string[]>
  restart(): Promise<void>
  /** Ends it, now and from then on, and removes its file. */
  remove(): Promise<void>
  look(): Promise<Seen>
  /** The program that prints the newest lines, and its arguments. */
  logs(follows: boolean): readonly [program: string, ...args: string[]]
}

/** The state of the service, as the supervisor tells it. */
export interface Seen {
  readonly isEnabled: boolean
  readonly state: 'running' | 'starting' | 'stopped'
  readonly since: number | undefined
  readonly pid: number | undefined
  /** Of the newest process that ended. */
  readonly exitCode: number
  readonly starts: 'with the machine' | 'when you log in'
}
