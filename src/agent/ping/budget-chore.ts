import type { Author } from '../../event/event.ts'
import type { BranchId } from '../../event/id.ts'
import { allRows, type Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { budgetNow, isResized, type BudgetLook } from './budget-now.ts'
import type { Chore } from './chore.ts'
import type { BudgetSize } from '../state/ping-budget.ts'
import { budgetTable } from '../state/tables.ts'
import { oldestMain } from '../state/person.ts'

/**
 * Writes down that the configuration says another size, wherever it was changed: what comes back from then on comes at
 * the new pace, and not only from the next ping on.
 */
export const budgetChore: Chore = {
  dueAt: (reader, { now, settings }) =>
    resizedIn(reader, settings.pings).length > 0 && oldestMain(reader) !== undefined ? now : undefined,
  keep: (writing, { now, settings }) => {
    const branch = oldestMain(writing)
    if (branch !== undefined)
      noteSizes(writing, { branch, now, settings, author: { by: 'policy', name: 'config' } })
    return []
  },
}

interface Noting extends BudgetLook {
  readonly branch: BranchId
  readonly author: Author
}

/** What came back until now came at the old pace: of everybody's budget, and whatever is asked next. */
export function noteSizes(writing: Writing, { branch, author, ...look }: Noting): void {
  const { capacity, refillMinutes } = look.settings.pings
  for (const person of resizedIn(writing, look.settings.pings)) {
    const { available } = budgetNow(writing, person, look)
    const set = { person, capacity, refillMinutes, available, author }
    writing.append({ kind: 'budget-set', branch, at: look.now, v: 1, ...set })
  }
}

function resizedIn(reader: Reader, size: BudgetSize): string[] {
  const people = [...allRows(reader, budgetTable, { prefix: [] })].map(({ person }) => person)
  return people.filter((person) => isResized(reader, person, size))
}
