import type { Api } from 'grammy'
import type { BotCommand, CallbackQuery, Message, UserFromGetMe } from 'grammy/types'
import { assert } from '../../base/assert.ts'
import {
  ChannelError,
  type Arrival,
  type Channel,
  type Door,
  type Menu,
  type MenuEntry,
  type Outgoing,
  type Preview,
  type SentPart,
} from '../channel.ts'
import { keepConnected, type Connection } from '../reconnect.ts'
import { arrivalOf, idOf, nameOf, type FetchFile } from './arrival.ts'
import { asChannelErrors, download, openApi, unreadable, type TelegramServer } from './client.ts'
import { conversationOf, GROUP_PACE_MS, isGroup, placeOf } from './place.ts'
import { Polling, type Taken } from './polling.ts'
import { Sending, type ReadFile } from './sending.ts'
import { isBot } from './update.ts'

export interface TelegramOptions
  extends TelegramServer, Pick<Connection, 'settings' | 'now' | 'random' | 'sleep'> {
  readonly readFile: ReadFile
  /** Told of a bug. */
  readonly fail: (error: unknown) => void
}

const MENU_MAX = 100
const HELP_MAX = 256
const TOAST_MAX = 200
const SEEN_MAX = 20
const SEEN_MS = 300
/** Pauses between tries to fetch a file. If Telegram asks for more than the maximum, the file is given up. */
const FETCH_PAUSES_MS = [1_000, 2_000, 5_000, 10_000]
const FETCH_PAUSE_MS_MAX = 30_000
/** Calls that are under way get this long to finish when we stop. */
const STOP_MS = 3_000
const SEEN = { type: 'emoji', emoji: '👀' } as const

/** A bot of the person's own on Telegram. It asks for messages again and again (long polling). */
export class Telegram implements Channel {
  readonly name = 'telegram'
  readonly canAsk = true
  readonly can = { buttons: true, files: true } as const
  readonly preview: Preview
  readonly #options: TelegramOptions
  readonly #api: Api
  readonly #sending: Sending
  readonly #ending = new AbortController()
  /** Aborted a moment later. */
  readonly #over = new AbortController()
  /** Messages that nothing has answered yet, by conversation, and whether they have a reaction. */
  readonly #seen = new Map<string, Map<string, Promise<boolean>>>()
  /** Calls that nobody waits for, such as reactions. */
  readonly #asides = new Set<Promise<unknown>>()
  #bot: UserFromGetMe | undefined
  #menu: Menu | undefined
  /** Users whose chat has the owner's menu. */
  readonly #withMenu = new Set<string>()
  #attending: Promise<void> = Promise.resolve()

  constructor(options: TelegramOptions) {
    this.#options = options
    this.#api = openApi(options, this.#over.signal)
    this.#sending = new Sending(this.#api, options.readFile)
    this.preview = this.#sending.preview
  }

