import { assert } from './assert.ts'

/** Limits that are part of the design, in one table; those a person may change are in `config/`. */
export const limits = {
  eventBytesMax: 16 * 1024 * 1024,
  /** A longer line is no command: expressions that read one may overflow V8's stack on megabytes. */
  commandBytesMax: 64_000,
  /**
   * A message has at most this many characters. Expressions that repeat need up to 16 bytes for each of them, once V8
   * has stopped optimising expressions in a process, and their stack has 64 MB.
   */
  textCharsMax: 1_000_000,
  markNameMax: 64,
  handleLength: 6,
  handlePrefixMin: 3,
  groupWritesMax: 256,
  pageEvents: 500,
  /** So many events are looked through before others have their turn. */
  scanEvents: 20_000,
  followEventsMax: 256,
  /** So many calls of one step are run; the others are answered with a refusal. */
  stepCallsMax: 64,
  /** So many messages or mails that wait are taken by one work; the rest has its turn after them. */
  waitingMax: 1_000,
  /** So many updates are told with one message. Each costs a number in it, though most are only counted. */
  updatesMax: 20_000,
  /** So many forks of forks refer to each other's list before one writes its own. */
  forkReferencesMax: 8,
  /** So many strangers an hour are shown a code to be let in with, and so many codes wait for the owner at once. */
  hintsPerHour: 10,
  pairingsMax: 3,
} as const

assert(limits.handlePrefixMin < limits.handleLength, 'a prefix of a handle is shorter than the handle')
