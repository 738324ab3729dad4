import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LogError } from '../src/log/log.ts'
import { getBranch } from '../src/context/branch.ts'
import { hasElsewhere } from '../src/context/origin.ts'
import { listOf } from '../src/context/version.ts'
import type { BranchId } from '../src/event/id.ts'
import { examine } from '../src/runtime/store/doctor.ts'
import { importInto } from '../src/runtime/store/import.ts'
import { ImportError } from '../src/runtime/store/lines.ts'
import { openForReading } from '../src/runtime/home/open-log.ts'
import { fixtureHome, run, start, tempFolder } from './cli/run.ts'
import { rounds } from './rounds.ts'

const EXPORT = readFileSync(new URL('fixtures/logs/format-1/format-1.jsonl', import.meta.url), 'utf8')
const LINES = EXPORT.trimEnd().split('\n')

describe('an export', () => {
  test('[CTX1] export, import, export: the same bytes, from a file and from a pipe', async () => {
    const [home, second] = [join(tempFolder(), 'home'), join(tempFolder(), 'home')]
    const file = join(tempFolder(), 'export.jsonl')
    writeFileSync(file, EXPORT)
    const imported = await run(['import', file, '--home', home])
    expect(imported).toMatchObject({ code: 0, err: '' })
    expect(imported.out).toMatch(`Imported ${LINES.length} events.\n`)
    const exported = await run(['export'], { home })
    expect(exported.out.slice(0, EXPORT.length)).toBe(EXPORT)
    expect((await run(['import', '-'], { home: second, input: exported.out })).code).toBe(0)
    expect((await run(['export'], { home: second })).out.slice(0, exported.out.length)).toBe(exported.out)
    expect((await run(['doctor'], { home: second })).code).toBe(0)
    expect(readdirSync(home).filter((name) => name.includes('importing'))).toEqual([])
  })

  test('is only read into an empty log', async () => {
    const home = fixtureHome()
    const before = readFileSync(join(home, 'log.db'))
    const { code, err } = await run(['import', '-'], { home, input: EXPORT })
    expect(code).toBe(1)
    expect(err).toContain(`already has ${LINES.length} events`)
    expect(readFileSync(join(home, 'log.db')).equals(before)).toBe(true)
  })

  test.each([
    ['a gap', LINES.toSpliced(9, 1), 'line 10: position 11 follows 9'],
    ['a position twice', LINES.toSpliced(9, 0, LINES[8] ?? ''), 'line 10: position 9 follows 9'],
    ['a beginning that is not 1', LINES.slice(1), 'line 1: position 2 follows 0'],
    ['a broken line', LINES.with(19, '{"position":20,'), 'line 20: the line is not JSON'],
    ['a line of something else', LINES.with(19, '[1]'), 'line 20: the line is not a JSON object'],
    [
      'a kind of a newer program',
      edited(4, { kind: 'moon-landed' }),
      'which this program does not know; a newer mainstem may',
    ],
    [
      'a version of a newer program',
      edited(4, { v: 2 }),
      'of a version that this program does not know; a newer mainstem may',
    ],
    ['a field that is not there', edited(4, { surprise: true }), 'line 5'],
    ['a time that is none', edited(4, { at: 'noon' }), "line 5: 'at' must be a time such as"],
    ['a branch that was never created', edited(4, { branch: 'br_1ka38ee00zzzzzz' }), 'line 5'],
    ['a list that refers to nothing', danglingList(), 'there is no summary 0 at 1'],
    ['a message out of an entry to come', edited(2, { took: 10 ** 15 }), 'names event 1000000000000000'],
    ['an undo of nothing', edited(22, { undone: 3, version: 1 }), 'line 23'],
  ])('[LOG2] with %s is refused, the line named, and no log is left', async (_, lines, told) => {
    const home = tempFolder()
    const { code, out, err } = await run(['import', '-'], { home, input: lines.join('\n') })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('Nothing was imported from the standard input')
    expect(err).toContain(told)
    expect(err).not.toMatch(/^\s+at /m)
    expect(readdirSync(home)).toEqual(['log.db.lock'])
  })

  test('[LOG2] killed in the middle, it leaves no log, and the next try leaves no litter', async () => {
    const home = tempFolder()
    const child = start(['import', '-'], { home })
    const closed = once(child, 'close')
    child.stdin?.write(longExport(2_000))
    const written = () => statSync(join(home, 'log.db.importing-wal'), { throwIfNoEntry: false })?.size ?? 0
    await expect.poll(written).toBeGreaterThan(100_000)
    child.kill('SIGKILL')
    await closed
    expect(existsSync(join(home, 'log.db'))).toBe(false)
    expect((await run(['import', '-'], { home, input: EXPORT })).code).toBe(0)
    expect(readdirSync(home).toSorted()).toEqual(['log.db', 'log.db.lock'])
  })
})

