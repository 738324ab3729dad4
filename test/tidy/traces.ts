import { type SourceFile, isCode } from './tree.ts'

/** Paths of one machine, and the address of a registry that a lock file should leave to whoever installs. */
const MACHINE = /(?<![\w.~})*-])\/(?:work|root)\/|registry[.]npmjs/
const UNFINISHED = /\b(?:TO[D]O|FIX[M]E)\b|\.(?:only|skip)[(.`]/

export function machineTraces(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => linesWith(file, MACHINE))
}

export function unfinishedWork(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isCode(file) && /^(?:src|web|test)\//.test(file.path))
    .flatMap((file) => linesWith(file, UNFINISHED))
}

function linesWith({ path, text }: SourceFile, needle: RegExp): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = needle.exec(line)
    return found ? `${path}:${index + 1} contains ${found[0]}` : []
  })
}

/** Code files that documents name in backticks. What happened stays as it was told: decisions and the changelog. */
export function missingFiles(files: readonly SourceFile[]): string[] {
  const paths = new Set(files.map(({ path }) => path))
  return files
    .filter(({ path }) => path.endsWith('.md') && !/^(?:CHANGELOG|docs\/decisions\/)/.test(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) =>
        Array.from(line.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.tsx?)`/g), ([, name = '']) => name)
          .filter((name) => !paths.has(name) && !paths.has(`src/${name}`))
          .map((name) => `${path}:${index + 1} names ${name}, which does not exist`),
      ),
    )
}

interface Locked {
  /** Where the path has another name, under which it is installed. */
  readonly name?: string
  readonly version: string
  readonly integrity?: string
  readonly resolved?: string
}

function lockedIn(files: readonly SourceFile[]): [string, Locked][] {
  const text = files.find(({ path }) => path === 'package-lock.json')?.text ?? '{"packages":{}}'
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }
  return Object.entries(packages).filter(([path]) => path !== '')
}

/**
 * A package without a hash would be whatever the registry serves on that day (`scripts/lock-integrity.ts` adds them), and
 * one with an address would come from there.
 */
export function unsurePackages(files: readonly SourceFile[]): string[] {
  return lockedIn(files).flatMap(([path, { integrity, resolved }]) => [
    ...(/^sha512-[\w+/]{86}==$/.test(integrity ?? '') ? [] : [`package-lock.json has no sha512 of ${path}`]),
    ...(resolved === undefined ? [] : [`package-lock.json takes ${path} from ${resolved}`]),
  ])
}

/** A clone brings one Node, for Linux. Any other would be a program that nobody here runs or checks. */
export function foreignNodes(files: readonly SourceFile[]): string[] {
  const named = lockedIn(files).map(([path, { name, version }]) => ({
    path,
    name: name ?? path.replace(/^(?:.*\/)?node_modules\//, ''),
    version,
  }))
  const nodes = named.filter(({ name }) => /^node(?:-(?:aix|bin|darwin|linux|sunos|win)\b.*)?$/.test(name))
  const [first] = nodes
  return nodes
    .filter(({ name, version }) => !/^node-linux-(?:arm64|x64)$/.test(name) || version !== first?.version)
    .map(({ path, version }) => `package-lock.json brings ${path} ${version}`)
}
