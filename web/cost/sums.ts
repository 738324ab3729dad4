import type { CostView } from '../../src/view/cost.ts'

export type Day = CostView['days'][number]
export type DayPart = Day['parts'][number]
export type By = 'for' | 'model'
export type Unit = 'money' | 'tokens'

/** The names of work on the page. */
const WORK: Readonly<Record<DayPart['for'], string>> = {
  main: 'Conversations',
  fork: 'Forks',
  child: 'Children',
  run: 'Background runs',
  guest: 'Guests and groups',
  summary: 'Summaries',
  broken: 'Interrupted answers',
}

/** The colours of the kinds of context serve here too: there are no others. */
const COLOURS = ['messages', 'updates', 'recall', 'summary', 'memory', 'skills', 'system', 'tools']

const NOTHING = { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: null, saved: 0 }

/** `cost`: null where no price is known of any of it. */
export type Sums = Omit<typeof NOTHING, 'cost'> & { readonly cost: number | null }
export type Slice = Sums & { readonly name: string; readonly colour: string }

/** The parts of all these days, by kind of work or by model, the dearest first. */
export function slicesOf(days: readonly Day[], by: By): Slice[] {
  const groups = Map.groupBy(partsOf(days), (part) => nameOf(part, by))
  return [...groups]
    .map(([name, parts]) => ({ name, ...parts.reduce(plus, NOTHING) }))
    .toSorted((one, other) => (other.cost ?? 0) - (one.cost ?? 0) || other.tokensIn - one.tokensIn)
    .map((slice, index) => ({ ...slice, colour: `var(--k-${COLOURS[index % COLOURS.length]})` }))
}

/** What each guest and group used on all these days, the dearest first. */
export function peopleOf(days: readonly Day[]): (Sums & Pick<Day['people'][number], 'person' | 'name'>)[] {
  const people = Map.groupBy(
    days.flatMap((day) => day.people),
    ({ person }) => person,
  )
  return [...people]
    .map(([person, used]) => ({
      ...used.reduce<Sums>((sum, one) => plus(sum, { ...one, saved: null }), NOTHING),
      person,
      name: used[0]?.name ?? person,
    }))
    .toSorted((one, other) => (other.cost ?? 0) - (one.cost ?? 0) || other.tokensIn - one.tokensIn)
}

/** All days together. */
export function totalOf(days: readonly Day[]): Sums {
  return partsOf(days).reduce(plus, NOTHING)
}

function partsOf(days: readonly Day[]): DayPart[] {
  return days.flatMap(({ parts }) => parts)
}

function nameOf(part: DayPart, by: By): string {
  return by === 'for' ? WORK[part.for] : part.model.replace(/^.*\//, '')
}

function plus(sum: Sums, part: Omit<DayPart, 'for' | 'model'>): Sums {
  return {
    calls: sum.calls + part.calls,
    tokensIn: sum.tokensIn + part.tokensIn,
    tokensOut: sum.tokensOut + part.tokensOut,
    tokensCached: sum.tokensCached + part.tokensCached,
    cost: part.cost === null ? sum.cost : (sum.cost ?? 0) + part.cost,
    saved: sum.saved + (part.saved ?? 0),
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/** A bar for each day up to today, also for those on which nothing was spent. `parts`: amounts by name. */
export function barsOf(view: CostView, { days, by, unit }: { days: number; by: By; unit: Unit }) {
  const last = Date.parse(`${view.today.day}T12:00:00Z`)
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(last - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    const slices = slicesOf(
      view.days.filter((one) => one.day === day),
      by,
    )
    const parts = new Map(slices.map((slice) => [slice.name, amountOf(slice, unit)]))
    return { day, parts, amount: [...parts.values()].reduce((sum, amount) => sum + amount, 0) }
  })
}

export function amountOf({ cost, tokensIn, tokensOut }: Sums, unit: Unit): number {
  return unit === 'money' ? (cost ?? 0) : tokensIn + tokensOut
}

/** A round number at or above the most: the top of the scale. */
export function scaleTop(most: number): number {
  if (most <= 0) return 1
  const step = 10 ** Math.floor(Math.log10(most))
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((times) => times * step).find((top) => top >= most) ?? most
}
