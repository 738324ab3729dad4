import type { BranchId } from '../../event/id.ts'
import { KIND_MASK } from '../index/columns.ts'
import { documentKinds, HOST, UNNAMED } from '../document.ts'
import type { People } from '../recall.ts'
import type { TextIndex } from '../index/text-index.ts'
import { termsOf } from '../words/words.ts'

interface Heard {
  /** So many documents were looked at. */
  looked: number
  /** The branches in which a person speaks, by the person's number. */
  readonly branches: Map<number, Set<number>>
  /** People by each word of their names. */
  readonly names: Map<string, number>
}

const USER = documentKinds.indexOf('user')
const heardIn = new WeakMap<TextIndex, Heard>()

/** Who speaks where, as far as it is indexed; each document is looked at once. */
export function heard(index: TextIndex): Heard {
  const { columns, speakers } = index
  const before = heardIn.get(index)
  // An index that began anew has fewer.
  const known =
    before !== undefined && before.looked <= columns.count
      ? before
      : { looked: 0, branches: new Map<number, Set<number>>(), names: new Map<string, number>() }
  heardIn.set(index, known)
  for (; known.looked < columns.count; known.looked++) {
    if (((columns.flags[known.looked] as number) & KIND_MASK) !== USER) continue
    const speaker = columns.speaker[known.looked] as number
    const branches = known.branches.get(speaker)
    if (branches !== undefined) branches.add(columns.branch[known.looked] as number)
    else
      meet(known, {
        speaker,
        name: speakers[speaker] ?? HOST,
        branch: columns.branch[known.looked] as number,
      })
  }
  return known
}

function meet(
  known: Heard,
  { speaker, name, branch }: { speaker: number; name: string; branch: number },
): void {
  known.branches.set(speaker, new Set([branch]))
  if (name !== HOST) for (const term of termsOf(name)) known.names.set(term, speaker)
}

export function peopleByBranch(index: TextIndex): People {
  const people = new Map<BranchId, string[]>()
  for (const [speaker, branches] of heard(index).branches) {
    const name = index.speakers[speaker]
    if (name === undefined || name === HOST || name === UNNAMED) continue
    for (const number of branches) {
      const branch = index.branches[number] as BranchId
      people.set(branch, [...(people.get(branch) ?? []), name])
    }
  }
  return people
}
