import type { Workspace } from './workspace.ts'

/**
 * Whether only the person may change a file: the rules, the memory, a skill, a definition. Called with a normal path.
 * It should compare names without case; it is called with lower-case letters and with a name in capitals too.
 */
export type IsProtected = (place: string) => boolean

/**
 * All names of a file: its real place, and those of the person's links to it. If one of them is protected, the file is.
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

/** By name alone, in any spelling that a file system accepts. */
export function isProtectedAnyhow(isProtected: IsProtected, place: string): boolean {
  const small = folded(place)
  const capital = small.replace(/(?<![^/])[^/]*(?=\.md$)/, (stem) => stem.toUpperCase())
  return [...new Set([place, small, capital])].some(isProtected)
}

/** Compares names like the most lenient file system: without case, letter forms and invisible characters. */
export function folded(place: string): string {
  return place
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
}
