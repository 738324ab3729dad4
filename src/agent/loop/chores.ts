import { budgetChore } from '../ping/budget-chore.ts'
import { digestChore } from '../ping/digest.ts'
import type { Chore } from '../ping/chore.ts'
import { noticesChore } from '../ping/notices.ts'
import { pauseEndChore } from '../job/pause-end.ts'
import { pingChores } from '../ping/ping-chores.ts'

/** All that the host does by itself, in this order: a pause that ends is told with what waited for its end. */
export const chores: readonly Chore[] = [budgetChore, pauseEndChore, noticesChore, digestChore, ...pingChores]
