import { isBuiltin } from 'node:module'
import type { Node } from 'oxc-parser'
import { importIn, importsOf, resolve } from './imports.ts'
import { type Place, complaint, nameIn, nodesIn, placesIn, textOf } from './syntax.ts'
import { type SourceFile, isProduct } from './tree.ts'

type Use = { readonly node: Node; readonly name: string }
type Aliases = ReadonlyMap<string, string>

/** What makes a run unrepeatable comes in through one door each. */
const ROOMS = [
  {
    uses: /^(?:Date\.now|Date\(\)|(?:perf_hooks\.)?performance\.now|process\.hrtime)$/,
    door: /^src\/base\/clock\.ts$/,
  },
  {
    uses: /^(?:Math\.random|crypto\.(?:webcrypto\.)?(?:random\w+|getRandomValues))$/,
    door: /^src\/base\/random\.ts$/,
  },
  {
    uses: /^(?:process\.(?:stdout|stderr)|console\.\w+)$/,
    door: /^src\/(?:cli\/main|cli\/talk\/chat|channel\/terminal\/screen\/screen)\.ts$/,
  },
  { uses: /^process\.env$/, door: /^src\/(?:base\/environment\.ts$|config\/)/ },
]

export function usesOutsideTheirRoom(files: readonly SourceFile[]): string[] {
  return files.filter(isProduct).flatMap((file) => {
    const closed = ROOMS.filter(({ door }) => !door.test(file.path))
    return usesIn(file)
      .filter(({ name }) => closed.some(({ uses }) => uses.test(name)))
      .map(({ node, name }) => complaint(file, node, `uses ${name} outside its room`))
  })
}

/** event/ and context/, and all they load, run in a browser. */
export function unfitForBrowsers(files: readonly SourceFile[]): string[] {
  return loadedBy(files, /^src\/(?:event|context)\//).flatMap((file) =>
    placesIn(file).flatMap((place) => {
      const missing = builtinAt(place) ?? globalAt(place)
      return missing === undefined ? [] : complaint(file, place.node, `uses ${missing}, which browsers lack`)
    }),
  )
}

/** Things of the platform that a file touches, by their full name: `crypto.randomBytes`, `process.env`. */
function usesIn(file: SourceFile): Use[] {
  const aliases = new Map<string, string>()
  return nodesIn(file).flatMap((node) => {
    if (node.type === 'ImportDeclaration') return importedUses(node, aliases)
    if (node.type === 'MemberExpression') return use(node, nameOf(node, aliases))
    if (node.type === 'VariableDeclarator') return unpackedUses(node, aliases)
    if (node.type === 'CallExpression') return use(node, `${nameOf(node.callee, aliases)}()`)
    if (node.type === 'NewExpression' && node.arguments.length === 0) {
      return use(node, `${nameOf(node.callee, aliases)}()`)
    }
    return []
  })
}

function use(node: Node, name: string | undefined): Use[] {
  return name === undefined ? [] : [{ node, name: name.replace(/^(?:globalThis|global|window|self)\./, '') }]
}

function importedUses(node: Node & { type: 'ImportDeclaration' }, aliases: Map<string, string>): Use[] {
  const module = node.source.value.replace(/^node:/, '')
  return node.specifiers.flatMap((specifier) => {
    const isWhole = specifier.type !== 'ImportSpecifier'
    const name = isWhole ? module : `${module}.${nameIn(specifier.imported)}`
    if (isBuiltin(node.source.value)) aliases.set(specifier.local.name, name)
    return isWhole ? [] : use(specifier, name)
  })
}

/** `const { env } = process` is a use of `process.env`. */
function unpackedUses(node: Node & { type: 'VariableDeclarator' }, aliases: Aliases): Use[] {
  const whole = node.init ? nameOf(node.init, aliases) : undefined
  if (whole === undefined || node.id.type !== 'ObjectPattern') return []
  return node.id.properties.flatMap((property) =>
    property.type === 'Property' ? use(property, `${whole}.${nameIn(property.key)}`) : [],
  )
}

function nameOf(node: Node, aliases: Aliases): string | undefined {
  if (node.type === 'Identifier') return aliases.get(node.name) ?? node.name
  if (node.type === 'AwaitExpression') return nameOf(node.argument, aliases)
  if (node.type === 'ImportExpression') return textOf(node.source)?.replace(/^node:/, '')
  if (node.type === 'MemberExpression') {
    const owner = nameOf(node.object, aliases)
    return owner === undefined ? undefined : `${owner}.${nameIn(node.property)}`
  }
  const isWrapped = node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression'
  return isWrapped || node.type === 'ChainExpression' ? nameOf(node.expression, aliases) : undefined
}

function builtinAt({ node }: Place): string | undefined {
  const specifier = importIn(node)?.specifier
  return specifier !== undefined && isBuiltin(specifier) ? specifier : undefined
}

function globalAt({ node, parent, key }: Place): string | undefined {
  if (node.type !== 'Identifier' || !/^(?:process|Buffer)$/.test(node.name)) return undefined
  const isComputed = parent !== undefined && 'computed' in parent && parent.computed
  const isOnlyAName = /^(?:property|key|imported|exported)$/.test(key) && !isComputed
  return isOnlyAName ? undefined : node.name
}

/** The files at these paths and, through imports that outlive the types, what they load. */
function loadedBy(files: readonly SourceFile[], start: RegExp): SourceFile[] {
  const loaded = new Set(files.filter((file) => isProduct(file) && start.test(file.path)))
  for (const file of loaded) {
    for (const { specifier, isTypeOnly } of importsOf(file)) {
      const target = files.find(({ path }) => path === resolve(file, specifier))
      if (target && !isTypeOnly && isProduct(target)) loaded.add(target)
    }
  }
  return [...loaded]
}
