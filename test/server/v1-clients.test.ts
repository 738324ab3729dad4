import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent, OpenAIChatCompletionsModel, Runner } from '@openai/agents'
import { generateText, streamText, type LanguageModel } from 'ai'
import { expect, test } from 'vitest'
import { talking, text, type Talking } from './v1-rig.ts'

function aiModel({ baseURL, token }: Talking): LanguageModel {
  const provider = createOpenAICompatible({ name: 'mainstem', baseURL, apiKey: token, includeUsage: true })
  return provider('mainstem')
}

test('the AI SDK gets whole answers and streams, with usage', async () => {
  const at = await talking()
  at.provider.will(text('Hello, Ada.'), text('In several pieces, this time.'))
  const model = aiModel(at)
  const whole = await generateText({ model, prompt: 'hello', system: 'Be brief.', maxRetries: 0 })
  expect(whole).toMatchObject({ text: 'Hello, Ada.', finishReason: 'stop' })
  expect(whole.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
  expect(whole.response.headers).toMatchObject({ 'mainstem-ignored': 'system messages' })
  const stream = streamText({
    model,
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Hello, Ada.' },
      { role: 'user', content: 'and now?' },
    ],
  })
  const pieces = await Array.fromAsync(stream.textStream)
  expect(pieces.join('')).toBe('In several pieces, this time.')
  expect(pieces.length).toBeGreaterThan(2)
  expect(await stream.usage).toMatchObject({ inputTokens: 100, outputTokens: 20 })
  // Main knows what came before: only the new words were passed on.
  expect((await at.events('inbound-admitted')).map((event) => event.text)).toEqual(['hello', 'and now?'])
})

test('[RECV1] the AI SDK that asks again after an error gets a new try, and then the same answer', async () => {
  const at = await talking()
  at.provider.will(
    { status: 529, trouble: 'overloaded' },
    { status: 529, trouble: 'overloaded' },
    text('Hi.'),
  )
  // Its own retries wait for seconds.
  const asking = () => generateText({ model: aiModel(at), prompt: 'hello', maxRetries: 0 })
  await expect(asking()).rejects.toThrow(/Send the request again/)
  await expect(asking()).rejects.toThrow(/Send the request again/)
  expect([(await asking()).text, (await asking()).text]).toEqual(['Hi.', 'Hi.'])
  expect(at.provider.requests).toHaveLength(3)
})

test('the AI SDK sees an error in the midst of a stream', async () => {
  const at = await talking()
  at.provider.will({ failed: text('Half an answer'), after: 3, trouble: 'overloaded' })
  const errors: unknown[] = []
  const stream = streamText({
    model: aiModel(at),
    prompt: 'hi',
    maxRetries: 0,
    onError: ({ error }) => void errors.push(error),
  })
  for await (const piece of stream.textStream) expect('Half an answer').toContain(piece)
  expect(String(errors[0])).toContain('Send the request again')
})

test("OpenAI's agents talk to main, whole and as a stream", async () => {
  const at = await talking()
  at.provider.will(text('Ahoy.'), text('Ahoy again, in pieces.'))
  const model = new OpenAIChatCompletionsModel(at.openai, 'mainstem')
  const agent = new Agent({ name: 'Pirate', instructions: 'Talk like a pirate.', model })
  const runner = new Runner({ tracingDisabled: true })
  const whole = await runner.run(agent, 'hello')
  expect(whole.finalOutput).toBe('Ahoy.')
  const stream = await runner.run(agent, 'hello again', { stream: true })
  const pieces = await Array.fromAsync(stream.toTextStream())
  expect(pieces.join('')).toBe('Ahoy again, in pieces.')
  await stream.completed
  // Its instructions were accepted and ignored.
  expect(JSON.stringify(at.provider.requests)).not.toContain('pirate')
})

test("OpenAI's agents with tools of their own are told that those are not called", async () => {
  const at = await talking()
  const model = new OpenAIChatCompletionsModel(at.openai, 'mainstem')
  const helper = new Agent({ name: 'Helper', model })
  const agent = new Agent({ name: 'Boss', model, handoffs: [helper] })
  const runner = new Runner({ tracingDisabled: true })
  await expect(runner.run(agent, 'hello')).rejects.toThrow(/Mainstem calls its own tools/)
})
