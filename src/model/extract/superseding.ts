import { CHANGED, isKin } from './cues.ts'
import type { About, Entry } from './entry.ts'
import { areApart, shared, stem, STOP, UNSPACED } from './folding.ts'
import { COPULA } from './label-words.ts'
import { areOtherThings, changeable, isMoreExact } from './labels.ts'
import type { Value } from './signals.ts'
import { EARLIER, LATER } from './worth.ts'

/** A line whose value a newer one replaces, and what comes in its place. */
export interface Superseding {
  readonly old: Entry
  readonly entries: readonly Entry[]
}

/** "The meeting is at 3", "moved to 4": what the new line replaces among these, if anything. */
export function supersede(kept: readonly Entry[], now: Entry): Superseding | undefined {
  if (now.about.values.length === 0 || now.section === 'questions') return undefined
  const old = isBareChange(now) ? lastAlike(kept, now) : likest(kept, now)
  if (old === undefined) return undefined
  const left = remainder(old, now)
  return { old, entries: [replacing(old, now), ...(left === undefined ? [] : [left])] }
}

/** A change that does not say of what. */
function isBareChange({ about }: Entry): boolean {
  return about.stems.size === 0 && CHANGED.test(about.folded)
}

/** So far back "moved to 4" is understood. */
const BARE_DISTANCE_MAX = 12

function lastAlike(kept: readonly Entry[], now: Entry): Entry | undefined {
  return kept.findLast((before) => {
    return now.order - before.order <= BARE_DISTANCE_MAX && mayGo(before) && hasOtherOf(before, now, 'kind')
  })
}

function likest(kept: readonly Entry[], now: Entry): Entry | undefined {
  let best: Entry | undefined
  let most = 0
  for (const before of kept) {
    const likeness = mayGo(before) ? likenessOf(before, now) : 0
    if (likeness > 0 && likeness >= most) [best, most] = [before, likeness]
  }
  return best
}

function mayGo({ section }: Entry): boolean {
  return section !== 'questions' && section !== 'topics'
}

/** How surely the new one speaks of the same thing and tells another value of it; 0 for not at all. */
function likenessOf(before: Entry, now: Entry): number {
  if (!hasOtherOf(before, now, 'group') || areStrangers(before, now)) return 0
  const [old, fresh] = [before.about, now.about]
  if (areOtherThings(old, fresh)) return 0
  if (isMoreExact(old, fresh) && !CHANGED.test(fresh.folded)) return 0
  if (!CHANGED.test(fresh.folded) && areApart(namesOf(old), namesOf(fresh))) return 0
  if (!CHANGED.test(fresh.folded) && areOtherSubjects(before.text, now.text)) return 0
  const common = shared(old.stems, fresh.stems)
  const smaller = Math.min(old.stems.size, fresh.stems.size)
  const larger = Math.max(old.stems.size, fresh.stems.size)
  if (common > 0 && frameOf(old) === frameOf(fresh) && groupsChanged(old, fresh) < 2) return common
  if (!CHANGED.test(fresh.folded) && groupsChanged(old, fresh) > 1) return 0
  if (!CHANGED.test(fresh.folded))
    return common >= 2 && common >= 0.7 * smaller && common >= 0.5 * larger ? common : 0
  const isNamed = old.values.some(({ text }) => fresh.values.some((value) => value.text === text))
  if (common > 0 && isNamed) return common + 1
  // Having to tell people of a new date is not the new date.
  if (now.section === 'promises' && before.section !== 'promises') return 0
  const names = new Set([...old.names].map(stem))
  // A name alone is no subject, nor is "my sister": one person has many dates.
  const subjects = [...old.stems].filter(
    (one) => fresh.stems.has(one) && !names.has(one) && !isKin(one),
  ).length
  if (subjects <= 0) return common > 0 && sharesUnit(old.values, fresh.values) ? common : 0
  return common >= (UNSPACED.test(fresh.folded) ? 0.2 : 0.3) * smaller ? common : 0
}

/** "Monday: 3 hours", "Tuesday: 5 hours": where a day and an amount differ, nothing was changed. */
function groupsChanged(old: About, now: About): number {
  const told = new Set(now.values.map(({ text }) => text))
  const gone = old.values.filter(
    ({ text, kind }) => !told.has(text) && now.values.some((value) => GROUP[value.kind] === GROUP[kind]),
  )
  return new Set(gone.map(({ kind }) => GROUP[kind])).size
}

/** "The budget is … now": the same words around other values. */
function frameOf({ folded, values }: About): string {
  const frame = values.reduce((left, { text }) => left.replace(text, '…'), folded)
  return frame.replaceAll(/\bnow\b|[.!\s]+/g, ' ').trim()
}

function hasOtherOf(before: Entry, now: Entry, by: 'kind' | 'group'): boolean {
  const old = changeable(before.about, now.about)
  return changeable(now.about, now.about).some(({ kind, text }) => {
    const isLike = (value: Value) => (by === 'kind' ? value.kind === kind : GROUP[value.kind] === GROUP[kind])
    return old.some(isLike) && !old.some((value) => value.text === text)
  })
}

