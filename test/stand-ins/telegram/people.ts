import type { Chat, Message, ReactionTypeEmoji, User } from 'grammy/types'
import type { ChatState, StoredFile, Tap, TelegramWorld } from './world.ts'

/** Somewhere to write: a private chat with the bot, a group, or a topic of a group. */
export class Place {
  readonly world: TelegramWorld
  readonly chat: ChatState
  readonly thread: number | undefined

  constructor(world: TelegramWorld, chat: ChatState, thread?: number) {
    this.world = world
    this.chat = chat
    this.thread = thread
  }

  get id(): number {
    return this.chat.info.id
  }

  /** What the bot wrote here and did not delete. */
  fromBot(): Message[] {
    return this.chat.messages.filter(
      ({ from, message_thread_id: thread }) => from?.id === this.world.bot.id && thread === this.thread,
    )
  }

  /** The newest of those messages. */
  last(): Message {
    const last = this.fromBot().at(-1)
    if (last === undefined) throw new Error('The bot has written nothing here.')
    return last
  }

  /** The texts of those messages. */
  texts(): string[] {
    return this.fromBot().map(({ text, caption }) => text ?? caption ?? '')
  }

  /** The commands in the menu of this chat. */
  menu(): string[] {
    const { commands, chatCommands } = this.world
    return (chatCommands.get(this.id) ?? commands).map(({ command }) => command)
  }

  /** An action such as `typing` is shown for five seconds, or until a message comes. */
  isTyping(): boolean {
    const last = this.chat.actions.findLast(({ thread }) => thread === this.thread)
    return last !== undefined && this.world.now() - last.at < 5_000
  }

  reactionsTo({ message_id: id }: Message): readonly string[] {
    return this.chat.reactions.get(id) ?? []
  }
}

export class Group extends Place {
  removesBot(by: Person): void {
    this.chat.closed = 'kicked'
    by.tellsMembership(this.chat, 'kicked')
  }
}

export class SmallGroup extends Group {
  /** Both groups say so, the old one first. */
  becomesSupergroup(): Group {
    const { title = '' } = this.chat.info
    const now = this.world.addChat({ id: this.world.groupId(), type: 'supergroup', title })
    const tell = (chat: ChatState, content: Partial<Message>): void =>
      this.world.happen({ message: structuredClone(this.world.add(chat, ADMIN, content)) as never })
    tell(this.chat, { migrate_to_chat_id: now.info.id })
    tell(now, { migrate_from_chat_id: this.id })
    this.chat.movedTo = now.info.id
    return new Group(this.world, now)
  }
}

const ADMIN: User = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' }

/** A group whose messages are in topics. */
export class Forum extends Group {
  topic(name: string): Place {
    const created = { name, icon_color: 0x6f_b9_f0 } as const
    const { message_id: id } = this.world.add(this.chat, ADMIN, { forum_topic_created: created })
    return new Place(this.world, this.chat, id)
  }
}

/** A file as people send it. `size` may claim more bytes than there are. */
interface Sent {
  readonly bytes: Uint8Array
  readonly size?: number
}
export type Media =
  | { readonly photo: Sent }
  | { readonly voice: Sent; readonly seconds?: number }
  | { readonly audio: Sent; readonly name: string }
  | { readonly document: Sent; readonly name: string; readonly type?: string }

/** Somebody with the app in their hand. Where no place is named, they are in their private chat with the bot. */
export class Person extends Place {
  readonly user: User

  constructor(world: TelegramWorld, name: string) {
    const id = 1_000_000 + world.nextId()
    const info: Chat.PrivateChat = { id, type: 'private', first_name: name }
    super(world, world.addChat(info, 'not begun'))
    this.user = { id, is_bot: false, first_name: name, language_code: 'en' }
  }

  writes(text: string, place: Place = this): Message {
    return this.#post({ text, ...this.#found(text) }, place)
  }

