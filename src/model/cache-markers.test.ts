import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calling, modelAt, promptOf, toolNamed } from '../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer } from '../../test/stand-ins/model-server.ts'
import type { Prompt, PromptMessage } from '../event/prompt.ts'
import { markedMessages } from './ai-sdk/messages.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

const tools = [toolNamed('list'), toolNamed('read')]
const SYSTEM = 'You are kind.'
const TAIL = 'tail'

const user = (text: string): PromptMessage => ({ role: 'user', text })
const answer = (text: string): PromptMessage => ({ role: 'assistant', text, reasoning: [], calls: [] })

/** One step: calls, and their results, which say their names. */
function step(...names: string[]): PromptMessage[] {
  const calls = names.map((name) => ({ id: `call_${name}`, tool: 'read', args: {} }))
  return [
    { role: 'assistant', text: '', reasoning: [], calls },
    ...names.map((text): PromptMessage => ({ role: 'tool', call: `call_${text}`, tool: 'read', text })),
  ]
}

/** What carries a marker in the request for these messages, in the order in which the provider reads it. */
async function markedFor(
  name: string,
  messages: readonly PromptMessage[],
  more: Partial<Pick<Prompt, 'system' | 'tools'>> = {},
): Promise<string[]> {
  const tailAt = messages.findIndex(({ text }) => text === TAIL)
  const prompt = promptOf(messages, { tools, ...more })
  await modelAt(server, name).call(prompt, calling(tailAt < 0 ? {} : { tailAt }))
  return markedIn(server.requests.at(-1)?.body)
}

function markedIn({ tools: sentTools, system, messages, input }: Record<string, unknown>): string[] {
  const found: string[] = []
  JSON.stringify([sentTools, system, messages, input], (_, value: unknown) => {
    const isMarked =
      typeof value === 'object' &&
      value !== null &&
      ('cache_control' in value || 'prompt_cache_breakpoint' in value)
    if (isMarked) {
      const { text, content, name } = value as Record<string, unknown>
      found.push(String(text ?? content ?? name))
    }
    return value
  })
  return found
}

const long = Array.from({ length: 100 }, (_, n) => [user(`u${n}`), answer(`a${n}`)]).flat()

const cases: [what: string, messages: readonly PromptMessage[], marked: readonly string[]][] = [
  ['a first turn: the end', [user('one')], ['one']],
  ['a first turn with a tail: before it, and the end', [user('one'), user(TAIL)], ['one', TAIL]],
  [
    'a step behind a tool: where the step before it ended, and the end',
    [user('one'), ...step('r1'), ...step('r2')],
    ['one', 'r1', 'r2'],
  ],
  [
    'a step behind a tool with a tail: before the tail, where the step before it ended, and the end',
    [user('one'), user(TAIL), ...step('r1'), ...step('r2')],
    ['one', 'r1', 'r2'],
  ],
  [
    'the second step with a tail: before the tail, the tail where the first step ended, and the end',
    [user('one'), user(TAIL), ...step('r1')],
    ['one', TAIL, 'r1'],
  ],
  [
    'a later turn: where the last turn was opened, where its last step ended, and the end',
    [user('one'), ...step('r1'), ...step('r2'), answer('two'), user('three')],
    ['one', 'r2', 'three'],
  ],
  [
    'a later turn with a tail: where the last turn was opened, before the tail, and the end',
    [user('one'), ...step('r1'), ...step('r2'), answer('two'), user('three'), user(TAIL)],
    ['one', 'three', TAIL],
  ],
  [
    'a turn that people joined: where it was opened, not where they joined',
    [
      user('zero'),
      answer('z'),
      user('one'),
      user('more'),
      ...step('r1'),
      user('joined'),
      answer('two'),
      user('three'),
      user(TAIL),
    ],
    ['more', 'three', TAIL],
  ],
  [
    'a turn behind a summary: the summary is no turn, what follows it is',
    [user('## Conversation History'), user('one'), ...step('r1'), answer('two'), user('three')],
    ['one', 'r1', 'three'],
  ],
  [
    'a summary, a message and a tail',
    [user('## Conversation History'), user('one'), user(TAIL)],
    ['one', TAIL],
  ],
  ['a tail that nothing stands before', [user(TAIL), ...step('r1')], [TAIL, 'r1']],
  ['a long conversation', [...long, user('last'), user(TAIL)], ['u99', 'last', TAIL]],
  [
    'results that came together: the last of them only',
    [user('one'), ...step('r1', 'r2', 'r3'), ...step('r4', 'r5')],
    ['one', 'r3', 'r5'],
  ],
]

