import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'

/** A path as it is checked, shown and given to a program: `a/../b` is `b`, whatever `a` links to. */
export function plainPath(path: string): string {
  const plain = normalize(path)
  // `./-x` is the plain way to name a file that would be taken for an option.
  return plain.startsWith('-') && !path.startsWith('-') ? `.${sep}${plain}` : plain
}

const LINKS_MAX = 40
const LEFT = 'the path leaves the workspace; a person opens other folders by skills.roots'

export type Inside = { readonly path: string } | { readonly problem: string }

/** Where tools may work. */
export interface Roots {
  readonly workspace: string
  /** More folders; what is not there holds nothing. */
  readonly others?: readonly string[]
  /** Never, though one of the others holds it; the workspace may lie in it. */
  readonly closed?: string
}

/** Where a path leads with all links followed, if that is in one of the roots; its end need not exist yet. */
export function insideRoot(path: string, { roots, from }: { roots: Roots; from: string }): Inside {
  if (path === '') return { problem: 'the path is empty' }
  if (path.startsWith('~')) return { problem: 'a path that starts with ~ is not expanded: write it out' }
  try {
    const real = realPath(resolve(from, path), LINKS_MAX)
    // A home has no workspace before its first start.
    if (isWithin(realPath(roots.workspace, LINKS_MAX), real)) return { path: real }
    const isClosed = roots.closed !== undefined && isWithin(realPath(roots.closed, LINKS_MAX), real)
    const isElsewhere = (roots.others ?? []).some((root) => isWithin(realPath(root, LINKS_MAX), real))
    if (isElsewhere && !isClosed) return { path: real }
  } catch (error) {
    return {
      problem: `the path cannot be followed: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
  return { problem: LEFT }
}

/** With all links followed; the workspace first. */
export function realRoots({ workspace, others = [] }: Roots): string[] {
  return [workspace, ...others].flatMap((root) => {
    try {
      return realPath(root, LINKS_MAX)
    } catch {
      // Nothing can be in it.
      return []
    }
  })
}

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** A link to something that does not exist is followed too: whoever writes through it would create that. */
function realPath(path: string, linksLeft: number): string {
  if (linksLeft === 0) throw new Error('too many links')
  try {
    return realpathSync(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const target = linkTarget(path)
  if (target !== undefined) return realPath(resolve(dirname(path), target), linksLeft - 1)
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent, linksLeft), basename(path))
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
