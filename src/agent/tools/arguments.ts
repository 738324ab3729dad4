import { limits } from '../../base/limits.ts'
import { getBranch, lineOf, newestChildren } from '../../context/branch.ts'
import { branchNamed, branchNames } from '../../context/naming.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Meant } from '../../tool/define-tool.ts'
import { failed } from '../../tool/tool.ts'

/** The branch that a word means to the model of `caller`. */
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
