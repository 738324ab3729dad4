import { z } from 'zod'
import { defineTool } from '../../tool/define-tool.ts'
import { builtIn, ok, type Tool } from '../../tool/tool.ts'
import type { Agent } from '../agent.ts'

/** Only asks for the compaction, which has to wait for the end of the step. */
export function compactSessionTool({
  compact,
  fail,
}: Pick<Agent, 'compact'> & { readonly fail: (error: unknown) => void }): Tool {
  return defineTool({
    name: 'compact_session',
    description:
      'Summarize the older part of this conversation now. It happens by itself when needed; use it when the person asks, or before a long piece of work. They can undo it.',
    schema: z.strictObject({ focus: z.string().describe('What the summary must keep').exactOptional() }),
    usage: 'Usage: compact_session {"focus"?: what matters most}.',
    nature: builtIn('steers', { says: 'host' }),
    run: async ({ focus = null }, { branch, turn, signal }) => {
      const author = { by: 'model', turn } as const
      const wish = { branch, demand: 'by-person', focus, author } as const
      compact(wish, signal).catch(fail)
      return ok(
        'The older part of the conversation will be summarized after this step, if there is enough of it.',
      )
    },
  })
}
