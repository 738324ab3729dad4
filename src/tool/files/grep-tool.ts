import { z } from 'zod'
import { cutText } from '../../base/words.ts'
import { stopwatchMs } from '../../base/clock.ts'
import { fence } from '../../event/fence.ts'
import { defineTool } from '../define-tool.ts'
import { builtIn, failed, ok, type Tool, type ToolResult } from '../tool.ts'
import { NOT_WHOLE } from './glob-tool.ts'
import { HITS_MAX, LINE_CHARS_MAX, searchLines, type LineSearch } from './line-search.ts'
import type { Listed } from './listing.ts'
import { ifPathError, quoted, unlessPathError } from './path.ts'
import { FILES_QUEUE } from './write-tool.ts'
import type { Workspace } from './workspace.ts'

const PATTERN_CHARS_MAX = 1_000
const TIMEOUT_MS = 2_000
/** How many files are read and searched at once, and how much is read in all. */
const BATCH_FILES = 16
const CHARS_MAX = 64 * 1024 * 1024
const LINE_SHOWN_MAX = 300

const USAGE =
  'Usage: grep {"pattern": regular expression or words, "path"?: file or folder, "ignore_case"?: true}.'

const argumentsSchema = z.strictObject({
  pattern: z.string().min(1).max(PATTERN_CHARS_MAX).describe('A regular expression, or words'),
  path: z.string().describe('A file or a folder; everything unless given').exactOptional(),
  ignore_case: z.boolean().describe('Take "Porto" and "porto" as the same').exactOptional(),
})

export function grepTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'grep',
    description: 'Find lines of the Markdown files of your workspace by a regular expression.',
    schema: argumentsSchema,
    usage: USAGE,
    nature: builtIn('looks', { queue: FILES_QUEUE }),
    run: ({ pattern, path = '.', ignore_case: ignoreCase = false }, { signal }) =>
      unlessPathError(async () => {
        const folder = workspace.folderPlace(path)
        const { files, isWhole } = await workspace.list()
        const isAsked = (place: string): boolean =>
          ['', place].includes(folder) || place.startsWith(`${folder}/`)
        const asked = once(files.filter(({ place }) => isAsked(place)))
        if (asked.length === 0)
          return failed(`There is no Markdown file at ${quoted(path)}. glob lists those there are.`)
        const search = searchLines({ pattern, ignoreCase, timeoutMs: TIMEOUT_MS, now: stopwatchMs, signal })
        try {
          const found = await searchFiles(workspace, search, asked)
          return resultOf(found, { pattern, isWhole })
        } finally {
          await search.close()
        }
      }),
  })
}

/** A file that several links lead to is searched under one of its names. */
function once(files: readonly Listed[]): readonly Listed[] {
  const known = new Map(files.map((file) => [file.real, file]))
  for (const file of files) if (file.real === file.place) known.set(file.real, file)
  return files.filter((file) => known.get(file.real) === file)
}

interface Found {
  readonly lines: string[]
  unread: number
  isCut: boolean
  readonly end: 'all' | 'late' | 'enough' | 'much'
}

async function searchFiles(
  workspace: Workspace,
  search: LineSearch,
  files: readonly Listed[],
): Promise<Found> {
  const found: Found = { lines: [], unread: 0, isCut: false, end: 'all' }
  let chars = 0
  for (let from = 0; from < files.length; from += BATCH_FILES) {
    const places = files.slice(from, from + BATCH_FILES).map(({ place }) => place)
    const texts = await Promise.all(places.map((place) => workspace.read(place).catch(ifPathError)))
    found.unread += texts.filter((text) => text === undefined).length
    const hits = await search.search(texts.map((text) => text ?? ''))
    if (hits === undefined) return { ...found, end: 'late' }
    for (const [index, place] of places.entries()) {
      found.isCut ||= hits[index]?.isCut ?? false
      for (const { line, text } of hits[index]?.hits ?? [])
        found.lines.push(`${place}:${line}: ${cutText(text, LINE_SHOWN_MAX)}`)
    }
    if (found.lines.length > HITS_MAX) return { ...found, end: 'enough' }
    chars += texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
    if (chars > CHARS_MAX) return { ...found, end: 'much' }
  }
  return found
}

const ENDS: Readonly<Record<Found['end'], string>> = {
  all: '',
  late: `(Stopped after ${TIMEOUT_MS / 1_000} s; the rest was not searched. Use a simpler pattern or a path.)`,
  enough: `(More lines match; these are the first ${HITS_MAX}. Narrow the pattern or give a path.)`,
  much: '(There is too much text to search at once. Give a path.)',
}

function resultOf(found: Found, { pattern, isWhole }: { pattern: string; isWhole: boolean }): ToolResult {
  const notes = [
    ENDS[found.end],
    found.isCut ? `(Lines were searched up to ${LINE_CHARS_MAX} characters.)` : '',
    found.unread > 0 ? `(Files that cannot be read and were not searched: ${found.unread}.)` : '',
    isWhole ? '' : NOT_WHOLE,
  ].filter((note) => note !== '')
  if (found.lines.length === 0) {
    if (found.end === 'late')
      return failed(`Nothing was found for ${quoted(pattern)} so far. ${notes.join('\n')}`)
    return ok([`No line fits ${quoted(pattern)}.`, ...notes].join('\n'))
  }
  return ok([fence('grep', found.lines.slice(0, HITS_MAX).join('\n')), ...notes].join('\n'))
}
