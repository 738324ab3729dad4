import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { failed, type Tool } from '../tool.ts'
import { placesText, replaceExactly } from './exact-text.ts'
import { quoted } from './path.ts'
import { shownEdit } from './shown-change.ts'
import { changeFile, editing, pathProblem, type WritingParts } from './write-tool.ts'

const argumentsSchema = z
  .strictObject({
    path: z.string(),
    old: z.string().min(1, { error: 'it is empty' }),
    new: z.string(),
    all: z.boolean().exactOptional(),
  })
  .refine((given) => given.old !== given.new, { error: 'old and new are the same' })

export function editTool(parts: WritingParts): Tool {
  return defineTool({
    name: 'edit',
    description: 'Replaces exact text in a file: what occurs once, or all.',
    schema: argumentsSchema,
    usage: 'Usage: edit {"path": "notes/a.md", "old": exact text, "new": text, "all"?: true}.',
    nature: editing(parts, 'edit', (args, place) => shownEdit(place, args)),
    check: (args) => pathProblem(parts.workspace, args),
    run: ({ path, old, new: fresh, all = false }, call) =>
      changeFile(parts, { path, call }, ({ place, before }) => {
        if (before === undefined)
          return failed(`There is no file ${quoted(place)}. write makes one; glob lists those there are.`)
        const replaced = replaceExactly(before, { old, fresh, howMany: all ? 'all' : 'one' })
        if (replaced.kind === 'refused') return failed(`Nothing changed in ${place}: ${replaced.because}`)
        return { after: replaced.text, done: `Changed ${place}, ${placesText(replaced.lines)}.` }
      }),
  })
}
