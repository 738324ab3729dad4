import type { Workspace } from './workspace.ts'

/**
 * Whether a file is one that only the person changes: the rules, the memory, a skill, a definition. Asked with a
 * normal path. Names in it should be compared without case; it is asked with small letters and with a name in
 * capitals as well.
 */
export type IsProtected = (place: string) => boolean

/**
 * By what a file really is: a link that a person set to or from a protected place makes both ends protected, and so
 * does a name that only some file systems take for the same.
 */
export async function isHeld(workspace: Workspace, isProtected: IsProtected, real: string): Promise<boolean> {
  if (isProtectedAnyhow(isProtected, real)) return true
  const { links } = await workspace.list()
  return links.some((link) => {
    if (real === link.real) return isProtectedAnyhow(isProtected, link.place)
    const isUnder = link.real === '' || real.startsWith(`${link.real}/`)
    const rest = link.real === '' ? `/${real}` : real.slice(link.real.length)
    return isUnder && isProtectedAnyhow(isProtected, `${link.place}${rest}`)
  })
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
