import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Reminder, Routine, Webhook } from './definition.ts'
import { problemText, readDefinition, type Reading } from './read-definition.ts'
import { rounds } from '../../test/rounds.ts'

const BY_HAND: Reading = { due: 'optional' }

function read(matter: string, { file = 'brief.md', body = 'Look at the news.', ...reading }: Given = {}) {
  return readDefinition({ file, text: `---\n${matter}\n---\n${body}\n` }, { ...BY_HAND, ...reading })
}

type Given = Partial<Reading> & { readonly file?: string; readonly body?: string }

async function definition<D = Routine>(matter: string, given: Given = {}): Promise<D> {
  const result = await read(matter, given)
  if ('problem' in result) throw new Error(problemText(result.problem))
  return result.definition as D
}

async function kindIn(matter: string, file: string): Promise<string> {
  return (await definition(matter, { file })).kind
}

async function problem(matter: string, given: Given = {}): Promise<string> {
  const result = await read(matter, given)
  return 'problem' in result ? problemText(result.problem) : 'none'
}

async function warnings(matter: string, given: Given = {}): Promise<readonly string[]> {
  const result = await read(matter, given)
  if ('problem' in result) throw new Error(problemText(result.problem))
  return result.warnings
}

describe('a definition', () => {
  test('has a default for every field', async () => {
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
    }
    expect(await definition('cron: 0 8 * * *')).toEqual({
      ...common,
      kind: 'routine',
      cron: '0 8 * * *',
      background: false,
      isPersistent: false,
      timezone: null,
      catchUp: { kind: 'within', ms: 3_600_000 },
    })
    expect(await definition<Reminder>('run-at: 2026-08-01T09:00')).toEqual({
      ...common,
      kind: 'reminder',
      runAt: '2026-08-01T09:00:00',
      background: false,
      chain: { max: 0, depth: 0, parent: 'brief' },
      timezone: null,
      snoozeOf: null,
      isByModel: false,
    })
    expect(await definition<Webhook>('', { kind: 'webhook' })).toEqual({
      ...common,
      kind: 'webhook',
      background: true,
      fields: null,
      secretEnv: null,
    })
  })

  test('is what its file says, field by field', async () => {
    const matter = `id: 42
for: ana
cron: "*/15 8-18 * * mon-fri"
description: "News: short"
background: true
isolated: true
model: anthropic/some-model
thinking: 4000
update-main-session: always
allow-ping: false
allowed-tools: Read, WebFetch
skills: [git, weather]
timezone: Asia/Tokyo
catch-up: 1h 30min`
    expect(await definition(matter)).toEqual({
      kind: 'routine',
      id: '42',
      person: 'ana',
      cron: '*/15 8-18 * * mon-fri',
      description: 'News: short',
      background: true,
      isolated: true,
      model: 'anthropic/some-model',
      thinking: 4000,
      reporting: 'always',
      allowPing: false,
      tools: ['read', 'web_fetch'],
      skills: ['git', 'weather'],
      isPersistent: false,
      timezone: 'Asia/Tokyo',
      catchUp: { kind: 'within', ms: 5_400_000 },
      body: 'Look at the news.',
    })
  })

  test('may spell its keys with - or with _', async () => {
    const written = 'allow-ping: false\nupdate-main-session: freely\nallowed-tools: [grep]'
    expect(await definition(written.replaceAll(/-(?=\w+.*:)/g, '_'))).toEqual(await definition(written))
    expect(await warnings('allow-ping: true\nallow_ping: false')).toEqual([
      "Line 3: 'allow-ping' is given twice; the last one counts.",
    ])
  })

  test.each([
    ['id: 007', { id: '007' }],
    ['id: 1.10', { id: '1.10' }],
    ['id:', { id: 'brief' }],
    ['thinking: true', { thinking: 'adaptive' }],
    ['thinking: False', { thinking: 'off' }],
    ['model: inherit', { model: null }],
    ['update-main-session: on-ping', { reporting: 'on_ping' }],
    ['catch-up: skip', { catchUp: { kind: 'skip' } }],
    ['catch-up: Once', { catchUp: { kind: 'once' } }],
    ['catch-up: 2 days', { catchUp: { kind: 'within', ms: 172_800_000 } }],
    ['catch-up: 90 Min', { catchUp: { kind: 'within', ms: 5_400_000 } }],
    ['catch-up: 1.5 hours', { catchUp: { kind: 'within', ms: 5_400_000 } }],
    ['catch-up: 2 weeks', { catchUp: { kind: 'within', ms: 14 * 86_400_000 } }],
    ['session: persistent', { isPersistent: true, background: true }],
    ['session: off', { isPersistent: false, background: false }],
    ['skills: git, my weather', { skills: ['git', 'my weather'] }],
    ['cron: 0  0 29 2 7', { cron: '0 0 29 2 7' }],
  ])('reads %j', async (matter, expected) => expect(await definition(matter)).toMatchObject(expected))

  test.each([
    ['run-at: 2026-08-01 09:00:30Z', { runAt: '2026-08-01T09:00:30+00:00' }],
    ['run-at: 2026-08-01T09:00-03:30', { runAt: '2026-08-01T09:00:00-03:30' }],
    [
      'run-at: 2028-02-29T23:59\nmax-chain: 3\nchain-depth: 1\nchain-parent: 7',
      { chain: { max: 3, depth: 1, parent: '7' } },
    ],
    ['run-at: 2028-02-29T23:59\nsnooze-of: 4711', { snoozeOf: 4711 }],
    ['run-at: 2028-02-29T23:59\nid: "cafe\\u0301"', { id: 'caf\u00e9' }],
  ])('of a reminder is read: %j', async (matter, expected) =>
    expect(await definition(matter)).toMatchObject(expected),
  )

  test('[SAFE2] of a webhook whose task wants words from outside is warned about', async () => {
    const matter = 'fields: {repo: {type: string}, count: {type: integer}}'
    const body = 'Look at {repo}, {{count}} times, and at {nothing}.'
    expect(await warnings(matter, { kind: 'webhook', body })).toEqual([
      expect.stringContaining('The task has {repo}, which may be any text from outside.'),
      expect.stringContaining("The task has {nothing}, and fields has no 'nothing'"),
    ])
  })

  test('of a webhook says what it may be sent, with texts bounded unless said', async () => {
    const matter = `secret-env: MAINSTEM_HOOK_CI
fields:
  title: {type: string}
  body: {type: string, maxLength: 9000}
  count: {type: integer, minimum: 1}
  state: {type: string, enum: [open, "1"]}`
    const properties = {
      title: { type: 'string', maxLength: 500 },
      body: { type: 'string', maxLength: 9000 },
      count: { type: 'integer', minimum: 1 },
      state: { type: 'string', enum: ['open', '1'] },
    }
    const read = await definition<Webhook>(matter)
    expect(read).toMatchObject({ kind: 'webhook', secretEnv: 'MAINSTEM_HOOK_CI' })
    expect(read.fields).toEqual({ type: 'object', properties })
    const schema = 'fields: {required: [a], properties: {a: {type: number}}}'
    expect((await definition<Webhook>(schema)).fields).toEqual({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'number' } },
    })
  })

  test('is a routine, a reminder or a webhook by its folder, else by what it says', async () => {
    expect(await kindIn('', 'reminders/a.md')).toBe('reminder')
    expect(await kindIn('', 'deep/webhooks/a.md')).toBe('webhook')
    expect(await kindIn('run_at: 2026-08-01T09:00', 'routines/a.md')).toBe('routine')
    expect(await kindIn('run_at: 2026-08-01T09:00', 'a.md')).toBe('reminder')
    expect(await kindIn('secret-env: MAINSTEM_HOOK_A', 'a.md')).toBe('webhook')
    expect(await kindIn('allow-ping: true', 'a.md')).toBe('routine')
  })

  test('needs no front matter to be run by hand, and is named after its file', async () => {
    const result = await readDefinition({ file: 'My  Brief.MD', text: 'Do it.\n' }, BY_HAND)
    expect(result).toMatchObject({ definition: { id: 'My-Brief', body: 'Do it.' }, warnings: [] })
  })
})

