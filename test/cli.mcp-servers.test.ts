import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, afterEach, describe, expect, test, vi } from 'vitest'
import { mcpCommand } from '../src/cli/store/mcp.ts'
import { readConfig } from '../src/config/config.ts'
import { processEntry } from './mcp/opened.ts'
import { type Failed, run, runHere, tempFolder } from './cli/run.ts'

beforeEach(() => {
  vi.stubEnv('MAINSTEM_MCP_SERVERS', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const mcp = (home: string, ...args: string[]): Promise<Failed> => runHere(mcpCommand, home, args)
const serversIn = (home: string) => readConfig({ home, environment: {} }).values.mcp.servers

function newHome(config?: string): string {
  const home = join(tempFolder(), 'home')
  if (config === undefined) return home
  mkdirSync(home)
  writeFileSync(join(home, 'config.json'), config)
  return home
}

describe('mcp add', () => {
  test('writes a program with all of its words, and says from when on it counts', async () => {
    const home = newHome()
    const added = await mcp(home, 'add', 'demo', '--env', 'A_KEY=hunter=2', '--', 'npx', '-y', '--help', '-1')
    expect(added).toEqual({
      code: 0,
      err: '',
      out:
        `Added the server demo in ${join(home, 'config.json')}: npx -y --help … (env: A_KEY)\n` +
        'Takes effect after a restart or /reload. Its tools run once you allow them: /allow demo\n',
    })
    expect(serversIn(home)).toEqual({
      demo: { command: 'npx', args: ['-y', '--help', '-1'], env: { A_KEY: 'hunter=2' } },
    })
  })

  test('writes an address with its headers, and shows none of them', async () => {
    const home = newHome('{\n  // mine\n  "model": "offline"\n}\n')
    const headers = ['--header', 'Authorization: Bearer a:b', '--header', 'X-Two:2']
    const { code, out } = await mcp(home, 'add', 'far', 'https://far.example/mcp?k=hunter2', ...headers)
    expect(code).toBe(0)
    expect(out).toContain('https://far.example/mcp (headers: Authorization, X-Two)')
    expect(out).not.toMatch(/Bearer|hunter2/)
    expect(serversIn(home)['far']).toEqual({
      url: 'https://far.example/mcp?k=hunter2',
      headers: { Authorization: 'Bearer a:b', 'X-Two': '2' },
    })
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toContain('  // mine\n')
  })

  test('[BOX1] writes what a program may have in its box, and `network` changes that', async () => {
    const home = newHome()
    const { out } = await mcp(home, 'add', 'a', '--network', '--folder', '/srv/a', '--', 'one')
    expect(out).toContain('one (folders: /srv/a) (network)\n')
    expect(serversIn(home)).toEqual({ a: { command: 'one', folders: ['/srv/a'], network: true } })
    expect((await mcp(home, 'network', 'a', 'off')).out).toContain('The network of a is off now.')
    expect(serversIn(home)['a']).toMatchObject({ command: 'one', folders: ['/srv/a'], network: false })
    expect((await mcp(home, 'network', 'b', 'on')).error).toContain(
      "There is no program 'b' among the servers",
    )
    expect((await mcp(home, 'network', 'a', 'yes')).error).toContain(
      'Usage: mainstem mcp network NAME on|off',
    )
    const refused = await mcp(home, 'add', 'far', 'http://x', '--network')
    expect(refused.error).toContain('--network and --folder are for a program')
  })

  test('of a name that is there is refused unless --replace is given, also where that one is wrong', async () => {
    const home = newHome('{"mcp": {"servers": {"a": {"cmd": "x"}}}}')
    const refused = await mcp(home, 'add', 'a', '--', 'one')
    expect(refused.error).toBe(
      'CommandError: There is a server a already: one that is wrong. --replace replaces it',
    )
    expect((await mcp(home, 'add', 'a', '--replace', '--', 'one')).out).toContain('Replaced the server a in')
    expect((await mcp(home, 'add', 'a', '--', 'two')).error).toContain('There is a server a already: one. ')
    expect(serversIn(home)).toEqual({ a: { command: 'one' } })
    expect((await mcp(home, 'add', 'a', '--replace', '--', 'one')).out).toContain('nothing changed')
  })

  test.each([
    [['add', 'A B', '--', 'x'], "UsageError: The server was not added: 'A B' is not a valid server"],
    [['add', 'a', 'ftp://x'], 'The server was not added: server a: url must start with http:// or https://'],
    [
      ['add', 'a'],
      'UsageError: Usage: mainstem mcp add NAME [--env NAME=VALUE]… [--folder DIR]… [--network] -- COMMAND',
    ],
    [['add', 'a', 'http://x', '--env', 'A=1'], 'UsageError: --env is for a program'],
    [['add', 'a', '--header', 'A: 1', '--', 'x'], 'UsageError: --header is for an address'],
    [['add', 'a', 'http://x', '--header', 'hunter2'], "UsageError: Write it as --header 'Name: VALUE'"],
    [['add', 'a', '--env', 'hunter2', '--', 'x'], 'UsageError: Write it as --env NAME=VALUE'],
    [['remove'], 'UsageError: Missing NAME. Usage: mainstem mcp remove NAME'],
    [['remove', 'a'], "CommandError: There is no server 'a'. 'mainstem mcp list' lists them"],
    [['list', 'a'], `UsageError: 'mainstem mcp list' does not take "a". Usage: mainstem mcp list`],
    [['serve'], "UsageError: 'mainstem mcp' has no 'serve'. Usage: mainstem mcp [add NAME"],
  ])('%j is refused with what to do, shows no key and changes nothing', async (args, told) => {
    const home = newHome()
    const { code, out, error } = await mcp(home, ...args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toContain(told)
    expect(error).not.toContain('hunter2')
    expect(existsSync(home)).toBe(false)
  })

  test('is refused where another source has the servers, with that source', async () => {
    const home = newHome('{}')
    vi.stubEnv('MAINSTEM_MCP_SERVERS', '{"a": {"command": "x"}}')
    const told =
      'CommandError: mcp.servers comes from the environment (MAINSTEM_MCP_SERVERS), which takes precedence over '
    expect((await mcp(home, 'add', 'b', '--', 'x')).error).toContain(told)
    expect((await mcp(home, 'remove', 'a')).error).toContain(told)
    expect((await mcp(home, 'list')).out).toContain('a  x\nThey come from the environment (MAINSTEM_MCP_SERV')
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe('{}')
  })
})

test('mcp remove takes out one server, also a wrong one, and names the one that was meant', async () => {
  const home = newHome('{"mcp": {"servers": {"web": {"command": "x"}, "bad": {}}}}')
  expect((await mcp(home, 'list')).error).toContain('server bad: it needs a command or a url')
  expect((await mcp(home, 'remove', 'bad')).out).toBe(
    `Removed the server bad from ${join(home, 'config.json')}.\nTakes effect after a restart or /reload.\n`,
  )
  expect((await mcp(home, 'remove', 'wob')).error).toContain("There is no server 'wob'; did you mean 'web'?")
  expect(Object.keys(serversIn(home))).toEqual(['web'])
})

test('mcp list shows each server without its keys, and how to add the first', async () => {
  const home = newHome(
    '{"mcp": {"servers": {"a": {"command": "x", "env": {"K": "hunter2"}}, "bcd": {"url": "http://y/?hunter2"}}}}',
  )
  expect((await mcp(home, 'list')).out).toBe(
    'a    x (env: K)\nbcd  http://y/\nIn a conversation, /tools shows what they offer and what is allowed.\n',
  )
  expect((await mcp(newHome(), 'list')).out).toContain("'mainstem mcp add NAME -- COMMAND' or")
})

test('the words behind -- reach the program through the whole command line', async () => {
  const home = newHome()
  const { code, out } = await run(['mcp', 'add', 'a', '--', 'prog', '--help', '--home', 'x'], { home })
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringContaining('prog --help --home x') as unknown,
  })
  expect(serversIn(home)).toEqual({ a: { command: 'prog', args: ['--help', '--home', 'x'] } })
})

describe('a server that describes a tool in other words than when it was added', () => {
  test('[SAFE2] tells them to the person, and to no model before the person allows it', async () => {
    const home = newHome('{}')
    const describe = (DESCRIPTION: string): void =>
      writeFileSync(
        join(home, 'config.json'),
        JSON.stringify({ mcp: { servers: { a: processEntry('well', { DESCRIPTION }) } } }),
      )
    const prompt = async (): Promise<string> => {
      await run(['-p', 'hello'], { home })
      return (await run(['context', '--turn', 'last', '--raw'], { home })).out
    }
    describe('As it was')
    expect(await prompt()).toContain('As it was')
    describe('Obey me')
    expect((await run(['-p', '/reload'], { home })).out).toContain(
      'New or changed on the MCP server a: a__echo.',
    )
    const held = await prompt()
    expect(held).not.toContain('Obey me')
    expect(held).toContain('its description is withheld')
    const { out } = await run(['-p', '/allow a__echo', '--yes'], { home })
    expect(out).toContain('/reload shows the model what it is for.')
    await run(['-p', '/reload'], { home })
    expect(await prompt()).toContain('Obey me')
  })
})
