import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { exportToFile } from '../src/runtime/store/export.ts'
import { kinds } from '../src/event/event.ts'
import { catalogue } from '../src/command/read/catalogue.ts'
import { helpText } from '../src/command/read/help-text.ts'
import { LOG_FORMAT, PROGRAM_VERSION } from '../src/event/format.ts'
import { collect, fixtureHome, openOtherWriter, run, runProcess, start, tempFolder } from './cli/run.ts'

const EXPORT = readFileSync(new URL('fixtures/logs/format-1/format-1.jsonl', import.meta.url), 'utf8')
const EVENTS = EXPORT.trimEnd().split('\n').length

const ask = (...flags: string[]) =>
  run([...flags, '--yes', '-p', '/model ollama/x'], { home: join(tempFolder(), 'home') })

/** Lines that end although the first word of the line that continues them has room. */
function brokenEarly(text: string, columns: number): string[] {
  const lines = text.split('\n')
  return lines.filter((line, index) => {
    const [, indent = '', word = ''] = /^( *)(\S*)/.exec(lines[index + 1] ?? '') ?? []
    const isContinued =
      indent === '' ? /^\S/.test(line) && !/^(?:Also|Example):/.test(word) : indent.length > 2
    return word !== '' && line !== '' && isContinued && line.length + 1 + word.length <= columns
  })
}

