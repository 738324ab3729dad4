import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Event, EventOf, Kind } from '../src/event/event.ts'
import { handleOf, makeBranchId } from '../src/event/id.ts'
import type { StepInput } from '../src/model/scripted.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import { collect, run, start, tempFolder, type Ran } from './cli/run.ts'

interface Place {
  readonly home: string
  readonly folder: string
}

function newPlace(config: object = {}): Place {
  const folder = tempFolder()
  const home = join(folder, 'home')
  mkdirSync(join(home, 'workspace', 'routines'), { recursive: true })
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  return { home, folder }
}

function fileIn({ folder }: Place, text: string, name = 'brief.md'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function scripted({ folder }: Place, steps: readonly StepInput[]): string {
  const path = join(folder, 'script.json')
  writeFileSync(path, JSON.stringify(steps))
  return `scripted:${path}`
}

/** The run of a file with a model that does these steps. */
function runFile(place: Place, text: string, steps: readonly StepInput[]): Promise<Ran> {
  const args = ['run', fileIn(place, text), '--model', scripted(place, steps)]
  return run(args, { home: place.home })
}

async function eventsOf<K extends Kind>({ home }: Place, kind: K): Promise<EventOf<K>[]> {
  const log = openForReading(home)
  try {
    const events: Event[] = await Array.fromAsync(log.events())
    return events.filter((event): event is EventOf<K> => event.kind === kind)
  } finally {
    await log.close()
  }
}

const PINGS: readonly StepInput[] = [
  { calls: [{ tool: 'ping_user', args: { message: 'Your train is late.' } }] },
  { calls: [{ tool: 'report_updates', args: { message: 'Told about the train.' } }] },
  { reply: { text: 'Done.' } },
]
const SLOW: StepInput = { delayMs: 60_000, reply: { text: 'late' } }

describe('mainstem run', () => {
  test('shows the steps of a run, its pings with their numbers and its reports, in their order, and ends with it', async () => {
    const place = newPlace()
    const opening = String.raw`^\[routine-bg:brief\].*Look at the trains\.$`
    const look = [{ tool: 'glob', args: { pattern: '*.md' } }]
    const { code, out } = await runFile(place, 'Look at the trains.\n', [
      { expect: { lastUser: opening }, reply: { text: 'Looking.' }, calls: look },
      ...PINGS,
    ])
    expect({ code, lines: out.split('\n') }).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(/^\[routine-bg:brief\] started as [a-z0-9]{6} \(forked, scripted:/),
        'Looking.',
        '· glob pattern: *.md',
        '  glob → AGENTS.md',
        '· ping_user message: Your train is late.',
        '#1 Your train is late.',
        '· report_updates message: Told about the train.',
        'Reported to main: Told about the train.',
        'Done.',
        expect.stringMatching(/^Finished after \d+ s: 4 model calls, [\d.]+k tokens\.$/),
        '',
      ],
    })
    expect(await eventsOf(place, 'run-started')).toMatchObject([
      {
        tag: 'routine-bg',
        job: 'brief',
        timeoutMs: 1_800_000,
        setup: null,
        author: { by: 'policy', name: 'command-line' },
      },
    ])
    const updates = await run(['updates'], { home: place.home })
    expect(updates.out).toContain('Told about the train.')
  })

  test('says in JSON what happened, one object a line', async () => {
    const place = newPlace()
    const args = ['run', '--json', fileIn(place, 'Do it.'), '--model', scripted(place, PINGS)]
    const { code, out } = await run(args, { home: place.home })
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(code).toBe(0)
    expect(lines.map((line) => Object.keys(line)[0])).toEqual([
      'started',
      'called',
      'wrote',
      'result',
      'called',
      'reported',
      'result',
      'said',
      'ended',
    ])
    expect(lines.at(1)).toMatchObject({
      called: { tool: 'ping_user', args: { message: 'Your train is late.' } },
    })
    expect(lines.at(3)).toMatchObject({ result: { text: expect.not.stringContaining('{"') as string } })
    expect(lines.at(2)).toMatchObject({ wrote: { form: 'ping', number: 1, text: 'Your train is late.' } })
    expect(lines.at(-1)).toMatchObject({ ended: { reason: 'finished', calls: 3, cost: null } })
  })

  test('numbers go on from one run to the next, and a conversation knows what was reported', async () => {
    const place = newPlace()
    await runFile(place, 'Do it.', PINGS)
    const { out } = await runFile(place, 'Do it.', PINGS)
    expect(out).toContain('#2 Your train is late.')
    const told = await run(['-p', '/updates'], { home: place.home })
    expect(told.out).toContain('Told about the train.')
  })

  test('needs no key and no model', async () => {
    const place = newPlace()
    const { code, out } = await run(['run', fileIn(place, 'Say hello.')], { home: place.home })
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringMatching(/Finished after/) })
  })

  test('says what holds only when the file is due, and what it does not know', async () => {
    const file = '---\ncron: 0 8 * * *\nalow-ping: false\n---\nDo it.'
    const { code, err } = await runFile(newPlace(), file, [{ reply: { text: 'Done.' } }])
    expect(code).toBe(0)
    expect(err).toContain("Line 3: 'alow-ping' is not a field and is ignored; did you mean 'allow-ping'?")
    expect(err).toContain('started by hand, it runs in the background.')
  })
})