describe('a key that is none', () => {
  test('is told of with the one that is probably meant, and harms nothing', async () => {
    expect(await warnings('alow-ping: false\nallowPing: no\ncolour: red')).toEqual([
      "Line 2: 'alow-ping' is not a field and is ignored; did you mean 'allow-ping'?",
      "Line 3: 'allowPing' is not a field and is ignored; did you mean 'allow-ping'?",
      "Line 4: 'colour' is not a field and is ignored.",
    ])
  })

  test('of another kind of job is told of', async () => {
    expect(await warnings('cron: 0 8 * * *\nmax-chain: 2')).toEqual([
      "Line 3: 'max-chain' is a field of reminders and is ignored here.",
    ])
    expect(await warnings('background: false', { kind: 'webhook' })).toEqual([
      'Line 2: a webhook always runs in the background, so background: false is ignored.',
    ])
  })
})

function many(count: number): string {
  const fields = Array.from({ length: count }, (_, index) => `  f${index}: {type: string}`)
  return `fields:\n${fields.join('\n')}`
}

describe('a broken file says where, what was expected and what to do:', () => {
  test.each([
    ['allow-ping: maybe', "line 2: allow-ping is 'maybe'. Write true or false."],
    ['id: x\nisolated: [true]', 'line 3: isolated is a list. Write true or false.'],
    ['id: a/b', "line 2: id is 'a/b'. Write 1 to 64 letters"],
    ['model: opus', "line 2: model is 'opus'. Write inherit, or PROVIDER/MODEL"],
    ['model: scripted:/etc/passwd', "line 2: model is 'scripted:/etc/passwd'. Write inherit, or"],
    ['model: antropic/x', "line 2: model is 'antropic/x': did you mean anthropic/x? Write"],
    ['thinking: lots', "line 2: thinking is 'lots'. Write true"],
    ['thinking: 0', "line 2: thinking is '0'. Write true"],
    [
      'update-main-session: never',
      "line 2: update-main-session is 'never'. Write on_ping, always, freely or blocked.",
    ],
    [
      'timezone: Berlin',
      "line 2: timezone is 'Berlin': did you mean Europe/Berlin? Write the name of a time zone",
    ],
    ['catch-up: soon', "line 2: catch-up is 'soon'. Write skip, once, or a duration"],
    ['catch-up: 5', "line 2: catch-up is '5'. Write skip, once, or a duration"],
    ['skills: {a: b}', 'line 2: skills is a map of keys and values. Write a list'],
    ['allowed-tools: [[a]]', 'line 2: allowed-tools is a list. Write a list of names of tools'],
    ['cron: 0 8 * *', "line 2: cron is '0 8 * *': it has 4 fields instead of 5. Write five fields"],
    ['cron: 60 8 * * *', "cron is '60 8 * * *': the minute '60' is not a number from 0 to 59. Write"],
    ['cron: 0 8 * * funday', "the day of the week 'funday' is not a number from 0 to 7, or sun, mon …"],
    ['cron: 0 20-4 * * *', "the hour '20-4' goes backwards: write 20-23,0-4."],
    ['cron: 5/10 * * * *', "the minute '5/10' has a step and no end: write 5-59/10."],
    ['cron: "*/0 * * * *"', 'the minute has a step of 0.'],
    ['cron: 0 0 30 2 *', 'there is no such day in any of these months.'],
    ['session: sticky', "line 2: session is 'sticky'. Write persistent, or off."],
    ['session: persistent\nbackground: false', 'line 3: session: persistent runs in the background. Remove'],
    ['session: persistent\nisolated: true', 'line 3: session: persistent continues the main session. Remove'],
    ['run-at: tomorrow', "line 2: run-at is 'tomorrow'. Write a date and a time"],
    ['run-at: 2026-08-01', "line 2: run-at is '2026-08-01': the time of day is missing. Write"],
    ['run-at: 2026-02-30T09:00', 'there is no such date or time. Write'],
    ['run-at: 2026-02-03T24:00', 'there is no such date or time. Write'],
    ['run-at: 2026-02-03T09:00+99:00', '+99:00 is not an offset. Write'],
    [
      'run-at: 2026-02-03T09:00\nmax-chain: -1',
      "line 3: max-chain is '-1'. Write a whole number from 0 to 100.",
    ],
    [
      'run-at: 2026-02-03T09:00\nchain-depth: 2',
      'line 3: chain-depth is 2 and max-chain 0. Write a max-chain',
    ],
    [
      'run-at: 2026-02-03T09:00\nsnooze-of: 0',
      "line 3: snooze-of is '0'. Write a whole number from 1 on: the position of a ping in the log.",
    ],
    [
      'secret-env: whsec_Zm9v',
      'line 2: secret-env is not such a name. Write the name of a variable that begins with MAINSTEM_HOOK_',
    ],
    ['secret-env: AWS_SECRET_ACCESS_KEY', 'secret-env is not such a name.'],
    ['secret-env: MAINSTEM_HOOK_', 'secret-env is not such a name.'],
    ['fields: [a]', 'line 2: fields is not a map. Write a JSON Schema'],
    ['fields: {type: array, properties: {}}', 'fields has the type "array", but has to be object.'],
    ['fields: {properties: {a: text}}', "fields needs a map such as {type: string} for 'a'."],
    [
      'description: A\nfields: {a: {type: string, pattern: "("}}',
      'line 3: fields is not a valid JSON Schema: Invalid regular expression: /(/u: Unterminated group. Write a JSON Schema',
    ],
    ['fields: {a: {type: strin}}', 'line 2: fields is not a valid JSON Schema: schema is invalid: '],
    ['fields: {a: {$ref: "#/none"}}', "can't resolve reference #/none from id #. Write a JSON Schema"],
    ['description: [', 'line 2: the front matter is not valid YAML: '],
    ['just words', 'line 2: the front matter is not valid YAML: lines of the form `key: value` are needed.'],
  ])('%j', async (matter, expected) => expect(await problem(matter)).toContain(expected))

  test('more than 20 fields of a webhook', async () => {
    expect(await problem(many(20))).toBe('none')
    expect(await problem(many(21))).toContain('fields has 21 properties; at most 20 are allowed.')
  })

  test('what has to say when it is due and does not', async () => {
    const required = { due: 'required' } as const
    expect(await problem('id: a', { ...required, file: 'routines/a.md' })).toMatch(
      /^routines\/a\.md, line 1: cron is missing\. Add a line cron: with five fields/,
    )
    expect(await problem('id: a', { ...required, file: 'reminders/a.md' })).toContain('run-at is missing.')
    expect(await problem('id: a', { ...required, file: 'webhooks/a.md' })).toBe('none')
    expect(await problem('cron: 0 8 * * *', required)).toBe('none')
  })

  test('no task, no end of the front matter, no name', async () => {
    expect(await problem('id: a\nallow-ping: true', { body: ' ' })).toBe(
      'brief.md, line 4: there is no task. Write it below the front matter.',
    )
    const unclosed = await readDefinition({ file: 'a.md', text: '---\nid: a\nDo it.' }, BY_HAND)
    expect(unclosed).toMatchObject({ problem: { line: 1, reason: expect.stringContaining('has no end') } })
    expect(await problem('allow-ping: true', { file: '(1).md' })).toContain(
      'line 1: its name is not a valid id. Add a line id:',
    )
    expect(await problem('id: one', { file: '(1).md' })).toBe('none')
  })

  test('of several mistakes the first in the file', async () => {
    expect(await problem('thinking: x\nisolated: y\nallow-ping: z')).toContain('line 2: thinking')
    expect(await problem('allow-ping: z\nthinking: x')).toContain('line 2: allow-ping')
  })
})

