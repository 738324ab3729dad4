import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import type { BranchId, TurnId } from '../event/id.ts'
import { clientSource, reportUpdatesTool } from './report-updates.ts'

test.each([
  ['claude-code', 'mcp claude-code'],
  ['Some Client, 2.0!', 'mcp Some-Client-2.0'],
  ['../../etc', 'mcp ..-..-etc'],
  ['</data>\n', 'mcp data'],
  ['', 'mcp unnamed'],
  ['汉字', 'mcp unnamed'],
  ['x'.repeat(60), `mcp ${'x'.repeat(40)}`],
])('a client that calls itself %j is %s', (name, source) => expect(clientSource(name)).toBe(source))

describe('report_updates', () => {
  const handed: string[][] = []
  const tool = reportUpdatesTool({
    source: () => 'mcp test',
    handIn: async (...words) => {
      handed.push(words)
      return 'Handed in.'
    },
  })
  const { signal } = new AbortController()
  const call = { branch: 'br_0n5f8k2q1k3f9ab' as BranchId, turn: 'tn_0n5f8k2q1k3f9ab' as TurnId, signal }

  test('hands in what is reported, with who reports it', async () => {
    expect(tool.check?.({ message: ' The build is green. ' })).toBeUndefined()
    const result = await tool.run({ message: ' The build is green. ' }, call)
    expect(result).toEqual({ text: '{"text":"Handed in."}', isError: false })
    expect(handed).toEqual([['The build is green.', 'mcp test']])
  })

  test.each<[JsonObject, string]>([
    [{}, 'Bad arguments: message: '],
    [{ message: '  ' }, 'Bad arguments: message: '],
    [{ message: 7 }, 'Bad arguments: message: '],
    [{ message: 'é'.repeat(8 * 1_024 + 1) }, 'message: it is too long.'],
  ])('refuses %#', (args, why) => expect(tool.check?.(args)).toContain(why))
})
