import type { Keeping } from './keeping.ts'

/** All that the host does by itself, in this order. */
export const keepings: readonly Keeping[] = []
