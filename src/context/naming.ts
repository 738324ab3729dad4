import { limits } from '../base/limits.ts'
import { branchIdSchema, handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { branchesByHandle, findBranch } from './branch.ts'
import { livingMains } from './living.ts'

/** What a person's word for a branch stands for. */
export type Named =
  | { readonly kind: 'found'; readonly branch: BranchId }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly BranchId[] }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'too-short' }

const CANDIDATES_MAX = 10

/** A word is a whole id, a handle, the beginning of a handle, or `main` where there is one main session. */
export function branchNamed(reader: Reader, word: string): Named {
  const name = word.toLowerCase()
  if (name === 'main') return oneOf(livingMains(reader))
  const id = branchIdSchema.safeParse(name)
  if (id.success) return oneOf(findBranch(reader, id.data) ? [id.data] : [])
  if (name.length < limits.handlePrefixMin) return { kind: 'too-short' }
  return oneOf(branchesByHandle(reader, name, CANDIDATES_MAX))
}

/** How a branch is called in what people read: `main`, if it is the only one, and its handle otherwise. */
export function branchNames(reader: Reader): (branch: BranchId) => string {
  const [main, second] = livingMains(reader)
  return (branch) => (branch === main && second === undefined ? 'main' : handleOf(branch))
}

function oneOf(found: readonly BranchId[]): Named {
  const [branch, another] = found
  if (branch === undefined) return { kind: 'unknown' }
  return another === undefined ? { kind: 'found', branch } : { kind: 'ambiguous', candidates: found }
}
