import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantShowing, shownAt } from './zone-time.ts'
import { rounds } from '../../test/rounds.ts'

/** `2026-03-29 02:30:00`, also without the seconds, as if it were UTC. */
function wall(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}Z`)
}

describe('the clock on the wall', () => {
  test.each([
    ['2026-03-01T08:30:59.999Z', 'Europe/Berlin', '2026-03-01 09:30:59'],
    ['2026-07-01T00:00:00Z', 'Asia/Kolkata', '2026-07-01 05:30:00'],
    ['2026-07-01T00:00:00Z', 'Asia/Kathmandu', '2026-07-01 05:45:00'],
    ['2026-07-01T00:00:00Z', 'Pacific/Chatham', '2026-07-01 12:45:00'],
    ['2026-07-01T00:00:00Z', 'Australia/Lord_Howe', '2026-07-01 10:30:00'],
    ['2026-12-31T12:00:00Z', 'Pacific/Kiritimati', '2027-01-01 02:00:00'],
    ['2026-01-01T10:59:59Z', 'Pacific/Pago_Pago', '2025-12-31 23:59:59'],
    ['1969-12-31T23:59:59.500Z', 'UTC', '1969-12-31 23:59:59'],
    ['0001-06-01T12:00:00Z', 'UTC', '0001-06-01 12:00:00'],
    ['0050-06-01T12:00:00Z', 'UTC', '0050-06-01 12:00:00'],
    ['9999-06-01T12:00:00Z', 'Europe/Berlin', '9999-06-01 14:00:00'],
  ])('shows at %s in %s: %s', (at, zone, shown) => {
    expect(shownAt(Date.parse(at), zone)).toBe(wall(shown))
  })

  test('shows the year before the first one as 0', () => {
    const shown = shownAt(Date.parse('0001-01-01T00:00:00Z'), 'America/New_York')
    expect(new Date(shown).getUTCFullYear()).toBe(0)
  })

  test('does not exist in a zone that there is not', () => {
    expect(() => shownAt(0, 'Mars/Olympus')).toThrow(RangeError)
  })
})

describe('what the clock on the wall shows', () => {
  test.each([
    ['2026-03-29 01:59', 'Europe/Berlin', '2026-03-29T00:59:00Z'],
    ['2026-03-29 02:00', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['2026-03-29 02:59:59', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['2026-03-29 03:00', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['2026-10-25 01:59:59', 'Europe/Berlin', '2026-10-24T23:59:59Z'],
    ['2026-10-25 02:00', 'Europe/Berlin', '2026-10-25T00:00:00Z'],
    ['2026-10-25 02:59:59', 'Europe/Berlin', '2026-10-25T00:59:59Z'],
    ['2026-10-25 03:00', 'Europe/Berlin', '2026-10-25T02:00:00Z'],
    ['2026-03-08 02:30', 'America/New_York', '2026-03-08T07:00:00Z'],
    ['2026-11-01 01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
    ['2026-10-04 02:15', 'Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['2026-10-04 02:30', 'Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['2026-04-05 01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z'],
    ['2026-04-05 02:00', 'Australia/Lord_Howe', '2026-04-04T15:30:00Z'],
    ['2011-12-29 23:59', 'Pacific/Apia', '2011-12-30T09:59:00Z'],
    ['2011-12-30 00:00', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['2011-12-30 23:59', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['2011-12-31 00:00', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['2026-03-08 00:30', 'America/Havana', '2026-03-08T05:00:00Z'],
    ['2026-10-24 23:30', 'Asia/Beirut', '2026-10-24T20:30:00Z'],
    ['0001-01-01 00:00', 'UTC', '0001-01-01T00:00:00Z'],
  ])('as %s in %s is the instant %s', (shown, zone, instant) => {
    expect(instantShowing(wall(shown), zone)).toBe(Date.parse(instant))
  })

  test('is found as by looking at every minute around it', () => {
    fc.assert(
      fc.property(moment, ({ zone, day, minutes }) => {
        const shown = Date.parse(`${day}T00:00:00Z`) + minutes * 60_000
        const at = instantShowing(shown, zone)
        expect({ at, day, zone }).toEqual({ at: naiveInstant(shown, zone), day, zone })
      }),
      { numRuns: rounds(80) },
    )
  })

  test('leads back to what was shown, unless it lies in a gap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -62_130_000_000, max: 253_400_000_000 }),
        fc.constantFrom(...ZONES),
        (seconds, zone) => {
          const at = seconds * 1_000
          const back = instantShowing(shownAt(at, zone), zone)
          expect(back).toBeLessThanOrEqual(at)
          expect(shownAt(back, zone)).toBe(shownAt(at, zone))
        },
      ),
      { numRuns: rounds(2_000) },
    )
  })
})

const CHANGES: readonly (readonly [string, string])[] = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Pacific/Apia', '2011-12-30'],
  ['America/Havana', '2026-11-01'],
  ['Asia/Beirut', '2026-10-25'],
  ['Asia/Kathmandu', '1986-01-01'],
  ['Asia/Pyongyang', '2018-05-05'],
  ['Pacific/Kwajalein', '1993-08-21'],
]
const ZONES = [...new Set(CHANGES.map(([zone]) => zone)), 'UTC', 'Asia/Kolkata']

const moment = fc
  .record({
    change: fc.constantFrom(...CHANGES),
    minutes: fc.integer({ min: -1_500, max: 2_900 }),
  })
  .map(({ change: [zone, day], minutes }) => ({ zone, day, minutes }))

const formats = new Map(
  ZONES.map((zone) => [
    zone,
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }),
  ]),
)

function naiveInstant(shown: number, zone: string): number | undefined {
  const wanted = new Date(shown).toISOString().slice(0, 19).replace('T', ' ')
  let later: number | undefined
  for (let at = shown - 27 * 3_600_000; at <= shown + 27 * 3_600_000; at += 60_000) {
    const text = formats.get(zone)?.format(at) ?? ''
    if (text === wanted) return at
    if (text > wanted) later ??= at
  }
  return later
}
