import type { Message, MessageEntity, MessageOrigin, User, UserFromGetMe } from 'grammy/types'
import type { Arrival, ArrivingFile, RepliedTo, Sender } from '../channel.ts'
import { conversationOf } from './place.ts'
import { plainName } from '../../event/fence.ts'

/** The messages of an album, or just one. */
export type Album = readonly [Message, ...Message[]]

export type FetchFile = (id: string) => ArrivingFile['fetch']

/** A message, or the messages of an album, as one arrival. Undefined: it says nothing, or has no sender. */
export function arrivalOf(
  album: Album,
  { bot, fetchFile }: { readonly bot: UserFromGetMe; readonly fetchFile: FetchFile },
): (Arrival & { readonly messageId: string }) | undefined {
  const [first, ...others] = album
  const { media_group_id: group } = first
  const sender = senderOf(album, bot)
  const source = passedOnFrom(first)
  const texts = album.map((message) => textOf(message, bot)).filter((text) => text !== '')
  const files = album.flatMap((message) => filesOf(message, fetchFile))
  const things = album.flatMap(thingOf)
  if (sender === undefined || texts.length + files.length + things.length === 0) return undefined
  const words = texts.join('\n')
  const passedOn = source === undefined || words === '' ? things : [...things, { name: source, text: words }]
  const replyTo = repliedTo(first)
  return {
    ...sender,
    messageId: idOf(first),
    ...(others.length > 0 && { parts: others.map(idOf) }),
    ...(group && { album: `album:${group}` }),
    text: source === undefined ? words : '',
    ...(replyTo && { replyTo }),
    ...(source !== undefined && { isForwarded: true }),
    ...(passedOn.length > 0 && { passedOn }),
    ...(files.length > 0 && { files }),
  }
}

export function idOf({ message_id: id }: Message): string {
  return `${id}`
}

/** Undefined: nobody in particular, such as another bot or an anonymous administrator. */
function senderOf(album: Album, bot: UserFromGetMe): Sender | undefined {
  const [{ from, chat, sender_chat: another }] = album
  if (from === undefined || from.is_bot || another !== undefined) return undefined
  return {
    channel: 'telegram',
    conversation: conversationOf(album[0]),
    user: `${from.id}`,
    userName: nameOf(from),
    ...(chat.type !== 'private' && {
      group: { title: chat.title ?? '', isForUs: album.some((message) => isForUs(message, bot)) },
    }),
  }
}

export function nameOf({ first_name: first, last_name: last }: User): string {
  return last === undefined ? first : `${first} ${last}`
}

/** In a group: mentioned, replied to, or given a command that is not another bot's. */
function isForUs(message: Message, bot: UserFromGetMe): boolean {
  if (replied(message)?.from?.id === bot.id) return true
  const entities = message.entities ?? message.caption_entities ?? []
  return entities.some((entity) => isOurs(entity, message.text ?? message.caption ?? '', bot))
}

function isOurs(entity: MessageEntity, text: string, { id, username }: UserFromGetMe): boolean {
  if (entity.type === 'text_mention') return entity.user.id === id
  const words = text.slice(entity.offset, entity.offset + entity.length).toLowerCase()
  if (entity.type === 'mention') return words === `@${username.toLowerCase()}`
  if (entity.type !== 'bot_command' || entity.offset > 0) return false
  return !words.includes('@') || words.endsWith(`@${username.toLowerCase()}`)
}

/** In a topic, a message that replies to nothing else replies to the topic's first message. That is no quote. */
function replied({ reply_to_message: to, message_thread_id: topic }: Message): Message | undefined {
  return to?.forum_topic_created !== undefined || (topic !== undefined && to?.message_id === topic)
    ? undefined
    : to
}

function repliedTo(message: Message): RepliedTo | undefined {
  const to = replied(message)
  const text = message.quote?.text ?? to?.text ?? to?.caption
  const { external_reply: external } = message
  if (to === undefined && external === undefined) return undefined
  // Ids of messages are per chat: this one could be the id of another message here.
  const messageId = to === undefined ? `elsewhere:${external?.message_id ?? ''}` : `${to.message_id}`
  return { messageId, ...(text !== undefined && { text }) }
}

