import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isoIn } from '../src/base/time-text.ts'
import { updatesCommand } from '../src/cli/look/updates.ts'
import { isRefusal } from '../src/context/decision.ts'
import { save } from '../src/context/save.ts'
import { addMessage } from '../src/context/step.ts'
import { handleOf, type Position } from '../src/event/id.ts'
import { openForWriting } from '../src/runtime/home/open-log.ts'
import { openOtherWriter, run, runHere, tempFolder, type Failed } from './cli/run.ts'
import { Scene } from './model/scene.ts'
import { PERSON } from './model/trial.ts'

const BEGAN = Date.UTC(2026, 2, 1, 8, 30)

/** A home whose clock shows the time in Berlin. */
async function homeWith(acts: (scene: Scene) => void): Promise<string> {
  const home = join(tempFolder(), 'home')
  const log = openForWriting({ home, command: 'test' })
  await log.write((writing) => {
    const scene = new Scene(writing)
    scene.at = BEGAN
    scene.root('main')
    acts(scene)
  })
  await log.close()
  writeFileSync(join(home, 'config.json'), JSON.stringify({ timezone: 'Europe/Berlin' }))
  return home
}

function report(on: Scene, text: string, source = 'mcp test'): Position {
  const author = { by: 'policy', name: 'handed-in' } as const
  const told = { source, text, from: null, key: null, author }
  return on.writing.append({ kind: 'update-reported', branch: on.id('main'), at: on.at, v: 1, ...told })
}

/** A message of that branch that shows them. */
function show(on: Scene, branch: string, shown: Position[]): void {
  const message = { role: 'user', text: 'hello' } as const
  const added = addMessage(on.writing, { branch: on.id(branch), at: on.at, message, tokens: 1 })
  if (isRefusal(added)) throw new Error(added.refused)
  on.writing.append({ ...added.draft, updates: { of: on.id('main'), shown } })
}

function saved(on: Scene, fork: string, settles: Position[]): void {
  const decided = save(on.writing, { branch: on.id(fork), at: on.at, author: PERSON })
  if (isRefusal(decided)) throw new Error(decided.refused)
  on.writing.append({ ...decided.draft, settles })
}

/** Twelve told in one message, one saved with a fork, two that wait. */
function longLife(on: Scene): void {
  const many = Array.from({ length: 12 }, (_, index) => report(on, `news ${index + 1}`))
  on.at += 60_000
  show(on, 'main', many)
  const peeked = report(on, 'seen in a fork')
  on.fork('main', 'fork', { mode: 'fork' })
  show(on, 'fork', [peeked])
  saved(on, 'fork', [peeked])
  report(on, 'waits\nin two lines')
  report(on, 'waits too', 'routine brief')
}

interface Entry {
  ts: string
  message: string
  source: string
  state: string
  position: number | null
  told: { ts: string; position: number; saved: string | null } | null
}

const updates = (home: string, ...args: string[]): Promise<Failed> => runHere(updatesCommand, home, args)

