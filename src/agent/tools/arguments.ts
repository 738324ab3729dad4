import type { BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import type { People, Recall } from '../../recall/contract/recall.ts'
import { treeOf, withinOf } from '../../recall/scope/scope.ts'
import type { Meant } from '../../tool/define-tool.ts'
import { failed, type ToolResult } from '../../tool/tool.ts'
import { branchMeant, isSaid } from '../branch/named.ts'
import { personIn } from '../state/person.ts'
import { callerOf } from './recall.ts'

/** The branch that a model names. */
export function readBranch(reader: Reader, caller: BranchId, word: string): Meant<BranchId> {
  const meant = branchMeant(reader, word, { branch: caller, author: { by: 'model' } })
  return isSaid(meant) ? { misfit: failed(meant.text) } : { is: meant }
}

export interface BranchReading {
  readonly log: Log
  readonly recall: Pick<Recall, 'people'>
  readonly caller: BranchId
  readonly named: (reader: Reader) => Meant<BranchId>
  /** Said of a branch that belongs to another person. */
  readonly foreign: string
}

/** Reads a branch that a model names, if `recall` would find what is said there. */
export async function readNamed(
  { log, recall, caller, named, foreign }: BranchReading,
  read: (reader: Reader, branch: BranchId) => ToolResult,
): Promise<ToolResult> {
  // Who speaks where is asked only for another tree: the caller's own can be read even without an index.
  const isNear = await log.read((reader) => {
    const branch = named(reader)
    return 'misfit' in branch || treeOf(reader, branch.is) === treeOf(reader, caller)
  })
  const people: People = isNear ? new Map() : await recall.people()
  return log.read((reader) => {
    const branch = named(reader)
    if ('misfit' in branch) return branch.misfit
    const { asker } = callerOf(reader, caller)
    if (withinOf(reader, people, { branch: caller, asker, whose: personIn })(branch.is) !== 'all')
      return failed(foreign)
    return read(reader, branch.is)
  })
}
