import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { naiveSchedule } from '../../test/schedule/naive-schedule.ts'
import type { Reminder, Routine } from './definition.ts'
import { forwardSchedule, type ForeseenJob } from './forward-schedule.ts'
import { rounds } from '../../test/rounds.ts'

const common = {
  person: null,
  description: '',
  isolated: false,
  model: null,
  thinking: 'adaptive',
  reporting: 'on_ping',
  allowPing: true,
  tools: [],
  skills: [],
  body: 'Look at it.',
  background: true,
  timezone: null,
} as const

function routine(id: string, cron: string | null, more: Partial<Routine> = {}): ForeseenJob {
  const catchUp = { kind: 'skip' } as const
  const definition: Routine = { kind: 'routine', ...common, id, cron, isPersistent: false, catchUp, ...more }
  return { definition, file: `routines/${id}.md`, dueAt: null }
}

function reminder(id: string, dueAt: number | null, more: Partial<Reminder> = {}): ForeseenJob {
  const chain = { max: 0, depth: 0, parent: id }
  const definition: Reminder = {
    kind: 'reminder',
    ...common,
    id,
    runAt: null,
    chain,
    snoozeOf: null,
    isByModel: false,
    ...more,
  }
  return { definition, file: `reminders/${id}.md`, dueAt }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOON = Date.parse('2026-05-05T12:00:00Z')

function told(
  jobs: readonly ForeseenJob[],
  { now = NOON, zone = 'UTC', self = null as string | null } = {},
): string[] {
  const name = self === null ? null : ({ what: 'routine', job: self } as const)
  return forwardSchedule(jobs, { now, zone, self: name }).map(({ fire_time: at, file_path: file, tag }) => {
    const when = new Date(at).toISOString().slice(0, 16).replace('2026-', '')
    return `${when} ${file.replace(/^.*\/|\.md$/g, '')}${tag === null ? '' : ` (${tag})`}`
  })
}

const at = (ms: number): ForeseenJob => reminder('r', NOON + ms)

describe('[JOB4] the window of the schedule', () => {
  test.each<[string, ForeseenJob[], string[]]>([
    ['begins 15 minutes back', [at(-15 * MINUTE)], ['05-05T11:45 r (just fired)']],
    ['and not a moment before', [at(-15 * MINUTE - 1)], []],
    ['so for a routine', [routine('a', '45 11 * * *')], ['05-05T11:45 a (just fired)']],
    ['and for one that was due earlier', [routine('a', '44 11 * * *')], []],
    ['has in it what is due now, as fired', [at(0)], ['05-05T12:00 r (just fired)']],
    ['and what is due next', [at(1)], ['05-05T12:00 r']],
    ['goes on for 12 hours', [at(12 * HOUR)], ['05-06T00:00 r']],
    ['and not longer, though nothing else is due', [at(12 * HOUR + 1)], []],
    ['so for a routine', [routine('a', '0 0 * * *'), routine('b', '1 0 * * *')], ['05-06T00:00 a']],
    [
      'has all of the next 3 hours, their end with them',
      ['a', 'b', 'c', 'd', 'e'].map((id) => reminder(id, NOON + 3 * HOUR)),
      ['a', 'b', 'c', 'd', 'e'].map((id) => `05-05T15:00 ${id}`),
    ],
    [
      'has three of what is to come, added one by one beyond the 3 hours',
      ['d', 'c', 'b', 'a'].map((id) => reminder(id, NOON + 3 * HOUR + 1)),
      ['a', 'b', 'c'].map((id) => `05-05T15:00 ${id}`),
    ],
    [
      'adds nothing to three within 3 hours, whatever has fired',
      [at(-1), at(1), at(2), at(3), at(4 * HOUR)],
      ['05-05T11:59 r (just fired)', '05-05T12:00 r', '05-05T12:00 r', '05-05T12:00 r'],
    ],
    [
      'does not count what has fired among the three',
      [at(-3), at(-2), at(-1), at(4 * HOUR), at(5 * HOUR)],
      [...Array.from({ length: 3 }, () => '05-05T11:59 r (just fired)'), '05-05T16:00 r', '05-05T17:00 r'],
    ],
  ])('%s', (_, jobs, expected) => expect(told(jobs)).toEqual(expected))
})

describe('[JOB4] the schedule', () => {
  test('has of one routine the last firing and the next one only', () => {
    expect(told([routine('a', '*/5 * * * *')], { now: NOON + 1 })).toEqual([
      '05-05T12:00 a (just fired)',
      '05-05T12:05 a',
    ])
  })

  test('is of the background, and of what is due at a time', () => {
    const front = { background: false }
    const jobs = [
      routine('a', '* * * * *', front),
      reminder('b', NOON, front),
      routine('c', null),
      reminder('d', null),
    ]
    expect(told(jobs)).toEqual([])
  })

  test('says which of them the run is, and does not take another kind of the same id for it', () => {
    const jobs = [routine('a', '0 * * * *'), reminder('a', NOON), routine('b', '0 * * * *')]
    const [first, ...others] = forwardSchedule(jobs, {
      now: NOON,
      zone: 'UTC',
      self: { what: 'routine', job: 'a' },
    })
    expect(first).toMatchObject({ file_path: 'reminders/a.md', tag: 'just fired' })
    expect(others.map(({ file_path: file, tag }) => [file, tag])).toEqual([
      ['routines/a.md', 'this task'],
      ['routines/b.md', 'just fired'],
      ['routines/a.md', null],
      ['routines/b.md', null],
    ])
  })

  test('tells of each what it is, what it is for, where it stands and whether it can ping', () => {
    const chain = { max: 3, depth: 1, parent: 'tea' }
    const long = 'Ask whether the long letter to the landlord was written and sent, with a copy'
    const jobs = [
      reminder('one', NOON + 1, { description: 'Water\n\nthe plants', allowPing: false }),
      reminder('two', NOON + 2, { chain, body: long }),
      routine('three', '0 13 * * *', { description: '\u001B[2J名'.repeat(40) }),
    ]
    const entries = forwardSchedule(jobs, { now: NOON, zone: 'UTC', self: null })
    expect(entries.slice(0, 2)).toEqual([
      {
        fire_time: NOON + 1,
        label: 'Reminder',
        description: 'Water the plants',
        isByModel: false,
        file_path: 'reminders/one.md',
        silent: true,
        tag: null,
      },
      {
        fire_time: NOON + 2,
        label: 'Chain reminder (2/4)',
        description: 'Ask whether the long letter to the landlord was written and…',
        isByModel: true,
        file_path: 'reminders/two.md',
        silent: false,
        tag: null,
      },
    ])
    expect(entries[2]).toMatchObject({ label: 'Routine', file_path: 'routines/three.md' })
    expect(entries[2]?.description).not.toContain('\u001B')
    for (const { description } of entries) expect(description.length).toBeLessThanOrEqual(60)
  })

  test.each<[string, { now: string; zone: string; cron: string }, string[]]>([
    [
      'goes over midnight, by the clock of the zone',
      { now: '2026-05-05T21:55:00Z', zone: 'Europe/Berlin', cron: '50,5 0,23 * * *' },
      ['05-05T21:50 a (just fired)', '05-05T22:05 a'],
    ],
    [
      'goes over the end of a month, to the day of the month there',
      { now: '2026-05-31T10:05:00Z', zone: 'Pacific/Auckland', cron: '0 6 1 6 *' },
      ['05-31T18:00 a'],
    ],
    [
      'has what the clock jumps over in spring right after the gap',
      { now: '2026-03-29T00:30:00Z', zone: 'Europe/Berlin', cron: '30 2 * * *' },
      ['03-29T01:00 a'],
    ],
    [
      'and as fired a little later',
      { now: '2026-03-29T01:15:00Z', zone: 'Europe/Berlin', cron: '30 2 * * *' },
      ['03-29T01:00 a (just fired)'],
    ],
    [
      'has what the clock shows twice in autumn at the first',
      { now: '2026-10-25T00:00:00Z', zone: 'Europe/Berlin', cron: '30 2 * * *' },
      ['10-25T00:30 a'],
    ],
    [
      'and not again at the second',
      { now: '2026-10-25T01:20:00Z', zone: 'Europe/Berlin', cron: '30 2 * * *' },
      [],
    ],
    [
      'counts 12 hours, not what the clock shows: it is 13 later on that day',
      { now: '2026-03-28T22:00:00Z', zone: 'Europe/Berlin', cron: '0 12 * * *' },
      ['03-29T10:00 a'],
    ],
  ])('%s', (_, { now, zone, cron }, expected) => {
    expect(told([routine('a', cron)], { now: Date.parse(now), zone })).toEqual(expected)
    const own = routine('a', cron, { timezone: zone })
    expect(told([own], { now: Date.parse(now), zone: 'Asia/Tokyo' })).toEqual(expected)
  })
})

const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC')
/** Around an ordinary midnight, and around the clock's changes. */
const days = [
  '2026-05-05T22:00Z',
  '2026-03-29T01:00Z',
  '2026-10-25T01:00Z',
  '2026-03-08T07:00Z',
  '2026-11-01T06:00Z',
]
const nows = fc
  .tuple(
    fc.constantFrom(...days.map((day) => Date.parse(day))),
    fc.integer({ min: -150, max: 150 }),
    fc.constantFrom(0, 0, 1, 59_999),
  )
  .map(([day, minutes, ms]) => day + minutes * MINUTE + ms)
const few = (max: number) =>
  fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 3 }).map((list) => list.join(','))
