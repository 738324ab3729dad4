import { describe, expect, test } from 'vitest'
import { hourTicks, LANES_MAX, placeMarks, type Mark } from './timeline.ts'

function mark(x: number, width = 60): Mark {
  return { x, width, isOften: false }
}

describe('marks', () => {
  test('that are apart share the lowest lane', () =>
    expect(placeMarks([mark(10), mark(200)], 400)).toEqual([
      { lane: 0, label: 'right' },
      { lane: 0, label: 'right' },
    ]))

  test('that are near each other get lanes of their own', () =>
    expect(placeMarks([mark(10), mark(30), mark(40)], 400).map(({ lane }) => lane)).toEqual([0, 1, 2]))

  test('at the right end have their labels on the left', () =>
    expect(placeMarks([mark(390)], 400)).toEqual([{ lane: 0, label: 'left' }]))

  test('that go on all the time keep their lane to the end', () =>
    expect(placeMarks([{ ...mark(10), isOften: true }, mark(300)], 400).map(({ lane }) => lane)).toEqual([
      0, 1,
    ]))

  test('of a crowd never overlap; those without a place lose their label', () => {
    const marks = Array.from({ length: 60 }, (_, index) => mark(index * 6, 90))
    const placed = placeMarks(marks, 360)
    const boxes = placed.flatMap(({ lane, label }, index) => {
      const { x, width } = marks[index] ?? mark(0)
      return label === 'none'
        ? []
        : [{ lane, from: label === 'right' ? x : x - width, to: label === 'right' ? x + width : x }]
    })
    for (const [index, one] of boxes.entries())
      for (const other of boxes.slice(index + 1))
        expect(one.lane !== other.lane || one.to <= other.from || other.to <= one.from).toBe(true)
    expect(Math.max(...placed.map(({ lane }) => lane))).toBe(LANES_MAX - 1)
    expect(placed.some(({ label }) => label === 'none')).toBe(true)
  })
})

test('hours are shown as close as there is room for them', () => {
  const from = Date.UTC(2026, 10, 14, 11, 4)
  const ticks = (total: number) =>
    hourTicks({ from, to: from + 12 * 3_600_000 }, { total, apart: 60, offsetMs: 3_600_000 }).map(
      (at) => new Date(at).getUTCHours() + 1,
    )
  expect(ticks(700)).toEqual([14, 16, 18, 20, 22, 24])
  expect(ticks(300)).toEqual([15, 18, 21, 24])
  expect(ticks(1_000)).toHaveLength(12)
})