describe('nothing is started, exit code 1,', () => {
  test.each([
    ['a broken file', '---\nthinking: lots\n---\nDo it.', "brief.md, line 2: thinking is 'lots'."],
    [
      'an unknown skill',
      '---\nskills: nosuch\n---\nDo it.',
      "it needs the skill 'nosuch', and there is none",
    ],
    ['a model without a key', '---\nmodel: openai/some\n---\nDo it.', 'its model cannot be used: '],
  ])('with %s', async (_, text, told) => {
    const place = newPlace()
    const { code, out, err } = await run(['run', fileIn(place, text)], { home: place.home })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('mainstem: Nothing was started. ')
    expect(err).toContain(told)
    expect(await eventsOf(place, 'run-started')).toEqual([])
  })

  test('without a file, or with a model that cannot be', async () => {
    const place = newPlace()
    const missing = await run(['run', 'nosuch.md'], { home: place.home })
    expect(missing).toMatchObject({ code: 1, out: '' })
    expect(missing.err).toContain(
      `There is no file nosuch.md here or in the workspace, ${join(place.home, 'workspace')}.`,
    )
    const absolute = await run(['run', join(place.folder, 'nosuch.md')], { home: place.home })
    expect(absolute.err).toContain('nosuch.md cannot be read (ENOENT: no such file or directory)')
    const model = await run(['run', fileIn(place, 'x'), '--model', 'nosuch'], { home: place.home })
    expect(model.code).toBe(1)
    expect(model.err).toContain("Unknown model provider 'nosuch'")
    expect(await run(['run'], { home: place.home })).toMatchObject({ code: 2 })
  })
})

