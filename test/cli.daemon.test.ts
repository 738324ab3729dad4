import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../src/base/clock.ts'
import type { Event, EventOf, Kind } from '../src/event/event.ts'
import { leaveOrder } from '../src/runtime/life/order-door.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import { collect, run, start, tempFolder } from './cli/run.ts'

function newHome(): string {
  const home = join(tempFolder(), 'home')
  mkdirSync(join(home, 'workspace', 'reminders'), { recursive: true })
  mkdirSync(join(home, 'workspace', 'routines'))
  writeFileSync(join(home, 'config.json'), JSON.stringify({ timezone: 'Europe/Berlin' }))
  return home
}

function placeOf(home: string, file: string): string {
  return join(home, 'workspace', file)
}

/** As if it had been there for an hour. */
function put(home: string, file: string, text: string): void {
  writeFileSync(placeOf(home, file), text)
  const before = (systemClock() - 3_600_000) / 1_000
  utimesSync(placeOf(home, file), before, before)
}

function putReminder(home: string, id: string, at: number): void {
  writeFileSync(
    placeOf(home, `reminders/${id}.md`),
    `---\nrun-at: ${new Date(at).toISOString()}\n---\n${id}, please\n`,
  )
}

interface Daemon {
  readonly out: () => string
  readonly err: () => string
  /** Once it has printed this. */
  printed(text: RegExp): Promise<void>
  end(signal: NodeJS.Signals): Promise<number | null>
}

async function startDaemon(home: string, ...args: string[]): Promise<Daemon> {
  const child = start(['daemon', ...args], { home })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  const printed = async (text: RegExp): Promise<void> => {
    await expect.poll(() => out() + err()).toMatch(text)
  }
  await printed(/ready/)
  return {
    out,
    err,
    printed,
    end: async (signal) => {
      child.kill(signal)
      return ((await closed) as [number | null])[0]
    },
  }
}

async function eventsOf<K extends Kind>(home: string, kind: K): Promise<EventOf<K>[]> {
  const log = openForReading(home)
  try {
    const events: Event[] = await Array.fromAsync(log.events({ kind }))
    return events as EventOf<K>[]
  } finally {
    await log.close()
  }
}

function untilGone(home: string, file: string): Promise<void> {
  return expect.poll(() => existsSync(placeOf(home, file))).toBe(false)
}

test('[JOB1] a reminder that another process sets fires within seconds and is printed, and its file goes', async () => {
  const home = newHome()
  const daemon = await startDaemon(home)
  expect(daemon.out()).toMatch(
    /^mainstem daemon: ready, no jobs yet\. Ctrl-C or SIGTERM \(process \d+\) stops it\.\n$/,
  )
  const added = await run(['reminder', 'add', 'call mum', '--at', 'in 3 seconds'], { home })
  expect(added.out).toMatch(/^Reminder call-mum is set: .* \(reminders\/call-mum\.md\)\.\n$/)
  await daemon.printed(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d .*call mum/m)
  await untilGone(home, 'reminders/call-mum.md')
  expect(await eventsOf(home, 'job-fired')).toMatchObject([
    { what: 'reminder', job: 'call-mum', isLate: false },
  ])
  expect(await daemon.end('SIGTERM')).toBe(143)
})

test('[JOB1] a reminder that fell due after kill -9 fires once at the next start, late, and a file that is left over does not fire', async () => {
  const { home, due } = await killedBeforeTea(2_500)
  const [file, kept] = [placeOf(home, 'reminders/tea.md'), join(tempFolder(), 'tea.md')]
  copyFileSync(file, kept)
  await expect.poll(systemClock).toBeGreaterThan(due)

  const second = await startDaemon(home)
  await second.printed(/tea, please/)
  await untilGone(home, 'reminders/tea.md')
  expect(await eventsOf(home, 'job-fired')).toMatchObject([{ job: 'tea', isLate: true }])
  const told = (await eventsOf(home, 'message-added')).map(({ message }) => JSON.stringify(message))
  expect(
    told.filter((text) => text.includes('tea, please') && text.includes('[late: was scheduled for ')),
  ).toHaveLength(1)
  await second.end('SIGTERM')

  copyFileSync(kept, file)
  const third = await startDaemon(home)
  await untilGone(home, 'reminders/tea.md')
  await third.end('SIGTERM')
  expect(await eventsOf(home, 'job-fired')).toHaveLength(1)
  expect(await eventsOf(home, 'model-called')).toHaveLength(1)
})

