import { expect, test } from 'vitest'
import { Pool } from './pool.ts'

function pool(bounds: { max: number; addressMax: number }) {
  const [gone, busy] = [[] as string[], new Set<string>()]
  const places = new Pool<string>(bounds, (guest) => !busy.has(guest) && gone.push(guest) > 0)
  return { places, gone, busy }
}

test('[DOOR5] where all places are taken, whoever has been there longest gives way', () => {
  const { places, gone } = pool({ max: 2, addressMax: 2 })
  for (const guest of ['a', 'b', 'c']) expect(places.enter(guest, guest)).toBe(true)
  expect(gone).toEqual(['a'])
  places.leave('b')
  expect(places.enter('d', 'd')).toBe(true)
  expect(gone).toEqual(['a'])
})

test('[DOOR5] one address takes its share, and then only from itself', () => {
  const { places, gone } = pool({ max: 10, addressMax: 2 })
  places.enter('other', '2')
  for (const guest of ['a', 'b', 'c']) expect(places.enter(guest, '1')).toBe(true)
  expect(gone).toEqual(['a'])
  for (const guest of ['x', 'y', 'z']) expect(places.enter(guest)).toBe(true)
  expect(gone).toEqual(['a'])
})

test('[DOOR5] whoever is being worked for stays', () => {
  const { places, gone, busy } = pool({ max: 2, addressMax: 2 })
  for (const guest of ['a', 'b']) places.enter(guest, guest)
  busy.add('a')
  expect(places.enter('c', 'c')).toBe(true)
  expect(gone).toEqual(['b'])
  busy.add('c')
  expect(places.enter('d', 'd')).toBe(false)
})
