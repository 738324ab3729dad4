import { z } from 'zod'
import { oneLine } from '../../base/width.ts'
import type { JsonObject } from '../../base/json.ts'
import { getBranch } from '../../context/branch.ts'
import { handleOf } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Reader } from '../../event/table.ts'
import { builtIn } from '../../tool/tool.ts'
import { refusal, type Actor, type ActTool } from '../contract/act.ts'
import { openFork } from '../branch/enter-act.ts'
import { forkName } from '../branch/fork-end.ts'
import { whoAsked } from '../state/asker.ts'
import { askForCommand } from './asked-command.ts'

/** The tools by which a model enters and ends interactive forks. All of it is done when its turn ends. */
export const enterForkTool = forkTool({
  name: 'enter_fork',
  description: 'After your turn, takes the person into a fork for a tangent; main does not see it.',
  parameters: {
    type: 'object',
    properties: {
      topic: { type: 'string' },
      idle_timeout: { type: 'integer', description: 'Minutes' },
    },
  },
  line: (args) => {
    const read = enterSchema.safeParse(args)
    if (!read.success) return undefined
    const { topic, idle_timeout: idle } = read.data
    const words = topic === undefined ? '' : oneLine(topic).trim()
    return [
      '/fork --enter',
      ...(idle === undefined ? [] : [`--idle ${idle}`]),
      ...(words === '' ? [] : [`-- ${words}`]),
    ].join(' ')
  },
  usage: 'Usage: enter_fork {"topic"?: a line, "idle_timeout"?: minutes, 1 to 1440}',
  says: 'The fork opens when your turn ends.',
  refuse: noFork,
})

const enterSchema = z.strictObject({
  topic: z.string().max(2_000).exactOptional(),
  idle_timeout: z.int().min(1).max(1_440).exactOptional(),
})

export const saveContextTool = forkTool({
  name: 'save_context',
  description: 'Ends this fork after your turn; main gets all of it.',
  parameters: { type: 'object', properties: {} },
  line: () => '/save',
  usage: '',
  says: 'This fork is saved when your turn ends.',
})

export const exitForkTool = forkTool({
  name: 'exit_fork',
  description: 'Ends this fork after your turn; main gets nothing.',
  parameters: { type: 'object', properties: {} },
  line: () => '/exit',
  usage: '',
  says: 'This fork ends when your turn does.',
})

interface ForkTool extends ToolSpec {
  /** The command that does it; undefined: the arguments are wrong. */
  readonly line: (args: JsonObject) => string | undefined
  readonly usage: string
  readonly says: string
  /** Why it cannot be done here, if so. */
  readonly refuse?: (reader: Reader, actor: Actor) => string | undefined
}

function forkTool({ line, usage, says, refuse, ...spec }: ForkTool): ActTool {
  return {
    spec,
    nature: builtIn('steers'),
    plan: (writing, actor, calls) =>
      calls.map(({ args, bad, step }) => {
        if (bad !== undefined) return { said: refusal(bad) }
        const command = line(args)
        if (command === undefined) return { said: refusal(usage) }
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
