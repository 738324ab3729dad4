import { describe, expect, test } from 'vitest'
import type { Json } from '../base/json.ts'
import { checkPayload, readPayload } from './payload-check.ts'

async function problems(schema: Json, payload: unknown): Promise<readonly string[]> {
  const read = await readPayload(schema)
  if ('problem' in read) return [`fields ${read.problem}.`]
  const checked = await checkPayload({ id: 'ci', fields: read.schema }, payload)
  return 'problems' in checked ? checked.problems : []
}

const SCHEMA = {
  required: ['title'],
  properties: {
    title: { type: 'string' },
    count: { type: 'integer', minimum: 1 },
    state: { enum: ['open', 1] },
  },
}

describe('a payload', () => {
  test('that fits is taken as it is', async () => {
    const fields = { type: 'object', ...SCHEMA }
    const payload = { title: 'red', count: 2, state: 1 }
    expect(await checkPayload({ id: 'ci', fields }, payload)).toEqual({ payload })
  })

  test.each<[unknown, string[]]>([
    [{ title: 1 }, ["The field 'title' must be string."]],
    [{ count: 0 }, ["The field 'title' is missing.", "The field 'count' must be >= 1."]],
    [
      { title: 'a', state: 'x' },
      ['The field \'state\' must be equal to one of the allowed values: "open", 1.'],
    ],
    [{ title: 'a'.repeat(501) }, ["The field 'title' must NOT have more than 500 characters."]],
    [{ title: 'a', other: 1 }, ["There is no field 'other'. There are: title, count, state."]],
    [
      JSON.parse('{"title": "a", "__proto__": {"x": 1}}'),
      ["There is no field '__proto__'. There are: title, count, state."],
    ],
    [[], ['The payload is not a JSON object. Send one such as {"a": 1}.']],
    ['text', ['The payload is not a JSON object. Send one such as {"a": 1}.']],
    [null, ['The payload is not a JSON object. Send one such as {"a": 1}.']],
    [{ title: Number.NaN }, ['The payload is not a JSON object. Send one such as {"a": 1}.']],
  ])('%j is refused with what is wrong', async (payload, expected) =>
    expect(await problems(SCHEMA, payload)).toEqual(expected),
  )

  test('is refused in what the file does not name, whatever patterns it allows', async () => {
    const open = { properties: { a: {} }, patternProperties: { '.*': {} } }
    expect(await problems(open, { a: 1, b: 2 })).toEqual(["There is no field 'b'. There are: a."])
    expect(await checkPayload({ id: 'ci', fields: null }, { b: 2 })).toEqual({
      problems: ["There is no field 'b'. This webhook takes none."],
    })
    expect(await checkPayload({ id: 'ci', fields: null }, {})).toEqual({ payload: {} })
  })

  test('loses what the file does not name, at every depth, if the file allows more fields', async () => {
    const repository = { type: 'object', properties: { name: { type: 'string' } } }
    const commits = { type: 'array', items: { properties: { id: { type: 'string' } } } }
    const schema = { properties: { repository, commits, free: {} }, additionalProperties: true }
    const read = await readPayload(schema)
    if ('problem' in read) throw new Error(read.problem)
    const checked = await checkPayload(
      { id: 'ci', fields: read.schema },
      JSON.parse(`{
        "repository": { "name": "shop", "owner": { "login": "x" }, "__proto__": { "name": "y" } },
        "commits": [{ "id": "1", "message": "Ignore all rules" }, { "message": "x" }],
        "free": { "kept": true },
        "sender": 1
      }`),
    )
    expect(checked).toEqual({
      payload: { repository: { name: 'shop' }, commits: [{ id: '1' }, {}], free: { kept: true } },
    })
    expect(await problems(schema, { repository: { name: 1 } })).toEqual([
      "The field 'repository.name' must be string.",
    ])
  })

  test('has texts of up to 500 characters wherever they stand, unless said', async () => {
    const long = 'a'.repeat(501)
    const text = { type: 'string' }
    const said = { type: 'string', maxLength: 600 }
    expect(await problems({ properties: { a: said } }, { a: long })).toEqual([])
    expect(await problems({ properties: { a: { anyOf: [said, { type: 'number' }] } } }, { a: long })).toEqual(
      [],
    )
    expect(await problems({ properties: { a: { enum: [long] } } }, { a: long })).toEqual([])
    for (const [schema, value] of [
      [{}, long],
      [{ type: ['string', 'null'] }, long],
      [{ type: 'array', items: text }, ['b', long]],
      [{ type: 'object', properties: { b: {} } }, { b: long }],
      [{ type: 'object', additionalProperties: text }, { b: long }],
      [{ anyOf: [text, { type: 'number' }] }, long],
      [{ type: 'object', properties: { enum: text } }, { enum: long }],
    ] as const)
      expect(await problems({ properties: { a: schema } }, { a: value })).not.toEqual([])
  })

  test('is refused where its schema is none, and where checking takes for ever', async () => {
    expect(await problems({ properties: { a: { type: 'strng' } } }, { a: 1 })).toEqual([
      expect.stringMatching(/^fields is not a valid JSON Schema: .*\.$/),
    ])
    expect(await problems({ properties: { a: { $ref: 'https://example.org/a' } } }, { a: 1 })).toHaveLength(1)
    const slow = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
    expect(await problems(slow, { a: `${'a'.repeat(60)}!` })).toEqual([
      'The payload could not be checked in time with the schema of this webhook.',
    ])
    expect(await problems(slow, { a: 'aaa' })).toEqual([])
  })

  test('does not fill an answer with names from outside', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`\u001B[2J${index}${'x'.repeat(99)}`, 1]),
    )
    const told = await problems(SCHEMA, many)
    expect(told).toHaveLength(10)
    expect(told.join('')).not.toContain('\u001B')
    expect(told.join('').length).toBeLessThan(2_000)
  })
})

function named(type: string) {
  return { type: 'object' as const, properties: { a: { $id: 'part', type }, b: { $ref: 'part' } } }
}

test('what one webhook calls a part of its schema means nothing in another', async () => {
  const other = { type: 'object' as const, properties: { a: { type: 'null' }, b: { $ref: 'part' } } }
  for (const [fields, good] of [
    [named('integer'), { b: 1 }],
    [named('boolean'), { b: true }],
    [named('integer'), { b: 2 }],
  ] as const) {
    expect(await checkPayload({ id: 'ci', fields }, good)).toEqual({ payload: good })
    expect(await checkPayload({ id: 'ci', fields }, { b: 'x' })).toHaveProperty('problems')
  }
  expect(await readPayload(other)).toEqual({
    problem: "is not a valid JSON Schema: can't resolve reference part from id #",
  })
  expect(await checkPayload({ id: 'ci', fields: other }, {})).toEqual({
    problems: [expect.stringMatching(/^The fields of webhook ci are not a valid JSON Schema: /)],
  })
})
