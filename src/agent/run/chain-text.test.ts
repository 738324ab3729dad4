import { expect, test } from 'vitest'
import { chainText } from './chain-text.ts'

const at = (depth: number): string => chainText({ max: 3, depth })

test('in the main session a chain is told of without a ping or a report: the person sees the answer', () => {
  expect(at(0)).toMatchInlineSnapshot(
    `"CHAIN: this is check 1/4. follow_up_chain(minutes_from_now) is available, for up to 3 more checks: call it if the matter is open and worth looking at again, else leave it."`,
  )
  expect(at(1)).toMatchInlineSnapshot(
    `"CHAIN: this is check 2/4. follow_up_chain(minutes_from_now) is available, for up to 2 more checks: call it if the matter is open and worth looking at again, else leave it. Let your answer say that it is a follow-up ("checking in again")."`,
  )
  expect(at(3)).toMatchInlineSnapshot(
    `"CHAIN: this is check 4/4, the final one: follow_up_chain is not available. Ask yourself: would the user regret missing this? If it is unresolved and they would, say so plainly; else let it rest. Let your answer say that it is a follow-up ("checking in again")."`,
  )
  for (const depth of [0, 1, 2, 3]) expect(at(depth)).not.toMatch(/report_updates|\bping\b/i)
})

test('a chain says which check it is of how many, and only the final one has none after it', () => {
  const checks = [0, 1, 2, 3].map((depth) => /check (\d\/\d)/.exec(at(depth))?.[1])
  expect(checks).toEqual(['1/4', '2/4', '3/4', '4/4'])
  const available = [0, 1, 2, 3].map((depth) =>
    at(depth).includes('follow_up_chain(minutes_from_now) is available'),
  )
  expect(available).toEqual([true, true, true, false])
  expect([0, 1, 2, 3].map((depth) => at(depth).includes('checking in again'))).toEqual([
    false,
    true,
    true,
    true,
  ])
  expect(chainText({ max: 0, depth: 0 })).toBe('')
})
