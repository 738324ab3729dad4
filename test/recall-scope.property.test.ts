import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getBranch } from '../src/context/branch.ts'
import { contextProjections } from '../src/context/fold.ts'
import { messageOf } from '../src/context/step.ts'
import type { BranchId, Position } from '../src/event/id.ts'
import type { Reader } from '../src/event/table.ts'
import { MemoryDisk, openMemoryLog } from '../src/log/memory.ts'
import { fateOf, type Fate } from '../src/recall/scope/fate.ts'
import type { Within } from '../src/recall/contract/recall.ts'
import { automaticWithin } from '../src/recall/scope/scope.ts'
import { newVersions, type Versions } from '../src/recall/scope/standing.ts'
import { chainOf } from './model/chain.ts'
import { fateIn, scopeIn } from './model/naive-recall.ts'
import { operations, type Operation } from './model/operations.ts'
import { createRoot, perform } from './model/perform.ts'
import { Disagreement, identity, Trial } from './model/trial.ts'
import { isWholeRun, rounds } from './rounds.ts'

const RUNS = rounds(300)
const CHAINS = rounds(10)
/** The naive side copies arrays and is slow: not every state is compared, but the last one always is. */
const COMPARED_EVERY = 4
const FATES: readonly Fate[] = ['shown', 'summarised', 'rewound', 'cleared', 'discarded', 'other']
const TIMES_IN_RUN = 0.5

test('[RECALL1] automatic recall finds what the list stands for and does not show: nothing rewound, nothing discarded, nothing shown; and each message has the fate that the naive model knows', async () => {
  const seen = new Map<string, number>()
  const holds = fc.asyncProperty(operations, (sequence) => live(sequence, { seen }))
  await fc.assert(holds, { numRuns: RUNS })
  const seldom = [...FATES, 'found', 'found across a clear'].filter((what) => isSeldom(seen, what))
  if (isWholeRun) expect(seldom).toEqual([])
})

test('[RECALL1] the same holds through hundreds of nested summaries', async () => {
  const holds = fc.asyncProperty(chainOf(120), (sequence) =>
    live(sequence, { seen: new Map(), every: 40, branchesMax: 16 }),
  )
  await fc.assert(holds, { numRuns: CHAINS })
})

function isSeldom(seen: ReadonlyMap<string, number>, what: string): boolean {
  return (seen.get(what) ?? 0) < TIMES_IN_RUN * RUNS
}

interface Life {
  /** How often each outcome was compared. */
  readonly seen: Map<string, number>
  readonly every?: number
  readonly branchesMax?: number
}

async function live(sequence: readonly Operation[], life: Life): Promise<void> {
  const trial = new Trial(life.branchesMax)
  const versions = newVersions()
  const log = openMemoryLog({ disk: new MemoryDisk(), projections: contextProjections })
  await log.write((writing) => createRoot(trial, writing, 'main'))
  for (const [index, operation] of sequence.entries()) {
    await log.write((writing) => perform(trial, writing, operation))
    const isTelling = index % (life.every ?? COMPARED_EVERY) === 0 || index === sequence.length - 1
    if (isTelling) await log.read((reader) => compare(trial, reader, { ...life, versions }))
  }
  await log.close()
}

function compare(trial: Trial, reader: Reader, { seen, versions }: Life & { versions: Versions }): void {
  const messages = messagesOf(trial, reader)
  const isGivenUp = (number: number): boolean => {
    const { state } = getBranch(reader, trial.id(number))
    return state.kind === 'ended' && state.reason !== 'reported' && state.reason !== 'finished'
  }
  for (const [name, { branch, position }] of messages) {
    const real = fateOf(reader, { branch: trial.id(branch), position }, versions)
    const naive = fateIn(trial.naive, { name, writer: branch, isGivenUp })
    same(real, naive, `the fate of ${name} at ${position}`)
    seen.set(real, (seen.get(real) ?? 0) + 1)
  }
  for (const { number } of trial.naive.branches) {
    for (const acrossClear of [false, true]) {
      const real = automaticWithin(reader, trial.id(number), { policy: 'managed', acrossClear, versions })
      const naive = scopeIn(trial.naive, {
        number,
        acrossClear,
        isIsolated: isIsolated(reader, trial.id(number)),
      })
      const found = [...messages].filter(([, place]) => isWithin(trial, real, place)).map(([name]) => name)
      same(found.toSorted().join(' '), naive.toSorted().join(' '), `recall in ${number}, ${acrossClear}`)
      const what = acrossClear ? 'found across a clear' : 'found'
      if (found.length > 0) seen.set(what, (seen.get(what) ?? 0) + 1)
    }
  }
}

function isIsolated(reader: Reader, id: BranchId): boolean {
  const created = reader.event(getBranch(reader, id).forkedAt)
  return created.kind === 'branch-created' && created.mode === 'background' && created.base.from === 'nothing'
}

function isWithin(trial: Trial, within: Within | undefined, { branch, position }: Place): boolean {
  const stretches = within?.(trial.id(branch)) ?? []
  if (stretches === 'all') throw new Disagreement('automatic recall never sees all of a branch')
  return stretches.some(({ from, to }) => from <= position && position <= to)
}

type Place = { readonly branch: number; readonly position: Position }

function messagesOf(trial: Trial, reader: Reader): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>()
  for (let position = 1; position <= reader.end; position++) {
    const event = reader.event(position as Position)
    if (event.kind !== 'message-added') continue
    const place = { branch: trial.ids.indexOf(event.branch), position: event.position }
    found.set(identity(messageOf(event)), place)
  }
  return found
}

function same(real: string, naive: string, what: string): void {
  if (real !== naive)
    throw new Disagreement(`${what}:\n  the code says        ${real}\n  the naive model says ${naive}`)
}
