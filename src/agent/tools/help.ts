import { z } from 'zod'
import type { BranchId } from '../../event/id.ts'
import type { ToolSpec } from '../../event/prompt.ts'
import { readArguments } from '../../tool/read-arguments.ts'
import { builtIn, failed, said, type Tool } from '../../tool/tool.ts'
import { HELP_TOPICS, helpOn } from './help-texts.ts'

const spec: ToolSpec = {
  name: 'help',
  description: 'What Mainstem can do.',
  parameters: {
    type: 'object',
    properties: { topic: { type: 'string', description: HELP_TOPICS.replace(/^Topics: |\.$/g, '') } },
  },
}

const argumentsSchema = z.strictObject({ topic: z.string().exactOptional() })

const QUOTED_MAX = 40

export interface HelpParts {
  /** Whether this branch may be told of reporting. */
  readonly reports: (branch: BranchId) => Promise<boolean>
}

export function makeHelpTool({ reports }: HelpParts): Tool {
  return {
    spec,
    nature: builtIn('looks'),
    run: async (args, { branch }) => {
      const read = readArguments(argumentsSchema, args, `Usage: help {"topic"?: a word}. ${HELP_TOPICS}`)
      if ('misfit' in read) return read.misfit
      const word = (read.is.topic ?? '').trim().replace(/^\//, '').toLowerCase()
      const text = helpOn(word, { reports: await reports(branch) })
      return text === undefined
        ? failed(`There is no help on '${word.slice(0, QUOTED_MAX)}'. ${HELP_TOPICS}`)
        : said(text)
    },
  }
}
