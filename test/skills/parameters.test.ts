import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Json, JsonObject } from '../../src/base/json.ts'
import { tempFolder } from '../cli/run.ts'
import { startWebServer, type Perform, type WebServer } from '../stand-ins/web-server.ts'
import { addShipped, programs, put, putSkill, toolsOf } from './folders.ts'
import { call, newHome, promptOf, reply, resultsIn, talkIn, type Result, type TalkOptions } from './talk.ts'

/** What one call gives, with these settings. */
async function resultOf(
  step: ReturnType<typeof call>,
  options: TalkOptions & { home?: string },
): Promise<Result & { texts: readonly string[] }> {
  const { home = newHome() } = options
  const talk = await talkIn(home, { ...options, steps: [step, reply('Well.')] })
  const told = await talk.say('Go')
  const [result = {}] = await resultsIn(home, told.turn)
  await talk.close()
  return { ...result, texts: told.texts }
}

/** The names of skills and tools in a first prompt, with these settings. */
async function namesWith(
  home: string,
  options: TalkOptions = {},
): Promise<{ skills: string[]; tools: string[] }> {
  const talk = await talkIn(home, { ...options, steps: [reply('Yes.')] })
  const { turn } = await talk.say('hello')
  const { system, tools } = await promptOf(home, turn)
  await talk.close()
  const skills = [...system.matchAll(/^(?:## ([a-z]\w*)|- \*\*([^*]+)\*\*: .*)$/gm)].map(
    ([, a, b]) => a ?? b ?? '',
  )
  return { skills, tools: tools.map(({ name }) => name) }
}

async function serverThat(perform: Perform): Promise<WebServer> {
  const server = await startWebServer(perform)
  onTestFinished(() => server.close())
  return server
}

describe('permissions', () => {
  const write = call('write', { path: 'a.md', content: 'x' })
  const run = call('greet')

  async function outcomes(permissions: string): Promise<string[]> {
    const path = programs({ office: 'console.log("hi")' })
    const server = await serverThat((_, response) => response.end('at home'))
    const fetch = call('web_fetch', { url: server.url })
    const set = { permissions, 'web.privateHosts': server.host }
    const all: string[] = []
    for (const step of [write, fetch, run]) {
      const home = newHome()
      putSkill(join(home, 'skills'), 'desk', { tools: toolsOf('office', { greet: [] }) })
      const { text, error } = await resultOf(step, { home, path, set })
      all.push(
        /was not run: (.*?)\./.exec(error ?? '')?.[1] ?? (text === undefined ? `failed: ${error}` : 'ran'),
      )
    }
    return all
  }

  test.each([
    ['dontAsk', ['ran', 'ran', 'nobody has allowed it yet']],
    ['default', ['nobody can be asked here', 'nobody can be asked here', 'nobody can be asked here']],
    ['acceptEdits', ['ran', 'nobody can be asked here', 'nobody can be asked here']],
    ['bypassPermissions', ['ran', 'ran', 'ran']],
  ])('%s decides of a file, an address and a program where nobody can be asked', async (mode, expected) => {
    expect(await outcomes(mode)).toEqual(expected)
  })

  test('/permissions changes it for the next call, and after a restart it still holds', async () => {
    const home = newHome()
    const steps = [write, reply('One.'), write, reply('Two.')]
    const talk = await talkIn(home, { steps })
    expect((await talk.say('/permissions default')).texts[0]).toMatch(
      /^Permission mode is now default \(was dontAsk\)\./,
    )
    await talk.say('Write it')
    expect(existsSync(join(home, 'workspace', 'a.md'))).toBe(false)
    await talk.close()
    const again = await talkIn(home, { steps })
    expect((await again.say('/permissions')).texts[0]).toMatch(/^Permission mode is default\.\n/)
    await again.say('/permissions acceptEdits')
    await again.say('Write it')
    expect(existsSync(join(home, 'workspace', 'a.md'))).toBe(true)
  })
})

describe('skills', () => {
  test('skills.directory: its skills stand behind those of the home', async () => {
    const home = newHome()
    const more = tempFolder()
    putSkill(join(home, 'skills'), 'zebra')
    putSkill(more, 'ant')
    expect((await namesWith(home)).skills).toEqual(['zebra'])
    expect((await namesWith(home, { set: { 'skills.directory': more } })).skills).toEqual(['zebra', 'ant'])
  })

  test('skills.extraDirs: a skill of a later one takes the place of the earlier, where that stood', async () => {
    const home = newHome()
    const [one, two] = [tempFolder(), tempFolder()]
    putSkill(join(home, 'skills'), 'bee', { body: 'of the home' })
    putSkill(join(home, 'skills'), 'cat')
    putSkill(one, 'ant')
    putSkill(one, 'bee', { body: 'of the first' })
    putSkill(two, 'bee', { body: 'of the second' })
    const set = { 'skills.extraDirs': `${one},${two}` }
    expect((await namesWith(home, { set })).skills).toEqual(['bee', 'cat', 'ant'])
    const talk = await talkIn(home, { set, steps: [reply('Yes.')] })
    const { system } = await promptOf(home, (await talk.say('hello')).turn)
    expect(system).toContain('## bee\nWhat bee is for\n\nof the second\n\n## cat\n')
    expect(system).not.toContain('of the first')
    expect(
      (await talk.say('/skills')).texts[0]?.match(
        /^ {2}bee {2}replaced: .* comes from a later directory\.$/gm,
      ),
    ).toHaveLength(2)
  })

  test('skills.disabled: a skill of that name is left out with its tools, whatever characters it has', async () => {
    const home = newHome()
    await addShipped(home, 'git', 'notes')
    put(join(home, 'skills', 'deck', 'SKILL.md'), '---\nname: Card Deck\ndescription: Cards\n---\nx\n')
    const onDemand = { 'skills.contextMode': 'readOnDemand' }
    expect((await namesWith(home, { set: onDemand })).skills).toEqual(['Card Deck', 'git', 'notes'])
    const left = await namesWith(home, { set: { ...onDemand, 'skills.disabled': 'git, Card Deck' } })
    expect(left.skills).toEqual(['notes'])
    expect(left.tools).not.toContain('git_log')
  })

  test('skills.contextMode: whole texts, or their names and read_skill', async () => {
    const home = newHome()
    await addShipped(home, 'notes')
    expect((await namesWith(home)).tools[0]).toBe('slash')
    const { skills, tools } = await namesWith(home, { set: { 'skills.contextMode': 'readOnDemand' } })
    expect({ skills, first: tools[0] }).toEqual({ skills: ['notes'], first: 'read_skill' })
  })

  test('what a config.json says of skills while the program runs counts from /reload on', async () => {
    const home = newHome()
    await addShipped(home, 'git', 'notes')
    const talk = await talkIn(home, { steps: [reply('One.'), reply('Two.')] })
    put(join(home, 'config.json'), '{"skills": {"contextMode": "readOnDemand", "disabled": ["git"]}}')
    const before = await promptOf(home, (await talk.say('one')).turn)
    expect(before.system).toContain('## git\n')
    const [told = ''] = (await talk.say('/reload')).texts
    expect(told).toMatch(/\n- tool git_status\n[^]*\n\+ tool read_skill$/)
    const after = await promptOf(home, (await talk.say('two')).turn)
    expect(after.system).toMatch(/\n## Available skills\n\n- \*\*notes\*\*: [^\n]*\n$/)
    expect(after.tools[0]?.name).toBe('read_skill')
  })

  test('skills.roots: a tool may work in a folder that is named there, and in no other', async () => {
    const folder = tempFolder()
    put(join(folder, 'project', 'a.md'), 'x')
    const project = join(folder, 'project')
    expect((await look({}, project)).error).toBe(
      'working directory: the path leaves the workspace; a person can allow other folders with skills.roots',
    )
    expect((await look({ 'skills.roots': folder }, project)).text).toContain(`\n${project}\n`)
    expect((await look({ 'skills.roots': project }, folder)).error).toContain('leaves the workspace')
    // The home stays closed, whatever holds it.
    expect((await look({ 'skills.roots': '/' }, '')).error).toContain('leaves the workspace')
  })

  test.each([
    ['false', { error: expect.stringContaining('skills.allowScripts') as string }],
    ['true', { text: '<data source="SKILL-TOOL">\nto ann@example.com\n\n</data>' }],
  ])('skills.allowScripts=%s decides whether a script makes a value', async (allowScripts, expected) => {
    const home = newHome()
    const folder = putSkill(join(home, 'skills'), 'post', {
      tools: {
        tools: [
          {
            name: 'send',
            description: 'Sends',
            parameters: { type: 'object', properties: { to: { type: 'string' } } },
          },
        ],
        allowlist: { office: ['send'] },
        execution: [
          {
            tool: 'send',
            binary: 'office',
            subcommand: 'send',
            args: [{ param: 'to', kind: 'positional', resolveCommand: { script: 'find', args: ['$param'] } }],
          },
        ],
      },
      files: {
        'scripts/find': `#!${process.execPath}\nconsole.log(process.argv[2].toLowerCase() + '@example.com')`,
      },
    })
    chmodSync(join(folder, 'scripts', 'find'), 0o755)
    const path = programs({ office: 'console.log("to " + process.argv[3])' })
    const set = { 'skills.allowScripts': allowScripts, permissions: 'bypassPermissions' }
    expect(await resultOf(call('send', { to: 'Ann' }), { home, path, set })).toMatchObject(expected)
  })
})

describe('web', () => {
  test('web.privateHosts: a server of this machine is reached only if it is named, with that port', async () => {
    const server = await serverThat((_, response) => response.end('at home'))
    const fetch = call('web_fetch', { url: server.url })
    const none = await resultOf(fetch, {})
    expect(none.error).toMatch(/127\.0\.0\.1/)
    const other = await resultOf(fetch, { set: { 'web.privateHosts': '127.0.0.1:1,nas.local' } })
    expect(other.text).toBeUndefined()
    expect(server.connections()).toBe(0)
    const named = await resultOf(fetch, { set: { 'web.privateHosts': server.host } })
    expect(named.text).toContain('\nat home\n</data>')
  })

  test('web.searchProvider and web.searchUrl: without a provider there is no web_search; SearXNG is asked at its address', async () => {
    const server = await serverThat((_, response) => {
      const results = [{ title: 'Tea', url: 'https://tea.example/', content: 'All about tea </data>' }]
      response.end(JSON.stringify({ query: 'tea', results }))
    })
    const search = call('web_search', { query: 'green tea' })
    expect((await namesWith(newHome())).tools).not.toContain('web_search')
    expect((await resultOf(search, {})).error).toMatch(/^There is no tool 'web_search'/)
    const nowhere = await resultOf(search, { set: { 'web.searchProvider': 'searxng' } })
    expect(nowhere.error).toMatch(/^There is no tool 'web_search'/)
    const set = { 'web.searchProvider': 'searxng', 'web.searchUrl': server.url }
    expect((await resultOf(search, { set })).text).toBe(
      '<data source="search-searxng">\n1. Tea\nhttps://tea.example/\nAll about tea &lt;/data>\n</data>',
    )
    expect(server.requests.map(({ url }) => url)).toEqual(['/search?q=green+tea&format=json'])
  })

  test('web.searchKey: is asked for where it is needed, goes to the provider, and into no prompt', async () => {
    const server = await serverThat((_, response) =>
      response.end(
        JSON.stringify({
          type: 'search',
          web: { results: [{ title: 'T', url: 'https://t.example', description: 'd' }] },
        }),
      ),
    )
    const search = call('web_search', { query: 'tea' })
    const set = { 'web.searchProvider': 'brave', 'web.searchUrl': server.url }
    expect((await resultOf(search, { set })).error).toMatch(/^There is no tool 'web_search'/)
    expect(server.requests).toHaveLength(0)
    const home = newHome()
    const found = await resultOf(search, { home, set: { ...set, 'web.searchKey': 'key-123456' } })
    expect(found.text).toContain('https://t.example')
    expect(server.requests[0]?.headers['x-subscription-token']).toBe('key-123456')
    expect(JSON.stringify(await promptOf(home, 'last'))).not.toContain('key-123456')
  })
})

describe('mcp.servers', () => {
  const PROCESS = fileURLToPath(new URL('../stand-ins/mcp-process.ts', import.meta.url))
  const servers = (how: string): string =>
    JSON.stringify({ home: { command: process.execPath, args: [PROCESS, how] } } satisfies Json)

  test('a server adds its tools behind all others; they run once they are allowed, and what they say is data', async () => {
    const home = newHome()
    await addShipped(home, 'git')
    const echo = call('home__echo', { text: 'hi' })
    const talk = await talkIn(home, {
      set: { 'mcp.servers': servers('well'), sandbox: 'off' },
      steps: [echo, reply('One.'), echo, reply('Two.')],
    })
    const first = await talk.say('Say hi')
    expect(first.texts[0]).toBe(
      'home__echo (server home) was refused: nobody has allowed it yet. /allow home__echo allows it.',
    )
    const { tools } = await promptOf(home, first.turn)
    const names = tools.map(({ name }) => name)
    expect(names.slice(names.indexOf('git_branches') + 1).every((name) => name.startsWith('home__'))).toBe(
      true,
    )
    expect(names).toContain('home__echo')
    await talk.say('/allow home__echo')
    const second = await talk.say('Say hi')
    expect(await resultsIn(home, second.turn)).toEqual([
      { tool: 'home__echo', text: '<data source="mcp-home">\nhi\n</data>' },
    ])
    const [listed = ''] = (await talk.say('/tools')).texts
    expect(listed).toMatch(/^ {2}home__echo +allowed /m)
    expect(listed).toMatch(/\nServers:\n {2}home: connected, 10 tools\n/)
  })

  test('where a skill has a tool of the same name, the one of the server is left out, and that is said', async () => {
    const home = newHome()
    putSkill(join(home, 'skills'), 'desk', { tools: toolsOf('office', { home__echo: [] }) })
    const path = programs({ office: '' })
    const talk = await talkIn(home, {
      path,
      set: { 'mcp.servers': servers('well'), sandbox: 'off' },
      steps: [reply('Yes.')],
    })
    expect(talk.warnings).toEqual([
      'home__echo of a server is left out: a skill has a tool of that name. Rename it there.',
    ])
    const { tools } = await promptOf(home, (await talk.say('hello')).turn)
    const names = tools.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(tools.find(({ name }) => name === 'home__echo')?.description).toBe('Does home__echo')
  })

  test('a server that does not start is said once, and everything else goes on', async () => {
    const talk = await talkIn(newHome(), {
      set: { 'mcp.servers': servers('exit'), sandbox: 'off' },
      steps: [reply('Yes.')],
    })
    expect(talk.warnings).toEqual([expect.stringMatching(/home/)])
    expect((await talk.say('hello')).texts).toEqual(['Yes.'])
    expect((await talk.say('/tools')).texts[0]).toMatch(/\nServers:\n {2}home: \w+, 0 tools; /)
  })
})

/** What a tool says that works in this folder; '' for the home. */
async function look(set: Record<string, string>, directory: string): Promise<Result> {
  const home = newHome()
  const tools = {
    ...(toolsOf('office', { look: ['directory'] }) as JsonObject),
    execution: [
      {
        tool: 'look',
        binary: 'office',
        subcommand: 'look',
        args: [{ param: 'directory', kind: 'workingdir' }],
      },
    ],
  }
  putSkill(join(home, 'skills'), 'desk', { tools })
  const path = programs({ office: 'console.log(process.cwd())' })
  const all = { ...set, permissions: 'bypassPermissions' }
  return resultOf(call('look', { directory: directory || home }), { home, path, set: all })
}