describe('the command line', () => {
  test('status says where everything is and which model answers, and creates nothing', async () => {
    const home = join(tempFolder(), 'home')
    const { code, out, err } = await run(['status'], { home })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    for (const text of ['Mainstem', home, 'none yet', 'Model  offline']) expect(out).toContain(text)
    expect(existsSync(home)).toBe(false)
  })

  test('status tells what is in the log, and leaves no file beside it', async () => {
    const home = fixtureHome()
    const { code, out } = await run(['--home', home, 'status'])
    expect(code).toBe(0)
    expect(out).toContain(`${EVENTS} events in 6 branches`)
    expect(out).toContain('This turn is still running.')
    expect(readdirSync(home)).toEqual(['log.db'])
  })

  test('status notes skills that are refused, updates that wait, and that nothing is asked', async () => {
    const home = join(tempFolder(), 'home')
    await run(['-p', 'hello'], { home })
    expect((await run(['status'], { home })).out).not.toContain('Note')
    mkdirSync(join(home, 'skills', 'broken'), { recursive: true })
    writeFileSync(join(home, 'skills', 'broken', 'SKILL.md'), '---\nname: broken\ndescription: x\n---\nx')
    writeFileSync(join(home, 'skills', 'broken', 'tools.json'), '{')
    await run(['config', 'set', 'permissions', 'bypassPermissions'], { home })
    await run(['config', 'set', 'sandbox', 'off'], { home })
    await run(['mcp', 'add', 'demo', '--', 'demo'], { home })
    leaveUpdate(home, 'one')
    leaveUpdate(home, 'two')
    // Taken in, and nothing is asked: they wait in the log.
    await run(['-p', '/mark A'], { home })
    const { code, out } = await run(['status'], { home })
    expect(code).toBe(0)
    expect(out).toMatch(/^Note   the skill broken is not loaded: \S/m)
    expect(out).toMatch(/^Note   programs run without a box, .*: sandbox is off$/m)
    expect((await run(['doctor'], { home })).out).toMatch(/^skipped  box  .*: sandbox is off$/m)
    expect(out).toMatch(/^Note   permission mode is bypassPermissions: every call runs without asking$/m)
    expect(out).toMatch(/^Note   2 updates wait for the next turn of main$/m)
    await run(['-p', 'What is new?'], { home })
    expect((await run(['status'], { home })).out).not.toContain('for the next turn')
  })

  test.each([
    ['--version', 0],
    ['lgo', 2],
    ['export', 1],
  ])('a process that is asked for %s ends by itself with %i', async (word, code) => {
    expect(await runProcess([word])).toMatchObject({ code })
  })

  test.each([
    [['lgo'], "Unknown command 'lgo'; did you mean 'log'?"],
    [['x'], "Unknown command 'x'."],
    [['log', '--knd', 'x'], "'--knd'; did you mean '--kind'?"],
    [['log', '--kind', 'mark'], "There is no kind 'mark'; did you mean 'mark-set'?"],
    [['log', '--kind'], "'--kind <value>' argument missing"],
    [['log', '--since', 'yesterday'], "Could not read 'yesterday' as a time"],
    [['log', '--since', '2025-02-31'], "Could not read '2025-02-31' as a time"],
    [['log', 'more'], 'does not take "more"'],
    [['log', '--branch', 'ab'], 'too short'],
    [['import'], 'Missing FILE. Usage: mainstem import FILE'],
    [['--hom', 'x'], "There is no option '--hom'"],
    [['log', '--home='], '--home needs a directory'],
    [['help', 'exprot'], "did you mean 'export'?"],
    [['help', 'permisions'], "Unknown command 'permisions'; did you mean '/permissions'?"],
    [['allow', 'write'], `'/allow' is a command of the conversation: mainstem -p "/allow write"`],
    [['status', 'x'], `'mainstem status' does not take "x". Usage: mainstem status [--json].`],
  ])('what is not understood is explained, exit code 2: %s', async (args, told) => {
    const { code, out, err } = await run(args, { home: fixtureHome() })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(told)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  test('an unknown kind is answered with all kinds', async () => {
    const { err } = await run(['log', '--kind', 'nothing'], { home: fixtureHome() })
    for (const kind of kinds) expect(err).toContain(kind)
  })

  test.each(['log', 'agents', 'export', 'doctor'])(
    '%s without a log fails and makes none',
    async (command) => {
      const home = join(tempFolder(), 'home')
      const { code, err } = await run([command], { home })
      expect(code).toBe(1)
      expect(err).toContain('there is no log at')
      expect(existsSync(home)).toBe(false)
    },
  )

  test('each command has help, by --help and by help', async () => {
    for (const command of ['tour', 'status', 'context', 'agents', 'log', 'config', 'doctor']) {
      const [asked, option, early] = await Promise.all([
        run(['help', command]),
        run([command, '--help']),
        run(['--help', command]),
      ])
      expect(asked).toMatchObject({ code: 0, err: '' })
      expect(asked.out).toContain(`Usage: mainstem ${command}`)
      expect(option).toEqual(asked)
      expect(early).toEqual(asked)
    }
  })

  test('every help screen fits into 80 columns, and breaks no line where the next word has room', async () => {
    const listed = await run(['help', 'commands'])
    const names = [...listed.out.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(20)
    for (const name of [...names, 'commands', 'help', ...catalogue.map((entry) => `/${entry.name}`)]) {
      const { out } = await run(['help', name], { columns: 80 })
      expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
      if (names.includes(name))
        expect(brokenEarly(out.replace(/^mainstem .*\n\nUsage: [^]*?\n\n/, ''), 80)).toEqual([])
    }
    for (const { name } of catalogue)
      expect(brokenEarly(helpText(name).replace(/^(?:\/.*\n)+/, ''), 78)).toEqual([])
  })

  test('help log wraps its list of kinds, and continues it under its own text', async () => {
    const lines = (await run(['help', 'log'])).out.split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
    const first = lines.findIndex((line) => line.startsWith('  --kind K      only of this kind: '))
    expect(lines[first + 1]).toMatch(/^ {16}\S/)
    expect(lines.join(' ')).toContain('digest-sent')
  })

  test.each(['permissions', 'approve', 'allow', '/tools', 'memory', 'MAIL', '/recall'])(
    'help %s explains the command of the conversation',
    async (word) => {
      const { code, out, err } = await run(['help', word])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      const name = { MAIL: 'check-mail' }[word] ?? word.replace('/', '')
      expect(out).toContain(`'/${name}' is a command of the conversation: `)
      expect(out).toContain(helpText(name))
    },
  )

  test('a value of --model is said to come from there, and one of --set from there', async () => {
    expect((await ask('--model', 'offline')).out).toMatch(/model is set by --model, which overrides/i)
    expect((await ask('--set', 'model=offline')).out).toMatch(/model is set by --set, which overrides/i)
    expect((await ask('--set', 'model=x', '--model', 'offline')).err).toContain("model is 'x' in --set.")
  })

  test('--version names the program and the log format', async () =>
    expect((await run(['--version'])).out).toBe(`mainstem ${PROGRAM_VERSION} (log format ${LOG_FORMAT})\n`))

  test.each([['log'], ['agents'], ['export'], ['doctor'], []])(
    'a home that is a file is named, without a stack trace: %s',
    async (...args) => {
      const home = join(tempFolder(), 'file')
      writeFileSync(home, '')
      const { code, out, err } = await run(args, { home })
      expect(code).toBe(1)
      expect(out + err).toContain(`the home ${home} cannot be used: it is not a directory`)
      expect(out + err).not.toMatch(/^\s+at /m)
    },
  )

  test('a reader that goes away ends it quietly', async () => {
    const child = start(['export'], { home: fixtureHome() })
    const err = collect(child.stderr)
    child.stdout?.destroy()
    const [code] = (await once(child, 'close')) as [number]
    expect({ code, err: err() }).toEqual({ code: 0, err: '' })
  })
})

describe('log', () => {
  test('one line for each event: position, time, branch, kind, what happened', async () => {
    const { code, out } = await run(['log'], { home: fixtureHome() })
    const lines = out.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(lines).toHaveLength(EVENTS)
    expect(lines.every((line, index) => Number(line.slice(0, 4)) === index + 1)).toBe(true)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120)
    expect(lines[2]).toMatch(
      /^ +3 2025-11-15 08:00 ekbn3h message-added +user: Good morning\. What is on today\?$/,
    )
    expect(out).toContain("rewound to 'morning', 1 item kept")
    expect(out).not.toContain('\u001B')
  })

  test('text of others cannot steer the terminal', async () => {
    const home = tempFolder()
    const nasty = 'a\u001B[31mred\u001B]0;title\u0007\rb\u202Ec'
    await run(['import', '-'], { home, input: JSON.stringify([{ role: 'user', content: nasty }]) })
    const { out } = await run(['log'], { home })
    expect(out).toContain('red')
    for (const sign of ['\u001B', '\u0007', '\r', '\u202E']) expect(out).not.toContain(sign)
  })

  test('a branch is named by id, handle, or the beginning of a handle, in any case', async () => {
    const home = fixtureHome()
    const [full, ...others] = await Promise.all(
      ['br_1ka38fc42zqz8jr', 'zqz8jr', 'zqz', 'ZQZ8'].map((name) => run(['log', '--branch', name], { home })),
    )
    expect(full?.out.trimEnd().split('\n')).toHaveLength(11)
    for (const other of others) expect(other).toEqual(full)
  })

  test('main is the one main session, or the answer lists them', async () => {
    const { code, err } = await run(['log', '--branch', 'main'], { home: fixtureHome() })
    expect(code).toBe(1)
    expect(err).toContain('ekbn3h (main), hydz0k (main)')
    const home = tempFolder()
    await run(['import', '-'], { home, input: EXPORT.split('\n').slice(0, 100).join('\n') })
    const { out } = await run(['log', '--branch', 'main'], { home })
    expect(out).toMatch(/^ +1 2025-11-15 08:00 main {3}branch-created/)
  })

  test('kind, time and text narrow it down', async () => {
    const home = fixtureHome()
    const lines = async (...args: string[]) =>
      (await run(['log', ...args], { home })).out.split('\n').filter((line) => line !== '').length
    expect(await lines('--kind', 'mark-set')).toBe(4)
    expect(await lines('--grep', 'UMBRELLA')).toBe(1)
    expect(await lines('--grep', '"quotes", a\nnew')).toBe(1)
    expect(await lines('--since', '2h')).toBe(0)
    expect(await lines('--since', '2025-11-15')).toBe(EVENTS)
    expect(await lines('--since', '2025-11-15T08:02Z')).toBeLessThan(EVENTS)
  })

  test('--json gives the lines of an export', async () =>
    expect((await run(['log', '--json'], { home: fixtureHome() })).out).toBe(EXPORT))

  test('--follow sees each event of another process once, and Ctrl-C ends it well', async () => {
    const home = fixtureHome()
    const writer = await openOtherWriter(home)
    const child = start(['log', '--follow', '--json'], { home })
    const ended = once(child, 'close')
    const out = collect(child.stdout)
    const last = await Promise.all(Array.from({ length: 700 }, (_, index) => writer.say(`number ${index}`)))
    await expect.poll(out).toContain('number 699')
    await writer.say('after a pause')
    await expect.poll(out).toContain('after a pause')
    child.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    const seen = out()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { position: number }).position)
    expect(seen).toEqual(Array.from({ length: (last.at(-1) ?? 0) + 1 }, (_, index) => index + 1))
  })
})

