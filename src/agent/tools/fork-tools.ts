import { z } from 'zod'
import { oneLine } from '../../base/width.ts'
import type { JsonObject } from '../../base/json.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import type { Writing } from '../../log/log.ts'
import { builtIn } from '../../tool/tool.ts'
import { done, refusal, type Actor, type ActTool } from '../act.ts'
import { addressOf } from '../inbox.ts'
import { askForCommand } from './asked-command.ts'

/** The tools by which a model enters and ends interactive forks. All of it is done when its turn ends. */
export const enterForkTool = forkTool({
  name: 'enter_fork',
  description: 'When your turn ends, take the person into a fork for a tangent; main does not see it.',
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
})

const enterSchema = z.strictObject({
  topic: z.string().max(2_000).exactOptional(),
  idle_timeout: z.int().min(1).max(1_440).exactOptional(),
})

export const saveContextTool = forkTool({
  name: 'save_context',
  description: 'When your turn ends, end this fork and make what was said in it part of main.',
  parameters: { type: 'object', properties: {} },
  line: () => '/save',
  usage: '',
  says: 'This fork is saved when your turn ends.',
})

export const exitForkTool = forkTool({
  name: 'exit_fork',
  description: 'When your turn ends, end this fork; main learns nothing of it.',
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
}

function forkTool({ line, usage, says, ...spec }: ForkTool): ActTool {
  return {
    spec,
    nature: builtIn('steers'),
    plan: (writing, actor, calls) =>
      calls.map(({ args, bad, step }, index) => {
        if (bad !== undefined) return { said: refusal(bad) }
        const command = line(args)
        if (command === undefined) return { said: refusal(usage) }
        if (!isTalkedTo(writing, actor)) return { said: refusal(NOBODY) }
        if (index > 0) return { said: done(says) }
        return {
          said: done(says),
          afterResults: (after) => askForCommand(after, actor, { turn: step.turn, line: command }),
        }
      }),
  }
}

const NOBODY = 'Nobody has written here yet, so there is nobody to take into a fork.'

function isTalkedTo(writing: Writing, { branch }: Actor): boolean {
  return addressOf(writing, branch) !== undefined
}
