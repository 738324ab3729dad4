import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openModel } from '../../model/models.ts'
import { dayLimit, modelName, providers, timeZone } from '../type/domain-type.ts'
import { environmentName, environmentNames, findKey, nearestKey, specOf } from './key.ts'
import { keys } from './settings.ts'
import { configSchema } from '../file/schema.ts'
import { orNone, times, type ValueType } from '../type/value-type.ts'

describe.each(keys)('%s', (key) => {
  const { type, help, default: standard } = specOf(key)

  test('has a default that means itself as a text', () => {
    const text = type.toText(standard)
    expect(type.schema.parse(type.fromText(text))).toEqual(standard)
  })

  test('is found by every spelling of its name', () => {
    const bare = environmentName(key).slice('MAINSTEM_'.length)
    for (const word of [key, bare, bare.toLowerCase(), ...environmentNames(key)]) {
      expect(findKey(word)).toBe(key)
    }
    expect(nearestKey(`${key}x`)).toBe(key)
  })

  test('is explained in one or two short sentences', () => {
    expect(help).toMatch(/^[A-Z][^\n]{10,118}\.$/)
    expect(type.allowed).not.toMatch(/^[A-Z][a-z]|\.$/)
  })
})

test('a key is MAINSTEM_ and its path in upper snake case in the environment', () => {
  expect(environmentName('maxToolCalls')).toBe('MAINSTEM_MAX_TOOL_CALLS')
  expect(environmentName('cbResetMs')).toBe('MAINSTEM_CB_RESET_MS')
  expect(environmentNames('keys.anthropic')).toEqual(['MAINSTEM_KEYS_ANTHROPIC', 'ANTHROPIC_API_KEY'])
  expect(environmentNames('urls.ollama')).toEqual(['MAINSTEM_URLS_OLLAMA', 'OLLAMA_HOST'])
  expect(environmentNames('openaiCompatible.url')).toEqual(['MAINSTEM_OPENAI_COMPATIBLE_URL'])
})

test('the words of every object are no keys', () => {
  for (const word of ['constructor', '__proto__', 'toString', '']) expect(findKey(word)).toBeUndefined()
})

test('the schema for editors is up to date', () => {
  const file = new URL('../../../config.schema.json', import.meta.url)
  const made = JSON.parse(readFileSync(file, 'utf8')) as unknown
  expect(made, "run 'node scripts/make-config-schema.ts'").toEqual(JSON.parse(JSON.stringify(configSchema())))
})

test('the schema for editors knows every key, its help, and no other', () => {
  const { properties, additionalProperties, required } = configSchema() as unknown as Schema
  const found = Object.entries(properties).flatMap(([name, one]) =>
    one.properties && findKey(name) === undefined
      ? Object.keys(one.properties).map((tail) => `${name}.${tail}`)
      : [name],
  )
  expect(found.toSorted()).toEqual(['$schema', ...keys].toSorted())
  expect(properties['maxToolCalls']?.description).toContain(specOf('maxToolCalls').help)
  expect({ additionalProperties, required }).toEqual({ additionalProperties: false })
})

interface Schema {
  readonly properties: Record<string, { properties?: object; description?: string }>
  readonly additionalProperties: boolean
  readonly required?: readonly string[]
}

test('a provider is one that models can be opened at', () => {
  const told = messageOf(() => openModel('nobody/x'))
  const [, list = ''] = /You can use (.*)\./.exec(told) ?? []
  expect(list.split(', ')).toEqual([...providers.map((one) => `${one}/MODEL`), 'offline', 'scripted:FILE'])
})

