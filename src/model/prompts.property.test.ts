import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../base/json.ts'
import type { Prompt, PromptCall, PromptMessage, Reasoning, ToolSpec } from '../event/prompt.ts'
import { calling, modelAt, modelNames, providers } from '../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer } from '../../test/stand-ins/model-server.ts'
import { rounds } from '../../test/rounds.ts'

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer()
})
afterAll(() => server.close())

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('', ' ', '\n\n', '</data>'))
const json: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }))
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
const toolName = fc.oneof(
  fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,20}$/),
  fc.constantFrom('7', 'constructor', '__proto__', 'toString'),
)
const parameters: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>(
    {},
    { type: 'object' },
    { type: 'object', properties: {}, additionalProperties: false },
    { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, required: ['a'] },
    { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'integer' } } },
  ),
  fc
    .dictionary(
      fc.string({ minLength: 1 }),
      fc.constantFrom({ type: 'string' }, { type: 'array', items: {} }, {}),
    )
    .map((properties): JsonObject => ({ type: 'object', properties })),
)

function reasoning(provider: string, name: string): fc.Arbitrary<Reasoning> {
  const key = { 'openai-compatible': 'openaiCompatible' }[provider] ?? provider
  const signed: Record<string, JsonObject> = {
    anthropic: { signature: 'signed' },
    openai: { itemId: 'rs_1', reasoningEncryptedContent: 'signed' },
    google: { thoughtSignature: 'signed' },
  }
  const own: JsonObject = { model: name, metadata: { [key]: signed[provider] ?? {} } }
  const place = fc.record({ text: fc.nat(20), calls: fc.nat(3) })
  return fc.record({
    text,
    data: fc.oneof(
      json,
      place.map((after): JsonObject => ({ ...own, after })),
      fc.constantFrom<JsonObject>(
        own,
        { model: name },
        { ...own, on: { call: 0 } },
        { ...own, on: { text: true } },
      ),
    ),
  })
}

function prompt(provider: string, name: string): fc.Arbitrary<Prompt> {
  const calls = fc.array(fc.record({ tool: toolName, args: json }), { maxLength: 3 })
  const exchange = fc.record({
    asked: fc.array(text, { minLength: 1, maxLength: 2 }),
    said: text,
    reasoning: fc.array(reasoning(provider, name), { maxLength: 3 }),
    calls,
    result: text,
  })
  return fc.record({
    system: text,
    messages: fc
      .tuple(fc.array(exchange, { maxLength: 4 }), text)
      .map(([exchanges, last]) => [...exchanges.flatMap(messagesOf), { role: 'user' as const, text: last }]),
    tools: fc.uniqueArray(fc.record<ToolSpec>({ name: toolName, description: text, parameters }), {
      selector: (tool) => tool.name,
      maxLength: 4,
    }),
    settings: fc.record({
      model: fc.constant(name),
      tokensMax: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
      temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
      thinking: fc.oneof(
        fc.constantFrom('off' as const, 'adaptive' as const),
        fc.integer({ min: 1, max: 200_000 }),
      ),
      toolChoice: fc.constantFrom('auto' as const, 'none' as const),
    }),
  })
}

let callCount = 0

function messagesOf(exchange: {
  asked: readonly string[]
  said: string
  reasoning: readonly Reasoning[]
  calls: readonly Omit<PromptCall, 'id'>[]
  result: string
}): PromptMessage[] {
  const calls = exchange.calls.map((call) => ({ ...call, id: `call-${callCount++}` }))
  return [
    ...exchange.asked.map((text) => ({ role: 'user' as const, text })),
    { role: 'assistant', text: exchange.said, reasoning: exchange.reasoning, calls },
    ...calls.map(({ id, tool }) => ({ role: 'tool' as const, call: id, tool, text: exchange.result })),
  ]
}

describe.each(providers)('%s', (provider) => {
  const names = [modelNames[provider], ...(provider === 'anthropic' ? ['anthropic/claude-opus-5-5'] : [])]
  test.each(names)('any valid prompt reaches the provider, and its answer comes back: %s', async (name) => {
    const model = modelAt(server, name)
    await fc.assert(
      fc.asyncProperty(prompt(provider, name), async (prompt) => {
        const before = server.requests.length
        const reply = await model.call(prompt, calling())
        expect(reply.text).toBe('ok')
        expect(server.requests.length).toBe(before + 1)
      }),
      { numRuns: rounds(60) },
    )
  })
})
