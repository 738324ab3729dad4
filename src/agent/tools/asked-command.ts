import type { TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { done, refusal, type Actor, type Said } from '../act.ts'
import { admittedAt, isCommand, waiting } from '../inbox.ts'

export interface AskedCommand {
  readonly turn: TurnId
  readonly line: string
  /** What the model is told. */
  readonly says: string
}

/**
 * A command that a model asks for and that waits for the end of its turn: it lies in the inbox like one that a person
 * typed, so it is done once, whatever dies before. There is one at a time, or the second would find its branch gone.
 */
export function askForCommand(
  writing: Writing,
  { branch, at }: Actor,
  { turn, line: text, says }: AskedCommand,
): Said {
  const before = askedBefore(writing, branch)
  if (before === text) return done(says)
  if (before !== undefined) {
    const [name] = before.split(' ', 1)
    return refusal(`Not done: ${name} comes when your turn ends, which you asked for before.`)
  }
  const source = { from: 'host', tag: 'system', turn } as const
  writing.append({ kind: 'inbound-admitted', branch, at, v: 1, source, form: 'command', text })
  return done(says)
}

function askedBefore(reader: Reader, branch: Actor['branch']): string | undefined {
  const entry = waiting(reader, branch).find((one) => one.source === 'host' && isCommand(one))
  return entry && admittedAt(reader, entry.position).text
}
