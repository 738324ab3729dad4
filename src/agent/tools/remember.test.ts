import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import type { Proposal } from '../right/proposing.ts'
import { rememberTool } from './remember.ts'

const THERE = ['Dentist: Dr. Kim', 'Dentist phone: 555 12', 'Lives in Porto']

function remembering(there: readonly string[] = THERE) {
  const proposed: Proposal[] = []
  const tool = rememberTool({
    propose: async (_call, proposal) => proposed.push(proposal),
    lines: async () => there,
  })
  const { signal } = new AbortController()
  const call = { branch: 'br_0n5f8k2q1k3f9ab' as BranchId, turn: 'tn_0n5f8k2q1k3f9ab' as TurnId, signal }
  const run = async (args: JsonObject) => {
    const { text, isError } = await tool.run(args, call)
    const { text: words, error } = JSON.parse(text) as { text?: string; error?: string }
    expect(isError).toBe(error !== undefined)
    return words ?? error ?? ''
  }
  return { tool, proposed, run }
}

describe('remember', () => {
  test('[SAFE4] proposes a line and says that it is not remembered yet', async () => {
    const { run, proposed } = remembering()
    expect(await run({ line: 'Prefers tea' })).toBe(
      "It waits for the person's approval (approval 1); it is not remembered yet.",
    )
    expect(proposed).toEqual([{ kind: 'memory', line: 'Prefers tea', replaces: null }])
  })

  test.each(['Lives in Porto', 'lives in  porto ', '- Lives in Porto', 'Lives', 'l'])(
    'names the whole line that goes by %j',
    async (replaces) => {
      const { run, proposed } = remembering()
      await run({ line: '- Lives in Lisbon ', replaces })
      expect(proposed).toEqual([{ kind: 'memory', line: 'Lives in Lisbon', replaces: 'Lives in Porto' }])
    },
  )

  test('a line that is the beginning of no other is meant though another begins like it', async () => {
    const { run, proposed } = remembering(['Tea', 'Tea at five'])
    await run({ line: 'Coffee', replaces: 'tea' })
    expect(proposed).toMatchObject([{ replaces: 'Tea' }])
  })

  test('what waits for approval is the line as it will stand in the file', async () => {
    const { run, proposed } = remembering()
    await run({ line: ' Wifi:  x\t y\u00A0z ' })
    expect(proposed).toEqual([{ kind: 'memory', line: 'Wifi: x y z', replaces: null }])
  })

  test('what is left out may be null or blank', async () => {
    const { run, proposed } = remembering()
    await run({ line: 'a', replaces: null })
    await run({ line: 'b', replaces: ' ' })
    expect(proposed.map((proposal) => 'replaces' in proposal && proposal.replaces)).toEqual([null, null])
  })

  test('what is there already is said and not proposed', async () => {
    const { run, proposed } = remembering()
    expect(await run({ line: 'lives in  Porto', replaces: 'Dentist: Dr. Kim' })).toBe(
      'It is remembered already: "lives in Porto". Nothing was proposed.',
    )
    expect(proposed).toEqual([])
  })

  test.each([
    [{}, /^Bad arguments: line: /],
    [{ line: 7 }, /^Bad arguments: line: /],
    [{ line: ' - ' }, /^The line is empty\./],
    [{ line: 'a\nb' }, /^A memory line is one line; propose each by itself\./],
    [{ line: 'x'.repeat(301) }, /^The line has 301 characters; at most 300 fit\./],
    [
      { line: 'a', replaces: 'Plumber' },
      /^No line of memory\.md begins with "Plumber"\. There are: "Dentist: /,
    ],
    [
      { line: 'a', replaces: 'dentist' },
      /^"dentist" could be several lines\. They are: "Dentist: Dr\. Kim", /,
    ],
    [{ line: 'a', file: 'AGENTS.md' }, /^Bad arguments: /],
  ])('%j is refused with the usage, and nothing is proposed', async (args, error) => {
    const { run, proposed } = remembering()
    const words = await run(args)
    expect(words).toMatch(error)
    expect(words).toContain('Usage: remember {"line": ')
    expect(proposed).toEqual([])
  })

  test('where nothing is remembered, it says so', async () => {
    expect(await remembering([]).run({ line: 'a', replaces: 'b' })).toContain('It has no lines yet.')
  })

  test('no mode keeps it from asking', () => {
    const { nature } = remembering().tool
    expect(nature).toMatchObject({ origin: { kind: 'built-in' }, effect: 'steers' })
  })
})
