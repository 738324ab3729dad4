/** Whether a place fits. */
export type Fits = (place: string) => boolean

const ALTERNATIVES_MAX = 64

/**
 * `**` is any run of folders, `*` and `?` are characters of one name, `{a,b}` is either; all others are themselves.
 * Takes no longer for hostile patterns: no step is tried more often than there are places for it.
 */
export function globOf(pattern: string): Fits | { readonly problem: string } {
  const patterns = alternatives(pattern)
  if (patterns === undefined)
    return { problem: `The braces stand for more than ${ALTERNATIVES_MAX} patterns. Ask for fewer at once.` }
  const paths = patterns.map((one) => one.split('/').filter((name) => name !== '' && name !== '.'))
  const names = new Map(paths.flat().map((name) => [name, Array.from(name)]))
  const fitsName = (name: string, text: string) =>
    starFits(names.get(name) ?? [], Array.from(text), {
      star: '*',
      fits: (a, b) => a === '?' || a === b,
    })
  return (place) => {
    const parts = place.split('/')
    return paths.some((path) => starFits(path, parts, { star: '**', fits: fitsName }))
  }
}

/** Undefined: there are too many. A brace without its other half is itself. */
function alternatives(pattern: string): string[] | undefined {
  const done: string[] = []
  const open = [pattern]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    // The innermost braces, so that those around them see no comma of theirs.
    const [whole, inside = ''] = /\{([^{}]*)\}/.exec(one) ?? []
    if (whole === undefined) done.push(one)
    else for (const choice of inside.split(',')) open.push(one.replace(whole, () => choice))
    if (open.length + done.length > ALTERNATIVES_MAX) return undefined
  }
  return [...new Set(done)]
}

interface Rule {
  readonly star: string
  readonly fits: (wanted: string, found: string) => boolean
}

/** A star takes as little as it can; when the rest does not fit, only the last one takes more. */
function starFits(wanted: readonly string[], found: readonly string[], { star, fits }: Rule): boolean {
  let [at, lastStar, resume] = [0, -1, 0]
  for (let place = 0; place < found.length;) {
    const next = wanted[at]
    if (next === star) {
      lastStar = at++
      resume = place
    } else if (next !== undefined && fits(next, found[place] ?? '')) {
      at++
      place++
    } else if (lastStar >= 0) {
      at = lastStar + 1
      place = ++resume
    } else {
      return false
    }
  }
  while (wanted[at] === star) at++
  return at === wanted.length
}
