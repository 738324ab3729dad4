import { expect, test } from 'vitest'
import { askedFor, file, HOUR, MINUTE } from './agent/job-rig.ts'
import { planned, type Planned } from './scheduler-stage.ts'

const START = Date.parse('2026-03-01T09:00:00Z')

async function told(at: Planned): Promise<string[]> {
  const all = await at.events()
  return all.flatMap((event) => {
    if (event.kind !== 'job-fired' && event.kind !== 'job-skipped') return []
    const [due, then] = [event.due, event.at].map((ms) => new Date(ms).toISOString().slice(8, 16))
    return `${event.kind} ${due} at ${then}`
  })
}

test.each([
  ['routines/brief.md', file({ cron: '0 10 * * *', background: true })],
  ['reminders/brief.md', file({ 'run-at': '2026-03-01T10:00', background: true })],
])(
  '[JOB3] what %s asks for is not done before its time when the clock is put back meanwhile',
  async (...put) => {
    let isPutBack = false
    const at: Planned = await planned(
      { start: START, zone: 'UTC', lookMs: MINUTE },
      {
        jobFor: async (job) => {
          if (!isPutBack) at.clock.set(-30 * MINUTE)
          isPutBack = true
          return askedFor(job)
        },
      },
    )
    await at.shelf.put(...put)
    await at.look()
    await at.pass(61 * MINUTE)
    expect(isPutBack).toBe(true)
    expect(await told(at)).toEqual([])
    await at.pass(30 * MINUTE)
    expect(await told(at)).toEqual(['job-fired 01T10:00 at 01T10:00'])
    await at.pass(2 * HOUR)
    expect(await told(at)).toHaveLength(1)
    await at.close()
  },
)

test('[JOB3] a time that seemed missed is not left out when the clock is put back before it', async () => {
  const at = await planned({ start: START, zone: 'UTC', lookMs: MINUTE })
  await at.shelf.put('routines/brief.md', file({ cron: '0 10 * * *', background: true, 'catch-up': 'skip' }))
  await at.look()
  let isPutBack = false
  at.settings = {
    get zone() {
      // Read right after the clock.
      if (!isPutBack) at.clock.set(-150 * MINUTE)
      isPutBack = true
      return 'UTC'
    },
    quietHours: null,
  }
  await at.restart(3 * HOUR)
  expect(isPutBack).toBe(true)
  expect(await told(at)).toEqual([])
  await at.pass(HOUR)
  expect(await told(at)).toEqual(['job-fired 01T10:00 at 01T10:00'])
  await at.close()
})

test('[JOB3] times count again when they really come, where the clock was put back by more than a day', async () => {
  const at = await planned({ start: START, zone: 'UTC', lookMs: MINUTE })
  await at.shelf.put('routines/brief.md', file({ cron: '0 10 * * *', background: true }))
  await at.look()
  await at.pass(2 * HOUR)
  at.clock.set(-26 * HOUR)
  await at.look()
  await at.pass(26 * HOUR)
  expect((await told(at)).map((line) => line.split(' at ')[0])).toEqual([
    'job-fired 01T10:00',
    'job-fired 28T10:00',
    'job-fired 01T10:00',
  ])
  await at.close()
})
