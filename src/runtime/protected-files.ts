import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { MEMORY_FILE } from '../memory/memory-file.ts'

const PROTECTED = new Set(['agents.md', MEMORY_FILE])

/**
 * Whether a file of the workspace says what the agent is, knows or may do (SAFE4). A SKILL.md counts wherever it lies:
 * its folder may be named among those of skills later.
 */
export function isProtectedIn(
  root: string,
  skillDirectories: () => readonly string[],
): (path: string) => boolean {
  return (path) => {
    const place = path.toLowerCase()
    if (PROTECTED.has(place) || basename(place) === 'skill.md') return true
    return skillDirectories().some((directory) => {
      const within = withinRoot(root, directory)?.toLowerCase()
      return within !== undefined && (within === '' || place.startsWith(`${within}/`))
    })
  }
}

/** The folder's path from the root, links resolved; undefined when it lies elsewhere. */
function withinRoot(root: string, directory: string): string | undefined {
  const path = relative(realOf(root), realOf(directory))
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined
  return path.split(sep).join('/')
}

/** Where it is or would be: a folder that is not there yet could be made. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realOf(above), basename(path))
  }
}
