import { describe, expect, test } from 'vitest'
import { whenText } from './days.ts'
import { understand } from './understand.ts'

const known = { marks: [], children: [] }
const today = '2026-03-01'

describe('days in a question about what was said', () => {
  test.each([
    ['what did I say about Rome yesterday?', { query: 'Rome', since: '2026-02-28', until: '2026-02-28' }],
    ['what did I say about Rome on 2026-01-05?', { query: 'Rome', since: '2026-01-05', until: '2026-01-05' }],
    ['what did I say since 2026-01 about Rome?', { query: 'Rome', since: '2026-01' }],
    ['what did I say about Rome before 2026-01-01', { query: 'Rome', until: '2025-12-31' }],
    ['what did I say about Rome last month?', { query: 'Rome', since: '2026-02', until: '2026-02' }],
    ['what did I say about Rome last week?', { query: 'Rome', since: '2026-02-15', until: '2026-02-28' }],
    ['what did I say about Rome in March 2025?', { query: 'Rome', since: '2025-03', until: '2025-03' }],
    ['what did I say in Sept 2025 about Rome?', { query: 'Rome', since: '2025-09', until: '2025-09' }],
    [
      'what did I say about Rome on 5 March 2025?',
      { query: 'Rome', since: '2025-03-05', until: '2025-03-05' },
    ],
    [
      'what did I say about Rome on March 5th, 2025?',
      { query: 'Rome', since: '2025-03-05', until: '2025-03-05' },
    ],
    ['what did I say about Rome in 2025?', { query: 'Rome', since: '2025', until: '2025' }],
    ['what did I say about Rome since 2027?', { query: 'Rome', since: '2027' }],
    ['what did I say about Rome until June 2025?', { query: 'Rome', until: '2025-06' }],
    ['what did I say about Rome before 2025?', { query: 'Rome', until: '2024-12-31' }],
    ['what did I say about Rome after 2024?', { query: 'Rome', since: '2025-01-01' }],
    ['what did I say about Rome after December 2024?', { query: 'Rome', since: '2025-01-01' }],
    ['what did I say about Rome after 2026-02-28?', { query: 'Rome', since: '2026-03-01' }],
    ['what did I say about Rome last year?', { query: 'Rome', since: '2025', until: '2025' }],
    [
      'what did I say about Rome between March 2025 and 2026-01-05?',
      { query: 'Rome', since: '2025-03', until: '2026-01-05' },
    ],
    ['what did I say about Rome today?', { query: 'Rome', since: '2026-03-01', until: '2026-03-01' }],
  ])('are when it was said: %s', (said, days) =>
    expect(understand(said, known, { today })).toEqual([
      { kind: 'look', lookup: { speaker: 'user', wants: 'what', isSure: true, ...days } },
    ]),
  )

  test.each([
    ['what did I say about March 2025?', 'March 2025'],
    ['what did I say about the trip in May?', 'the trip in May'],
    ['what did I say about the market 2025?', 'the market 2025'],
    ['what did I say about the Volvo 2025?', 'the Volvo 2025'],
  ])('that belong to the topic stay in it: %s', (said, query) =>
    expect(understand(said, known, { today })).toEqual([
      { kind: 'look', lookup: { query, speaker: 'user', wants: 'what', isSure: true } },
    ]),
  )

  test.each([
    [{}, ''],
    [{ since: '2026-02-28', until: '2026-02-28' }, ' on 2026-02-28'],
    [{ since: '2025-03', until: '2025-03' }, ' in March 2025'],
    [{ since: '2025', until: '2025' }, ' in 2025'],
    [{ since: '2027' }, ' since 2027'],
    [{ until: '2024-12-31' }, ' up to 2024-12-31'],
    [{ since: '2025-12', until: '2026-01-05' }, ' from December 2025 to 2026-01-05'],
    [{ since: '2026-13' }, ' since 2026-13'],
  ])('are told in words: %j', (days, text) => expect(whenText(days)).toBe(text))
})
