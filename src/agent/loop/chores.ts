import { budgetKeeping } from '../ping/budget-chore.ts'
import { digestKeeping } from '../ping/digest.ts'
import type { Keeping } from '../ping/chore.ts'
import { noticesKeeping } from '../ping/notices.ts'
import { pauseEndKeeping } from '../job/pause-end.ts'
import { pingKeepings } from '../ping/ping-chores.ts'

/** All that the host does by itself, in this order: a pause that ends is told with what waited for its end. */
export const keepings: readonly Keeping[] = [
  budgetKeeping,
  pauseEndKeeping,
  noticesKeeping,
  digestKeeping,
  ...pingKeepings,
]
