import { updateLine, updatesOf, type UpdateState } from '../agent/updates.ts'
import { counted } from '../base/words.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'

export interface UpdatesLook {
  readonly branch: BranchId
  readonly now: number
  readonly which: 'pending' | 'all'
}

/** What main will be told with its next turn, or all that it ever was told. */
export function updatesText(reader: Reader, { branch, now, which }: UpdatesLook): string {
  const all = updatesOf(reader, branch)
  const pending = all.filter(({ settled }) => settled === null)
  const shown = which === 'all' ? all : pending
  if (shown.length === 0)
    return which === 'all' ? 'Nothing was ever reported to main.' : 'Nothing waits for main.'
  const heading =
    which === 'all'
      ? `${counted(all.length, 'update')}, of which ${pending.length === 0 ? 'none waits' : `${pending.length} wait`}:`
      : `${counted(pending.length, 'update')} for main's next turn:`
  return [heading, ...shown.map((one) => lineOf(one, now))].join('\n')
}

function lineOf({ update, settled }: UpdateState, now: number): string {
  return `${updateLine(update, now)}${settled === null ? '' : ' (told)'}`
}
