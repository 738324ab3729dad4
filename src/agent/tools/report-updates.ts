import { z } from 'zod'
import { getBranch } from '../../context/branch.ts'
import { parametersOf, readArguments } from '../../tool/define-tool.ts'
import { builtIn } from '../../tool/tool.ts'
import { type ActTool, type Actor, type Planned, type PlannedCall, ok, refusal } from '../contract/act.ts'
import { runIn, runName } from '../state/run.ts'
import type { Writing } from '../../log/log.ts'
import { askForCommand } from './asked-command.ts'
import { mainAbove } from '../state/person.ts'

const MESSAGE_CHARS_MAX = 4_000

const USAGE = `Usage: report_updates {"message": 1 to ${MESSAGE_CHARS_MAX} characters}`

const argumentsSchema = z.strictObject({ message: z.string().trim().min(1).max(MESSAGE_CHARS_MAX) })

/** A summary becomes a pending update of the main session. An interactive fork ends with it, when its turn ends. */
export const reportUpdatesTool: ActTool = {
  spec: {
    name: 'report_updates',
    description: 'Tells main what you found, in a few sentences. In a fork it ends the fork.',
    parameters: parametersOf(argumentsSchema),
  },
  nature: builtIn('steers'),
  plan: (writing, actor, calls) => calls.map((call) => planReport(writing, actor, call)),
}

function planReport(writing: Writing, actor: Actor, { args, bad, step }: PlannedCall): Planned {
  if (bad !== undefined) return { said: refusal(bad) }
  const read = readArguments(argumentsSchema, args)
  if ('problem' in read) return { said: refusal(`${read.problem} ${USAGE}`) }
  const { branch, at, author } = actor
  const main = mainAbove(writing, branch)
  if (main === undefined) return { said: refusal('There is no main session above that could be told.') }
  const text = read.is.message
  if (getBranch(writing, branch).mode === 'fork') {
    const says = 'Main is told when your turn ends, and this fork ends with it.'
    return { said: askForCommand(writing, actor, { turn: step.turn, line: '/report', words: text, says }) }
  }
  const run = runIn(writing, branch)
  const source = run === undefined ? 'a branch' : runName(run)
  const facts = { source, text, from: branch, author, key: null }
  writing.append({ kind: 'update-reported', branch: main, at, v: 1, ...facts })
  return { said: ok('Reported to main.') }
}
