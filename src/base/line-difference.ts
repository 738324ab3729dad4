import { diffArrays } from 'diff/lib/diff/array.js'

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

/** Steps of a search for what two texts share. Beyond this many, it takes longer than it helps. */
const STEPS_MAX = 1_000_000
const CHANGES_MIN = 1_000

function between(old: readonly string[], now: readonly string[]): Edit[] {
  // One more change takes a step per change so far, or two per line of the shorter text.
  const maxEditLength = Math.max(CHANGES_MIN, STEPS_MAX / Math.min(old.length, now.length))
  const found = diffArrays([...old], [...now], { maxEditLength })
  if (found === undefined) return [...as('gone', old), ...as('added', now)]
  return found.flatMap(({ removed, added, value }) => as(removed ? 'gone' : added ? 'added' : 'same', value))
}
