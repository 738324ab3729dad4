import { ModelError } from '../../model/contract/model.ts'
import { maySpend, type DayLimit, type SpendingAnswer } from '../../model/spending.ts'
import type { AgentSettings } from './settings.ts'
import { getBranch, lineOf } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { fromJson, toJson, type Reader, type Writer } from '../../event/table.ts'
import { newest } from './newest.ts'
import { spentDayTable, spentTable, type Sums } from './tables.ts'

const nothing: Sums = { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0, isPriced: false }

/** The usage of a branch, and of every branch ever forked below it. */
export function spentBy(reader: Reader, branch: BranchId): { readonly own: Sums; readonly below: Sums } {
  const row = reader.row(spentTable, [branch])
  if (row === undefined) return { own: nothing, below: nothing }
  return { own: fromJson(row.sums), below: fromJson(row.below) }
}

/** The usage of all branches on a day, and how much of it was for work that nobody waited for. */
export function spentOn(reader: Reader, day: string): { readonly all: Sums; readonly background: Sums } {
  const row = reader.row(spentDayTable, [day])
  if (row === undefined) return { all: nothing, background: nothing }
  return { all: fromJson(row.total), background: fromJson(row.background) }
}

export function addSpent(writer: Writer, event: EventOf<'model-answered' | 'model-used'>): void {
  const { branch, day, purpose } = event
  for (const { id } of lineOf(writer, getBranch(writer, branch))) {
    const { own, below } = spentBy(writer, id)
    const [sums, rest] = id === branch ? [plus(own, event), below] : [own, plus(below, event)]
    writer.put(spentTable, { branch: id, sums: toJson(sums), below: toJson(rest) })
  }
  const { all, background } = spentOn(writer, day)
  writer.put(spentDayTable, {
    day,
    total: toJson(plus(all, event)),
    background: toJson(purpose === 'background' ? plus(background, event) : background),
  })
}

function plus(before: Sums, { usage, cost }: EventOf<'model-answered' | 'model-used'>): Sums {
  return {
    calls: before.calls + 1,
    tokensIn: before.tokensIn + usage.tokensIn,
    tokensOut: before.tokensOut + usage.tokensOut,
    tokensCached: before.tokensCached + usage.tokensCached,
    cost: before.cost + (cost ?? 0),
    isPriced: before.isPriced || cost !== null,
  }
}

export type Purpose = 'person' | 'background'

export function spendingNow(
  reader: Reader,
  { settings, day, purpose }: { settings: AgentSettings; day: string; purpose: Purpose },
): SpendingAnswer {
  const limit = settings.dayLimit
  if (limit === null) return { kind: 'go' }
  const { all, background } = spentOn(reader, day)
  const amount = (sums: Sums): number => (limit.unit === 'money' ? sums.cost : sums.tokensIn + sums.tokensOut)
  const noted = (what: 'near' | 'agreed'): boolean => newest(reader, what, day) !== undefined
  const spent = { all: amount(all), background: amount(background) }
  const isAgreed = noted('agreed')
  // Whoever allowed passing the limit knows that it is near.
  return maySpend({ limit, spent, purpose, isTold: isAgreed || noted('near'), isAgreed })
}

/** A call is refused because of the day's limit. */
export interface Spent {
  readonly answer: Extract<SpendingAnswer, { kind: 'ask' | 'wait' }>
  readonly unit: DayLimit['unit']
}

/** Background work that has used up its share checks this often whether a new day has begun. */
const SPENDING_WAIT_MS = 60 * 60 * 1000

export function spendingObstacle({ answer, unit }: Spent, at: number): ModelError {
  if (answer.kind === 'wait') {
    const nextTryAt = at + SPENDING_WAIT_MS
    return new ModelError('rate-limited', "Today's spending limit for background work is reached", {
      nextTryAt,
    })
  }
  const max = unit === 'tokens' ? `${answer.max} tokens` : `$${answer.max}`
  return new ModelError(
    'rejected',
    `Today's spending limit (${max}) is reached. /cost allow lets me go on today; /cost shows what was used`,
  )
}
