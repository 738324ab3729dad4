import { expect, test } from 'vitest'
import { fitting } from './page.ts'

test('a page of large entries ends early and says where; a page of small ones is whole', () => {
  const large = { text: 'x'.repeat(1_000_000) }
  const places = [1, 2, 3, 4, 5, 6, 7, 8]
  const early = fitting(places, (place) => (place === 2 ? undefined : large))
  expect(early).toMatchObject({ last: 5, isWhole: false })
  expect(early.entries).toHaveLength(4)
  expect(fitting(places, (place) => ({ place }))).toMatchObject({ last: 8, isWhole: true })
  expect(fitting([], () => large)).toEqual({ entries: [], last: undefined, isWhole: true })
})
