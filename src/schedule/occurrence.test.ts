import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cronField } from './cron.ts'
import { lastFiring, nextFiring } from './occurrence.ts'
import { rounds } from '../../test/rounds.ts'

const at = (text: string): number => Date.parse(text)

function told(instant: number | null): string {
  return instant === null ? 'never' : new Date(instant).toISOString().replace(/:00\.000Z$/, 'Z')
}

interface Asked {
  readonly cron: string
  readonly zone: string
  readonly from: string
  readonly count?: number
}

function firings({ cron, zone, from, count = 3 }: Asked): readonly string[] {
  const found: string[] = []
  for (let after = at(from); found.length < count;) {
    const next = nextFiring(cron, zone, after)
    found.push(told(next))
    if (next === null) break
    after = next
  }
  return found
}

describe('a routine', () => {
  test('is due at the first moment after, never at the one given', () => {
    expect(firings({ cron: '0 9 * * *', zone: 'UTC', from: '2026-03-01T09:00:00Z', count: 1 })).toEqual([
      '2026-03-02T09:00Z',
    ])
    expect(firings({ cron: '0 9 * * *', zone: 'UTC', from: '2026-03-01T08:59:59.999Z', count: 1 })).toEqual([
      '2026-03-01T09:00Z',
    ])
  })

  test.each([
    ['0 9 * * 0', ['2026-03-01T09:00Z', '2026-03-08T09:00Z']],
    ['0 9 * * 7', ['2026-03-01T09:00Z', '2026-03-08T09:00Z']],
    ['0 9 * * sun', ['2026-03-01T09:00Z', '2026-03-08T09:00Z']],
    ['0 9 * * 5-7', ['2026-03-01T09:00Z', '2026-03-06T09:00Z']],
    // A day of the month or a day of the week is enough where both are given.
    ['0 9 3 * 1', ['2026-03-02T09:00Z', '2026-03-03T09:00Z']],
    ['0 9 3 * *', ['2026-03-03T09:00Z', '2026-04-03T09:00Z']],
    ['0 9 * * 1', ['2026-03-02T09:00Z', '2026-03-09T09:00Z']],
    ['*/90 9 1 * *', ['2026-03-01T09:00Z', '2026-04-01T09:00Z']],
    ['0 9 * * 1-5/9', ['2026-03-02T09:00Z', '2026-03-09T09:00Z']],
    ['0 9 * */400 *', ['2027-01-01T09:00Z', '2027-01-02T09:00Z']],
    ['0 9 29 2 *', ['2028-02-29T09:00Z', '2032-02-29T09:00Z']],
    ['0 9 31 4 *', ['never']],
  ])('with %s is due at %j', (cron, expected) => {
    expect(firings({ cron, zone: 'UTC', from: '2026-03-01T00:00:00Z', count: 2 })).toEqual(expected)
  })

  test('waits eight years for a leap day where a century has none', () => {
    const asked = { cron: '0 0 29 2 *', zone: 'Europe/Berlin', from: '2096-03-01T00:00:00Z', count: 1 }
    expect(firings(asked)).toEqual(['2104-02-28T23:00Z'])
  })

  test.each([
    [
      'Berlin, spring',
      { cron: '30 2 * * *', zone: 'Europe/Berlin', from: '2026-03-28T00:00:00Z' },
      ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    [
      'Berlin, spring, many in the gap',
      { cron: '*/20 2,3 * * *', zone: 'Europe/Berlin', from: '2026-03-28T23:00:00Z' },
      ['2026-03-29T01:00Z', '2026-03-29T01:20Z', '2026-03-29T01:40Z', '2026-03-30T00:00Z'],
    ],
    [
      'Berlin, autumn',
      { cron: '30 2 * * *', zone: 'Europe/Berlin', from: '2026-10-24T12:00:00Z' },
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'Berlin, autumn, hourly',
      { cron: '0 * * * *', zone: 'Europe/Berlin', from: '2026-10-24T22:30:00Z' },
      ['2026-10-24T23:00Z', '2026-10-25T00:00Z', '2026-10-25T02:00Z'],
    ],
    [
      'Berlin, autumn, asked in the second hour',
      { cron: '*/30 * * * *', zone: 'Europe/Berlin', from: '2026-10-25T01:10:00Z' },
      ['2026-10-25T02:00Z', '2026-10-25T02:30Z'],
    ],
    [
      'New York, spring',
      { cron: '15 2 * * *', zone: 'America/New_York', from: '2026-03-07T12:00:00Z' },
      ['2026-03-08T07:00Z', '2026-03-09T06:15Z'],
    ],
    [
      'New York, autumn',
      { cron: '15 1 * * *', zone: 'America/New_York', from: '2026-10-31T12:00:00Z' },
      ['2026-11-01T05:15Z', '2026-11-02T06:15Z'],
    ],
    [
      'Lord Howe, spring by half an hour',
      { cron: '10 2 * * *', zone: 'Australia/Lord_Howe', from: '2026-10-03T00:00:00Z' },
      ['2026-10-03T15:30Z', '2026-10-04T15:10Z'],
    ],
    [
      'Lord Howe, autumn by half an hour',
      { cron: '*/15 1 * * *', zone: 'Australia/Lord_Howe', from: '2026-04-04T14:20:00Z' },
      ['2026-04-04T14:30Z', '2026-04-04T14:45Z', '2026-04-05T14:30Z'],
    ],
    [
      'Apia, a day that never was',
      { cron: '0 9 * * *', zone: 'Pacific/Apia', from: '2011-12-29T00:00:00Z' },
      ['2011-12-29T19:00Z', '2011-12-30T10:00Z', '2011-12-30T19:00Z'],
    ],
    [
      'Apia, its Friday',
      { cron: '0 9 * * 5', zone: 'Pacific/Apia', from: '2011-12-29T00:00:00Z' },
      ['2011-12-30T10:00Z', '2012-01-05T19:00Z'],
    ],
  ])('keeps to the clock on the wall: %s', (_, asked, expected) => {
    expect(firings({ ...asked, count: expected.length })).toEqual(expected)
  })

  test('[JOB3] is due as a watcher of the clock would say, minute by minute', () => {
    fc.assert(
      fc.property(cronText, fc.constantFrom(...CHANGES), spanPart, (cron, [zone, day], [a, b]) => {
        expect(cronField.read(cron.text)).toEqual({ value: cron.text })
        const watched = watch(zone, day)
        const expected = watched.filter(({ walls }) => walls.some((wall) => isDue(cron, wall)))
        const [start, end] = [a, b].map((part) => watched[part]?.at ?? 0).toSorted((x, y) => x - y)
        const within = expected.map((minute) => minute.at).filter((due) => due > start! && due <= end!)
        const found: number[] = []
        for (let next = nextFiring(cron.text, zone, start!); next !== null && next <= end!;) {
          found.push(next)
          next = nextFiring(cron.text, zone, next)
        }
        expect(found.map(told)).toEqual(within.map(told))
        const last = lastFiring(cron.text, zone, { after: start!, upTo: end! })
        expect(told(last)).toBe(told(within.at(-1) ?? null))
      }),
      { numRuns: rounds(120) },
    )
  })
})

test('[JOB3] whatever was asked before, in whatever order, the answers are the same', () => {
  const asked = fc.record({
    cron: fc.nat(2),
    place: fc.nat(1),
    minute: fc.oneof(fc.nat({ max: DAYS_WATCHED * 1_440 - 1 }), fc.integer({ min: 2_700, max: 3_200 })),
    ms: fc.constantFrom(0, -1, 1, 30_000),
  })
  const crons = fc.tuple(cronText, cronText, cronText)
  const places = fc.tuple(fc.constantFrom(...CHANGES), fc.constantFrom(...CHANGES))
  fc.assert(
    fc.property(crons, places, fc.array(asked, { minLength: 1, maxLength: 40 }), (three, two, questions) => {
      for (const { cron, place, minute, ms } of questions) {
        const [{ text }, [zone, day]] = [three[cron] ?? three[0], two[place] ?? two[0]]
        const watched = watch(zone, day)
        const after = (watched[minute]?.at ?? 0) + ms
        const due = watched.filter(({ walls }) => walls.some((wall) => isDue(three[cron] ?? three[0], wall)))
        const expected = due.find(({ at: moment }) => moment > after)?.at
        const found = nextFiring(text, zone, after)
        if (expected !== undefined) expect(told(found)).toBe(told(expected))
        else expect(found ?? Infinity).toBeGreaterThan(watched.at(-1)?.at ?? 0)
      }
    }),
    { numRuns: rounds(60) },
  )
})

test('a routine that is never due stays so, and what is asked of thousands, in many zones, is not mixed up', () => {
  const start = at('2026-03-01T00:00:00Z')
  for (const years of [0, 0.5, 3, 30])
    expect(nextFiring('0 9 31 4 *', 'UTC', start + years * 366 * 86_400_000)).toBe(null)
  for (const round of ['first', 'again'])
    for (const [zone, expected] of [
      ['Asia/Tokyo', '2026-03-02T00:00Z'],
      ['UTC', '2026-03-01T09:00Z'],
      ['Europe/Berlin', '2026-03-01T08:00Z'],
    ] as const)
      expect(`${round} ${told(nextFiring('0 9 * * *', zone, start))}`).toBe(`${round} ${expected}`)
  const minute = (index: number): number => start + (index % 1_440) * 60_000
  for (const round of [0, 1])
    for (let index = round; index < 7_000; index += 1 + round) {
      const day = Math.floor(index / 1_440) + 2
      const cron = `${index % 60} ${Math.floor(index / 60) % 24} ${day} 3 *`
      expect(nextFiring(cron, 'UTC', start)).toBe(minute(index) + (day - 1) * 86_400_000)
    }
})

describe('the last firing', () => {
  test('is the latest one, with the end and without the start', () => {
    const [nine, ten] = [at('2026-03-01T09:00:00Z'), at('2026-03-01T10:00:00Z')]
    expect(lastFiring('0 * * * *', 'UTC', { after: nine, upTo: ten })).toBe(ten)
    expect(lastFiring('0 * * * *', 'UTC', { after: nine, upTo: ten - 1 })).toBe(null)
    expect(lastFiring('0 * * * *', 'UTC', { after: nine - 1, upTo: ten - 1 })).toBe(nine)
    expect(lastFiring('0 * * * *', 'UTC', { after: ten, upTo: ten })).toBe(null)
    expect(lastFiring('0 * * * *', 'UTC', { after: ten, upTo: nine })).toBe(null)
  })

  test('is found in a long time', () => {
    const span = { after: at('2025-03-01T00:00:00Z'), upTo: at('2026-03-01T12:34:56Z') }
    expect(told(lastFiring('* * * * *', 'Europe/Berlin', span))).toBe('2026-03-01T12:34Z')
    expect(told(lastFiring('0 9 1 4 *', 'Europe/Berlin', span))).toBe('2025-04-01T07:00Z')
    expect(lastFiring('0 9 29 2 *', 'Europe/Berlin', span)).toBe(null)
  })
})

interface CronText {
  readonly text: string
  readonly sets: readonly ReadonlySet<number>[]
  readonly isFree: readonly boolean[]
}

function field(min: number, max: number): fc.Arbitrary<{ text: string; values: number[] }> {
  const value = fc.integer({ min, max })
  const span = fc.tuple(value, value, fc.integer({ min: 1, max: 70 })).map(([a, b, step]) => {
    const [from, to] = a < b ? [a, b] : [b, a]
    return { text: step === 1 ? `${from}-${to}` : `${from}-${to}/${step}`, values: every(from, to, step) }
  })
  const single = value.map((only) => ({ text: String(only), values: [only] }))
  const all = fc.integer({ min: 1, max: 70 }).map((step) => ({
    text: step === 1 ? '*' : `*/${step}`,
    values: every(min, max, step),
  }))
  const star = fc.constant({ text: '*', values: every(min, max, 1) })
  const list = fc.array(fc.oneof(single, span), { minLength: 1, maxLength: 3 }).map((pieces) => ({
    text: pieces.map(({ text }) => text).join(','),
    values: pieces.flatMap(({ values }) => values),
  }))
  return fc.oneof(star, star, all, list)
}

function every(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
}

const cronText: fc.Arbitrary<CronText> = fc
  .tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
  .map((fields) => ({
    text: fields.map(({ text }) => text).join(' '),
    sets: fields.map(({ values }, index) => new Set(index === 4 ? values.map((day) => day % 7) : values)),
    isFree: fields.map(({ text }) => text === '*'),
  }))
  .filter(({ text }) => 'value' in cronField.read(text))

function isDue({ sets, isFree }: CronText, wall: Date): boolean {
  const [minutes, hours, days, months, weekdays] = sets
  const isDay = days?.has(wall.getUTCDate()) === true
  const isWeekday = weekdays?.has(wall.getUTCDay()) === true
  const fits = isFree[2] === true || isFree[4] === true ? isDay && isWeekday : isDay || isWeekday
  return (
    fits &&
    minutes?.has(wall.getUTCMinutes()) === true &&
    hours?.has(wall.getUTCHours()) === true &&
    months?.has(wall.getUTCMonth() + 1) === true
  )
}

const CHANGES = [
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Pacific/Apia', '2011-12-30'],
  ['America/Havana', '2026-03-08'],
  ['Asia/Beirut', '2026-10-25'],
  ['Asia/Kathmandu', '2026-01-01'],
] as const

const DAYS_WATCHED = 4
const spanPart = fc.tuple(
  fc.nat({ max: DAYS_WATCHED * 1_440 - 1 }),
  fc.nat({ max: DAYS_WATCHED * 1_440 - 1 }),
)

interface Minute {
  readonly at: number
  /** What the clock shows for the first time now, and what it has just jumped over. */
  readonly walls: readonly Date[]
}

const watchedBefore = new Map<string, readonly Minute[]>()

function watch(zone: string, day: string): readonly Minute[] {
  const known = watchedBefore.get(zone + day)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
  const start = at(`${day}T00:00:00Z`) - 2 * 86_400_000
  const minutes: Minute[] = []
  let shown = at(`${format.format(start - 60_000).replace(' ', 'T')}Z`)
  for (let now = start; now < start + DAYS_WATCHED * 86_400_000; now += 60_000) {
    const wall = at(`${format.format(now).replace(' ', 'T')}Z`)
    const walls: Date[] = []
    while (shown < wall) walls.push(new Date((shown += 60_000)))
    minutes.push({ at: now, walls })
  }
  watchedBefore.set(zone + day, minutes)
  return minutes
}
