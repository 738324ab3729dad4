import type { ArgumentReader } from './arguments.ts'

/** One slash command: all there is to know about it but how it is run. */
export interface CommandEntry {
  readonly name: string
  readonly aliases: readonly string[]
  readonly group: 'context' | 'branches' | 'rights' | 'background' | 'settings'
  /** What follows the name, one for each form. The first form is a model's too, where models may use the command. */
  readonly usage: readonly [string, ...string[]]
  /** One line, for the overview. */
  readonly help: string
  /** The rest of its help, in lines of at most 78 columns. */
  readonly more: string
  readonly example: string
  /** What it waits for while a turn runs. */
  readonly when: 'at-once' | 'step-end' | 'turn-end'
  /** What may be typed after the name; `MARK`, `ID`, `TOOL`, `GRANT`, `NUMBER` and `COMMAND` stand for those there are. */
  readonly offers: readonly string[]
  readonly read: ArgumentReader<object>
}