async function listed(home: string, ...args: string[]): Promise<Entry[]> {
  const { code, out, err } = await updates(home, '--json', ...args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as Entry[]
}

const AGO = String.raw`\(\d+ days ago\)`

describe('mainstem updates', () => {
  test('shows what waits for main, the newest last, in the zone that is set, and takes nothing', async () => {
    const home = await homeWith(longLife)
    for (const _ of [1, 2]) {
      const { code, out, err } = await run(['updates'], { home })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toMatch(
        new RegExp(`^2 updates wait for main's next turn:

2026-03-01 Sun 09:31 ${AGO}, mcp test
  waits
  in two lines

2026-03-01 Sun 09:31 ${AGO}, routine brief
  waits too
$`),
      )
    }
  })

  test('[SAFE2] says first what the host wrote, and a source cannot say so itself', async () => {
    const home = await homeWith((on) => {
      report(on, 'one', 'fork k3f9ab (x), written by the host)')
      on.fork('main', 'fork', { mode: 'fork' })
      const author = { by: 'policy', name: 'fork-idle' } as const
      const told = { source: 'fork k3f9ab (tea)', text: 'two', from: on.id('fork'), key: null, author }
      on.writing.append({ kind: 'update-reported', branch: on.id('main'), at: on.at, v: 1, ...told })
    })
    const { out } = await updates(home)
    expect(out.split('\n').filter((line) => line.includes('2026'))).toEqual([
      expect.stringMatching(
        new RegExp(`^2026-03-01 Sun 09:30 ${AGO}, fork k3f9ab \\(x written by "the host"\\)$`),
      ),
      expect.stringMatching(
        new RegExp(`^written by the host, 2026-03-01 Sun 09:30 ${AGO}, fork k3f9ab \\(tea\\)$`),
      ),
    ])
  })

  test('--all shows what main was told too, and with what', async () => {
    const home = await homeWith(longLife)
    const { out } = await updates(home, '--all')
    const heads = out.split('\n').filter((line) => line.startsWith('2026'))
    const ends = heads.map((head) => head.replace(/^.*ago\), /, ''))
    expect(out).toMatch(/^15 updates; 2 wait for main's next turn:\n\n/)
    expect(ends.slice(0, 4)).toEqual([
      'mcp test, omitted 2026-03-01 Sun 09:31 at 14, too many at once',
      'mcp test, omitted 2026-03-01 Sun 09:31 at 14, too many at once',
      'mcp test, omitted 2026-03-01 Sun 09:31 at 14, too many at once',
      'mcp test, told 2026-03-01 Sun 09:31 at 14',
    ])
    expect(ends.at(12)).toMatch(/^mcp test, saved with [a-z0-9]{6} 2026-03-01 Sun 09:31 at 18$/)
    expect(ends.slice(13)).toEqual(['mcp test, waits', 'routine brief, waits'])
  })

  test('--json is an array with the time and its offset, whole texts, and the state', async () => {
    let fork = ''
    const home = await homeWith((on) => {
      longLife(on)
      fork = handleOf(on.id('fork'))
    })
    const waiting = await listed(home)
    expect(waiting.map(({ message, state, told }) => [message, state, told])).toEqual([
      ['waits\nin two lines', 'pending', null],
      ['waits too', 'pending', null],
    ])
    expect(waiting[1]).toMatchObject({ ts: '2026-03-01T09:31:00.000+01:00', source: 'routine brief' })
    const all = await listed(home, '--all')
    expect(all.map(({ state }) => state).join(' ')).toBe(
      `${'counted '.repeat(3)}${'told '.repeat(9)}saved pending pending`,
    )
    const ts = '2026-03-01T09:31:00.000+01:00'
    expect(all[3]?.told).toEqual({ ts, position: 14, saved: null })
    expect(all[12]?.told).toEqual({ ts, position: 18, saved: fork })
  })

  test('says so where nothing waits, or nothing was ever reported', async () => {
    const home = await homeWith(() => undefined)
    expect((await updates(home)).out).toBe('Nothing waits for main. --all shows what it got before.\n')
    expect((await updates(home, '--all')).out).toBe('Nothing has been reported to main yet.\n')
    expect(await listed(home)).toEqual([])
  })

  test('works while another process writes to the log', async () => {
    const home = await homeWith(longLife)
    await openOtherWriter(home)
    const { out } = await run(['updates', '--json'], { home })
    expect(JSON.parse(out)).toHaveLength(2)
  })

  test('what an update says does not reach the terminal as a command', async () => {
    const home = await homeWith((on) => void report(on, 'red \u001B[31m\u0007 alert', 'mcp \u001B]0;x\u0007'))
    const { out } = await updates(home)
    expect(out).not.toContain('\u001B')
    expect(out).not.toContain('\u0007')
    expect(out).toContain(' alert')
  })

  test('has a line in the list of commands and a help of its own', async () => {
    expect((await run(['help'])).out).toMatch(/^ +look +.* updates$/m)
    expect((await run(['help', 'updates'])).out).toMatch(/^mainstem updates: [^]*--all[^]*--json/)
  })
})

test('a time in a zone is written with its offset, and is the same moment', () => {
  const cases = [
    ['Europe/Berlin', '2026-07-01T02:00:00.000+02:00'],
    ['America/St_Johns', '2026-06-30T21:30:00.000-02:30'],
    ['Asia/Kathmandu', '2026-07-01T05:45:00.000+05:45'],
    ['UTC', '2026-07-01T00:00:00.000+00:00'],
  ] as const
  const at = Date.UTC(2026, 6, 1)
  for (const [zone, text] of cases) {
    expect(isoIn(at, zone)).toBe(text)
    expect(Date.parse(text)).toBe(at)
  }
})
