import { z } from 'zod'
import { fence } from '../../event/fence.ts'
import { defineTool } from '../define-tool.ts'
import { builtIn, failed, ok, type Tool } from '../tool.ts'
import { globOf } from './glob.ts'
import { ENTRIES_MAX } from './listing.ts'
import { quoted } from './path.ts'
import { unlessPathError } from './refusal.ts'
import { FILES_QUEUE } from './write-tool.ts'
import type { Workspace } from './workspace.ts'

const SHOWN_MAX = 500
const PATTERN_CHARS_MAX = 1_000

const USAGE = 'Usage: glob {"pattern": "**/*.md"}; it knows **, *, ? and {a,b}.'

export function globTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'glob',
    description: 'List Markdown files of your workspace by a pattern, such as "notes/**/*.md".',
    schema: z.strictObject({
      pattern: z.string().min(1).max(PATTERN_CHARS_MAX).describe('`*` within a name, `**` across folders'),
    }),
    usage: USAGE,
    nature: builtIn('looks', { queue: FILES_QUEUE }),
    run: ({ pattern }) =>
      unlessPathError(async () => {
        const fits = globOf(pattern)
        if (typeof fits !== 'function') return failed(`${fits.problem} ${USAGE}`)
        const { files, isWhole } = await workspace.list()
        const found = files.map(({ place }) => place).filter(fits)
        const cut = isWhole ? '' : `\n${NOT_WHOLE}`
        if (found.length === 0) return ok(`No Markdown file fits ${quoted(pattern)}. ${USAGE}${cut}`)
        const shown = found.slice(0, SHOWN_MAX)
        const more =
          found.length > SHOWN_MAX ? `\n(${SHOWN_MAX} of ${found.length}; narrow the pattern.)` : ''
        return ok(`${fence('glob', shown.join('\n'))}${more}${cut}`)
      }),
  })
}

/** Added when a listing does not cover the whole workspace. */
export const NOT_WHOLE = `(The workspace has more than ${ENTRIES_MAX} files and folders, or very deep ones; the deepest ones were skipped.)`
