import { basename, join, sep } from 'node:path'
import { folded } from '../../tool/files/protection.ts'
import { PROTECTED } from '../home/home-boxes.ts'
import { realOf, skillPlaces } from '../home/skill-places.ts'

/**
 * Whether a file of the workspace defines the agent, its memory, skills or jobs, which only a person may change (SAFE4).
 * Compares real paths: a link from outside the workspace, or from a hidden folder, can make a plain note a skill or a
 * job. A SKILL.md is protected everywhere: its folder may be configured as a skill folder later.
 */
export function isProtectedIn(
  root: string,
  skillDirectories: () => readonly string[],
): (place: string) => boolean {
  const names = new Set(PROTECTED.map(folded))
  return (place) => {
    const [top = ''] = folded(place).split('/')
    if (names.has(folded(place)) || names.has(top) || basename(folded(place)) === 'skill.md') return true
    const path = folded(join(realOf(root), place))
    const held = [...PROTECTED.map((name) => realOf(join(root, name))), ...skillPlaces(skillDirectories())]
    return held.map(folded).some((real) => `${path}${sep}`.startsWith(real.endsWith(sep) ? real : real + sep))
  }
}
