import { z } from 'zod'
import { oneLine } from '../../base/width.ts'
import type { JsonObject } from '../../base/json.ts'
import { getBranch } from '../../context/branch.ts'
import { handleOf } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Reader } from '../../event/table.ts'
import { parametersOf, readArguments } from '../../tool/define-tool.ts'
import { builtIn } from '../../tool/tool.ts'
import { refusal, type Actor, type ActTool } from '../contract/act.ts'
import { openFork } from '../branch/enter-act.ts'
import { forkName } from '../branch/fork-end.ts'
import { whoAsked } from '../state/asker.ts'
import { askForCommand } from './asked-command.ts'

const ENTER_USAGE = 'Usage: enter_fork {"topic"?: a line, "idle_timeout"?: minutes, 1 to 1440}'

const enterSchema = z.strictObject({
  topic: z.string().max(2_000).exactOptional(),
  idle_timeout: z.int().min(1).max(1_440).describe('Minutes').exactOptional(),
})

/** The tools by which a model enters and ends interactive forks. All of it is done when its turn ends. */
export const enterForkTool = forkTool({
  name: 'enter_fork',
  description: 'After your turn, takes the person into a fork for a tangent; main does not see it.',
  parameters: parametersOf(enterSchema),
  line: (args) => {
    const read = readArguments(enterSchema, args)
    if ('problem' in read) return { problem: `${read.problem} ${ENTER_USAGE}` }
    const { topic, idle_timeout: idle } = read.is
    const words = topic === undefined ? '' : oneLine(topic).trim()
    return [
      '/fork --enter',
      ...(idle === undefined ? [] : [`--idle ${idle}`]),
      ...(words === '' ? [] : [`-- ${words}`]),
    ].join(' ')
  },
  says: 'The fork opens when your turn ends.',
  refuse: noFork,
})

export const saveContextTool = forkTool({
  name: 'save_context',
  description: 'Ends this fork after your turn; main gets all of it.',
  parameters: { type: 'object', properties: {} },
  line: () => '/save',
  says: 'This fork is saved when your turn ends.',
})

export const exitForkTool = forkTool({
  name: 'exit_fork',
  description: 'Ends this fork after your turn; main gets nothing.',
  parameters: { type: 'object', properties: {} },
  line: () => '/exit',
  says: 'This fork ends when your turn does.',
})

interface ForkTool extends ToolSpec {
  /** The command that does it, or what is wrong with the arguments. */
  readonly line: (args: JsonObject) => string | { readonly problem: string }
  readonly says: string
  /** Why it cannot be done here, if so. */
  readonly refuse?: (reader: Reader, actor: Actor) => string | undefined
}

function forkTool({ line, says, refuse, ...spec }: ForkTool): ActTool {
  return {
    spec,
    nature: builtIn('steers'),
    plan: (writing, actor, calls) =>
      calls.map(({ args, bad, step }) => {
        if (bad !== undefined) return { said: refusal(bad) }
        const command = line(args)
        if (typeof command !== 'string') return { said: refusal(command.problem) }
        const why = refuse?.(writing, actor)
        if (why !== undefined) return { said: refusal(why) }
        return { said: askForCommand(writing, actor, { turn: step.turn, line: command, says }) }
      }),
  }
}

/** Known before the turn ends, so the model can say it: nobody is there, or there is a fork already (FORK4). */
function noFork(reader: Reader, { branch }: Actor): string | undefined {
  const who = whoAsked(reader, getBranch(reader, branch))
  if (who === undefined) return 'Nobody has written here yet, so there is nobody to take into a fork.'
  const open = openFork(reader, who)
  if (open === undefined) return undefined
  return `The person has the ${forkName(reader, open)} open, and there is one at a time. They go back to it with /switch ${handleOf(open)} and end it there.`
}
