import { readAllowedTools } from '../tool/allowed-tools.ts'
import type { Skill } from './skill.ts'
import { type Field, parseFrontMatter, splitFrontMatter, type Value } from '../base/front-matter.ts'

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

/** Reads a SKILL.md; if it gives no name, the folder's name is used. */
export async function readSkillFields(content: string, folder: string): Promise<SkillFields | FieldsProblem> {
  const { matter, body } = splitFrontMatter(content)
  const parsed = matter === null ? { fields: NONE, warnings: [] } : await parseFrontMatter(matter)
  if ('because' in parsed) return parsed
  const { fields } = parsed
  const problem = wrongType(fields) ?? wrongName(fields, folder)
  if (problem !== undefined) return problem
  const description = textOf(fields.get('description'))
  const allowed = readAllowedTools(fields.get('allowed-tools')?.value ?? '')
  const warnings = [...parsed.warnings, ...allowed.warnings]
  if (description === '')
    warnings.push(
      'It has no description, so a model cannot tell when to use it: add one to its front matter.',
    )
  const bins = binsIn(fields.get('metadata')?.value)
  return {
    name: nameIn(fields, folder),
    description,
    body,
    allowedTools: allowed.tools,
    bins: entriesOf(bins ?? ''),
    warnings,
  }
}

type Fields = ReadonlyMap<string, Field>

const NONE: Fields = new Map()

function wrongType(fields: Fields): FieldsProblem | undefined {
  for (const key of ['name', 'description'] as const) {
    const field = fields.get(key)
    if (field !== undefined && typeof field.value !== 'string')
      return { line: field.line, because: `${key} must be a text` }
  }
  const tools = fields.get('allowed-tools')
  if (tools !== undefined && !isTextOrTexts(tools.value))
    return { line: tools.line, because: `allowed-tools must be ${LIST}` }
  const metadata = fields.get('metadata')
  const bins = binsIn(metadata?.value)
  if (metadata !== undefined && bins !== undefined && !isTextOrTexts(bins))
    return { line: metadata.line, because: `metadata.requires.bins must be ${LIST}` }
  return undefined
}

const LIST = 'a list of names, or a text with names separated by commas'

function isTextOrTexts(value: Value): value is string | readonly string[] {
  return (
    typeof value === 'string' || (Array.isArray(value) && value.every((entry) => typeof entry === 'string'))
  )
}

/** Never a path, and nothing that could end a heading or a list entry. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._:+&-]{0,63}$/u

function wrongName(fields: Fields, folder: string): FieldsProblem | undefined {
  const name = nameIn(fields, folder)
  if (NAME.test(name)) return undefined
  const rule =
    'A name has 1 to 64 letters, digits, blanks or . _ - : + & and begins with a letter, a digit or _'
  const field = fields.get('name')
  if (textOf(field) === '')
    return {
      line: null,
      because: `its folder's name '${name}' is not a valid skill name. ${rule}: give it a name in its front matter`,
    }
  return { line: field?.line ?? null, because: `'${name.slice(0, 80)}' is not a valid skill name. ${rule}` }
}

function nameIn(fields: Fields, folder: string): string {
  return textOf(fields.get('name')) || folder
}

function textOf(field: Field | undefined): string {
  return typeof field?.value === 'string' ? field.value.trim() : ''
}

/** `metadata.requires.bins`; everything else in `metadata` belongs to other programs. */
function binsIn(metadata: Value | undefined): Value | undefined {
  return entryOf(entryOf(metadata, 'requires'), 'bins')
}

function entryOf(value: Value | undefined, key: string): Value | undefined {
  if (value === undefined || typeof value === 'string' || Array.isArray(value)) return undefined
  return Object.hasOwn(value, key) ? (value as Record<string, Value>)[key] : undefined
}

function entriesOf(value: Value): string[] {
  const texts =
    typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value.map(String) : []
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}
