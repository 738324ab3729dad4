import { expect, test } from 'vitest'
import { lateText } from './late.ts'

function late(due: string, now: string): string {
  return lateText(Date.parse(due), Date.parse(now), 'Europe/Berlin')
}

test('what is late says when it was due, with the date where that is not today', () => {
  expect(late('2026-03-01T08:05:00Z', '2026-03-01T22:59:59Z')).toBe(
    '[late: was scheduled for 9:05, running now]',
  )
  expect(late('2026-03-01T08:05:00Z', '2026-03-01T23:00:00Z')).toBe(
    '[late: was scheduled for 2026-03-01 9:05, running now]',
  )
  expect(late('2026-03-01T23:00:00Z', '2026-03-02T09:00:00Z')).toBe(
    '[late: was scheduled for 0:00, running now]',
  )
  expect(late('2025-03-01T17:30:00Z', '2026-03-01T20:00:00Z')).toBe(
    '[late: was scheduled for 2025-03-01 18:30, running now]',
  )
})