function textOf(message: Message, { username }: UserFromGetMe): string {
  // The sign comes first, so that its caption is never read as a command.
  const words = [signOf(message), message.text ?? message.caption].filter(Boolean).join('\n')
  if (passedOnFrom(message) !== undefined) return words
  const mention = new RegExp(`^@${username}(?![\\w])[,:]?\\s*`, 'i')
  return words.replace(mention, '').replaceAll(COMMAND, (written, name: string, at?: string) => {
    if (at !== undefined && at.toLowerCase() !== username.toLowerCase()) return written
    return `/${name === 'start' ? 'help' : name.replaceAll('_', '-')}`
  })
}

/** `/check_mail@our_bot`: Telegram's menu has no `-`, and adds the bot's name in groups. Apps send `/start` first. */
const COMMAND = /^\/([a-z\d_]+)(?:@(\w+))?(?![^\s])/gim

/** Whose words these are, if they were forwarded or written by an inline bot. */
function passedOnFrom({ forward_origin: origin, via_bot: bot }: Message): string | undefined {
  if (origin !== undefined) return `forwarded from ${plainName(originOf(origin))}`
  return bot && `written by the bot ${plainName(nameOf(bot))}`
}

function originOf(origin: MessageOrigin): string {
  switch (origin.type) {
    case 'user':
      return nameOf(origin.sender_user)
    case 'hidden_user':
      return origin.sender_user_name
    case 'chat':
      return 'title' in origin.sender_chat ? (origin.sender_chat.title ?? 'a chat') : 'a chat'
    case 'channel':
      return 'title' in origin.chat ? (origin.chat.title ?? 'a channel') : 'a channel'
  }
}

/** Names what is neither text nor a file that we keep. */
function signOf({ sticker, dice, animation, video, video_note: round }: Message): string | undefined {
  if (sticker !== undefined)
    return `(a sticker${sticker.emoji === undefined ? '' : `: ${plainName(sticker.emoji)}`})`
  if (dice !== undefined) return `(${plainName(dice.emoji)} ${dice.value})`
  if (animation !== undefined) return '(an animation, which I cannot watch)'
  return video === undefined && round === undefined ? undefined : '(a video, which I cannot watch)'
}

/** Contacts, places and polls: others wrote their names. */
function thingOf({ venue, location, contact, poll }: Message): { name: string; text: string }[] {
  if (venue !== undefined)
    return [{ name: 'place', text: `${venue.title}\n${venue.address}\n${placeText(venue.location)}` }]
  if (location !== undefined) return [{ name: 'location', text: placeText(location) }]
  if (contact !== undefined) {
    const { first_name: first, last_name: last, phone_number: phone } = contact
    return [
      { name: 'contact', text: [first, last, phone].filter(Boolean).map(String).map(plainName).join(' ') },
    ]
  }
  if (poll === undefined) return []
  return [{ name: 'poll', text: [poll.question, ...poll.options.map(({ text }) => `- ${text}`)].join('\n') }]
}

function placeText({ latitude, longitude }: { latitude: number; longitude: number }): string {
  return `${latitude}, ${longitude}`
}

function filesOf(message: Message, fetchFile: FetchFile): ArrivingFile[] {
  const { photo, voice, audio, document, animation } = message
  const file = (
    kind: ArrivingFile['kind'],
    { file_id: id, file_size: size, file_name: name }: FileOfTelegram,
  ): ArrivingFile[] => [{ kind, name: name ?? null, size: size ?? null, fetch: fetchFile(id) }]
  const largest = photo?.toSorted((one, other) => one.width * one.height - other.width * other.height).at(-1)
  if (largest !== undefined) return file('image', largest)
  if (voice !== undefined) return file('voice', voice)
  // Others may have made it: only a voice note is what its sender says.
  if (audio !== undefined) return file('document', audio)
  // An animation is a document as well.
  if (document === undefined || animation !== undefined) return []
  return file(document.mime_type?.startsWith('image/') === true ? 'image' : 'document', document)
}

interface FileOfTelegram {
  readonly file_id: string
  readonly file_size?: number
  readonly file_name?: string
}
