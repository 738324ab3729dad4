import type { Chat, Message, MessageEntity, Update, User, UserFromGetMe } from 'grammy/types'
import { BotError } from './bot-error.ts'

/** A chat as Telegram's servers know it. */
export interface ChatState {
  readonly info: Chat.PrivateChat | Chat.GroupChat | Chat.SupergroupChat
  readonly messages: Message[]
  /** In a group. The id of a message that was deleted is not given to another. */
  lastId: number
  /** By message id; bots set at most one. */
  readonly reactions: Map<number, readonly string[]>
  readonly actions: { readonly action: string; readonly thread: number | undefined; readonly at: number }[]
  /** When the bot's last messages were sent. */
  readonly sentAt: number[]
  /** Why the bot cannot write here. */
  closed: 'not begun' | 'blocked' | 'kicked' | null
  /** The supergroup that this group is now. */
  movedTo?: number
}

interface Command {
  readonly command: string
  readonly description: string
}

export interface StoredFile {
  readonly id: string
  readonly path: string
  readonly bytes: Uint8Array
  readonly size: number
}

/** A tap on a button, and what the bot said to it. */
export interface Tap {
  readonly id: string
  readonly at: number
  answer: { readonly text?: string | undefined; readonly show_alert?: boolean | undefined } | null
}

/** A part of an update before Telegram has numbered it. */
export type Happening = Omit<Update, 'update_id'>

export const DAY_MS = 86_400_000
const GROUP_MESSAGES_MAX = 20
const GROUP_WINDOW_MS = 60_000
const UNASKED = new Set(['message_reaction', 'chat_member'])

/** What the servers of Telegram remember. */
export class TelegramWorld {
  readonly now: () => number
  readonly bot: UserFromGetMe = {
    id: 7_000_000_001,
    is_bot: true,
    first_name: 'Mainstem',
    username: 'mainstem_bot',
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_join_request_queries: false,
  }
  readonly chats = new Map<number, ChatState>()
  readonly files = new Map<string, StoredFile>()
  readonly taps = new Map<string, Tap>()
  /** Where updates go that nobody can poll for. */
  webhook = ''
  commands: readonly Command[] = []
  /** Of chats that have others. */
  readonly chatCommands = new Map<number, readonly Command[]>()
  updates: { readonly at: number; readonly update: Update }[] = []
  /** As the last `getUpdates` that said so wants it. */
  allowed: readonly string[] = []
  /** Called when there is an update to fetch. */
  wake: () => void = () => {}
  #lastId = 0
  #lastUpdate = 500_000_000
  #lastMessage = 0

  constructor(now: () => number) {
    this.now = now
  }

  nextId(): number {
    return ++this.#lastId
  }

  groupId(): number {
    return -1_000_000_000_000 - this.nextId()
  }

  /** Unix time in seconds. */
  date(): number {
    return Math.floor(this.now() / 1_000)
  }

  addChat(info: ChatState['info'], closed: ChatState['closed'] = null): ChatState {
    const chat = { info, messages: [], lastId: 0, reactions: new Map(), actions: [], sentAt: [], closed }
    this.chats.set(info.id, chat)
    return chat
  }

  /** Groups count their messages themselves: the same id stands for different messages in two groups. */
  add(chat: ChatState, from: User, content: Partial<Message>): Message {
    const id = chat.info.type === 'private' ? ++this.#lastMessage : ++chat.lastId
    const message = { message_id: id, date: this.date(), chat: chat.info, from, ...content } as Message
    chat.messages.push(message)
    return message
  }

  happen(happening: Happening): void {
    const [kind = ''] = Object.keys(happening)
    const isWanted = this.allowed.length === 0 ? !UNASKED.has(kind) : this.allowed.includes(kind)
    if (!isWanted) return
    this.updates.push({ at: this.now(), update: { update_id: ++this.#lastUpdate, ...happening } })
    this.wake()
  }

  /** Updates before a positive offset are gone; a negative one leaves only so many of the newest. */
  take(offset: number, limit: number): Update[] {
    const fresh = this.updates.filter(({ at }) => this.now() - at < DAY_MS)
    this.updates = offset < 0 ? fresh.slice(offset) : fresh.filter(({ update }) => update.update_id >= offset)
    return this.updates.slice(0, limit).map(({ update }) => update)
  }

  store(
    bytes: Uint8Array,
    { folder, ending, size = bytes.length }: { folder: string; ending: string; size?: number },
  ): StoredFile {
    const number = this.nextId()
    const file = { id: `file-${number}`, path: `${folder}/file_${number}${ending}`, bytes, size }
    this.files.set(file.id, file)
    return file
  }

  /** A chat that the bot may write to now. */
  open(chatId: number | string): ChatState {
    const chat = this.chats.get(Number(chatId))
    if (chat === undefined || chat.closed === 'not begun')
      throw new BotError(400, 'Bad Request: chat not found')
    if (chat.movedTo !== undefined)
      throw new BotError(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: chat.movedTo,
      })
    if (chat.closed === 'blocked') throw new BotError(403, 'Forbidden: bot was blocked by the user')
    if (chat.closed === 'kicked')
      throw new BotError(403, 'Forbidden: bot was kicked from the supergroup chat')
    return chat
  }

  /** Counts a message of the bot; groups take only so many a minute. */
  countSent({ info, sentAt }: ChatState): void {
    const now = this.now()
    while (sentAt[0] !== undefined && now - sentAt[0] >= GROUP_WINDOW_MS) sentAt.shift()
    if (info.type !== 'private' && sentAt.length >= GROUP_MESSAGES_MAX)
      throw tooMany(Math.ceil(((sentAt[0] ?? now) + GROUP_WINDOW_MS - now) / 1_000))
    sentAt.push(now)
  }

  /** What Telegram finds in a text that somebody typed. */
  typedEntities(text: string): MessageEntity[] {
    return Array.from(
      text.matchAll(/(?<![\w/@])(?:@\w{5,32}|\/\w{1,32}(?:@\w{5,32})?)/g),
      ({ 0: found, index }) => ({
        type: found.startsWith('@') ? 'mention' : 'bot_command',
        offset: index,
        length: found.length,
      }),
    )
  }
}

export function tooMany(seconds: number): BotError {
  return new BotError(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })
}
