import { limits } from '../base/limits.ts'
import { branchIdSchema, handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { branchesByHandle, findBranch } from './branch.ts'
import { livingMains } from './living.ts'

/** The meaning of a person's word for a branch. */
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

/** A branch's name for people: `main` if it is the only main session, otherwise its handle. */
export function branchNames(reader: Reader): (branch: BranchId) => string {
  const [main, second] = livingMains(reader)
  return (branch) => (branch === main && second === undefined ? 'main' : handleOf(branch))
}

function oneOf(found: readonly BranchId[]): Named {
  const [branch, another] = found
  if (branch === undefined) return { kind: 'unknown' }
  return another === undefined ? { kind: 'found', branch } : { kind: 'ambiguous', candidates: found }
}