/** What can stand for another: "on Friday" for "on 3 May". */
const GROUP: Readonly<Record<Value['kind'], string>> = {
  link: 'link',
  path: 'path',
  date: 'when',
  weekday: 'when',
  time: 'when',
  money: 'number',
  amount: 'number',
  number: 'number',
  code: 'code',
}

/** "8 hours", "6 hours". */
function sharesUnit(old: readonly Value[], now: readonly Value[]): boolean {
  return now.some((value) => unitOf(value) !== '' && old.some((other) => unitOf(other) === unitOf(value)))
}

function unitOf({ kind, text }: Value): string {
  return kind === 'amount' || kind === 'money' ? text.replaceAll(/[\d.,:\s]+/g, '') : ''
}

const SUBJECT = /^(\p{Lu}[\p{L}-]*)(?:['’]s?)?\s/u

/** "Anna pays 900", "Boris pays 800": a capital may begin a sentence or a name, but where only it differs it is a name. */
function areOtherSubjects(old: string, now: string): boolean {
  const [a, b] = [SUBJECT.exec(old)?.[1]?.toLowerCase(), SUBJECT.exec(now)?.[1]?.toLowerCase()]
  return (
    a !== undefined &&
    b !== undefined &&
    a !== b &&
    !STOP.has(a) &&
    !STOP.has(b) &&
    !COPULA.has(a) &&
    !COPULA.has(b)
  )
}

/** Each names somebody whom the other does not. */
function areStrangers(a: Entry, b: Entry): boolean {
  return areApart(namesOf(a.about), namesOf(b.about))
}

/** "The code is R7KQ2M" names nobody, although it has a capital. */
function namesOf({ names, values, folded }: About): ReadonlySet<string> {
  const told = values.filter(({ text, kind }) => kind === 'code' && isTold(folded, text))
  return new Set([...names].filter((name) => !told.some(({ text }) => text === name)))
}

function isTold(folded: string, value: string): boolean {
  const before = /([\p{L}']+):?\s+$/u.exec(folded.slice(0, folded.indexOf(value)))?.[1]
  return before !== undefined && COPULA.has(before)
}

const BEFORE_CHARACTERS_MAX = 40

function replacing(old: Entry, now: Entry): Entry {
  const section = now.section === 'facts' ? old.section : now.section
  const worth = Math.max(now.worth, old.worth)
  if (isBareChange(now)) {
    const { stems, names, labels } = old.about
    return { ...followedBy(old, now), section, about: { ...now.about, stems, names, labels } }
  }
  if (isNeeded(old, now)) return { ...followedBy(old, now), section }
  const before = goneValues(old, now).map((value) => asWritten(old.text, value))
  const told = before.slice(0, 2).join(', ')
  const text = now.text.replace(EARLIER, '')
  return {
    ...now,
    section,
    worth,
    text: told === '' || told.length > BEFORE_CHARACTERS_MAX ? text : `${text} (before: ${told})`,
  }
}

/** The new line does not say again what is asked for, or which one is meant. */
function isNeeded(old: Entry, now: Entry): boolean {
  return shared(old.near, now.near) < old.near.size || isMoreExact(old.about, now.about)
}

/** One line that tells what was said first and what came of it. */
export function followedBy(old: Entry, now: Entry): Entry {
  const subject = old.text.replace(LATER, '').replace(EARLIER, '')
  const about = {
    ...now.about,
    stems: old.about.stems.union(now.about.stems),
    names: old.about.names.union(now.about.names),
    labels: [...old.about.labels, ...now.about.labels],
  }
  return {
    ...now,
    worth: Math.max(now.worth, old.worth),
    near: old.near.union(now.near),
    about,
    text: `${subject} → ${now.text.replace(EARLIER, '')}`,
  }
}

/** Values of the old line that the new one has others for. */
function goneValues(old: Entry, now: Entry): string[] {
  const told = new Set(now.about.values.map(({ text }) => text))
  const left = changeable(old.about, now.about).filter(({ text }) => !told.has(text))
  const exact = left.filter(({ kind }) => now.about.values.some((value) => value.kind === kind))
  const alike = left.filter(({ kind }) => now.about.values.some((value) => GROUP[value.kind] === GROUP[kind]))
  return [...new Set((exact.length > 0 ? exact : alike).map(({ text }) => text))]
}

function asWritten(text: string, folded: string): string {
  const at = text.toLowerCase().indexOf(folded)
  return at < 0 ? folded : text.slice(at, at + folded.length)
}

/** The clauses of the old line that tell something else: they still hold. */
function remainder(old: Entry, now: Entry): Entry | undefined {
  const gone = goneValues(old, now)
  const others = old.about.values.filter(({ text }) => !gone.includes(text))
  if (isBareChange(now) || isNeeded(old, now) || others.length === 0) return undefined
  const clauses = old.text.replace(EARLIER, '').split(/(?<=[,;])\s+/)
  const left = clauses.filter((clause) => {
    const lower = clause.toLowerCase()
    return !gone.some((text) => lower.includes(text))
  })
  const text = left.join(' ').replace(/[,;]$/, '')
  const isTold = others.some(
    (value) => text.toLowerCase().includes(value.text) && !now.about.folded.includes(value.text),
  )
  if (!isTold || text.length < 12) return undefined
  const values = others.filter((value) => text.toLowerCase().includes(value.text))
  return { ...old, text, about: { ...old.about, values } }
}
