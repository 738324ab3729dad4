import { CHANGED, DONE, isKin } from './cues.ts'
import type { About, Entry } from './entry.ts'
import { areApart, shared, stem, UNSPACED } from './folding.ts'
import type { Value } from './signals.ts'
import { EARLIER, LATER } from './worth.ts'

/** Says each thing once, and keeps the newest of a changed value. The former lines were merged when they were new. */
export function merge(former: readonly Entry[], fresh: readonly Entry[]): Entry[] {
  let kept = [...former]
  for (const entry of fresh) {
    const twin = kept.findIndex((before) => isSame(before, entry))
    if (twin >= 0) {
      kept[twin] = better(kept[twin] as Entry, entry)
      continue
    }
    const old = supersededBy(kept, entry)
    kept = kept.filter((before) => before !== old && !isClosedBy(before, entry))
    kept.push(old === undefined ? entry : replacing(old, entry))
  }
  return kept
}

/** The same words and values, or all of one in the other. */
function isSame(a: Entry, b: Entry): boolean {
  if ((a.section === 'questions') !== (b.section === 'questions')) return false
  const [small, large] = a.about.stems.size <= b.about.stems.size ? [a, b] : [b, a]
  if (areOthers(a.about, b.about) || areApart(a.near, b.near)) return false
  if (small.about.stems.size === 0) return a.about.folded === b.about.folded
  if (shared(a.about.stems, b.about.stems) < 0.75 * small.about.stems.size) return false
  // A value that only the later line has must not be lost.
  const tellsMore = b.about.values.length > a.about.values.length
  return hasValues(large, small) && (hasValues(small, large) || !tellsMore)
}

/** The lines say the same of two people, two places, or two invoices. */
function areOthers(a: About, b: About): boolean {
  return areApart(a.names, b.names) || areApart(a.labels, b.labels)
}

function hasValues(a: Entry, b: Entry): boolean {
  return b.about.values.every(({ text }) => a.about.values.some((value) => value.text === text))
}

/** Prefers the person's own words. */
function better(a: Entry, b: Entry): Entry {
  if (a.near.size > b.near.size) return a
  const isEcho =
    a.who !== 'assistant' && b.who === 'assistant' && b.about.values.length <= a.about.values.length
  const isBetter = b.near.size > a.near.size || (b.worth > a.worth && !isEcho)
  return isBetter ? { ...b, order: a.order, day: a.day } : a
}

/** A question is no longer open once a line answers it, nor a promise once it is kept. */
function isClosedBy(before: Entry, { section, about }: Entry): boolean {
  if (section === 'questions' || before.near.size > 0 || areApart(before.about.labels, about.labels))
    return false
  const common = shared(before.about.stems, about.stems)
  if (before.section === 'promises') return DONE.test(about.folded) && common >= 2
  if (before.section !== 'questions') return false
  if (section === 'decisions') return common >= 2 || shared(before.about.names, about.names) >= 1
  return common >= 3 && common >= 0.6 * before.about.stems.size
}

/** Up to this distance "moved to 4" is understood. */
const BARE_DISTANCE_MAX = 12

/** "The meeting is at 3", "moved to 4": the line whose value the new one replaces, if any. */
function supersededBy(kept: readonly Entry[], now: Entry): Entry | undefined {
  if (now.about.values.length === 0 || now.section === 'questions') return undefined
  const older = kept.filter(({ section }) => section !== 'questions')
  if (isBareChange(now))
    return older.findLast((before) => {
      return now.order - before.order <= BARE_DISTANCE_MAX && goneValues(before, now).length > 0
    })
  const likes = older.map((before) => likeness(before, now))
  const most = Math.max(0, ...likes)
  return most === 0 ? undefined : older[likes.lastIndexOf(most)]
}

/** A change that does not name its subject. */
function isBareChange({ about }: Entry): boolean {
  return about.stems.size === 0 && CHANGED.test(about.folded)
}

/** How many words the new line shares with the one whose value it replaces; 0 if it replaces none. */
function likeness(before: Entry, now: Entry): number {
  const [old, fresh] = [before.about, now.about]
  const gone = goneValues(before, now)
  if (gone.length === 0 || areOthers(old, fresh)) return 0
  const common = shared(old.stems, fresh.stems)
  // "Monday: 3 hours", "Tuesday: 5 hours": if both a day and an amount differ, nothing has changed.
  const isOneKind = new Set(gone.map(groupOf)).size === 1
  if (frameOf(old) === frameOf(fresh) && isOneKind) return common
  // Having to tell people a new date is not the new date.
  const isTask = now.section === 'promises' && before.section !== 'promises'
  if (!CHANGED.test(fresh.folded) || isTask) return 0
  // A name alone is not a subject, nor is "my sister": one person has many dates.
  const names = new Set([...old.names].map(stem))
  const hasSubject = [...old.stems].some((one) => fresh.stems.has(one) && !names.has(one) && !isKin(one))
  const smaller = Math.min(old.stems.size, fresh.stems.size)
  return hasSubject && common >= (UNSPACED.test(fresh.folded) ? 0.2 : 0.5) * smaller ? common : 0
}

/** "The budget is … now": the same words around other values. */
function frameOf({ folded, values }: About): string {
  const frame = values.reduce((left, { text }) => left.replace(text, '…'), folded)
  return frame.replaceAll(/\bnow\b|[.!\s]+/g, ' ').trim()
}

/** Kinds that can replace each other: "on Friday" for "on 3 May". */
function groupOf({ kind }: Value): string {
  if (kind === 'date' || kind === 'weekday' || kind === 'time') return 'when'
  return kind === 'money' || kind === 'amount' ? 'number' : kind
}

/** Values of the old line that the new one replaces; the number in `room 12` does not count. */
function goneValues(old: Entry, now: Entry): Value[] {
  const { values, labels } = old.about
  return values.filter((value) => {
    if ([...labels].some((label) => label.endsWith(` ${value.text.replace('#', '')}`))) return false
    const alike = now.about.values.filter((other) => groupOf(other) === groupOf(value))
    return alike.length > 0 && !alike.some(({ text }) => text === value.text)
  })
}

function replacing(old: Entry, now: Entry): Entry {
  const section = now.section === 'facts' ? old.section : now.section
  const entry = { ...now, section, worth: Math.max(now.worth, old.worth) }
  const gone = goneValues(old, now).map(({ text }) => text)
  const text = now.text.replace(EARLIER, '')
  const told = new Set([...gone, ...now.about.values.map((value) => value.text)])
  const isCovered = old.about.values.every((value) => told.has(value.text))
  if (!isBareChange(now) && isCovered && shared(old.near, now.near) === old.near.size)
    return {
      ...entry,
      text: `${text} (before: ${gone.map((value) => asWritten(old.text, value)).join(', ')})`,
    }
  // The old line says more than the new one, so one line keeps both.
  const about = {
    ...now.about,
    stems: old.about.stems.union(now.about.stems),
    names: old.about.names.union(now.about.names),
    labels: old.about.labels.union(now.about.labels),
  }
  const subject = old.text.replace(LATER, '').replace(EARLIER, '')
  return { ...entry, about, near: old.near.union(now.near), text: `${subject} → ${text}` }
}

function asWritten(text: string, folded: string): string {
  const at = text.toLowerCase().indexOf(folded)
  return at < 0 ? folded : text.slice(at, at + folded.length)
}
