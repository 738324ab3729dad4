import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noteDamage, notedDamage } from '../src/log/damage.ts'
import { LogError } from '../src/log/log.ts'
import { takeWriterLock } from '../src/log/writer-lock.ts'
import { importExport } from '../src/runtime/store/import-export.ts'
import type { Line } from '../src/runtime/store/lines.ts'
import {
  copyFixture,
  fixtureHome,
  FIXTURES,
  openOtherWriter,
  run,
  collect,
  runProcess,
  start,
  startBusyWriter,
  tempFolder,
  type Ran,
} from './cli/run.ts'

const EXPORT = readFileSync(join(FIXTURES, 'format-1', 'format-1.jsonl'), 'utf8')
const HELLO = JSON.stringify([{ role: 'user', content: 'hello' }])
const READERS = [['log'], ['agents'], ['export'], ['doctor'], ['status']]
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const canMount = isRoot && mounts()

describe('an import into a home with little room', () => {
  test('[LOG2] what cannot be moved from the journal into the file is not taken for imported', async () => {
    const home = tempFolder()
    let reader: DatabaseSync | undefined
    async function* lines(): AsyncGenerator<Line> {
      for (const [index, text] of EXPORT.trimEnd().split('\n').entries()) yield { number: index + 1, text }
      // A snapshot of the unfinished log, held to the end, keeps SQLite from emptying the journal.
      reader = new DatabaseSync(join(home, 'log.db.importing'), { readOnly: true })
      reader.exec('BEGIN')
      reader.prepare('SELECT count(*) FROM event').get()
    }
    const outcome = await importExport({ home, lines: lines() }).catch((error: unknown) => error)
    reader?.close()
    expect(outcome).toBeInstanceOf(LogError)
    expect((outcome as LogError).message).toContain('its journal cannot be written into it')
    expect(readdirSync(home)).toEqual(['log.db.lock'])
  })

  test.skipIf(!canMount)('[LOG2] on a disk of any size: a whole log, or a refusal and none', async () => {
    const input = longExport(2_500)
    const outcomes = { done: 0, refused: 0 }
    for (let kilobytes = 512; kilobytes <= 4_096; kilobytes += 256) {
      const home = smallDisk(kilobytes)
      const { code, out, err } = await run(['import', '-'], { home, input })
      if (code === 0) {
        outcomes.done++
        expect(out).toMatch(/^Imported 2,501 events\.\n/)
        expect((await run(['export'], { home })).out.startsWith(input)).toBe(true)
      } else {
        outcomes.refused++
        expect({ kilobytes, err }).toEqual({ kilobytes, err: expect.stringContaining('no room left') })
        expect(existsSync(join(home, 'log.db'))).toBe(false)
      }
    }
    expect(Math.min(outcomes.done, outcomes.refused)).toBeGreaterThan(0)
  })
})

test.skipIf(!canMount)(
  '[OWNER1] beside a serve whose disk is full a question says what it waits for, and goes on when there is room',
  async () => {
    const home = smallDisk(8_192)
    const environment = { MAINSTEM_MODEL: 'offline' }
    const serve = start(['serve', '--port', '0'], { home, environment })
    const [told, failed, closed] = [collect(serve.stdout), collect(serve.stderr), once(serve, 'close')]
    onTestFinished(async () => {
      serve.kill('SIGKILL')
      await closed
    })
    await expect.poll(told).toContain('Ready at')
    const ballast = join(home, 'ballast')
    expect(() => {
      for (;;) writeFileSync(ballast, 'x'.repeat(4_096), { flag: 'a' })
    }).toThrow('ENOSPC')
    const child = start(['-p', `Say hello. ${'word '.repeat(20_000)}`], { home, environment })
    child.stdin?.end()
    const [out, err, ended] = [collect(child.stdout), collect(child.stderr), once(child, 'close')]
    await expect.poll(err).toContain('no room left')
    rmSync(ballast)
    expect(await ended).toEqual([0, null])
    expect(out()).not.toBe('')
    expect(serve.exitCode).toBe(null)
    expect(told() + failed()).toContain('no room left')
    expect(told() + failed()).not.toMatch(/^\s+at /m)
  },
)

test('a writer at work is never taken for damage', async () => {
  const home = fixtureHome()
  await startBusyWriter(home)
  const check = async (): Promise<Ran[]> => [await run(['export'], { home }), await run(['doctor'], { home })]
  for (let round = 0; round < 8; round++) {
    for (const { code, err } of (await Promise.all([check(), check(), check()])).flat())
      expect({ code, err }).toEqual({ code: 0, err: '' })
  }
  expect(notedDamage(join(home, 'log.db'))).toBeUndefined()
})

test('a writer at work is not locked out by damage that another process finds', async () => {
  const home = fixtureHome()
  const writer = await openOtherWriter(home)
  await writer.say('before')
  const db = new DatabaseSync(join(home, 'log.db'), { timeout: 2_000 })
  db.exec('UPDATE event SET checksum = checksum + 1 WHERE position = 7')
  db.close()
  expect((await run(['doctor'], { home })).code).toBe(1)
  expect(notedDamage(join(home, 'log.db'))).toBeUndefined()
  await writer.close()
  expect((await run(['doctor'], { home })).code).toBe(1)
  expect(notedDamage(join(home, 'log.db'))).toContain('event 7 cannot be read')
})

