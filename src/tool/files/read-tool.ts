import { z } from 'zod'
import { fence } from '../../event/fence.ts'
import { defineTool } from '../define-tool.ts'
import { builtIn, failed, ok, type Tool } from '../tool.ts'
import { quoted, unlessPathError } from './path.ts'
import { filePath, FILES_QUEUE } from './write-tool.ts'
import type { Workspace } from './workspace.ts'

const LINES = 2_000
const SHOWN_BYTES_MAX = 64 * 1024

const USAGE = 'Usage: read {"path": "notes/a.md", "offset"?: first line, from 1, "limit"?: lines}.'

const argumentsSchema = z.strictObject({
  path: filePath,
  offset: z.int().min(1).describe('The first line; 1 unless given').exactOptional(),
  limit: z.int().min(1).describe('How many lines').exactOptional(),
})

export function readTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'read',
    description: 'Read a Markdown file of your workspace (notes, todo.md, routines/…).',
    schema: argumentsSchema,
    usage: USAGE,
    nature: builtIn('looks', { queue: FILES_QUEUE }),
    run: ({ path, offset = 1, limit = LINES }) =>
      unlessPathError(async () => {
        const place = workspace.place(path)
        const text = await workspace.read(path)
        if (text === undefined)
          return failed(
            `There is no file ${quoted(place)}. glob {"pattern": "**/*.md"} lists those there are.`,
          )
        if (text === '') return ok(`${place} is empty.`)
        const part = partOf(text, { offset, limit })
        if (part === undefined)
          return failed(
            `${quoted(place)} has ${linesOf(text).length} lines, so none from ${offset} on. ${USAGE}`,
          )
        return ok(`${fence(`file:${place}`, part.text)}${part.note}`)
      }),
  })
}

/** With their line ends, so that joined they are the text again. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** `note` is in the host's own words, which stay outside the fence. */
function partOf(whole: string, { offset, limit }: { offset: number; limit: number }) {
  const lines = linesOf(whole)
  const asked = lines.slice(offset - 1, offset - 1 + limit)
  const [first] = asked
  if (first === undefined) return undefined
  const fitting = asked.slice(0, fittingCount(asked))
  const next = offset + fitting.length
  const isLeft = next <= lines.length
  const count = `of ${lines.length}`
  if (fitting.length === 0) {
    const note = `\n(Line ${offset} ${count} is longer than ${SHOWN_BYTES_MAX} bytes; only its beginning is shown. The next one: "offset": ${offset + 1}.)`
    return { text: cut(first), note }
  }
  const note = `\n(Lines ${offset} to ${next - 1} ${count}${isLeft ? `; for more, "offset": ${next}` : ''}.)`
  return { text: fitting.join(''), note: isLeft || offset > 1 ? note : '' }
}

function fittingCount(lines: readonly string[]): number {
  let bytes = 0
  const end = lines.findIndex((line) => (bytes += Buffer.byteLength(line)) > SHOWN_BYTES_MAX)
  return end < 0 ? lines.length : end
}

function cut(line: string): string {
  const bytes = Buffer.from(line).subarray(0, SHOWN_BYTES_MAX)
  // Leaves out a character that was cut in two.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}
