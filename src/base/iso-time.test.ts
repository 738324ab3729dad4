import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { momentOf } from './iso-time.ts'
import { clockIn } from './time-text.ts'

const now = Date.UTC(2026, 2, 10, 12)
const berlin = { zone: 'Europe/Berlin', now }
const at = (text: string, edge: 'start' | 'end' = 'start'): string | undefined => {
  const moment = momentOf(text, { ...berlin, edge })
  return moment === undefined ? undefined : new Date(moment).toISOString()
}

describe('a time in words', () => {
  test.each([
    ['2026-03-01', '2026-02-28T23:00:00.000Z', '2026-03-01T22:59:59.999Z'],
    ['2026-07-01', '2026-06-30T22:00:00.000Z', '2026-07-01T21:59:59.999Z'],
    ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
    ['2026-02', '2026-01-31T23:00:00.000Z', '2026-02-28T22:59:59.999Z'],
    ['2025', '2024-12-31T23:00:00.000Z', '2025-12-31T22:59:59.999Z'],
    ['2026-03-01T08:30', '2026-03-01T07:30:00.000Z', '2026-03-01T07:30:59.999Z'],
    ['2026-03-01 08:30', '2026-03-01T07:30:00.000Z', '2026-03-01T07:30:59.999Z'],
    ['2026-03-01T08:30:15Z', '2026-03-01T08:30:15.000Z', '2026-03-01T08:30:15.999Z'],
    ['2026-03-01T08:30:15.250Z', '2026-03-01T08:30:15.000Z', '2026-03-01T08:30:15.999Z'],
    ['2026-03-01T08:30-05:00', '2026-03-01T13:30:00.000Z', '2026-03-01T13:30:59.999Z'],
    ['3d', '2026-03-07T12:00:00.000Z', '2026-03-07T12:00:00.000Z'],
    [' 90m ', '2026-03-10T10:30:00.000Z', '2026-03-10T10:30:00.000Z'],
    ['999999w', '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
  ])('%s begins and ends where the person is', (text, start, end) =>
    expect([at(text), at(text, 'end')]).toEqual([start, end]),
  )

  test.each([
    '',
    'yesterday',
    '2026-02-30',
    '2026-13',
    '26-03-01',
    '2026-03-01T25:00',
    '2026-03-01T08:60',
    '3y',
    '2026-3-1',
  ])('what is no time is none: %j', (text) => expect(at(text)).toBeUndefined())

  test('any text is a time or none, and never throws', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?$/)), (text) => {
        const moment = momentOf(text, { ...berlin, edge: 'end' })
        expect(moment === undefined || Number.isFinite(moment)).toBe(true)
      }),
    ))

  test('the day of any moment holds that moment, in any zone', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 86_400_000, max: 4_000_000_000_000 }),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia'),
        (moment, zone) => {
          const day = clockIn(moment, zone).date
          expect(momentOf(day, { zone, now, edge: 'start' })).toBeLessThanOrEqual(moment)
          expect(momentOf(day, { zone, now, edge: 'end' })).toBeGreaterThanOrEqual(moment)
        },
      ),
    ))
})
