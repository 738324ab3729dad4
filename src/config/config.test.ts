import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tempFolder } from '../../test/cli/run.ts'
import { ConfigError, readConfig, type ReadConfig } from './config.ts'
import { defaultConfigText } from './write.ts'
import { environmentName, specOf } from './table/key.ts'
import { type Key, keys } from './table/settings.ts'
import { providerAccess } from './provider-access.ts'
import type { Environment } from './table/source.ts'

interface Sources {
  readonly file?: string
  readonly env?: string
  readonly environment?: Environment
  readonly flags?: Readonly<Record<string, string>>
}

function homeWith({ file, env }: Sources): string {
  const home = tempFolder()
  if (file !== undefined) writeFileSync(join(home, 'config.json'), file)
  if (env !== undefined) writeFileSync(join(home, '.env'), env)
  return home
}

function read(sources: Sources, home = homeWith(sources)): ReadConfig {
  return readConfig({ home, environment: sources.environment ?? {}, flags: sources.flags ?? {} })
}

function problemsOf(sources: Sources, home = homeWith(sources)): readonly string[] {
  try {
    read(sources, home)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ text }) => text)
    throw error
  }
  return []
}

describe('sources', () => {
  test('without any, every value is its default', () => {
    const config = read({}, join(tempFolder(), 'no-such-home'))
    for (const key of keys) {
      expect(config.settingOf(key)).toEqual({
        value: specOf(key).default,
        source: { kind: 'default' },
      })
    }
    expect(config.values).toMatchObject({ maxToolCalls: 30, model: null, keys: { anthropic: null } })
    expect(config.warnings).toEqual([])
  })

  test.for<[Key, string, string, string, string]>([
    ['maxToolCalls', '1', '2', '3', '4'],
    ['chatTemperature', '0.1', '0.2', '0.3', 'none'],
    ['cbBackoff', '[1]', '2,3', '4', '5,6'],
    ['model', '"ollama/a"', 'ollama/b', 'ollama/c', 'ollama/d'],
    ['fallbackModels', '["ollama/a"]', 'ollama/b,offline', 'ollama/c', 'none'],
    ['thinking', '"adaptive"', '1024', 'off', '2048'],
    ['timezone', '"Europe/Berlin"', 'Asia/Tokyo', 'UTC', 'America/Lima'],
    ['costDayMax', '2.5', '$3', '500 tokens', 'none'],
    ['keys.openai', '"a"', 'b', 'c', 'd'],
    ['urls.openai', '"http://a"', 'http://b', 'http://c', 'http://d'],
    ['urls.ollama', '"a"', 'b:1', 'http://c', 'd'],
  ])('of %s the later one wins: file, .env, environment, flag', ([key, file, env, environment, flag]) => {
    const { type } = specOf(key)
    const name = environmentName(key)
    const [head, tail] = key.split('.')
    const all: Required<Sources> = {
      file: tail === undefined ? `{"${head}": ${file}}` : `{"${head}": {"${tail}": ${file}}}`,
      env: `${name}=${env}`,
      environment: { [name]: environment },
      flags: { [key]: flag },
    }
    const meant = (text: string): unknown => type.schema.parse(type.fromText(text))
    const expected: [Sources, string, unknown][] = [
      [all, 'flag', meant(flag)],
      [{ ...all, flags: {} }, 'environment', meant(environment)],
      [{ ...all, flags: {}, environment: {} }, 'env-file', meant(env)],
      [{ file: all.file }, 'file', type.schema.parse(JSON.parse(file))],
      [{}, 'default', specOf(key).default],
    ]
    for (const [sources, kind, value] of expected) {
      expect(read(sources).settingOf(key)).toMatchObject({ value, source: { kind } })
    }
  })

  test('say where a value stands', () => {
    const config = read({
      file: '// first\n{\n  "maxToolCalls": 7, /* x */ "keys": { "openai": "k" },\n}',
      env: '# first\n\nexport MAINSTEM_THINKING=adaptive',
      environment: { OPENROUTER_API_KEY: 'o' },
    })
    expect(config.sourceOf('maxToolCalls')).toMatchObject({ kind: 'file', line: 3, column: 19 })
    expect(config.sourceOf('keys.openai')).toMatchObject({ kind: 'file', line: 3, column: 50 })
    expect(config.sourceOf('thinking')).toMatchObject({ kind: 'env-file', line: 3 })
    expect(config.sourceOf('keys.openrouter')).toEqual({ kind: 'environment', name: 'OPENROUTER_API_KEY' })
  })

  test('only the .env of the home is read', () => {
    const here = process.cwd()
    onTestFinished(() => process.chdir(here))
    process.chdir(homeWith({ env: 'MAINSTEM_MAX_TOOL_CALLS=9' }))
    expect(read({}).values.maxToolCalls).toBe(30)
  })

  test('a name made for Mainstem wins over the usual one, in each source', () => {
    const both = { MAINSTEM_KEYS_ANTHROPIC: 'own', ANTHROPIC_API_KEY: 'usual' }
    expect(read({ environment: both }).values.keys.anthropic).toBe('own')
    const env = 'MAINSTEM_KEYS_ANTHROPIC=own\nANTHROPIC_API_KEY=usual'
    expect(read({ env }).values.keys.anthropic).toBe('own')
    expect(read({ env: 'ANTHROPIC_API_KEY=usual' }).values.keys.anthropic).toBe('usual')
  })

  test('an empty value in the environment or in .env is none', () => {
    const file = '{"maxToolCalls": 7}'
    const environment = { MAINSTEM_MAX_TOOL_CALLS: ' ' }
    expect(read({ file, env: 'MAINSTEM_MAX_TOOL_CALLS=', environment }).values.maxToolCalls).toBe(7)
  })

  test('flags take every spelling of a key', () => {
    const flags = { MAX_TOOL_CALLS: '1', MAINSTEM_DEPTH_MAX: '2', model: 'scripted:a=b' }
    const { values } = read({ flags })
    expect(values).toMatchObject({ maxToolCalls: 1, depthMax: 2, model: 'scripted:a=b' })
  })

  test('the file of a new home parses to all defaults', () => {
    const config = read({ file: defaultConfigText() })
    for (const key of keys) expect(config.sourceOf(key)).toEqual({ kind: 'default' })
  })

  test('each example in the file of a new home can be uncommented', () => {
    const file = defaultConfigText().replaceAll(/\/\/ (?=")/g, '')
    const { values } = read({ file })
    expect(values).toMatchObject({
      model: 'anthropic/claude-sonnet-5',
      thinking: 'adaptive',
      timezone: 'Europe/Berlin',
      costDayMax: { unit: 'money', max: 2.5 },
    })
    expect(values.fallbackModels).toHaveLength(2)
  })

  test("keys and addresses are handed on by the providers' names", () => {
    const environment = {
      ANTHROPIC_API_KEY: 'a',
      GEMINI_API_KEY: 'g',
      OLLAMA_HOST: '0.0.0.0',
      MAINSTEM_OPENAI_COMPATIBLE_URL: 'http://127.0.0.1:8000/v1',
      MAINSTEM_OPENAI_COMPATIBLE_KEY: 'c',
    }
    expect(providerAccess(read({ environment }))).toMatchObject({
      keys: { anthropic: 'a', google: 'g', 'openai-compatible': 'c' },
      urls: { ollama: '0.0.0.0', 'openai-compatible': 'http://127.0.0.1:8000/v1' },
      urlOrigins: { ollama: '`urls.ollama` from the environment (OLLAMA_HOST)' },
    })
  })
})

describe('wrong values', () => {
  test('[KEY1] are shown without a password, also in what was meant', () => {
    const home = homeWith({})
    const url = 'http://user:sesame@models.example'
    const [problem] = problemsOf({ flags: { 'openaiCompatible.url': url } }, home)
    expect(problem).toContain("openaiCompatible.url is 'http://…@models.example' in --set")
    expect(problem).not.toContain('sesame')
    const [other] = problemsOf({ flags: { 'openaiCompatible.url': 'models.example' } }, home)
    expect(other).toContain('(did you mean https://models.example?)')
  })

  test('are all listed, each with name, value, what is allowed, source and way out', () => {
    const home = homeWith({
      file: '{\n  "maxToolCalls": 99,\n  "thinking": "of",\n  "cbBackoff": "1,2"\n}',
      env: 'MAINSTEM_DEPTH_MAX=deep\n',
    })
    const sources = { environment: { MAINSTEM_MAX_TOOL_CALLS: '5.5' }, flags: { timezone: 'Berlin' } }
    const file = join(home, 'config.json')
    expect(problemsOf(sources, home)).toEqual([
      `maxToolCalls is 99 in ${file}, line 2, column 19. Write a whole number from 0 to 50, or remove it (the default is 30).`,
      `thinking is "of" in ${file}, line 3, column 15. Write off, adaptive, or a budget of 1 to 1000000 tokens (did you mean off?), or remove it (the default is "adaptive").`,
      `cbBackoff is "1,2" in ${file}, line 4, column 16. Write 1 to 20 times from 0 to 1 day, such as 1 s, 30 s (in config.json: an array of whole numbers of milliseconds), or remove it (the default is [1000,5000,30000]).`,
      `MAINSTEM_DEPTH_MAX is 'deep' in ${join(home, '.env')}, line 1. Write a whole number from 0 to 50, or remove it (the default is 5).`,
      `MAINSTEM_MAX_TOOL_CALLS is '5.5' in the environment (MAINSTEM_MAX_TOOL_CALLS). Write a whole number from 0 to 50, or remove it (the default is 30).`,
      `timezone is 'Berlin' in --set. Write the name of a time zone such as Europe/Berlin, or none (in config.json: null) (did you mean Europe/Berlin?), or remove it (the default is none).`,
    ])
    expect(() => read(sources, home)).toThrow(/^The configuration has 6 problems:\n {2}maxToolCalls is 99 /)
  })

  test.each([
    [
      '{"maxtoolcalls": 1}',
      'line 1, column 2: there is no setting "maxtoolcalls". Did you mean maxToolCalls?',
    ],
    ['{"MAX_TOOL_CALLS": 1}', 'Did you mean maxToolCalls?'],
    ['{"modle": 1}', 'Did you mean model?'],
    ['{"keys": {"antropic": ""}}', 'no setting "keys.antropic". Did you mean "keys": { "anthropic": … }?'],
    ['{"keys.anthropic": "x"}', 'Did you mean "keys": { "anthropic": … }?'],
    ['{"keys": "x"}', 'keys must be an object: { "anthropic": … }.'],
    ['{"__proto__": 1}', 'there is no setting "__proto__".'],
    ['{"maxToolCalls": 1,\n"maxToolCalls": 1}', 'line 2, column 1: "maxToolCalls" is a duplicate of line 1.'],
    ['{"maxToolCalls": null}', 'maxToolCalls is null'],
    ['{"maxToolCalls": "5"}', 'maxToolCalls is "5"'],
    ['{"maxToolCalls": 1e999}', 'maxToolCalls is 1e999'],
    ['{"fallbackModels": ["offline", "offline"]}', 'Write up to 10 different models'],
    ['[1]', 'must contain an object'],
    ['{\n  "model": "offline"\n  "thinking": "off"\n}', 'line 3, column 3: expected a comma. Fix that line.'],
    ['{\n  "model": offline\n}', 'line 2, column 12: unknown word; put texts in double quotes'],
    ['{"model": "offline"', 'expected a closing }'],
    ['{} {}', 'there is text after the closing }'],
    ['['.repeat(100_000), 'is nested too deeply'],
    [' '.repeat(300_000), 'is larger than 256 KiB'],
  ])('%.40s is told in config.json', (file, told) => {
    const problems = problemsOf({ file })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(told)
  })

  test.each([
    ['MAINSTEM_MODLE=x', 'There is no setting MAINSTEM_MODLE (in ', 'Did you mean MAINSTEM_MODEL?'],
    ['MAINSTEM_MODEL', 'line 1: this is not a setting; write NAME=VALUE', ''],
    ['MAINSTEM_MODEL="offline', 'line 1: the value of MAINSTEM_MODEL has no closing "', ''],
    ["MAINSTEM_MODEL='offline", "the value of MAINSTEM_MODEL has no closing '", ''],
    ['MAINSTEM_MODEL="offline" more', 'the value of MAINSTEM_MODEL continues after its closing "', ''],
    [`X="${'a'.repeat(250_000)}`, 'has no closing "', ''],
  ])('%.40s is told in .env', (env, ...told) => {
    const problems = problemsOf({ env })
    expect(problems).toHaveLength(1)
    for (const text of told) expect(problems[0]).toContain(text)
  })

  test('never show a secret, wherever it stands and whatever is wrong about it', () => {
    const secret = 'sk-very secret'
    const cases: Sources[] = [
      { file: `{"keys": {"openai": "${secret}"}}` },
      { file: `{"keys": {"opnai": "${secret}"}}` },
      { file: `{"keys": {"openai": "${secret}" "x": 1}}` },
      { file: `{"keys": "${secret}"}` },
      { env: `OPENAI_API_KEY=${secret}` },
      { env: `OPENAI_API_KEY "${secret}"` },
      { env: `OPENAI_API_KEY="${secret}` },
      { environment: { MAINSTEM_KEYS_OPENAI: secret } },
      { flags: { 'keys.openai': secret } },
    ]
    for (const sources of cases) {
      const problems = problemsOf(sources)
      expect(problems).toHaveLength(1)
      expect(problems[0]).not.toMatch(/very|secret"|sk-/)
    }
    const { warnings } = read({ environment: { OPENAI_API_KEY: secret } })
    expect(warnings.join()).toContain('OPENAI_API_KEY is invalid (not shown, as it is a secret)')
  })

  test('of addresses are told without a password', () => {
    const [problem] = problemsOf({ environment: { MAINSTEM_URLS_OPENAI: 'https://me:hidden@host/v1' } })
    expect(problem).toContain("'https://…@host/v1'")
  })

  test('of names that belong to other programs are told and ignored', () => {
    const { values, warnings } = read({ environment: { OLLAMA_HOST: 'http://:', OPENAI_API_KEY: 'k' } })
    expect(values).toMatchObject({ urls: { ollama: null }, keys: { openai: 'k' } })
    expect(warnings).toEqual([expect.stringMatching(/^OLLAMA_HOST is 'http:\/\/:' .* Ignored\.$/)])
    expect(problemsOf({ env: 'OLLAMA_HOST=http://:' })).toHaveLength(1)
  })

  test('are told together where they do not go together', () => {
    const file = '{"model": "ollama/a", "cbResetMs": 30000}'
    const environment = { MAINSTEM_FALLBACK_MODELS: 'offline,ollama/a' }
    expect(problemsOf({ file, environment })).toEqual([
      'fallbackModels contains ollama/a, which is already the model. Remove it from fallbackModels.',
      'cbResetMs (30000) must be more than the longest wait in cbBackoff (30000). Raise one or lower the other.',
    ])
    expect(() => read({ file, environment })).toThrow(
      /\(model: .*config\.json, line 1, column 11; fallbackModels: the environment \(MAINSTEM_FALLBACK_MODELS\)\.\)/,
    )
    expect(problemsOf({ file: '{"cbResetMs": 30001}' })).toEqual([])
    const alone = '{"cbResetMs": -1, "cbBackoff": [400000]}'
    expect(problemsOf({ file: alone }), 'only the value itself is wrong').toHaveLength(1)
  })

  test('a file that cannot be read is told', () => {
    const home = tempFolder()
    mkdirSync(join(home, 'config.json'))
    writeFileSync(join(home, '.env'), Buffer.from([0x41, 0xff, 0xfe]))
    expect(problemsOf({}, home)).toEqual([
      `Could not read ${join(home, 'config.json')}: it is a folder, not a file. Fix that, or move the file away.`,
      `Could not read ${join(home, '.env')}: it is not UTF-8 text. Fix that, or move the file away.`,
    ])
  })

  test.skipIf(process.getuid?.() === 0)('a file without permission is told', () => {
    const home = homeWith({ file: '{}' })
    chmodSync(join(home, 'config.json'), 0)
    expect(problemsOf({}, home)[0]).toContain('EACCES')
  })
})

describe('unknown names', () => {
  test('in the environment are a warning only, and MAINSTEM_HOME is known', () => {
    const { warnings } = read({ environment: { MAINSTEM_HOME: '/x', MAINSTEM_TOKEN_MAX: '1', OTHER: '1' } })
    expect(warnings).toEqual([
      expect.stringMatching(/^There is no setting MAINSTEM_TOKEN_MAX \(in the environment\)\./),
    ])
  })

  test('in .env without the prefix are a warning that tells the name', () => {
    const { warnings } = read({ env: 'MAX_TOOL_CALLS=3\nSOMETHING=1\nMAINSTEM_HOME=/x' })
    expect(warnings).toEqual([
      expect.stringContaining('line 1 has no effect. Did you mean MAINSTEM_MAX_TOOL_CALLS?'),
      expect.stringContaining('MAINSTEM_HOME has no effect'),
    ])
  })
})

test.each([
  ['MAINSTEM_MODEL=scripted:a b', 'scripted:a b'],
  ['  export   MAINSTEM_MODEL = scripted:a  # note', 'scripted:a'],
  ['MAINSTEM_MODEL=scripted:a#b', 'scripted:a#b'],
  ['MAINSTEM_MODEL=scripted:$HOME\\n', 'scripted:$HOME\\n'],
  ['MAINSTEM_MODEL="scripted:a # \\"b\\" \\\\ \\x" # note', 'scripted:a # "b" \\ \\x'],
  ["MAINSTEM_MODEL='scripted:a # \\n'#note", 'scripted:a # \\n'],
  ['MAINSTEM_MODEL=offline\r\nMAINSTEM_MODEL=ollama/last\r\n', 'ollama/last'],
  ['\uFEFFMAINSTEM_MODEL=offline', 'offline'],
])('.env: %j gives %s', (env, model) => expect(read({ env }).values.model).toBe(model))
