import { describe, expect, test } from 'vitest'
import { AT, branchOf, documentsFor, indexOf, MINUTE } from '../../../test/recall-search/said.ts'
import { filterFor } from './filter.ts'
import type { Search, Stretch } from '../contract/recall.ts'

const said = [
  { text: 'one', at: AT },
  { text: 'two', at: AT + MINUTE, by: 'José' },
  { text: 'three', at: AT + 2 * MINUTE, branch: 1 },
  { text: 'four', at: AT + 3 * MINUTE, kind: 'summary' as const, by: 'model' },
  { text: 'five', at: AT + 4 * MINUTE },
]

function allowed(search: Partial<Search>): number[] {
  const index = indexOf(...said)
  const { mayBe } = filterFor(index, { text: '', within: () => 'all', limit: 1, now: AT, ...search })
  return said.flatMap((_, document) => (mayBe(document) ? [document] : []))
}

const inFirst = (...stretches: Stretch[]) => ({
  within: (branch: string) => (branch === branchOf(0) ? stretches : []),
})

describe('found is only', () => {
  test.each<[string, Partial<Search>, number[]]>([
    ['everything, where all may be', {}, [0, 1, 2, 3, 4]],
    ['nothing, where nothing may be', { within: () => [] }, []],
    ['a branch', { within: (branch) => (branch === branchOf(1) ? 'all' : []) }, [2]],
    ['stretches, both ends in them, and no summary', inFirst({ from: 1, to: 4 }), [0, 1]],
    ['several stretches', inFirst({ from: 1, to: 1 }, { from: 3, to: 3 }, { from: 5, to: 9 }), [0, 4]],
    ['nothing between stretches', inFirst({ from: 0, to: 0 }, { from: 6, to: 9 }), []],
    ['what was said since', { since: AT + MINUTE }, [1, 2, 3, 4]],
    ['what was said until', { until: AT + MINUTE }, [0, 1]],
    ['what was said in the second of since and until', { since: AT + 999, until: AT + 999 }, [0]],
    ['what somebody said, however the name is written', { speakers: [' jose'] }, [1]],
    ['what one of several said', { speakers: ['jose', 'anna'], until: AT + MINUTE }, [0, 1]],
    ['nothing of one who never spoke', { speakers: ['Jos'] }, []],
    ['what is all of this', { speakers: ['anna'], since: AT + 1_000, ...inFirst({ from: 1, to: 9 }) }, [4]],
  ])('%s', (_, search, expected) => {
    expect(allowed(search)).toEqual(expected)
  })

  test('what was there before the search', () => {
    const index = indexOf('one')
    const { mayBe } = filterFor(index, { text: '', within: () => 'all', limit: 1, now: AT })
    index.add(documentsFor(['two'], 1), 2)
    expect([0, 1, 2, 4_000_000].map(mayBe)).toEqual([true, false, false, false])
  })
})

test('an update is found where it was reported or where a message shows it, as all or only stretches may be', () => {
  const index = indexOf(
    { text: 'one', kind: 'update', by: 'mcp a' },
    { text: 'one', kind: 'update', by: 'mcp a', part: 1 },
  )
  const found = (search: Pick<Search, 'within'>) => {
    const { mayBe } = filterFor(index, { text: '', limit: 1, now: AT, ...search })
    return [0, 1].filter(mayBe)
  }
  expect(found({ within: () => 'all' })).toEqual([0])
  expect(found(inFirst({ from: 1, to: 2 }))).toEqual([1])
  expect(found(inFirst({ from: 1, to: 1 }))).toEqual([])
})

test('each branch is asked about once', () => {
  const asked: string[] = []
  const within = (branch: string) => (asked.push(branch), 'all') as 'all'
  allowed({ within })
  expect(asked).toEqual([branchOf(0), branchOf(1)])
})

test('whoever said it, what lies inside counts for what stands beside it', () => {
  const index = indexOf(...said)
  const search = {
    text: '',
    within: () => 'all' as const,
    limit: 1,
    now: AT,
    speakers: ['Anna'],
    since: AT + MINUTE,
  }
  const { isInside, mayBe } = filterFor(index, search)
  expect([0, 1, 2].map(isInside)).toEqual([false, true, true])
  expect([0, 1, 2].map(mayBe)).toEqual([false, false, true])
})