describe('another process holds the log', () => {
  test('[LOG4] whoever would write is refused by the name of the holder, exit code 3', async () => {
    const home = fixtureHome()
    const writer = await openOtherWriter(home)
    const conversation = JSON.stringify([{ role: 'user', content: 'hello' }])
    for (const args of [
      ['import', '-'],
      ['doctor', '--rebuild'],
    ]) {
      const { code, err } = await run(args, { home, input: conversation })
      expect(code).toBe(3)
      expect(err).toContain(`in use by 'other writer' (process ${writer.pid}, since `)
    }
    expect((await run(['import', '-'], { home, input: EXPORT })).code).toBe(3)
  })

  test('reading commands work, and see what is durable', async () => {
    const home = fixtureHome()
    const writer = await openOtherWriter(home)
    await writer.say('fresh from the press')
    expect((await run(['log'], { home })).out).toContain('fresh from the press')
    expect((await run(['export'], { home })).out).toContain('fresh from the press')
    expect((await run(['agents'], { home })).out).toContain(', 1 message')
    expect((await run(['status'], { home })).out).toContain('fresh from the press')
  })

  test('doctor checks the rest and says who holds it', async () => {
    const home = fixtureHome()
    const writer = await openOtherWriter(home)
    const { code, out } = await run(['doctor'], { home })
    expect(code).toBe(0)
    expect(out).toContain(
      `skipped  tables    not compared: the log is in use by 'other writer' (process ${writer.pid}`,
    )
  })

  test('[LOG3] after kill -9 all that was acknowledged is there, and the log is free', async () => {
    const home = fixtureHome()
    const writer = await openOtherWriter(home)
    const position = await writer.say('the last words')
    await writer.kill()
    const conversation = JSON.stringify([{ role: 'user', content: 'hello' }])
    expect((await run(['import', '-'], { home, input: conversation })).code).toBe(0)
    const { out } = await run(['log'], { home })
    expect(out.split('\n')[position - 1]).toContain('the last words')
    expect((await run(['doctor'], { home })).code).toBe(0)
  })
})

