import { basename, join, resolve, sep } from 'node:path'
import { realPath } from '../../base/real-path.ts'
import { MEMORY_FILE } from '../../memory/memory-file.ts'
import { folded } from '../../tool/files/protection.ts'
import { skillPlaces } from './skill-links.ts'

const PROTECTED = ['AGENTS.md', MEMORY_FILE]

/**
 * Whether a file of the workspace says what the agent is, knows or may do (SAFE4). By its real place, wherever links to
 * it begin: a link outside of the workspace, or in a hidden folder of it, makes a skill of a plain note. A SKILL.md
 * counts wherever it lies: its folder may be named among those of skills later.
 */
export function isProtectedIn(
  root: string,
  skillDirectories: () => readonly string[],
): (place: string) => boolean {
  const names = new Set(PROTECTED.map(folded))
  return (place) => {
    if (names.has(folded(place)) || basename(folded(place)) === 'skill.md') return true
    const path = folded(join(realOf(root), place))
    const held = [...PROTECTED.map((name) => realOf(join(root, name))), ...skillPlaces(skillDirectories())]
    return held.some((real) => isAtOrIn(folded(real), path))
  }
}

function isAtOrIn(held: string, path: string): boolean {
  return path === held || path.startsWith(held.endsWith(sep) ? held : held + sep)
}

/** What cannot be followed holds its own name. */
function realOf(path: string): string {
  try {
    return realPath(resolve(path))
  } catch {
    return resolve(path)
  }
}
