import { messageOf } from '../../base/message-of.ts'
import { normalize, resolve, sep } from 'node:path'
import { isWithin, realPath } from '../../base/regular-file.ts'

/** A path as it is checked, shown and passed to a program: `a/../b` is `b`, whatever `a` links to. */
export function plainPath(path: string): string {
  const plain = normalize(path)
  // `./-x` names a file that would otherwise be taken for an option.
  return plain.startsWith('-') && !path.startsWith('-') ? `.${sep}${plain}` : plain
}

const LEFT = 'the path leaves the workspace; a person can allow other folders with skills.roots'

export type Inside = { readonly path: string } | { readonly problem: string }

/** The folders where tools may work. */
export interface Roots {
  readonly workspace: string
  /** More folders; missing ones are ignored. */
  readonly others?: readonly string[]
  /** Always excluded, even within one of the others; the workspace may lie in it. */
  readonly closed?: string
}

/** The target of a path with all links followed, if it is within the roots; its last part need not exist yet. */
export function insideRoot(path: string, { roots, from }: { roots: Roots; from: string }): Inside {
  if (path === '') return { problem: 'the path is empty' }
  if (path.startsWith('~')) return { problem: 'a path that starts with ~ is not expanded: write it out' }
  try {
    const real = realPath(resolve(from, path))
    // A home has no workspace before its first start.
    if (isWithin(realPath(roots.workspace), real)) return { path: real }
    const isClosed = roots.closed !== undefined && isWithin(realPath(roots.closed), real)
    const isElsewhere = (roots.others ?? []).some((root) => isWithin(realPath(root), real))
    if (isElsewhere && !isClosed) return { path: real }
  } catch (error) {
    return { problem: `the path cannot be followed: ${messageOf(error)}` }
  }
  return { problem: LEFT }
}

/** With all links followed; the workspace first. */
export function realRoots({ workspace, others = [] }: Roots): string[] {
  return [workspace, ...others].flatMap((root) => {
    try {
      return realPath(root)
    } catch {
      // Nothing can be in it.
      return []
    }
  })
}