describe('versions', () => {
  test.each([['log'], ['agents'], ['export'], ['doctor'], ['import', '-'], []])(
    '[LOG5] a newer log is refused and both versions are named: %s',
    async (...args) => {
      const home = fixtureHome()
      const db = new DatabaseSync(join(home, 'log.db'))
      db.exec("PRAGMA user_version = 99; UPDATE meta SET value = '9.9.9' WHERE key = 'written-by'")
      db.close()
      const before = readFileSync(join(home, 'log.db'))
      const input = JSON.stringify([{ role: 'user', content: 'hello' }])
      const { code, out, err } = await run(args, { home, input })
      expect(code).toBe(1)
      expect(out + err).toContain('written by mainstem 9.9.9 (log format 99)')
      expect(out + err).toContain(
        `this is mainstem ${PROGRAM_VERSION}, which knows formats up to ${LOG_FORMAT}`,
      )
      expect(readFileSync(join(home, 'log.db')).equals(before)).toBe(true)
    },
  )

  test('a file of another program is left alone', async () => {
    const home = tempFolder()
    const db = new DatabaseSync(join(home, 'log.db'))
    db.exec('CREATE TABLE theirs(a)')
    db.close()
    for (const command of ['log', 'doctor', 'export']) {
      const { code, err } = await run([command], { home })
      expect(code).toBe(1)
      expect(err).toContain('is not a Mainstem log')
    }
  })
})

