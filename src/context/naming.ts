import { limits } from '../base/limits.ts'
import { branchIdSchema, handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { branchesByHandle, findBranch, getBranch } from './branch.ts'
import { guestIn, livingMains } from './living.ts'

/** The meaning of a person's word for a branch. */
export type Named =
  | { readonly kind: 'found'; readonly branch: BranchId }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly BranchId[] }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'too-short' }

const CANDIDATES_MAX = 10

/**
 * A word is a whole id, a handle, the beginning of a handle, or `main` where a person has one main session. `near` is
 * a branch of whoever says it, by default the owner: they can name only branches of their own (PEOPLE2).
 */
export function branchNamed(reader: Reader, word: string, near?: BranchId): Named {
  const name = word.toLowerCase()
  const person = near === undefined ? null : guestIn(reader, near)
  if (name === 'main') return oneOf(livingMains(reader, person))
  const isTheirs = (id: BranchId): boolean => guestIn(reader, id) === person
  const id = branchIdSchema.safeParse(name)
  if (id.success) return oneOf(findBranch(reader, id.data) && isTheirs(id.data) ? [id.data] : [])
  if (name.length < limits.handlePrefixMin) return { kind: 'too-short' }
  return oneOf(branchesByHandle(reader, name, CANDIDATES_MAX).filter(isTheirs))
}

/**
 * A branch's name for people: `main` if it is its person's only main session, otherwise its handle. `all`: where
 * branches of several people are shown together, `main` is the owner's.
 */
export function branchNames(reader: Reader, among: 'own' | 'all' = 'own'): (branch: BranchId) => string {
  const isMain = (branch: BranchId): boolean => {
    const person = getBranch(reader, branch).mode === 'main' ? guestIn(reader, branch) : undefined
    if (person === undefined || (among === 'all' && person !== null)) return false
    const [main, second] = mainsOf(person)
    return main === branch && second === undefined
  }
  const known = new Map<string | null, BranchId[]>()
  const mainsOf = (person: string | null): BranchId[] => {
    const mains = known.get(person) ?? livingMains(reader, person)
    known.set(person, mains)
    return mains
  }
  return (branch) => (isMain(branch) ? 'main' : handleOf(branch))
}

function oneOf(found: readonly BranchId[]): Named {
  const [branch, another] = found
  if (branch === undefined) return { kind: 'unknown' }
  return another === undefined ? { kind: 'found', branch } : { kind: 'ambiguous', candidates: found }
}