test('a reminder in main with a skill whose commands run is told of read_skill, and reads what they say', async () => {
  const home = newHome()
  const script = join(home, 'script.json')
  const expects = { lastUser: 'REQUIRED SKILLS: live\\. Load each with read_skill' }
  const calls = [{ tool: 'read_skill', args: { skill_name: 'live' } }]
  writeFileSync(script, JSON.stringify([{ expect: expects, calls }, { reply: { text: 'All read.' } }]))
  const skills = { allowScripts: true, contextMode: 'full' }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ model: `scripted:${script}`, skills }))
  mkdirSync(join(home, 'skills', 'live'), { recursive: true })
  writeFileSync(join(home, 'skills', 'live', 'SKILL.md'), '---\nname: live\n---\nSay: !`echo one two`\n')
  put(home, 'reminders/x.md', '---\nrun-at: 2026-03-01T09:00\nskills: live\n---\nDo it.')
  const daemon = await startDaemon(home)
  await daemon.printed(/All read\./)
  await daemon.end('SIGTERM')
  const [call] = await eventsOf(home, 'model-called')
  const tools = (await eventsOf(home, 'content-kept')).find(({ hash }) => hash === call?.tools)
  expect(JSON.parse(tools?.text ?? '[]')).toContainEqual(expect.objectContaining({ name: 'read_skill' }))
  const told = (await eventsOf(home, 'message-added')).filter(({ message }) => message.role === 'tool')
  expect(told.map(({ message }) => message.text)).toEqual([JSON.stringify({ text: 'Say: one two' })])
})

/** A home whose daemon knew a reminder and died before it was due; on a slow machine it is given longer. */
async function killedBeforeTea(ms: number): Promise<{ home: string; due: number }> {
  const home = newHome()
  const daemon = await startDaemon(home)
  const due = systemClock() + ms
  putReminder(home, 'tea', due)
  await expect.poll(() => eventsOf(home, 'job-scheduled')).not.toEqual([])
  await daemon.end('SIGKILL')
  return (await eventsOf(home, 'job-fired')).length > 0 ? killedBeforeTea(ms * 4) : { home, due }
}

test('a file that is edited while the daemon runs takes its new time at once', async () => {
  const home = newHome()
  const year = new Date(systemClock()).getUTCFullYear()
  put(home, 'routines/brief.md', '---\ncron: 0 5 1 1 *\n---\nbrief me\n')
  putReminder(home, 'tea', Date.UTC(year + 1, 5, 1))
  const daemon = await startDaemon(home)
  expect(daemon.out()).toContain('ready, 1 routine, 1 reminder; next is routine brief, ')
  writeFileSync(placeOf(home, 'routines/brief.md'), '---\ncron: 0 6 1 1 *\n---\nbrief me\n')
  putReminder(home, 'tea', systemClock() + 500)
  await daemon.printed(/tea, please/)
  const known = (await eventsOf(home, 'job-scheduled')).filter(({ job }) => job === 'brief')
  expect(known.map(({ schedule }) => schedule)).toEqual(['0 5 1 1 *', '0 6 1 1 *'])
  await daemon.end('SIGTERM')
})

test('[JOB2] a broken file is told once, with its line and reason, across two starts, and other jobs go on', async () => {
  const home = newHome()
  put(home, 'routines/broken.md', '---\ncron: 99 * * * *\n---\nx\n')
  const first = await startDaemon(home)
  await first.printed(/routines\/broken\.md, line 2: cron is '99 \* \* \* \*'/)
  await first.end('SIGTERM')
  putReminder(home, 'tea', systemClock() + 500)
  const second = await startDaemon(home)
  await second.printed(/tea, please/)
  expect(`${second.out()}${second.err()}`).not.toContain('broken.md')
  await second.end('SIGTERM')
  expect(await eventsOf(home, 'definition-judged')).toHaveLength(1)
  expect(await eventsOf(home, 'notices-told')).toHaveLength(1)
})