describe('a run', () => {
  test('that fails is told of, exit code 1', async () => {
    const { code, out } = await runFile(newPlace(), 'Do it.', [
      { error: { reason: 'rejected', message: 'not today' } },
    ])
    expect(code).toBe(1)
    expect(out).toMatch(/#1 routine brief failed: scripted:.*not today\.\nFailed after \d+ s: 0 model calls/)
  })

  test('whose time is over is stopped, exit code 1', async () => {
    const { code, out } = await runFile(newPlace({ bgForkTimeout: 1 }), 'Do it.', [SLOW])
    expect(code).toBe(1)
    expect(out).toMatch(/Timed out after \d s/)
  })

  test('that Ctrl-C ends has ended for good, and says so', async () => {
    const place = newPlace()
    const args = ['run', fileIn(place, 'Do it.'), '--model', scripted(place, [SLOW])]
    const child = start(args, { home: place.home })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [err, ended] = [collect(child.stderr), once(child, 'close')]
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    expect(err()).toMatch(/mainstem: Stopped: [a-z0-9]{6} has ended, and the log keeps what it did\.\n$/)
    expect(await eventsOf(place, 'branch-ended')).toMatchObject([
      { reason: 'killed', author: { by: 'person' } },
    ])
    expect((await run(['-p', 'hello'], { home: place.home })).err).not.toContain('Still at work')
  })

  test('that is ended from outside goes on with the next start', async () => {
    const place = newPlace()
    const args = [
      'run',
      fileIn(place, '---\nmodel: offline\n---\nDo it.'),
      '--model',
      scripted(place, [SLOW]),
    ]
    const child = start(args, { home: place.home })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [err, ended] = [collect(child.stderr), once(child, 'close')]
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    child.kill('SIGTERM')
    expect((await ended)[0]).toBe(143)
    expect(err()).toContain('is not finished. It continues when mainstem runs again.')
    expect(await eventsOf(place, 'branch-ended')).toEqual([])
    const [begun] = await eventsOf(place, 'run-started')
    const again = await run(args, { home: place.home })
    expect(again).toMatchObject({ code: 1, out: '' })
    const handle = handleOf(begun?.branch ?? makeBranchId(0, () => 0))
    expect(again.err).toContain(
      `Nothing was started. The routine brief is running as ${handle}, and a job never overlaps itself. /kill ${handle} ends it.`,
    )
    expect(await eventsOf(place, 'run-started')).toHaveLength(1)
  })
})

test('/run starts a file of the workspace through the real program', async () => {
  const place = newPlace()
  writeFileSync(join(place.home, 'workspace', 'routines', 'brief.md'), '---\nmodel: offline\n---\nSay hello.')
  const said = await run(['--wait', '20', '-p', '/run routines/brief.md'], { home: place.home })
  expect(said.out).toMatch(/^Started routine brief as [a-z0-9]{6}\. \/agents shows it\.\n$/)
  expect(await eventsOf(place, 'branch-ended')).toMatchObject([{ reason: 'finished' }])
  const no = await run(['-p', '/run ../brief.md'], { home: place.home })
  expect(no).toMatchObject({ code: 1, out: expect.stringContaining('lies outside of the workspace') })
})

test('a file that is not found from here is looked for in the workspace, as /run does', async () => {
  const place = newPlace()
  const inside = join(place.home, 'workspace', 'routines', 'only-there.md')
  writeFileSync(inside, '---\nmodel: offline\n---\nSay hello.')
  expect(await run(['run', 'routines/only-there.md'], { home: place.home })).toMatchObject({ code: 0 })
  expect(await eventsOf(place, 'run-started')).toMatchObject([
    { job: 'only-there', file: 'routines/only-there.md' },
  ])
  writeFileSync(join(place.home, 'outside-of-it.md'), 'Say hello.')
  const outside = await run(['run', '../outside-of-it.md'], { home: place.home })
  expect(outside).toMatchObject({ code: 1, err: expect.stringContaining('cannot be read (ENOENT') })
})

function withSkills(skills: object): Place {
  const place = newPlace({ skills })
  for (const [name, body] of [
    ['live', 'Say: !`echo one two`'],
    ['other', 'Not for it.'],
  ]) {
    mkdirSync(join(place.home, 'skills', name ?? ''), { recursive: true })
    writeFileSync(join(place.home, 'skills', name ?? '', 'SKILL.md'), `---\nname: ${name}\n---\n${body}\n`)
  }
  return place
}

function readings(out: string): string[] {
  return out
    .split('\n')
    .filter((line) => line.startsWith('  read_skill'))
    .toSorted()
}

describe('a run that declares skills', () => {
  const FILE = '---\nskills: live\n---\nDo it.'
  const READS: StepInput = {
    calls: [
      { tool: 'read_skill', args: { skill_name: 'live' } },
      { tool: 'read_skill', args: { skill_name: 'other' } },
    ],
  }
  test.each(['full', 'readOnDemand'])(
    'reads those and no others, with what their commands say, in the mode %s',
    async (contextMode) => {
      const place = withSkills({ allowScripts: true, contextMode })
      const opened = 'REQUIRED SKILLS: live\\. Load each with read_skill before you begin'
      const { code, out } = await runFile(place, FILE, [
        { expect: { lastUser: opened }, ...READS },
        { reply: { text: 'Done.' } },
      ])
      expect({ code, told: readings(out) }).toMatchObject({
        code: 0,
        told: [
          "  read_skill → 'read_skill' is offered to this run only for live.",
          '  read_skill → Say: one two',
        ],
      })
      expect(out).not.toContain('Not for it.')
    },
  )

  test('finds them in its system text where that shows them, and can read them all the same', async () => {
    const place = withSkills({ contextMode: 'full' })
    const expectation = {
      lastUser: 'REQUIRED SKILLS: live\\. Their instructions are in your system text',
      system: '## live',
    }
    const { code, out } = await runFile(place, FILE, [
      { expect: expectation, ...READS },
      { reply: { text: 'Done.' } },
    ])
    expect({ code, told: readings(out) }).toMatchObject({
      code: 0,
      told: [
        "  read_skill → 'read_skill' is offered to this run only for live.",
        '  read_skill → Say: (not run: skills.allowScripts is off)',
      ],
    })
    expect(await eventsOf(place, 'run-started')).toMatchObject([
      // With a list of tools of its own, because main's has no read_skill.
      { setup: expect.any(Object) as object, skillsIn: 'system' },
    ])
  })

  test('and is isolated begins with those alone, as their commands say', async () => {
    const place = withSkills({ allowScripts: true, contextMode: 'full' })
    const reminders = ['add_reminder', 'list_reminders', 'cancel_reminder']
    const told = ['report_updates', 'ping_user', 'send_embed', ...reminders, 'todo']
    const tools = ['read_skill', ...told, 'help', 'read', 'glob', 'grep']
    const { code } = await runFile(place, FILE.replace('skills', 'isolated: true\nskills'), [
      {
        expect: { system: '## live\nSay: <data source="SKILL-COMMAND">\none two\n</data>\n\n$', tools },
        reply: { text: 'Done.' },
      },
    ])
    expect(code).toBe(0)
  })
})
