import { z } from 'zod'
import type { JsonObject } from '../../base/json.ts'
import { lineDifference } from '../../base/line-difference.ts'
import { counted } from '../../base/words.ts'
import { defineTool } from '../define-tool.ts'
import {
  builtIn,
  failed,
  ok,
  type CallContext,
  type Tool,
  type ToolNature,
  type ToolResult,
} from '../tool.ts'
import { placesText, replaceExactly } from './exact-text.ts'
import { refuseText } from './file.ts'
import { problemOf, quoted, textIn, unlessPathError } from './path.ts'
import { isProtectedAnyhow, placesOf, type IsProtected } from './protection.ts'
import type { Decide, Workspace } from './workspace.ts'

export interface FileChange {
  /** Relative to the workspace. */
  readonly path: string
  /** Undefined: the file does not exist yet. */
  readonly before: string | undefined
  readonly after: string
}

export interface WritingParts {
  readonly workspace: Workspace
  readonly isProtected: IsProtected
  /** Asks the person for it; returns the proposal's number. */
  readonly propose: (call: CallContext, change: FileChange) => Promise<number>
}

export const filePath = z.string().describe('In the workspace: "notes/a.md"')

export function writeTool(parts: WritingParts): Tool {
  return defineTool({
    name: 'write',
    description:
      "Make or replace a Markdown file of your workspace. To change a part of one, use `edit`. A routine, a webhook, AGENTS.md or memory.md waits for the person's approval.",
    schema: z.strictObject({ path: filePath, content: z.string().describe('The whole text') }),
    usage: 'Usage: write {"path": "notes/a.md", "content": the whole text}.',
    nature: editing(parts, 'write', (args, place) =>
      shownWrite(place, { before: parts.workspace.glance(place), args }),
    ),
    check: (args) => pathProblem(parts.workspace, args),
    run: ({ path, content }, call) =>
      changeFile(parts, { path, call }, ({ place, before }) => {
        const bytes = Buffer.byteLength(content)
        const done = `${before === undefined ? 'Made' : 'Replaced'} ${place} (${bytes} bytes).`
        return before === content ? ok(`${place} has that text already.`) : { after: content, done }
      }),
  })
}

const editSchema = z
  .strictObject({
    path: filePath,
    old: z.string().min(1, { error: 'it is empty' }).describe('As it stands in the file, spaces too'),
    new: z.string().describe('What replaces it'),
    all: z.boolean().describe('Replace every occurrence').exactOptional(),
  })
  .refine((given) => given.old !== given.new, { error: 'old and new are the same' })

export function editTool(parts: WritingParts): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replace exact text in a Markdown file of your workspace. The text must occur exactly once; `all` replaces it everywhere.',
    schema: editSchema,
    usage: 'Usage: edit {"path": "notes/a.md", "old": exact text, "new": text, "all"?: true}.',
    nature: editing(parts, 'edit', (args, place) => shownEdit(place, args)),
    check: (args) => pathProblem(parts.workspace, args),
    run: ({ path, old, new: fresh, all = false }, call) =>
      changeFile(parts, { path, call }, ({ place, before }) => {
        if (before === undefined)
          return failed(`There is no file ${quoted(place)}. write makes one; glob lists those there are.`)
        const replaced = replaceExactly(before, { old, fresh, howMany: all ? 'all' : 'one' })
        if ('because' in replaced) return failed(`Nothing changed in ${place}: ${replaced.because}`)
        return { after: replaced.text, done: `Changed ${place}, ${placesText(replaced.lines)}.` }
      }),
  })
}

/** One queue for all file tools, so that a read after a write in the same step sees the new text. */
export const FILES_QUEUE = 'files'

/** The nature of tools that change files. They are judged by the file that would really change. */
function editing(
  { workspace, isProtected }: WritingParts,
  tool: string,
  shown: (args: JsonObject, place: string) => string,
): ToolNature {
  const subjectOf = (args: JsonObject): string => {
    const path = textIn(args, 'path')
    return problemOf(() => workspace.realPlace(path)) === undefined ? workspace.realPlace(path) : path
  }
  const patternFor = (args: JsonObject): string => {
    const place = subjectOf(args)
    const end = place.lastIndexOf('/')
    // In a pattern, a star in a name would match any characters.
    const glob = (end < 0 ? place : place.slice(0, end)).replaceAll('*', '?')
    return `${tool}(${end < 0 ? glob : `${glob}/*`})`
  }
  // A proposal changes nothing by itself, so the person is not asked twice.
  const effectOf = (args: JsonObject) =>
    isProtectedAnyhow(isProtected, subjectOf(args)) ? 'steers' : 'edits'
  const shownAs = (args: JsonObject): string => shown(args, subjectOf(args))
  return builtIn('edits', { queue: FILES_QUEUE, effectOf, subjectOf, patternFor, shownAs })
}

function pathProblem(workspace: Workspace, args: JsonObject): string | undefined {
  return problemOf(() => workspace.realPlace(textIn(args, 'path')))
}

/** Writes the file, or proposes the change if only the person may change it. */
function changeFile(
  parts: WritingParts,
  { call, path }: { call: CallContext; path: string },
  /** The new text and the answer once it is written, or an answer without a change. */
  decide: (file: Parameters<Decide>[0]) => { after: string; done: string } | ToolResult,
): Promise<ToolResult> {
  return unlessPathError(async () => {
    let result = failed('Interrupted before anything was written.')
    await parts.workspace.change(path, async (file) => {
      if (call.signal.aborted) return undefined
      const decided = decide(file)
      if (!('after' in decided)) {
        result = decided
        return undefined
      }
      const { place, before } = file
      const { after, done } = decided
      refuseText({ place, text: after })
      const places = await placesOf(parts.workspace, place)
      if (places.some((one) => isProtectedAnyhow(parts.isProtected, one))) {
        const number = await parts.propose(call, { path: place, before, after })
        result = ok(
          `${place} is only changed by the person. The change waits for the person's approval (approval ${number}); it is not done yet.`,
        )
        return undefined
      }
      result = ok(done)
      return after
    })
    return result
  })
}

/** A pending write as a person sees it: the path, and the lines added and removed. */
export function shownWrite(
  place: string,
  { before, args }: { before: string | undefined; args: JsonObject },
): string {
  const after = withoutEnd(textIn(args, 'content'))
  if (before === undefined) return [`${place} (new)`, ...marked('+', after)].join('\n')
  const old = withoutEnd(before)
  const size = counted(old.split('\n').length, 'line')
  return [`${place} (has ${size})`, ...lineDifference(old, after, Number.POSITIVE_INFINITY)].join('\n')
}

export function shownEdit(place: string, args: JsonObject): string {
  const where = args['all'] === true ? `${place} (everywhere)` : place
  return [where, ...marked('-', textIn(args, 'old')), ...marked('+', textIn(args, 'new'))].join('\n')
}

function marked(sign: '+' | '-', text: string): string[] {
  return text.split('\n').map((line) => `${sign} ${line}`)
}

function withoutEnd(text: string): string {
  return text.replace(/\n$/, '')
}
