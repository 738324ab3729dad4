import { expect, test, vi } from 'vitest'
import { png } from '../stand-ins/small-files.ts'
import { read, said, talking, text } from './v1-rig.ts'

test('a client talks to main: it gets the answer, and the id of the turn', async () => {
  const at = await talking()
  at.provider.will(text('Hello, Ada.'))
  const { data, response } = await at.openai.chat.completions.create(said('hello')).withResponse()
  const [turn] = await at.events('turn-started')
  expect(data).toMatchObject({
    id: `chatcmpl-${turn?.turn}`,
    object: 'chat.completion',
    model: 'mainstem',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello, Ada.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  })
  expect(response.headers.get('mainstem-turn')).toBe(turn?.turn)
  expect(response.headers.get('mainstem-ignored')).toBeNull()
  const main = await at.life.log.read((reader) => reader.event(1 as never).branch)
  expect(turn?.branch).toBe(main)
  await at.life.agent.settled()
  expect(await at.events('delivery-done')).toHaveLength(1)
})

test('a stream has the role first, then text, the finish, and the usage only if asked for', async () => {
  const at = await talking()
  at.provider.will(text('A long answer in several pieces.'), text('Another one.'))
  const { data, response } = await at.openai.chat.completions
    .create({ ...said('hello'), stream: true })
    .withResponse()
  const plain = await read(data)
  expect(plain).toMatchObject({
    text: 'A long answer in several pieces.',
    roles: ['assistant'],
    finish: ['stop'],
  })
  expect(plain.chunks[0]?.choices[0]?.delta.role).toBe('assistant')
  expect(plain.chunks.length).toBeGreaterThan(4)
  expect(plain.chunks.some(({ usage }) => usage)).toBe(false)
  const [turn] = await at.events('turn-started')
  expect(response.headers.get('mainstem-turn')).toBe(turn?.turn)
  expect(new Set(plain.chunks.map(({ id }) => id))).toEqual(new Set([`chatcmpl-${turn?.turn}`]))
  const more = await at.openai.chat.completions.create({
    ...said('and now?'),
    stream: true,
    stream_options: { include_usage: true },
  })
  const counted = await read(more)
  expect(counted).toMatchObject({ text: 'Another one.', usage: { total_tokens: 120 } })
  expect(counted.chunks.at(-1)?.choices).toEqual([])
})

const mark = { call: 'slash', id: 'c1', args: '{"command":"mark","args":"HERE"}' }

test('a stream and a whole answer are equal, also where the model speaks before it calls a tool', async () => {
  const at = await talking()
  const steps = [{ blocks: [{ text: 'Let me mark this.' }, mark] }, text('Done: it is marked.')]
  at.provider.will(...steps, ...steps)
  const whole = await at.openai.chat.completions.create(said('please mark this'))
  const stream = await read(await at.openai.chat.completions.create({ ...said('and again'), stream: true }))
  expect(stream.text).toBe('Let me mark this.\n\nDone: it is marked.')
  expect(whole.choices[0]?.message.content).toBe(stream.text)
  expect(whole.usage).toMatchObject({ prompt_tokens: 200, completion_tokens: 40 })
})

test('[TURN6] requests at once are answered one by one, each with its own answer', async () => {
  const at = await talking()
  const words = ['one', 'two', 'three']
  at.provider.will(...words.map(text))
  const answers = await Promise.all(
    words.map(async (word, index) => {
      const answer = await at.openai.chat.completions.create({ ...said(word), stream: index === 1 } as never)
      const stream = answer as unknown as AsyncIterable<never>
      return index === 1 ? (await read(stream)).text : answer.choices[0]?.message.content
    }),
  )
  const asked = at.provider.requests.map(({ body }) =>
    String(body.messages.at(-1).content).split('\n').at(-1),
  )
  expect(new Set(asked)).toEqual(new Set(words))
  // Whoever was asked about first has the first answer.
  expect(answers).toEqual(words.map((word) => words[asked.indexOf(word)]))
  expect(await at.events('turn-started')).toHaveLength(3)
})