describe('OpenAI-style messages', () => {
  test('become an ended branch, with what had to be mended told', async () => {
    const home = tempFolder()
    const file = join(tempFolder(), 'chat.json')
    writeFileSync(file, JSON.stringify(CHAT, undefined, 2))
    const { code, out } = await run(['import', file], { home })
    expect(code).toBe(0)
    expect(out).toMatch(/^Imported 'chat' \(OpenAI-style messages\) as branch [0-9a-z]{6}: 8 messages\.$/m)
    expect(out).toContain('1 call without a result: one was added that says so')
    expect(out).toContain('1 result without a call: kept as notes')
    expect(out).toContain('1 call renamed')
    expect(await messagesOf(home)).toEqual([
      'note: <data source="import">\n\\[system] Be brief.\n</data>',
      'user: What is this?\n[image]',
      'assistant:  web({"q":"cat"}) web({"unreadable":"{broken"})',
      'tool call_1: a cat',
      'tool call_1~2: no result in the transcript (imported)',
      'note: <data source="import">\n[result without a call, call_9] lost\n</data>',
      'user: Thanks',
      'assistant: Welcome',
    ])
    const agents = await run(['agents'], { home })
    expect(agents.out).toMatch(/fork 'imported: chat'.* ended \(finished\)/)
    expect((await run(['doctor'], { home })).code).toBe(0)
  })

  test.each([
    ['an object with messages', { messages: conversation() }, 1],
    ['several conversations', [{ messages: conversation() }, { messages: conversation() }], 2],
    ['arrays in an array', [conversation(), conversation()], 2],
  ])('%s', async (_, value, branches) => {
    const home = fixtureHome()
    const { code, out } = await run(['import', '-'], { home, input: JSON.stringify(value) })
    expect(code).toBe(0)
    expect(out.match(/as branch/g)).toHaveLength(branches)
  })

  test('one conversation a line', async () => {
    const line = JSON.stringify({ messages: conversation() })
    const { out } = await run(['import', '-'], { home: tempFolder(), input: `${line}\n${line}\n` })
    expect(out.match(/as branch/g)).toHaveLength(2)
  })
})

test('a session of Claude Code becomes an ended branch with its own times', async () => {
  const home = tempFolder()
  const file = join(tempFolder(), 'session.jsonl')
  writeFileSync(file, SESSION.map((line) => JSON.stringify(line)).join('\n'))
  const { code, out } = await run(['import', file], { home })
  expect(code).toBe(0)
  expect(out).toMatch(/^Imported 'session' \(Claude Code\) as branch [0-9a-z]{6}: 6 messages\.$/m)
  expect(out).toContain('4 lines or messages skipped')
  expect(await messagesOf(home)).toEqual([
    'user: List the files.',
    'assistant: Let me look. Bash({"command":"ls"}) Read({"path":"a"})',
    'tool t1: a\nb',
    'tool t2: [image]',
    'user: go on',
    'assistant: Two files.',
  ])
  expect((await run(['log'], { home })).out).toContain('2025-03-01 10:00')
})

