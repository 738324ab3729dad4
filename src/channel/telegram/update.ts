import type { Update } from 'grammy/types'
import { z } from 'zod'

/** The fields that are read here, as Telegram documents them. A server between us and Telegram could send anything. */

const text = z.string().optional()
const user = z.object({ id: z.int(), is_bot: z.boolean(), first_name: z.string(), last_name: text })
const chat = z.object({ id: z.int(), type: z.string(), title: text })
const file = z.object({ file_id: z.string(), file_size: z.number().optional(), file_name: text })
const place = z.object({ latitude: z.number(), longitude: z.number() })
const entity = z
  .object({ type: z.string(), offset: z.int(), length: z.int(), user: user.partial().optional() })
  .refine(({ type, user: meant }) => type !== 'text_mention' || meant !== undefined)
const origin = z.discriminatedUnion('type', [
  z.object({ type: z.literal('user'), sender_user: user }),
  z.object({ type: z.literal('hidden_user'), sender_user_name: z.string() }),
  z.object({ type: z.literal('chat'), sender_chat: chat }),
  z.object({ type: z.literal('channel'), chat }),
])

const said = z.object({
  message_id: z.int(),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  from: user.optional(),
  chat,
  text,
  caption: text,
})

const message = said.extend({
  media_group_id: text,
  migrate_to_chat_id: z.int().optional(),
  migrate_from_chat_id: z.int().optional(),
  sender_chat: chat.optional(),
  via_bot: user.optional(),
  entities: z.array(entity).optional(),
  caption_entities: z.array(entity).optional(),
  forward_origin: origin.optional(),
  reply_to_message: said.optional(),
  external_reply: z.object({ message_id: z.int().optional() }).optional(),
  quote: z.object({ text: z.string() }).optional(),
  sticker: z.object({ emoji: text }).optional(),
  venue: z.object({ title: z.string(), address: z.string(), location: place }).optional(),
  location: place.optional(),
  contact: z.object({ first_name: z.string(), last_name: text, phone_number: z.string() }).optional(),
  poll: z.object({ question: z.string(), options: z.array(z.object({ text: z.string() })) }).optional(),
  dice: z.object({ emoji: z.string(), value: z.number() }).optional(),
  photo: z.array(file.extend({ width: z.number(), height: z.number() })).optional(),
  voice: file.optional(),
  audio: file.optional(),
  document: file.extend({ mime_type: text }).optional(),
})

const update = z.object({
  message: message.optional(),
  edited_message: message.optional(),
  callback_query: z
    .object({ id: z.string(), from: user, data: text, message: said.omit({ from: true }).optional() })
    .optional(),
})

const answer = z.array(z.looseObject({ update_id: z.int() }))

const sent = z.object({ message_id: z.int() })
const bot = user.extend({ username: z.string().regex(/^\w+$/) })

export function isBot(answered: unknown): boolean {
  return bot.safeParse(answered).success
}

/** The id of a message that was sent; undefined: this is no message. */
export function messageIdIn(answered: unknown): string | undefined {
  return sent.safeParse(answered).data?.message_id.toString()
}

/** Undefined: this is no answer to `getUpdates`. */
export function updatesIn(answered: unknown): readonly Update[] | undefined {
  return answer.safeParse(answered).data
}

/** An unreadable update is skipped, so that it does not hold up the others. */
export function isReadable(arrived: Update): boolean {
  return update.safeParse(arrived).success
}
