import type { BranchId } from '../../event/id.ts'
import { KIND_MASK, type Columns } from '../contract/text-index.ts'
import { HOST, UNNAMED } from '../../event/speaker.ts'
import { documentKinds } from '../contract/document.ts'
import type { Indexed } from './indexed.ts'
import type { People, Within } from '../contract/recall.ts'
import { classOf, LETTER } from '../words/letters.ts'
import { folded } from '../words/stem.ts'

export interface Heard {
  /** The branches in which a person speaks, by the person's number. */
  readonly branches: ReadonlyMap<number, ReadonlySet<number>>
  /** Who bears a name, by each word of it, folded. */
  readonly names: ReadonlyMap<string, ReadonlySet<number>>
  /** The same for names in scripts that put no spaces between words. */
  readonly unspaced: ReadonlyMap<string, ReadonlySet<number>>
}

interface Hearing extends Heard {
  /** So many documents were looked at. */
  looked: number
  readonly branches: Map<number, Set<number>>
  readonly names: Map<string, Set<number>>
  readonly unspaced: Map<string, Set<number>>
}

const NAME_LENGTH_MIN = 2
const USER = documentKinds.indexOf('user')
const NOTE = documentKinds.indexOf('note')
/** An index that begins anew has other columns. */
const heardIn = new WeakMap<Columns, Hearing>()

/** Who speaks where, as far as it is indexed; each document is looked at once. */
export function heard({ columns, speakers }: Pick<Indexed, 'columns' | 'speakers'>): Heard {
  const known = heardIn.get(columns) ?? {
    looked: 0,
    branches: new Map(),
    names: new Map(),
    unspaced: new Map(),
  }
  heardIn.set(columns, known)
  for (; known.looked < columns.count; known.looked++) {
    const kind = (columns.flags[known.looked] as number) & KIND_MASK
    // Whoever wrote no more than a note speaks there too.
    if (kind !== USER && kind !== NOTE) continue
    const speaker = columns.speaker[known.looked] as number
    if (!known.branches.has(speaker)) meet(known, speaker, speakers[speaker] ?? HOST)
    add(known.branches, speaker, columns.branch[known.looked] as number)
  }
  return known
}

function meet({ names, unspaced }: Hearing, speaker: number, name: string): void {
  if (name === HOST) return
  for (const word of folded(name).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    if (word.length < NAME_LENGTH_MIN) continue
    const isSpaced = classOf(word.codePointAt(0) as number) === LETTER
    add(isSpaced ? names : unspaced, word, speaker)
  }
}

function add<K>(map: Map<K, Set<number>>, key: K, number: number): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, new Set([number]))
  else known.add(number)
}

/** The same without those who speak nowhere where is searched: there their names are words like others. */
export function heardWithin(
  index: Pick<Indexed, 'columns' | 'speakers' | 'branches'>,
  within: Within,
): Heard {
  const all = heard(index)
  const strangers = new Set<number>()
  for (const [speaker, branches] of all.branches)
    // The host bears no name, and speaks in every background run there ever was.
    if (
      (index.speakers[speaker] ?? HOST) !== HOST &&
      !branches.values().some((number) => within(index.branches[number] as BranchId).length > 0)
    )
      strangers.add(speaker)
  if (strangers.size === 0) return all
  return { ...all, names: without(all.names, strangers), unspaced: without(all.unspaced, strangers) }
}

function without(names: Heard['names'], strangers: ReadonlySet<number>): Heard['names'] {
  const left = [...names].map(([name, speakers]) => [name, speakers.difference(strangers)] as const)
  return new Map(left.filter(([, speakers]) => speakers.size > 0))
}

export function peopleByBranch(index: Pick<Indexed, 'columns' | 'speakers' | 'branches'>): People {
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
