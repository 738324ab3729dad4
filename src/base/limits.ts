import { assert } from './assert.ts'

/** Limits that are part of the design, in one table; those a person may change are in `config/`. */
export const limits = {
  eventBytesMax: 16 * 1024 * 1024,
  markNameMax: 64,
  handleLength: 6,
  handlePrefixMin: 3,
  groupWritesMax: 256,
  pageEvents: 500,
  followEventsMax: 256,
  /** So many forks of forks refer to each other's list before one writes its own. */
  forkReferencesMax: 8,
} as const

assert(limits.handlePrefixMin < limits.handleLength, 'a prefix of a handle is shorter than the handle')
