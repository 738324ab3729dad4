import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run, runProcess, start, tempFolder } from './cli/run.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

/** A home that was used before. */
async function usedHome(): Promise<string> {
  const home = join(tempFolder(), 'home')
  await run(['-p', 'hello'], { home })
  return home
}

test.skipIf(process.platform !== 'linux')('a home that cannot exist is an error', async () => {
  const { code, err } = await runProcess(['-p', 'hello'], { home: '/proc/mainstem/home' })
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining('/proc/mainstem/home cannot be used'),
  })
})

type Special = 'pipe' | 'device' | 'socket' | 'folder'

async function put(kind: Special, path: string): Promise<void> {
  rmSync(path, { force: true, recursive: true })
  mkdirSync(dirname(path), { recursive: true })
  if (kind === 'pipe') execFileSync('mkfifo', [path])
  if (kind === 'device') symlinkSync('/dev/zero', path)
  if (kind === 'folder') mkdirSync(path)
  if (kind !== 'socket') return
  const server = createServer().listen(path)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
}

describe('a special file where the home has a file', () => {
  test.each([
    ['workspace/AGENTS.md', 'pipe'],
    ['workspace/AGENTS.md', 'device'],
    ['workspace/AGENTS.md', 'socket'],
    ['workspace/AGENTS.md', 'folder'],
    ['config.json', 'pipe'],
    ['config.json', 'device'],
    ['.env', 'pipe'],
    ['log.db', 'pipe'],
    ['log.db', 'device'],
    ['log.db', 'folder'],
    ['log.db-wal', 'pipe'],
    ['log.db.lock', 'pipe'],
    ['processes', 'pipe'],
    ['processes', 'folder'],
  ] as const)('[SAFE7] %s as a %s ends the start with what it is and what to do', async (name, kind) => {
    const home = await usedHome()
    await put(kind, join(home, name))
    const { code, err } = await run(['-p', 'hello'], { home })
    expect(code).toBe(1)
    expect(err).toContain(join(home, name))
    expect(err).toContain(`is a ${kind}, not a file`)
    expect(err).toMatch(/move (?:it|the file) away/)
  })

  test.each([
    ['recall.db', 'pipe'],
    ['recall.db', 'device'],
    ['recall.db-wal', 'pipe'],
    ['workspace/memory.md', 'pipe'],
    ['workspace/todo.md', 'pipe'],
    ['workspace/routines/a.md', 'pipe'],
    ['log.db.holder.json', 'pipe'],
    ['log.db.damaged.txt', 'pipe'],
    ['todo.lock', 'pipe'],
  ] as const)('[SAFE7] %s as a %s keeps nobody waiting', async (name, kind) => {
    const home = await usedHome()
    await put(kind, join(home, name))
    const { out, err } = await run([], { home, input: '/recall hello\n/todo buy milk\n' })
    expect(out + err).toContain('hello')
  })

  test('[SAFE7] in a real process too: AGENTS.md as a pipe is refused, and nothing hangs', async () => {
    const home = await usedHome()
    await put('pipe', join(home, 'workspace/AGENTS.md'))
    const child = start(['serve', '--port', '0'], { home })
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code).toBe(1)
  })

  test('[SAFE7] a text that has no end is too large', async () => {
    const home = await usedHome()
    writeFileSync(join(home, 'workspace/AGENTS.md'), 'x'.repeat(1024 * 1024 + 1))
    expect((await run(['-p', 'hello'], { home })).err).toContain('AGENTS.md is larger than 1024 KiB')
  })
})

test('[SAFE7] the name of who holds a log is written through no link, and read through none', async () => {
  const home = await usedHome()
  const precious = join(tempFolder(), 'precious')
  writeFileSync(precious, 'mine')
  symlinkSync(precious, join(home, 'log.db.holder.json'))
  expect((await run(['-p', 'hello'], { home })).code).toBe(0)
  expect(readFileSync(precious, 'utf8')).toBe('mine')
  symlinkSync(precious, join(home, 'log.db.damaged.txt'))
  expect((await run(['-p', 'hello'], { home })).code).toBe(0)
})

describe('a home', () => {
  test('is made for its owner alone', async () => {
    const home = await usedHome()
    expect(statSync(home).mode & 0o777).toBe(0o700)
    expect(statSync(join(home, 'config.json')).mode & 0o777).toBe(0o600)
  })

  test.each([0o777, 0o770, 0o775, 0o1777])(
    '[SAFE7] that others can write to (mode %o) is refused with the command that closes it',
    async (mode) => {
      const home = await usedHome()
      chmodSync(home, mode)
      for (const args of [['-p', 'hello'], ['status'], ['models']]) {
        const { code, err } = await run(args, { home })
        expect(code).toBe(1)
        expect(err).toContain(`chmod 700 ${home}`)
      }
      const { code, out } = await run(['doctor'], { home })
      expect(code).toBe(1)
      expect(out).toMatch(/^problem {2}home .*chmod 700 /m)
      expect((await run(['export'], { home })).code).toBe(0)
      chmodSync(home, 0o700)
      expect((await run(['-p', 'hello'], { home })).code).toBe(0)
    },
  )

  test('that others can read is used, unless they can write to a file in it', async () => {
    const home = await usedHome()
    chmodSync(home, 0o755)
    expect((await run(['-p', 'hello'], { home })).code).toBe(0)
    chmodSync(join(home, 'workspace/AGENTS.md'), 0o666)
    // The workspace is closed.
    expect((await run(['-p', 'hello'], { home })).code).toBe(0)
    chmodSync(join(home, 'workspace'), 0o755)
    expect((await run(['-p', 'hello'], { home })).err).toContain(`AGENTS.md, so they could`)
    chmodSync(home, 0o700)
    expect((await run(['-p', 'hello'], { home })).code).toBe(0)
  })

  test.each(['people/ana', 'people/ana/memory.md', 'people/ana/routines'])(
    '[SAFE7] whose %s others can write to is refused',
    async (path) => {
      const home = await usedHome()
      chmodSync(home, 0o755)
      mkdirSync(join(home, 'people/ana/routines'), { recursive: true })
      for (const folder of ['people', 'people/ana']) chmodSync(join(home, folder), 0o755)
      writeFileSync(join(home, 'people/ana/memory.md'), '- Ana likes figs\n', { mode: 0o600 })
      expect((await run(['status'], { home })).code).toBe(0)
      chmodSync(join(home, path), 0o777)
      expect((await run(['status'], { home })).err).toContain(`${join(home, path)}, so they could`)
    },
  )

  test.runIf(isRoot)('[SAFE7] that holds a file of another user is refused with the command', async () => {
    const home = await usedHome()
    chownSync(join(home, 'config.json'), NOBODY, NOBODY)
    const { code, err } = await run(['-p', 'hello'], { home })
    expect(code).toBe(1)
    expect(err).toContain(`sudo chown -h 0 ${join(home, 'config.json')}`)
    chownSync(join(home, 'config.json'), 0, 0)
    symlinkSync('/etc/passwd', join(home, 'link'))
    lchownSync(join(home, 'link'), NOBODY, NOBODY)
    expect((await run(['status'], { home })).code).toBe(1)
  })
})
