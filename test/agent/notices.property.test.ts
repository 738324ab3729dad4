import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DayHours } from '../../src/config/type/domain-type.ts'
import { FAILURE, RECOVERY } from '../../src/agent/state/jobs.ts'
import { openList } from '../../src/agent/state/ledger.ts'
import { pauseOf } from '../../src/agent/state/jobs.ts'
import type { EventOf } from '../../src/event/event.ts'
import { DAY, HOUR, isQuiet, MINUTE, pass, pauseAll, raise, resumeAll } from './notice-rig.ts'
import { ended } from './rig.ts'
import { FakeClock, stage, START, type Stage } from './stage.ts'
import { rounds } from '../rounds.ts'

const WATCH = 'routine watch'

type Step =
  | { readonly does: 'raise'; readonly cause: string }
  | { readonly does: 'pass' | 'pause'; readonly minutes: number }
  | { readonly does: 'resume' }
  | { readonly does: 'restart'; readonly clockMinutes: number }
  | { readonly does: 'quiet'; readonly hours: DayHours | null }

const hours = fc.record({ from: fc.integer({ min: 0, max: 1439 }), to: fc.integer({ min: 0, max: 1439 }) })

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('raise' as const),
      cause: fc.constantFrom('a', 'b', `${FAILURE}${WATCH}`, `${RECOVERY}${WATCH}`),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('pass' as const),
      minutes: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 90, max: 1500 })),
    }),
  },
  fc.record({ does: fc.constant('pause' as const), minutes: fc.integer({ min: 1, max: 600 }) }),
  fc.record({ does: fc.constant('resume' as const) }),
  fc.record({
    does: fc.constant('restart' as const),
    clockMinutes: fc.constantFrom(0, 0, 1, 200, -1, -30, -600, -4_000),
  }),
  fc.record({
    does: fc.constant('quiet' as const),
    hours: fc.option(hours.filter(({ from, to }) => from !== to)),
  }),
)

async function take(at: Stage, one: Step, texts: string[]): Promise<Stage> {
  switch (one.does) {
    case 'raise':
      texts.push(`n${texts.length}.`)
      await raise(at, one.cause, texts.at(-1))
      return at
    case 'pass':
      await pass(at, one.minutes * MINUTE)
      return at
    case 'pause':
      await pauseAll(at, at.clock.now() + one.minutes * MINUTE)
      return at
    case 'resume':
      await resumeAll(at)
      return at
    case 'quiet':
      at.settings = { ...at.settings, quietHours: one.hours }
      return at
    case 'restart': {
      const { settings } = at
      const { disk, clock } = await ended(at)
      const now = new FakeClock((clock?.now() ?? START) + one.clockMinutes * MINUTE)
      const next = await stage({ ...(disk && { disk }), clock: now, settings })
      await next.settle()
      return next
    }
  }
}

/** Whoever was told since `before` could be told then. */
async function expectAllowed(at: Stage, before: number): Promise<void> {
  for (const told of (await at.events('notices-told')).slice(before)) {
    expect(isQuiet(at, told.at), `told at ${told.at}, in quiet hours`).toBe(false)
    expect(await at.read((reader) => pauseOf(reader, null, told.at))).toBeNull()
  }
}

function expectApart(told: readonly EventOf<'notices-told'>[]): void {
  const lastAt = new Map<string, number>()
  for (const { causes, at } of told)
    for (const cause of causes) {
      const last = lastAt.get(cause)
      if (last !== undefined)
        expect(at - last >= HOUR || last - at > DAY, `${cause} ${last} ${at}`).toBe(true)
      lastAt.set(cause, at)
    }
}

/** The word that a job works again tells of its failures too. */
function expectTold(
  raised: readonly EventOf<'notice-raised'>[],
  told: readonly EventOf<'notices-told'>[],
): void {
  for (const { cause, position } of raised) {
    const tells = told.find((one) => one.position > position && one.causes.includes(cause))
    const recovered = raised.some(
      (one) =>
        one.position > position &&
        one.cause === cause.replace(FAILURE, RECOVERY) &&
        (tells === undefined || one.position < tells.position),
    )
    expect(tells !== undefined || recovered, `${cause} raised at ${position} is told`).toBe(true)
  }
}

test('[NOTICE1] all that is raised is told, once, hours apart, and in no quiet hour, whatever happens between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      let at = await stage()
      await at.say('/help')
      const texts: string[] = []
      for (const one of steps) {
        const before = (await at.events('notices-told')).length
        at = await take(at, one, texts)
        await expectAllowed(at, before)
      }
      at.settings = { ...at.settings, quietHours: null }
      await resumeAll(at)
      await pass(at, 10 * DAY)
      const [raised, told] = [await at.events('notice-raised'), await at.events('notices-told')]
      expect(await at.read((reader) => openList(reader, 'notices'))).toEqual([])
      expectTold(raised, told)
      expectApart(told)
      expect(new Set(told.map(({ delivery }) => delivery)).size).toBe(told.length)
      const said = (await at.events('delivery-intended')).filter(({ number }) => number !== undefined)
      expect(said.length).toBe(told.length)
      for (const text of texts)
        expect(said.filter((one) => one.text.includes(text)).length).toBeLessThanOrEqual(1)
      await ended(at)
    }),
    { numRuns: rounds(60) },
  )
})
