import { expect, test } from 'vitest'
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
