/** Lines that went and lines that came, for a person to look over: `- old`, `+ new`, and `…` where some stayed. */
export function lineDifference(before: string, after: string, linesMax: number): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const changed = between(old.slice(start, old.length - end), now.slice(start, now.length - end))
  return changed.length <= linesMax
    ? changed
    : [...changed.slice(0, linesMax), `… ${changed.length - linesMax} more lines`]
}

/** Beyond this many pairs of lines, to find what they share takes longer than it helps. */
const PAIRS_MAX = 1_000_000

function between(old: readonly string[], now: readonly string[]): string[] {
  if (old.length * now.length > PAIRS_MAX)
    return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)]
  const shared = longestShared(old, now)
  const lines: string[] = []
  for (let [a, b] = [0, 0]; a < old.length || b < now.length;) {
    if (a < old.length && b < now.length && old[a] === now[b]) {
      if (lines.at(-1) !== '…') lines.push('…')
      a++
      b++
    } else if (
      a < old.length &&
      (b >= now.length || lengthAt(shared, a + 1, b) >= lengthAt(shared, a, b + 1))
    ) {
      lines.push(`- ${old[a++] ?? ''}`)
    } else {
      lines.push(`+ ${now[b++] ?? ''}`)
    }
  }
  return lines
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
