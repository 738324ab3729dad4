import { z } from 'zod'
import type { ToolSpec } from '../../event/prompt.ts'
import { argumentProblem, readArguments } from '../read-arguments.ts'
import { failed, type Tool } from '../tool.ts'
import { placesText, replaceExactly } from './exact-text.ts'
import { quoted } from './path.ts'
import { shownEdit } from './shown-change.ts'
import { changeFile, editing, pathProblem, type WritingParts } from './write-tool.ts'

const spec: ToolSpec = {
  name: 'edit',
  description: 'Replaces exact text in a file: what occurs once, or all.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      old: { type: 'string' },
      new: { type: 'string' },
      all: { type: 'boolean' },
    },
    required: ['path', 'old', 'new'],
  },
}

const USAGE = 'Usage: edit {"path": "notes/a.md", "old": exact text, "new": text, "all"?: true}.'

const argumentsSchema = z
  .strictObject({
    path: z.string(),
    old: z.string().min(1, { error: 'it is empty' }),
    new: z.string(),
    all: z.boolean().exactOptional(),
  })
  .refine((given) => given.old !== given.new, { error: 'old and new are the same' })

export function editTool(parts: WritingParts): Tool {
  return {
    spec,
    nature: editing(parts, spec.name, (args, place) => shownEdit(place, args)),
    check: (args) => argumentProblem(argumentsSchema, args, USAGE) ?? pathProblem(parts.workspace, args),
    run: (args, call) => {
      const read = readArguments(argumentsSchema, args, USAGE)
      if ('misfit' in read) return Promise.resolve(read.misfit)
      const { path, old, new: fresh, all = false } = read.is
      return changeFile(parts, { tool: spec.name, path, call }, ({ place, before }) => {
        if (before === undefined)
          return failed(`There is no file ${quoted(place)}. write makes one; glob lists those there are.`)
        const replaced = replaceExactly(before, { old, fresh, howMany: all ? 'all' : 'one' })
        if (replaced.kind === 'refused') return failed(`Nothing changed in ${place}: ${replaced.because}`)
        return { after: replaced.text, done: `Changed ${place}, ${placesText(replaced.lines)}.` }
      })
    },
  }
}