test('a request waits for the turn of a chat, hears nothing of it, and is answered after it', async () => {
  const at = await talking()
  const gate = Promise.withResolvers<void>()
  at.provider.will(
    { held: text('For the chat, in a few pieces.'), after: 3, until: gate.promise },
    text('For you.'),
  )
  await at.type('hello from the chat')
  await at.until('model-called', 1)
  const asking = at.openai.chat.completions.create({ ...said('and me?'), stream: true })
  await at.until('inbound-admitted', 2)
  gate.resolve()
  expect(await read(await asking)).toMatchObject({ text: 'For you.' })
})

test('an answer that breaks off and is tried again is whole in the stream', async () => {
  const at = await talking({ MAX_RETRIES: '2', RETRY_BACKOFF: '0' })
  const answer = text('A whole answer in several pieces.')
  at.provider.will({ cut: answer, after: 4 }, { cut: text('Another'), after: 2 }, answer)
  const { text: got } = await read(await at.openai.chat.completions.create({ ...said('hi'), stream: true }))
  expect(got).toMatch(/^A whole answer in [\s\S]*\(The answer broke off and begins again\.\)/)
  expect(got.endsWith('A whole answer in several pieces.')).toBe(true)
})

test('a failure in the midst of a stream is an error chunk, and the turn is withdrawn', async () => {
  const at = await talking()
  at.provider.will({ failed: text('Half an answer'), after: 3, trouble: 'overloaded' }, text('Yes.'))
  const stream = await at.openai.chat.completions.create({ ...said('hi'), stream: true })
  const got: string[] = []
  const reading = (async () => {
    for await (const { choices } of stream) got.push(choices[0]?.delta.content ?? '')
  })()
  await expect(reading).rejects.toMatchObject({
    error: {
      type: 'server_error',
      message: expect.stringMatching(/Send the request again later\.$/) as string,
    },
  })
  expect(got.join('')).toMatch(/^Half/)
  expect((await at.events('turn-ended')).at(-1)).toMatchObject({ outcome: 'failed' })
  const next = await at.openai.chat.completions.create(said('are you there?'))
  expect(next.choices[0]?.message.content).toBe('Yes.')
})

test.each([
  ['overloaded', 529],
  ['unauthorised', 401],
] as const)('a model that is %s is a status, with a sentence', async (trouble, given) => {
  const at = await talking()
  for (const stream of [false, true]) {
    at.provider.will({ status: given, trouble })
    const asking = at.openai.chat.completions.create({ ...said(`hi ${stream}`), stream })
    await expect(asking).rejects.toMatchObject({ status: 503, code: trouble, error: { param: null } })
  }
  // Nothing of them is asked again.
  at.provider.will(text('Yes.'))
  await at.openai.chat.completions.create(said('are you there?'))
  expect(at.provider.requests).toHaveLength(3)
})

test('what the spending limit stops is an error of its own', async () => {
  const at = await talking({ COST_DAY_MAX: '1 tokens' })
  await at.openai.chat.completions.create(said('one'))
  await expect(at.openai.chat.completions.create(said('two'))).rejects.toMatchObject({
    status: 429,
    code: 'insufficient_quota',
    message: expect.stringContaining('spending limit') as string,
  })
})

test('a client says how long it waits', async () => {
  const at = await talking()
  at.provider.will({ silent: text('x'), after: 0 })
  const headers = { 'mainstem-timeout': '0.2' }
  await expect(at.openai.chat.completions.create(said('hi'), { headers })).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('No answer within 0.2 s.') as string,
  })
  await expect(
    at.openai.chat.completions.create(said('hi'), { headers: { 'mainstem-timeout': 'soon' } }),
  ).rejects.toMatchObject({ status: 400 })
})

