/** One step from a list of texts to another. */
export interface Edit {
  readonly op: 'same' | 'gone' | 'added'
  readonly text: string
}

/** Lines that went and lines that came, for a person to look over: `- old`, `+ new`, and `…` where some stayed. */
export function lineDifference(before: string, after: string, linesMax: number): string[] {
  const all = edits(before.split('\n'), after.split('\n'))
  const first = all.findIndex(({ op }) => op !== 'same')
  const last = all.findLastIndex(({ op }) => op !== 'same')
  const changed = all.slice(Math.max(0, first), last + 1).flatMap(({ op, text }, index, shown) => {
    if (op !== 'same') return [`${op === 'gone' ? '-' : '+'} ${text}`]
    return shown[index - 1]?.op === 'same' ? [] : ['…']
  })
  return changed.length <= linesMax
    ? changed
    : [...changed.slice(0, linesMax), `… ${changed.length - linesMax} more lines`]
}

/** Lines that went, came and stayed, in order. */
export function edits(old: readonly string[], now: readonly string[]): Edit[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  return [
    ...as('same', now.slice(0, start)),
    ...between(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...as('same', now.slice(now.length - end)),
  ]
}

function as(op: Edit['op'], texts: readonly string[]): Edit[] {
  return texts.map((text) => ({ op, text }))
}

/** Beyond this many pairs of lines, to find what they share takes longer than it helps. */
const PAIRS_MAX = 1_000_000

function between(old: readonly string[], now: readonly string[]): Edit[] {
  if (old.length * now.length > PAIRS_MAX) return [...as('gone', old), ...as('added', now)]
  const shared = longestShared(old, now)
  const found: Edit[] = []
  for (let [a, b] = [0, 0]; a < old.length || b < now.length;) {
    if (a < old.length && b < now.length && old[a] === now[b]) {
      found.push({ op: 'same', text: now[b++] ?? '' })
      a++
    } else if (
      a < old.length &&
      (b >= now.length || lengthAt(shared, a + 1, b) >= lengthAt(shared, a, b + 1))
    ) {
      found.push({ op: 'gone', text: old[a++] ?? '' })
    } else {
      found.push({ op: 'added', text: now[b++] ?? '' })
    }
  }
  return found
}

/** How many lines both have in common, in order, from each pair of lines on. */
function longestShared(old: readonly string[], now: readonly string[]): number[][] {
  const table: number[][] = Array.from({ length: old.length + 1 }, () =>
    Array.from({ length: now.length + 1 }, () => 0),
  )
  for (let a = old.length - 1; a >= 0; a--) {
    for (let b = now.length - 1; b >= 0; b--) {
      const row = table[a] as number[]
      row[b] =
        old[a] === now[b]
          ? lengthAt(table, a + 1, b + 1) + 1
          : Math.max(lengthAt(table, a + 1, b), lengthAt(table, a, b + 1))
    }
  }
  return table
}

function lengthAt(table: readonly (readonly number[])[], a: number, b: number): number {
  return table[a]?.[b] ?? 0
}