  async start(door: Door): Promise<void> {
    const { signal } = this.#ending
    const polling = new Polling({
      api: this.#api,
      sleep: this.#options.sleep,
      take: (taken) => this.#take(taken, door),
    })
    const attend = async (up: () => void): Promise<void> => {
      await this.#meet()
      await polling.attend(up, signal)
    }
    const state: Door['state'] = (now) =>
      door.state(
        now.kind === 'up' && this.#bot !== undefined ? { ...now, as: `@${this.#bot.username}` } : now,
      )
    this.#attending = keepConnected({ ...this.#options, attend, state }, signal)
      .catch(this.#options.fail)
      .then(() => polling.settled())
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    AbortSignal.timeout(STOP_MS).addEventListener('abort', () => this.#over.abort())
    await this.#attending
    await Promise.allSettled(this.#asides)
  }

  async send(message: Outgoing, note: (part: SentPart) => Promise<void>): Promise<string | null> {
    const id = await this.#sending.send(message, note)
    if (message.form !== 'ping' && message.form !== 'notice') this.#unsee(message)
    return id
  }

  async typing(conversation: string): Promise<void> {
    const { chat_id: chat, ...topic } = placeOf(conversation)
    await asChannelErrors(() => this.#api.sendChatAction(chat, 'typing', topic))
  }

  paceMs(conversation: string): number {
    return isGroup(conversation) ? GROUP_PACE_MS : 0
  }

  clearButtons(conversation: string, id: string): Promise<void> {
    return this.#sending.clearButtons(conversation, id)
  }

  async menu(menu: Menu): Promise<void> {
    this.#menu = menu
    if (this.#bot !== undefined) this.#showMenu(menu)
  }

  /** Groups and guests have the menu of everybody, and the owner another one in their own chats. */
  #showMenu({ everybody, owners, strangers }: Menu): void {
    this.#aside(this.#api.setMyCommands(menuOf(everybody)))
    const gone = [...this.#withMenu].filter((user) => !owners.includes(user))
    for (const user of new Set([...strangers, ...gone])) {
      this.#withMenu.delete(user)
      this.#aside(this.#api.deleteMyCommands({ scope: chatOf(user) }))
    }
    for (const user of owners) this.#showOwnerMenu(user)
  }

  /** Telegram refuses this until the person has written to the bot. */
  #showOwnerMenu(user: string): void {
    const { owner = [], owners = [] } = this.#menu ?? {}
    if (!owners.includes(user) || this.#withMenu.has(user)) return
    this.#withMenu.add(user)
    const shown = this.#api.setMyCommands(menuOf(owner), { scope: chatOf(user) })
    this.#aside(shown.catch(() => this.#withMenu.delete(user)))
  }

  /** Learns the bot's name, to recognise mentions of it. */
  async #meet(): Promise<void> {
    if (this.#bot !== undefined) return
    const bot = await asChannelErrors(() => this.#api.getMe(this.#ending.signal as never))
    this.#bot = isBot(bot) ? bot : unreadable()
    if (this.#menu !== undefined) this.#showMenu(this.#menu)
  }

  async #take({ album, edited_message: edited, callback_query: tap }: Taken, door: Door): Promise<void> {
    const bot = this.#bot
    assert(bot !== undefined, 'nothing is fetched before the bot is known')
    if (tap !== undefined) return this.#tapped(tap, door)
    const move = album && moveIn(album[0])
    if (move !== undefined) return door.moved({ channel: this.name, ...move })
    const said = album ?? (edited && ([edited] as const))
    // Other kinds of updates come as well, if they happened before the first poll.
    const arrival = said && arrivalOf(said, { bot, fetchFile: this.#fetchFile })
    if (arrival === undefined) return
    // Telegram sends the updates of a live location as edits. Those have no text.
    if (edited !== undefined && (edited.text ?? edited.caption) !== undefined) return door.edited(arrival)
    if (album === undefined) return
    const { kind, say, known } = await door.arrive(arrival)
    // A process that died may have taken some of it before the others came.
    const [next, ...rest] = known === undefined ? [] : album.filter((part) => !known.includes(idOf(part)))
    if (next !== undefined) return this.#take({ album: [next, ...rest] }, door)
    if (say !== undefined) this.#aside(this.#sending.say(arrival.conversation, say))
    if (kind === 'admitted') this.#see(arrival)
    this.#showOwnerMenu(arrival.conversation)
  }

  async #tapped({ id, from, message, data }: CallbackQuery, door: Door): Promise<void> {
    if (message === undefined || data === undefined) return this.#aside(this.#api.answerCallbackQuery(id))
    const { chat, message_id: number } = message
    const { kind, say } = await door.arrive({
      channel: this.name,
      conversation: conversationOf(message),
      user: `${from.id}`,
      userName: nameOf(from),
      messageId: `tap:${id}`,
      text: '',
      button: data,
      replyTo: { messageId: `${number}` },
      ...(chat.type !== 'private' && { group: { title: chat.title ?? '', isForUs: true } }),
    })
    const text = say?.slice(0, TOAST_MAX)
    this.#aside(this.#api.answerCallbackQuery(id, text === undefined ? {} : { text }))
    // In a group, anybody can tap: if the question was not for them, its buttons stay.
    const isOver = kind === 'done' || kind === 'admitted' || (kind === 'refused' && chat.type === 'private')
    if (isOver) this.#aside(this.#sending.clearButtons(`${chat.id}`, `${number}`))
  }

  /** A short break of the network must not cost somebody their photo. */
  readonly #fetchFile: FetchFile = (id) => async (signal, bytesMax) => {
    for (let tries = 0; ; tries++)
      try {
        return await download(this.#api, this.#options, { id, signal, bytesMax })
      } catch (error) {
        const pauseMs = FETCH_PAUSES_MS[tries]
        if (!(error instanceof ChannelError) || error.isFinal || pauseMs === undefined) throw error
        const waitMs = Math.max(pauseMs, error.retryAfterMs ?? 0)
        if (waitMs > FETCH_PAUSE_MS_MAX || signal.aborted) throw error
        await this.#options.sleep(waitMs, signal).catch(() => undefined)
      }
  }

  /** Shows that a message was seen, until something answers it. */
  #see({ conversation, messageId: id }: Arrival & { readonly messageId: string }): void {
    const seen = this.#seen.get(conversation) ?? new Map<string, Promise<boolean>>()
    this.#seen.set(conversation, seen)
    const [oldest] = seen.size < SEEN_MAX ? [] : seen.keys()
    if (oldest !== undefined) seen.delete(oldest)
    const shown = this.#react(conversation, id)
    seen.set(id, shown)
    this.#aside(shown)
  }

  /** Waits a moment: a quick answer needs no reaction. */
  async #react(conversation: string, id: string): Promise<boolean> {
    try {
      await this.#options.sleep(SEEN_MS, this.#ending.signal)
      if (this.#seen.get(conversation)?.has(id) !== true) return false
      return await this.#api.setMessageReaction(placeOf(conversation).chat_id, Number(id), [SEEN])
    } catch {
      // We are stopping, or this group allows no reactions.
      return false
    }
  }

  #unsee({ conversation, form, replyTo }: Outgoing): void {
    const { chat_id: chat } = placeOf(conversation)
    const seen = this.#seen.get(conversation) ?? new Map<string, Promise<boolean>>()
    // A process that died may have seen it.
    if (form === 'answer' && replyTo !== undefined && !seen.has(replyTo))
      seen.set(replyTo, Promise.resolve(true))
    this.#seen.delete(conversation)
    for (const [id, isShown] of seen)
      this.#aside(isShown.then((isTrue) => isTrue && this.#api.setMessageReaction(chat, Number(id), [])))
  }

  #aside(call: Promise<unknown>): void {
    const end = (): void => void this.#asides.delete(call)
    this.#asides.add(call)
    call.then(end, end)
  }
}

/** A group has become a supergroup: Telegram itself says so in both, and nobody can write such a message. */
function moveIn({ chat, migrate_to_chat_id: to, migrate_from_chat_id: from }: Message) {
  if (to !== undefined) return { conversation: `${chat.id}`, to: `${to}` }
  return from === undefined ? undefined : { conversation: `${from}`, to: `${chat.id}` }
}

/** The id of a private chat is that of its user. */
function chatOf(user: string) {
  return { type: 'chat', chat_id: Number(user) } as const
}

function menuOf(entries: readonly MenuEntry[]): BotCommand[] {
  return entries
    .map(({ name, help }) => ({
      command: name.replaceAll('-', '_'),
      description: help.slice(0, HELP_MAX),
    }))
    .filter(({ command, description }) => /^[a-z\d_]{1,32}$/.test(command) && description !== '')
    .slice(0, MENU_MAX)
}
