import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { styleFor } from '../src/base/style.ts'
import { widthOf } from '../src/base/width.ts'
import { configCommand } from '../src/cli/store/config.ts'
import { readConfig } from '../src/config/config.ts'
import { environmentNames } from '../src/config/table/key.ts'
import { configLines } from '../src/config/listing.ts'
import { keys } from '../src/config/table/settings.ts'
import { presets } from '../src/config/table/presets.ts'
import { run, runHere, tempFolder, type Failed } from './cli/run.ts'

// What the machine that runs the tests has in its environment is not what is tested.
beforeEach(() => {
  for (const name of keys.flatMap(environmentNames)) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

const config = (home: string, ...args: string[]): Promise<Failed> => runHere(configCommand, home, args)

function homeWith(files: Readonly<Record<string, string>>): string {
  const home = join(tempFolder(), 'home')
  mkdirSync(home, { mode: 0o700 })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  return home
}

function noHome(): string {
  return join(tempFolder(), 'home')
}

describe('config list', () => {
  test('names every parameter with its value and source in 80 columns, and alone config does the same', async () => {
    vi.stubEnv('MAINSTEM_OPENAI_COMPATIBLE_URL', `http://127.0.0.1:8000/${'long/'.repeat(20)}`)
    const home = homeWith({
      'config.json': '{\n  "maxToolCalls": 7,\n  "keys": { "openai": "sk-0123456789abcdef" }\n}',
      '.env': '\nMAINSTEM_THINKING=adaptive\nOPENROUTER_API_KEY=short',
    })
    const listed = await config(home, 'list', '--set', 'DEPTH_MAX=3')
    expect(listed).toMatchObject({ code: 0, err: '' })
    const lines = listed.out.split('\n')
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80)
    for (const key of keys) expect(lines.filter((line) => line.startsWith(`  ${key} `))).toHaveLength(1)
    const columnOf = (key: string) =>
      lines
        .find((line) => line.startsWith(`  ${key} `))
        ?.trim()
        .split(/ {2,}/)
    expect(columnOf('maxToolCalls')).toEqual(['maxToolCalls', '7', 'config.json:2'])
    expect(columnOf('keys.openai')).toEqual(['keys.openai', 'set (…cdef)', 'config.json:3'])
    expect(columnOf('keys.openrouter')).toEqual(['keys.openrouter', 'set', '.env:3'])
    expect(columnOf('thinking')).toEqual(['thinking', 'adaptive', '.env:2'])
    expect(columnOf('depthMax')).toEqual(['depthMax', '3', '--set'])
    expect(columnOf('cbBackoff')).toEqual(['cbBackoff', '1 s, 5 s, 30 s', 'default'])
    expect(columnOf('openaiCompatible.url')?.[2]).toBe('MAINSTEM_OPENAI_COMPATIBLE_URL')
    expect(listed.out).not.toContain('0123456789')
    expect(await config(home, '--set', 'DEPTH_MAX=3')).toEqual(listed)
  })

  test('--long says what each does, may be, and is called in the environment', async () => {
    const { out } = await config(noHome(), 'list', '--long')
    for (const name of keys.flatMap(environmentNames)) expect(out).toContain(name)
    expect(out).toContain('Allowed: a whole number from 0 to 50. Default: 5.')
    for (const line of out.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(80)
  })

  test('--json tells all of it to programs, and no secret', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-0123456789')
    const { out } = await config(noHome(), 'list', '--json')
    const listed = JSON.parse(out) as Record<string, object>
    expect(Object.keys(listed)).toEqual([...keys])
    expect(listed['maxToolCalls']).toMatchObject({
      value: 30,
      default: 30,
      source: { kind: 'default' },
      change: 'live',
      environment: ['MAINSTEM_MAX_TOOL_CALLS'],
    })
    expect(listed['keys.anthropic']).toMatchObject({
      value: 'set (…6789)',
      source: { kind: 'environment', name: 'ANTHROPIC_API_KEY' },
    })
    expect(out).not.toContain('sk-ant')
  })

  test('dims what is a default, and nothing else', () => {
    const read = readConfig({ home: noHome(), environment: {}, flags: { depthMax: '3' } })
    const lines = configLines(read, { style: styleFor('colour'), columns: 80, detail: 'short' })
    const dim = '\u001B[2m'
    expect(lines.find((line) => line.includes(' depthMax '))).not.toContain(dim)
    expect(lines.filter((line) => line.startsWith(dim))).toHaveLength(keys.length - 1)
  })

  test('makes nothing', async () => {
    const home = noHome()
    await config(home, 'list')
    expect(existsSync(home)).toBe(false)
  })

  test('tells of names in the environment that mean nothing', async () => {
    vi.stubEnv('MAINSTEM_MAX_TOOL_CALL', '3')
    const { code, err } = await config(noHome(), 'list')
    expect(code).toBe(0)
    expect(err).toContain('Warning: There is no setting MAINSTEM_MAX_TOOL_CALL (in the environment)')
    expect(err).toContain('Did you mean MAINSTEM_MAX_TOOL_CALLS?')
  })
})

describe('config preset', () => {
  test.each(Object.entries(presets))('%s writes its settings', async (name, preset) => {
    const home = noHome()
    expect(await config(home, 'preset', name)).toMatchObject({ code: 0, err: '' })
    const now = JSON.parse((await config(home, 'list', '--json')).out) as Record<string, object>
    for (const [key, value] of Object.entries(preset.values)) expect(now[key]).toMatchObject({ value })
  })

  test('one can follow any other, for all its settings are written at once', async () => {
    const home = noHome()
    for (const one of Object.keys(presets))
      for (const other of Object.keys(presets)) {
        expect(await config(home, 'preset', one)).toMatchObject({ code: 0 })
        expect(await config(home, 'preset', other)).toMatchObject({ code: 0 })
      }
  })

  test('says what changed, and keeps the comments of the file', async () => {
    const home = homeWith({ 'config.json': '{\n  "historyWindow": 25, // mine\n}\n' })
    const file = join(home, 'config.json')
    expect((await config(home, 'preset', 'longer-conversations')).out).toBe(
      'historyWindow is 30 (was 25).\ncompactionThreshold is 60 (was 40).\ntruncationLimit is 150 (was 100).\n' +
        `Saved in ${file}. Takes effect with the next turn, also in a running mainstem.\n`,
    )
    expect(readFileSync(file, 'utf8')).toContain('"historyWindow": 30, // mine')
  })

  test('without a name lists them; an unknown one, and a pinned setting, change nothing', async () => {
    const home = noHome()
    expect((await config(home, 'preset')).out).toContain('small-context')
    expect((await config(home, 'preset', 'huge')).error).toContain(
      "UsageError: There is no preset 'huge'. The presets are fetch, longer-conversations,",
    )
    vi.stubEnv('MAINSTEM_TRUNCATION_LIMIT', '90')
    expect((await config(home, 'preset', 'fetch')).error).toContain(
      'truncationLimit is 90 from the environment (MAINSTEM_TRUNCATION_LIMIT), which takes precedence',
    )
    expect(existsSync(home)).toBe(false)
  })
})

test.each(['FETCH_HISTORY_WINDOW', 'FETCH_MAX_TOOL_CALLS'])('%s is answered with our name', async (name) => {
  vi.stubEnv(name, '3')
  vi.stubEnv('FETCH_SOMETHING_ELSE', '3')
  const { code, err } = await config(noHome(), 'list')
  const own = name.replace('FETCH_', 'MAINSTEM_')
  expect({ code, err }).toEqual({
    code: 0,
    err: `Warning: ${name} in the environment has no effect. Use ${own} instead.\n`,
  })
  const home = homeWith({ '.env': `${name}=3\nFETCH_SOMETHING_ELSE=3\n` })
  vi.stubEnv(name, undefined)
  expect((await config(home, 'list')).err).toBe(
    `Warning: ${name} in ${join(home, '.env')}, line 1 has no effect. Use ${own} instead.\n`,
  )
})

test('historyTokens says what a full prompt costs with the model in use', async () => {
  const home = homeWith({
    'config.json': '{ "model": "anthropic/claude-sonnet-5", "keys": { "anthropic": "k" } }',
  })
  const said = async (...more: string[]) =>
    (await config(home, 'list', '--long', ...more)).out.replaceAll(/\s+/g, ' ')
  expect(await said()).toContain(
    'Now a full prompt has 32k tokens of messages: $0.0640 with anthropic/claude-sonnet-5.',
  )
  expect(await said('--set', 'historyTokens=off')).toContain(
    'Now a full prompt has 750k tokens of messages: $1.50 with',
  )
  expect(await said('--set', 'model=ollama/qwen3')).toMatch(/of messages: free with ollama\/qwen3\./)
  expect(await said('--set', 'model=none')).not.toContain('a full prompt')
})

describe('config set and get', () => {
  test.each([
    ['maxToolCalls', '7', '7'],
    ['MAX_TOOL_CALLS', '7', '7'],
    ['MAINSTEM_CB_BACKOFF', '10, 20', '10 ms, 20 ms'],
    ['approvalTimeout', '20 min', '20 min'],
    ['pingTtl', '90', '90 s'],
    ['timezone', 'Europe/Berlin', 'Europe/Berlin'],
    ['costDayMax', '2.5', '$2.50'],
    ['fallbackModels', 'offline,ollama/a', 'offline,ollama/a'],
    ['thinking', '2048', '2048'],
    ['urls.ollama', '10.0.0.2:11434', '10.0.0.2:11434'],
    ['OPENAI_API_KEY', 'sk-0123456789abcdef', 'set (…cdef)'],
  ])('set %s %s, and get gives %s', async (key, value, expected) => {
    const home = noHome()
    expect(await config(home, 'set', key, value)).toMatchObject({ code: 0, err: '' })
    expect(await config(home, 'get', key)).toEqual({ code: 0, out: `${expected}\n`, err: '' })
    expect(statSync(join(home, 'config.json')).mode & 0o777).toBe(0o600)
  })

  test('set says what changed, from what, and whether a restart is needed; unset undoes it', async () => {
    const home = noHome()
    const file = join(home, 'config.json')
    expect((await config(home, 'set', 'costDayMax', '500000', 'tokens')).out).toBe(
      `costDayMax is now 500000 tokens (was none, the default). Saved in ${file}.\nTakes effect with the next turn, also in a running mainstem.\n`,
    )
    expect((await config(home, 'set', 'maxRetries', '1')).out).toContain('Takes effect after a restart')
    expect((await config(home, 'set', 'maxRetries', '2')).out).toContain(
      `maxRetries is now 2 (was 1, from ${file}, line 7, column 17).`,
    )
    expect((await config(home, 'set', 'maxRetries', '2')).out).toContain('is 2 already')
    expect((await config(home, 'unset', 'MAX_RETRIES')).out).toContain('maxRetries is now 3 (was 2,')
    expect((await config(home, 'unset', 'MAX_RETRIES')).out).toContain('nothing changed')
    expect((await config(home, 'get', 'maxRetries')).out).toBe('3\n')
  })

  test('guests.costDayMax is set and unset, and what differs for some stays', async () => {
    const home = homeWith({ 'config.json': '{\n  "guests": { "ana": { "costDayMax": "$2.00" } },\n}\n' })
    expect(await config(home, 'set', 'guests.costDayMax', '$0.50')).toMatchObject({ code: 0, err: '' })
    const both = { costDayMax: '$0.50', ana: { costDayMax: '$2.00' } }
    expect(JSON.parse((await config(home, 'get', 'guests')).out)).toEqual(both)
    expect((await config(home, 'set', 'guests.costDayMax', 'much')).code).not.toBe(0)
    expect(await config(home, 'unset', 'guests.costDayMax')).toMatchObject({ code: 0 })
    expect(JSON.parse((await config(home, 'get', 'guests')).out)).toEqual({ ana: both.ana })
  })

  test('set keeps the comments of the file', async () => {
    const home = homeWith({ 'config.json': '{\n  // mine\n  "model": "offline", // for now\n}\n' })
    await config(home, 'set', 'model', 'ollama/a')
    await config(home, 'set', 'depthMax', '2')
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(
      '{\n  // mine\n  "model": "ollama/a", // for now\n  "depthMax": 2,\n}\n',
    )
  })

  test.each([
    [['get', 'maxToolCals'], "UsageError: There is no setting 'maxToolCals'; did you mean 'maxToolCalls'?"],
    [['set', 'MAX_TOOL', '1'], "did you mean 'maxToolCalls'?"],
    [['set', 'maxToolCalls'], 'UsageError: Missing VALUE. Usage: mainstem config set KEY VALUE'],
    [['get'], 'UsageError: Missing KEY. Usage: mainstem config get KEY'],
    [['list', 'x'], `UsageError: 'mainstem config list' does not take "x". Usage: mainstem config list`],
    [['edit'], "UsageError: 'mainstem config' has no 'edit'. Usage: mainstem config [list"],
    [['list', '--set', 'x'], "UsageError: '--set x' has no value: --set KEY=VALUE"],
    [['list', '--set', 'x=1'], 'ConfigError: --set: there is no setting "x".'],
    [
      ['list', '--set', 'maxToolCalls=x'],
      "ConfigError: maxToolCalls is 'x' in --set. Write a whole number from 0 to 50",
    ],
    [
      ['set', 'maxToolCalls', '51'],
      "UsageError: maxToolCalls cannot be '51'. Write a whole number from 0 to 50.",
    ],
    [['set', 'recallDecay', '-1'], "UsageError: recallDecay cannot be '-1'. Write a number from 0 to 10."],
    [['set', 'model', 'antropic/x'], 'did you mean anthropic/x?'],
    [['set', 'timezone', 'berlin'], 'did you mean Europe/Berlin?'],
  ])('%j is refused with what to do, and changes nothing', async (args, told) => {
    const home = noHome()
    const { code, out, error } = await config(home, ...args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toContain(told)
    expect(error?.split('\n')).toHaveLength(1)
    expect(existsSync(home)).toBe(false)
  })

  test.each([
    ['{"a":{"cmd":"hunter2"}}', "server a: 'cmd' is unknown (did you mean 'command'"],
    ['{"a":{"command":hunter2}}', 'it is not JSON: at character 17, unknown'],
  ])('wrong servers are refused with the place and without a value: %s', async (json, told) => {
    const home = homeWith({})
    const { error } = await config(home, 'set', 'mcp.servers', json)
    expect(error).toContain(`UsageError: mcp.servers cannot be that: ${told}`)
    expect(error).not.toContain('hunter2')
    writeFileSync(join(home, '.env'), `MAINSTEM_MCP_SERVERS='${json}'`)
    const fromFile = await config(home, 'list')
    expect(fromFile.error).toContain(
      `MAINSTEM_MCP_SERVERS is invalid in ${join(home, '.env')}, line 1: ${told}`,
    )
    expect(fromFile.error).not.toContain('hunter2')
  })

  test.each([
    ['skills.roots', '["/srv/a", "/srv/b"]', '/srv/a,/srv/b'],
    ['retryBackoff', '[1, 2]', '1 ms, 2 ms'],
    ['fallbackModels', '["offline"]', 'offline'],
    ['web.privateHosts', '[::1]:8080,nas', '[::1]:8080,nas'],
    ['skills.disabled', '[]', 'none'],
  ])('%s is a list, written %s', async (key, text, shown) => {
    const home = homeWith({})
    expect(await config(home, 'set', key, text)).toMatchObject({ code: 0 })
    expect((await config(home, 'get', key)).out).toBe(`${shown}\n`)
  })

  test('a folder of skills that is not there is taken with a note, and one that is there without', async () => {
    const home = homeWith({ file: '' })
    const [none, file] = [join(home, 'none'), join(home, 'file')]
    const note = `${none} (that folder is not there yet)\n`
    for (const key of ['skills.extraDirs', 'skills.roots', 'skills.directory']) {
      expect((await config(home, 'set', key, none)).out).toContain(`restart or /reload.\n${note}`)
      expect((await config(home, 'set', key, none)).out).toContain(`nothing changed.\n${note}`)
      expect((await config(home, 'set', key, home)).out).not.toContain('(that')
      expect((await config(home, 'set', key, file)).out).toContain(`${file} (that is a file and no folder)`)
    }
    expect((await config(home, 'unset', 'skills.directory')).out).not.toContain('(that')
  })

  test('a search provider says what it still needs, until that is set', async () => {
    const home = homeWith({})
    const needed = 'Still needed for web_search: '
    expect((await config(home, 'set', 'web.searchProvider', 'brave')).out).toContain(
      `${needed}web.searchKey. 'mainstem config set web.searchKey -'`,
    )
    expect((await config(home, 'set', 'web.searchKey', 'k')).out).not.toContain(needed)
    expect((await config(home, 'set', 'web.searchProvider', 'searxng')).out).toContain(
      `${needed}web.searchUrl. 'mainstem config set web.searchUrl ADDRESS'`,
    )
    expect((await config(home, 'set', 'web.searchUrl', 'http://x')).out).not.toContain(needed)
    expect((await config(home, 'set', 'web.searchProvider', 'none')).out).not.toContain(needed)
  })

  test('a value that another source pins is refused with that source', async () => {
    const home = homeWith({ '.env': 'MAINSTEM_MODEL=offline' })
    const { error } = await config(home, 'set', 'model', 'ollama/a')
    expect(error).toBe(
      `CommandError: model is offline from ${join(home, '.env')}, line 1, which takes precedence over ${join(home, 'config.json')}. Change or remove it there`,
    )
    vi.stubEnv('MAINSTEM_MODEL', 'ollama/b')
    expect((await config(home, 'set', 'model', 'ollama/a')).error).toContain(
      'the environment (MAINSTEM_MODEL)',
    )
    expect(existsSync(join(home, 'config.json'))).toBe(false)
  })

  test('set KEY - takes the value from the standard input', async () => {
    const home = noHome()
    const { code, out } = await run(['config', 'set', 'keys.openai', '-'], {
      home,
      input: 'sk-0123456789abcdef\n',
    })
    expect(code).toBe(0)
    expect(out).toContain('keys.openai is now set (…cdef) (was none')
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toContain('"openai": "sk-0123456789abcdef"')
  })
})

describe('loosening settings', () => {
  test.each([
    ['permissions', ' bypassPermissions'],
    ['links', 'telegram:666'],
    ['telegram.token', '1:stolen'],
    ['skills.roots', '/'],
  ])('[RIGHT1] config set %s from a pipe needs --yes', async (key, value) => {
    const home = noHome()
    const refused = await run(['config', 'set', key, value], { home, input: '' })
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('need --yes') })
    expect(await run(['config', 'unset', key], { home, input: '' })).toMatchObject(
      key === 'permissions' ? { code: 0 } : { code: 1 },
    )
    expect(existsSync(join(home, 'config.json'))).toBe(false)
    expect((await run(['config', 'set', key, value, '--yes'], { home, input: '' })).code).toBe(0)
    expect((await run(['config', 'set', 'recallLimit', '7'], { home, input: '' })).code).toBe(0)
  })

  test('[RIGHT1] from a terminal, all of them are set', async () => {
    const home = noHome()
    for (const [key = '', value = ''] of [
      ['permissions', 'bypassPermissions'],
      ['links', 'telegram:666'],
    ])
      expect(await run(['config', 'set', key, value], { home })).toMatchObject({ code: 0, err: '' })
  })
})

describe('a broken config.json', () => {
  const broken = '{\n  "model": "offline",\n  "maxToolCalls": 5 "depthMax": 2\n}\n'

  test.each([['list'], ['get', 'model'], ['set', 'model', 'offline'], ['unset', 'model']])(
    'is told with line and column by config %s',
    async (...args) => {
      const home = homeWith({ 'config.json': broken })
      const { code, out, error } = await config(home, ...args)
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(error).toBe(
        `ConfigError: ${join(home, 'config.json')}, line 3, column 21: expected a comma. Fix that line.`,
      )
      expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(broken)
    },
  )

  test('does not keep config path from telling where it is', async () => {
    const home = homeWith({ 'config.json': broken, '.env': '"' })
    expect(await config(home, 'path')).toEqual({ code: 0, out: `${join(home, 'config.json')}\n`, err: '' })
  })
})
