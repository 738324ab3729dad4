/** Lines that went and lines that came, for a person to look over: `- old`, `+ new`. */
export function lineDifference(before: string, after: string, linesMax: number): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const changed = [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
  ]
  return changed.length <= linesMax
    ? changed
    : [...changed.slice(0, linesMax), `… ${changed.length - linesMax} more lines`]
}
