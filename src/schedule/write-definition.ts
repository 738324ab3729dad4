import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../base/json.ts'
import { oneLine, shorten } from '../base/width.ts'
import type { Definition } from './definition.ts'
import { fieldsOf } from './definition-fields.ts'
import { readDefinition } from './read-definition.ts'

/** A definition that no file can express. The message says why, and what to do. */
export class UnwritableDefinition extends Error {
  override readonly name = 'UnwritableDefinition'
}

/** The text of a file that is read as this definition, or an `UnwritableDefinition`. */
export async function definitionText(definition: Definition): Promise<string> {
  const text = `---\n${await matterOf(definition)}---\n${definition.body}\n`
  if (!text.isWellFormed())
    throw new UnwritableDefinition(
      'The text has half a character in it (a lone surrogate), which no file can hold. Remove it.',
    )
  const { kind } = definition
  const read = await readDefinition({ file: `${kind}s/${kind}.md`, text }, { kind, due: 'optional' })
  if ('problem' in read)
    throw new UnwritableDefinition(
      `A file cannot hold this: ${read.problem.reason.replace(/^\w/, (letter) => letter.toLowerCase())}`,
    )
  const difference = differenceIn(definition, read.definition)
  if (difference !== undefined) throw new UnwritableDefinition(difference)
  return text
}

/** Characters that look like a line of their own, or like nothing, are written with escapes. */
const ODD = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** Fields with their default are left out. */
async function matterOf(definition: Definition): Promise<string> {
  const { Document, Scalar, visit } = await import('yaml')
  const fields = fieldsOf(definition.kind).flatMap(({ key, type, get, otherwise }): [string, Json][] => {
    const value = get(definition)
    if (value === null || isSame(value, otherwise(definition))) return []
    return [[key, type.write?.(value) ?? (value as Json)]]
  })
  const matter = Object.fromEntries([['id', definition.id], ...fields])
  // Aliases are hard to read for people: a value that occurs twice is written twice.
  const document = new Document(matter, { schema: 'core', aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && ODD.test(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString({ lineWidth: 0, doubleQuotedAsJSON: true })
}

/** The first field that would be read back as something else. */
function differenceIn(given: Definition, read: Definition): string | undefined {
  if (given.body !== read.body)
    return 'The task begins or ends with blanks or empty lines, which are not read back from a file. Remove them.'
  const id = { key: 'id', get: (definition: Definition): unknown => definition.id }
  const other = [id, ...fieldsOf(given.kind)].find(({ get }) => !isSame(get(given), get(read)))
  return (
    other &&
    `${other.key} is ${shown(other.get(given))} and would be read back from its file as ${shown(other.get(read))}. Write it as that, or in another way.`
  )
}

function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other))
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null))
}

function shown(value: unknown): string {
  return shorten(oneLine(JSON.stringify(value ?? null)), 60)
}
