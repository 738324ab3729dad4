import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/random.ts'
import { telegramStage, type TelegramStage } from './stage.ts'

let stage: TelegramStage
beforeEach(async () => {
  stage = await telegramStage()
})
afterEach(() => stage.close())

const from = { id: 5, is_bot: false, first_name: 'Odd', last_name: 'One' }
const chat = { id: 5, type: 'private', first_name: 'Odd' }
const group = { id: -77, type: 'supergroup', title: 'Team' }
const base = { message_id: 1, date: 1, from, chat }
const file = { file_id: 'f', file_unique_id: 'u', file_size: 3, file_name: 'a.txt', mime_type: 'text/plain' }
const mention = [{ type: 'mention', offset: 0, length: 13 }]

/** Every field that is read, in some update. */
const updates: readonly object[] = [
  {
    message: {
      ...base,
      text: '/help@mainstem_bot',
      entities: [{ type: 'bot_command', offset: 0, length: 5 }],
    },
  },
  { message: { ...base, chat: group, text: '@mainstem_bot hi', entities: mention, message_thread_id: 4 } },
  { message: { ...base, is_topic_message: true, message_thread_id: 4, text: 'x', quote: { text: 'q' } } },
  { message: { ...base, text: 'x', reply_to_message: { ...base, text: 'y', forum_topic_created: {} } } },
  { message: { ...base, text: 'x', external_reply: { message_id: 4, origin: { type: 'user' } } } },
  { message: { ...base, text: 'x', forward_origin: { type: 'user', sender_user: from } } },
  { message: { ...base, text: 'x', forward_origin: { type: 'channel', chat: group } } },
  { message: { ...base, text: 'x', forward_origin: { type: 'chat', sender_chat: group } } },
  { message: { ...base, text: 'x', forward_origin: { type: 'hidden_user', sender_user_name: 'x' } } },
  { message: { ...base, media_group_id: 'm', photo: [{ ...file, width: 1, height: 2 }], caption: 'c' } },
  { message: { ...base, voice: file } },
  { message: { ...base, document: file, caption: 'c', caption_entities: mention } },
  { message: { ...base, poll: { question: 'q', options: [{ text: 'a' }] } } },
  { message: { ...base, venue: { title: 't', address: 'a', location: { latitude: 1, longitude: 2 } } } },
  { message: { ...base, contact: { first_name: 'c', phone_number: '1' }, sender_chat: group } },
  { message: { ...base, sticker: { emoji: 'e' }, dice: { emoji: 'd', value: 3 } } },
  { edited_message: { ...base, text: 'later' } },
  { callback_query: { id: '9', from, data: 'k', message: { ...base, text: 'b' } } },
]

const ODD = [
  null,
  undefined,
  0,
  -1,
  1e300,
  NaN,
  '',
  'text',
  '\uD800',
  true,
  {},
  [],
  [null],
  { id: {} },
  'x'.repeat(9_000),
]

test('[SAFE1] updates with missing or absurd fields stop nothing, and reach the door only as text', async () => {
  const random = seededRandom(19)
  await stage.open()
  const ana = stage.telegram.person('Ana')
  for (let round = 0; round < 400; round++) {
    const update = structuredClone(updates[round % updates.length]) as Fields
    const fields = fieldsOf(update)
    const [holder, key] = fields[random() % fields.length] ?? [update, 'message']
    holder[key] = ODD[random() % ODD.length]
    stage.telegram.world.happen(update)
    if (round % 50 !== 49) continue
    const text = `still here ${round}`
    ana.writes(text)
    await expect.poll(() => stage.door.texts).toContain(text)
  }
  for (const { conversation, user, userName, messageId, text, replyTo, group: there } of stage.door
    .arrivals) {
    const words = [
      conversation,
      user,
      userName,
      messageId,
      text,
      replyTo?.messageId ?? '',
      replyTo?.text ?? '',
      there?.title ?? '',
    ]
    expect(words.map((word) => typeof word)).toEqual(words.map(() => 'string'))
    expect(conversation).toMatch(/^-?\d+(?:\/\d+)?$/)
    expect(user).toMatch(/^\d+$/)
  }
})

type Fields = Record<string, unknown>

/** Every field, with the object that has it. */
function fieldsOf(holder: Fields): (readonly [Fields, string])[] {
  return Object.entries(holder).flatMap(([key, value]) => {
    const inside = typeof value === 'object' && value !== null ? fieldsOf(value as Fields) : []
    return [[holder, key], ...inside] as const
  })
}

test('a mention of nobody holds up nothing that comes after it in its group', async () => {
  await stage.open()
  const mentions = (entities: readonly object[], message_id: number) =>
    stage.telegram.world.happen({
      message: { ...base, message_id, chat: group, text: '@mainstem_bot hi', entities },
    } as never)
  mentions([{ type: 'text_mention', offset: 0, length: 13 }], 1)
  mentions(mention, 2)
  await expect.poll(() => stage.door.texts).toEqual(['hi'])
  await expect.poll(() => stage.telegram.world.updates).toEqual([])
})

test('updates of other kinds, from before the first poll, keep nothing waiting', async () => {
  const ana = stage.telegram.person('Ana')
  stage.telegram.world.happen({ my_chat_member: { chat, from } } as never)
  ana.writes('hello')
  await stage.open()
  await expect.poll(() => stage.door.texts).toEqual(['hello'])
  await expect.poll(() => stage.telegram.world.updates).toEqual([])
})

test.each([['null'], ['"no"'], ['{}'], ['{"ok":true}'], ['{"ok":false}'], ['{"ok":true,"result":[7]}']])(
  'a server that answers %s is said to be unreadable, again and again',
  async (body) => {
    const server = createServer((_, response) => void response.end(body))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    await stage.open({ url: `http://127.0.0.1:${port}` })
    await expect
      .poll(() => stage.door.states.at(-1))
      .toMatchObject({ kind: 'down', why: expect.stringContaining('cannot read') as string })
    server.closeAllConnections()
    server.close()
  },
)

test('[SAFE5] a caption, and a text that another bot wrote, is no command', async () => {
  const ana = stage.telegram.person('Ana')
  await stage.open()
  const message = { ...base, from: { ...from, id: ana.id }, chat: { ...chat, id: ana.id } }
  const other = { id: 8, is_bot: true, first_name: 'Gifs' }
  const animation = { animation: { file_id: 'f' }, caption: '/stop' }
  stage.telegram.world.happen({
    message: { ...message, text: '/pair approve X me', via_bot: other },
  } as never)
  stage.telegram.world.happen({ message: { ...message, message_id: 2, ...animation } } as never)
  await expect.poll(() => stage.door.arrivals.length).toBe(2)
  const [picked, captioned] = stage.door.arrivals
  const words = { name: 'written by the bot Gifs', text: '/pair approve X me' }
  expect(picked).toMatchObject({ isForwarded: true, text: '', passedOn: [words] })
  expect(captioned?.text).toBe('(an animation, which I cannot watch)\n/stop')
})
