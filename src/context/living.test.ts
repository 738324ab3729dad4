import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { counting } from '../../test/model/counting.ts'
import { seededRandom } from '../base/random.ts'
import { makeBranchId, type BranchId } from '../event/id.ts'
import type { Reader, Writing } from '../event/table.ts'
import { openMemoryLog } from '../log/memory.ts'
import type { Log } from '../log/log.ts'
import { childrenOf, countBranches, getBranch, newestChildren } from './branch.ts'
import { isRefusal } from './decision.ts'
import { createBranch, fork } from './fork.ts'
import { livingChildren } from './living.ts'
import { contextProjections } from './fold.ts'
import { rounds } from '../../test/rounds.ts'

const author = { by: 'person' } as const

interface Family {
  readonly log: Log
  readonly branches: BranchId[]
  readonly grow: (parent: BranchId | null) => Promise<BranchId>
  readonly end: (...branches: readonly BranchId[]) => Promise<void>
}

function family(): Family {
  const log = openMemoryLog({ projections: contextProjections })
  const random = seededRandom(3)
  const branches: BranchId[] = []
  const create = (writing: Writing, parent: BranchId | null): BranchId => {
    const child = makeBranchId(branches.length, random)
    const made = { child, title: null, at: 0, author } as const
    const inherit = { take: 'nothing' } as const
    const decided =
      parent === null
        ? createBranch({ ...made, mode: 'main' })
        : fork(writing, { ...made, parent, mode: 'background', inherit, hasGoal: true })
    if (isRefusal(decided)) throw new Error(decided.refused)
    writing.append(decided.draft)
    branches.push(child)
    return child
  }
  return {
    log,
    branches,
    grow: (parent) => log.write((writing) => create(writing, parent)),
    end: (...ended) =>
      log.write((writing) => {
        for (const branch of ended)
          writing.append({ kind: 'branch-ended', branch, at: 0, v: 1, reason: 'finished', author })
      }),
  }
}

/** The naive way: looks at every branch ever made. */
function isAlive(reader: Reader, id: BranchId): boolean {
  const isOpen = getBranch(reader, id).state.kind !== 'ended'
  return isOpen || childrenOf(reader, id).some((child) => isAlive(reader, child))
}

const acts = fc.array(fc.record({ act: fc.constantFrom('grow', 'end'), which: fc.nat(1_000) }), {
  maxLength: 40,
})

describe('living children', () => {
  test('are those that have not ended, or below which something has not, oldest first', async () => {
    const holds = fc.asyncProperty(acts, async (sequence) => {
      const { log, branches, grow, end } = family()
      await grow(null)
      for (const { act, which } of sequence) {
        const branch = branches[which % branches.length] as BranchId
        const isOpen = await log.read((reader) => getBranch(reader, branch).state.kind !== 'ended')
        if (act === 'grow') await grow(which % 7 === 0 ? null : branch)
        else if (isOpen) await end(branch)
        await log.read((reader) => {
          for (const parent of [null, ...branches]) {
            const expected = childrenOf(reader, parent).filter((child) => isAlive(reader, child))
            expect(livingChildren(reader, parent)).toEqual(expected)
          }
          expect(countBranches(reader)).toBe(branches.length)
        })
      }
    })
    await fc.assert(holds, { numRuns: rounds(200) })
  })

  test('of a branch that had ended bring it back, until they have ended too', async () => {
    const { log, grow, end } = family()
    const main = await grow(null)
    const run = await grow(main)
    const other = await grow(main)
    await end(run)
    expect(await log.read((reader) => livingChildren(reader, main))).toEqual([other])
    const reply = await grow(run)
    expect(await log.read((reader) => livingChildren(reader, main))).toEqual([run, other])
    await end(reply)
    expect(await log.read((reader) => livingChildren(reader, main))).toEqual([other])
  })

  test('are found with as many looks after a thousand have ended as after ten', async () => {
    const { log, grow, end } = family()
    const main = await grow(null)
    const kept = await grow(main)
    const looks = async (ended: number): Promise<number> => {
      for (let n = 0; n < ended; n++) await end(await grow(main))
      return log.read((reader) => {
        const counted = counting(reader)
        expect(livingChildren(counted.reader, main)).toEqual([kept])
        return counted.reads()
      })
    }
    expect([await looks(10), await looks(1_000)]).toEqual([2, 2])
  })

  test('and ended ones are counted and listed, the newest of them alone where that is asked for', async () => {
    const { log, grow, end } = family()
    const main = await grow(null)
    const children = [await grow(main), await grow(main), await grow(main)]
    await end(...children)
    await log.read((reader) => {
      expect(countBranches(reader)).toBe(4)
      expect(childrenOf(reader, main)).toEqual(children)
      expect(newestChildren(reader, main, 2)).toEqual(children.slice(1))
      expect(newestChildren(reader, main, 9)).toEqual(children)
    })
  })
})
