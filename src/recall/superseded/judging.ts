import { isCapital, stemsIn, type Bag } from './bag.ts'
import type { Claim } from './claim.ts'
import { compareMeasures, type Likeness } from './measures.ts'
import { isOtherOccasion } from './occasions.ts'
import { shareName, type Told } from './told.ts'
import {
  classOf,
  isFamily,
  isKin,
  isLand,
  isOneOfMany,
  isOpinion,
  isPlaced,
  isSecret,
  isWorded,
  mannerOf,
  NO_SECRET,
  stateOf,
  TIMES,
} from './word-classes.ts'

/** Whether both cannot be true at the same time. */
export function contradict(said: Claim, line: Claim): boolean {
  if (said.told === undefined && line.told === undefined)
    return isDenied(said, line) || isOtherOfClass(said, line)
  if (said.told === undefined || line.told === undefined || !isSameThing(said.about, line.about)) return false
  if (said.occasions && line.occasions && isOtherOccasion(said.occasions, line.occasions)) return false
  const likeness = compareTold(said.told, line.told, line.about)
  if (said.isHeld && line.isHeld) return likeness === 'other'
  return said.isHeld !== line.isHeld && likeness === 'same'
}

/** Whether both say the same. */
export function agree(said: Claim, line: Claim): boolean {
  if (said.isHeld !== line.isHeld) return false
  if (said.told === undefined && line.told === undefined)
    return said.isHeld && isEqual(said.about, line.about)
  if (said.told === undefined || line.told === undefined) return false
  return isSameThing(said.about, line.about) && compareTold(said.told, line.told, line.about) === 'same'
}

/** "Drinks coffee every morning", "no coffee": what is denied stands in what is held, with no more than when. */
function isDenied(said: Claim, line: Claim): boolean {
  if (said.isHeld === line.isHeld) return false
  const [{ about: held, measures = [] }, { about: denied, measures: others = [] }] = said.isHeld
    ? [said, line]
    : [line, said]
  const [all, gone] = [stemsIn(held), stemsIn(denied)]
  // "Quit smoking in 2026" says since when, but "not on Fridays" what alone is denied.
  const only = others.filter(({ kind }) => kind === 'weekday' || kind === 'time')
  if (only.length > 0 && compareMeasures(measures, only) !== 'same') return false
  if (gone.length === 0 || !gone.every((one) => held.has(one))) return false
  if (isOtherSubject(said, line) || isOtherSubject(line, said)) return false
  if (!saysOfWhom(said, line)) return false
  return all.every((one) => denied.has(one) || TIMES.has(one))
}

/** "That's the dog" tells nothing of who has one, nor does "Take the train to work today" of who does. */
function saysOfWhom(said: Claim, { about }: Claim): boolean {
  const [first = '', ...more] = stemsIn(said.about)
  if (said.isPersonal) return true
  if (more.length === 0) return said.subject === undefined && stateOf(first) !== undefined
  if (said.subject !== undefined) return true
  return first === stemsIn(about)[0] && isCapital(said.about, first) && isCapital(about, first)
}

/** "My kids speak German" is not about who speaks German with the kids. */
function isOtherSubject(a: Claim, b: Claim): boolean {
  return a.subject !== undefined && stemsIn(b.about)[0] !== a.subject
}

/** "Married", "divorced"; "my eggs soft", "my eggs hard". */
function isOtherOfClass(said: Claim, line: Claim): boolean {
  if (!said.isHeld || !line.isHeld) return false
  const [a, b] = [stemsIn(said.about), stemsIn(line.about)]
  const [one, ...more] = a.filter((word) => !line.about.has(word))
  const [two, ...others] = b.filter((word) => !said.about.has(word))
  if (one === undefined || two === undefined || more.length > 0 || others.length > 0) return false
  if (a.length === 1) return stateOf(one)?.has(two) === true
  const isCertain = said.isCertain || line.isCertain
  return isCertain && said.isPersonal && mannerOf(one)?.has(two) === true
}

function isEqual(a: Bag, b: Bag): boolean {
  const [one, two] = [stemsIn(a), stemsIn(b)]
  return one.length === two.length && one.every((word) => b.has(word))
}

