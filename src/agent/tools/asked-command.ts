import type { z } from 'zod'
import type { Placed } from '../../event/event.ts'
import type { TurnId } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { parametersOf, readArguments } from '../../tool/define-tool.ts'
import { builtIn } from '../../tool/tool.ts'
import { type Actor, type ActTool, type Said, ok, refusal } from '../contract/act.ts'
import { reportBy } from '../state/asker.ts'
import { admittedAt, isCommand, waiting } from '../state/inbox.ts'

export interface AskedCommand {
  readonly turn: TurnId
  readonly line: string
  /** The words for the command, which may have several lines. */
  readonly words?: string
  /** What the model is told. */
  readonly says: string
}

/** Puts a model's command into the inbox: it runs once, when the turn ends. A second would find its branch gone. */
export function askForCommand(
  writing: Writing,
  { branch, at }: Placed,
  { turn, line, words, says }: AskedCommand,
): Said {
  const text = words === undefined ? line : `${line}\n${words}`
  if (line !== '/report' && reportBy(writing, branch) !== null)
    return refusal('Not done: the person asked for a report of this fork. Call report_updates.')
  const before = askedBefore(writing, branch)
  if (before === text) return ok(says)
  if (before !== undefined)
    return refusal(`Not done: you already asked for ${nameIn(before)}, which runs when your turn ends.`)
  const source = { from: 'host', tag: 'system', turn } as const
  writing.append({ kind: 'inbound-admitted', branch, at, source, form: 'command', text })
  return ok(says)
}

/** Splits what `askForCommand` joined. */
export function splitAsked(text: string): { readonly command: string; readonly words: string | null } {
  const end = text.indexOf('\n')
  return end < 0
    ? { command: text, words: null }
    : { command: text.slice(0, end), words: text.slice(end + 1) }
}

/** `/report` */
export function nameIn(text: string): string {
  return text.split(/\s/, 1)[0] ?? text
}

function askedBefore(reader: Reader, branch: Actor['branch']): string | undefined {
  const entry = waiting(reader, branch).find((one) => one.source === 'host' && isCommand(one))
  return entry && admittedAt(reader, entry.position).text
}

interface ActDefinition<T> {
  readonly name: string
  readonly description: string
  readonly schema: z.ZodType<T>
  readonly usage: string
  readonly act: (writing: Writing, actor: Actor, asked: { readonly given: T; readonly turn: TurnId }) => Said
}

/** A tool that acts on the log. Its schema describes the arguments to the model and reads them. */
export function actTool<T>({ name, description, schema, usage, act }: ActDefinition<T>): ActTool {
  return {
    spec: { name, description, parameters: parametersOf(schema) },
    nature: builtIn('steers', { says: 'host' }),
    plan: (writing, actor, calls) =>
      calls.map(({ args, bad, step: { turn } }) => {
        if (bad !== undefined) return { said: refusal(bad) }
        const read = readArguments(schema, args)
        if ('problem' in read) return { said: refusal(`${read.problem} ${usage}`) }
        return { said: act(writing, actor, { given: read.is, turn }) }
      }),
  }
}
