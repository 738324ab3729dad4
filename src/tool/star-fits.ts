/**
 * Whether what was found fits what is wanted, where `star` stands for any run. A star takes as little as it can; when
 * the rest does not fit, only the last one takes more. So hostile patterns take no longer than others.
 */
export function starFits(
  wanted: readonly string[],
  found: readonly string[],
  { star, fits }: { star: string; fits: (wanted: string, found: string) => boolean },
): boolean {
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

/** `*` is any run of characters, `?` any one; all others are themselves. */
export function globFits(glob: string, text: string): boolean {
  return starFits(Array.from(glob), Array.from(text), {
    star: '*',
    fits: (wanted, found) => wanted === '?' || wanted === found,
  })
}
