import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { type ArgumentCheck, argumentChecks } from './argument-check.ts'

async function checkOf(parameters: JsonObject): Promise<ArgumentCheck> {
  const compile = await argumentChecks()
  const check = compile({ name: 't', description: '', parameters: { type: 'object', ...parameters } })
  if ('problem' in check) throw new Error(check.problem)
  return check
}

describe('arguments', () => {
  test('of more than 64 KiB are refused before anything else looks at them', async () => {
    const schema = { properties: { q: { type: 'string', pattern: '^(a+)+$' } } }
    const check = await checkOf(schema)
    expect(check({ q: `${'a'.repeat(65_528)}!` })).toBe(
      'the parameters are too long: 65537 bytes as JSON, of 65536 at most',
    )
  })

  test.each<[string, JsonObject, JsonObject]>([
    ['a pattern', { q: { type: 'string', pattern: '^(a+)+$' } }, { q: `${'a'.repeat(60)}!` }],
    [
      'the names of a pattern',
      { q: { patternProperties: { '^(a+)+$': { type: 'string' } } } },
      { q: { [`${'a'.repeat(60)}!`]: 1 } },
    ],
    [
      'a pattern where a parameter is called as a keyword',
      { default: { pattern: '^(a+)+$' } },
      { default: `${'a'.repeat(60)}!` },
    ],
    [
      'references that branch at every step',
      {
        q: { $ref: '#/properties/d0' },
        ...Object.fromEntries(
          Array.from({ length: 40 }, (_, step) => [
            `d${step}`,
            { allOf: [1, 2].map(() => (step === 39 ? {} : { $ref: `#/properties/d${step + 1}` })) },
          ]),
        ),
      },
      { q: 'x' },
    ],
  ])('[TOOL2] are checked in bounded time, whatever the schema: %s', async (_, properties, args) => {
    const check = await checkOf({ properties })
    expect(check(args)).toMatch(/^the parameters could not be checked: that takes too long/)
  })

  test('[TOOL2] with thousands of entries that must differ are checked in bounded time', async () => {
    const allOf = Array.from({ length: 60 }, () => ({ uniqueItems: true }))
    const check = await checkOf({ properties: { q: { type: 'array', allOf } } })
    expect(check({ q: Array.from({ length: 8_000 }, (_, i) => [i]) })).toContain('takes too long')
  })

  test('that nest deeper than the check can follow are a problem, and no error', async () => {
    const properties = { q: { $ref: '#/$defs/a' } }
    const $defs = { a: { items: { $ref: '#/$defs/a' } } }
    const check = await checkOf({ properties, $defs })
    let deep: JsonObject['x'] = 'x'
    for (let depth = 0; depth < 20_000; depth++) deep = [deep ?? null]
    expect(check({ q: deep })).toMatch(/^the parameters could not be checked: /)
  })
})
