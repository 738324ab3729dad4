import { describe, expect, test } from 'vitest'
import { background, type Background } from './background.ts'
import { append, DAY, HOUR, MINUTE, pass, pauseAll, resumeAll } from './notice-rig.ts'
import { ended } from './rig.ts'
import { notices } from './run-rig.ts'
import { FakeClock, stage, type Stage } from './stage.ts'

/** The stage begins at 09:30. */
const AT_SIX = { digestAt: 18 * 60 }

async function talking(settings: object = AT_SIX): Promise<Stage> {
  const at = await stage({ settings })
  await at.say('/help')
  return at
}

function report(at: Stage, text: string): Promise<void> {
  const author = { by: 'policy', name: 'handed-in' } as const
  return append(at, { kind: 'update-reported', source: 'mcp build', text, from: null, author, key: null })
}

/** A job whose runs report, and ping besides if they are to. */
function reporting(pings: boolean, settings: object = AT_SIX): Promise<Background> {
  const tell = ['report_updates', { message: 'Two mails.' }] as const
  const ping = ['ping_user', { message: 'Two mails!' }] as const
  return background([pings ? [ping, tell] : [tell]], { settings, asked: { job: 'inbox-watch' } })
}

describe('the daily digest', () => {
  test('tells at its time what was reported and never pinged, newest last', async () => {
    const at = await reporting(false)
    await at.say('/help')
    await at.run()
    await pass(at, 3 * HOUR)
    await report(at, 'The build is\ngreen.')
    await pass(at, 5 * HOUR + 29 * MINUTE)
    expect(digests(at)).toEqual([])
    await pass(at, MINUTE)
    expect(digests(at)).toEqual([
      `Daily digest: 2 reports since yesterday 18:00.
09:30 routine inbox-watch: Two mails.
12:30 mcp build: The build is green.`,
    ])
    expect(at.sent.at(-1)?.number).toBeGreaterThan(0)
  })

  test('leaves out what the run itself wrote to the person', async () => {
    const at = await reporting(true)
    await at.say('/help')
    await at.run()
    expect((await at.events('update-reported')).length).toBe(1)
    await pass(at, DAY)
    expect(digests(at)).toEqual([])
  })

  test('without anything to tell is not sent', async () => {
    const at = await talking()
    await pass(at, 2 * DAY)
    expect(notices(at)).toEqual([])
    expect(await at.events('digest-sent')).toEqual([])
  })

  test('tells nothing twice, and what came after its time on the next day', async () => {
    const at = await talking()
    await report(at, 'One.')
    await pass(at, 9 * HOUR)
    await report(at, 'Two.')
    await pass(at, 5 * HOUR)
    expect(digests(at)).toHaveLength(1)
    await pass(at, DAY)
    expect(digests(at).map((text) => text.split('\n').slice(1))).toEqual([
      ['09:30 mcp build: One.'],
      ['yesterday 18:30 mcp build: Two.'],
    ])
    await pass(at, 3 * DAY)
    expect(digests(at)).toHaveLength(2)
  })

  test('that nobody was there for is sent at the next start of that day', async () => {
    const at = await restarted(await withReport(), 10 * HOUR)
    expect(digests(at)).toHaveLength(1)
    const again = await restarted(at, HOUR)
    expect(digests(again)).toEqual([])
  })

  test('that nobody was there for that day is told with the next', async () => {
    const first = await withReport()
    await pass(first, 10 * HOUR)
    expect(digests(first)).toHaveLength(1)
    await report(first, 'Two.')
    const at = await restarted(first, 38 * HOUR)
    expect(digests(at)).toEqual([])
    await pass(at, 9 * HOUR)
    expect(digests(at)).toEqual([expect.stringContaining('Two.')])
  })

  test('is not sent twice a day when the clock is put back', async () => {
    const first = await withReport()
    await pass(first, 9 * HOUR)
    expect(digests(first)).toHaveLength(1)
    await report(first, 'Two.')
    const at = await restarted(first, -2 * HOUR)
    await pass(at, 3 * HOUR)
    expect(digests(at)).toEqual([])
    await pass(at, DAY)
    expect(digests(at)).toHaveLength(1)
  })

  test('is sent again though the clock was ahead by months', async () => {
    const first = await withReport()
    const ahead = await restarted(first, 100 * DAY)
    await report(ahead, 'Far ahead.')
    await pass(ahead, DAY)
    expect(digests(ahead)).toHaveLength(1)
    await report(ahead, 'Two.')
    const at = await restarted(ahead, -100 * DAY)
    await pass(at, 2 * DAY)
    expect(digests(at).at(-1)).toContain('Two.')
    expect(digests(at)).toHaveLength(1)
  })

  test('waits for the end of quiet hours, every day', async () => {
    const at = await talking({ ...AT_SIX, quietHours: { from: 17 * 60, to: 8 * 60 } })
    await report(at, 'One.')
    await pass(at, 22 * HOUR)
    expect(digests(at)).toEqual([])
    await pass(at, 30 * MINUTE)
    expect(digests(at)).toHaveLength(1)
    await report(at, 'Two.')
    await pass(at, DAY)
    expect(digests(at)).toHaveLength(2)
  })

  test('waits for the end of a pause', async () => {
    const at = await withReport()
    await pauseAll(at, null)
    await pass(at, 9 * HOUR)
    expect(digests(at)).toEqual([])
    await resumeAll(at)
    expect(digests(at)).toHaveLength(1)
  })

  test('shows twenty and counts the rest', async () => {
    const at = await talking()
    for (let count = 1; count <= 25; count++) await report(at, `Report ${count}.`)
    await pass(at, 9 * HOUR)
    const lines = digests(at)[0]?.split('\n') ?? []
    expect(lines.slice(0, 3)).toEqual([
      'Daily digest: 25 reports since yesterday 18:00.',
      '5 earlier, left out here: /updates all shows them.',
      '09:30 mcp build: Report 6.',
    ])
    expect(lines).toHaveLength(22)
  })

  test('counts all of many, and what comes after its time leaves none of them out', async () => {
    const at = await talking({ ...AT_SIX, quietHours: { from: 17 * 60, to: 20 * 60 } })
    const branch = await at.branch()
    const author = { by: 'policy', name: 'handed-in' } as const
    const many = (count: number) =>
      at.log.write((writing) => {
        const said = { source: 'build', text: 'Green.', from: null, author, key: null }
        for (let one = 0; one < count; one++)
          writing.append({ kind: 'update-reported', branch, at: at.clock.now(), v: 1, ...said })
      })
    await many(450)
    await pass(at, 9 * HOUR)
    await many(250)
    await pass(at, 2 * HOUR)
    expect(digests(at).map((text) => text.split('\n').slice(0, 2))).toEqual([
      ['Daily digest: 450 reports since yesterday 18:00.', expect.stringMatching(/^430 earlier, /)],
    ])
    await pass(at, DAY)
    expect(digests(at)[1]).toMatch(/^Daily digest: 250 reports /)
  })

  test('is not sent unless a time is configured', async () => {
    const at = await talking({})
    await report(at, 'One.')
    await pass(at, 3 * DAY)
    expect(digests(at)).toEqual([])
  })
})

function digests(at: Stage): string[] {
  return notices(at).filter((text) => text.startsWith('Daily digest'))
}

async function withReport(): Promise<Stage> {
  const at = await talking()
  await report(at, 'One.')
  return at
}

async function restarted(at: Stage, ms: number): Promise<Stage> {
  const { disk } = await ended(at)
  const clock = new FakeClock(at.clock.now() + ms)
  const next = await stage({ ...(disk && { disk }), clock, settings: at.settings })
  await next.settle()
  return next
}
