import type { Message } from 'grammy/types'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { BotError } from './bot-error.ts'
import { formatted, isEmpty, TEXT_MAX } from './formatted.ts'
import { about } from './people.ts'
import { DAY_MS, type ChatState, type TelegramWorld } from './world.ts'

type Method = (world: TelegramWorld, params: unknown) => unknown

/** A method of the Bot API: what it takes, and what it does. */
function method<Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (world: TelegramWorld, params: z.output<z.ZodObject<Shape>>) => unknown,
): Method {
  const schema = z.object(shape)
  return (world, params) => {
    const { data, error } = schema.safeParse(params)
    if (error !== undefined) throw new BotError(400, `Bad Request: ${z.prettifyError(error)}`)
    return run(world, data)
  }
}

const CAPTION_MAX = 1_024
const BUTTON_BYTES_MAX = 64
const TAP_AGE_MAX_MS = 15_000
const DOWNLOAD_MAX = 20 * 2 ** 20
const UPLOAD_MAX = { photo: 10 * 2 ** 20, document: 50 * 2 ** 20, voice: 50 * 2 ** 20 }
const ACTIONS =
  /^(?:typing|upload_(?:photo|video|voice|document|video_note)|record_(?:video|voice|video_note)|choose_sticker|find_location)$/
/** Some of those that everybody may use. */
const REACTIONS = new Set(
  '👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🎉 🤩 🙏 👌 🕊 👀 ✍ 🤝 🫡 💯 ⚡ 🤗 👨‍💻 💔 🤨 😐 😴 😭 🙈'.split(' '),
)

const number = z.coerce.number().int()
const markup = z
  .object({
    inline_keyboard: z.array(
      z.array(
        z.object({ text: z.string(), callback_data: z.string().optional(), url: z.string().optional() }),
      ),
    ),
  })
  .optional()
const scope = z.object({ type: z.enum(['default', 'chat']), chat_id: number.optional() }).optional()
const here = { chat_id: z.union([z.string(), z.number()]) }
const target = {
  ...here,
  message_thread_id: number.optional(),
  disable_notification: z.coerce.boolean().optional(),
  reply_parameters: z
    .object({ message_id: number, allow_sending_without_reply: z.boolean().optional() })
    .optional(),
  reply_markup: markup,
}
const written = { text: z.string().default(''), parse_mode: z.string().optional() }
const captioned = { caption: z.string().default(''), parse_mode: z.string().optional() }
const file = z.union([z.string(), z.instanceof(File)])

