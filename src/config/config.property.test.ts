import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/cli/run.ts'
import { ConfigError, readConfig, type ReadConfig } from './config.ts'
import { defaultConfigText } from './write.ts'
import { withValue } from './file/edit.ts'
import { environmentName, environmentNames, specOf } from './table/key.ts'
import { keys } from './table/settings.ts'
import type { Place } from './table/source.ts'
import { rounds } from '../../test/rounds.ts'

const name = fc.constantFrom(...keys.flatMap(environmentNames), 'MAINSTEM_X', 'MAINSTEM_HOME', 'PATH')
const WORDS = [
  'none off 5 0 -0 1e3 1,2 , $2 UTC offline ollama/x http://a http://a:b@c 127.0.0.1'.split(' '),
  ['2 tokens', 'sk-1', '"', "'", '"a" #', '\\', '  ', '{}', '[]', 'null'],
].flat()
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.integer().map(String),
  fc.double().map(String),
  fc.constantFrom(...WORDS),
)

const jsonText = fc.oneof(
  anyText.map((text) => JSON.stringify(text)),
  fc.json({ maxDepth: 3 }),
  anyText,
)
const keyText = fc.oneof(
  fc.constantFrom(
    ...keys,
    'keys',
    'urls',
    'openaiCompatible',
    '$schema',
    '__proto__',
    'constructor',
    'anthropic',
  ),
  fc.string({ maxLength: 12 }),
)
const properties = fc
  .array(fc.tuple(keyText, jsonText), { maxLength: 4 })
  .map((all) => `{${all.map(([key, json]) => `${JSON.stringify(key)}: ${json}`).join(',\n')}}`)
const jsonFile = fc.oneof(
  anyText,
  properties,
  properties.map((inner) => `{"keys": ${inner}, "urls": ${inner}} // x`),
  fc
    .tuple(fc.nat(defaultConfigText().length), anyText)
    .map(([at, text]) => spliced(defaultConfigText(), at, text)),
)
const envFile = fc
  .array(
    fc.oneof(
      anyText,
      fc.tuple(name, anyText).map(([one, text]) => `${one}=${text}`),
    ),
    { maxLength: 5 },
  )
  .map((lines) => lines.join('\n'))

function spliced(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at)
}

/** Every value is one that its own text means, so it went through its schema. */
function checkConfig({ values, settingOf, warnings }: ReadConfig): void {
  for (const key of keys) {
    const { type } = specOf(key)
    const { value } = settingOf(key)
    expect(type.schema.parse(type.fromText(type.toText(value)))).toEqual(value)
    const [head = '', tail] = key.split('.')
    const group = (values as Readonly<Record<string, unknown>>)[head]
    expect(tail === undefined ? group : (group as Record<string, unknown>)[tail]).toEqual(value)
  }
  for (const warning of warnings) expect(warning).toMatch(/[.?]$/)
}

function checkOutcome(place: Place): 'read' | 'refused' {
  try {
    checkConfig(readConfig(place))
    return 'read'
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    expect(error.problems.length).toBeGreaterThan(0)
    for (const { text } of error.problems) expect(text).toMatch(/^[^\n]{10,}[.?]$/)
    return 'refused'
  }
}

/** A fuzz that never gets in, or never is refused, would prove nothing. */
function expectBoth(outcomes: readonly string[]): void {
  expect(new Set(outcomes)).toEqual(new Set(['read', 'refused']))
}

test('whatever is in config.json, it gives a valid configuration or a ConfigError', () => {
  const home = tempFolder()
  const outcomes: string[] = []
  fc.assert(
    fc.property(fc.oneof(jsonFile, fc.uint8Array()), (content) => {
      writeFileSync(join(home, 'config.json'), content)
      outcomes.push(checkOutcome({ home, environment: {} }))
    }),
    { numRuns: rounds(1_500) },
  )
  expectBoth(outcomes)
})

test('whatever is in .env, it gives a valid configuration or a ConfigError', () => {
  const home = tempFolder()
  const outcomes: string[] = []
  fc.assert(
    fc.property(fc.oneof(envFile, fc.uint8Array()), (content) => {
      writeFileSync(join(home, '.env'), content)
      outcomes.push(checkOutcome({ home, environment: {} }))
    }),
    { numRuns: rounds(1_500) },
  )
  expectBoth(outcomes)
})

test('whatever is in the environment and in flags, it gives a valid configuration or a ConfigError', () => {
  const home = join(tempFolder(), 'none')
  const outcomes: string[] = []
  const flags = fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), anyText, { maxKeys: 1 })
  fc.assert(
    fc.property(fc.dictionary(name, anyText, { maxKeys: 3 }), flags, (environment, flags) => {
      outcomes.push(checkOutcome({ home, environment, flags }))
    }),
    { numRuns: rounds(1_500) },
  )
  expectBoth(outcomes)
})

test('what one source takes, each other takes with the same meaning', () => {
  const home = tempFolder()
  fc.assert(
    fc.property(fc.constantFrom(...keys), anyText, (key, text) => {
      const { type } = specOf(key)
      const json = type.fromText(text)
      const parsed = type.schema.safeParse(json)
      fc.pre(parsed.success && text.trim() !== '')
      const file = withValue('{}', key.split('.'), json)
      writeFileSync(join(home, 'config.json'), file)
      const [byFile, byEnvironment, byFlag] = [
        settle({ home, environment: {} }),
        settle({ home: join(home, 'none'), environment: { [environmentName(key)]: text } }),
        settle({ home: join(home, 'none'), environment: {}, flags: { [key]: text } }),
      ]
      expect(byFile?.settingOf(key).value).toEqual(byFlag?.settingOf(key).value)
      expect(byEnvironment?.settingOf(key).value).toEqual(byFlag?.settingOf(key).value)
    }),
    { numRuns: rounds(1_500) },
  )
})

/** Undefined where a value does not go together with the defaults of others. */
function settle(place: Place): ReadConfig | undefined {
  try {
    return readConfig(place)
  } catch (error) {
    if (!(error instanceof ConfigError) || error.problems.some(({ origins }) => origins === undefined))
      throw error
    return undefined
  }
}
