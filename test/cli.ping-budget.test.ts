import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clockIn } from '../src/base/time-text.ts'
import { pingBudgetCommand } from '../src/cli/job/ping-budget.ts'
import { makeTurnId, type Position } from '../src/event/id.ts'
import { seededRandom } from '../src/base/random.ts'
import { openForWriting } from '../src/runtime/home/open-log.ts'
import { openOtherWriter, run, runHere, tempFolder, type Failed } from './cli/run.ts'
import { Scene } from './model/scene.ts'

const ZONE = 'Europe/Berlin'
const HOUR_MS = 3_600_000
const JOB = { what: 'routine', job: 'brief' } as const

interface Decided {
  readonly person?: string
  readonly at: number
  readonly available: number
  readonly because?: 'allowed' | 'critical' | 'budget'
  readonly text?: string
}

/** Writes a ping of the routine `brief`, as an agent would have. */
function decide(on: Scene, decided: Decided): Position {
  const { person = 'owner', at, available, because = 'allowed', text = 'The build is red.' } = decided
  const about = { branch: on.id('main'), at, v: 1 } as const
  const isSent = because !== 'budget'
  const to = { channel: 'terminal', conversation: 'local' }
  const told = { to, form: 'ping', text, turn: null } as const
  const delivery = isSent ? on.writing.append({ kind: 'delivery-intended', ...about, ...told }) : null
  const ping = on.writing.append({
    kind: 'ping-decided',
    ...about,
    turn: makeTurnId(at, seededRandom(1)),
    run: null,
    what: 'message',
    isCritical: because === 'critical',
    verdict: isSent ? 'sent' : 'refused',
    because,
    text,
    before: null,
    delivery,
    budget: { person, capacity: 5, refillMinutes: 90, available, day: clockIn(at, ZONE).date },
    job: JOB,
  })
  if (delivery !== null)
    on.writing.append({ kind: 'delivery-done', ...about, intent: delivery, platformId: null })
  return ping
}

/** A home whose clock shows the time in Berlin. */
async function homeWith(acts: (scene: Scene) => void = () => undefined, config = {}): Promise<string> {
  const home = join(tempFolder(), 'home')
  const log = openForWriting({ home, command: 'test' })
  await log.write((writing) => {
    const scene = new Scene(writing)
    scene.root('main')
    acts(scene)
  })
  await log.close()
  writeFileSync(join(home, 'config.json'), JSON.stringify({ timezone: ZONE, ...config }))
  return home
}

const budget = (home: string, ...args: string[]): Promise<Failed> => runHere(pingBudgetCommand, home, args)

