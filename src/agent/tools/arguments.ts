import { limits } from '../../base/limits.ts'
import { getBranch, lineOf, newestChildren } from '../../context/branch.ts'
import { branchNamed, branchNames } from '../../context/naming.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import type { People, Recall } from '../../recall/contract/recall.ts'
import { treeOf, withinOf } from '../../recall/scope/scope.ts'
import type { Meant } from '../../tool/define-tool.ts'
import { failed, type ToolResult } from '../../tool/tool.ts'
import { callerOf } from './recall.ts'

/** The branch that a model names. */
export function readBranch(reader: Reader, caller: BranchId, word: string): Meant<BranchId> {
  const named = branchNamed(reader, word)
  const quoted = `'${word.slice(0, limits.handleLength * 4)}'`
  switch (named.kind) {
    case 'found':
      return { is: named.branch }
    case 'ambiguous':
      return {
        misfit: failed(`${quoted} is ambiguous: it could be ${named.candidates.map(handleOf).join(', ')}.`),
      }
    case 'too-short':
      return {
        misfit: failed(
          `${quoted} is too short: give ${limits.handlePrefixMin} or more characters of an ID. ${branchesNear(reader, caller)}`,
        ),
      }
    case 'unknown':
      return { misfit: failed(`There is no branch ${quoted}. ${branchesNear(reader, caller)}`) }
  }
}

const CHILDREN_LISTED_MAX = 10

/** `There are: k3f9ab (you), main (above you), m2p8qz (child).` */
function branchesNear(reader: Reader, caller: BranchId): string {
  const nameOf = branchNames(reader)
  const [, ...above] = lineOf(reader, getBranch(reader, caller))
  const children = newestChildren(reader, caller, CHILDREN_LISTED_MAX + 1)
  const words = [
    `${nameOf(caller)} (you)`,
    ...above.map(({ id }) => `${nameOf(id)} (above you)`),
    ...children.slice(-CHILDREN_LISTED_MAX).map((id) => `${nameOf(id)} (child)`),
  ]
  const older = children.length > CHILDREN_LISTED_MAX ? ', and older children' : ''
  return `There are: ${words.join(', ')}${older}.`
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
    if (withinOf(reader, people, { branch: caller, asker })(branch.is) !== 'all') return failed(foreign)
    return read(reader, branch.is)
  })
}
