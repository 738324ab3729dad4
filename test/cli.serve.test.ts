import { once } from 'node:events'
import { chmodSync, copyFileSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../src/base/clock.ts'
import type { Event, EventOf, Kind } from '../src/event/event.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import { readOwner } from '../src/owner/owner-file.ts'
import { collect, fixtureHome, FIXTURES, run, runProcess, start, tempFolder } from './cli/run.ts'

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

interface Served {
  readonly pid: number
  readonly out: () => string
  /** Once it has printed this. */
  printed(text: RegExp): Promise<void>
  end(signal: NodeJS.Signals): Promise<number | null>
}

async function startServe(home: string, ...args: string[]): Promise<Served> {
  const child = start(['serve', '--port', '0', ...args], { home })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  const printed = async (text: RegExp): Promise<void> => {
    await expect.poll(() => out() + err()).toMatch(text)
  }
  await printed(/Ready at/)
  return {
    pid: child.pid ?? 0,
    out,
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
  const served = await startServe(home)
  expect(served.out()).toMatch(/Ready at http:\/\/127\.0\.0\.1:\d+, no jobs yet \(process \d+\)\n$/)
  const added = await run(['reminder', 'add', 'call mum', '--at', 'in 3 seconds'], { home })
  expect(added.out).toMatch(/^Reminder call-mum is set: .* \(reminders\/call-mum\.md\)\.\n$/)
  await served.printed(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d .*call mum/m)
  await untilGone(home, 'reminders/call-mum.md')
  expect(await eventsOf(home, 'job-fired')).toMatchObject([
    { what: 'reminder', job: 'call-mum', isLate: false },
  ])
  expect(await served.end('SIGTERM')).toBe(143)
})

test('[JOB1] a reminder that fell due after kill -9 fires once at the next start, late, and a file that is left over does not fire', async () => {
  const { home, due } = await killedBeforeTea(2_500)
  const [file, kept] = [placeOf(home, 'reminders/tea.md'), join(tempFolder(), 'tea.md')]
  copyFileSync(file, kept)
  await expect.poll(systemClock).toBeGreaterThan(due)

  const second = await startServe(home)
  await second.printed(/tea, please/)
  await untilGone(home, 'reminders/tea.md')
  expect(await eventsOf(home, 'job-fired')).toMatchObject([{ job: 'tea', isLate: true }])
  const told = (await eventsOf(home, 'message-added')).map(({ message }) => JSON.stringify(message))
  expect(
    told.filter((text) => text.includes('tea, please') && text.includes('[late: was scheduled for ')),
  ).toHaveLength(1)
  await second.end('SIGTERM')

  copyFileSync(kept, file)
  const third = await startServe(home)
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
  const served = await startServe(home)
  await served.printed(/All read\./)
  await served.end('SIGTERM')
  const [call] = await eventsOf(home, 'model-called')
  const tools = (await eventsOf(home, 'content-kept')).find(({ hash }) => hash === call?.tools)
  expect(JSON.parse(tools?.text ?? '[]')).toContainEqual(expect.objectContaining({ name: 'read_skill' }))
  const told = (await eventsOf(home, 'message-added')).filter(({ message }) => message.role === 'tool')
  expect(told.map(({ message }) => message.text)).toEqual([
    JSON.stringify({ text: 'Say: <data source="SKILL-COMMAND">\none two\n</data>' }),
  ])
})

/** A home where serve knew a reminder and died before it was due; on a slow machine it is given longer. */
async function killedBeforeTea(ms: number): Promise<{ home: string; due: number }> {
  const home = newHome()
  const served = await startServe(home)
  const due = systemClock() + ms
  putReminder(home, 'tea', due)
  await expect.poll(() => eventsOf(home, 'job-scheduled')).not.toEqual([])
  await served.end('SIGKILL')
  return (await eventsOf(home, 'job-fired')).length > 0 ? killedBeforeTea(ms * 4) : { home, due }
}

test('a file that is edited while it runs takes its new time at once', async () => {
  const home = newHome()
  const year = new Date(systemClock()).getUTCFullYear()
  put(home, 'routines/brief.md', '---\ncron: 0 5 1 1 *\n---\nbrief me\n')
  putReminder(home, 'tea', Date.UTC(year + 1, 5, 1))
  const served = await startServe(home)
  expect(served.out()).toContain(', 1 routine, 1 reminder; next is routine brief, ')
  writeFileSync(placeOf(home, 'routines/brief.md'), '---\ncron: 0 6 1 1 *\n---\nbrief me\n')
  putReminder(home, 'tea', systemClock() + 500)
  await served.printed(/tea, please/)
  const known = (await eventsOf(home, 'job-scheduled')).filter(({ job }) => job === 'brief')
  expect(known.map(({ schedule }) => schedule)).toEqual(['0 5 1 1 *', '0 6 1 1 *'])
  await served.end('SIGTERM')
})

test('[JOB2] a broken file is told once, with its line and reason, across two starts, and other jobs go on', async () => {
  const home = newHome()
  put(home, 'routines/broken.md', '---\ncron: 99 * * * *\n---\nx\n')
  const first = await startServe(home)
  await first.printed(/routines\/broken\.md, line 2: cron is '99 \* \* \* \*'/)
  await first.end('SIGTERM')
  putReminder(home, 'tea', systemClock() + 500)
  const second = await startServe(home)
  await second.printed(/tea, please/)
  expect(second.out()).not.toContain('broken.md')
  await second.end('SIGTERM')
  expect(await eventsOf(home, 'definition-judged')).toHaveLength(1)
  expect(await eventsOf(home, 'notices-told')).toHaveLength(1)
})

/** A home whose model answers the reminder that is due now, after so long. */
function slowHome(delayMs: number): string {
  const home = newHome()
  const script = join(home, 'script.json')
  writeFileSync(script, JSON.stringify([{ delayMs, reply: { text: 'Tea is ready.' } }]))
  writeFileSync(join(home, 'config.json'), JSON.stringify({ model: `scripted:${script}` }))
  putReminder(home, 'tea', systemClock() - 1_000)
  return home
}

async function answersIn(home: string): Promise<string[]> {
  const intents = await eventsOf(home, 'delivery-intended')
  return intents.filter(({ form }) => form === 'answer').map(({ text }) => text)
}

describe('a signal in the middle of a turn', () => {
  test('[TURN4] lets it finish', async () => {
    const home = slowHome(1_000)
    const served = await startServe(home)
    await expect.poll(() => eventsOf(home, 'model-called')).toHaveLength(1)
    expect(await served.end('SIGTERM')).toBe(143)
    expect(served.out()).toMatch(/ Stopping when 1 turn has finished, at the latest in 10 s\.\n/)
    expect(await answersIn(home)).toEqual(['Tea is ready.'])
    expect(readOwner(home)).toBeUndefined()
  })

  test('[TURN4] that is sent twice ends it at once, and the next start answers once', async () => {
    const home = slowHome(600_000)
    const served = await startServe(home)
    await expect.poll(() => eventsOf(home, 'model-called')).toHaveLength(1)
    process.kill(served.pid, 'SIGTERM')
    await served.printed(/Stopping/)
    expect(await served.end('SIGINT')).toBe(130)
    expect(await answersIn(home)).toEqual([])
    writeFileSync(join(home, 'script.json'), JSON.stringify([{ reply: { text: 'Tea at last.' } }]))
    const next = await startServe(home)
    await next.printed(/reminder tea: Tea at last\./)
    await next.end('SIGTERM')
    expect(await answersIn(home)).toEqual(['Tea at last.'])
    expect(await eventsOf(home, 'job-fired')).toHaveLength(1)
  })
})

test('[OWNER1] a second serve is refused with the code 3 and the name of the first', async () => {
  const home = newHome()
  const served = await startServe(home)
  const second = await run(['serve', '--port', '0'], { home })
  expect({ code: second.code, out: second.out }).toEqual({ code: 3, out: '' })
  expect(second.err).toMatch(
    new RegExp(
      `^mainstem: 'mainstem serve' \\(process ${served.pid}, since .*\\) serves this home already\\.`,
    ),
  )
  expect(await served.end('SIGINT')).toBe(130)
})

describe('what only a person can mend has the exit code 78', () => {
  test('a port that another program uses is named, and how to choose another', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const home = newHome()
    const { code, err } = await runProcess(['serve', '--port', String(port)], { home })
    expect(code).toBe(78)
    expect(err).toContain(`port ${port}: another program uses it`)
    expect(err).toContain('--port')
    expect(readOwner(home)).toBeUndefined()
  })

  test('a setting that is wrong, a home that others can write to, a log that is damaged', async () => {
    const home = newHome()
    writeFileSync(join(home, 'config.json'), '{"timezone": "Nowhere/Here"}')
    expect(await run(['serve'], { home })).toMatchObject({
      code: 78,
      err: expect.stringContaining('Nowhere'),
    })
    writeFileSync(join(home, 'config.json'), '{}')
    writeFileSync(join(home, 'log.db'), 'this is no log')
    expect(await run(['serve'], { home })).toMatchObject({ code: 78 })
    chmodSync(home, 0o777)
    expect(await run(['serve'], { home })).toMatchObject({
      code: 78,
      err: expect.stringContaining('chmod 700'),
    })
  })

  test('an option that is wrong is refused before anything begins', async () => {
    const home = newHome()
    for (const [option, word] of [
      ['--model', 'no such'],
      ['--port', 'many'],
      ['--host', 'a b'],
    ] as const) {
      const { code, err } = await run(['serve', option, word], { home })
      expect(code).toBe(1)
      expect(err).toContain(`${option}: `)
    }
    expect((await run(['serve', '--log-format', 'xml'], { home })).code).toBe(2)
    expect(existsSync(join(home, 'log.db'))).toBe(false)
  })
})

