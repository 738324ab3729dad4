import { clockIn } from '../../base/time-text.ts'
import type { Author } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { allRows, type Reader, type Writing } from '../../event/table.ts'
import { budgetOf } from '../state/ledger.ts'
import { oldestMain } from '../state/person.ts'
import { newBudget, onDay, resized, type Budget, type BudgetSize } from '../state/ping-budget.ts'
import type { AgentSettings } from '../state/settings.ts'
import { budgetTable } from '../state/tables.ts'
import type { Chore } from './chore.ts'

/** When and by which settings a budget is read. */
export interface BudgetLook {
  readonly now: number
  readonly settings: Pick<AgentSettings, 'pings' | 'zone'>
}

/** A person's budget at this moment, also if they were never pinged. */
export function budgetNow(reader: Reader, person: string, { now, settings }: BudgetLook): Budget {
  const { date: day } = clockIn(now, settings.zone)
  const known = budgetOf(reader, person)
  if (known === undefined) return newBudget(settings.pings, { at: now, day })
  return onDay(resized(known, settings.pings, now), day)
}

/** Notes a changed size of the budget, wherever it was configured, so that refills have the new pace from now on. */
export const budgetChore: Chore = {
  dueAt: (reader, { now, settings }) =>
    resizedIn(reader, settings.pings).length > 0 && oldestMain(reader) !== undefined ? now : undefined,
  keep: (writing, { now, settings }) => {
    const branch = oldestMain(writing)
    if (branch !== undefined) noteSizes(writing, { branch, now, settings })
    return []
  },
}

interface Noting extends BudgetLook {
  readonly branch: BranchId
  readonly author?: Author
}

const CONFIGURATION = { by: 'policy', name: 'configuration' } as const

/** Writes the configured size for every budget that has another one. Refills until now had the old pace. */
export function noteSizes(writing: Writing, { branch, author = CONFIGURATION, ...look }: Noting): void {
  const { capacity, refillMinutes } = look.settings.pings
  for (const person of resizedIn(writing, look.settings.pings)) {
    const { available } = budgetNow(writing, person, look)
    const set = { person, capacity, refillMinutes, available, author }
    writing.append({ kind: 'budget-set', branch, at: look.now, ...set })
  }
}

/** The first size that somebody chooses: a larger budget that nobody has used yet has no more pings than before. */
export function noteFirstSize(
  writing: Writing,
  person: string,
  { before, branch, author = CONFIGURATION, now, settings }: Noting & { readonly before: BudgetSize },
): void {
  if (budgetOf(writing, person) !== undefined) return
  const { capacity, refillMinutes } = settings.pings
  const set = { person, capacity, refillMinutes, available: Math.min(before.capacity, capacity), author }
  writing.append({ kind: 'budget-set', branch, at: now, ...set })
}

function resizedIn(reader: Reader, { capacity, refillMinutes }: AgentSettings['pings']): string[] {
  return [...allRows(reader, budgetTable, { prefix: [] })]
    .map(({ person }) => person)
    .filter((person) => {
      const known = budgetOf(reader, person)
      return known !== undefined && (known.capacity !== capacity || known.refillMinutes !== refillMinutes)
    })
}
