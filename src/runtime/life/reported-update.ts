import { boundBranch } from '../../agent/branch/binding.ts'
import { mainAbove } from '../../agent/state/person.ts'
import { updateKeyTable } from '../../agent/state/tables.ts'
import { assert } from '../../base/assert.ts'
import { oneLine } from '../../base/width.ts'
import type { Address } from '../../event/work.ts'
import type { Log } from '../../log/log.ts'

/** An update from a program outside to the main session. */
export interface ReportedUpdate {
  /** Made by the reporting program: the same one is taken in once. */
  readonly key: string
  readonly text: string
  /** The reporter's name for people: `mcp claude-code`. */
  readonly source: string
  readonly at: number
}

const SOURCE_MAX = 80

/** Keeps an update for the next turn of the conversation's main session. */
export function reportUpdate(
  log: Log,
  to: Address,
  { key, text, source, at }: ReportedUpdate,
): Promise<void> {
  const plain = oneLine(source).slice(0, SOURCE_MAX).toWellFormed().trim() || 'unnamed'
  const author = { by: 'policy', name: 'handed-in' } as const
  const told = { source: plain, text: text.toWellFormed(), from: null, author, key }
  return log.write((writing) => {
    if (writing.row(updateKeyTable, [key]) !== undefined) return
    const bound = boundBranch(writing, to)
    assert(bound !== undefined, 'whoever opens a log binds the conversation of its terminal')
    const branch = mainAbove(writing, bound) ?? bound
    writing.append({ kind: 'update-reported', branch, at, ...told })
  })
}
