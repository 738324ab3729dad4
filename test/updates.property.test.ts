import fc from 'fast-check'
import { expect, test } from 'vitest'
import { live, tried, type Doing, type Ending, type Simple } from './agent/updates-life.ts'
import { isWholeRun, rounds } from './rounds.ts'

const RUNS = rounds(200)

const ends = fc.constantFrom<Ending>('answered', 'answered', 'answered', 'failed', 'crashed')
const any = (...some: Simple[]): fc.Arbitrary<Doing> =>
  fc.constantFrom(...some).map((act): Doing => ({ do: act }))

const doing: fc.Arbitrary<Doing> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('report'), count: fc.constantFrom(1, 1, 1, 2, 7) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('turn'), ends }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('job'), ends }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait'), minutes: fc.nat(500) }) },
  { weight: 4, arbitrary: any('fork', 'fork', 'save', 'save', 'exit', 'tell') },
  { weight: 4, arbitrary: any('undo', 'undo', 'redo', 'clear', 'mark', 'rewind') },
  { weight: 2, arbitrary: any('copy', 'copy', 'away', 'back', 'restart', 'hand-in') },
)

/** A fork that shows updates and is saved; what follows may undo that, and redo it. */
const excursion: fc.Arbitrary<readonly Doing[]> = fc
  .tuple(
    fc.array(doing, { maxLength: 3 }),
    fc.array(doing, { maxLength: 2 }),
    fc.array(doing, { maxLength: 2 }),
  )
  .chain(([inside, before, between]) =>
    fc
      .constantFrom<readonly Doing[]>(
        [],
        [{ do: 'undo' }],
        [{ do: 'undo' }, ...between, { do: 'redo' }],
        [{ do: 'undo' }, { do: 'copy' }, ...between, { do: 'save' }],
      )
      .map((after): readonly Doing[] => [
        ...before,
        { do: 'report', count: 1 },
        { do: 'fork' },
        { do: 'turn', ends: 'answered' },
        ...inside,
        { do: 'save' },
        ...after,
      ]),
  )

test('[UPD1] [UPD2] an update is pending, told in one message of main, or settled by a save that stands, whatever happens', async () => {
  const some = fc.oneof({ weight: 6, arbitrary: fc.tuple(doing) }, { weight: 1, arbitrary: excursion })
  const doings = fc.array(some, { maxLength: 20, size: 'max' }).map((groups) => groups.flat())
  await fc.assert(fc.asyncProperty(doings, live), { numRuns: RUNS })
  const seldom = Object.entries(tried).filter(([, times]) => times * 40 < RUNS)
  if (isWholeRun) expect(seldom).toEqual([])
})

const turn = (ends: Ending): Doing => ({ do: 'turn', ends })
const news: Doing = { do: 'report', count: 1 }
const all = (...acts: Simple[]): Doing[] => acts.map((act) => ({ do: act }))

test('[UPD1] reported, and the turn fails', () => live([news, turn('failed'), turn('answered')]))

test('[UPD1] reported, and the process dies in the turn', () =>
  live([news, turn('crashed'), news, turn('answered')]))

test('[UPD2] looked at in a fork that is saved, then talked to in main', () =>
  live([news, ...all('fork'), turn('answered'), ...all('save'), turn('answered')]))

test('[UPD2] saved, undone, and saved by a copy', () =>
  live([
    news,
    ...all('fork'),
    turn('answered'),
    ...all('save', 'undo', 'copy'),
    news,
    turn('answered'),
    ...all('save', 'undo'),
    turn('answered'),
    ...all('redo', 'undo', 'undo', 'redo'),
  ]))

test('[UPD2] main is told while the fork that looked is open, and the fork is saved', () =>
  live([news, ...all('fork'), turn('answered'), { do: 'job', ends: 'answered' }, ...all('save', 'undo')]))

test('[UPD2] a save settles the newer one while the older waits', () =>
  live([
    ...all('fork', 'mark'),
    news,
    turn('answered'),
    ...all('rewind'),
    news,
    turn('answered'),
    ...all('save', 'restart', 'undo', 'redo'),
    turn('answered'),
  ]))
