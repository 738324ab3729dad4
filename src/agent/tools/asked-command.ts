import type { TurnId } from '../../event/id.ts'
import type { Writing } from '../../log/log.ts'
import type { Actor } from '../act.ts'

/**
 * A command that a model asks for and that waits for the end of its turn: it lies in the inbox like one that a person
 * typed, so it is done once, whatever dies before.
 */
export function askForCommand(
  writing: Writing,
  { branch, at }: Actor,
  { turn, line: text }: { turn: TurnId; line: string },
): void {
  const source = { from: 'host', tag: 'system', turn } as const
  writing.append({ kind: 'inbound-admitted', branch, at, v: 1, source, form: 'command', text })
}
