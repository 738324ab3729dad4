import { getBranch, lineOf, newestChildren } from '../../context/branch.ts'
import { branchNamed, branchNames } from '../../context/naming.ts'
import { limits } from '../../base/limits.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { refusal, type Actor, type Said } from '../contract/act.ts'

/** The branch that a word means, or what to say to who used it. `parent` is the branch above the actor's. */
export function branchMeant(
  reader: Reader,
  word: string,
  { branch, author }: { readonly branch: BranchId; readonly author: Pick<Actor['author'], 'by'> },
): BranchId | Said {
  const { parent } = getBranch(reader, branch)
  if (parent !== null && word.toLowerCase() === 'parent') return parent
  const named = branchNamed(reader, word, branch)
  const quoted = `'${word.slice(0, limits.handleLength * 4)}'`
  // A model cannot type /agents.
  const known = () => (author.by === 'model' ? branchesNear(reader, branch) : '/agents lists them.')
  switch (named.kind) {
    case 'found':
      return named.branch
    case 'unknown':
      return refusal(`There is no branch ${quoted}. ${known()}`)
    case 'too-short':
      return refusal(
        `${quoted} is too short: give ${limits.handlePrefixMin} or more characters of an ID. ${known()}`,
      )
    case 'ambiguous':
      return refusal(`${quoted} is ambiguous: it could be ${named.candidates.map(handleOf).join(', ')}.`)
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

export function isSaid(value: BranchId | Said): value is Said {
  return typeof value === 'object'
}
