import { describe, expect, test } from 'vitest'
import { OWNER } from '../../src/event/speaker.ts'
import { aheadView } from '../../src/view/background/ahead.ts'
import { runsView } from '../../src/view/background/runs.ts'
import { pingsPage, type PingsFilter } from '../../src/view/pings.ts'
import { background, ping, RED, type Background, type BackgroundOptions, type Step } from './background.ts'
import { memoryShelf } from './memory-shelf.ts'
import { ran } from './run-rig.ts'
import { START } from './stage.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

async function ahead(at: Background, files: Readonly<Record<string, string>> = {}) {
  const shelf = memoryShelf()
  for (const [file, text] of Object.entries(files)) await shelf.put(file, text)
  const look = { shelf, now: at.clock.now(), settings: at.settings, hours: 12 }
  return at.read((reader) => aheadView(reader, look))
}

function clock(iso: string): string {
  return iso.slice('2026-03-01T'.length, '2026-03-01T08:30'.length)
}

/** A stage in UTC that starts at 08:30 on a Sunday. */
function staged(steps: readonly Step[], options: BackgroundOptions = {}): Promise<Background> {
  const settings = { zone: 'UTC', ...options.settings }
  return background(steps, { ...options, settings })
}

describe('the hours to come', () => {
  test('have the firings of each job in order, and say who is silent, paused or due all the time', async () => {
    const at = await staged([], { settings: { zone: 'UTC', quietHours: { from: 20 * 60, to: 7 * 60 } } })
    const view = await ahead(at, {
      'routines/often.md': '---\ncron: "*/15 * * * *"\nbackground: true\n---\nLook.\n',
      'routines/brief.md': '---\ncron: 0 9,18 * * *\nallow-ping: false\ndescription: the news\n---\nTell.\n',
      'routines/weekly.md': '---\ncron: 0 9 * * 1\n---\nTell.\n',
      'reminders/call.md': '---\nrun-at: 2026-03-01T12:00\n---\nCall the dentist.\n',
      'webhooks/hook.md': '---\n---\nA hook.\n',
    })
    expect(view.due.map(({ id, silent, isOften, times }) => [id, silent, isOften, times.length])).toEqual([
      ['often', false, true, 12],
      ['brief', true, false, 2],
      ['call', false, false, 1],
    ])
    expect(view.due[1]).toMatchObject({ title: 'the news', paused: false, background: false })
    expect(view.due[1]?.times.map(clock)).toEqual(['09:00', '18:00'])
    expect(view.quiet).toEqual([
      { from: '2026-03-01T20:00:00.000+00:00', to: '2026-03-02T07:00:00.000+00:00' },
    ])
    expect([view.paused, clock(view.now), clock(view.until)]).toEqual([false, '08:30', '20:30'])
  })

  test('of a budget that nobody used are level', async () => {
    const { curve, refills } = await ahead(await staged([]))
    expect(new Set(curve.map(({ available }) => available))).toEqual(new Set([5]))
    expect(refills).toEqual([])
  })

  test('of a budget show each ping as a step down, and when it is full again', async () => {
    const at = await staged([[ping(RED)]])
    await at.run()
    await at.clock.pass(90 * MINUTE_MS)
    await at.run()
    const { curve, refills } = await ahead(at)
    const shown = curve.map(({ at: time, available }) => `${clock(time)} ${available}`)
    expect(shown.slice(1, 4)).toEqual(['08:30 5', '08:30 5', '08:30 4'])
    expect(shown).toContain('10:00 4')
    expect(shown.slice(-2)).toEqual(['11:30 5', '22:00 5'])
    expect(refills.map(clock)).toEqual(['11:30'])
  })
})

function page(at: Background, filter: Partial<PingsFilter> = {}) {
  const look = { person: OWNER, now: at.clock.now(), settings: at.settings }
  return at.read((reader) => pingsPage(reader, look, { limit: 50, ...filter }))
}

