import type { Projection } from '../event/table.ts'
import { contextProjection } from './fold.ts'
import { messageProjection } from './message-fold.ts'

/** All that a log has to keep so that contexts can be read from it. */
export const contextProjections: readonly Projection[] = [contextProjection, messageProjection]
