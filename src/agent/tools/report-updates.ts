import { z } from 'zod'
import { getBranch } from '../../context/branch.ts'
import { ok, refusal } from '../contract/act.ts'
import { mainAbove } from '../state/person.ts'
import { runIn, runName } from '../state/run.ts'
import { withRefused } from '../step/run-report.ts'
import { actTool, askForCommand } from './asked-command.ts'

const MESSAGE_CHARS_MAX = 4_000

/** Adds a pending update to the main session. In an interactive fork it also ends the fork, after the turn. */
export const reportUpdatesTool = actTool({
  name: 'report_updates',
  description:
    "Tell main what you found or did, in one to three sentences that make sense without this conversation. It is shown with the person's next message. In a fork this also ends the fork.",
  schema: z.strictObject({ message: z.string().trim().min(1).max(MESSAGE_CHARS_MAX) }),
  usage: `Usage: report_updates {"message": 1 to ${MESSAGE_CHARS_MAX} characters}`,
  act: (writing, actor, { given: { message: text }, turn }) => {
    const { branch, at, author } = actor
    const main = mainAbove(writing, branch)
    if (main === undefined) return refusal('There is no main session above that could be told.')
    if (getBranch(writing, branch).mode === 'fork') {
      const says = 'Main is told when your turn ends, and this fork ends with it.'
      return askForCommand(writing, actor, { turn, line: '/report', words: text, says })
    }
    const run = runIn(writing, branch)
    const source = run === undefined ? 'a branch' : runName(run)
    const told = run === undefined ? text : withRefused(writing, run, text)
    const facts = { source, text: told, from: branch, author, key: null }
    writing.append({ kind: 'update-reported', branch: main, at, ...facts })
    return ok('Reported to main.')
  },
})
