import type { ScreenHappening, Status } from '../port.ts'
import { branchText } from './status-line.ts'

/**
 * A text that was started before somebody else moved the conversation to another branch. The person has to press Enter
 * twice to send it there: they may have written it for the old branch.
 */
export interface Carried {
  /** The branch in which it was started. */
  readonly from: string
  /** Whether the person was told where it would go. */
  readonly isTold: boolean
}

/** `written` is the text in the input box, `before` the status until now. */
export function carriedAfter(
  carried: Carried | null,
  happening: ScreenHappening,
  { written, before }: { readonly written: string; readonly before: Status },
): Carried | null {
  if (happening.kind !== 'status' || happening.movedBy === undefined) return carried
  if (happening.movedBy === 'person' || written === '') return null
  return { from: carried?.from ?? branchText(before), isTold: false }
}

/** The hint after the first Enter, in at most `columns`. */
export function carriedText({ from }: Carried, status: Status, columns: number): string {
  const short = `Press Enter again to send it to ${branchText(status)}.`
  const long = `You started this in ${from}. ${short}`
  return long.length <= columns ? long : short
}
