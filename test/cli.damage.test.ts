import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { noteDamage, notedDamage } from '../src/log/damage.ts'
import { LogError } from '../src/log/log.ts'
import { openSqliteStore } from '../src/log/sqlite.ts'
import { StoreLog } from '../src/log/store-log.ts'
import { exportLog } from '../src/runtime/store/export.ts'
import { projections } from '../src/runtime/home/open-log.ts'
import { fixtureHome, run, tempFolder } from './cli/run.ts'
import { rounds } from './rounds.ts'

const PAGE = 4_096
const HELLO = JSON.stringify([{ role: 'user', content: 'hello' }])

const WITHOUT_ROWS: readonly (readonly [string, (table: string) => string])[] = [
  ['deleted rows', (name) => `DELETE FROM ${name}`],
  ['deleted tables', (name) => `DROP TABLE ${name}`],
]

function changeTables(home: string, sql: (table: string) => string): void {
  const db = new DatabaseSync(join(home, 'log.db'))
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'derived%'").all()
  db.exec(tables.map(({ name }) => sql(String(name))).join(';'))
  db.close()
}

/** A log of a few hundred kilobytes, made once; and what it holds, line by line. */
let whole: Buffer
let lines: string[]

beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-test-'))
  const messages = Array.from({ length: 1_200 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index} ${'words '.repeat(20 + (index % 40))}`,
  }))
  await run(['import', '-'], { home, input: JSON.stringify(messages) })
  whole = readFileSync(join(home, 'log.db'))
  lines = (await run(['export'], { home })).out.trimEnd().split('\n')
  rmSync(home, { recursive: true })
})

describe('a damaged log', () => {
  test('is made of one with some hundred pages', () => {
    expect(whole.length).toBeGreaterThan(200_000)
    expect(lines).toHaveLength(1_202)
  })

  test('is not written to, and the refusal names the damage', async () => {
    const home = damagedHome(middleLeaves(3))
    const before = readFileSync(join(home, 'log.db'))
    const { code, err } = await run(['import', '-'], { home, input: HELLO })
    expect(code).toBe(1)
    expect(err).toMatch(/the log .* is damaged: .+ 'mainstem export' brings out every event that can be read/)
    expect(err).not.toMatch(/^\s+at /m)
    expect(readFileSync(join(home, 'log.db')).equals(before)).toBe(true)
  })

  test('export brings out exactly the readable events and names the others', async () => {
    const home = damagedHome(middleLeaves(3))
    const { code, out, err } = await run(['export'], { home })
    const readable = readableLines(home)
    expect(code).toBe(1)
    expect(out.trimEnd().split('\n')).toEqual(readable)
    const missing = lines.length - readable.length
    expect(missing).toBeGreaterThan(5)
    expect(missing).toBeLessThan(200)
    expect(err).toContain(
      `${readable.length.toLocaleString('en')} events could be read, ${missing} could not.`,
    )
    expect(positionsNamed(err)).toEqual(positionsWithout(readable))
  })

  test('doctor finds it, says where, and ends with 1', async () => {
    const home = damagedHome(middleLeaves(1))
    for (const args of [['doctor'], ['doctor', '--rebuild']]) {
      const { code, out } = await run(args, { home })
      expect(code).toBe(1)
      expect(out).toMatch(/^problem {2}structure /m)
      expect(out).toMatch(/^problem {2}events {4}\d+ of 1202 cannot be read/m)
      expect(out).toMatch(/^skipped {2}tables /m)
      expect(positionsNamed(out)).toEqual(positionsWithout(readableLines(home)))
    }
  })

  test('where the newest events are lost, it says that there may be more', async () => {
    const leaves = leavesOfEvents()
    const home = damagedHome([leaves.at(-1) as number])
    const { code, out, err } = await run(['export'], { home })
    expect(code).toBe(1)
    expect(err).toContain('newer events may be missing too')
    expect(out.trimEnd().split('\n')).toEqual(readableLines(home))
  })

  test('[LOG6] an event that was changed in the file is found out', async () => {
    const home = tempFolder()
    const file = join(home, 'log.db')
    const changed = Buffer.from(whole)
    const place = changed.indexOf('600 words')
    changed.write('6OO words', place)
    writeAll(file, changed)
    const { code, out } = await run(['doctor'], { home })
    expect(code).toBe(1)
    expect(out).toMatch(/^ok {7}structure /m)
    expect(out).toContain('position 602 (it does not match its checksum)')
    const exported = await run(['export'], { home })
    expect(exported.code).toBe(1)
    expect(exported.out.trimEnd().split('\n')).toEqual(lines.filter((_, index) => index !== 601))
    expect((await run(['log'], { home })).err).toContain('event 602 does not match its checksum')
    const refused = await run(['import', '-'], { home, input: HELLO })
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('event 602 cannot be read (it does not match its checksum)')
  })

  test('what was said in the readable part goes into a new home', async () => {
    const exported = await run(['export'], { home: damagedHome(middleLeaves(3)) })
    const home = tempFolder()
    const refused = await run(['import', '-'], { home, input: exported.out })
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(/position \d+ follows \d+; .* '--salvage' reads the messages/)
    expect(existsSync(join(home, 'log.db'))).toBe(false)
    const salvaged = await run(['import', '--salvage', '-'], { home, input: exported.out })
    expect(salvaged.code).toBe(0)
    const again = await run(['export'], { home })
    expect(texts(again.out)).toEqual(texts(exported.out))
    expect(texts(again.out).length).toBeGreaterThan(1_000)
    expect((await run(['doctor'], { home })).code).toBe(0)
  })

  test('a file that is no database at all gets a sentence', async () => {
    const home = tempFolder()
    writeAll(join(home, 'log.db'), Buffer.from('not a database, but long enough to look at. '.repeat(200)))
    for (const args of [['log'], ['export'], ['doctor'], ['agents'], ['import', '-']]) {
      const { code, out, err } = await run(args, { home, input: HELLO })
      expect(code).toBe(1)
      expect(out + err).toMatch(/is damaged(?: at its beginning)?: file is not a database/)
      expect(out + err).not.toMatch(/^\s+at /m)
    }
  })

  test('whatever the damage, export gives original lines in order and none that could be read is missing', async () => {
    const damage = fc.record({
      place: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }),
      pages: fc.integer({ min: 1, max: 4 }),
    })
    const home = tempFolder()
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        const broken = Buffer.from(whole)
        for (const { place, bytes, pages } of damages) {
          const start = PAGE + Math.floor(place * (whole.length - PAGE))
          for (let at = start; at < Math.min(whole.length, start + pages * PAGE); at += PAGE)
            broken.set(bytes.slice(0, whole.length - at), at)
        }
        writeAll(join(home, 'log.db'), broken)
        const got: string[] = []
        const { gaps } = await exportLog(home, (line) => void got.push(line.trimEnd())).catch(expectedError)
        const found = new Set(got)
        expect(got).toEqual(lines.filter((line) => found.has(line)))
        // It may find more than a look at each position does, where a page counts its rows wrongly.
        expect(readableLines(home).filter((line) => !found.has(line))).toEqual([])
        expect(gaps.length > 0 || got.length === lines.length).toBe(true)
      }),
      {
        numRuns: rounds(40),
        examples: [
          // The whole tree of events passes for its first few.
          [[{ place: 0, bytes: Uint8Array.of(13), pages: 1 }]],
          [[{ place: 0, bytes: Uint8Array.of(5, 0, 0, 1, 0), pages: 1 }]],
        ],
      },
    )
  })
})

describe('doctor', () => {
  test('a derived row that was altered is found, and --rebuild mends it', async () => {
    const home = fixtureHome()
    await run(['doctor', '--rebuild'], { home })
    const db = new DatabaseSync(join(home, 'log.db'))
    db.exec(
      "UPDATE derived_branch SET title = 'altered' WHERE title = 'packing'; DELETE FROM derived_message WHERE position = 3",
    )
    db.close()
    const found = await run(['doctor'], { home })
    expect(found.code).toBe(1)
    expect(found.out).toMatch(/^problem {2}tables {4}branch, message: do not match the events/m)
    const rebuilt = await run(['doctor', '--rebuild'], { home })
    expect(rebuilt.code).toBe(0)
    expect(rebuilt.out).toMatch(/branch {3}differed, repaired, 6 rows/)
    expect(rebuilt.out).toMatch(/message {2}differed, repaired, \d+ rows/)
    expect(rebuilt.out).toMatch(/mark {5}unchanged/)
    expect((await run(['doctor'], { home })).code).toBe(0)
    expect((await run(['agents'], { home })).out).toContain("'packing'")
  })

  test.each([
    ...WITHOUT_ROWS,
    ['tables of another version', (): string => 'UPDATE projection SET version = 0'],
  ] as const)('[LOG5] readers of a log with %s fold its events in memory', async (_, sql) => {
    const home = fixtureHome()
    await run(['doctor', '--rebuild'], { home })
    await run(['-p', 'hello'], { home })
    const looks = [
      ['agents'],
      ['context', '--turn', 'last'],
      ['updates', '--all'],
      ['log'],
      ['recall', 'packing'],
    ]
    const look = async () => {
      const looked = []
      for (const words of looks) looked.push(await run(words, { home }))
      return looked
    }
    const before = await look()
    changeTables(home, sql)
    expect(await look()).toEqual(before)
    expect(before.map(({ code }) => code)).toEqual(looks.map(() => 0))
  })

  test.each(WITHOUT_ROWS)('[CTX2] a log with %s is not continued without them', async (_, sql) => {
    const home = fixtureHome()
    // Rows that follow the log are then some events behind.
    await run(['-p', 'hello'], { home })
    const before = await ids(home)
    changeTables(home, sql)
    expect((await run(['-p', 'hello'], { home })).code).toBe(0)
    expect(await ids(home)).toEqual(before)
  })

  test.each(WITHOUT_ROWS)('[CTX2] a log with %s is named, and --rebuild makes them', async (_, sql) => {
    const home = fixtureHome()
    await run(['-p', 'hello'], { home })
    changeTables(home, sql)
    const found = await run(['doctor'], { home })
    expect(found.code).toBe(1)
    expect(found.out).toMatch(/^problem {2}tables .*do not match the events.*--rebuild/m)
    expect((await run(['doctor', '--rebuild'], { home })).code).toBe(0)
    expect((await run(['doctor'], { home })).code).toBe(0)
  })

  test('looking changes no byte of the log', async () => {
    const home = fixtureHome()
    const before = readFileSync(join(home, 'log.db'))
    expect((await run(['doctor'], { home })).code).toBe(0)
    expect(readFileSync(join(home, 'log.db')).equals(before)).toBe(true)
  })

  test('[LOG6] a rebuild leaves every event as it was', async () => {
    const home = fixtureHome()
    const before = await run(['export'], { home })
    await run(['doctor', '--rebuild'], { home })
    await run(['import', '-'], { home, input: HELLO })
    const after = await run(['export'], { home })
    expect(after.out.startsWith(before.out)).toBe(true)
  })

  test('a damage that was noted keeps writers out until doctor finds it gone', async () => {
    const home = fixtureHome()
    noteDamage(join(home, 'log.db'), 'event 7 does not match its checksum')
    const refused = await run(['import', '-'], { home, input: HELLO })
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('event 7 does not match its checksum')
    const { code, out } = await run(['doctor'], { home })
    expect(code).toBe(0)
    expect(out).toContain('noted earlier is gone')
    expect(notedDamage(join(home, 'log.db'))).toBeUndefined()
    expect((await run(['import', '-'], { home, input: HELLO })).code).toBe(0)
  })
})

test('[LOG2] on a full disk an append fails whole, what was acknowledged stays, and it goes on when there is room', async () => {
  const home = fixtureHome()
  const file = join(home, 'log.db')
  const store = openSqliteStore({
    file,
    projections,
    holder: { command: 'test', pid: process.pid, since: 0 },
  })
  const log = new StoreLog(store, projections)
  const { branch } = JSON.parse((await run(['log', '--json'], { home })).out.split('\n')[0] ?? '') as {
    branch: string
  }
  const say = (text: string) =>
    log.write((writing) =>
      writing.append({
        kind: 'message-added',
        branch: branch as never,
        at: 1,
        v: 1,
        turn: null,
        message: { role: 'user', text },
        tokens: 1,
      }),
    )
  const pages = Object.values(store.db.prepare('PRAGMA page_count').get() ?? {})[0] as number
  store.db.exec(`PRAGMA max_page_count = ${pages + 5}`)
  const acknowledged: number[] = []
  const failure = await untilFailure(async () => {
    acknowledged.push(await say('x'.repeat(1_000)))
  })
  expect(failure).toBeInstanceOf(LogError)
  expect((failure as LogError).code).toBe('full')
  expect(acknowledged.length).toBeGreaterThan(3)
  const readWith = (await run(['export'], { home })).out.trimEnd().split('\n')
  expect(readWith).toHaveLength(acknowledged.at(-1) as number)
  store.db.exec('PRAGMA max_page_count = 1000000')
  expect(await say('room again')).toBe((acknowledged.at(-1) as number) + 1)
  await log.close()
  expect((await run(['doctor'], { home })).code).toBe(0)
})

async function untilFailure(work: () => Promise<void>): Promise<unknown> {
  try {
    for (;;) await work()
  } catch (error) {
    return error
  }
}

function expectedError(error: unknown): { gaps: readonly unknown[] } {
  if (!(error instanceof LogError)) throw error
  return { gaps: ['all'] }
}

function damagedHome(pages: readonly number[]): string {
  const home = tempFolder()
  const broken = Buffer.from(whole)
  for (const page of pages) broken.fill(0xa5, (page - 1) * PAGE, page * PAGE)
  writeAll(join(home, 'log.db'), broken)
  return home
}

/** Pages of the event table that hold events, in order of their positions. */
function leavesOfEvents(): number[] {
  const home = tempFolder()
  writeAll(join(home, 'log.db'), whole)
  const db = new DatabaseSync(join(home, 'log.db'), { readOnly: true })
  const rows = db
    .prepare("SELECT pageno FROM dbstat WHERE name = 'event' AND pagetype = 'leaf' ORDER BY path")
    .all()
  db.close()
  return rows.map((row) => row['pageno'] as number)
}

function middleLeaves(count: number): number[] {
  const leaves = leavesOfEvents()
  const middle = Math.floor(leaves.length / 2)
  return leaves.slice(middle, middle + count)
}

/** The lines whose events SQLite itself can still give us unchanged, asked for one by one. */
async function ids(home: string): Promise<string[]> {
  const { out } = await run(['agents', '--json'], { home })
  return (JSON.parse(out) as { id: string }[]).map(({ id }) => id)
}

function readableLines(home: string): string[] {
  using db = new DatabaseSync(join(home, 'log.db'), { readOnly: true })
  try {
    db.prepare('SELECT 1 FROM event')
  } catch {
    return []
  }
  return lines.filter((line, index) => {
    try {
      const row = db.prepare('SELECT at, branch, kind, body FROM event WHERE position = ?').get(index + 1)
      const { position, at, branch, kind, ...rest } = JSON.parse(line) as Record<string, unknown>
      const same = { at: Date.parse(at as string), branch, kind, body: JSON.stringify(rest) }
      return position === index + 1 && JSON.stringify({ ...row }) === JSON.stringify(same)
    } catch {
      return false
    }
  })
}

function positionsNamed(text: string): number[] {
  return [...text.matchAll(/positions? (\d+)(?: to (\d+))? \(/g)].flatMap(([, from, to]) => {
    const first = Number(from)
    return Array.from({ length: Number(to ?? from) - first + 1 }, (_, index) => first + index)
  })
}

function positionsWithout(readable: readonly string[]): number[] {
  const known = new Set(readable)
  return lines.flatMap((line, index) => (known.has(line) ? [] : [index + 1]))
}

function writeAll(file: string, bytes: Buffer): void {
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
  writeFileSync(file, bytes)
}

/** The numbers with which the messages of `whole` begin. */
function texts(out: string): (string | undefined)[] {
  return [...out.matchAll(/"text":"(\d+) words/g)].map(([, number]) => number)
}
