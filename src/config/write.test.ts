import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../test/cli/run.ts'
import type { Json } from '../base/json.ts'
import { ConfigError, readConfig } from './config.ts'
import { environmentName, specOf } from './table/key.ts'
import { type Key, keys } from './table/settings.ts'
import type { Place } from './table/source.ts'
import {
  createConfigFile,
  defaultConfigText,
  hasEntryInFile,
  setEntryInFile,
  setInFile,
  unsetInFile,
} from './write.ts'

/** For every parameter a value that is not its default, as a file holds it. */
const samples: Readonly<Record<Key, Json>> = {
  permissions: 'acceptEdits',
  sandbox: 'required',
  webhookRateMax: 10,
  v1PatienceMs: 60_000,
  dedupTtl: 0,
  progressThrottle: 0,
  'telegram.token': '7:AAH-token',
  'telegram.url': 'http://127.0.0.1:8081',
  maxReconnect: 3,
  reconnectBaseDelay: 1_000,
  reconnectMaxDelay: 60_000,
  reconnectJitter: 0,
  'skills.directory': '/srv/skills',
  'skills.extraDirs': ['/srv/more', '~/skills'],
  'skills.disabled': ['git'],
  'skills.guests': ['packing'],
  'skills.contextMode': 'readOnDemand',
  'skills.roots': ['~/code'],
  'skills.allowScripts': true,
  'web.privateHosts': ['nas.local', '127.0.0.1:8080'],
  'web.openHosts': ['wikipedia.org'],
  'web.searchProvider': 'searxng',
  'web.searchKey': 'k-1',
  'web.searchUrl': 'http://127.0.0.1:8888',
  'attachments.maxBytes': 1_000,
  'attachments.maxChars': 0,
  'transcriber.url': 'http://127.0.0.1:9000/v1',
  'transcriber.key': 'k-2',
  'transcriber.model': 'large-v3',
  'transcriber.folders': ['/srv/models'],
  'transcriber.network': true,
  'transcriber.program': ['whisper-cli', '-t', '4', '-x', '4'],
  'mcp.servers': {
    files: { command: 'npx', args: ['-y', 'server'] },
    far: { url: 'https://example.com/mcp' },
  },
  model: 'ollama/qwen3',
  fallbackModels: ['offline', 'openai/gpt-6-luna'],
  thinking: 4096,
  costDayMax: '500000 tokens',
  costDayWarn: '$7.00',
  priceUnknown: 3,
  maxToolCalls: 0,
  approvalTimeout: 30_000,
  causedMaxCalls: 50,
  causedMaxTokens: 20_000,
  causedMaxBranches: 0,
  unattendedMaxCalls: 20,
  compactionShare: 0,
  historyTokens: 8_000,
  chatMaxTokens: 300,
  chatTemperature: 0.7,
  toolMaxTokens: 500,
  toolTemperature: 0.3,
  recentMsgLimit: 20,
  timezone: 'Europe/Berlin',
  contextPolicy: 'explicit',
  historyWindow: 10,
  compactionThreshold: 41,
  truncationLimit: 99,
  compactionMaxTokens: 300,
  compactionModel: 'offline',
  summaryModel: 'ollama/qwen3',
  recallLimit: 8,
  recallSnippetTokens: 200,
  recallDecay: 0.5,
  recallAlpha: 0.7,
  recallAcrossClear: true,
  embedder: 'ollama/all-minilm',
  depthMax: 1,
  childrenMax: 2,
  runningMax: 1,
  forkIdleTimeout: 60,
  pingCapacity: 8,
  pingRefillMinutes: 60,
  pingCriticalMax: 3,
  pingTtl: 600,
  busyQuietSeconds: 30,
  quietHours: '22:00-08:00',
  digestAt: '18:00',
  'pings.to': 'terminal',
  links: ['telegram:12345'],
  guests: {
    costDayMax: '$0.50',
    ana: { timezone: 'Europe/Lisbon', quietHours: '22:00-07:00', costDayMax: '$1.00' },
  },
  rateLimitMax: 10,
  rateLimitWindow: 10_000,
  'terminal.notify': 'bell',
  bgConcurrency: 2,
  bgForkTimeout: 60,
  childMaxRounds: 50,
  maxRetries: 0,
  retryBackoff: [0],
  cbThreshold: 1,
  cbBackoff: [10, 20],
  cbResetMs: 60_000,
  'keys.anthropic': 'sk-ant-0123456789abcdef',
  'keys.openai': 'sk-1',
  'keys.google': 'g"\\/',
  'keys.openrouter': 'or',
  'keys.ollama': 'ol',
  'urls.anthropic': 'https://proxy.example/v1',
  'urls.openai': 'http://127.0.0.1:1/v1',
  'urls.google': 'https://[::1]/x?y=z',
  'urls.openrouter': 'https://or.example',
  'urls.ollama': '192.168.0.9',
  'openaiCompatible.url': 'http://127.0.0.1:8000/v1',
  'openaiCompatible.key': 'k',
  'openaiCompatible.price': 2.5,
  host: '0.0.0.0',
  port: 8080,
  token: '0123456789abcdef0123456789abcdef',
  publicUrl: 'https://mainstem.example',
  trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
  logLevel: 'warn',
  keyStore: 'keyring',
}