describe.each(['anthropic', 'openrouter'])('%s is told where to keep a prompt, in', (name) => {
  test.each(cases)('%s', async (_, messages, marked) => {
    expect(await markedFor(name, messages)).toEqual([SYSTEM, ...marked])
  })
})

test('Anthropic is told behind the tools where there is no system text', async () => {
  expect(await markedFor('anthropic', [user('one')], { system: '' })).toEqual(['read', 'one'])
})

test('a message that is not sent, for it held only thoughts of another model, moves no marker', async () => {
  const thoughts = { text: 'hm', data: { model: 'another' } }
  const hollow: PromptMessage = { role: 'assistant', text: '', reasoning: [thoughts], calls: [] }
  const messages = [user('one'), answer('two'), user('three'), hollow, user('four'), user(TAIL)]
  expect(await markedFor('anthropic', messages)).toEqual([SYSTEM, 'three', 'four', TAIL])
})

test('a prompt has at most four markers, and they stand on messages that it has', () => {
  const part = fc.oneof(
    fc.constant([user('u')]),
    fc.constant([answer('a')]),
    fc.integer({ min: 1, max: 3 }).map((calls) => step(...Array.from({ length: calls }, (_, n) => `${n}`))),
  )
  const messages = fc.array(part, { minLength: 1 }).map((parts) => parts.flat())
  fc.assert(
    fc.property(messages, fc.option(fc.nat(), { nil: undefined }), (some, nat) => {
      const tailAt = nat === undefined ? undefined : nat % some.length
      const marked = markedMessages(some, tailAt)
      expect(marked.length).toBeLessThanOrEqual(3)
      expect(new Set(marked).size).toBe(marked.length)
      expect(marked).toContain(some.length - 1)
      if (tailAt !== undefined && tailAt > 0) expect(marked).toContain(tailAt - 1)
      for (const place of marked) expect(some[place]).toBeDefined()
    }),
  )
})

describe('OpenAI', () => {
  const later = [user('one'), ...step('r1'), answer('two'), user('three'), user(TAIL)]

  test.each(['gpt-5.6', 'gpt-5.6-luna', 'gpt-5.10', 'gpt-6-sol', 'gpt-7.1'])(
    'is told for %s what outlives the tail; the end it keeps by itself',
    async (id) => {
      expect(await markedFor(`openai/${id}`, later)).toEqual([SYSTEM, 'one', 'three'])
    },
  )

  test('is not told in results, which have another form with a marker', async () => {
    const messages = [user('one'), ...step('r1'), ...step('r2')]
    expect(await markedFor('openai/gpt-6-sol', messages)).toEqual([SYSTEM, 'one'])
  })

  test('is not told again what it refused', async () => {
    server.will({ status: 400, words: 'prompt_cache_breakpoint is not supported on this model' })
    const model = modelAt(server, 'openai/gpt-5.6-terra')
    const { text } = await model.call(promptOf(later), calling({ tailAt: 5 }))
    await model.call(promptOf(later), calling({ tailAt: 5 }))
    expect(text).toBe('ok')
    expect(server.requests.map(({ body }) => markedIn(body).length)).toEqual([3, 0, 0])
  })
})

test.each([
  'openai/gpt-5.5',
  'openai/gpt-4.1',
  'openai/o3',
  'google',
  'openai-compatible',
  'openrouter/openai/gpt-5.6',
  'ollama',
])('%s keeps every beginning by itself and is told nothing', async (name) => {
  expect(
    await markedFor(name, [user('one'), ...step('r1'), answer('two'), user('three'), user(TAIL)]),
  ).toEqual([])
  expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/cache/i)
})
