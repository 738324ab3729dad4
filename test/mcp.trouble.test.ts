import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ServerEntry } from '../src/config/type/tool-type.ts'
import { fence } from '../src/event/fence.ts'
import { systemSleep, type Sleep } from '../src/model/contract/sleep.ts'
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

/** A server of so many tools, with so many characters said of each. */
function wideEntry(tools: number, characters: number): ServerEntry {
  const code = `
    const tools = Array.from({ length: ${tools} }, (_, n) => ({
      name: 't' + n, description: 'x'.repeat(${characters}), inputSchema: { type: 'object' },
    }))
    const answers = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
      'tools/list': { tools },
    }
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line)
      if (method in answers) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }))
    })`
  return { command: process.execPath, args: ['-e', code] }
}

test('a server that offers more than prompts have room for is cut short, and the person is told by how many', async () => {
  const { mcp } = opened({
    large: wideEntry(100, 990),
    many: wideEntry(200, 10),
    small: processEntry('well'),
  })
  const { tools, notes: told } = await mcp.refresh([])
  const of = (server: string) => tools.filter(({ spec }) => spec.name.startsWith(`${server}__`))
  expect(Buffer.byteLength(JSON.stringify(specsOf(of('large'))))).toBeLessThanOrEqual(64 * 1_024)
  expect([of('many').length, of('small').length]).toEqual([128, TOOLS.length])
  expect(of('many').some(({ spec }) => spec.name === 'many__t127')).toBe(true)
  expect(told).toEqual([
    `The MCP server large offers more tools than prompts have room for: its first ${of('large').length} are there, ${100 - of('large').length} are left out. Have it offer fewer, or describe them in fewer words.`,
    'The MCP server many offers more tools than prompts have room for: its first 128 are there, 72 are left out. Have it offer fewer, or describe them in fewer words.',
  ])
  const before = Array.from({ length: 300 }, (_, n) => ({
    name: `many__t${n}`,
    description: '(server many) x',
    parameters: { type: 'object' },
  }))
  expect(mcp.tools(before)).toHaveLength(128)
})

const hardlyWaiting: Sleep = (ms, signal) => systemSleep(ms === 3_000 ? 1 : ms, signal)

describe('at a start', () => {
  const known = { name: 'a__echo', description: '(server a) Says it again', parameters: { type: 'object' } }

  test('a server whose tools are known is not connected to, and one that is new or has none is', async () => {
    const { mcp } = opened({ a: processEntry('well'), b: processEntry('well'), c: processEntry('bare') })
    const { tools, notes: told } = await mcp.refresh([known], { when: 'start' })
    expect(tools.map(({ spec }) => spec.name)).toEqual(['a__echo', ...TOOLS.map((name) => `b__${name}`)])
    expect(told).toEqual([expect.stringContaining('c is there, but offers no tools')])
    expect(mcp.states().map(({ state }) => state)).toEqual(['not connected', 'connected', 'connected'])
  })

  test('servers that do not answer are waited for three seconds in all, and their processes end', async () => {
    const slept: number[] = []
    const sleep: Sleep = (ms, signal) => {
      slept.push(ms)
      return systemSleep(ms === 3_000 ? 100 : ms, signal)
    }
    const seen = notes()
    const hanging = processEntry('hang', { NOTES: seen.file })
    const { mcp, warnings } = opened({ a: hanging, b: hanging, c: hanging }, { sleep })
    const { tools, notes: told } = await mcp.refresh([], { when: 'start' })
    expect(tools).toEqual([])
    expect(told).toEqual(
      ['a', 'b', 'c'].map(
        (name) =>
          `The MCP server ${name} is not available: it did not answer within 3 s. /reload tries it again.`,
      ),
    )
    expect(slept.filter((ms) => ms === 3_000)).toHaveLength(3)
    const pid = Number((await seen.has('started')).split(' ')[1])
    await mcp.close()
    expect(isAlive(pid)).toBe(false)
    expect(warnings).toEqual([])
  })

  test('a server that comes later is told of once it is there, and /reload takes its tools', async () => {
    const { mcp, warnings } = opened({ a: processEntry('well') }, { sleep: hardlyWaiting })
    expect((await mcp.refresh([], { when: 'start' })).tools).toEqual([])
    while (warnings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(warnings).toEqual(['The MCP server a is available again. /reload takes its tools.'])
    expect(mcp.states()).toEqual([{ server: 'a', state: 'connected', tools: 0 }])
    expect((await mcp.refresh([])).tools).toHaveLength(TOOLS.length)
  })
})

test('a server without tools is told of', async () => {
  const { mcp } = opened({ a: processEntry('bare') })
  expect(await mcp.refresh([])).toEqual({
    tools: [],
    notes: [
      "The MCP server a is there, but offers no tools. Remove it from mcp.servers if you don't need it.",
    ],
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
