import { type Node, type Program, parseSync, visitorKeys } from 'oxc-parser'
import type { SourceFile } from './tree.ts'

/** A node, and where it hangs: `parent[key]` is the node or a list that holds it. */
export type Place = { readonly node: Node; readonly parent: Node | undefined; readonly key: string }

const parsed = new WeakMap<SourceFile, Program>()

export function placesIn(file: SourceFile): Place[] {
  const places: Place[] = []
  collect({ node: programOf(file), parent: undefined, key: '' }, places)
  return places
}

export function nodesIn(file: SourceFile): Node[] {
  return placesIn(file).map(({ node }) => node)
}

/** The text a string, a template or a sum of them spells; what is only known at run time is left out. */
export function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'TemplateLiteral') return node.quasis.map((part) => part.value.cooked).join('')
  if (node.type === 'BinaryExpression') return (textOf(node.left) ?? '') + (textOf(node.right) ?? '')
  return undefined
}

/** The name that an identifier or a quoted key spells. */
export function nameIn(node: Node): string | undefined {
  return 'name' in node && typeof node.name === 'string' ? node.name : textOf(node)
}

export function lineAt(file: SourceFile, offset: number): number {
  return file.text.slice(0, offset).split('\n').length
}

export function complaint(file: SourceFile, node: Node, message: string): string {
  return `${file.path}:${lineAt(file, node.start)} ${message}`
}

function programOf(file: SourceFile): Program {
  const known = parsed.get(file)
  if (known) return known
  const { program, errors } = parseSync(file.path, file.text, { preserveParens: false })
  // A file that does not parse has an empty program, in which no check would find anything.
  if (errors[0]) throw new Error(`${file.path} does not parse: ${errors[0].message}`)
  parsed.set(file, program)
  return program
}

function collect(place: Place, places: Place[]): void {
  places.push(place)
  for (const key of visitorKeys[place.node.type] ?? []) {
    const value: unknown = Reflect.get(place.node, key)
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) collect({ node: child, parent: place.node, key }, places)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}