describe('agents', () => {
  test('draws the tree of branches', async () => {
    const { out } = await run(['agents'], { home: fixtureHome() })
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/: (?:idle|ended|working|waiting).*/, ''))
    expect(lines).toEqual([
      'ekbn3h main',
      "├─ zqz8jr fork 'packing'",
      "│  └─ 0z2zxm fork 'shoes'",
      "├─ er6399 background 'news'",
      "└─ z2c8hn child 'child'",
      'hydz0k main',
    ])
    expect(out).toContain("fork 'packing': ended (saved), ")
    expect(out).toMatch(/hydz0k main: working for .* old, .* tokens spent, .* shown, .* messages?/)
  })

  test('--json tells the same', async () => {
    const { out } = await run(['agents', '--json'], { home: fixtureHome() })
    const agents = JSON.parse(out) as { handle: string; state: string; messages: number; marks: number }[]
    expect(agents).toHaveLength(6)
    expect(agents[0]).toMatchObject({ handle: 'ekbn3h', state: 'idle', messages: 38, marks: 2 })
    expect(agents[1]).toMatchObject({ state: 'ended', reason: 'saved' })
  })
})

describe('export to a file', () => {
  test("the file is the owner's alone, complete, and not overwritten unasked", async () => {
    const home = fixtureHome()
    const file = join(tempFolder(), 'out.jsonl')
    expect((await run(['export', file], { home })).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(EXPORT)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, 'mine')
    const refused = await run(['export', file], { home })
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('already exists')
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect((await run(['export', file, '--force'], { home })).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(EXPORT)
    expect(readdirSync(join(file, '..'))).toEqual(['out.jsonl'])
  })

  test('it is no file that somebody else made for it', async () => {
    const [home, file] = [fixtureHome(), join(tempFolder(), 'out.jsonl')]
    const theirs = `${file}.${process.pid}.unfinished`
    writeFileSync(theirs, 'theirs')
    chmodSync(theirs, 0o666)
    await exportToFile(home, { file, overwrite: 'refuse' })
    expect(readFileSync(file, 'utf8')).toBe(EXPORT)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(theirs, 'utf8')).toBe('theirs')
  })

  test('a folder that is not there is named', async () => {
    const { code, err } = await run(['export', '/nowhere/out.jsonl'], { home: fixtureHome() })
    expect(code).toBe(1)
    expect(err).toContain('/nowhere/out.jsonl')
    expect(err).not.toMatch(/^\s+at /m)
  })
})

test('the tour fits a screen of 80 columns and needs no home', async () => {
  const home = join(tempFolder(), 'home')
  const { code, out } = await run(['tour'], { home })
  const lines = out.trimEnd().split('\n')
  expect(code).toBe(0)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(lines.length).toBeGreaterThan(60)
  expect(lines.length).toBeLessThanOrEqual(100)
  expect(existsSync(home)).toBe(false)
})

function leaveUpdate(home: string, text: string): void {
  mkdirSync(join(home, 'updates'), { recursive: true })
  const name = Buffer.from(text).toString('hex').padEnd(32, '0')
  writeFileSync(join(home, 'updates', `${name}.json`), JSON.stringify({ text, source: 'test', at: 1 }))
}
