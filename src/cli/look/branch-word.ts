import { limits } from '../../base/limits.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNamed } from '../../context/naming.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { CommandError, UsageError } from '../frame/command.ts'
import { oneLine } from '../../base/width.ts'

/** The branch that a person named on the command line, or an error that helps to name it. */
export function findBranchByWord(reader: Reader, word: string): BranchId {
  const named = branchNamed(reader, word)
  switch (named.kind) {
    case 'found':
      return named.branch
    case 'too-short':
      throw new UsageError(
        `'${word}' is too short for a branch: give at least ${limits.handlePrefixMin} characters of its handle`,
      )
    case 'unknown':
      throw new CommandError(`There is no branch '${word}' in this log. 'mainstem agents' lists the branches`)
    case 'ambiguous': {
      const candidates = named.candidates.map((id) => described(reader, id)).join(', ')
      throw new CommandError(`'${word}' matches several branches: ${candidates}. Use a handle`)
    }
  }
}

function described(reader: Reader, id: BranchId): string {
  const { mode, title } = getBranch(reader, id)
  return `${handleOf(id)} (${mode}${title === null ? '' : ` '${oneLine(title)}'`})`
}
