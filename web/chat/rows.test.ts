import { expect, test } from 'vitest'
import { rowsOf, typedIn } from './rows.ts'
import type { Entry } from './timeline.ts'

function said(position: number, at: string, more: object = {}): Entry {
  return {
    kind: 'said',
    position,
    at,
    turn: position,
    label: null,
    text: `t${position}`,
    updates: 0,
    ...more,
  } as Entry
}

const dayOf = (at: string) => at.slice(0, 10)

test('days stand between entries, and what was rewound is one stretch', () => {
  const rows = rowsOf(
    [
      said(1, '2026-11-01T09:00:00Z', { updates: 2 }),
      { ...said(2, '2026-11-01T09:00:05Z', { turn: 1 }), kind: 'answer' } as Entry,
      said(3, '2026-11-02T09:00:00Z', { label: 'rewound' }),
      said(4, '2026-11-02T09:01:00Z', { label: 'rewound' }),
      said(5, '2026-11-02T09:02:00Z'),
    ],
    dayOf,
  )
  expect(rows.map(({ kind }) => kind)).toEqual(['day', 'entry', 'entry', 'day', 'ghost', 'entry'])
  expect(rows[2]).toMatchObject({ updates: 2 })
  expect(rows[4]).toMatchObject({ label: 'rewound', rows: [{ isSame: false }, { isSame: true }] })
})

test('lines that were typed twice in a row are recalled once', () => {
  const again = { text: 'hello' }
  const lines = typedIn([said(1, '', again), said(2, '', again), said(3, ''), said(4, '', again)])
  expect(lines).toEqual(['hello', 't3', 'hello'])
})
