import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checked } from '../contract/input.ts'
import { png } from '../../../test/stand-ins/small-files.ts'
import { Refusal } from '../contract/route.ts'
import { errorBody } from './error.ts'
import { chatBody, readRequest, type ChatBody, type Wanted } from './request.ts'

type Refused = ReturnType<typeof errorBody>['error'] & { readonly status: number }

/** As the server reads it: the whole request, or the error of the answer. */
function reading(body: unknown): Wanted | Refused {
  try {
    return readRequest(checked(chatBody, body, 'The body') as ChatBody, { imageBytesMax: 1_000 })
  } catch (error) {
    if (error instanceof Refusal) return { ...errorBody(error).error, status: error.status }
    throw error
  }
}

const user = (content: unknown) => ({ role: 'user', content })
const body = (...messages: object[]) => ({ model: 'mainstem', messages })

test('only user messages after the last assistant message are passed on, as one', () => {
  const history = [user('first'), { role: 'assistant', content: 'answer' }]
  expect(reading(body(...history, user('one'), user('two')))).toMatchObject({ text: 'one\n\ntwo' })
  const parts = [
    { type: 'text', text: 'look' },
    { type: 'text', text: 'here' },
  ]
  expect(reading(body(user(parts)))).toMatchObject({ text: 'look\nhere', ignored: [] })
})

test('system messages and parameters are accepted, ignored, and named for the header', () => {
  const messages = [
    { role: 'system', content: 'Be a pirate.' },
    { role: 'developer', content: 'x' },
    user('hi'),
  ]
  expect(reading({ ...body(...messages), temperature: 0.2, seed: null, top_p: 1 })).toMatchObject({
    text: 'hi',
    ignored: ['system messages', 'temperature', 'top_p'],
  })
})

test.each([
  ['### Task:\nGenerate a title', true],
  ['  ### Task: tags', true],
  ['What is ### Task: about?', false],
])('%j is a side job: %s', (text, isSideJob) =>
  expect(reading(body(user(text)))).toMatchObject({ isSideJob }),
)

const image = (url: string) => [{ type: 'image_url', image_url: { url } }]

const asUrl = (bytes: Uint8Array, mime = 'image/png'): string =>
  `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`

test('images in the request are taken, with and without words', () =>
  expect(reading(body(user(image(asUrl(png(4, 4))))))).toMatchObject({ text: '', images: [png(4, 4)] }))

test.each<[string, string]>([
  ['a PNG that is cut off', asUrl(png(4, 4).subarray(0, 40))],
  ['a PNG without a size', asUrl(png(0, 0))],
  ['a text', asUrl(Buffer.from('Hello'))],
  ['nothing', asUrl(Buffer.alloc(0))],
  ['too many bytes', asUrl(Buffer.concat([png(4, 4), Buffer.alloc(1_000)]))],
  ['what is not base64', 'data:image/png;base64,{}'],
  ['what is not encoded', 'data:image/png,hello'],
])('an image that is %s is refused, and its place named', (_, url) => {
  const content = [{ type: 'text', text: 'What is it?' }, ...image(url)]
  expect(reading(body(user(content)))).toMatchObject({
    status: 400,
    param: 'messages.0.content.1',
    message: expect.stringMatching(/^This .*image/) as string,
  })
})

test('a request without messages, or with a wrong field, names the field', () => {
  expect(reading(body())).toMatchObject({ status: 400, param: 'messages' })
  expect(reading({ ...body(user('x')), n: 'two' })).toMatchObject({ status: 400, param: 'n' })
  expect(reading(body(user(7)))).toMatchObject({ status: 400, param: 'messages.0.content' })
})

test('whatever field is not read is named for the header, as far as a header can have it', () => {
  const more = { user: 'ada', tool_choice: 'auto', 'x\r\nset-cookie': '1', metadata: null, stream: false }
  expect(reading({ ...body(user('hi')), ...more })).toMatchObject({ ignored: ['user', 'tool_choice'] })
})

test.each<[string, object, string]>([
  [
    'another model',
    { ...body(user('x')), model: 'gpt-5' },
    "404 There is no model 'gpt-5' here. The model is called 'mainstem'",
  ],
  ['tools', { ...body(user('x')), tools: [{ type: 'function' }] }, 'Tools of a request are not called'],
  ['functions', { ...body(user('x')), functions: [{}] }, 'Tools of a request are not called'],
  ['several answers', { ...body(user('x')), n: 2 }, 'leave n out'],
  ['JSON', { ...body(user('x')), response_format: { type: 'json_object' } }, 'Ask for JSON in the message'],
  ['an image elsewhere', body(user(image('https://example.com/a.png'))), 'Send images as data: URLs'],
  ['sound', body(user([{ type: 'input_audio' }])), 'type input_audio cannot be read'],
  ['nobody who speaks', body({ role: 'assistant', content: 'hi' }), 'nothing to answer'],
  ['only blanks', body(user(' \n')), 'nothing to answer'],
  ['the result of a tool', body({ role: 'tool', content: '1' }), 'no tool was called'],
  ['no messages', { model: 'mainstem' }, 'messages'],
  ['no model', { messages: [user('x')] }, 'model'],
])('a request with %s gets a sentence', (_, given, words) => {
  const read = reading(given) as Refused
  expect(`${read.status} ${read.message}`).toContain(words)
  expect(read.status).toBe(words.startsWith('404') ? 404 : 400)
  expect(read.type).toBe('invalid_request_error')
})

test('empty lists and nulls, as clients send them, change nothing', () => {
  const more = {
    tools: [],
    functions: null,
    n: 1,
    stream: null,
    stream_options: null,
    user: 'x',
    store: true,
  }
  expect(reading({ ...body(user('hi')), ...more, response_format: { type: 'text' } })).toEqual({
    text: 'hi',
    images: [],
    isSideJob: false,
    isStream: false,
    hasUsage: false,
    ignored: ['user', 'store'],
  })
})

test('whatever comes is read or refused with a sentence, and what is read has words', () => {
  const role = fc.constantFrom('user', 'assistant', 'system', 'developer', 'tool', 'function', 'x')
  const part = fc.oneof(
    fc.record({ type: fc.constantFrom('text', 'image_url', 'file'), text: fc.string() }),
    fc.record({
      type: fc.constant('image_url'),
      image_url: fc.record({ url: fc.constantFrom('data:x', 'http://x') }),
    }),
    fc.jsonValue(),
  )
  const content = fc.oneof(fc.string(), fc.array(part, { maxLength: 3 }), fc.jsonValue())
  const field = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 }))
  const request = fc.record({
    model: fc.oneof(fc.constant('mainstem'), fc.jsonValue({ maxDepth: 1 })),
    messages: fc.oneof(fc.array(fc.record({ role, content }), { maxLength: 4 }), fc.jsonValue()),
    stream: fc.oneof(fc.boolean(), field),
    stream_options: field,
    n: fc.oneof(fc.constant(1), field),
    tools: fc.oneof(fc.constant([]), field),
    response_format: field,
    temperature: field,
  })
  fc.assert(
    fc.property(fc.oneof(request, fc.jsonValue()), (given) => {
      const read = reading(given)
      if ('message' in read) expect(read.message).toMatch(/\S/)
      else expect(`${read.text.trim()}${read.images.join('')}`).not.toBe('')
    }),
    { seed: 18, numRuns: 500 },
  )
})
