import { z } from 'zod'
import type { ToolSpec } from '../../event/prompt.ts'
import { readArguments } from '../../tool/read-arguments.ts'
import { builtIn, said, type Tool } from '../../tool/tool.ts'
import type { Agent } from '../agent.ts'

const spec: ToolSpec = {
  name: 'compact_session',
  description: 'Sums up the older part of this conversation; the person can undo it.',
  parameters: {
    type: 'object',
    properties: { focus: { type: 'string' } },
  },
}

const schema = z.strictObject({ focus: z.string().nullish() })

/** Cannot be done before the step is over, so it is only asked for here. */
export function compactSessionTool({
  compact,
  fail,
}: Pick<Agent, 'compact'> & { readonly fail: (error: unknown) => void }): Tool {
  return {
    spec,
    nature: builtIn('steers'),
    run: async (args, { branch, turn, signal }) => {
      const meant = readArguments(schema, args, 'compact_session {focus?}')
      if ('misfit' in meant) return meant.misfit
      const author = { by: 'model', turn } as const
      const wish = { branch, asked: 'by-person', focus: meant.is.focus ?? null, author } as const
      compact(wish, signal).catch(fail)
      return said(
        'The older part of the conversation will be summed up when this step is over, if there is enough of it.',
      )
    },
  }
}
