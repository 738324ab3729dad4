import { describe, expect, test } from 'vitest'
import { pauseOf } from '../../src/agent/state/jobs.ts'
import { append, DAY, HOUR, MINUTE, pass, pauseAll, raise } from './notice-rig.ts'
import { ended } from './rig.ts'
import { notices } from './run-rig.ts'
import { stage, START, type Stage } from './stage.ts'

async function talking(settings = {}): Promise<Stage> {
  const at = await stage({ settings })
  await at.say('/help')
  return at
}

function scheduled(at: Stage, job: string, schedule: string): Promise<void> {
  return append(at, {
    kind: 'job-scheduled',
    what: 'routine',
    job,
    file: `routines/${job}.md`,
    schedule,
    due: null,
  })
}

describe('a pause of all jobs', () => {
  test('that is over is said to be, once', async () => {
    const at = await talking()
    await pauseAll(at, START + 2 * HOUR)
    await pass(at, 2 * HOUR - 1)
    expect(notices(at)).toEqual([])
    await pass(at, DAY)
    expect(notices(at)).toEqual(['The pause is over. Jobs and pings resume.'])
    const resumed = await at.events('jobs-resumed')
    expect(resumed).toMatchObject([
      { one: null, at: START + 2 * HOUR, author: { by: 'policy', name: 'time' } },
    ])
  })

  test('names what fell due meanwhile', async () => {
    const at = await talking()
    await scheduled(at, 'brief', '0 10 * * *')
    await scheduled(at, 'evening', '0 20 * * *')
    await scheduled(at, 'tokyo', '0 18 * * * Asia/Tokyo')
    const call = { what: 'reminder', job: 'call-mum', file: 'reminders/call-mum.md', schedule: 'x' } as const
    await append(at, { kind: 'job-scheduled', ...call, due: START + HOUR })
    await append(at, { kind: 'job-scheduled', ...call, job: 'later', due: START + DAY })
    await pauseAll(at, START + 2 * HOUR)
    await pass(at, 2 * HOUR)
    expect(notices(at)).toEqual([
      'The pause is over. Due meanwhile: routine brief (10:00), routine tokyo (10:00), reminder call-mum (10:30).',
    ])
  })

  test('that ends in quiet hours is said to be over after them', async () => {
    const at = await talking({ quietHours: { from: 11 * 60, to: 13 * 60 } })
    await pauseAll(at, START + 2 * HOUR)
    await pass(at, 2 * HOUR)
    expect(await at.events('jobs-resumed')).toHaveLength(1)
    expect(notices(at)).toEqual([])
    await pass(at, 2 * HOUR)
    expect(notices(at)).toEqual(['The pause is over. Jobs and pings resume.'])
  })

  test('that ended while nobody ran is said to be over at the next start, with what waited for it', async () => {
    const first = await talking()
    await pauseAll(first, START + 2 * HOUR)
    await raise(first, 'a', 'Something waits.')
    const parts = await ended(first)
    await parts.clock?.pass(DAY)
    const second = await stage(parts)
    await second.settle()
    expect(notices(second)).toEqual(['- Something waits.\n- The pause is over. Jobs and pings resume.'])
  })

  test('without an end does not end', async () => {
    const at = await talking()
    await pauseAll(at, null)
    await pass(at, 3 * DAY)
    expect(await at.events('jobs-resumed')).toEqual([])
  })

  test('twice within an hour is told twice', async () => {
    const at = await talking()
    for (let round = 0; round < 2; round++) {
      await pauseAll(at, at.clock.now() + 10 * MINUTE)
      await pass(at, 11 * MINUTE)
    }
    expect(notices(at)).toHaveLength(2)
  })
})

test('a pause of one job ends with its time, and nobody is told', async () => {
  const at = await talking()
  const one = { what: 'routine', job: 'brief' } as const
  await append(at, { kind: 'jobs-paused', one, until: START + HOUR, author: { by: 'person' } })
  expect(await at.read((reader) => pauseOf(reader, one, START))).not.toBeNull()
  await pass(at, HOUR)
  expect(await at.events('jobs-resumed')).toMatchObject([{ one, author: { by: 'policy', name: 'time' } }])
  expect(notices(at)).toEqual([])
})
