import { z } from 'zod'
import type { ToolSpec } from '../../event/prompt.ts'
import { getBranch } from '../../context/branch.ts'
import { builtIn } from '../../tool/tool.ts'
import { done, refusal, type Actor, type ActTool, type Planned, type PlannedCall } from '../contract/act.ts'
import { runIn, runName } from '../state/run.ts'
import { mainAbove } from '../state/updates.ts'
import type { Writing } from '../../log/log.ts'
import { askForCommand } from './asked-command.ts'

const MESSAGE_CHARS_MAX = 4_000

const spec: ToolSpec = {
  name: 'report_updates',
  description: 'Tells main what you found, in a few sentences. In a fork it ends the fork.',
  parameters: {
    type: 'object',
    properties: { message: { type: 'string' } },
    required: ['message'],
  },
}

const argumentsSchema = z.strictObject({ message: z.string().trim().min(1).max(MESSAGE_CHARS_MAX) })

/** A summary becomes a pending update of the main session. An interactive fork ends with it, when its turn ends. */
export const reportUpdatesTool: ActTool = {
  spec,
  nature: builtIn('steers'),
  plan: (writing, actor, calls) => calls.map((call) => planReport(writing, actor, call)),
}

function planReport(writing: Writing, actor: Actor, { args, bad, step }: PlannedCall): Planned {
  if (bad !== undefined) return { said: refusal(bad) }
  const usage = `Usage: report_updates {"message": 1 to ${MESSAGE_CHARS_MAX} characters}`
  const read = argumentsSchema.safeParse(args)
  if (!read.success) return { said: refusal(usage) }
  const { branch, at, author } = actor
  const main = mainAbove(writing, branch)
  if (main === undefined) return { said: refusal('There is no main session above that could be told.') }
  const text = read.data.message
  if (getBranch(writing, branch).mode === 'fork') {
    const says = 'Main is told when your turn ends, and this fork ends with it.'
    return { said: askForCommand(writing, actor, { turn: step.turn, line: '/report', words: text, says }) }
  }
  const run = runIn(writing, branch)
  const source = run === undefined ? 'a branch' : runName(run)
  const facts = { source, text, from: branch, author, key: null }
  writing.append({ kind: 'update-reported', branch: main, at, v: 1, ...facts })
  return { said: done('Reported to main.') }
}