/** What a bot can do, by name. `getUpdates` is the server's own. */
export const methods: Readonly<Record<string, Method>> = {
  getMe: method({}, (world) => world.bot),
  getWebhookInfo: method({}, (world) => ({ url: world.webhook, pending_update_count: world.updates.length })),
  deleteWebhook: method({}, (world) => {
    world.webhook = ''
    return true
  }),
  sendMessage: method({ ...target, ...written }, (world, params) => {
    const text = textOf(params, 'message is too long')
    return post(world, params, text)
  }),
  editMessageText: method(
    { ...here, message_id: number, ...written, reply_markup: markup },
    (world, { chat_id, message_id, reply_markup, ...params }) => {
      const content = textOf(params, 'MESSAGE_TOO_LONG')
      return edit(world, ownMessage(world.open(chat_id), world, message_id), {
        ...content,
        ...keyboard(reply_markup),
      })
    },
  ),
  editMessageReplyMarkup: method(
    { ...here, message_id: number, reply_markup: markup },
    (world, { chat_id, message_id, reply_markup }) => {
      const message = ownMessage(world.open(chat_id), world, message_id)
      const { text, entities } = message
      return edit(world, message, {
        ...(text === undefined ? {} : { text }),
        ...(entities && { entities }),
        ...keyboard(reply_markup),
      })
    },
  ),
  deleteMessage: method({ ...here, message_id: number }, (world, { chat_id, message_id }) => {
    const { messages } = world.open(chat_id)
    const index = messages.findIndex((message) => message.message_id === message_id)
    const found = messages[index]
    if (found === undefined) throw new BotError(400, 'Bad Request: message to delete not found')
    if (world.date() - found.date > (2 * DAY_MS) / 1_000)
      throw new BotError(400, "Bad Request: message can't be deleted for everyone")
    messages.splice(index, 1)
    return true
  }),
  sendChatAction: method(
    { ...here, message_thread_id: number.optional(), action: z.string() },
    (world, { chat_id, message_thread_id: thread, action }) => {
      if (!ACTIONS.test(action)) throw new BotError(400, 'Bad Request: wrong parameter action in request')
      world.open(chat_id).actions.push({ action, thread, at: world.now() })
      return true
    },
  ),
  setMessageReaction: method(
    {
      ...here,
      message_id: number,
      reaction: z.array(z.object({ type: z.string(), emoji: z.string() })).default([]),
    },
    (world, { chat_id, message_id, reaction }) => {
      const { messages, reactions } = world.open(chat_id)
      if (!messages.some((message) => message.message_id === message_id))
        throw new BotError(400, 'Bad Request: message to react not found')
      if (reaction.length > 1) throw new BotError(400, 'Bad Request: REACTIONS_TOO_MANY')
      const emoji = reaction.map((each) => each.emoji)
      if (!emoji.every((each) => REACTIONS.has(each)))
        throw new BotError(400, 'Bad Request: REACTION_INVALID')
      reactions.set(message_id, emoji)
      return true
    },
  ),
  setMyCommands: method(
    { commands: z.array(z.object({ command: z.string(), description: z.string() })), scope },
    (world, { commands, scope: { chat_id: chat } = {} }) => {
      if (commands.length > 100) throw new BotError(400, 'Bad Request: BOT_COMMANDS_TOO_MUCH')
      for (const { command, description } of commands) {
        if (!/^[a-z\d_]{1,32}$/.test(command)) throw new BotError(400, 'Bad Request: BOT_COMMAND_INVALID')
        if (description === '' || description.length > 256)
          throw new BotError(400, 'Bad Request: BOT_COMMAND_DESCRIPTION_INVALID')
      }
      if (chat === undefined) world.commands = commands
      else world.chatCommands.set(world.open(chat).info.id, commands)
      return true
    },
  ),
  deleteMyCommands: method({ scope }, (world, { scope: { chat_id: chat } = {} }) => {
    if (chat === undefined) world.commands = []
    else world.chatCommands.delete(world.open(chat).info.id)
    return true
  }),
  answerCallbackQuery: method(
    { callback_query_id: z.string(), text: z.string().optional(), show_alert: z.boolean().optional() },
    (world, { callback_query_id: id, ...answer }) => {
      const tap = world.taps.get(id)
      if (tap === undefined || world.now() - tap.at > TAP_AGE_MAX_MS)
        throw new BotError(
          400,
          'Bad Request: query is too old and response timeout expired or query ID is invalid',
        )
      if ((answer.text?.length ?? 0) > 200) throw new BotError(400, 'Bad Request: MESSAGE_TOO_LONG')
      tap.answer = answer
      return true
    },
  ),
  sendPhoto: method({ ...target, ...captioned, photo: file }, async (world, params) => {
    const stored = about(await uploaded(world, params.photo, 'photo'))
    return post(world, params, { photo: [{ ...stored, width: 1_200, height: 800 }], ...captionOf(params) })
  }),
  sendDocument: method({ ...target, ...captioned, document: file }, async (world, params) => {
    const stored = about(await uploaded(world, params.document, 'document'))
    const name = params.document instanceof File ? { file_name: params.document.name } : {}
    return post(world, params, { document: { ...stored, ...name }, ...captionOf(params) })
  }),
  sendVoice: method(
    { ...target, ...captioned, voice: file, duration: number.default(0) },
    async (world, params) => {
      const stored = about(await uploaded(world, params.voice, 'voice'))
      return post(world, params, { voice: { ...stored, duration: params.duration }, ...captionOf(params) })
    },
  ),
  getFile: method({ file_id: z.string() }, (world, { file_id }) => {
    const found = world.files.get(file_id)
    if (found === undefined)
      throw new BotError(400, 'Bad Request: wrong file_id or the file is temporarily unavailable')
    if (found.size > DOWNLOAD_MAX) throw new BotError(400, 'Bad Request: file is too big')
    return { ...about(found), file_path: found.path }
  }),
}

