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
  readonly people: People
  /** Speakers by each word of their name, folded. */
  readonly names: ReadonlyMap<string, ReadonlySet<number>>
  /** The same for names in scripts that put no spaces between words. */
  readonly unspaced: ReadonlyMap<string, ReadonlySet<number>>
}

type Hearing = ReturnType<typeof nobody>

/** `looked`: how many documents were read so far. */
function nobody() {
  const [names, unspaced] = [new Map<string, Set<number>>(), new Map<string, Set<number>>()]
  const people = new Map<string, Set<BranchId>>()
  return { looked: 0, branches: new Map<number, Set<number>>(), people, names, unspaced }
}

const NAME_LENGTH_MIN = 2
const USER = documentKinds.indexOf('user')
const NOTE = documentKinds.indexOf('note')
/** By columns, because a rebuilt index has new ones. */
const heardIn = new WeakMap<Columns, Hearing>()

/** Who speaks in which branch, as far as indexed. Each document is read once. */
export function heard({
  columns,
  speakers,
  branches,
}: Pick<Indexed, 'columns' | 'speakers' | 'branches'>): Heard {
  const known = heardIn.get(columns) ?? nobody()
  heardIn.set(columns, known)
  for (; known.looked < columns.count; known.looked++) {
    const kind = (columns.flags[known.looked] as number) & KIND_MASK
    // Somebody who only wrote a note counts as a speaker too.
    if (kind !== USER && kind !== NOTE) continue
    const speaker = columns.speaker[known.looked] as number
    const name = speakers[speaker] ?? HOST
    if (!known.branches.has(speaker)) meet(known, speaker, name)
    const branch = columns.branch[known.looked] as number
    if (known.branches.get(speaker)?.has(branch) === true) continue
    add(known.branches, speaker, branch)
    if (name !== HOST && name !== UNNAMED) add(known.people, name, branches[branch] as BranchId)
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

function add<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, new Set([value]))
  else known.add(value)
}

/** Leaves out people who never speak in the branches searched: there, their names are ordinary words. */
export function heardWithin(
  index: Pick<Indexed, 'columns' | 'speakers' | 'branches'>,
  within: Within,
): Heard {
  const all = heard(index)
  const strangers = new Set<number>()
  for (const [speaker, branches] of all.branches)
    // The host has no name, and speaks in every background run.
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