test('v1PatienceMs is how long a client waits that does not say so; what still waits is joined later', async () => {
  const at = await talking({ V1_PATIENCE_MS: '100' })
  const gate = Promise.withResolvers<void>()
  at.provider.will({ held: text('For the chat.'), after: 1, until: gate.promise }, text('For you.'))
  await at.type('hello from the chat')
  await at.until('model-called', 1)
  const asking = () => at.openai.chat.completions.create(said('and me?'))
  await expect(asking()).rejects.toMatchObject({
    status: 503,
    code: 'timeout',
    message: expect.stringContaining('No answer within 0.1 s.') as string,
  })
  expect(await at.events('inbound-admitted')).toHaveLength(2)
  gate.resolve()
  await at.until('turn-ended', 2)
  const answer = await asking()
  expect(answer.choices[0]?.message.content).toBe('For you.')
  expect(await at.events('inbound-admitted')).toHaveLength(2)
})

test('without v1PatienceMs no timer ends the waiting', async () => {
  const timeouts = vi.spyOn(AbortSignal, 'timeout')
  const at = await talking()
  await at.openai.chat.completions.create(said('hi'))
  const waits = timeouts.mock.calls.map(([ms]) => ms)
  timeouts.mockRestore()
  expect(waits).not.toContain(120_000)
})

