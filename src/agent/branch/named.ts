import { branchNamed } from '../../context/naming.ts'
import { limits } from '../../base/limits.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { refusal, type Said } from '../contract/act.ts'

/** The branch that a word means, or the error for whoever used it. */
export function branchMeant(reader: Reader, word: string): BranchId | Said {
  const named = branchNamed(reader, word)
  switch (named.kind) {
    case 'found':
      return named.branch
    case 'unknown':
      return refusal(`There is no agent '${word}'. /agents lists them.`)
    case 'too-short':
      return refusal(
        `'${word}' is too short: give ${limits.handlePrefixMin} or more characters of an id. /agents lists them.`,
      )
    case 'ambiguous': {
      const handles = named.candidates.map(handleOf).join(', ')
      return refusal(`'${word}' is ambiguous: it could be ${handles}.`)
    }
  }
}

export function isSaid(value: BranchId | Said): value is Said {
  return typeof value === 'object'
}