async function json<T>(home: string, ...args: string[]): Promise<T> {
  const { code, out, err } = await budget(home, '--json', ...args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as T
}

const KEYS = [
  'capacity',
  'available',
  'refill_rate_minutes',
  'last_refill',
  'critical_used',
  'critical_reset_date',
  'daily_used',
  'daily_used_reset',
]

interface State {
  readonly capacity: number
  readonly available: number
  readonly last_refill: string
  readonly critical_used: number
  readonly daily_used: number
  readonly daily_used_reset: string
}

describe('mainstem ping-budget', () => {
  test('--json has eight keys in their order, refilled to now, in the zone that is set', async () => {
    const now = Date.now()
    const home = await homeWith((on) => {
      decide(on, { at: now - HOUR_MS, available: 5 })
      decide(on, { at: now - HOUR_MS, available: 4, because: 'critical' })
    })
    const state = await json<State>(home)
    expect(Object.keys(state).slice(0, KEYS.length)).toEqual(KEYS)
    expect(state).toMatchObject({ capacity: 5, refill_rate_minutes: 90 })
    expect(state.available).toBeCloseTo(4 + 60 / 90, 2)
    expect(state.last_refill).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00$/)
    expect(Date.parse(state.last_refill)).toBeGreaterThanOrEqual(Math.floor(now / 1_000) * 1_000)
    const isSameDay = clockIn(now - HOUR_MS, ZONE).date === state.daily_used_reset
    expect([state.daily_used, state.critical_used]).toEqual(isSameDay ? [1, 1] : [0, 0])
  })

  test('before any ping is a full budget, also where there is no log', async () => {
    for (const home of [await homeWith(), join(tempFolder(), 'none')]) {
      const state = await json<State>(home)
      expect(Object.keys(state).slice(0, KEYS.length)).toEqual(KEYS)
      expect(state).toMatchObject({ capacity: 5, available: 5, daily_used: 0, critical_used: 0 })
    }
  })

  test('says in words what /ping-budget says', async () => {
    const home = await homeWith((on) => decide(on, { at: Date.now(), available: 5 }), {
      quietHours: '22:00-08:00',
    })
    const { code, out, err } = await run(['ping-budget'], { home })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(
      /^Ping budget: 4\/5 available\.\nRefill: one every 90 min; the next \S+ \d\d:\d\d, in [^\n]*\.\nToday: 1 used, 0 critical\.\nQuiet hours: 22:00-08:00[^\n]*\.\nmainstem ping-budget why lists [^\n]*\n$/,
    )
  })

  test('works while another process writes', async () => {
    const home = await homeWith((on) => decide(on, { at: Date.now(), available: 5 }))
    await openOtherWriter(home)
    expect((await json<State>(home)).daily_used).toBe(1)
  })

  test('--for shows the budget of somebody else, and knows whom nobody has met', async () => {
    const home = await homeWith((on) => {
      decide(on, { at: Date.now(), available: 5, person: 'anna' })
      decide(on, { at: Date.now(), available: 4, person: 'anna' })
    })
    expect((await json<State>(home)).daily_used).toBe(0)
    expect((await json<State>(home, '--for', 'anna')).daily_used).toBe(2)
    expect((await budget(home, '--for', 'anna')).out).toMatch(/^Ping budget of anna: 3\/5 available\.\n/)
    expect(await run(['ping-budget', '--for', 'ana'], { home })).toEqual({
      code: 1,
      out: '',
      err: "mainstem: Nobody called 'ana' has written here or was pinged yet.\n",
    })
  })

  test('[PING4] why lists pings and refusals with their reasons, in words and as an array', async () => {
    const at = Date.UTC(2026, 2, 1, 8, 30)
    const home = await homeWith((on) => {
      const ping = decide(on, { at, available: 1 })
      on.writing.append({ kind: 'ping-answered', branch: on.id('main'), at, v: 1, ping, answer: 'done' })
      decide(on, { at: at + 1, available: 0, because: 'budget', text: 'again' })
    })
    const { out } = await budget(home, 'why')
    expect(out).toBe(
      `The last pings and refusals, the newest first:
- 2026-03-01 Sun 09:30 routine brief: "again" → refused: the budget was used up.
- 2026-03-01 Sun 09:30 routine brief: "The build is red." → sent, within the budget; arrived; answered: done.
`,
    )
    expect(await json<object[]>(home, 'why')).toMatchObject([
      { ts: '2026-03-01T09:30:00.001+01:00', job: 'routine brief', verdict: 'refused', because: 'budget' },
      { text: 'The build is red.', verdict: 'sent', state: 'arrived', answer: 'done', critical: false },
    ])
    expect(await json<object[]>(await homeWith(), 'why')).toEqual([])
  })

  test('capacity and refill change config.json, and what is wrong is refused', async () => {
    const home = await homeWith()
    expect((await budget(home, 'capacity', '8')).out).toMatch(/^pingCapacity is now 8 \(was 5, the default\)/)
    expect((await budget(home, 'refill', '60')).code).toBe(0)
    expect(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8'))).toMatchObject({
      pingCapacity: 8,
      pingRefillMinutes: 60,
    })
    expect(await json<State>(home)).toMatchObject({ capacity: 8, refill_rate_minutes: 60 })
    const { code, err } = await run(['ping-budget', 'refill', '0'], { home })
    expect([code, err]).toEqual([2, expect.stringMatching(/pingRefillMinutes cannot be '0'/)])
  })

  test.each([
    [['enough'], /has no 'enough'\. Usage: mainstem ping-budget \[why \| capacity N/],
    [['capacity'], /Missing N\. Usage: mainstem ping-budget capacity N/],
    [['why', 'not'], /'mainstem ping-budget why' does not take "not"/],
    [['more', 'brief'], /'more' is for a conversation: mainstem -p "\/ping-budget more brief"/],
  ])('does not guess: %j', async (words, said) => {
    const { code, err } = await run(['ping-budget', ...words], { home: await homeWith() })
    expect([code, err]).toEqual([2, expect.stringMatching(said)])
  })
})