function newPlace(file?: string): Place {
  const home = join(tempFolder(), 'home')
  if (file !== undefined) {
    mkdirSync(home)
    writeFileSync(join(home, 'config.json'), file)
  }
  return { home, environment: {} }
}

function fileOf({ home }: Place): string {
  return readFileSync(join(home, 'config.json'), 'utf8')
}

describe('setting', () => {
  test.each(keys)('%s is read back as it was set, and unsetting brings the default back', (key) => {
    const place = newPlace()
    const value = specOf(key).type.schema.parse(samples[key])
    expect(value).not.toEqual(specOf(key).default)
    expect(setInFile(place, key, samples[key])).toMatchObject({ kind: 'changed', after: { value } })
    const config = readConfig(place)
    expect(config.settingOf(key)).toMatchObject({ value, source: { kind: 'file' } })
    for (const other of keys) if (other !== key) expect(config.sourceOf(other).kind).toBe('default')

    expect(setInFile(place, key, samples[key])).toMatchObject({ kind: 'unchanged', setting: { value } })
    expect(unsetInFile(place, key)).toMatchObject({ kind: 'changed', before: { value } })
    expect(readConfig(place).sourceOf(key)).toEqual({ kind: 'default' })
    expect(unsetInFile(place, key)).toMatchObject({ kind: 'unchanged' })
  })

  test('all of them one after the other keeps every comment of a new file', () => {
    const place = newPlace()
    // It would move the others.
    const others = keys.filter((key) => key !== 'keyStore')
    for (const key of others) expect(setInFile(place, key, samples[key]).kind).toBe('changed')
    const { settingOf } = readConfig(place)
    for (const key of others) {
      expect(settingOf(key).value).toEqual(specOf(key).type.schema.parse(samples[key]))
    }
    const comments = defaultConfigText().match(/\/\/.*/g) ?? []
    expect(comments.length).toBeGreaterThan(10)
    for (const comment of comments) expect(fileOf(place)).toContain(comment)
    for (const key of others) unsetInFile(place, key)
    for (const comment of comments) expect(fileOf(place)).toContain(comment)
    for (const key of others) expect(readConfig(place).sourceOf(key).kind).toBe('default')
  })

  test('makes a home and a commented file that only their owner can read', () => {
    const place = newPlace()
    setInFile(place, 'maxToolCalls', 7)
    expect(statSync(place.home).mode & 0o777).toBe(0o700)
    expect(readdirSync(place.home).toSorted()).toEqual(['config.json', 'config.schema.json'])
    expect(statSync(join(place.home, 'config.json')).mode & 0o777).toBe(0o600)
    expect(fileOf(place)).toContain('mainstem config list')
  })

  test('leaves a file that only its owner can read, whatever it was', () => {
    const place = newPlace('{}')
    chmodSync(join(place.home, 'config.json'), 0o644)
    setInFile(place, 'keys.openai', 'sk')
    expect(statSync(join(place.home, 'config.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(place.home)).toEqual(['config.json'])
  })

  test('changes what a link points to, and leaves the link', () => {
    const place = newPlace()
    mkdirSync(place.home)
    const real = join(tempFolder(), 'mainstem.json')
    writeFileSync(real, '{ "depthMax": 2 }')
    symlinkSync(real, join(place.home, 'config.json'))
    setInFile(place, 'maxToolCalls', 7)
    expect(lstatSync(join(place.home, 'config.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toBe('{ "depthMax": 2, "maxToolCalls": 7 }')
  })

  test.skipIf(process.getuid?.() !== 0)('by root leaves the file to its owner', () => {
    const place = newPlace('{}')
    const nobody = 65_534
    const file = join(place.home, 'config.json')
    chownSync(file, nobody, nobody)
    setInFile(place, 'maxToolCalls', 7)
    expect(statSync(file).uid).toBe(nobody)
  })

  test('a value that fails to be written leaves the old file and no other', () => {
    const place = newPlace('{}')
    // A folder in the place of the unfinished file cannot be replaced by it.
    const unfinished = join(place.home, `config.json.${process.pid}.unfinished`)
    mkdirSync(join(unfinished, 'x'), { recursive: true })
    expect(() => setInFile(place, 'maxToolCalls', 7)).toThrow(
      /Could not write .*config\.json: .*Free some space/,
    )
    expect(fileOf(place)).toBe('{}')
  })
})

describe('a value is refused', () => {
  const old = '{\n  "maxToolCalls": 3 // mine\n}\n'

  test('with its source, when something stronger pins it', () => {
    const key = 'maxToolCalls'
    const name = environmentName(key)
    const plain = newPlace(old)
    const withEnv = newPlace(old)
    writeFileSync(join(withEnv.home, '.env'), `${name}=9`)
    const cases: [Place, object][] = [
      [
        { ...plain, environment: { [name]: '9' } },
        { kind: 'environment', name },
      ],
      [
        { ...plain, flags: { [key]: '9' } },
        { kind: 'flag', name: '--set' },
      ],
      [withEnv, { kind: 'env-file', path: join(withEnv.home, '.env'), line: 1 }],
    ]
    for (const [place, source] of cases) {
      expect(setInFile(place, key, 4)).toMatchObject({ kind: 'pinned', setting: { value: 9, source } })
      expect(fileOf(place)).toBe(old)
    }
    expect(setInFile({ ...plain, environment: { [name]: '9' } }, 'depthMax', 4).kind).toBe('changed')
  })

  test('when it is wrong by itself, or together with another', () => {
    const place = newPlace(old)
    expect(setInFile(place, 'maxToolCalls', 51)).toEqual({
      kind: 'wrong',
      because: "maxToolCalls cannot be '51'. Write a whole number from 0 to 50.",
    })
    expect(setInFile(place, 'cbResetMs', 5)).toMatchObject({
      kind: 'wrong',
      because: expect.stringMatching(/^cbResetMs \(5\) must be more than [^(]*\(30000\)[^(]*$/) as unknown,
    })
    expect(setInFile(place, 'keys.openai', 'my secret')).toMatchObject({
      because: expect.not.stringContaining('my') as unknown,
    })
    expect(fileOf(place)).toBe(old)
  })

  test('when the file is broken, with the line to mend', () => {
    const broken = '{\n  "model": "offline"\n  "depthMax": 2\n}'
    const place = newPlace(broken)
    for (const change of [() => setInFile(place, 'model', 'offline'), () => unsetInFile(place, 'model')]) {
      expect(change).toThrow(ConfigError)
      expect(change).toThrow(/line 3, column 3: expected a comma\. Fix that line\.$/)
    }
    expect(fileOf(place)).toBe(broken)
  })
})

test('a wrong value is mended by setting it, also beside other wrong ones', () => {
  const place = newPlace('{"maxToolCalls": 99, "depthMax": "x", "keys": 5, "nothing": 1}')
  expect(setInFile(place, 'maxToolCalls', 3).kind).toBe('changed')
  expect(setInFile(place, 'keys.openai', 'sk').kind).toBe('changed')
  expect(unsetInFile(place, 'depthMax').kind).toBe('changed')
  expect(() => readConfig(place)).toThrow(/^[^\n]*there is no setting "nothing"[^\n]*$/)
})

test('unsetting takes a value out of the file also where another source pins it, and else names that source', () => {
  const place = { ...newPlace('{"maxToolCalls": 3}'), environment: { MAINSTEM_MAX_TOOL_CALLS: '9' } }
  expect(unsetInFile(place, 'maxToolCalls')).toMatchObject({ kind: 'changed', after: { value: 9 } })
  expect(fileOf(place)).toBe('{}')
  expect(unsetInFile(place, 'maxToolCalls')).toMatchObject({
    kind: 'pinned',
    setting: { source: { kind: 'environment' } },
  })
})

describe('one entry of a table', () => {
  const key = 'mcp.servers'
  const old = `{
  "mcp": {
    "servers": {
      // for the house
      "home": { "url": "http://127.0.0.1:1/mcp" }, // mine
      "wrong": { "cmd": "x" }
    }
  }
}
`

  test('is set and taken out, and every comment and every other entry stays', () => {
    const place = newPlace(old.replace('"cmd"', '"command"'))
    expect(setEntryInFile(place, key, { name: 'new', json: { command: 'y', args: ['-a', 'b'] } }).kind).toBe(
      'changed',
    )
    expect(fileOf(place)).toContain(
      '"wrong": { "command": "x" },\n      "new": { "command": "y", "args": ["-a", "b"] }\n',
    )
    expect(unsetInFile(place, key, 'new').kind).toBe('changed')
    expect(fileOf(place)).toBe(old.replace('"cmd"', '"command"'))
    expect(unsetInFile(place, key, 'new').kind).toBe('unchanged')
  })

  test('is mended or taken out where it is wrong, and stands in the way of others until then', () => {
    const place = newPlace(old)
    expect(hasEntryInFile(place, key, 'wrong')).toBe(true)
    expect(hasEntryInFile(place, key, 'other')).toBe(false)
    expect(setEntryInFile(place, key, { name: 'new', json: { command: 'y' } })).toMatchObject({
      kind: 'wrong',
      because: expect.stringContaining("server wrong: 'cmd' is unknown (did you mean 'command'?)") as unknown,
    })
    expect(fileOf(place)).toBe(old)
    expect(setEntryInFile(place, key, { name: 'wrong', json: { command: 'y' } }).kind).toBe('changed')
    const again = newPlace(old)
    expect(unsetInFile(again, key, 'wrong').kind).toBe('changed')
    expect(Object.keys(readConfig(again).values.mcp.servers)).toEqual(['home'])
  })

  test('that is wrong itself, or that another source pins, changes nothing', () => {
    const place = newPlace(old)
    const wrong = setEntryInFile(place, key, { name: 'new', json: { url: 'ftp://hunter2' } })
    expect(wrong).toMatchObject({ kind: 'wrong', because: expect.not.stringContaining('hunter2') as unknown })
    const pinned = { ...place, environment: { MAINSTEM_MCP_SERVERS: '{}' } }
    expect(setEntryInFile(pinned, key, { name: 'new', json: { command: 'y' } }).kind).toBe('pinned')
    expect(fileOf(place)).toBe(old)
  })
})

test('a first start makes the file once, and keeps the schema beside it up to date', () => {
  const { home } = newPlace()
  createConfigFile(home)
  expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(defaultConfigText())
  writeFileSync(join(home, 'config.json'), '{} // mine')
  writeFileSync(join(home, 'config.schema.json'), '{"old": true}')
  createConfigFile(home)
  expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe('{} // mine')
  expect(readFileSync(join(home, 'config.schema.json'), 'utf8')).toContain('"maxToolCalls"')
  const before = statSync(join(home, 'config.schema.json')).ino
  createConfigFile(home)
  expect(statSync(join(home, 'config.schema.json')).ino).toBe(before)
  expect(existsSync(join(home, '.env'))).toBe(false)
})
