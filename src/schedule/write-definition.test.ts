import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reportings } from '../event/run.ts'
import { canonicalJson } from '../base/canonical.ts'
import type { Definition, Reminder, Routine, Webhook } from './definition.ts'
import { readDefinition } from './read-definition.ts'
import { definitionText, UnwritableDefinition } from './write-definition.ts'
import { rounds } from '../../test/rounds.ts'

const common = {
  id: 'brief',
  person: null,
  description: '',
  isolated: false,
  model: null,
  thinking: 'adaptive',
  reporting: 'on_ping',
  allowPing: true,
  tools: [],
  skills: [],
  body: 'Look at the news.',
} as const
const routine: Routine = {
  kind: 'routine',
  ...common,
  cron: '0 8 * * *',
  background: false,
  isPersistent: false,
  timezone: null,
  catchUp: { kind: 'within', ms: 3_600_000 },
}
const reminder: Reminder = {
  kind: 'reminder',
  ...common,
  runAt: '2026-08-01T09:00:00',
  background: false,
  chain: { max: 0, depth: 0, parent: 'brief' },
  snoozeOf: null,
  isByModel: false,
  timezone: null,
}
const webhook: Webhook = { kind: 'webhook', ...common, background: true, fields: null, secretEnv: null }

async function readBack(definition: Definition): Promise<Definition> {
  const text = await definitionText(definition)
  const file = `${definition.kind}s/other-name.md`
  const read = await readDefinition({ file, text }, { due: 'optional' })
  if ('problem' in read) throw new Error(`${read.problem.reason}\n${text}`)
  // What a webhook's task would need of its data is said whoever wrote it.
  if (definition.kind !== 'webhook') expect(read.warnings).toEqual([])
  return read.definition
}

describe('a definition is written', () => {
  test('with what differs from the defaults only', async () => {
    expect(await definitionText(routine)).toBe('---\nid: brief\ncron: 0 8 * * *\n---\nLook at the news.\n')
    expect(await definitionText(webhook)).toBe('---\nid: brief\n---\nLook at the news.\n')
    expect(await definitionText({ ...routine, isPersistent: true, background: true })).toBe(
      '---\nid: brief\ncron: 0 8 * * *\nsession: persistent\n---\nLook at the news.\n',
    )
  })

  test('with its fields in their order, as people would write them', async () => {
    const full: Routine = {
      ...routine,
      id: '42',
      person: 'ana',
      description: 'News: short',
      background: true,
      isolated: true,
      model: 'anthropic/some-model',
      thinking: 4000,
      reporting: 'always',
      allowPing: false,
      tools: ['read', 'web_fetch(https://example.org/*)'],
      skills: ['git', 'my weather'],
      timezone: 'Asia/Tokyo',
      catchUp: { kind: 'within', ms: 5_400_000 },
    }
    expect(await definitionText(full)).toMatchInlineSnapshot(`
      "---
      id: "42"
      for: ana
      cron: 0 8 * * *
      description: "News: short"
      background: true
      isolated: true
      model: anthropic/some-model
      thinking: 4000
      update-main-session: always
      allow-ping: false
      allowed-tools:
        - read
        - web_fetch(https://example.org/*)
      skills:
        - git
        - my weather
      timezone: Asia/Tokyo
      catch-up: 1h 30m
      ---
      Look at the news.
      "
    `)
    const chained: Reminder = {
      ...reminder,
      runAt: '2026-08-01T09:00:30-03:30',
      thinking: 'off',
      chain: { max: 3, depth: 1, parent: 'water' },
      snoozeOf: 412,
    }
    expect(await definitionText(chained)).toMatchInlineSnapshot(`
      "---
      id: brief
      run-at: 2026-08-01T09:00:30-03:30
      thinking: false
      max-chain: 3
      chain-depth: 1
      chain-parent: water
      snooze-of: 412
      ---
      Look at the news.
      "
    `)
    const fields = { type: 'object', properties: { state: { enum: ['open', '1', 1, null] } } }
    expect(await definitionText({ ...webhook, fields, secretEnv: 'MAINSTEM_HOOK_CI' }))
      .toMatchInlineSnapshot(`
      "---
      id: brief
      fields:
        type: object
        properties:
          state:
            enum:
              - open
              - "1"
              - 1
              - null
      secret-env: MAINSTEM_HOOK_CI
      ---
      Look at the news.
      "
    `)
  })

  test.each([
    '---\nid: other\n---\nDo that.',
    'one\r\ntwo\r\n\r\nthree',
    '\tonly\u0000 this \u{1F9D1}\u{200D}\u{1F4BB}'.trim(),
    '"quoted" \'twice\' # no comment: {a: [b]} |',
    '...',
    '--- !tag',
    '\\',
    'a\u2028b\u0085c\uFEFFd',
  ])('with the task %j as it is', async (body) => {
    expect(await readBack({ ...reminder, body })).toEqual({ ...reminder, body })
  })
})

