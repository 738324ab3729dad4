import { DONE } from './doubt-cues.ts'
import type { Entry } from './entry.ts'
import { areApart, shared } from './folding.ts'
import { supersede } from './superseding.ts'

/** Tells each thing once, and of a value that changed the newest. What was told before was merged when it was new. */
export function merge(former: readonly Entry[], fresh: readonly Entry[]): Entry[] {
  const kept = [...former]
  for (const entry of fresh) add(kept, entry)
  return kept
}

function add(kept: Entry[], entry: Entry): void {
  const twin = kept.findIndex((before) => isSame(before, entry))
  if (twin >= 0) {
    kept[twin] = better(kept[twin] as Entry, entry)
    return
  }
  const superseding = supersede(kept, entry)
  if (superseding !== undefined) kept.splice(kept.indexOf(superseding.old), 1)
  dropClosed(kept, entry)
  kept.push(...(superseding?.entries ?? [entry]))
}

/** The same words and the same values, or all of one in the other. */
function isSame(a: Entry, b: Entry): boolean {
  if ((a.section === 'questions') !== (b.section === 'questions')) return false
  const [small, large] = a.about.stems.size <= b.about.stems.size ? [a, b] : [b, a]
  // The same was said of two people, or of two places.
  if (areApart(a.about.names, b.about.names)) return false
  if (small.about.stems.size === 0) return a.about.folded === b.about.folded
  if (shared(a.about.stems, b.about.stems) < 0.75 * small.about.stems.size) return false
  // A value that only the later one tells must not be lost to the earlier.
  const tellsMore = b.about.values.length > a.about.values.length
  return hasValues(large, small) && (hasValues(small, large) || !tellsMore)
}

function hasValues(a: Entry, b: Entry): boolean {
  return b.about.values.every(({ text }) => a.about.values.some((value) => value.text === text))
}

/** In the person's own words where there is a choice. */
function better(a: Entry, b: Entry): Entry {
  const isEcho =
    a.who !== 'assistant' && b.who === 'assistant' && b.about.values.length <= a.about.values.length
  return b.worth > a.worth && !isEcho ? { ...b, order: a.order, day: a.day } : a
}

/** A question is no longer open once a line tells its answer, nor a promise once it is kept. */
function dropClosed(kept: Entry[], entry: Entry): void {
  if (entry.section === 'questions') return
  const isDone = DONE.test(entry.about.folded)
  for (let index = kept.length - 1; index >= 0; index--) {
    const before = kept[index] as Entry
    const isClosed =
      before.section === 'questions'
        ? isAnswer(entry, before)
        : before.section === 'promises' && isDone && shared(before.about.stems, entry.about.stems) >= 2
    if (isClosed) kept.splice(index, 1)
  }
}

function isAnswer(entry: Entry, question: Entry): boolean {
  const common = shared(question.about.stems, entry.about.stems)
  if (entry.section === 'decisions')
    return common >= 2 || shared(question.about.names, entry.about.names) >= 1
  return common >= 3 && common >= 0.6 * question.about.stems.size
}
