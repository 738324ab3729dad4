import { globFits, starFits } from '../star-fits.ts'

/** Whether a path matches. */
export type Fits = (place: string) => boolean

const ALTERNATIVES_MAX = 64

/**
 * `**` is any run of folders, `*` and `?` are characters of one name, `{a,b}` is either; everything else is literal.
 * Hostile patterns take no longer: no step is tried more often than there are places for it.
 */
export function globOf(pattern: string): Fits | { readonly problem: string } {
  const patterns = alternatives(pattern)
  if (patterns === undefined)
    return { problem: `The braces stand for more than ${ALTERNATIVES_MAX} patterns. Ask for fewer at once.` }
  const paths = patterns.map((one) => one.split('/').filter((name) => name !== '' && name !== '.'))
  return (place) => {
    const parts = place.split('/')
    return paths.some((path) => starFits(path, parts, { star: '**', fits: globFits }))
  }
}

/** Undefined: too many. An unmatched brace is literal. */
function alternatives(pattern: string): string[] | undefined {
  const done: string[] = []
  const open = [pattern]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    // The innermost braces first, so that the outer ones do not see their commas.
    const [whole, inside = ''] = /\{([^{}]*)\}/.exec(one) ?? []
    if (whole === undefined) done.push(one)
    else for (const choice of inside.split(',')) open.push(one.replace(whole, () => choice))
    if (open.length + done.length > ALTERNATIVES_MAX) return undefined
  }
  return [...new Set(done)]
}