describe('the ledger in pages', () => {
  test('says what was left, and lists every ping once', async () => {
    const at = await staged([[ping(RED)], [ping('And again.')]])
    await at.run()
    await at.clock.pass(45 * MINUTE_MS)
    await at.run()
    const { pings, next } = await page(at)
    expect(next).toBe(null)
    expect(pings.map(({ text, reason, note }) => [text, reason, note])).toEqual([
      ['And again.', 'its run had pinged before', null],
      [RED, 'within the budget', '4.5 left before, 3.5 after'],
      ['And again.', 'its run had pinged before', null],
      [RED, 'within the budget', '5 left before, 4 after'],
    ])
    const paged: unknown[] = []
    for (let before: number | null | undefined; before !== null;) {
      const { pings: some, next: further } = await page(at, { limit: 1, before })
      paged.push(...some)
      before = further
    }
    expect(paged).toEqual(pings)
    const fits = async (filter: Partial<PingsFilter>) => (await page(at, filter)).pings.length
    expect(await fits({ decision: 'sent' })).toBe(2)
    expect(await fits({ decision: 'held' })).toBe(0)
    expect(await fits({ because: 'one-per-run' })).toBe(2)
    expect(await fits({ who: 'routine brief' })).toBe(4)
    expect(await fits({ who: 'routine other' })).toBe(0)
  })

  test('shows a ping that was held with when it was sent, and is found as either', async () => {
    const pings = {
      capacity: 5,
      refillMinutes: 90,
      criticalMax: 0,
      ttlMs: HOUR_MS,
      busyMs: MINUTE_MS,
      to: null,
    }
    const patient: Step = [['ping_user', { message: RED, when_free: true }]]
    const at = await staged([patient], { settings: { zone: 'UTC', pings } })
    await at.say('I am writing something.')
    await ran(at)
    expect((await page(at, { decision: 'held' })).pings).toMatchObject([{ state: 'held', held: null }])
    await at.clock.pass(MINUTE_MS)
    const { pings: found } = await page(at)
    const held = { ts: '2026-03-01T08:30:00.000+00:00', reason: 'you were busy' }
    expect(found).toMatchObject([{ verdict: 'sent', ts: '2026-03-01T08:31:00.000+00:00', held }])
    for (const decision of ['sent', 'held'] as const)
      expect((await page(at, { decision })).pings).toEqual(found)
    expect((await page(at, { because: 'busy' })).pings).toEqual(found)
  })

  test('a refusal in quiet hours says until when, and that main was told', async () => {
    const steps: Step[] = [[ping(RED)], [['report_updates', { message: RED }]]]
    const quietHours = { from: 8 * 60, to: 9 * 60 }
    const at = await staged(steps, { settings: { zone: 'UTC', quietHours } })
    await at.run()
    const { pings } = await page(at, { decision: 'refused' })
    expect(pings).toMatchObject([{ reason: 'quiet hours', note: 'until 09:00 · told to main instead' }])
  })
})

test('runs are listed with their state, how long they took, and their report', async () => {
  const at = await staged([[['report_updates', { message: 'The build is green.' }]]])
  await at.run()
  await at.clock.pass(MINUTE_MS)
  await at.run()
  const list = (more: { before?: number; limit: number }) =>
    at.read((reader) => runsView(reader, { person: OWNER, zone: 'UTC', ...more }))
  const { runs, next } = await list({ limit: 1 })
  expect(runs).toMatchObject([
    {
      kind: 'routine',
      job: 'brief',
      byHand: true,
      state: 'finished',
      startedAt: new Date(START + MINUTE_MS).toISOString().replace('Z', '+00:00'),
      tookMs: 0,
      report: 'The build is green.',
      pings: 0,
    },
  ])
  const rest = await list({ limit: 5, before: next ?? 0 })
  expect(rest.runs.map(({ state }) => state)).toEqual(['finished'])
  expect(rest.next).toBe(null)
})
