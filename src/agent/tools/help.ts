import { z } from 'zod'
import type { BranchId } from '../../event/id.ts'
import { defineTool } from '../../tool/define-tool.ts'
import { builtIn, failed, ok, type Tool } from '../../tool/tool.ts'
import { HELP_TOPICS, helpOn } from './help-texts.ts'

const TOPICS = HELP_TOPICS.replace(/^Topics: |\.$/g, '')
const QUOTED_MAX = 40

export interface HelpParts {
  /** Whether this branch may be told about reporting. */
  readonly reports: (branch: BranchId) => Promise<boolean>
}

export function makeHelpTool({ reports }: HelpParts): Tool {
  return defineTool({
    name: 'help',
    description: 'What Mainstem can do.',
    schema: z.strictObject({ topic: z.string().describe(TOPICS).exactOptional() }),
    usage: `Usage: help {"topic"?: a word}. ${HELP_TOPICS}`,
    nature: builtIn('looks'),
    run: async ({ topic = '' }, { branch }) => {
      const word = topic.trim().replace(/^\//, '').toLowerCase()
      const text = helpOn(word, { reports: await reports(branch) })
      return text === undefined
        ? failed(`There is no help on '${word.slice(0, QUOTED_MAX)}'. ${HELP_TOPICS}`)
        : ok(text)
    },
  })
}