describe('beside a daemon', () => {
  test('[RECV1] run, pause and resume are handed over to it once, and its answers are told', async () => {
    const home = newHome()
    put(home, 'routines/brief.md', '---\ncron: 0 5 1 1 *\n---\nbrief me\n')
    const daemon = await startDaemon(home)
    const routine = (...args: string[]) => run(['routine', ...args], { home })
    const paused = await routine('pause', 'brief', '2h')
    expect(paused).toMatchObject({ code: 0, err: '' })
    expect(paused.out).toMatch(/^Routine brief is paused until .*, in 2 h\. /)
    expect((await routine('resume', 'brief')).out).toBe('Routine brief resumes.\n')
    const wrong = await routine('pause', 'brief', 'never')
    expect(wrong.code).toBe(1)
    expect(wrong.err).toMatch(/^mainstem: Nothing was paused\./)
    const ran = await routine('run', 'brief', '--wait')
    expect(ran.code).toBe(0)
    expect(ran.out).toMatch(
      /^Started routine brief as (\w{6})\.[^]*\n\[routine-bg:brief\] started as \1 [^]*\nFinished after /,
    )
    const [first] = await eventsOf(home, 'command-run')
    const again = join(home, 'orders', first?.source?.key ?? '')
    // Moved there whole: the daemon may look into the folder at any moment.
    writeFileSync(join(home, 'order'), JSON.stringify({ line: '/pause routine brief 2h', at: systemClock() }))
    renameSync(join(home, 'order'), again)
    await expect.poll(() => existsSync(again), { message: 'an order that was done is removed' }).toBe(false)
    const lines = (await eventsOf(home, 'command-run')).map(({ line }) => line)
    expect(lines).toEqual([
      '/pause routine brief 2h',
      '/resume routine brief',
      '/pause routine brief never',
      '/run routines/brief.md',
    ])
    expect(readdirSync(join(home, 'orders'))).toEqual([])
    const second = await routine('run', 'brief', '--model', 'offline')
    expect(second.code).toBe(3)
    expect(second.err).toContain('--model needs the log for itself')
    await daemon.end('SIGTERM')
  })

  test('a webhook is run there with its data, which its file must allow', async () => {
    const home = newHome()
    const head = '---\nfields:\n  branch: {type: string, enum: [main, next]}\n---\n'
    mkdirSync(placeOf(home, 'webhooks'))
    put(home, 'webhooks/build.md', `${head}Note {branch}.\n`)
    const daemon = await startDaemon(home)
    const data = JSON.stringify({ branch: 'main' })
    const ran = await run(['webhook', 'run', 'build', '--data', data], { home })
    expect(ran).toMatchObject({ code: 0, err: '' })
    expect(ran.out).toMatch(/^Started webhook build as \w{6}\./)
    const started = (await eventsOf(home, 'inbound-admitted')).find(({ source }) => source.from === 'host')
    expect(started?.text).toContain('Note main.')
    await leaveOrder(home, '/run webhooks/build.md {"branch": "evil"}')
    await expect.poll(() => eventsOf(home, 'command-run')).toHaveLength(2)
    expect((await eventsOf(home, 'command-run'))[1]).toMatchObject({
      isError: true,
      output: expect.stringContaining('webhooks/build.md: '),
    })
    await daemon.end('SIGTERM')
  })

  test('a second one and a chat are refused with the code 3 and what to do', async () => {
    const home = newHome()
    const daemon = await startDaemon(home, '--json')
    expect(JSON.parse(daemon.out())).toEqual({
      ready: { routines: 0, reminders: 0, webhooks: 0, next: null },
    })
    const second = await run(['daemon'], { home })
    expect({ code: second.code, out: second.out }).toEqual({ code: 3, out: '' })
    expect(second.err).toMatch(
      /in use by 'mainstem daemon' \(process \d+, .* Stop that one first, .* work beside both\.\n$/,
    )
    const chat = await run([], { home, input: 'hello\n' })
    expect(chat.code).toBe(3)
    expect(chat.err).toContain("in use by 'mainstem daemon'")
    putReminder(home, 'tea', systemClock() + 200)
    await daemon.printed(/"event":\{"form":"answer","text":"[^\n]*tea, please/)
    expect(await daemon.end('SIGINT')).toBe(130)
  })
})

test('a model that cannot be one is refused before anything begins', async () => {
  const home = newHome()
  const { code, err } = await run(['daemon', '--model', 'no such'], { home })
  expect(code).toBe(1)
  expect(err).toContain('--model: ')
  expect(existsSync(join(home, 'log.db'))).toBe(false)
})
