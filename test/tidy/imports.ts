import { posix } from 'node:path'
import type { Node } from 'oxc-parser'
import { rankOf, roomOf } from './house.ts'
import { complaint, nodesIn, textOf } from './syntax.ts'
import { type SourceFile, isCode, isProduct } from './tree.ts'

type Import = { readonly node: Node; readonly specifier: string; readonly isTypeOnly: boolean }

const imports = new WeakMap<SourceFile, Import[]>()

export const INDEX = 'src/index.ts'

export function importsAgainstDirection(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isProduct(file) && file.path !== INDEX)
    .flatMap((file) =>
      importsOf(file).flatMap(({ node, specifier }) => {
        const target = resolve(file, specifier)
        return target === undefined || mayImport(file.path, target)
          ? []
          : complaint(file, node, `may not import ${target}`)
      }),
    )
}

/** Barrels hide where a thing is defined, and tie knots. */
export function barrels(files: readonly SourceFile[]): string[] {
  return files.filter(isCode).flatMap((file) => {
    const imported = new Set<string>()
    return nodesIn(file).flatMap((node) => {
      if (node.type === 'ImportDeclaration') for (const { local } of node.specifiers) imported.add(local.name)
      if (node.type === 'ExportAllDeclaration') return complaint(file, node, 'exports all of another file')
      if (file.path === INDEX || node.type !== 'ExportNamedDeclaration') return []
      const passesOn = node.specifiers.some(({ local }) => 'name' in local && imported.has(local.name))
      return node.source || passesOn ? complaint(file, node, `re-exports; only ${INDEX} does`) : []
    })
  })
}

/** Cycles of imports, those of types included: `a.ts → b.ts → a.ts`. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const graph = importGraph(files)
  const cycles: string[] = []
  const done = new Set<string>()
  const follow = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    if (trail.includes(path) || done.has(path)) return
    for (const target of graph.get(path) ?? []) follow(target, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) follow(path, [])
  return cycles
}

/** Every module a file names, in whatever form. */
export function importsOf(file: SourceFile): Import[] {
  const known = imports.get(file) ?? nodesIn(file).flatMap((node) => importIn(node) ?? [])
  imports.set(file, known)
  return known
}

export function importIn(node: Node): Import | undefined {
  const specifier = 'source' in node && node.source ? textOf(node.source) : undefined
  return specifier === undefined ? undefined : { node, specifier, isTypeOnly: isTypeOnly(node) }
}

/** The path of the file that a relative import means. */
export function resolve(from: SourceFile, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from.path), specifier) : undefined
}

function isTypeOnly(node: Node): boolean {
  if (node.type === 'ImportDeclaration') return node.importKind === 'type'
  if (node.type === 'ExportNamedDeclaration') return node.exportKind === 'type'
  return node.type === 'TSImportType'
}

function mayImport(from: string, target: string): boolean {
  const [own, other] = [roomOf(from), roomOf(target)]
  return rankOf(own) >= 0 && rankOf(other) >= 0 && (own === other || rankOf(other) < rankOf(own))
}

function importGraph(files: readonly SourceFile[]): Map<string, string[]> {
  return new Map(files.filter(isCode).map((file) => [file.path, targetsOf(file)]))
}

function targetsOf(file: SourceFile): string[] {
  return importsOf(file).flatMap(({ specifier }) => resolve(file, specifier) ?? [])
}