describe.skipIf(!isRoot)(
  'a home where nothing can be written (only root can try this as another user)',
  () => {
    test.each(READERS)('is read: %s', async (...args) => {
      const { code, err } = await runProcess(args, { home: readOnlyHome(), uid: NOBODY })
      expect({ code, err }).toEqual({ code: 0, err: '' })
    })

    test('with an empty journal it is read too', async () => {
      const home = readOnlyHome((file) => writeFileSync(`${file}-wal`, ''))
      expect(await runProcess(['export'], { home, uid: NOBODY })).toEqual({ code: 0, out: EXPORT, err: '' })
    })

    test('doctor says which check it could not do', async () => {
      const { out } = await runProcess(['doctor'], { home: readOnlyHome(), uid: NOBODY })
      expect(out).toMatch(/^skipped {2}tables {4}not compared, .* permission denied, open '.*log\.db\.lock'/m)
    })

    test.each(READERS)('with a journal that cannot be used it says to copy the home: %s', async (...args) => {
      const home = readOnlyHome(leaveJournal)
      const { code, out, err } = await runProcess(args, { home, uid: NOBODY })
      expect(code).toBe(1)
      expect(out + err).toContain('Copy the whole home elsewhere first')
    })
  },
)

describe('a log whose first pages are damaged', () => {
  test.each([
    ['all of the first', [0, 4_096]],
    ['its names of tables', [100, 4_096]],
    ['the end of those', [3_000, 4_096]],
  ])('export and doctor name another way out: %s', async (_, [from = 0, to = 0]) => {
    const home = fixtureHome()
    const file = join(home, 'log.db')
    writeFileSync(file, readFileSync(file).fill(0xa5, from, to))
    const exported = await run(['export'], { home })
    expect(exported.code).toBe(1)
    const examined = await run(['doctor'], { home })
    expect({ code: examined.code, err: examined.err }).toEqual({ code: 1, err: '' })
    expect(examined.out).toMatch(/^problem {2}file {6}the log .* is damaged at its beginning/)
    for (const told of [exported.err, examined.out]) {
      expect(told).toContain(
        "Restore the home from a copy; without one, copy this file elsewhere and try 'sqlite3",
      )
      expect(told).not.toMatch(/mainstem (?:export|doctor)/)
      expect(told).not.toMatch(/^\s+at /m)
    }
  })
})

describe('the lock', () => {
  test('[LOG4] a log with two names has one writer', async () => {
    const home = fixtureHome()
    const folder = tempFolder()
    const [linkedHome, linkedLog] = [join(folder, 'link'), join(folder, 'home')]
    symlinkSync(home, linkedHome)
    mkdirSync(linkedLog)
    symlinkSync(join(home, 'log.db'), join(linkedLog, 'log.db'))
    const writer = await openOtherWriter(home)
    for (const name of [linkedHome, linkedLog]) {
      const { code, err } = await run(['import', '-'], { home: name, input: HELLO })
      expect(code).toBe(3)
      expect(err).toContain(`in use by 'other writer' (process ${writer.pid}`)
    }
    await writer.close()
    expect((await run(['import', '-'], { home: linkedLog, input: HELLO })).code).toBe(0)
    expect(readdirSync(linkedLog)).toEqual(['log.db'])
  })

  test('[LOG4] also before the log is there', async () => {
    const folder = tempFolder()
    const real = join(folder, 'real.db')
    for (const name of ['a', 'b']) {
      mkdirSync(join(folder, name))
      symlinkSync('../real.db', join(folder, name, 'log.db'))
    }
    await openOtherWriter(join(folder, 'a'))
    expect((await run(['import', '-'], { home: join(folder, 'b'), input: HELLO })).code).toBe(3)
    expect(existsSync(real)).toBe(true)
  })

  test('an import through a link leaves the link', async () => {
    const folder = tempFolder()
    const home = join(folder, 'home')
    mkdirSync(home)
    symlinkSync('../real.db', join(home, 'log.db'))
    expect((await run(['import', '-'], { home, input: EXPORT })).code).toBe(0)
    expect(readdirSync(home)).toEqual(['log.db'])
    expect(readdirSync(folder).toSorted()).toEqual(['home', 'real.db', 'real.db.lock'])
  })

  test('a lock that cannot be taken for another reason is not called in use', async () => {
    const home = fixtureHome()
    mkdirSync(join(home, 'log.db.lock'))
    for (const input of [HELLO, EXPORT]) {
      const { code, err } = await run(['import', '-'], { home, input })
      expect(code).toBe(1)
      expect(err).toMatch(/the lock .*log\.db\.lock cannot be taken/)
      expect(err).not.toContain('in use')
    }
    expect((await run(['doctor'], { home })).code).toBe(0)
  })

  test('its own errors are those of a log', () => {
    const holder = { command: 'test', pid: 1, since: 1 }
    expect(() => takeWriterLock('/nowhere/log.db', holder)).toThrow(LogError)
    expect(() => takeWriterLock('/nowhere/log.db', holder)).toThrow('Check that its directory exists')
  })

  test('[LOG4] a second try in the process that holds it does not let others in', async () => {
    const home = fixtureHome()
    const file = join(home, 'log.db')
    const lock = takeWriterLock(file, { command: 'first', pid: process.pid, since: 1 })
    onTestFinished(() => lock.release())
    expect(() => takeWriterLock(file, { command: 'second', pid: process.pid, since: 1 })).toThrow(
      "in use by 'first'",
    )
    const { code, err } = await run(['import', '-'], { home, input: HELLO })
    expect(code).toBe(3)
    expect(err).toContain("in use by 'first'")
  })

  test.skipIf(!isRoot)(
    '[LOG4] a lock that may only be read is not taken (only root can try this)',
    async () => {
      const home = fixtureHome()
      chmodSync(join(home, '..'), 0o755)
      for (const file of [home, join(home, 'log.db')]) chownSync(file, NOBODY, NOBODY)
      writeFileSync(join(home, 'log.db.lock'), '', { mode: 0o644 })
      const { code, err } = await runProcess(['import', '-'], { home, input: HELLO, uid: NOBODY })
      expect(code).toBe(1)
      expect(err).toMatch(/the lock .*log\.db\.lock cannot be taken: EACCES/)
    },
  )
})

