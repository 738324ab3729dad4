import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { cutText } from '../../base/words.ts'
import type { Json } from '../../base/json.ts'
import { isTooDeep, syntaxText } from '../../base/json-syntax.ts'
import { isKey, nearestKey } from '../table/key.ts'
import { keys } from '../table/settings.ts'
import { type Found, NOTHING, type Problem, type Reading } from '../table/source.ts'

/** Reads HOME/config.json: JSON in which comments and trailing commas are allowed. */
export function readJsonFile(path: string, text: string): Reading {
  const tree = parseJsonFile(path, text)
  if (tree === undefined) return NOTHING
  if ('keys' in tree) return { ...NOTHING, problems: [tree] }
  const walk: Walk = { path, text, found: [], problems: [] }
  readProperties(walk, tree, '')
  return { found: walk.found, problems: walk.problems, warnings: [] }
}

/** The object in the file; undefined if it is empty; or why it cannot be read. */
export function parseJsonFile(path: string, text: string): Node | Problem | undefined {
  if (isTooDeep(text)) return { keys: [], text: `${path} is nested too deeply for a configuration.` }
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [error] = errors
  // What follows the first error is mostly its consequence.
  if (error !== undefined) {
    const where = placeText(path, text, error.offset)
    return { keys: [], text: `${where}: ${syntaxText(error.error)}. Fix that line.` }
  }
  if (tree === undefined || tree.type === 'object') return tree
  return { keys: [], text: `${path} must contain an object: { … }. Put braces around the settings.` }
}

export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

/** The name and the value of a property; a tree without errors has both. */
function partsOf(property: Node): { readonly name: string; readonly value: Node } | undefined {
  const [name, value] = property.children ?? []
  return name && value ? { name: String(name.value), value } : undefined
}

interface Walk {
  readonly path: string
  readonly text: string
  readonly found: Found[]
  readonly problems: Problem[]
}

const heads = new Set<string>(keys.filter((key) => key.includes('.')).map((key) => key.replace(/\..*$/, '')))

function readProperties(walk: Walk, object: Node, prefix: string): void {
  const seen = new Map<string, number>()
  for (const property of object.children ?? []) {
    const parts = partsOf(property)
    if (parts === undefined) continue
    const { name, value } = parts
    const first = seen.get(name)
    if (first === undefined) readProperty(walk, { prefix, name, value })
    else problem(walk, property, `${shortName(name)} is a duplicate of line ${first}. Keep one of them.`)
    seen.set(name, first ?? lineAndColumn(walk.text, property.offset).line)
  }
}

function readProperty(
  walk: Walk,
  { prefix, name, value }: { prefix: string; name: string; value: Node },
): void {
  const { path, text } = walk
  const key = `${prefix}${name}`
  if (key === '$schema') return
  if (heads.has(key)) {
    if (value.type === 'object') readProperties(walk, value, `${key}.`)
    else {
      const inner = keys.find((one) => one.startsWith(`${key}.`))?.slice(key.length + 1)
      problem(walk, value, `${key} must be an object: { "${inner}": … }.`)
    }
    // "keys.anthropic" in one word is refused: those who change the file look for "anthropic" inside "keys".
  } else if (isKey(key) && !name.includes('.')) {
    const raw = text.slice(value.offset, value.offset + value.length)
    const source = { kind: 'file', path, ...lineAndColumn(text, value.offset) } as const
    walk.found.push({ key, source, json: getNodeValue(value) as Json, raw })
  } else problem(walk, value.parent ?? value, `there is no setting ${shortName(key)}.${meantText(key)}`)
}

function meantText(name: string): string {
  const near = nearestKey(name)
  if (near === undefined) return " 'mainstem config list' lists all."
  const [head, tail] = near.split('.')
  return ` Did you mean ${tail === undefined ? near : `"${head}": { "${tail}": … }`}?`
}

const NAME_SHOWN_MAX = 60

function shortName(name: string): string {
  return JSON.stringify(cutText(name, NAME_SHOWN_MAX))
}

function problem({ path, text, problems }: Walk, node: Node, what: string): void {
  problems.push({ keys: [], text: `${placeText(path, text, node.offset)}: ${what}` })
}

function placeText(path: string, text: string, offset: number): string {
  const { line, column } = lineAndColumn(text, offset)
  return `${path}, line ${line}, column ${column}`
}