test.each<[string, object, Record<string, string>]>([
  ['a key that is refused', { status: 401, trouble: 'unauthorised' }, {}],
  ['a model that does not exist', { status: 404, trouble: 'unknown-model' }, {}],
  ['a prompt that is too long', { status: 400, trouble: 'overflow' }, {}],
  ['a spending limit', {}, { COST_DAY_MAX: '1 tokens' }],
])('the error of %s names no command of a chat', async (_, failing, settings) => {
  const at = await talking(settings)
  if ('status' in failing) at.provider.will(failing as never)
  else await at.openai.chat.completions.create(said('one'))
  const error = await at.openai.chat.completions.create(said('two')).catch((one: Error) => one)
  expect(error).toBeInstanceOf(Error)
  expect((error as Error).message).not.toMatch(/(?:^|[\s(])\/[a-z]/)
})

test('[RECV1] the same request, or the same key, within DEDUP_TTL gets the first answer', async () => {
  const at = await talking()
  const gate = Promise.withResolvers<void>()
  at.provider.will({ held: text('Only once.'), after: 0, until: gate.promise })
  const first = at.openai.chat.completions.create(said('hi'))
  await at.until('model-called', 1)
  const second = at.openai.chat.completions.create(said('hi'))
  gate.resolve()
  const answers = [await first, await second, await at.openai.chat.completions.create(said('hi'))]
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  expect(answers.map(({ choices }) => choices[0]?.message.content)).toEqual(Array(3).fill('Only once.'))
  const headers = { 'idempotency-key': 'k1' }
  const [one, other] = [
    await at.openai.chat.completions.create(said('a'), { headers }),
    await at.openai.chat.completions.create(said('b'), { headers }),
  ]
  expect(other.id).toBe(one.id)
  expect(at.provider.requests).toHaveLength(2)
  const stream = await at.openai.chat.completions.create({ ...said('a'), stream: true }, { headers })
  expect((await read(stream)).text).toBe('ok')
})

test('[RECV1] the same request after a restart gets the first answer', async () => {
  const at = await talking()
  at.provider.will(text('Before the restart.'))
  const { id } = await at.openai.chat.completions.create(said('hi'))
  await at.close()
  const again = await talking({}, at.home)
  const answer = await again.openai.chat.completions.create(said('hi'))
  expect(answer).toMatchObject({ id, choices: [{ message: { content: 'Before the restart.' } }] })
  expect(again.provider.requests).toEqual([])
})

test('[OWNER1] a request whose process ends in the midst of it is answered by the next one, once', async () => {
  const at = await talking()
  at.provider.will({ silent: text('Never'), after: 2 })
  const lost = at.openai.chat.completions.create(said('hi'))
  lost.catch(() => undefined)
  await at.until('model-called', 1)
  await at.close()
  await expect(lost).rejects.toThrow()
  const next = await talking({}, at.home)
  const answer = await next.openai.chat.completions.create(said('hi'))
  expect(answer.choices[0]?.message.content).toBe('ok')
  expect(await next.events('inbound-admitted')).toHaveLength(1)
  expect(next.provider.requests).toHaveLength(1)
})

test('without DEDUP_TTL the same words are said again', async () => {
  const at = await talking({ DEDUP_TTL: '0' })
  const ids = [0, 1].map(async () => (await at.openai.chat.completions.create(said('hi'))).id)
  expect(await ids[0]).not.toBe(await ids[1])
})

test.each(['before the first word', 'in the midst'])(
  'a client that goes away %s does not stop the turn: main has the answer, and nobody is sent it',
  async (when) => {
    const at = await talking()
    const gate = Promise.withResolvers<void>()
    const after = when === 'in the midst' ? 4 : 0
    at.provider.will({ held: text('Nobody waits for this.'), after, until: gate.promise })
    const gone = new AbortController()
    const asking = at.openai.chat.completions.create({ ...said('hi'), stream: true }, { signal: gone.signal })
    asking.catch(() => undefined)
    await at.until('model-called', 1)
    if (after > 0) for await (const { choices } of await asking) if (choices[0]?.delta.content !== '') break
    gone.abort()
    await at.left
    gate.resolve()
    await at.until('delivery-failed', 1)
    expect(await at.events('delivery-failed')).toMatchObject([{ message: 'no program waits for it' }])
    expect(await at.events('turn-ended')).toMatchObject([{ outcome: 'answered' }])
    // Who asks for it again gets it.
    const again = await read(await at.openai.chat.completions.create({ ...said('hi'), stream: true }))
    expect(again.text).toBe('Nobody waits for this.')
  },
)

test('a client that asks for it stops its turn by going away, and no other', async () => {
  const at = await talking()
  const gate = Promise.withResolvers<void>()
  at.provider.will(
    { held: text('For the chat.'), after: 2, until: gate.promise },
    { silent: text('x'), after: 2 },
  )
  await at.type('hello')
  await at.until('model-called', 1)
  const gone = new AbortController()
  const options = { signal: gone.signal, headers: { 'mainstem-stop-on-abort': 'true' } }
  const asking = at.openai.chat.completions.create(said('hi'), options)
  await at.until('inbound-admitted', 2)
  gone.abort()
  await expect(asking).rejects.toThrow()
  await at.left
  gate.resolve()
  await at.until('turn-ended', 2)
  const outcomes = (await at.events('turn-ended')).map(({ outcome }) => outcome)
  expect(outcomes).toEqual(['answered', 'stopped'])
})

test('a turn that the person stops at the terminal is an error for the client', async () => {
  const at = await talking()
  at.provider.will({ silent: text('x'), after: 2 })
  const asking = at.openai.chat.completions.create(said('hi'))
  asking.catch(() => undefined)
  await at.until('model-called', 1)
  await at.type('/stop')
  await expect(asking).rejects.toMatchObject({ status: 503, code: 'stopped' })
})

test.each([false, true])(
  '[TURN7] an answer that the person stops in its midst is no whole answer for the client: %j',
  async (stream) => {
    const at = await talking()
    at.provider.will({ silent: text('Half an answer'), after: 3 })
    const asking = at.openai.chat.completions.create({ ...said('hi'), stream } as never)
    const got = (async () => (stream ? read((await asking) as never) : asking))()
    got.catch(() => undefined)
    await at.until('model-called', 1)
    await expect.poll(() => at.provider.requests.length).toBe(1)
    await at.type('/stop')
    await expect(got).rejects.toMatchObject(stream ? { code: 'stopped' } : { status: 503, code: 'stopped' })
  },
)

test.each(['/permissions bypassPermissions', '/stop', '//x', 'done', '/exit'])(
  '[SAFE5] %s over /v1 is a text that main answers',
  async (words) => {
    const at = await talking()
    await at.openai.chat.completions.create(said(words))
    expect(await at.events('command-run')).toEqual([])
    expect(String(at.provider.requests[0]?.body.messages.at(-1).content).endsWith(words)).toBe(true)
  },
)

test('a side job of a front end is answered beside main, while main is busy', async () => {
  const at = await talking()
  const gate = Promise.withResolvers<void>()
  at.provider.will({ held: text('For the chat.'), after: 1, until: gate.promise }, text('{"title":"A chat"}'))
  await at.type('hello')
  await at.until('model-called', 1)
  const task = '### Task:\nGenerate a title for: hello'
  const answer = await at.openai.chat.completions.create({ ...said(task), stream: true })
  expect((await read(answer)).text).toBe('{"title":"A chat"}')
  expect(at.provider.requests[1]?.body.tools).toBeUndefined()
  gate.resolve()
  await at.until('turn-ended', 2)
  const [main] = await at.events('turn-started')
  const messages = (await at.events('message-added')).filter(({ branch }) => branch === main?.branch)
  expect(JSON.stringify(messages)).not.toContain('### Task:')
  expect(await at.events('branch-ended')).toMatchObject([{ reason: 'finished' }])
})

test('a side job whose model cannot be reached is an error, and its branch ends', async () => {
  const at = await talking()
  at.provider.will({ status: 529, trouble: 'overloaded' })
  await expect(at.openai.chat.completions.create(said('### Task: a title'))).rejects.toMatchObject({
    status: 503,
  })
  await at.until('branch-ended', 1)
})

test('the model is listed, and other addresses and strangers get a sentence in the form of the API', async () => {
  const at = await talking()
  expect((await at.openai.models.list()).data).toMatchObject([{ id: 'mainstem', object: 'model' }])
  expect(await at.openai.models.retrieve('mainstem')).toMatchObject({ id: 'mainstem' })
  const form = { type: 'invalid_request_error', param: null, code: null }
  const responses = await at.ask('/v1/responses', { method: 'POST', headers: at.bearer, body: {} })
  expect(responses).toMatchObject({ status: 404, json: { error: form } })
  expect(responses.problem).toContain('POST /v1/chat/completions')
  const stranger = await at.ask('/v1/chat/completions', { method: 'POST', body: said('hi') })
  expect(stranger).toMatchObject({ status: 401, json: { error: { type: 'authentication_error' } } })
  const broken = await at.ask('/v1/chat/completions', { method: 'POST', headers: at.bearer, body: {} })
  expect(broken).toMatchObject({ status: 400, json: { error: { ...form, param: 'model' } } })
})

test('[FILE1] an image of a request is stored, and shown to a model that sees', async () => {
  const at = await talking({ MODEL: 'openai-compatible/stand-in-vision' })
  at.provider.will(text('A grey dot.'))
  const url = `data:image/png;base64,${png(4, 4).toString('base64')}`
  const content = [
    { type: 'image_url', image_url: { url } },
    { type: 'text', text: 'What is it?' },
  ] as const
  await at.openai.chat.completions.create({
    ...said(''),
    messages: [{ role: 'user', content: [...content] }],
  })
  const [admitted] = await at.events('inbound-admitted')
  expect(admitted?.text).toBe('What is it?')
  expect(admitted?.files).toMatchObject([{ kind: 'image', name: 'image.png', mime: 'image/png', width: 4 }])
  expect(await at.life.desk.files.store.read(admitted?.files?.[0]?.hash ?? '')).toEqual(png(4, 4))
  const sent = JSON.stringify(at.provider.requests.at(-1)?.body)
  expect(sent).toContain('[image image.png, 67 bytes]')
  expect(sent).toContain(png(4, 4).toString('base64'))
})

test('[MODEL1] where no model is set, a question gets 503 and is withdrawn, also behind one that waits', async () => {
  const at = await talking()
  await at.openai.chat.completions.create(said('hello'))
  await at.close()
  const next = await talking({ MODEL: '' }, at.home)
  const refused = { status: 503 }
  await expect(next.openai.chat.completions.create(said('and now?'))).rejects.toMatchObject(refused)
  await next.type('from a person')
  await expect(next.openai.chat.completions.create(said('and behind it?'))).rejects.toMatchObject(refused)
  expect((await next.events('model-answered')).map(({ model }) => model)).toEqual([
    'openai-compatible/stand-in',
  ])
})