  /** `quote`: the part of the message that they marked first. */
  replies(to: Message, text: string, quote?: string): Message {
    const { reply_to_message: _, ...replied } = to
    const marked =
      quote === undefined ? {} : { quote: { text: quote, position: to.text?.indexOf(quote) ?? 0 } }
    const content = { text, ...this.#found(text), reply_to_message: replied, ...marked } as Partial<Message>
    return this.#post(content, this.#placeOf(to))
  }

  forwards(text: string, from: Person, place: Place = this): Message {
    const origin = { type: 'user', date: this.world.date(), sender_user: from.user } as const
    return this.#post({ text, forward_origin: origin }, place)
  }

  /** Changes the text of a message, or its caption. */
  edits(message: Message, text: string): void {
    const changed =
      message.text === undefined ? { caption: text } : { text, entities: undefined, ...this.#found(text) }
    Object.assign(message, changed, { edit_date: this.world.date() })
    this.world.happen({ edited_message: structuredClone(message) as never })
  }

  /** Telegram delivers a message once more, as a new update. */
  repeats(message: Message): void {
    this.world.happen({ message: structuredClone(message) as never })
  }

  /** Telegram does not tell bots. */
  deletes(message: Message): void {
    const { messages } = this.#placeOf(message).chat
    const index = messages.findIndex(({ message_id: id }) => id === message.message_id)
    if (index !== -1) messages.splice(index, 1)
  }

  /** Taps the button with this text below a message of the bot. */
  taps(message: Message, label: string): Tap {
    const buttons = message.reply_markup?.inline_keyboard.flat() ?? []
    const button = buttons.find(({ text }) => text === label)
    if (button === undefined || !('callback_data' in button))
      throw new Error(`No button says ${label}; there are: ${buttons.map(({ text }) => text).join(', ')}`)
    return this.presses(message, button.callback_data)
  }

  /** As a changed app can: with any data, below any message of the bot. */
  presses(message: Message, data: string): Tap {
    const tap: Tap = { id: String(this.world.nextId()), at: this.world.now(), answer: null }
    this.world.taps.set(tap.id, tap)
    const callback = { id: tap.id, from: this.user, message, chat_instance: '1', data }
    this.world.happen({ callback_query: structuredClone(callback) })
    return tap
  }

  reacts(message: Message, emoji: ReactionTypeEmoji['emoji']): void {
    const { chat, message_id } = message
    const reaction = { type: 'emoji', emoji } as const
    const about = { chat, message_id, user: this.user, date: this.world.date() }
    this.world.happen({ message_reaction: { ...about, old_reaction: [], new_reaction: [reaction] } })
  }

  /** `more`: other fields, such as the mark of an album whose parts come one by one. */
  sends(
    media: Media,
    { caption, place = this, more }: { caption?: string; place?: Place; more?: Partial<Message> } = {},
  ): Message {
    const about =
      caption === undefined ? {} : { caption, caption_entities: this.world.typedEntities(caption) }
    return this.#post({ ...this.#stored(media), ...about, ...more }, place)
  }

  /** A message of any other kind. */
  shares(content: Partial<Message>, place: Place = this): Message {
    return this.#post(content, place)
  }

  /** One album, which reaches bots as several messages. The caption is on the first. */
  sendsAlbum(
    album: readonly Media[],
    { caption, place = this }: { caption?: string; place?: Place } = {},
  ): Message[] {
    const more = { media_group_id: String(this.world.nextId()) }
    return album.map((media, index) =>
      this.sends(media, { place, more, ...(index === 0 && caption !== undefined && { caption }) }),
    )
  }

  blocksBot(): void {
    this.chat.closed = 'blocked'
    this.tellsMembership(this.chat, 'kicked')
  }

  unblocksBot(): void {
    this.chat.closed = null
    this.tellsMembership(this.chat, 'member')
  }

  /** The bot learns what became of it in a chat. */
  tellsMembership({ info: chat }: ChatState, status: 'member' | 'kicked'): void {
    const { bot } = this.world
    const member = { status: 'member', user: bot } as const
    const kicked = { status: 'kicked', user: bot, until_date: 0 } as const
    const [before, after] = status === 'member' ? [kicked, member] : [member, kicked]
    const about = { chat, from: this.user, date: this.world.date() }
    this.world.happen({ my_chat_member: { ...about, old_chat_member: before, new_chat_member: after } })
  }

  #found(text: string): Partial<Message> {
    const entities = this.world.typedEntities(text)
    return entities.length === 0 ? {} : { entities }
  }

  #placeOf(message: Message): Place {
    const chat = this.world.chats.get(message.chat.id)
    if (chat === undefined) throw new Error('That message is in no chat of this Telegram.')
    return new Place(this.world, chat, message.message_thread_id)
  }

  #post(content: Partial<Message>, { chat, thread }: Place): Message {
    if (chat === this.chat) chat.closed = null
    // In a topic every message that replies to nothing else replies to the topic's beginning.
    const topic = chat.messages.find(({ message_id: id }) => id === thread)
    const place =
      thread === undefined
        ? {}
        : { message_thread_id: thread, is_topic_message: true, reply_to_message: topic }
    const message = this.world.add(chat, this.user, { ...place, ...content } as Partial<Message>)
    if (chat.closed !== 'kicked') this.repeats(message)
    return message
  }

  #stored(media: Media): Partial<Message> {
    if ('photo' in media) {
      const small = this.#file({ bytes: media.photo.bytes.slice(0, 100) }, 'photos', '.jpg')
      const large = this.#file(media.photo, 'photos', '.jpg')
      return {
        photo: [
          { ...about(small), width: 90, height: 60 },
          { ...about(large), width: 1_200, height: 800 },
        ],
      }
    }
    if ('voice' in media) {
      const file = this.#file(media.voice, 'voice', '.oga')
      return { voice: { ...about(file), duration: media.seconds ?? 3, mime_type: 'audio/ogg' } }
    }
    if ('audio' in media) {
      const file = this.#file(media.audio, 'music', '.mp3')
      return { audio: { ...about(file), duration: 3, file_name: media.name, mime_type: 'audio/mpeg' } }
    }
    const file = this.#file(media.document, 'documents', '')
    const type = media.type === undefined ? {} : { mime_type: media.type }
    return { document: { ...about(file), file_name: media.name, ...type } }
  }

  #file({ bytes, size = bytes.length }: Sent, folder: string, ending: string): StoredFile {
    return this.world.store(bytes, { folder, ending, size })
  }
}

/** How a message names a file. */
export function about({ id, size }: StoredFile): {
  file_id: string
  file_unique_id: string
  file_size: number
} {
  return { file_id: id, file_unique_id: `unique-${id}`, file_size: size }
}
