import type { Node } from 'oxc-parser'
import { complaint, nodesIn, textOf } from './syntax.ts'
import { type SourceFile, isCode, isTest } from './tree.ts'

type Law = { readonly id: string; readonly status: string | undefined }
type Citation = { readonly id: string; readonly file: SourceFile; readonly node: Node }

const RUNNERS = new Set(['test', 'it', 'describe', 'suite'])

/** SPEC.md and the titles of the tests agree. */
export function lawsWithoutProof(files: readonly SourceFile[]): string[] {
  const laws = files.filter(({ path }) => path === 'SPEC.md').flatMap(({ text }) => lawsIn(text))
  const citations = files.filter((file) => isCode(file) && isTest(file)).flatMap(citationsIn)
  if (laws.length === 0) return ['SPEC.md has no laws']
  return [...wrongLaws(laws, citations), ...wrongCitations(laws, citations)]
}

function lawsIn(spec: string): Law[] {
  const lines = spec.matchAll(/^- \*\*([A-Z]+\d+)\*\*(?: \((active|planned)\) \S)?/gm)
  return Array.from(lines, ([, id = '', status]) => ({ id, status }))
}

function citationsIn(file: SourceFile): Citation[] {
  return nodesIn(file).flatMap((node) =>
    Array.from(titleOf(node).matchAll(/\[([A-Z]+\d+)\]/g), ([, id = '']) => ({ id, file, node })),
  )
}

function titleOf(node: Node): string {
  if (node.type !== 'CallExpression' || !node.arguments[0] || !RUNNERS.has(rootOf(node.callee))) return ''
  return textOf(node.arguments[0]) ?? ''
}

/** `test` of `test.each(table)`, of `test.concurrent`, of plain `test`. */
function rootOf(callee: Node): string {
  if (callee.type === 'Identifier') return callee.name
  if (callee.type === 'MemberExpression') return rootOf(callee.object)
  if (callee.type === 'CallExpression') return rootOf(callee.callee)
  if (callee.type === 'TaggedTemplateExpression') return rootOf(callee.tag)
  return ''
}

function wrongLaws(laws: readonly Law[], citations: readonly Citation[]): string[] {
  const cited = new Set(citations.map(({ id }) => id))
  return laws.flatMap(({ id, status }, index) => {
    if (laws.findIndex((law) => law.id === id) < index) return `SPEC.md has ${id} twice`
    if (status === undefined) return `SPEC.md does not say whether ${id} is (active) or (planned)`
    if (status === 'active' && !cited.has(id)) return `${id} is active, but no test cites it`
    return []
  })
}

function wrongCitations(laws: readonly Law[], citations: readonly Citation[]): string[] {
  return citations.flatMap(({ id, file, node }) => {
    const law = laws.find((law) => law.id === id)
    if (!law) return complaint(file, node, `cites ${id}, which is no law in SPEC.md`)
    if (law.status === 'planned')
      return complaint(file, node, `cites ${id}, which is planned: make it active`)
    return []
  })
}
