import { expect, test } from 'vitest'
import { readAddress, writeAddress } from './address.ts'
import { areaUnder, curveOf, numberAt, placeOf, stepFrom } from './curve.ts'
import { changeWords, partName, spanOfDays, type Part } from './part.ts'
import { differenceRows, rawRows, wholeRows } from './rows.ts'

const part = (given: Partial<Part>): Part => ({
  id: 'messages',
  kind: 'messages',
  label: '',
  count: 1,
  tokens: 1,
  covers: null,
  difference: null,
  ...given,
})
const difference = (given: Partial<NonNullable<Part['difference']>>): Part['difference'] => ({
  state: 'changed',
  unit: 'piece',
  added: 0,
  gone: 0,
  moved: 0,
  lines: [],
  ...given,
})

test('an address says branch, turn, call, part and what is shown, and is read back the same', () => {
  const path = '/context/k3f9ab/412'
  const address = readAddress(path, 'call=2&part=memory&show=text')
  expect(address).toEqual({ branch: 'k3f9ab', turn: '412', call: '2', part: 'memory', show: 'text' })
  expect(writeAddress(address)).toBe(`${path}?call=2&part=memory&show=text`)
  expect(readAddress('/context', '')).toMatchObject({ branch: undefined, turn: 'now', show: 'difference' })
  expect(writeAddress(readAddress('/context/a%2Fb', 'show=nothing'))).toBe('/context/a%2Fb')
})

const used = (tokensIn: number) => ({
  at: '',
  model: 'm',
  calls: 1,
  tokensIn,
  tokensCached: 0,
  cost: null,
})
const turns = {
  branch: 'main',
  last: 4,
  turns: [100, null, 400, 200].map((tokens, at) => ({
    number: at + 1,
    turn: `tn_${at}` as never,
    used: tokens === null ? null : used(tokens),
    change: null,
  })),
}

test('a place on the slider is a turn and back; the end is now', () => {
  for (const number of [1, 2, 3, 4, 5]) expect(numberAt(4, placeOf(4, number))).toBe(number)
  expect([numberAt(4, -1), numberAt(4, 2)]).toEqual([1, 5])
})

test('the largest prompt is the highest; a turn without a call is passed over', () => {
  const points = curveOf(turns)
  expect(points.map(({ y }) => y)).toEqual([72, 72, 12, 52])
  expect(areaUnder(points)).toMatch(/^M0,100L0,72.*Z$/)
  expect([
    stepFrom(turns, 1, 1),
    stepFrom(turns, 3, -1),
    stepFrom(turns, 1, -1),
    stepFrom(turns, 4, 1),
  ]).toEqual([3, 1, undefined, 5])
})

test.each([
  [null, ''],
  [difference({ state: 'same' }), 'same'],
  [difference({ state: 'new', added: 3 }), 'new'],
  [difference({ unit: 'line', added: 1 }), '+1 line'],
  [difference({ unit: 'line', added: 1, gone: 2 }), '+1 −2 lines'],
  [difference({ added: 2, moved: 1 }), '+2 1 moved'],
])('what became of a part: %j is %s', (found, words) => {
  expect(changeWords(part({ difference: found })).text).toBe(words)
})

test('a part is called what it is', () => {
  expect(partName(part({ id: 'agents', kind: 'system' }))).toBe('AGENTS.md')
  expect(partName(part({ kind: 'recall', id: 'recall', count: 3 }))).toBe('recalled · 3')
  expect(spanOfDays('2026-11-02T12:00:00Z', '2026-11-10T12:00:00Z')).toMatch(/^2\s–\s10 Nov/)
})

test('only parts that changed are shown, and long lines are cut into rows', () => {
  const lines = [{ op: 'added', text: 'x'.repeat(3_200), label: 'person' } as const]
  const rows = differenceRows({
    parts: [
      part({ difference: difference({ state: 'same' }) }),
      part({ difference: difference({ added: 1, lines }) }),
    ],
    settings: [{ name: 'thinking', before: 'off', after: 'adaptive' }],
  })
  expect(rows.map((row) => row.row)).toEqual(['part', 'line', 'line', 'line', 'part', 'line', 'line'])
  expect(rawRows('y'.repeat(4_000)).map((row) => ('text' in row ? row.text.length : 0))).toEqual([
    1_500, 1_500, 1_000,
  ])
})

test('the whole text names each part once, and each speaker', () => {
  const piece = { kind: 'messages', part: 'messages', position: null } as const
  const rows = wholeRows(
    [
      { ...piece, label: 'person', text: 'Hi\nthere' },
      { ...piece, label: 'assistant', text: 'Hello' },
    ],
    [part({ count: 2 })],
  )
  expect(rows.map((row) => (row.row === 'line' ? [row.label, row.text] : row.row))).toEqual([
    'part',
    ['person', 'Hi'],
    [undefined, 'there'],
    ['assistant', 'Hello'],
  ])
})
