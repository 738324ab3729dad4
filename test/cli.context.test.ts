import { createHash } from 'node:crypto'
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { contextCommand } from '../src/cli/look/context.ts'
import type { EventOf } from '../src/event/event.ts'
import type { Prompt } from '../src/event/prompt.ts'
import { agentsFile } from '../src/runtime/home/workspace.ts'
import { openForReading, openForWriting } from '../src/runtime/home/open-log.ts'
import { openOtherWriter, run, runHere, tempFolder, type Failed } from './cli/run.ts'

const LINES = ['hello there', 'mark this as ALPHA', 'who are you', '/rewind ALPHA']

const folder = mkdtempSync(join(tmpdir(), 'mainstem-test-'))
const home = join(folder, 'home')
/** Of four turns, in their order; the second one called twice. */
let calls: EventOf<'model-called'>[]

beforeAll(async () => {
  await run([], { home, input: LINES.join('\n') })
  appendFileSync(agentsFile(home), '\nAlways be brief.\n')
  await run([], { home, input: 'thanks a lot' })
  const log = openForReading(home)
  calls = (await Array.fromAsync(log.events({ kind: 'model-called' }))) as EventOf<'model-called'>[]
  await log.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function context(...args: string[]): Promise<Failed> {
  return contextIn(home, ...args)
}

function contextIn(home: string, ...args: string[]): Promise<Failed> {
  return runHere(contextCommand, home, args)
}

function turnOf(index: number): string {
  return calls[index]?.turn ?? ''
}

describe('what the model would see now', () => {
  test('is told as /context tells it', async () => {
    const copy = join(tempFolder(), 'home')
    cpSync(home, copy, { recursive: true })
    const { out } = await context()
    expect(out).toContain('What offline would see now in main, turn 5:')
    expect(out).toContain('Marks: ALPHA')
    expect((await run(['-p', '/context'], { home: copy })).out).toBe(out)
  })

  test('with --json has ranges, marks and sizes', async () => {
    const facts = JSON.parse((await context('--json', '--branch', 'main')).out) as Record<string, unknown>
    expect(facts).toMatchObject({ branch: 'main', model: 'offline', marks: [{ name: 'ALPHA' }] })
    expect(facts['items']).toHaveLength(2)
    expect(facts['tokens']).toBeGreaterThan(100)
  })
})

describe('what it saw in a turn', () => {
  test('[CTX1] --raw gives the very bytes whose hash was logged, also while another process writes', async () => {
    const writer = await openOtherWriter(home)
    onTestFinished(() => writer.close())
    for (const { turn, call, prompt } of calls) {
      const { code, out } = await context('--turn', turn, '--call', String(call), '--raw')
      expect(code).toBe(0)
      expect(createHash('sha256').update(out).digest('hex')).toBe(prompt)
    }
    const last = await run(['context', '--turn', 'last', '--raw'], { home })
    expect(createHash('sha256').update(last.out).digest('hex')).toBe(calls.at(-1)?.prompt)
  })

  test('is listed for people: every message with its role, its size and how it begins', async () => {
    const { code, out } = await context('--turn', turnOf(1), '--call', '2')
    expect(code).toBe(0)
    expect(out).toContain(`Turn 2 in main (${turnOf(1)}), `)
    expect(out).toContain('call 2 of 2')
    expect(out).toMatch(/^settings {2}offline, thinking adaptive$/m)
    expect(out).toMatch(/^system {2}\d+ tokens\n {4}# You$/m)
    expect(out).toMatch(/^tools {2}[\d.]+k? tokens\n {4}slash, /m)
    expect(out).toMatch(/^1 user {2}\d+ tokens\n[^]*hello there\n2 assistant {2}\d+ tokens\n {4}Hello!/m)
    expect(out).toContain('→ slash {"command":"mark","args":"ALPHA"}')
    expect(out).toContain('5 result of slash')
  })

  test('a turn is named by its id, by the end of it, or as the last', async () => {
    const [whole, ending, last] = await Promise.all(
      [turnOf(4), turnOf(4).slice(-6).toUpperCase(), 'last'].map((word) => context('--turn', word)),
    )
    expect(whole?.code).toBe(0)
    expect(ending).toEqual(whole)
    expect(last).toEqual(whole)
  })

  test('--json has the prompt whole, and the hash that was logged', async () => {
    const facts = JSON.parse((await context('--turn', turnOf(0), '--json')).out) as { prompt: Prompt }
    expect(facts).toMatchObject({ turn: turnOf(0), call: 1, calls: 1, hash: calls[0]?.prompt, isSame: true })
    expect(facts.prompt.messages).toMatchObject([
      { role: 'user', text: expect.stringMatching(/hello there$/) },
    ])
  })

  test('bytes that are not those of the hash are shown, said to be others, and fail', async () => {
    const copy = join(tempFolder(), 'home')
    cpSync(home, copy, { recursive: true })
    const log = openForWriting({ home: copy, command: 'test' })
    const { position: _, ...last } = calls.at(-1) as EventOf<'model-called'>
    await log.write((writing) => writing.append({ ...last, call: 2, prompt: 'f'.repeat(64) }))
    await log.close()
    for (const form of [[], ['--raw'], ['--json']]) {
      const { code, out, err } = await contextIn(copy, '--turn', 'last', ...form)
      expect(code).toBe(1)
      expect(out).toContain('thanks a lot')
      expect(err).toContain(`its hash is not the logged ${'f'.repeat(64)}`)
    }
  })

  test('is found by its number in its branch, which the log shows too', async () => {
    for (const [number, turn] of [[1, turnOf(0)] as const, [2, turnOf(1)] as const]) {
      const { out } = await context('--turn', String(number), '--json')
      expect(JSON.parse(out)).toMatchObject({ turn, number, branch: 'main' })
    }
    const { out } = await run(['log', '--kind', 'turn-ended'], { home })
    expect(out).toMatch(/turn 1: answered\n(?:.*\n)*.*turn 2: answered/)
  })

  test.each([
    [['--turn', 'zz'], "There is no turn 'zz'"],
    [['--turn', '99'], "There is no turn '99' here. Give its number in the branch"],
    [['--turn', 'zzzzzz'], "There is no turn 'zzzzzz'"],
    [['--turn', 'last', '--call', '9'], 'has no call 9. Its calls are: 1'],
    [['--raw'], 'name it with --turn N'],
    [['--turn', 'last', '--raw', '--json'], 'do not go together'],
    [['--branch', 'nobody'], "There is no branch 'nobody'"],
  ])('%j is refused with what to do', async (args, told) => {
    const { out, error } = await context(...args)
    expect(out).toBe('')
    expect(error).toMatch(/^(?:Usage|Command|Look)Error: /)
    expect(error).toContain(told)
  })
})

describe('the difference of two prompts', () => {
  test('between neighbours is what was added', async () => {
    const { code, out } = await context('--turn', turnOf(1), '--call', '1', '--diff', turnOf(0))
    expect(code).toBe(0)
    expect(out).toMatch(/^From turn 1 \(1 message\) to turn 2 \(3 messages\):$/m)
    expect(out).toMatch(/^system {2}the same\ntools {2}the same\nsettings {2}the same$/m)
    expect(out).toContain('the first 1 are the same; 0 removed, 2 added')
    expect(out).toMatch(/^ {4}\+ assistant \(\d+\) {2}Hello!/m)
  })

  test('shows a changed system text, and what a rewind took away', async () => {
    const { out } = await context('--diff', turnOf(3))
    expect(out).toMatch(/^system\n(?: {4}\+ *\n)* {4}\+ Always be brief\.$/m)
    const told = JSON.parse((await context('--diff', turnOf(3), '--json')).out) as {
      messages: { removed: { text: string }[]; added: { text: string }[] }
    }
    expect(told).toMatchObject({ from: { turn: turnOf(3) }, to: { turn: turnOf(4) }, settings: [] })
    expect(told.messages.added).toMatchObject([{ text: expect.stringMatching(/thanks a lot$/) }])
    expect(told.messages.removed.at(-1)).toMatchObject({ text: expect.stringMatching(/who are you$/) })
  })
})