test('--log-format json prints one object a line, with the messages of jobs and without secrets', async () => {
  const home = newHome()
  putReminder(home, 'tea', systemClock() - 1_000)
  const key = 'sk-a-secret-of-somebody'
  writeFileSync(join(home, '.env'), `ANTHROPIC_API_KEY=${key}\n`, { mode: 0o600 })
  const served = await startServe(home, '--log-format', 'json')
  await served.printed(/reminder tea: /)
  const [, url = ''] = /Ready at (http:\S+),/.exec(served.out()) ?? []
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ isAlive: true })
  await fetch(`${url}/api/hello?x=${key}`, { headers: { authorization: `Bearer ${key}` } })
  await served.printed(/"status":401/)
  await served.end('SIGTERM')
  const lines = served.out().trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toContain('warn')
  expect(served.out()).not.toContain(key)
})

test('host, port and logLevel say where it listens and what it logs; LOG_LEVEL warn has no word of readiness', async () => {
  const home = newHome()
  const free = createServer().listen(0, '127.0.0.2')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => free.close(resolve))
  const settings = { host: '127.0.0.2', port, logLevel: 'warn' }
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings))
  const child = start(['serve', '--log-format', 'json'], { home })
  onTestFinished(() => void child.kill('SIGKILL'))
  const out = collect(child.stdout)
  const asked = async (path: string): Promise<number | undefined> => {
    const sent = request({ host: '127.0.0.2', port, path, headers: { host: `localhost:${port}` } }).end()
    const [response] = (await once(sent, 'response').catch(() => [])) as [IncomingMessage?]
    response?.resume()
    return response?.statusCode
  }
  await expect.poll(() => asked('/healthz')).toBe(200)
  expect(await asked('/metrics')).toBe(401)
  await expect
    .poll(out)
    .toMatch(/^\{"level":"warn",.*"path":"\/metrics","status":401,"ms":\d+,"msg":"request"\}\n$/)
  child.kill('SIGTERM')
})

test('it goes on when nobody reads what it prints', async () => {
  const home = newHome()
  const child = start(['serve', '--port', '0'], { home })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout?.destroy()
  await expect.poll(() => readOwner(home)?.pid).toBe(child.pid)
  putReminder(home, 'tea', systemClock() - 1_000)
  await untilGone(home, 'reminders/tea.md')
  child.kill('SIGTERM')
  // As for every command: a reader that is gone is no failure.
  expect(await closed).toEqual([0, null])
})

test('a start after a while says since when nothing ran; a restart says nothing', async () => {
  const home = fixtureHome()
  const served = await startServe(home)
  expect(served.out()).toMatch(/ I was away from \S+ \d{4}-\d\d-\d\d \d\d:\d\d to \d\d:\d\d/)
  await served.end('SIGTERM')
  const again = await startServe(home)
  expect(again.out()).not.toContain('I was away')
  await again.end('SIGTERM')
})

test('[LOG5] it starts on a log of the release before, whose tables are of another version', async () => {
  const home = newHome()
  copyFileSync(join(FIXTURES, 'format-8', 'log.db'), join(home, 'log.db'))
  const served = await startServe(home)
  expect(await served.end('SIGTERM')).toBe(143)
})