describe('what no file can hold is refused, and never changed:', () => {
  test.each<[string, Definition, RegExp]>([
    [
      'a task with blanks around it',
      { ...routine, body: 'Do it.\n' },
      /^The task begins or ends with blanks/,
    ],
    ['no task', { ...routine, body: '' }, /^A file cannot hold this: there is no task\./],
    ['half a character', { ...routine, body: 'a \uD83E b' }, /half a character/],
    ['half a character in a field', { ...routine, description: '\uD83E' }, /^description is/],
    [
      'an id that is none',
      { ...routine, id: 'a/b' },
      /^A file cannot hold this: id is 'a\/b'\. Write 1 to 64/,
    ],
    [
      'a description with blanks around it',
      { ...routine, description: ' a' },
      /^description is " a" and would be read back from its file as "a"\./,
    ],
    ['tools that would run into each other', { ...routine, tools: ['a(b(c)', 'd'] }, /^allowed-tools is \[/],
    ['too much', { ...routine, description: 'a'.repeat(1_001) }, /^A file cannot hold this: description is/],
    [
      'a session that is not in the background',
      { ...routine, isPersistent: true },
      /session: persistent runs in the background/,
    ],
    ['a moment that is none', { ...routine, catchUp: { kind: 'within', ms: 1 } }, /catch-up is /],
  ])('%s', async (_, definition, message) => {
    const writing = definitionText(definition)
    await expect(writing).rejects.toThrow(UnwritableDefinition)
    await expect(writing).rejects.toThrow(message)
  })
})

const line = fc.string({ unit: 'binary', maxLength: 40 })
const anyText = fc.oneof(
  line,
  fc.string({ maxLength: 60 }),
  fc.constantFrom(
    'null',
    '~',
    'true',
    '0x1F',
    '1e3',
    '<<',
    '&a',
    '*a',
    '!!str',
    '- a',
    'a: b',
    '# no',
    '|',
    '>-',
    '---',
  ),
  fc
    .array(fc.constantFrom('---', '\n', '\r\n', '\t', '"', "'", '#', ': ', '\u0000', '🧑‍💻', 'words'), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
)
const kept = anyText.map((text) => text.toWellFormed().trim())
const id = fc.stringMatching(/^[a-zA-Z0-9äß中][a-zA-Z0-9._-]{0,20}$/)
const zone = fc.option(fc.constantFrom('Europe/Berlin', 'Asia/Tokyo', 'UTC'))
const names = fc.uniqueArray(
  kept.filter((name) => name !== ''),
  { maxLength: 4 },
)
const shared = {
  id,
  person: fc.option(kept.filter((text) => text !== '')),
  description: kept,
  model: fc.constantFrom(null, 'anthropic/some-model', 'ollama/a:b'),
  thinking: fc.oneof(
    fc.constantFrom('off' as const, 'adaptive' as const),
    fc.integer({ min: 1_024, max: 1_000_000 }),
  ),
  reporting: fc.constantFrom(...reportings),
  allowPing: fc.boolean(),
  tools: fc.uniqueArray(fc.constantFrom('read', 'grep(notes/*.md)', 'mcp__a__*', 'gh(a, b)', 'x("y": #z)'), {
    maxLength: 4,
  }),
  skills: names,
  body: kept.filter((text) => text !== ''),
}
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as never)
/** Each once, and at least one, or it is no schema. */
const values = fc.uniqueArray(json, {
  minLength: 1,
  maxLength: 3,
  selector: (value) => canonicalJson(value),
})
const properties = fc.dictionary(
  fc.oneof(id, kept),
  fc.oneof(fc.record({ type: fc.constant('number') }), fc.record({ enum: values })),
  { maxKeys: 4 },
)
const definitions: fc.Arbitrary<Definition> = fc.oneof(
  fc
    .record({
      ...shared,
      kind: fc.constant('routine' as const),
      cron: fc.constantFrom(null, '0 8 * * *', '*/15 8-18 * * mon-fri'),
      background: fc.boolean(),
      isolated: fc.boolean(),
      isPersistent: fc.boolean(),
      timezone: zone,
      catchUp: fc.oneof(
        fc.constantFrom({ kind: 'skip' as const }, { kind: 'once' as const }),
        fc
          .integer({ min: 1, max: 366 * 86_400 })
          .map((seconds) => ({ kind: 'within' as const, ms: seconds * 1_000 })),
      ),
    })
    .map((one): Routine => (one.isPersistent ? { ...one, background: true, isolated: false } : one)),
  fc
    .record({
      ...shared,
      kind: fc.constant('reminder' as const),
      background: fc.boolean(),
      isolated: fc.boolean(),
      runAt: fc.option(
        fc
          .record({
            seconds: fc.integer({ min: 0, max: 4e9 }),
            offset: fc.constantFrom('', '+00:00', '-03:30'),
          })
          .map(({ seconds, offset }) => new Date(seconds * 1_000).toISOString().slice(0, 19) + offset),
      ),
      chain: fc.record({ max: fc.integer({ min: 50, max: 100 }), depth: fc.nat(50), parent: id }),
      snoozeOf: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
      isByModel: fc.boolean(),
      timezone: zone,
    })
    .map((one): Reminder => one),
  fc
    .record({
      ...shared,
      kind: fc.constant('webhook' as const),
      background: fc.constant(true as const),
      isolated: fc.boolean(),
      fields: fc.option(properties.map((fields) => ({ type: 'object', properties: fields }))),
      secretEnv: fc.constantFrom(null, 'MAINSTEM_HOOK_CI'),
    })
    .map((one): Webhook => one),
)

test('a file that was written is read as the definition that it was written from', () =>
  fc.assert(
    fc.asyncProperty(definitions, async (definition) => {
      expect(await readBack(definition)).toEqual(definition)
    }),
    { numRuns: rounds(300) },
  ))

test('whatever texts it holds, a definition is written as it is, or refused', () =>
  fc.assert(
    fc.asyncProperty(
      definitions,
      fc.constantFrom('id', 'person', 'description', 'model', 'body', 'timezone'),
      anyText,
      async (given, key, text) => {
        fc.pre(key in given)
        const definition = { ...given, [key]: text } as Definition
        try {
          expect(await readBack(definition)).toEqual(definition)
        } catch (error) {
          if (!(error instanceof UnwritableDefinition)) throw error
          expect(error.message).toMatch(/\.$/)
        }
      },
    ),
    { numRuns: rounds(300) },
  ))
