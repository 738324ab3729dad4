import { expect, test } from 'vitest'
import { DAY, endingNow, MINUTE, ticksOf, tilesOf, wholeSpan, within, YEAR, zoomed } from './window.ts'

const NOW = Date.UTC(2026, 10, 14, 12)

test('zooming keeps what is under the pointer where it is, between two minutes and forty years', () => {
  const week = endingNow(7 * DAY, NOW)
  const at = week.from + 0.3 * 7 * DAY
  for (const factor of [0.5, 1.7, 1e-9, 1e9]) {
    const { from, to } = zoomed(week, factor, 0.3)
    expect(Math.abs((at - from) / (to - from) - 0.3)).toBeLessThan(1e-6)
    expect(to - from).toBeGreaterThanOrEqual(2 * MINUTE - 1)
    expect(to - from).toBeLessThanOrEqual(40 * YEAR + 1)
  }
})

test('a window never leaves the river', () => {
  const since = NOW - YEAR
  for (const from of [0, since - YEAR, NOW + 5 * YEAR]) {
    const shown = within({ from, to: from + DAY }, { since, now: NOW })
    expect(shown.to - shown.from).toBe(DAY)
    expect(shown.to >= since && shown.from <= NOW).toBe(true)
  }
})

test('tiles cover the window and its neighbours, are few, and stay the same while it moves a little', () => {
  for (let span = 2 * MINUTE; span < 40 * YEAR; span *= 3) {
    const tiles = tilesOf({ from: NOW, to: NOW + span })
    expect(tiles.length).toBeLessThanOrEqual(5)
    expect(tiles[0]!.to).toBeLessThan(NOW)
    expect(tiles.at(-1)!.from).toBeGreaterThan(NOW + span)
    for (const [index, { from }] of tiles.slice(1).entries()) expect(from).toBe(tiles[index]!.to + 1)
  }
})

test('lines of the axis are neither crowded nor missing at any zoom', () => {
  for (let span = 2 * MINUTE; span < 40 * YEAR; span *= 1.7) {
    const { ticks } = ticksOf({ from: NOW - span, to: NOW }, 1_200)
    expect(ticks.length).toBeGreaterThanOrEqual(2)
    expect(ticks.length).toBeLessThanOrEqual(14)
    expect(new Set(ticks.map(({ at }) => at)).size).toBe(ticks.length)
  }
})

test('a river younger than the span fills the width', () => {
  expect(wholeSpan(YEAR, 2 * YEAR)).toBe(YEAR)
  expect(wholeSpan(YEAR, 100 * DAY)).toBeLessThan(120 * DAY)
})
