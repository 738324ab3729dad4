import type { CostView } from '../../src/view/cost.ts'

export type Day = CostView['days'][number]
export type DayPart = Day['parts'][number]
export type By = 'for' | 'model'
export type Unit = 'money' | 'tokens'

/** What work is called on the page. */
export const WORK: Readonly<Record<DayPart['for'], string>> = {
  main: 'Conversations',
  fork: 'Forks',
  child: 'Children',
  run: 'Background runs',
  guest: 'Guests and groups',
  summary: 'Summaries',
  broken: 'Answers that broke off',
}

/** The colours of the kinds of context serve here too: there are no others. */
const COLOURS = ['messages', 'updates', 'recall', 'summary', 'memory', 'skills', 'system', 'tools']

export interface Slice {
  readonly name: string
  readonly colour: string
  readonly calls: number
  readonly tokensIn: number
  readonly tokensOut: number
  readonly tokensCached: number
  /** Null: no price is known of any of it. */
  readonly cost: number | null
  readonly saved: number
}

/** The parts of all these days, by kind of work or by model, the dearest first. */
export function slicesOf(days: readonly Day[], by: By): Slice[] {
  const slices = new Map<string, Omit<Slice, 'colour'>>()
  for (const part of days.flatMap(({ parts }) => parts)) {
    const name = nameOf(part, by)
    slices.set(name, plus(slices.get(name) ?? { ...NOTHING, name }, part))
  }
  return [...slices.values()]
    .toSorted((one, other) => (other.cost ?? 0) - (one.cost ?? 0) || other.tokensIn - one.tokensIn)
    .map((slice, index) => ({ ...slice, colour: `var(--k-${COLOURS[index % COLOURS.length]})` }))
}

export function nameOf(part: DayPart, by: By): string {
  return by === 'for' ? WORK[part.for] : part.model.replace(/^.*\//, '')
}

const NOTHING = { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: null, saved: 0 }

function plus<S extends Omit<Slice, 'colour'>>(sum: S, part: DayPart): S {
  return {
    ...sum,
    calls: sum.calls + part.calls,
    tokensIn: sum.tokensIn + part.tokensIn,
    tokensOut: sum.tokensOut + part.tokensOut,
    tokensCached: sum.tokensCached + part.tokensCached,
    cost: part.cost === null ? sum.cost : (sum.cost ?? 0) + part.cost,
    saved: sum.saved + (part.saved ?? 0),
  }
}

/** All days together. */
export function totalOf(days: readonly Day[]): Omit<Slice, 'colour'> {
  return days.flatMap(({ parts }) => parts).reduce(plus, { ...NOTHING, name: 'all' })
}

export interface Bar {
  readonly day: string
  readonly amount: number
  /** From the bottom up; each as high as its share of the highest day. */
  readonly parts: readonly { readonly name: string; readonly amount: number }[]
}

/** A bar for each day up to today, also for those on which nothing was spent. */
export function barsOf(view: CostView, { days, by, unit }: { days: number; by: By; unit: Unit }): Bar[] {
  const known = new Map(view.days.map((day) => [day.day, day]))
  const last = Date.parse(`${view.today.day}T12:00:00Z`)
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(last - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    const amounts = new Map<string, number>()
    for (const part of known.get(day)?.parts ?? []) {
      const name = nameOf(part, by)
      amounts.set(name, (amounts.get(name) ?? 0) + amountOf(part, unit))
    }
    const parts = [...amounts].map(([name, amount]) => ({ name, amount }))
    return { day, parts, amount: parts.reduce((sum, { amount }) => sum + amount, 0) }
  })
}

const DAY_MS = 24 * 60 * 60 * 1000

export function amountOf(
  { cost, tokensIn, tokensOut }: Pick<Slice, 'cost' | 'tokensIn' | 'tokensOut'>,
  unit: Unit,
): number {
  return unit === 'money' ? (cost ?? 0) : tokensIn + tokensOut
}

/** A round number at or above the most: the top of the scale. */
export function scaleTop(most: number): number {
  if (most <= 0) return 1
  const step = 10 ** Math.floor(Math.log10(most))
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((times) => times * step).find((top) => top >= most) ?? most
}
