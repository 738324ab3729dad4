import type { ScreenHappening, Status } from '../port.ts'
import { branchText } from './status-line.ts'

/**
 * A text that was begun before somebody else took the conversation to another branch. It is not sent there unless the
 * person asks for it twice: they may have written it for the branch where they were.
 */
export interface Carried {
  /** Where it was begun. */
  readonly from: string
  /** Whether the person was told where it would go. */
  readonly isTold: boolean
}

/** `written` is what stands in the input, `before` the status until now. */
export function carriedAfter(
  carried: Carried | null,
  happening: ScreenHappening,
  { written, before }: { readonly written: string; readonly before: Status },
): Carried | null {
  if (happening.kind !== 'status' || happening.movedBy === undefined) return carried
  if (happening.movedBy === 'person' || written === '') return null
  return { from: carried?.from ?? branchText(before), isTold: false }
}

/** What the person is told when they send it for the first time, in at most so many columns. */
export function carriedText({ from }: Carried, status: Status, columns: number): string {
  const short = `Enter again sends it to ${branchText(status)}.`
  const long = `This was begun in ${from}. ${short}`
  return long.length <= columns ? long : short
}
