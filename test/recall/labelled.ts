import { supersededBy } from '../../src/recall/superseded.ts'

const SAID_AT = Date.UTC(2026, 2, 1)
const SINCE = Date.UTC(2026, 4, 1)

/** Whether what was said is marked as superseded by a line that was remembered later. */
export function isLabelled(said: string, line: string): boolean {
  return supersededBy(said, SAID_AT, [{ text: line, since: SINCE }]) !== undefined
}