describe('what lies beside the log', () => {
  test.each([HELLO, EXPORT])(
    'the note of a log that is gone does not stand against the next one',
    async (input) => {
      const home = fixtureHome()
      noteDamage(join(home, 'log.db'), 'event 7 does not match its checksum')
      rmSync(join(home, 'log.db'))
      expect((await run(['import', '-'], { home, input })).code).toBe(0)
      expect((await run(['import', '-'], { home, input: HELLO })).code).toBe(0)
      expect(readdirSync(home).toSorted()).toEqual(['log.db', 'log.db.lock'])
    },
  )

  test.each([HELLO, EXPORT])("is the owner's alone, also in a home that all may read", async (input) => {
    const home = tempFolder()
    chmodSync(home, 0o755)
    await run(['import', '-'], { home, input })
    await openOtherWriter(home)
    const modes = readdirSync(home).map((name) => [name, statSync(join(home, name)).mode & 0o777])
    const names = ['log.db', 'log.db-shm', 'log.db-wal', 'log.db.holder.json', 'log.db.lock']
    expect(modes).toEqual([...names, 'log.db.lock-journal'].map((name) => [name, 0o600]))
  })

  test.each([...READERS, ['import', '-']])('a directory in its place is called one: %s', async (...args) => {
    const home = tempFolder()
    mkdirSync(join(home, 'log.db'))
    const { code, out, err } = await run(args, { home, input: HELLO })
    expect(code).toBe(1)
    expect(out + err).toContain('log.db is a folder, not a file')
  })
})

test.skipIf(!existsSync('/dev/full')).each(['log', 'export', 'agents', 'doctor', 'tour'])(
  'an output that takes no more gets a sentence: %s',
  async (command) => {
    const { code, err } = await runProcess([command], { home: fixtureHome(), outTo: '/dev/full' })
    expect(code).toBe(1)
    expect(err).toMatch(/^mainstem: Could not write the output, so it is incomplete: ENOSPC.*\.\n$/)
  },
)

function mounts(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mainstem-test-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    rmdirSync(folder)
  }
}

function smallDisk(kilobytes: number): string {
  const folder = tempFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=700`, 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', [folder]))
  return folder
}

function readOnlyHome(prepare?: (file: string) => void): string {
  const home = join(tempFolder(), 'home')
  mkdirSync(home)
  const file = join(home, 'log.db')
  copyFixture(home)
  prepare?.(file)
  chmodSync(join(home, '..'), 0o755)
  for (const name of readdirSync(home)) chmodSync(join(home, name), 0o644)
  chmodSync(home, 0o555)
  return home
}

/** As after a crash, of which the shared memory did not survive. */
function leaveJournal(file: string): void {
  const db = new DatabaseSync(file)
  db.exec("PRAGMA journal_mode = WAL; UPDATE meta SET value = '0.1.1'")
  cpSync(`${file}-wal`, `${file}-kept`)
  db.close()
  cpSync(`${file}-kept`, `${file}-wal`)
  rmSync(`${file}-kept`)
}

/** The first line of the fixture, and messages of its branch. */
function longExport(events: number): string {
  const [first = ''] = EXPORT.split('\n')
  const { branch, at } = JSON.parse(first) as { branch: string; at: string }
  const messages = Array.from({ length: events }, (_, index) =>
    JSON.stringify({
      position: index + 2,
      at,
      branch,
      kind: 'message-added',
      v: 1,
      turn: null,
      message: { role: 'user', text: `message ${index} ${'words '.repeat(40)}` },
      tokens: 2,
    }),
  )
  return [first, ...messages, ''].join('\n')
}
