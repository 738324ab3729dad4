import { z } from 'zod'
import { readAllowedTools } from '../tool/allowed-tools.ts'
import type { Skill } from './skill.ts'
import { type Field, parseFrontMatter, splitFrontMatter } from '../base/front-matter.ts'

/** The fields of a SKILL.md. */
export interface SkillFields extends Pick<
  Skill,
  'name' | 'description' | 'body' | 'allowedTools' | 'warnings'
> {
  /** Programs that it needs. */
  readonly bins: readonly string[]
}

export interface FieldsProblem {
  /** Null: the file as a whole. */
  readonly line: number | null
  readonly because: string
}

/** Everything else in `metadata` belongs to other programs. */
const binsSchema = z.object({ requires: z.object({ bins: z.unknown() }) })

const fieldsSchema = z.object({
  name: z.string('name must be a text').trim().default(''),
  description: z.string('description must be a text').trim().default(''),
  'allowed-tools': names('allowed-tools'),
  metadata: z.preprocess(
    (metadata) => binsSchema.safeParse(metadata).data?.requires.bins,
    names('metadata.requires.bins'),
  ),
})

function names(key: string) {
  const problem = `${key} must be a list of names, or a text with names separated by commas`
  return z.union([z.string(), z.array(z.string())], problem).default('')
}

/** Never a path, and nothing that could end a heading or a list entry. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._:+&-]{0,63}$/u
const NAME_RULE =
  'A name has 1 to 64 letters, digits, blanks or . _ - : + & and begins with a letter, a digit or _'

/** Reads a SKILL.md; if it gives no name, the folder's name is used. */
export async function readSkillFields(content: string, folder: string): Promise<SkillFields | FieldsProblem> {
  const { matter, body } = splitFrontMatter(content)
  const parsed = matter === null ? { fields: NONE, warnings: [] } : await parseFrontMatter(matter)
  if ('because' in parsed) return parsed
  const wrong = (key: string, because: string) => ({ line: parsed.fields.get(key)?.line ?? null, because })
  const values = [...parsed.fields].map(([key, { value }]) => [key, value])
  const { data, error } = fieldsSchema.safeParse(Object.fromEntries(values))
  if (error) return wrong(String(error.issues[0]?.path[0]), error.issues[0]?.message ?? '')
  const { name, description, metadata: bins } = data
  if (name !== '' && !NAME.test(name))
    return wrong('name', `'${name.slice(0, 80)}' is not a valid skill name. ${NAME_RULE}`)
  if (name === '' && !NAME.test(folder)) {
    const because = `its folder's name '${folder}' is not a valid skill name. ${NAME_RULE}`
    return { line: null, because: `${because}: give it a name in its front matter` }
  }
  const allowed = readAllowedTools(data['allowed-tools'])
  const warnings = [...parsed.warnings, ...allowed.warnings]
  if (description === '')
    warnings.push(
      'It has no description, so a model cannot tell when to use it: add one to its front matter.',
    )
  return {
    name: name || folder,
    description,
    body,
    allowedTools: allowed.tools,
    bins: (typeof bins === 'string' ? bins.split(/[\s,]+/) : bins)
      .map((bin) => bin.trim())
      .filter((bin) => bin !== ''),
    warnings,
  }
}

const NONE: ReadonlyMap<string, Field> = new Map()
