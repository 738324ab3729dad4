import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fence } from '../src/event/fence.ts'
import { systemSleep } from '../src/model/sleep.ts'
import { tempFolder } from './cli/run.ts'
import { called, isAlive, notes, opened, processEntry, specsOf, TOOLS } from './mcp/opened.ts'

describe('a server that is down', () => {
  const KNOWN = { name: 'a__echo', description: '(server a) Says it again', parameters: { type: 'object' } }

  test.each([
    ['exit', /ended before it answered\. It wrote: cannot start with the key …\. Run it by hand/],
    ['newer', /protocol version is not supported: 2999-01-01/],
    ['flood', /it sent more than 10 MB at once/],
  ])(
    '(%s) is a note with its name, the reason and what to do, and its tools stay listed',
    async (how, reason) => {
      const { mcp } = opened({ a: processEntry(how, { KEY: 'hunter2-hunter2' }), b: processEntry('well') })
      const { tools, notes: told } = await mcp.refresh([KNOWN])
      expect(told).toHaveLength(1)
      expect(told[0]).toMatch(/^The MCP server a is not available: /)
      expect(told[0]).toMatch(reason)
      expect(told[0]).toMatch(/mcp\.servers\.a\. Its tools stay listed, .* \/reload tries it again\.$/)
      expect(tools.map(({ spec }) => spec.name)).toEqual(['a__echo', ...TOOLS.map((name) => `b__${name}`)])
      expect(mcp.states()[0]).toMatchObject({ server: 'a', state: 'down', tools: 1 })
    },
  )

  test('because its program or its folder is missing says which', async () => {
    const { mcp } = opened({
      a: { command: 'no-such-program-of-anybody' },
      b: { command: process.execPath, cwd: '/no/such/folder' },
    })
    const { notes: told } = await mcp.refresh([])
    expect(told).toEqual([
      'The MCP server a is not available: the program no-such-program-of-anybody was not found. Install it, or correct mcp.servers.a. /reload tries it again.',
      'The MCP server b is not available: its folder /no/such/folder does not exist. Make it, or correct mcp.servers.b.cwd. /reload tries it again.',
    ])
  })

  test('because it hangs is not waited for, and its process is ended', async () => {
    const seen = notes()
    const { mcp } = opened(
      { a: processEntry('hang', { NOTES: seen.file }) },
      { sleep: (ms, signal) => systemSleep(ms / 10, signal) },
    )
    const { notes: told } = await mcp.refresh([])
    expect(told[0]).toContain('it did not answer within 10 s')
    const pid = Number((await seen.has('started')).split(' ')[1])
    await mcp.close()
    expect(isAlive(pid)).toBe(false)
  })

  test('answers calls with an error, is not tried again at once, and is back when it is back', async () => {
    const script = join(tempFolder(), 'server.sh')
    writeFileSync(script, 'echo not yet >&2')
    const { mcp, warnings, clock } = opened({ a: { command: 'sh', args: [script] } })
    const tools = mcp.tools([KNOWN])
    const first = await called(tools, 'a__echo')
    expect(first.error).toMatch(
      /^The MCP server a is not available\.\n<data source="mcp-a">\nit ended before it answered\. It wrote: not yet\./,
    )
    expect((await called(tools, 'a__echo')).error).toContain(
      'It was tried a moment ago; a call in 5 s tries again.',
    )
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('The MCP server a is not available: it ended before it answered.')
    const { command, args = [] } = processEntry('well') as { command: string; args?: readonly string[] }
    writeFileSync(script, `exec ${command} ${args.join(' ')}`)
    clock.ahead += 5_000
    expect((await called(tools, 'a__echo')).error).toContain('a__echo is not what it was')
    const { tools: now } = await mcp.refresh([KNOWN])
    expect(await called(now, 'a__echo', { args: { text: 'x' } })).toEqual({ text: fence('mcp a', 'x') })
  })
})

test('a server without tools is told of', async () => {
  const { mcp } = opened({ a: processEntry('bare') })
  expect(await mcp.refresh([])).toEqual({
    tools: [],
    notes: ['The MCP server a is there and offers no tools. Take it out of mcp.servers if it is of no use.'],
  })
})

test('without the package the person is told once how to install it, and known tools stay listed', async () => {
  const { mcp } = opened(
    { a: processEntry('well'), b: processEntry('well') },
    { sdkName: '@modelcontextprotocol/not-installed' },
  )
  const known = { name: 'a__echo', description: '(server a) Says it again', parameters: { type: 'object' } }
  const { tools, notes: told } = await mcp.refresh([known])
  expect(told).toEqual([
    'MCP needs the package @modelcontextprotocol/not-installed, which is not installed: npm install -g @modelcontextprotocol/sdk.',
  ])
  expect(specsOf(tools)).toEqual([known])
  expect((await called(tools, 'a__echo')).error).toContain('npm install -g @modelcontextprotocol/sdk')
})