const crons = fc
  .tuple(
    fc.oneof(few(59), fc.constantFrom('*', '*/7', '0', '30', '5-20')),
    fc.oneof(few(23), fc.constantFrom('*', '*/4', '0', '1', '2', '3')),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('*') },
      { weight: 1, arbitrary: fc.constantFrom('1', '5,6', '25-29') },
    ),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('*') },
      { weight: 1, arbitrary: fc.constantFrom('3', '5-11') },
    ),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('*') },
      { weight: 1, arbitrary: fc.constantFrom('7', '0', '1-3') },
    ),
  )
  .map((fields) => fields.join(' '))
/** Near the edges of the window, and anywhere. */
const offsets = fc.oneof(
  fc
    .tuple(fc.constantFrom(-15, 0, 180, 720), fc.constantFrom(-1, 0, 1))
    .map(([minutes, ms]) => minutes * MINUTE + ms),
  fc.integer({ min: -20 * MINUTE, max: 13 * HOUR }),
)
const flags = fc.record({ background: fc.constantFrom(true, true, true, false), allowPing: fc.boolean() })
const drawn = fc.oneof(
  fc.record({ cron: crons, more: flags, timezone: fc.option(zones) }),
  fc.record({ ms: offsets, more: flags, depth: fc.nat(2) }),
)
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never

function jobOf(one: Drawn, id: string, now: number): ForeseenJob {
  if ('cron' in one) return routine(id, one.cron, { ...one.more, timezone: one.timezone })
  const chain = { max: one.depth && 3, depth: one.depth, parent: id }
  return reminder(id, now + one.ms, { ...one.more, chain })
}

test('[JOB4] for any jobs in any order, at any time, it is what a look at every minute gives', () =>
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 6 }), nows, zones, (given, now, zone) => {
      const jobs = given.map((one, index) => jobOf(one, `job${index}`, now))
      const look = { now, zone, self: { what: 'routine', job: 'job0' } as const }
      expect(forwardSchedule(jobs.toReversed(), look)).toEqual(naiveSchedule(jobs, look))
    }),
    { numRuns: rounds(10_000) },
  ))