const key = fc.constantFrom(
  'id',
  'for',
  'cron',
  'run-at',
  'run_at',
  'description',
  'background',
  'isolated',
  'model',
  'thinking',
  'update-main-session',
  'allow_ping',
  'allowed-tools',
  'skills',
  'max-chain',
  'chain-depth',
  'chain-parent',
  'set-by',
  'snooze-of',
  'session',
  'timezone',
  'catch-up',
  'fields',
  'secret-env',
  '__proto__',
  'constructor',
  '? [a]',
  '<<',
)
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    'true',
    '5',
    '*/5 * * * *',
    '1-2-3/4 * * * *',
    '2026-13-01T00:00',
    '9999999999h',
    '&a [*a]',
    '*b',
    '!!js x',
    '|',
    '"\\uD800"',
    'persistent',
  ),
)
const matters = fc
  .array(fc.tuple(key, value), { maxLength: 8 })
  .map((lines) => lines.map(([name, text]) => `${name}: ${text}`).join('\n'))
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  matters.map((matter) => `---\n${matter}\n---\nDo it.`),
)
const files = fc.oneof(
  fc.constantFrom('a.md', 'webhooks/a.md', 'reminders/a.md', '.md', '', '/'),
  fc.string(),
)

test('whatever stands in a file, it is a definition that holds what it promises, or a problem with a line', () =>
  fc.assert(
    fc.asyncProperty(files, texts, fc.constantFrom('required', 'optional'), async (file, text, due) => {
      const read = await readDefinition({ file, text }, { due })
      if ('problem' in read) {
        expect(read.problem.line).toBeGreaterThanOrEqual(1)
        expect(read.problem.line).toBeLessThanOrEqual(text.split('\n').length)
        expect(read.problem.reason).toMatch(/\S.*\.$/s)
        return
      }
      const { definition } = read
      expect(definition.id).toMatch(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u)
      expect(definition.body.trim()).not.toBe('')
      if (due === 'required' && definition.kind === 'routine') expect(definition.cron).not.toBeNull()
      if (due === 'required' && definition.kind === 'reminder') expect(definition.runAt).not.toBeNull()
      expect(structuredClone(definition)).toEqual(definition)
    }),
    { numRuns: rounds(3_000) },
  ))

test.each(['morning-brief', 'tidy-notes'])(
  'the example %s can be put into a workspace as it is',
  async (name) => {
    const text = readFileSync(new URL(`../../examples/routines/${name}.md`, import.meta.url), 'utf8')
    const read = await readDefinition({ file: `routines/${name}.md`, text }, { due: 'required' })
    expect(read).toMatchObject({ definition: { kind: 'routine', id: name, background: true }, warnings: [] })
  },
)