describe('anything else', () => {
  test.each([
    ['nothing', ''],
    ['words', 'hello there\nhow are you\n'],
    ['a number', '42'],
    ['other JSON', '{"a":1}'],
    ['an empty array', '[]'],
    ['messages without roles', '[{"text":"a"}]'],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x9f, 0x92])],
  ])('%s is refused, the home is not even made', async (_, input) => {
    const home = join(tempFolder(), 'home')
    const { code, out, err } = await run(['import', '-'], { home, input })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('Nothing was imported from the standard input')
    expect(err).toMatch(/OpenAI-style messages|is not UTF-8/)
    expect(existsSync(home)).toBe(false)
  })

  test.each(['no-such-file', '.'])('a file that cannot be read is named: %s', async (file) => {
    const { code, err } = await run(['import', file], { home: tempFolder() })
    expect(code).toBe(1)
    expect(err).toContain(`${file} cannot be read`)
    expect(err).not.toMatch(/^\s+at /m)
  })
})

describe('garbage', () => {
  const mutated = fc
    .record({
      line: fc.nat({ max: LINES.length - 1 }),
      cut: fc.nat({ max: 400 }),
      drop: fc.nat({ max: 30 }),
      put: fc.oneof(fc.string({ maxLength: 10 }), fc.constantFrom('1', '0', '"', '{', 'null', '-1', '[]')),
    })
    .map(({ line, cut, drop, put }) => {
      const text = LINES[line] ?? ''
      const place = cut % text.length
      return LINES.with(line, text.slice(0, place) + put + text.slice(place + drop)).join('\n')
    })
  const swapped = fc
    .tuple(fc.nat({ max: LINES.length - 1 }), fc.nat({ max: LINES.length - 1 }))
    .map(([a, b]) =>
      LINES.with(a, LINES[b] ?? '')
        .with(b, LINES[a] ?? '')
        .join('\n'),
    )
  const truncated = fc.nat({ max: EXPORT.length }).map((length) => EXPORT.slice(0, length))
  const chats = fc.array(
    fc.record({ role: fc.constantFrom('user', 'assistant', 'tool', 'x'), content: fc.jsonValue() }),
  )
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 500 }),
    mutated,
    swapped,
    truncated,
    fc.json(),
    chats.map((value) => JSON.stringify(value)),
  )

  test('[LOG2] whatever comes in: a whole log or a clear refusal that leaves none', async () => {
    const folder = tempFolder()
    let count = 0
    await fc.assert(
      fc.asyncProperty(anything, fc.constantFrom('everything', 'messages'), async (input, take) => {
        const home = join(folder, String(count++))
        const outcome = await importInto({ home, name: 'fuzz', input: chunksOf(input), take }).catch(
          (error: unknown) => error,
        )
        const log = join(home, 'log.db')
        if (outcome instanceof ImportError || outcome instanceof LogError) {
          expect(existsSync(log)).toBe(false)
          expect(outcome.message.length).toBeGreaterThan(10)
          return
        }
        expect(outcome).not.toBeInstanceOf(Error)
        expect(problemsIn(home)).toEqual([])
      }),
      { numRuns: rounds(150) },
    )
  })

  test('the program itself ends with a sentence, and the home keeps its bytes', async () => {
    const home = fixtureHome()
    const before = readFileSync(join(home, 'log.db'))
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 300 }), mutated, truncated), async (input) => {
        const { code, err } = await run(['import', '-'], { home, input })
        expect(code).toBe(1)
        expect(err).toMatch(/^mainstem: /)
        expect(err).not.toMatch(/^\s+at /m)
        expect(readFileSync(join(home, 'log.db')).equals(before)).toBe(true)
      }),
      { numRuns: rounds(15) },
    )
  })
})

test('[LEAVE1] nobody vouches for a transcript: each of its messages is from elsewhere, also where a fork shows it', async () => {
  const home = tempFolder()
  const file = join(tempFolder(), 'chat.json')
  writeFileSync(file, JSON.stringify(CHAT))
  expect((await run(['import', file, '--home', home])).code).toBe(0)
  const log = openForReading(home)
  const added = await Array.fromAsync(log.events({ kind: 'message-added' }))
  expect(new Set(added.map((event) => event.kind === 'message-added' && event.elsewhere))).toEqual(
    new Set([true]),
  )
  const branch = added[0]?.branch ?? ('' as BranchId)
  expect(await log.read((reader) => hasElsewhere(reader, listOf(reader, getBranch(reader, branch))))).toBe(
    true,
  )
  await log.close()
})

