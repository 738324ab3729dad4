import { DONE } from './doubt-cues.ts'
import type { Entry } from './entry.ts'
import { areApart, shared } from './folding.ts'
import { areOtherThings } from './labels.ts'
import { followedBy, supersede } from './superseding.ts'

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
  const [now, ...left] = superseding?.entries ?? [entry]
  const closed = takeClosed(kept, entry)
  // Of what is asked for, also what is settled is told, and that it is.
  const asked = closed.filter(({ near }) => tellsMore(near, entry.near))
  kept.push(
    asked.reduce((told, before) => followedBy(before, told), now ?? entry),
    ...left,
  )
}

/** The same words and the same values, or all of one in the other. */
function isSame(a: Entry, b: Entry): boolean {
  if ((a.section === 'questions') !== (b.section === 'questions')) return false
  const [small, large] = a.about.stems.size <= b.about.stems.size ? [a, b] : [b, a]
  // The same was said of two people, or of two places.
  if (areApart(a.about.names, b.about.names) || areOtherThings(a.about, b.about)) return false
  if (areApart(a.near, b.near)) return false
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
  if (a.near.size > b.near.size) return a
  if (b.near.size > a.near.size) return { ...b, order: a.order, day: a.day }
  const isEcho =
    a.who !== 'assistant' && b.who === 'assistant' && b.about.values.length <= a.about.values.length
  return b.worth > a.worth && !isEcho ? { ...b, order: a.order, day: a.day } : a
}

function tellsMore(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return shared(a, b) < a.size
}

/** A question is no longer open once a line tells its answer, nor a promise once it is kept. */
function takeClosed(kept: Entry[], entry: Entry): Entry[] {
  if (entry.section === 'questions') return []
  const isDone = DONE.test(entry.about.folded)
  const closed = kept.filter((before) => {
    if (areOtherThings(before.about, entry.about)) return false
    if (before.section === 'questions') return isAnswer(entry, before)
    return before.section === 'promises' && isDone && shared(before.about.stems, entry.about.stems) >= 2
  })
  for (const before of closed) kept.splice(kept.indexOf(before), 1)
  return closed
}

function isAnswer(entry: Entry, question: Entry): boolean {
  const common = shared(question.about.stems, entry.about.stems)
  if (entry.section === 'decisions')
    return common >= 2 || shared(question.about.names, entry.about.names) >= 1
  return common >= 3 && common >= 0.6 * question.about.stems.size
}
