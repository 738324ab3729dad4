import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantOf, shownAt, utcOf, wallTime, type WallTime } from './zone-time.ts'

/** `2026-03-29 02:30:00`, also without the seconds. */
function wall(text: string): WallTime {
  const [year = 1, month = 1, day = 1, hour = 0, minute = 0, second = 0] = text.split(/\D+/).map(Number)
  return { year, month, day, hour, minute, second }
}

function told(text: string, zone: string): string {
  const { at, kind } = instantOf(wall(text), zone)
  return `${new Date(at).toISOString().slice(0, 19)}Z ${kind}`
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
    expect(wallTime(Date.parse(at), zone)).toEqual(wall(shown))
  })

  test('shows the year before the first one as 0', () => {
    expect(wallTime(Date.parse('0001-01-01T00:00:00Z'), 'America/New_York').year).toBe(0)
  })

  test('does not exist in a zone that there is not', () => {
    expect(() => wallTime(0, 'Mars/Olympus')).toThrow(RangeError)
  })
})

describe('what the clock on the wall shows', () => {
  test.each([
    ['2026-03-29 01:59', 'Europe/Berlin', '2026-03-29T00:59:00Z exact'],
    ['2026-03-29 02:00', 'Europe/Berlin', '2026-03-29T01:00:00Z gap'],
    ['2026-03-29 02:59:59', 'Europe/Berlin', '2026-03-29T01:00:00Z gap'],
    ['2026-03-29 03:00', 'Europe/Berlin', '2026-03-29T01:00:00Z exact'],
    ['2026-10-25 01:59:59', 'Europe/Berlin', '2026-10-24T23:59:59Z exact'],
    ['2026-10-25 02:00', 'Europe/Berlin', '2026-10-25T00:00:00Z twice'],
    ['2026-10-25 02:59:59', 'Europe/Berlin', '2026-10-25T00:59:59Z twice'],
    ['2026-10-25 03:00', 'Europe/Berlin', '2026-10-25T02:00:00Z exact'],
    ['2026-03-08 02:30', 'America/New_York', '2026-03-08T07:00:00Z gap'],
    ['2026-11-01 01:30', 'America/New_York', '2026-11-01T05:30:00Z twice'],
    ['2026-10-04 02:15', 'Australia/Lord_Howe', '2026-10-03T15:30:00Z gap'],
    ['2026-10-04 02:30', 'Australia/Lord_Howe', '2026-10-03T15:30:00Z exact'],
    ['2026-04-05 01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z twice'],
    ['2026-04-05 02:00', 'Australia/Lord_Howe', '2026-04-04T15:30:00Z exact'],
    ['2011-12-29 23:59', 'Pacific/Apia', '2011-12-30T09:59:00Z exact'],
    ['2011-12-30 00:00', 'Pacific/Apia', '2011-12-30T10:00:00Z gap'],
    ['2011-12-30 23:59', 'Pacific/Apia', '2011-12-30T10:00:00Z gap'],
    ['2011-12-31 00:00', 'Pacific/Apia', '2011-12-30T10:00:00Z exact'],
    ['2026-03-08 00:30', 'America/Havana', '2026-03-08T05:00:00Z gap'],
    ['2026-10-24 23:30', 'Asia/Beirut', '2026-10-24T20:30:00Z twice'],
    ['0001-01-01 00:00', 'UTC', '0001-01-01T00:00:00Z exact'],
    ['2026-02-31 09:00', 'UTC', '2026-03-03T09:00:00Z exact'],
  ])('as %s in %s is the instant %s', (shown, zone, instant) => {
    expect(told(shown, zone)).toBe(instant)
  })

  test('is found as by looking at every minute around it', () => {
    fc.assert(
      fc.property(moment, ({ zone, day, minutes }) => {
        const shown = Date.parse(`${day}T00:00:00Z`) + minutes * 60_000
        const wanted = new Date(shown)
        const found = instantOf(wall(wanted.toISOString().slice(0, 19)), zone)
        expect({ ...found, day, zone }).toEqual({ ...naiveInstant(shown, zone), day, zone })
      }),
      { numRuns: 80 },
    )
  })

  test('leads back to what was shown, unless it lies in a gap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -62_130_000_000, max: 253_400_000_000 }),
        fc.constantFrom(...ZONES),
        (seconds, zone) => {
          const at = seconds * 1_000
          const shown = wallTime(at, zone)
          expect(utcOf(shown)).toBe(shownAt(at, zone))
          const back = instantOf(shown, zone)
          expect(back.kind).not.toBe('gap')
          expect(back.at).toBeLessThanOrEqual(at)
          expect(back.kind === 'exact' ? back.at : at).toBe(at)
          expect(wallTime(back.at, zone)).toEqual(shown)
        },
      ),
      { numRuns: 2_000 },
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

function naiveInstant(shown: number, zone: string): { at: number; kind: string } {
  const wanted = new Date(shown).toISOString().slice(0, 19).replace('T', ' ')
  const found: number[] = []
  let later: number | undefined
  for (let at = shown - 27 * 3_600_000; at <= shown + 27 * 3_600_000; at += 60_000) {
    const text = formats.get(zone)?.format(at) ?? ''
    if (text === wanted) found.push(at)
    if (text > wanted) later ??= at
  }
  const [first, second] = found
  if (first === undefined) return { at: later ?? NaN, kind: 'gap' }
  return { at: first, kind: second === undefined ? 'exact' : 'twice' }
}
