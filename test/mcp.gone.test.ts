import { describe, expect, test } from 'vitest'
import { fence } from '../src/event/fence.ts'
import { systemSleep } from '../src/model/contract/sleep.ts'
import { called, isAlive, notes, opened, processEntry } from './mcp/opened.ts'

describe('a server that goes away', () => {
  test('[TOOL2] during a call says so, and the next call connects again', async () => {
    const { mcp, clock } = opened({ a: processEntry('well') })
    const { tools } = await mcp.refresh([])
    clock.ahead += 5_000
    const { error } = await called(tools, 'a__die')
    expect(error).toMatch(
      /^The MCP server a went away during the call, and what the call did is not known\. The next call connects again\.\n<data source="mcp-a">\n/,
    )
    expect(error).toContain('it ended before it answered. It wrote: something broke inside.')
    expect(mcp.states()).toMatchObject([{ state: 'not connected' }])
    expect(await called(tools, 'a__echo', { args: { text: 'back' } })).toEqual({
      text: fence('mcp a', 'back'),
    })
  })

  test('is not connected to more often than every five seconds', async () => {
    const waits: number[] = []
    const { mcp } = opened(
      { a: processEntry('well') },
      {
        now: () => 1_000,
        sleep: async (ms, signal) => {
          if (ms === 10_000) return systemSleep(ms, signal)
          waits.push(ms)
        },
      },
    )
    const { tools } = await mcp.refresh([])
    await called(tools, 'a__die')
    expect(await called(tools, 'a__echo', { args: { text: 'back' } })).toEqual({
      text: fence('mcp a', 'back'),
    })
    expect(waits).toEqual([5_000])
  })

  test('because it never stops talking is cut off', async () => {
    const { mcp } = opened({ a: processEntry('chatty') })
    const talk = '(server a) Does wait'
    const known = [{ name: 'a__wait', description: talk, parameters: { type: 'object' } }]
    const { error } = await called(mcp.tools(known), 'a__wait')
    expect(error).toContain('it sends one message after the other without being asked')
    await mcp.close()
  })

  test('[TOOL2] by being closed ends its process, even one that does not want to', async () => {
    const seen = notes()
    const { mcp } = opened({ a: processEntry('stubborn', { NOTES: seen.file }) })
    const { tools } = await mcp.refresh([])
    const pid = Number((await seen.has('started')).split(' ')[1])
    const waiting = called(tools, 'a__wait')
    await seen.has('waiting')
    await mcp.close()
    expect((await waiting).error).toContain('a went away during the call')
    await seen.has('asked to end')
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})
