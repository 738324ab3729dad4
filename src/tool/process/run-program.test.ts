import { getEventListeners } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { runProgram, type ProgramOrder, type Ran } from './run-program.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'run-program-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let scripts = 0

/** Runs this code in a Node of its own, which first writes its number to a file. */
function running(code: string, order: Partial<ProgramOrder> = {}): Promise<Ran> {
  const file = join(folder, `script-${++scripts}.cjs`)
  writeFileSync(
    file,
    `const fs = require('node:fs'), { spawn } = require('node:child_process')\nfs.appendFileSync('pids-${scripts}', process.pid + '\\n')\n${code}`,
  )
  return runProgram({
    file: process.execPath,
    argv: [file],
    cwd: folder,
    env: {},
    timeoutMs: 30_000,
    graceMs: 300,
    signal: new AbortController().signal,
    ...order,
  })
}

/** The processes of the last script are gone, and their group; the system may take a moment to clear them away. */
async function expectNobodyLeft(script = scripts): Promise<void> {
  const pids = readFileSync(join(folder, `pids-${script}`), 'utf8')
    .trim()
    .split('\n')
    .map(Number)
  expect(pids.length).toBeGreaterThan(0)
  for (const pid of pids) {
    for (let tries = 0; tries < 500 && isAlive(pid); tries++) await pause(20)
    expect(isAlive(pid)).toBe(false)
  }
}

function isAlive(pid: number): boolean {
  return [pid, -pid].some((target) => {
    try {
      process.kill(target, 0)
      return true
    } catch {
      return false
    }
  })
}

const FOR_EVER = 'setInterval(() => undefined, 1000)'
/** A child in the same group that keeps the pipes and does not listen. */
const CHILD = (n: number) =>
  `spawn(process.execPath, ['-e', "process.on('SIGTERM',()=>0);require('fs').appendFileSync('pids-${n}',process.pid+'\\\\n');console.log('child up');${FOR_EVER}"], { stdio: 'inherit' })`

describe('a program that ends', () => {
  test('gives its code and what it wrote to both streams', async () =>
    expect(await running(`console.log('out'); console.error('err'); process.exitCode = 3`)).toEqual({
      kind: 'exited',
      code: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
      wasCut: false,
    }))

  test('is given its words as they are, and no shell sees them', async () => {
    const words = ['$(touch x)', '`id`', 'a b', '"', '*', '; ls', '']
    const file = join(folder, 'words.cjs')
    writeFileSync(file, 'console.log(JSON.stringify(process.argv.slice(2)))')
    const ran = await running('', { argv: [file, ...words] })
    expect(ran.kind === 'exited' && JSON.parse(ran.stdout)).toEqual(words)
  })

  test('knows the environment it was given and nothing else', async () => {
    process.env['SECRET_OF_THE_TEST'] = 'x'
    const ran = await running('console.log(JSON.stringify(process.env))', { env: { LANG: 'C' } })
    delete process.env['SECRET_OF_THE_TEST']
    expect(ran.kind === 'exited' && JSON.parse(ran.stdout)).toEqual({ LANG: 'C' })
  })

  test('reads what is written to its input', async () =>
    expect(
      await running('process.stdin.pipe(process.stdout)', { stdin: 'héllo\n'.repeat(5_000) }),
    ).toMatchObject({ kind: 'exited', code: 0, stdout: 'héllo\n'.repeat(5_000) }))

  test('finds its input empty where there is none', async () =>
    expect(await running(`console.log(fs.readFileSync(0).length)`)).toMatchObject({ stdout: '0\n' }))

  test('leaves no listener at the signal, and no signal ends it later', async () => {
    const abort = new AbortController()
    expect(await running('0', { signal: abort.signal })).toMatchObject({ kind: 'exited', code: 0 })
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0)
  })

  test('may close its input early', async () =>
    expect(
      await running(`fs.closeSync(0); setTimeout(() => console.log('done'), 50)`, {
        stdin: 'x'.repeat(2_000_000),
      }),
    ).toMatchObject({ kind: 'exited', code: 0, stdout: 'done\n' }))

  test('and was killed says by what', async () => {
    const ran = await running(`process.kill(process.pid, 'SIGKILL')`)
    expect(ran).toMatchObject({ kind: 'exited', code: null, signal: 'SIGKILL' })
  })

  test('and leaves a child behind that holds its pipes takes that child with it', async () => {
    const n = scripts + 1
    const ran = await running(`${CHILD(n)}.unref(); setTimeout(() => process.exit(0), 500)`)
    expect(ran).toMatchObject({ kind: 'exited', code: 0, stdout: 'child up\n' })
    await expectNobodyLeft()
  })

  test('is not waited for when somebody outside of its group keeps its pipes open', async () => {
    const code = `setTimeout(() => undefined, 60000)`
    const ran = await running(
      `const c = spawn(process.execPath, ['-e', ${JSON.stringify(code)}], { stdio: 'inherit', detached: true }); c.unref(); console.log(c.pid); process.exitCode = 0`,
    )
    expect(ran).toMatchObject({ kind: 'exited', code: 0 })
    if (ran.kind === 'exited') process.kill(Number(ran.stdout), 'SIGKILL')
  })
})