type Target = z.output<z.ZodObject<typeof target>>

function post(world: TelegramWorld, params: Target, content: Partial<Message>): Message {
  const chat = world.open(params.chat_id)
  const { message_thread_id: thread, reply_parameters: reply } = params
  const isTopic = chat.messages.some(
    (each) => each.message_id === thread && each.forum_topic_created !== undefined,
  )
  if (thread !== undefined && !isTopic) throw new BotError(400, 'Bad Request: message thread not found')
  const replied = chat.messages.find((each) => each.message_id === reply?.message_id)
  if (reply !== undefined && replied === undefined && reply.allow_sending_without_reply !== true)
    throw new BotError(400, 'Bad Request: message to be replied not found')
  const buttons = keyboard(params.reply_markup)
  world.countSent(chat)
  chat.actions.length = 0
  return world.add(chat, world.bot, {
    ...content,
    ...buttons,
    ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
    ...(replied === undefined ? {} : { reply_to_message: { ...replied, reply_to_message: undefined } }),
  } as Partial<Message>)
}

/** An edit replaces the buttons too: those that it does not name are gone. */
function edit(world: TelegramWorld, message: Message, content: Partial<Message>): Message {
  const { text, entities, reply_markup } = message
  const before = { text, entities, reply_markup }
  const after = { text: content.text, entities: content.entities, reply_markup: content.reply_markup }
  if (isDeepStrictEqual(before, after))
    throw new BotError(
      400,
      'Bad Request: message is not modified: specified new message content and reply markup are exactly the same ' +
        'as a current content and reply markup of the message',
    )
  return Object.assign(message, after, { edit_date: world.date() })
}

function ownMessage({ messages }: ChatState, { bot }: TelegramWorld, id: number): Message {
  const found = messages.find(({ message_id }) => message_id === id)
  if (found === undefined) throw new BotError(400, 'Bad Request: message to edit not found')
  if (found.from?.id !== bot.id) throw new BotError(400, "Bad Request: message can't be edited")
  return found
}

function textOf(params: z.output<z.ZodObject<typeof written>>, tooLong: string): Partial<Message> {
  const { text, entities } = formatted(params.text, params.parse_mode)
  if (isEmpty(text)) throw new BotError(400, 'Bad Request: message text is empty')
  if (text.length > TEXT_MAX) throw new BotError(400, `Bad Request: ${tooLong}`)
  return { text, ...(entities.length === 0 ? {} : { entities: [...entities] }) }
}

function captionOf(params: z.output<z.ZodObject<typeof captioned>>): Partial<Message> {
  const { text, entities } = formatted(params.caption, params.parse_mode)
  if (text.length > CAPTION_MAX) throw new BotError(400, 'Bad Request: message caption is too long')
  return text === '' ? {} : { caption: text, caption_entities: [...entities] }
}

function keyboard(buttons: z.output<typeof markup>): Partial<Message> {
  const all = buttons?.inline_keyboard.flat() ?? []
  for (const { text, callback_data: data, url } of all) {
    if (text.trim() === '')
      throw new BotError(400, 'Bad Request: text buttons are unallowed in the inline keyboard')
    const bytes = Buffer.byteLength(data ?? '')
    if (url === undefined && (bytes === 0 || bytes > BUTTON_BYTES_MAX))
      throw new BotError(400, 'Bad Request: BUTTON_DATA_INVALID')
  }
  return all.length === 0 ? {} : ({ reply_markup: buttons } as Partial<Message>)
}

async function uploaded(world: TelegramWorld, sent: string | File, kind: keyof typeof UPLOAD_MAX) {
  const known = typeof sent === 'string' ? world.files.get(sent) : undefined
  if (known !== undefined) return known
  if (typeof sent === 'string')
    throw new BotError(400, 'Bad Request: wrong file identifier/HTTP URL specified')
  if (sent.size === 0) throw new BotError(400, 'Bad Request: file must be non-empty')
  if (sent.size > UPLOAD_MAX[kind]) throw new BotError(413, 'Request Entity Too Large')
  return world.store(new Uint8Array(await sent.arrayBuffer()), { folder: `${kind}s`, ending: '' })
}
