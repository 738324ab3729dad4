import { z } from 'zod'
import { oneLine } from '../../base/width.ts'
import { getBranch } from '../../context/branch.ts'
import { handleOf } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { openFork } from '../branch/enter-act.ts'
import { forkName } from '../branch/fork-end.ts'
import { refusal, type Actor } from '../contract/act.ts'
import { isPassedOn, whoAsked } from '../state/asker.ts'
import { actTool, askForCommand } from './asked-command.ts'

/** The tools with which a model enters and ends interactive forks, when its turn ends. */
export const enterForkTool = actTool({
  name: 'enter_fork',
  description:
    'Take the person aside into a fork after this turn, to explore a tangent without filling main. Use it when they want to discuss something on the side. Main sees nothing of it until it is saved or reported.',
  schema: z.strictObject({
    topic: z.string().max(2_000).describe('What it is about; you begin with it there').exactOptional(),
    idle_timeout: z
      .int()
      .min(1)
      .max(1_440)
      .describe('Minutes of silence after which you are asked to wrap up')
      .exactOptional(),
  }),
  usage: 'Usage: enter_fork {"topic"?: a line, "idle_timeout"?: minutes, 1 to 1440}',
  act: (writing, actor, { given: { topic = '', idle_timeout: idle }, turn }) => {
    const why = noFork(writing, actor)
    if (why !== undefined) return refusal(why)
    const words = oneLine(topic).trim()
    const minutes = idle === undefined ? '' : ` --idle ${idle}`
    const line = `/fork --enter${minutes}${words === '' ? '' : ` -- ${words}`}`
    return askForCommand(writing, actor, { turn, line, says: 'The fork opens when your turn ends.' })
  },
})

export const saveContextTool = actTool({
  name: 'save_context',
  description:
    'End this fork after your turn and keep all of it: what was said here becomes part of main. For results that matter in full.',
  schema: z.object({}),
  usage: '',
  act: (writing, actor, { turn }) =>
    askForCommand(writing, actor, { turn, line: '/save', says: 'This fork is saved when your turn ends.' }),
})

export const exitForkTool = actTool({
  name: 'exit_fork',
  description: 'End this fork after your turn and drop it: main keeps nothing.',
  schema: z.object({}),
  usage: '',
  act: (writing, actor, { turn }) =>
    askForCommand(writing, actor, { turn, line: '/exit', says: 'This fork ends when your turn does.' }),
})

/** Why no fork can be opened: nobody is there, or one is open (FORK4). Checked now, so that the model can say it. */
function noFork(reader: Reader, { branch }: Actor): string | undefined {
  const here = getBranch(reader, branch)
  if (isPassedOn(reader, here))
    return 'The person talks to you through a program, which cannot take them into a fork. Answer here.'
  const who = whoAsked(reader, here)
  if (who === undefined) return 'Nobody has written here yet, so there is nobody to take into a fork.'
  const open = openFork(reader, who)
  if (open === undefined) return undefined
  return `The person has the ${forkName(reader, open)} open, and only one can be open at a time. They go back to it with /switch ${handleOf(open)} and end it there.`
}