describe('a program that does not end', () => {
  test('is ended when its time is up, and what it wrote is kept', async () => {
    const ran = await running(`console.log('begun'); ${FOR_EVER}`, { timeoutMs: 1_000 })
    expect(ran).toMatchObject({ kind: 'timed-out', timeoutMs: 1_000, stdout: 'begun\n' })
    await expectNobodyLeft()
  })

  test('and ignores being asked to is killed', async () => {
    const ran = await running(`process.on('SIGTERM', () => console.log('no')); ${FOR_EVER}`, {
      timeoutMs: 1_000,
    })
    expect(ran).toMatchObject({ kind: 'timed-out', stdout: 'no\n' })
    await expectNobodyLeft()
  })

  test('is killed with the children that ignore being asked to', async () => {
    const n = scripts + 1
    const ran = await running(`${CHILD(n)}; ${FOR_EVER}`, { timeoutMs: 1_500 })
    expect(ran).toMatchObject({ kind: 'timed-out', stdout: 'child up\n' })
    await expectNobodyLeft()
  })

  test('is stopped with its children by the signal, which keeps no listener', async () => {
    const [n, abort] = [scripts + 1, new AbortController()]
    const ended = running(`${CHILD(n)}; ${FOR_EVER}`, { signal: abort.signal })
    await pause(700)
    abort.abort()
    expect(await ended).toEqual({ kind: 'stopped' })
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0)
    await expectNobodyLeft()
  })
})

describe('a flood', () => {
  test('is cut with a notice, and the program goes on to its end', async () => {
    const ran = await running(`process.stdout.write('x'.repeat(3_000_000), () => console.error('end'))`, {
      outputMax: 1_000,
    })
    expect(ran).toMatchObject({ kind: 'exited', code: 0, stderr: 'end\n', wasCut: true })
    expect(ran.kind === 'exited' && ran.stdout).toBe(`${'x'.repeat(996)}\n(2999004 more bytes were left out)`)
  })

  test('without an end gets the program killed', async () => {
    const ran = await running(
      `const c = Buffer.alloc(65536, 120); const w = () => process.stdout.write(c, w); w()`,
      { floodMax: 4_000_000, outputMax: 100 },
    )
    expect(ran).toMatchObject({ kind: 'flooded', floodMax: 4_000_000, wasCut: true })
    await expectNobodyLeft()
  })

  test('takes no memory', async () => {
    const before = process.memoryUsage().rss
    await running(`const c = Buffer.alloc(65536, 120); const w = () => process.stdout.write(c, w); w()`)
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
  })
})

test('bytes that are no text are counted instead of shown', async () =>
  expect(await running('process.stdout.write(Buffer.from([0x89, 80, 78, 71, 0, 1, 2, 255]))')).toMatchObject({
    stdout: '(8 bytes of binary output)',
    wasCut: true,
  }))

describe('a program that cannot start', () => {
  test.each<[string, Partial<ProgramOrder>, string]>([
    ['a missing program', { file: '/nowhere/x' }, '/nowhere/x does not exist'],
    ['a missing folder', { cwd: '/nowhere' }, 'there is no folder /nowhere'],
    ['too many words', { argv: ['x'.repeat(200_000)] }, 'longer than the system allows'],
    ['a NUL', { argv: ['a\0b'] }, 'null bytes'],
  ])('%s is explained', async (_, order, problem) =>
    expect(await running('', order)).toEqual({
      kind: 'not-started',
      problem: expect.stringContaining(problem),
    }),
  )

  test('a file without the right to be executed is explained', async () => {
    const file = join(folder, 'plain')
    writeFileSync(file, 'echo hello', { mode: 0o644 })
    expect(await running('', { file })).toEqual({
      kind: 'not-started',
      problem: `${file} may not be executed`,
    })
  })

  test('nothing starts once the signal is aborted', async () => {
    const ran = await running(`fs.writeFileSync('started', '')`, { signal: AbortSignal.abort() })
    expect(ran).toEqual({ kind: 'stopped' })
    expect(() => readFileSync(join(folder, 'started'))).toThrow('ENOENT')
  })
})
