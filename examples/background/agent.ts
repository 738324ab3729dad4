import { strict as assert } from 'node:assert'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { setTimeout as realPause } from 'node:timers/promises'
import type { Outgoing } from '../../src/channel/channel.ts'
import type { Event, Kind } from '../../src/index.ts'
import { openLife, type Life } from '../../src/runtime/life/life.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const me = { channel: 'terminal', conversation: 'local' }

export interface Folder {
  readonly home: string
  /** Of the jobs and the notes, in the workspace. */
  readonly put: (file: string, text: string) => void
  readonly list: (folder: string) => string[]
  /** Writes what a model is to do, and gives its name. */
  readonly model: (name: string, steps: readonly unknown[]) => string
  readonly remove: () => void
}

export function newFolder(): Folder {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-background-'))
  const home = join(folder, 'home')
  const workspace = join(home, 'workspace')
  for (const name of ['routines', 'reminders', 'webhooks', 'notes'])
    mkdirSync(join(workspace, name), { recursive: true })
  return {
    home,
    put: (file, text) => {
      writeFileSync(join(workspace, file), text)
      // The disk has the real time; a job that is older than the clock of this story would have been due before.
      utimesSync(join(workspace, file), Date.now() / 1_000, Date.now() / 1_000)
    },
    list: (name) => readdirSync(join(workspace, name)),
    model: (name, steps) => {
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(steps))
      return `scripted:${join(folder, `${name}.json`)}`
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** A file of this folder, as it is. */
export function example(file: string): string {
  return readFileSync(join(import.meta.dirname, '..', file), 'utf8')
}

/** An agent as `mainstem serve` has it, in a winter in Berlin. Only its clock and its screen are ours. */
export interface Days {
  readonly life: Life
  /** What reached the person since this was asked last. */
  readonly news: () => Outgoing[]
  readonly say: (text: string) => Promise<void>
  /** Time passes until the clock shows this, and what is due meanwhile happens. */
  readonly until: (day: number, time: string) => Promise<void>
  /** The machine sleeps, and nothing happens. */
  readonly sleep: (hours: number) => void
  readonly events: <K extends Kind>(kind: K) => Promise<Extract<Event, { kind: K }>[]>
  readonly close: () => Promise<void>
}

export function startClock(day: number, time: string): void {
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: inBerlin(day, time) })
}

export async function openDays(home: string, model: string): Promise<Days> {
  const screen: Outgoing[] = []
  const failures: unknown[] = []
  const life = await openLife({
    home,
    command: 'examples/background.ts',
    environment: { MAINSTEM_HOOK_BUILD_WATCH: 'a-secret-for-this-example' },
    flags: { model, timezone: 'Europe/Berlin' },
    channels: [{ name: me.channel, canAsk: false, start: nothing, stop: nothing, send: shownOn(screen) }],
    conversation: me,
    schedules: true,
    warn: (text) => failures.push(text),
    fail: (error) => failures.push(error),
  })
  const settle = async (): Promise<void> => {
    await untilQuiet(life)
    assert.deepEqual(failures, [])
  }
  return {
    life,
    news: () => screen.splice(0),
    say: async (text) => {
      await life.receive({ ...me, origin: 'terminal', person: 'owner', messageId: null, text })
      await settle()
    },
    until: async (day, time) => {
      while (Date.now() < inBerlin(day, time)) {
        mock.timers.tick(5 * MINUTE)
        await settle()
      }
    },
    sleep: (hours) => mock.timers.tick(hours * HOUR),
    events: async <K extends Kind>(kind: K) => {
      const all = await Array.fromAsync(life.log.events({ kind }))
      return all.filter((event): event is Extract<Event, { kind: K }> => event.kind === kind)
    },
    close: async () => {
      await life.close()
      mock.timers.reset()
    },
  }
}

/** Until nothing was written for a while: who starts a job reads files first, and that takes real time. */
async function untilQuiet(life: Life): Promise<void> {
  for (let [quiet, before] = [0, -1]; quiet < 3; quiet++) {
    await realPause(3)
    await life.agent.settled()
    const now = await life.log.read(({ end }) => end)
    if (now !== before) [quiet, before] = [0, now]
  }
}

/** In January 2027. */
function inBerlin(day: number, time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return Date.UTC(2027, 0, day, hour - 1, minute)
}

function shownOn(screen: Outgoing[]): (message: Outgoing) => Promise<null> {
  return async (message) => {
    screen.push(message)
    return null
  }
}

async function nothing(): Promise<void> {}
