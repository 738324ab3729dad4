import type { Node } from 'oxc-parser'
import { type Place, complaint, lineAt, nameIn, placesIn } from './syntax.ts'
import { type SourceFile, isOfPage, isProduct, isSource } from './tree.ts'

type Measured = {
  readonly name: string
  readonly lines: number
  readonly file: SourceFile
  readonly node: Node
}

const FILE_LINES_MAX = 500
const FUNCTION_LINES_MAX = 70
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

export function longFiles(files: readonly SourceFile[]): string[] {
  return files
    .filter(
      (file) =>
        (isSource(file) || isOfPage(file)) && linesOf(file) > FILE_LINES_MAX && !opensWithReason(file),
    )
    .map((file) => `${file.path} has ${linesOf(file)} lines and no reason in its first`)
}

export function longFunctions(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isProduct(file) || isOfPage(file))
    .flatMap(functionsIn)
    .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
    .map(({ file, node, name, lines }) => complaint(file, node, `${name} has ${lines} lines`))
}

export function sizeReport(files: readonly SourceFile[]): string {
  const product = files.filter(isProduct)
  const lines = product.reduce((sum, file) => sum + linesOf(file), 0)
  const [largest] = product.toSorted((a, b) => linesOf(b) - linesOf(a))
  const [longest] = product.flatMap(functionsIn).toSorted((a, b) => b.lines - a.lines)
  return [
    `src: ${lines} lines in ${product.length} files, tests not counted`,
    `web: ${files.filter(isOfPage).reduce((sum, file) => sum + linesOf(file), 0)} lines of code`,
    `largest file: ${largest ? `${largest.path}, ${linesOf(largest)} lines` : 'none'}`,
    `longest function: ${longest ? `${longest.name} in ${longest.file.path}, ${longest.lines} lines` : 'none'}`,
  ].join('\n')
}

function linesOf({ text }: SourceFile): number {
  return text.trimEnd().split('\n').length
}

/** Three words at least: less is a label, not a reason. */
function opensWithReason({ text }: SourceFile): boolean {
  return /^\/[/*]+(?:[ \t]+[^\s*]+){3}/.test(text)
}

function functionsIn(file: SourceFile): Measured[] {
  return placesIn(file)
    .filter(({ node }) => FUNCTIONS.has(node.type))
    .map((place) => ({ file, node: place.node, name: nameAt(place), lines: heightOf(file, place.node) }))
}

function heightOf(file: SourceFile, node: Node): number {
  return lineAt(file, node.end) - lineAt(file, node.start) + 1
}

/** A function is called by its own name, or by that of the variable or key which holds it. */
function nameAt({ node, parent }: Place): string {
  const holders = [
    'id' in node ? node.id : undefined,
    parent && 'id' in parent ? parent.id : undefined,
    parent && 'key' in parent ? parent.key : undefined,
  ]
  const names = holders.map((holder) => (holder ? nameIn(holder) : undefined))
  return names.find((name) => name !== undefined) ?? 'a nameless function'
}
