import { applyEdits, createScanner, type Edit, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import { assert } from '../../base/assert.ts'
import type { Json } from '../../base/json.ts'

/*
 * jsonc-parser's own `modify` puts a new property in front of the comment that belongs to the one before it, and
 * takes the comments around a removed property away. Here every comment stays, and stays on its line.
 */

/** The text with this value at this path. Whatever else it holds stays as it is. */
export function withValue(text: string, path: readonly string[], json: Json): string {
  const whole = parseTree(text) === undefined ? `${text.replace(/(?<=[^\n])$/, '\n')}{\n}\n` : text
  return withInside(whole, objectIn(whole), { path, json })
}

/** A value, and where inside of an object it is to stand. */
interface Placed {
  readonly path: readonly string[]
  readonly json: Json
}

function withInside(text: string, object: Node, { path, json }: Placed): string {
  const [name = '', ...inner] = path
  const present = findNodeAtLocation(object, [name])
  if (present === undefined) return inserted(text, object, { path, json })
  if (inner.length > 0 && present.type === 'object') return withInside(text, present, { path: inner, json })
  const content = nestedText({ path: inner, json }, layoutOf(text, object))
  return applyEdits(text, [{ offset: present.offset, length: present.length, content }])
}

export function hasValue(text: string, path: readonly string[]): boolean {
  const root = parseTree(text, [], { allowTrailingComma: true })
  return root !== undefined && findNodeAtLocation(root, [...path]) !== undefined
}

/** The text without the value at this path. */
export function withoutValue(text: string, path: readonly string[]): string {
  const property = findNodeAtLocation(objectIn(text), [...path])?.parent
  const siblings = property?.parent?.children
  if (property === undefined || siblings === undefined) return text
  const comma = commaAfter(text, endOf(property))
  const before = siblings[siblings.indexOf(property) - 1]
  const spare = comma ?? (before && commaAfter(text, endOf(before)))
  const isOwnComma = comma !== undefined && text.slice(endOf(property), comma).trim() === ''
  const cut = lineCut(text, property.offset, isOwnComma ? comma + 1 : endOf(property))
  const edits = isOwnComma || spare === undefined ? [cut] : [cut, { offset: spare, length: 1, content: '' }]
  return applyEdits(text, edits)
}

function objectIn(text: string): Node {
  const root = parseTree(text, [], { allowTrailingComma: true })
  assert(root?.type === 'object', 'a configuration is changed only when it could be read')
  return root
}

function endOf(node: Node): number {
  return node.offset + node.length
}

/** On one line, with a blank behind each comma. */
function valueText(json: Json): string {
  if (Array.isArray(json)) return `[${json.map(valueText).join(', ')}]`
  if (typeof json !== 'object' || json === null) return JSON.stringify(json)
  const parts = Object.entries(json).map(([name, one]) => `${JSON.stringify(name)}: ${valueText(one)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function inserted(text: string, object: Node, { path, json }: Placed): string {
  const [name = '', ...within] = path
  const last = object.children?.at(-1)
  const anchor = last === undefined ? object.offset + 1 : endOf(last)
  const comma = last && commaAfter(text, anchor)
  const { offset, isLineEnd } = restOfLine(text, comma === undefined ? anchor : comma + 1)
  const layout = layoutOf(text, object)
  const property = `${JSON.stringify(name)}: ${nestedText({ path: within, json }, layout)}${comma === undefined ? '' : ','}`
  const edits: Edit[] = []
  if (last !== undefined && comma === undefined) edits.push({ offset: anchor, length: 0, content: ',' })
  const { eol, outer, inner } = layout
  if (isLineEnd) edits.push({ offset, length: 0, content: `${eol}${inner}${property}` })
  else if (last !== undefined) edits.push({ offset, length: 0, content: ` ${property}` })
  else {
    const length = endOf(object) - 1 - offset
    edits.push({ offset, length, content: `${eol}${inner}${property}${eol}${outer}` })
  }
  return applyEdits(text, edits)
}

/** With the objects around it that its path needs, each on lines of its own. */
function nestedText({ path, json }: Placed, layout: Layout): string {
  const [name, ...within] = path
  if (name === undefined) return valueText(json)
  const { eol, inner, unit } = layout
  const value = nestedText({ path: within, json }, { ...layout, inner: inner + unit })
  return `{${eol}${inner}${unit}${JSON.stringify(name)}: ${value}${eol}${inner}}`
}

// jsonc-parser's names for these are gone at run time.
const CLOSE_BRACE = 2
const COMMA = 5
const COMMENTS: ReadonlySet<number> = new Set([12, 13])
const BLANKS = 15

/** Where the comma behind this offset is, if nothing but blanks and comments is before it. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset)
  const token: number = scanner.scan()
  return token === COMMA ? scanner.getTokenOffset() : undefined
}

/** Behind the comments that follow on the same line. */
function restOfLine(text: string, from: number): { readonly offset: number; readonly isLineEnd: boolean } {
  const scanner = createScanner(text, false)
  scanner.setPosition(from)
  let offset = from
  for (;;) {
    const token: number = scanner.scan()
    if (COMMENTS.has(token)) offset = scanner.getPosition()
    else if (token !== BLANKS) return { offset, isLineEnd: token !== CLOSE_BRACE }
  }
}

interface Layout {
  readonly eol: string
  /** What one level is indented by. */
  readonly unit: string
  readonly outer: string
  readonly inner: string
}

function layoutOf(text: string, object: Node): Layout {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const unit = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  const outer = indentAt(text, object.offset)
  const [first] = object.children ?? []
  const isOnOwnLine = first !== undefined && text.slice(object.offset, first.offset).includes('\n')
  return { eol, unit, outer, inner: isOnOwnLine ? indentAt(text, first.offset) : outer + unit }
}

function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ''
}

/** Takes a piece away, with its line if nothing else is on it, else with the blanks that it leaves. */
function lineCut(text: string, from: number, to: number): Edit {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1
  const isFirst = text.slice(lineStart, from).trim() === ''
  const [blanks = ''] = /^[ \t]*/.exec(text.slice(to)) ?? []
  const [lineEnd] = /^\r?\n/.exec(text.slice(to + blanks.length)) ?? []
  if (isFirst && lineEnd !== undefined) {
    return { offset: lineStart, length: to + blanks.length + lineEnd.length - lineStart, content: '' }
  }
  const isBeforeBrace = text[to + blanks.length] === '}'
  const offset =
    isBeforeBrace && !isFirst ? from - (/[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0) : from
  const end = isBeforeBrace ? to : to + blanks.length
  return { offset, length: end - offset, content: '' }
}
