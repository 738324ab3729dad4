import { clockIn } from '../../base/time-text.ts'
import type { Reader } from '../../event/table.ts'
import { budgetOf } from '../state/ledger.ts'
import { newBudget, onDay, resized, type Budget, type BudgetSize } from '../state/ping-budget.ts'
import type { AgentSettings } from '../state/settings.ts'

/** When and by which rules a budget is read. */
export interface BudgetLook {
  readonly now: number
  readonly settings: Pick<AgentSettings, 'pings' | 'zone'>
}

/** What a person's budget is at this moment, also where nobody was ever pinged on its account. */
export function budgetNow(reader: Reader, person: string, { now, settings }: BudgetLook): Budget {
  const { date: day } = clockIn(now, settings.zone)
  const known = budgetOf(reader, person)
  if (known === undefined) return newBudget(settings.pings, { at: now, day })
  return onDay(resized(known, settings.pings, now), day)
}

/** Whether the configuration says another size than the log knows. */
export function isResized(reader: Reader, person: string, { capacity, refillMinutes }: BudgetSize): boolean {
  const known = budgetOf(reader, person)
  return known !== undefined && (known.capacity !== capacity || known.refillMinutes !== refillMinutes)
}