function messageOf(work: () => unknown): string {
  try {
    work()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

function read<Value>(type: ValueType<Value>, text: string): Value | 'refused' {
  const parsed = type.schema.safeParse(type.fromText(text))
  return parsed.success ? parsed.data : 'refused'
}

test.each([
  ['2.50', { unit: 'money', max: 2.5 }],
  ['$2.50', { unit: 'money', max: 2.5 }],
  ['$ 1', { unit: 'money', max: 1 }],
  ['0.0001', { unit: 'money', max: 0.0001 }],
  ['500000 tokens', { unit: 'tokens', max: 500_000 }],
  ['500,000 Tokens', { unit: 'tokens', max: 500_000 }],
  ['1token', { unit: 'tokens', max: 1 }],
  ['0', 'refused'],
  ['0 tokens', 'refused'],
  ['-1', 'refused'],
  ['1e3', 'refused'],
  ['2,50', 'refused'],
  ['€2', 'refused'],
  ['tokens', 'refused'],
  ['1000000000000000000000 tokens', 'refused'],
])("a day's limit of %s is %o", (text, expected) => {
  expect(read(dayLimit, text)).toEqual(expected)
  if (typeof expected === 'object')
    expect(read(dayLimit, dayLimit.toText(expected as never))).toEqual(expected)
})

test.each(['$2.50', '$2.125', '$0.0001', '$12.00', '7 tokens'])('a limit is told as %s', (text) => {
  const limit = dayLimit.schema.parse(text)
  expect(dayLimit.toText(limit)).toBe(text)
})

test.each(['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])('%s is a zone', (name) =>
  expect(read(timeZone, name)).toBe(name),
)
test.each([
  ['europe/berlin', 'Europe/Berlin'],
  [' utc ', 'UTC'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['mars/base', 'mars/base'],
])('the zone %j is kept as %s', (text, kept) => expect(timeZone.fromText(text)).toBe(kept))

test.each(['+02:00', 'Mars/Base', '', 'Europe/Berlin\n', 'CEST2'])('%j is no zone', (name) =>
  expect(timeZone.schema.safeParse(name).success).toBe(false),
)

test.each(['offline', 'ollama/qwen3:8b', 'openrouter/a/b.c', 'openai-compatible/x', 'scripted:/a b/c.json'])(
  '%s is a model',
  (name) => expect(read(modelName, name)).toBe(name),
)
test.each([
  '',
  'gpt',
  'anthropic',
  'anthropic/',
  'antropic/x',
  'ollama/a b',
  'ollama/a,b',
  'offline/x',
  'scripted:',
  'scripted:a\u0007b',
])('%j is no model', (name) => expect(read(modelName, name)).toBe('refused'))

test('none is nothing, in whatever case, and in a list it is no number', () => {
  expect(read(orNone(modelName), ' NONE ')).toBeNull()
  expect(read(times('seconds', { min: 0, max: 9 }, 3), 'none')).toBe('refused')
  expect(read(times('seconds', { min: 0, max: 9 }, 3), '1, 2 ,3')).toEqual([1, 2, 3])
  expect(read(times('seconds', { min: 0, max: 9 }, 3), '1,2,3,4')).toBe('refused')
  expect(read(times('seconds', { min: 0, max: 9 }, 3), '1,,2')).toBe('refused')
})

test('a time is shown with its unit, may be typed so, and is the number of the table in files', () => {
  for (const key of keys) {
    const { type } = specOf(key)
    if (type.unit === undefined) continue
    expect(type.toText(specOf(key).default)).toMatch(/^none$|^(?:(?:\d+ (?:ms|s|min|h|days?)|0)(?:, )?)+$/)
  }
  const { type } = specOf('dedupTtl')
  expect([30_000, 600_000, 1_500, 0, 90_000].map((value) => type.toText(value))).toEqual([
    '30 s',
    '10 min',
    '1500 ms',
    '0',
    '90 s',
  ])
  expect(
    ['10 min', '600000', '0.5 s', '250 ms', '0 s', '1 h 30 min'].map((text) => type.fromText(text)),
  ).toEqual([600_000, 600_000, 500, 250, 0, 5_400_000])
  expect(specOf('pingRefillMinutes').type.fromText('1.5 h')).toBe(90)
  expect(specOf('pingRefillMinutes').type.fromText('30 s')).toBe('30 s')
  expect(specOf('retryBackoff').type.fromText('0, 1 s,3000')).toEqual([0, 1_000, 3_000])
  expect(type.meant?.('10 min')).toBe('600000')
})

test('every setting that counts time says so', () => {
  const timed = keys.filter((key) =>
    /(?:Ms|Ttl|Seconds|Minutes|Timeout|Delay|Jitter|Backoff|Window)$/.test(key),
  )
  const plain = timed.filter((key) => specOf(key).type.unit === undefined)
  expect(plain).toEqual(['historyWindow'])
})
