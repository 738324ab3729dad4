import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Event, Kind } from '../src/event/event.ts'
import { readOwner } from '../src/owner/owner-file.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import { run, runProcess, start, tempFolder } from './cli/run.ts'

function newHome(settings: object = {}): string {
  const home = join(tempFolder(), 'home')
  mkdirSync(join(home, 'workspace', 'routines'), { recursive: true })
  const routine = '---\ncron: "0 3 * * *"\nbackground: true\nmodel: offline\n---\nSay hello.'
  writeFileSync(join(home, 'workspace', 'routines', 'brief.md'), routine)
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings))
  return home
}

/** `mainstem serve` in a process of its own. */
async function serve(home: string): Promise<{ kill(): Promise<void> }> {
  const child = start(['serve', '--port', '0'], { home })
  const closed = once(child, 'close')
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => readOwner(home)?.pid).toBe(child.pid)
  return {
    kill: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

async function eventsOf(home: string, kind: Kind): Promise<Event[]> {
  const log = openForReading(home)
  const events = await Array.fromAsync(log.events({ kind }))
  await log.close()
  return events
}

const numbers = Array.from({ length: 9 }, (_, index) => index)

describe('beside an owner', () => {
  test('[OWNER1] nine questions and a pipe at once are each answered once, where they were asked', async () => {
    const home = newHome()
    await serve(home)
    const asked = numbers.map((number) => run(['-p', `hello ${number}`], { home }))
    const piped = run([], { home, input: '/mark A\nhello there\n/exit\nnever read\n' })
    for (const { code, out, err } of await Promise.all(asked)) {
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out.trimEnd().split('\n')).toHaveLength(1)
    }
    const { code, out, err } = await piped
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('1 more input line') as string })
    expect(out).toMatch(/^Checkpoint 'A' created\.\n.*\nGoodbye\.\n$/)
    const turns = await eventsOf(home, 'turn-ended')
    expect(turns.map((event) => 'outcome' in event && event.outcome)).toEqual(
      Array.from({ length: 10 }, () => 'answered'),
    )
  })

  test('jobs, skills and settings for one time do what they do alone, or say why not', async () => {
    const [home, alone] = [newHome(), newHome()]
    await serve(home)
    for (const args of [
      ['routine', 'pause', 'brief'],
      ['routine', 'resume', 'brief'],
      ['routine', 'pause', 'brief', 'nonsense'],
      ['run', 'routines/brief.md'],
      ['routine', 'run', 'brief'],
      ['-p', '/nonsense'],
      ['--json', '-p', '/mark A'],
    ]) {
      const [here, there] = [await run(args, { home }), await run(args, { home: alone })]
      expect({ ...here, out: plain(here.out), err: '' }).toEqual({ ...there, out: plain(there.out), err: '' })
    }
    const { code, err } = await run(['--model', 'offline', '-p', 'hello'], { home })
    expect(code).toBe(3)
    expect(err).toMatch(/^mainstem: --model needs the log for itself, and 'mainstem serve' \(process \d+/)
    expect((await run(['status'], { home })).out).toMatch(/^Runs {3}mainstem serve \(process \d+\) since /m)
    expect((await run(['daemon'], { home })).err).toBe(
      "mainstem: 'mainstem daemon' is 'mainstem serve' now.\n",
    )
  })

  test('[OWNER1] an owner that is killed while a question waits: another process answers it, once', async () => {
    const script = join(tempFolder(), 'script.json')
    writeFileSync(script, JSON.stringify([{ delayMs: 1_500, reply: { text: 'the answer' } }]))
    const home = newHome({ model: `scripted:${script}` })
    const owner = await serve(home)
    const asked = runProcess(['-p', 'what is it?'], { home })
    await expect.poll(() => eventsOf(home, 'turn-started')).toHaveLength(1)
    await owner.kill()
    expect(await asked).toMatchObject({ code: 0, out: 'the answer\n' })
    expect(await eventsOf(home, 'inbound-admitted')).toHaveLength(1)
  })
})

test('without an owner, questions at once wait for each other', async () => {
  const home = newHome()
  const asked = await Promise.all(
    numbers.slice(0, 4).map((number) => run(['-p', `hello ${number}`], { home })),
  )
  expect(asked.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  for (const { out } of asked) expect(out.trimEnd().split('\n')).toHaveLength(1)
})

/** Without what differs from run to run. */
function plain(text: string): string {
  return text.replaceAll(/\b[a-z0-9]{6}\b(?= \()/g, 'HANDLE').replaceAll(/after [^:]+:/g, 'after a while:')
}
