import { bindingTable } from '../agent/tables.ts'
import type { Random } from '../base/random.ts'
import { childrenOf, findBranch, getBranch, isHandleTaken } from '../context/branch.ts'
import { createBranch } from '../context/fork.ts'
import { makeBranchId, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Address } from '../event/work.ts'
import type { Writing } from '../log/log.ts'

/** The branch that a conversation talks to, if it was ever bound to one that lives, or to one below one that does. */
export function boundBranch(reader: Reader, { channel, conversation }: Address): BranchId | undefined {
  const bound = reader.row(bindingTable, [channel, conversation])?.['branch'] as BranchId | undefined
  if (bound === undefined) return undefined
  return getBranch(reader, bound).state.kind === 'ended' ? livingAbove(reader, bound) : bound
}

export function livingAbove(reader: Reader, branch: BranchId): BranchId | undefined {
  for (let id = getBranch(reader, branch).parent; id !== null;) {
    const above = getBranch(reader, id)
    if (above.state.kind !== 'ended') return id
    id = above.parent
  }
  return undefined
}

/** As `boundBranch`; a conversation that is new gets the main session, which is made if there is none. */
export function branchFor(
  writing: Writing,
  { channel, conversation }: Address,
  { at, random }: { at: number; random: Random },
): BranchId {
  const bound = boundBranch(writing, { channel, conversation })
  if (bound !== undefined) return bound
  const branch = mainBranch(writing) ?? newMain(writing, { at, random })
  const author = { by: 'policy', name: 'first-contact' } as const
  writing.append({ kind: 'conversation-bound', branch, at, v: 1, channel, conversation, author })
  return branch
}

/** The oldest main session that lives. */
export function mainBranch(reader: Reader): BranchId | undefined {
  return childrenOf(reader, null).find((id) => {
    const branch = findBranch(reader, id)
    return branch?.mode === 'main' && branch.state.kind !== 'ended'
  })
}

function newMain(writing: Writing, { at, random }: { at: number; random: Random }): BranchId {
  for (;;) {
    const child = makeBranchId(at, random)
    if (isHandleTaken(writing, child)) continue
    const author = { by: 'policy', name: 'first-contact' } as const
    writing.append(createBranch({ child, mode: 'main', title: null, at, author }).draft)
    return child
  }
}
