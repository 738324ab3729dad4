import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { HOUR, ticksOf } from '../river/window.ts'
import { clockText, dayText } from '../ui/time.tsx'
import { instantOf, noteZone, wallAt } from './zone.ts'

afterEach(() => noteZone('UTC'))

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe']
const instants = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2035, 0) })

test("times are shown as the person's clock shows them, wherever the browser is", () => {
  const at = Date.UTC(2026, 10, 14, 22, 30)
  noteZone('Asia/Tokyo')
  expect([dayText(at), clockText(at)]).toEqual([expect.stringContaining('15 Nov'), '07:30'])
  noteZone('No/Such_Zone')
  expect(clockText(at)).toBe('07:30')
  noteZone('Europe/Berlin')
  expect(clockText(at)).toBe('23:30')
})

test('the clock on the wall and the instant lead to each other, but for hours that come twice or never', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instants, (zone, at) => {
      noteZone(zone)
      const back = instantOf(wallAt(at).getTime())
      expect(wallAt(back)).toEqual(wallAt(at))
      expect(Math.abs(back - at)).toBeLessThanOrEqual(HOUR)
    }),
  )
})

test('lines of the axis come one after the other, also where the clock changes', () => {
  const spans = fc.integer({ min: HOUR / 30, max: 900 * 24 * HOUR })
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), instants, spans, (zone, from, span) => {
      noteZone(zone)
      const { ticks } = ticksOf({ from, to: from + span }, 1_200)
      for (const [index, { at }] of ticks.entries()) expect(at).toBeGreaterThan(ticks[index - 1]?.at ?? 0)
      expect(ticks.length).toBeLessThanOrEqual(16)
    }),
  )
})
