import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Prompt, PromptMessage, Settings } from '../event/prompt.ts'
import type { Answer } from '../../test/stand-ins/model-answer.ts'
import { calling, modelAt, promptOf, providers, toolNamed } from '../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer } from '../../test/stand-ins/model-server.ts'
import type { Model, Reply } from './contract/model.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

const answer: Answer = {
  blocks: [
    { thinking: 'I should read the file first.', signature: 'signed-1' },
    { text: 'Looking.' },
    { call: 'read', id: 'call_1', args: '{"path":"a"}', signature: 'signed-call' },
  ],
}

function thinkingPrompt(messages: readonly PromptMessage[], thinking: Settings['thinking'] = 4096): Prompt {
  return promptOf(messages, { tools: [toolNamed('read')], settings: { thinking } })
}

const question: PromptMessage = { role: 'user', text: 'look' }

/** The conversation goes on: the reply as it was stored, with our own ids, a result of each call, a call of `model`. */
async function goOn(model: Model, reply: Reply, thinking?: Settings['thinking']): Promise<void> {
  const calls = reply.calls.flatMap((call, index) =>
    'args' in call ? [{ ...call, id: `own-${index}` }] : [],
  )
  const results = calls.map(({ id, tool }) => ({ role: 'tool' as const, call: id, tool, text: 'a file' }))
  const said: PromptMessage = { role: 'assistant', text: reply.text, reasoning: reply.reasoning, calls }
  const messages = JSON.parse(JSON.stringify([question, said, ...results])) as PromptMessage[]
  await model.call(thinkingPrompt(messages, thinking), calling())
}

describe.each(providers)('%s', (provider) => {
  test('thoughts are part of the reply, as plain data', async () => {
    server.will(answer)
    const reply = await modelAt(server, provider).call(thinkingPrompt([question]), calling())
    expect(reply.reasoning[0]?.text).toBe('I should read the file first.')
    expect(JSON.parse(JSON.stringify(reply.reasoning))).toEqual(reply.reasoning)
  })

  test('thoughts of another model are not sent', async () => {
    server.will(answer)
    const reply = await modelAt(server, provider).call(thinkingPrompt([question]), calling())
    const other = { 'openai-compatible': 'openai-compatible/x', ollama: 'ollama/x' }[provider as string]
    await goOn(modelAt(server, other ?? `${provider}/another-model`), reply)
    const sent = JSON.stringify(server.requests[1]?.body)
    expect(sent).not.toContain('I should read')
    expect(sent).not.toContain('signed-')
    expect(sent).toContain('Looking.')
  })
})

test('Anthropic gets its thoughts back with their signatures, in the order of the answer', async () => {
  server.will({
    blocks: [
      { thinking: 'First.', signature: 'signed-1' },
      { text: 'Looking.' },
      { thinking: '', signature: 'signed-2' },
      { call: 'read', id: 'call_1', args: '{}' },
      { thinking: 'Also.', signature: 'signed-3' },
      { text: ' And there.' },
      { call: 'read', id: 'call_2', args: '{"path":"b"}' },
    ],
  })
  const model = modelAt(server, 'anthropic')
  const reply = await model.call(thinkingPrompt([question]), calling())
  expect(reply.text).toBe('Looking. And there.')
  await goOn(model, reply)
  expect(server.requests[1]?.body.messages[1].content).toMatchObject([
    { type: 'thinking', thinking: 'First.', signature: 'signed-1' },
    { type: 'text', text: 'Looking.' },
    { type: 'thinking', thinking: '', signature: 'signed-2' },
    { type: 'tool_use', id: 'own-0' },
    { type: 'thinking', thinking: 'Also.', signature: 'signed-3' },
    { type: 'text', text: ' And there.' },
    { type: 'tool_use', id: 'own-1' },
  ])
})

test('OpenAI stores nothing, and gets its encrypted thoughts back', async () => {
  server.will(answer)
  const model = modelAt(server, 'openai')
  await goOn(model, await model.call(thinkingPrompt([question]), calling()))
  const [first, second] = server.requests
  expect(first?.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  expect(second?.body.input).toMatchObject([
    { role: expect.stringMatching(/system|developer/) },
    { role: 'user' },
    {
      type: 'reasoning',
      encrypted_content: 'signed-1',
      summary: [{ type: 'summary_text', text: 'I should read the file first.' }],
    },
    { role: 'assistant' },
    { type: 'function_call', call_id: 'own-0' },
    { type: 'function_call_output', call_id: 'own-0', output: 'a file' },
  ])
})

test('Google gets the signatures of thoughts and of calls back', async () => {
  server.will(answer)
  const model = modelAt(server, 'google')
  await goOn(model, await model.call(thinkingPrompt([question]), calling()))
  const parts = server.requests[1]?.body.contents[1].parts
  expect(parts).toMatchObject([
    { text: 'I should read the file first.', thought: true, thoughtSignature: 'signed-1' },
    { text: 'Looking.' },
    { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'signed-call' },
  ])
})

test('OpenRouter gets its signed thoughts back', async () => {
  server.will(answer)
  const model = modelAt(server, 'openrouter')
  const reply = await model.call(thinkingPrompt([question]), calling())
  expect(reply.reasoning).toHaveLength(1)
  await goOn(model, reply)
  const said = server.requests[1]?.body.messages.find(({ role }: { role: string }) => role === 'assistant')
  expect(said.reasoning_details).toMatchObject([
    { type: 'reasoning.text', text: 'I should read the file first.', signature: 'signed-1' },
  ])
})

test('Ollama gets its thoughts back', async () => {
  server.will(answer)
  const model = modelAt(server, 'ollama')
  await goOn(model, await model.call(thinkingPrompt([question]), calling()))
  expect(server.requests[1]?.body.messages[2]).toMatchObject({
    role: 'assistant',
    thinking: 'I should read the file first.',
    tool_calls: [{ function: { name: 'read', arguments: { path: 'a' } } }],
  })
})

describe.each(['anthropic/claude-opus-5-5', 'anthropic/claude-fable-5-1', 'anthropic/claude-opus-6'])(
  '%s ties its thoughts to what stood before them',
  (name) => {
    test('is asked to drop those that no longer fit', async () => {
      await modelAt(server, name).call(thinkingPrompt([question], 'adaptive'), calling())
      const [request] = server.requests
      expect(request?.body.thinking).toMatchObject({
        type: 'adaptive',
        block_binding: { prefix_mismatch_behavior: 'drop_block' },
      })
      expect(request?.headers['anthropic-beta']).toContain('thinking-binding-controls')
    })

    test('gets none back when it is not to think', async () => {
      server.will(answer)
      const model = modelAt(server, name)
      const reply = await model.call(thinkingPrompt([question], 'adaptive'), calling())
      await goOn(model, reply, 'off')
      expect(JSON.stringify(server.requests[1]?.body)).not.toContain('signed-1')
    })

    test('older ones are not asked what they do not know', async () => {
      await modelAt(server, 'anthropic').call(thinkingPrompt([question], 'adaptive'), calling())
      expect(JSON.stringify(server.requests[0]?.body)).not.toContain('block_binding')
    })
  },
)

test('a model that refuses its thoughts is asked once more without them', async () => {
  server.will(answer, {
    status: 400,
    words:
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
  })
  const model = modelAt(server, 'anthropic')
  await goOn(model, await model.call(thinkingPrompt([question]), calling()))
  const [, second, third] = server.requests
  expect(JSON.stringify(second?.body)).toContain('signed-1')
  expect(JSON.stringify(third?.body)).not.toContain('signed-1')
  expect(server.requests).toHaveLength(3)
})
