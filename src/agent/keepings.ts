import { budgetKeeping } from './budget-keeping.ts'
import { digestKeeping } from './digest.ts'
import type { Keeping } from './keeping.ts'
import { noticesKeeping } from './notices.ts'
import { pauseEndKeeping } from './pause-end.ts'
import { pingKeepings } from './ping-keeping.ts'

/** All that the host does by itself, in this order: a pause that ends is told with what waited for its end. */
export const keepings: readonly Keeping[] = [
  budgetKeeping,
  pauseEndKeeping,
  noticesKeeping,
  digestKeeping,
  ...pingKeepings,
]
