import type { Workspace } from './workspace.ts'

/**
 * Whether a file is one that only the person changes: the rules, the memory, a skill, a definition. Asked with a
 * normal path. Names in it should be compared without case; it is asked with small letters and with a name in
 * capitals as well.
 */
export type IsProtected = (place: string) => boolean

/**
 * The names that a file has: its real place, and those under which a link that a person set leads to it. What one of
 * them means, the file is.
 */
export async function placesOf(workspace: Workspace, real: string): Promise<readonly string[]> {
  const { links } = await workspace.list()
  const others = links.flatMap((link) => {
    if (real === link.real) return link.place
    const isUnder = link.real === '' || real.startsWith(`${link.real}/`)
    const rest = link.real === '' ? `/${real}` : real.slice(link.real.length)
    return isUnder ? `${link.place}${rest}` : []
  })
  return [real, ...others]
}

/** By its name alone, however a file system spells it. */
export function isProtectedAnyhow(isProtected: IsProtected, place: string): boolean {
  const small = folded(place)
  const capital = small.replace(/[^/]*(?=\.md$)/, (stem) => stem.toUpperCase())
  return [...new Set([place, small, capital])].some(isProtected)
}

/** As the most forgiving file system compares names: without case, forms of letters and what cannot be seen. */
export function folded(place: string): string {
  return place
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
}
