import { existsSync, readFileSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { ProgramOrder, Ran } from '../../tool/process/run-program.ts'
import { withoutSettings } from './hardening.ts'
import { insideRoot, type Roots } from './root-path.ts'

export interface RepositoryParts {
  readonly roots: Roots
  /** Runs git with these words in that folder, with this environment. */
  readonly run: (argv: readonly string[], more: Pick<ProgramOrder, 'outputMax'>) => Promise<Ran>
  /** Already hardened. */
  readonly environment: Readonly<Record<string, string>>
  readonly cwd: string
  /** The first word after git. */
  readonly subcommand: string
}

type Prepared =
  | { readonly environment: Readonly<Record<string, string>> }
  | { readonly problem: string }
  | { readonly ran: Ran }

/**
 * Checks the repository of a folder before git works in it: all of it must lie within the roots, and programs and files
 * named in its settings are switched off. The commands only read settings.
 */
export async function prepareRepository(parts: RepositoryParts): Promise<Prepared> {
  const found = await parts.run(
    ['rev-parse', '--is-inside-work-tree', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'],
    {},
  )
  if (found.kind !== 'exited') return { ran: found }
  if (found.code !== 0 && found.stdout === '') {
    // Without a repository, `diff` would compare any two files.
    if (NEEDS_NONE.has(parts.subcommand)) return { environment: parts.environment }
    // Nothing is checked yet, so an error could quote a file outside.
    return SAFE_ERROR.test(found.stderr) ? { ran: found } : { problem: UNREADABLE }
  }
  const [isInside, ...places] = found.stdout.replace(/\n$/, '').split('\n')
  if (isInside !== 'true') return { problem: 'the folder is not the working tree of a git repository' }
  const [top = '', ...folders] = places
  const outside =
    places.length === 3
      ? (outsideOf(parts, [top, join(top, '.gitmodules')]) ?? (await outsideBelow(parts, folders)))
      : found.stdout.trim()
  if (outside !== undefined) return { problem: leaves(outside) }
  const settings = await settingsIn(parts, ['--show-scope', '--show-origin'])
  if (!('lines' in settings)) return settings
  if (settings.lines === undefined) return { problem: UNREADABLE }
  const own = ownSettings(settings.lines)
  // A relative name is relative to the working tree.
  const included = outsideOf({ ...parts, cwd: top }, own.files)
  if (included !== undefined) return { problem: leaves(included) }
  const modules = await submodulesIn(parts, top)
  if (!('names' in modules)) return modules
  const ignored = modules.names.map((name) => `submodule.${name}.ignore`)
  return { environment: withoutSettings(parts.environment, [...own.keys, ...ignored]) }
}

const NEEDS_NONE = new Set(['init', 'clone', '--version', 'version'])
const SAFE_ERROR = /^fatal: (?:not a git repository|cannot use bare repository|detected dubious ownership)/
const UNREADABLE = 'the settings of this repository cannot be read'

function leaves(outside: string): string {
  return `its git repository leaves the workspace: ${outside}`
}

type Place = Pick<RepositoryParts, 'roots' | 'cwd'>

function outsideOf({ roots, cwd }: Place, paths: readonly string[]): string | undefined {
  return paths.find((path) => 'problem' in insideRoot(path, { roots, from: cwd }))
}

/**
 * The first place that git would go to from these folders of a repository and that is outside the roots: through a link,
 * or because objects are borrowed from there. What git reads there could be shown, in an error for example.
 */
async function outsideBelow(parts: Place, folders: readonly string[]): Promise<string | undefined> {
  const waiting = [...folders]
  const seen = new Set<string>()
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const place = insideRoot(path, { roots: parts.roots, from: parts.cwd })
    if ('problem' in place) return path
    if (seen.has(place.path)) continue
    seen.add(place.path)
    for (const entry of await readdir(place.path, { withFileTypes: true }).catch(() => [])) {
      const inner = join(place.path, entry.name)
      // Hooks are never run, and often are links to the person's own.
      if (folders.includes(path) && entry.name === 'hooks') continue
      if (entry.isDirectory() || entry.isSymbolicLink()) waiting.push(inner)
      if (entry.name !== 'alternates') continue
      const borrowed = alternatesIn(inner)
      if (typeof borrowed === 'string') return borrowed
      waiting.push(...borrowed)
    }
  }
  return undefined
}

const ALTERNATES_BYTES_MAX = 64 * 1024

/** The folders whose objects are borrowed, or why they cannot be told. */
function alternatesIn(file: string): readonly string[] | string {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (!stat.isFile() || stat.size > ALTERNATES_BYTES_MAX) return `${file} is not a file of at most 64 KiB`
  const lines = readFileSync(file, 'utf8').split('\n')
  const named = lines.filter((line) => line !== '' && !line.startsWith('#'))
  // What a relative path is relative to depends on links.
  return named.every((line) => isAbsolute(line)) ? named : `${file} has a relative path`
}

const SETTINGS_BYTES_MAX = 1024 * 1024

/** The lines of `git config --list`; undefined if git refused. */
async function settingsIn(
  { run }: RepositoryParts,
  options: readonly string[],
): Promise<Extract<Prepared, { ran: Ran } | { problem: string }> | { readonly lines: string[] | undefined }> {
  const listed = await run(['config', '--list', '--name-only', ...options], {
    outputMax: SETTINGS_BYTES_MAX,
  })
  if (listed.kind !== 'exited') return { ran: listed }
  // A setting that cannot be named cannot be switched off.
  if (listed.wasCut || listed.stdout.includes('\u{FFFD}')) return { problem: UNREADABLE }
  return { lines: listed.code === 0 ? listed.stdout.split('\n').slice(0, -1) : undefined }
}

/** The settings of the repository itself, and the files that they come from. */
function ownSettings(lines: readonly string[]): { readonly keys: string[]; readonly files: string[] } {
  const keys = new Set<string>()
  const files = new Set<string>()
  for (const line of lines) {
    const [, scope = '', origin = '', key = ''] = /^([^\t]*)\t([^\t]*)\t(.*)$/.exec(line) ?? []
    if (!/^(?:local|worktree|unknown)$/.test(scope)) continue
    keys.add(key)
    const [, file] = /^file:(.*)$/.exec(origin) ?? []
    if (file !== undefined) files.add(unquoted(file))
  }
  return { keys: [...keys], files: [...files] }
}

/** Git quotes a name with other letters than ASCII, and writes their bytes as `\303\266`. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name
  return name
    .slice(1, -1)
    .replaceAll(/(?:\\[0-7]{3})+/g, (bytes) =>
      Buffer.from(Array.from(bytes.matchAll(/[0-7]{3}/g), ([octal]) => Number.parseInt(octal, 8))).toString(),
    )
}

/**
 * The names of submodules. Each can ask to be looked into, and git would run what its settings name. Read from where git
 * reads them: the file, or else the index, or else the newest commit.
 */
async function submodulesIn(parts: RepositoryParts, top: string) {
  const file = join(top, '.gitmodules')
  const sources = existsSync(file) ? [`--file=${file}`] : ['--blob=:.gitmodules', '--blob=HEAD:.gitmodules']
  for (const source of sources) {
    const listed = await settingsIn(parts, [source])
    if (!('lines' in listed)) return listed
    if (listed.lines !== undefined)
      return { names: listed.lines.flatMap((key) => /^submodule\.(.*)\.[^.]*$/s.exec(key)?.[1] ?? []) }
  }
  return { names: [] }
}

/** Errors in which git quotes a line of a file. */
const QUOTING =
  /^((?:fatal|error|warning): (?:bad shallow line|unexpected line in|bad graft data|invalid object name|object directory)(?=:| \/| \.git)).*$/gm

/** What git said, without lines of files: a link could be put there after the check. */
export function withoutQuotes(ran: Ran): Ran {
  return ran.kind === 'not-started' || ran.kind === 'stopped'
    ? ran
    : { ...ran, stderr: ran.stderr.replaceAll(QUOTING, '$1 …') }
}
