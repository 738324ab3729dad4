import { fold } from '../../model/extract/folding.ts'
import { stemOf } from '../words/stem.ts'

/** When or in which direction something holds, as `group:word`: of each group a claim has one, or leaves it open. */
export type Occasions = ReadonlySet<string>

const WHEN =
  /\b(?:(?<day>mon|tues|wednes|thurs|fri|satur|sun)days?|(?<week>weekday|weekend)s?|(?<part>morning|noon|afternoon|evening|night)s?|(?<season>spring|summer|autumn|fall|winter))\b/gu
const RATE =
  /\b(?:an?|per|each|every)\s+(?<rate>hour|day|night|week|month|year)\b|\b(?<rated>daily|weekly|monthly|yearly|annually)\b/gu
const RATES: ReadonlyMap<string, string> = new Map([
  ['daily', 'day'],
  ['weekly', 'week'],
  ['monthly', 'month'],
  ['yearly', 'year'],
  ['annually', 'year'],
])
const WAY = /\b(?<way>to|from)\s+(?:the\s+|my\s+|our\s+)?(?<where>\p{L}{3,})/gu

/** "On Fridays", "in winter", "a month", "from Rome". */
export function occasionsIn(text: string): Occasions {
  const folded = fold(text)
  const found = new Set<string>()
  for (const { groups = {} } of folded.matchAll(WHEN)) {
    const { day, week, part, season } = groups
    if (day !== undefined || week !== undefined) found.add(`day:${day ?? week}`)
    if (part !== undefined) found.add(`part:${part}`)
    if (season !== undefined) found.add(`season:${season}`)
  }
  for (const { groups = {} } of folded.matchAll(RATE)) {
    const { rate, rated = '' } = groups
    found.add(`rate:${rate ?? RATES.get(rated)}`)
  }
  for (const { groups = {} } of folded.matchAll(WAY))
    found.add(`${stemOf(groups['where'] ?? '')}:${groups['way']}`)
  return found
}

/** Whether both say when, and not the same: then both may hold. */
export function isOtherOccasion(a: Occasions, b: Occasions): boolean {
  return [...a].some((one) => !b.has(one) && [...b].some((two) => groupOf(two) === groupOf(one)))
}

/** Whether it holds on some days, in some seasons or at some time of the day, and nobody knows what holds else. */
export function isOccasional(occasions: Occasions): boolean {
  return [...occasions].some((one) => /^(?:day|part|season)$/.test(groupOf(one)))
}

function groupOf(occasion: string): string {
  return occasion.slice(0, occasion.indexOf(':'))
}
