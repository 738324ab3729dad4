import { expect, test } from 'vitest'
import { play } from '../../../test/model/stage.ts'
import { getBranch } from '../../context/branch.ts'
import { keep, newVersions, standingClears } from './standing.ts'

test('what is remembered of a log has an end, and what is kept last is there', () => {
  const map = new Map<number, number>()
  for (let n = 0; n < 25_000; n++) expect(keep(map, n, -n)).toBe(-n)
  expect(map.size).toBeLessThanOrEqual(10_000)
  expect(map.get(24_999)).toBe(-24_999)
})

test('keeping what is known already forgets nothing', () => {
  const map = new Map<number, number>()
  for (let n = 0; n < 10_000; n++) keep(map, n, n)
  keep(map, 0, 1)
  expect([map.size, map.get(0), map.get(9_999)]).toEqual([10_000, 1, 9_999])
})

test('what was forgotten is found again', () =>
  play((scene) => {
    for (const text of 'abc') {
      scene.turn('main', text)
      scene.clear('main')
    }
    const versions = newVersions()
    const found = () => [
      ...standingClears(scene.writing, getBranch(scene.writing, scene.id('main')), versions),
    ]
    const first = found()
    expect(first).toHaveLength(3)
    for (const map of [versions.clears, versions.before])
      for (let n = 1_000_000; n < 1_010_001; n++) keep(map as Map<number, number>, n, n)
    expect(versions.clears.size).toBeLessThanOrEqual(10_000)
    expect(found()).toEqual(first)
  }))
