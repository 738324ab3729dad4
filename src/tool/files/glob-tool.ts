import { z } from 'zod'
import { fence } from '../../event/fence.ts'
import { defineTool } from '../define-tool.ts'
import { globFits, starFits } from '../star-fits.ts'
import { builtIn, failed, ok, type Tool } from '../tool.ts'
import { ENTRIES_MAX } from './listing.ts'
import { quoted, unlessPathError } from './path.ts'
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

const ALTERNATIVES_MAX = 64

/**
 * `**` is any run of folders, `*` and `?` are characters of one name, `{a,b}` is either; everything else is literal.
 * Hostile patterns take no longer: no step is tried more often than there are places for it.
 */
export function globOf(pattern: string): ((place: string) => boolean) | { readonly problem: string } {
  const patterns = alternatives(pattern)
  if (patterns === undefined)
    return { problem: `The braces stand for more than ${ALTERNATIVES_MAX} patterns. Ask for fewer at once.` }
  const paths = patterns.map((one) => one.split('/').filter((name) => name !== '' && name !== '.'))
  return (place) => {
    const parts = place.split('/')
    return paths.some((path) => starFits(path, parts, { star: '**', fits: globFits }))
  }
}

/** Undefined: too many. An unmatched brace is literal. */
function alternatives(pattern: string): string[] | undefined {
  const done: string[] = []
  const open = [pattern]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    // The innermost braces first, so that the outer ones do not see their commas.
    const [whole, inside = ''] = /\{([^{}]*)\}/.exec(one) ?? []
    if (whole === undefined) done.push(one)
    else for (const choice of inside.split(',')) open.push(one.replace(whole, () => choice))
    if (open.length + done.length > ALTERNATIVES_MAX) return undefined
  }
  return [...new Set(done)]
}