/** The same words; "my sister Ana" is Ana. */
function isSameThing(a: Bag, b: Bag): boolean {
  const [one, two] = [a, b].map((bag) => stemsIn(bag).filter((word) => !TIMES.has(word))) as [
    string[],
    string[],
  ]
  const [few, many] = one.length <= two.length ? [one, two] : [two, one]
  if (!few.every((word) => many.includes(word))) return false
  if (few.length === many.length) return few.length > 0
  const more = many.filter((word) => !few.includes(word))
  const isNamed = few.some((word) => isCapital(a, word) && isCapital(b, word))
  return isNamed && more.every((word) => isKin(word))
}

function compareTold(said: Told, line: Told, about: Bag): Likeness {
  const stems = stemsIn(about)
  const shared = said.stems.filter((one) => line.stems.some((two) => isAlike(one, two)))
  const ofClass = compareClasses(said, line)
  if (about.has('@with')) return said.stems.join(' ') === line.stems.join(' ') ? 'same' : 'unknown'
  if (about.has('@prefer')) return comparePreferences(said, line, shared)
  if (isSecret(stems) && said.lead === '' && line.lead === '') return compareSecrets(said, line)
  if (ofClass !== 'unknown') return ofClass
  if (said.names.length > 0 && line.names.length > 0) return compareNames(said, line, stems)
  if (shared.length > 0 && said.measures.length === 0) return 'same'
  const measured = compareMeasures(said.measures, line.measures)
  if (measured !== 'unknown') return measured
  if (said.stems.length === 0 || line.stems.length === 0) return 'unknown'
  if (shared.length > 0 || isOpinion(said.stems) || isOpinion(line.stems))
    return shared.length > 0 ? 'same' : 'unknown'
  if (isWorded(stems)) return 'other'
  return WHERE.has(said.lead) && WHERE.has(line.lead) ? 'other' : 'unknown'
}

const WHERE: ReadonlySet<string> = new Set([
  'in',
  'at',
  'on',
  'under',
  'behind',
  'inside',
  'beside',
  'near',
  'with',
  'above',
  'below',
  'next to',
  'beneath',
  'between',
])

/** "Teaching", "teacher". */
function isAlike(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  return short === long || (short.length >= 4 && long.startsWith(short) && short.length >= 0.6 * long.length)
}

function compareClasses(said: Told, line: Told): Likeness {
  const pairs = said.stems.flatMap((one) => {
    const words = classOf(one)
    return line.stems.filter((two) => words?.has(two)).map((two) => ({ one, two }))
  })
  if (pairs.length === 0) return 'unknown'
  return pairs.some(({ one, two }) => one === two) ? 'same' : 'other'
}

/** Window seats and aisle seats: of two words that differ in one, or of two that one has for the same. */
function comparePreferences(said: Told, line: Told, shared: readonly string[]): Likeness {
  const a = said.stems.filter((one) => !shared.includes(one))
  const b = line.stems.filter((two) => !shared.some((one) => isAlike(one, two)))
  if (a.length === 0 || b.length === 0) return shared.length > 0 ? 'same' : 'unknown'
  if (a.length > 1 || b.length > 1) return 'unknown'
  const isClass = classOf(a[0] ?? '')?.has(b[0] ?? '') === true
  return isClass ? 'other' : 'unknown'
}

function compareSecrets(said: Told, line: Told): Likeness {
  if (said.word === undefined || line.word === undefined) return 'unknown'
  if (NO_SECRET.has(said.word) || NO_SECRET.has(line.word)) return 'unknown'
  return said.word === line.word ? 'same' : 'other'
}

function compareNames(said: Told, line: Told, stems: readonly string[]): Likeness {
  if (said.lead !== line.lead && !(isPlaced(stems) && [said.lead, line.lead].includes(''))) return 'unknown'
  if (shareName(said.names, line.names)) return 'same'
  const [a, b] = [said.names, line.names].map((names) => names.some(({ folded }) => isLand(folded)))
  if (stems.some((one) => one === '@live' || one === '@workplace') && a !== b) return 'unknown'
  if (stems.includes('@who')) return 'other'
  const head = stems.findLast((one) => !one.startsWith('@'))
  // "My sister lives in Leeds" is told of the one who is called so; of friends everybody has several.
  const isTheOne = stems.some((one) => one.startsWith('@')) && head !== undefined && isFamily(head)
  return head !== undefined && isOneOfMany(head) && !isTheOne ? 'unknown' : 'other'
}
