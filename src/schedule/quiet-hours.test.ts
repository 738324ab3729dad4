import { expect, test } from 'vitest'
import { quietBetween, quietUntil } from './quiet-hours.ts'

const NIGHT = { from: 22 * 60, to: 8 * 60 }
const LUNCH = { from: 12 * 60, to: 13 * 60 + 30 }

function until(hours: typeof NIGHT | null, at: string, zone = 'Europe/Berlin'): string | null {
  const end = quietUntil(hours, zone, Date.parse(at))
  return end === null ? null : new Date(end).toISOString().slice(0, 16)
}

test.each([
  [NIGHT, '2026-01-10T20:59:59.999Z', null],
  [NIGHT, '2026-01-10T21:00:00Z', '2026-01-11T07:00'],
  [NIGHT, '2026-01-10T23:30:00Z', '2026-01-11T07:00'],
  [NIGHT, '2026-01-11T06:59:59.999Z', '2026-01-11T07:00'],
  [NIGHT, '2026-01-11T07:00:00Z', null],
  [LUNCH, '2026-01-11T10:59:59Z', null],
  [LUNCH, '2026-01-11T11:00:00Z', '2026-01-11T12:30'],
  [LUNCH, '2026-01-11T12:30:00Z', null],
  [null, '2026-01-11T12:30:00Z', null],
])('quiet hours %j at %s last until %s', (hours, at, end) => {
  expect(until(hours, at)).toBe(end)
})

test('quiet hours end by the clock on the wall when it is changed in between', () => {
  expect(until(NIGHT, '2026-03-28T22:00:00Z')).toBe('2026-03-29T06:00')
  expect(until(NIGHT, '2026-10-24T21:00:00Z')).toBe('2026-10-25T07:00')
})

test('quiet hours that end in a gap end right after it', () => {
  const hours = { from: 22 * 60, to: 2 * 60 + 30 }
  expect(until(hours, '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00')
  expect(until(hours, '2026-03-29T01:00:00Z')).toBe(null)
  expect(until({ from: 2 * 60, to: 3 * 60 }, '2026-03-29T01:00:00Z')).toBe(null)
})

test('an hour that is shown twice neither ends quiet hours twice nor breaks them', () => {
  const ends = { from: 22 * 60, to: 2 * 60 + 30 }
  expect(until(ends, '2026-10-25T00:15:00Z')).toBe('2026-10-25T00:30')
  expect(until(ends, '2026-10-25T01:15:00Z')).toBe(null)
  const begins = { from: 2 * 60 + 30, to: 8 * 60 }
  expect(until(begins, '2026-10-25T00:15:00Z')).toBe(null)
  expect(until(begins, '2026-10-25T01:15:00Z')).toBe('2026-10-25T07:00')
})

test('all quiet hours within some days are found, whole', () => {
  const [from, to] = ['2026-01-10T22:00:00Z', '2026-01-12T06:00:00Z'].map((at) => Date.parse(at))
  const found = quietBetween(NIGHT, 'Europe/Berlin', { from: from ?? 0, to: to ?? 0 })
  expect(
    found.map(({ from: begin, to: end }) => [begin, end].map((at) => new Date(at).toISOString())),
  ).toEqual([
    ['2026-01-10T21:00:00.000Z', '2026-01-11T07:00:00.000Z'],
    ['2026-01-11T21:00:00.000Z', '2026-01-12T07:00:00.000Z'],
  ])
})