/** Its first line, and messages of that branch. */
function longExport(events: number): string {
  const { branch, at } = JSON.parse(LINES[0] ?? '') as { branch: string; at: string }
  const messages = Array.from({ length: events }, (_, index) => {
    const message = { role: 'user', text: `message ${index}` }
    return JSON.stringify({
      position: index + 2,
      at,
      branch,
      kind: 'message-added',
      v: 1,
      turn: null,
      message,
      tokens: 2,
    })
  })
  return [LINES[0], ...messages, ''].join('\n')
}

/** A branch whose list begins with a summary that nobody wrote. */
function danglingList(): string[] {
  const first = JSON.parse(LINES[0] ?? '') as { branch: string }
  const items = [{ summary: 1, part: 0, src: first.branch, last: 1, end: 1 }]
  return [JSON.stringify({ ...first, base: { from: 'items', items } })]
}

function edited(index: number, change: object): string[] {
  return LINES.with(index, JSON.stringify({ ...(JSON.parse(LINES[index] ?? '') as object), ...change }))
}

async function* chunksOf(input: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(input)
  for (let start = 0; start < bytes.length; start += 1_000) yield bytes.subarray(start, start + 1_000)
}

function problemsIn(home: string): unknown[] {
  return [...examine({ home, rebuild: 'never' })].filter(({ verdict }) => verdict === 'problem')
}

async function messagesOf(home: string): Promise<string[]> {
  const log = openForReading(home)
  const told: string[] = []
  for await (const event of log.events({ kind: 'message-added' })) {
    if (event.kind !== 'message-added') continue
    const { message } = event
    if (message.role === 'assistant') {
      const calls = message.calls.map(({ tool, args }) => ` ${tool}(${JSON.stringify(args)})`)
      told.push(`assistant: ${message.text}${calls.join('')}`)
    } else if (message.role === 'tool') {
      told.push(`tool ${message.call}: ${message.text}${message.synthetic ? ` (${message.synthetic})` : ''}`)
    } else told.push(`${message.role}: ${message.text}`)
  }
  await log.close()
  return told
}

function conversation(): object[] {
  return [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'hi' },
  ]
}

const CHAT = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:' } },
    ],
  },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'web', arguments: '{"q":"cat"}' } },
      { id: 'call_1', type: 'function', function: { name: 'web', arguments: '{broken' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'a cat' },
  { role: 'tool', tool_call_id: 'call_9', content: 'lost' },
  { role: 'user', content: 'Thanks' },
  { role: 'assistant', content: 'Welcome' },
]

function claude(type: string, uuid: string, rest: object): object {
  return { type, uuid, sessionId: 's', timestamp: '2025-03-01T10:00:00.000Z', ...rest }
}

const SESSION = [
  { type: 'summary', summary: 'Files', leafUuid: 'u9' },
  claude('user', 'u1', { message: { role: 'user', content: 'List the files.' } }),
  claude('user', 'u2', { isMeta: true, message: { role: 'user', content: 'Caveat' } }),
  claude('assistant', 'u3', {
    message: { id: 'm1', role: 'assistant', content: [{ type: 'thinking', thinking: '…' }] },
  }),
  claude('assistant', 'u4', {
    message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }] },
  }),
  claude('assistant', 'u5', {
    message: {
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }],
    },
  }),
  claude('assistant', 'u6', {
    message: {
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'tool_use', id: 't2', name: 'Read', input: { path: 'a' } }],
    },
  }),
  claude('user', 'u7', {
    message: {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'image', source: {} }] },
        { type: 'tool_result', tool_use_id: 't1', content: 'a\nb', is_error: true },
        { type: 'text', text: 'go on' },
      ],
    },
  }),
  claude('assistant', 'u8', {
    isSidechain: true,
    message: { id: 'm2', role: 'assistant', content: 'aside' },
  }),
  claude('assistant', 'u9', {
    message: { id: 'm3', role: 'assistant', content: [{ type: 'text', text: 'Two files.' }] },
  }),
]
