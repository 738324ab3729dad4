import { complaint, placesIn } from './syntax.ts'
import { type SourceFile, isOfPage, isProduct } from './tree.ts'

/** Words that say nothing about what a thing is. Names given here; what a library calls its parts is its own affair. */
export function emptyNames(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isProduct(file) || isOfPage(file))
    .flatMap((file) => emptyPaths(file).concat(emptyIdentifiers(file)))
}

function emptyPaths({ path }: SourceFile): string[] {
  const parts = path.split('/').map((part) => part.replace(/\.tsx?$/, ''))
  return parts
    .filter((part) => /^(?:helpers?|utils?|common)$|(?:^|-)(?:manager|service|handler|v2)$/i.test(part))
    .map((part) => `${path} has an empty name: ${part}`)
}

function emptyIdentifiers(file: SourceFile): string[] {
  const complaints = new Map<string, string>()
  for (const { node, parent, key } of placesIn(file)) {
    if (node.type !== 'Identifier' && node.type !== 'PrivateIdentifier') continue
    const isForeign = key === 'imported' || (key === 'property' && parent?.type === 'MemberExpression')
    if (isForeign || complaints.has(node.name) || !/(?:Manager|Service|Handler|V2)$/.test(node.name)) continue
    complaints.set(node.name, complaint(file, node, `has an empty name: ${node.name}`))
  }
  return [...complaints.values()]
}
