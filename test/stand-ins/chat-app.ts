import {
  ChannelError,
  type Channel,
  type Door,
  type Outgoing,
  type SentPart,
} from '../../src/channel/channel.ts'

export interface AppMessage {
  readonly id: string
  readonly conversation: string
  text: string
  isMarked: boolean
  buttons: readonly { readonly label: string; readonly key: string }[]
  readonly replyTo: string | undefined
}

/**
 * What the platform does with a request. `lost`: nothing was done, and nobody knows; `hidden`: it was done, and nobody
 * knows. A number: too many requests, wait so many milliseconds.
 */
export type Fate = 'taken' | 'down' | 'refused' | 'lost' | 'hidden' | number

type Request = 'send' | 'edit' | 'remove' | 'type'

const MARK = '(again)'

/** A small chat app: messages with a limit, edits, buttons and typing, and a fate for every request. */
export class ChatApp {
  messages: AppMessage[] = []
  readonly requests: Request[] = []
  charsMax = 4_000
  everyMs = 1_000
  paceMs = 0
  fate: (request: Request, text: string) => Fate = () => 'taken'
  door: Door | undefined
  commands: readonly string[] = []
  #last = 0

  texts(conversation: string): string[] {
    return this.messages
      .filter((message) => message.conversation === conversation)
      .map(({ text, isMarked }) => (isMarked ? `${MARK} ${text}` : text))
  }

  /** For one process: a dead one asks for nothing any more. */
  channel(beforeRequest: () => void = () => undefined): Channel {
    const asked = <T>(request: Request, text: string, act: () => T): T => {
      beforeRequest()
      return this.#ask(request, text, act)
    }
    return {
      name: 'app',
      canAsk: true,
      can: { buttons: true },
      start: async (door) => void (this.door = door),
      stop: async () => void (this.door = undefined),
      send: (message, note) => this.#send(message, note, asked),
      preview: {
        everyMs: () => this.everyMs,
        begin: async (conversation, text, replyTo) =>
          asked('send', text, () => this.#post({ conversation, text: this.#cut(text), replyTo })),
        grow: async (_, id, text) => asked('edit', text, () => void this.#edit(id, this.#cut(text))),
        remove: async (_, id) =>
          asked('remove', '', () => void (this.messages = this.messages.filter((one) => one.id !== id))),
      },
      typing: async () => asked('type', '', () => undefined),
      paceMs: () => this.paceMs,
      menu: async ({ everybody }) => void (this.commands = everybody.map(({ name }) => name)),
    }
  }

  async #send(
    { conversation, text, choices, isAgain, replaces, sent = [], replyTo }: Outgoing,
    note: (part: SentPart) => Promise<void>,
    asked: <T>(request: Request, text: string, act: () => T) => T,
  ): Promise<string> {
    const parts = this.#split(text)
    const buttons = choices.flatMap(({ label, key }) => (key === undefined ? [] : { label, key }))
    let id = sent.at(-1) ?? ''
    for (const [index, part] of parts.entries()) {
      if (index < sent.length) continue
      const last = index === parts.length - 1 ? buttons : []
      const shown = replaces !== undefined && index === 0 && this.messages.find((one) => one.id === replaces)
      const isMarked = isAgain && index === sent.length
      id = shown
        ? asked('edit', part, () => this.#edit(shown.id, part, last))
        : asked('send', part, () =>
            this.#post({ conversation, text: part, replyTo, isMarked, buttons: last }),
          )
      if (index < parts.length - 1) await note({ id })
    }
    return id
  }

  #ask<T>(request: Request, text: string, act: () => T): T {
    this.requests.push(request)
    const fate = this.fate(request, text)
    if (typeof fate === 'number')
      throw new ChannelError('too many requests', { isFinal: false, retryAfterMs: fate })
    if (fate === 'down') throw new ChannelError('the app is down', { isFinal: false })
    if (fate === 'refused') throw new ChannelError('the app refuses it', { isFinal: true })
    if (fate === 'lost') throw new ChannelError('no answer', { isFinal: false, isHidden: true })
    const done = act()
    if (fate === 'hidden') throw new ChannelError('no answer', { isFinal: false, isHidden: true })
    return done
  }

  #post(message: Pick<AppMessage, 'conversation' | 'text' | 'replyTo'> & Partial<AppMessage>): string {
    const id = `a${++this.#last}`
    this.messages.push({ isMarked: false, buttons: [], ...message, id })
    return id
  }

  #edit(id: string, text: string, buttons: AppMessage['buttons'] = []): string {
    const message = this.messages.find((one) => one.id === id)
    if (message === undefined) throw new ChannelError('there is no such message', { isFinal: true })
    Object.assign(message, { text, buttons })
    return id
  }

  #cut(text: string): string {
    return text.slice(0, this.charsMax)
  }

  #split(text: string): string[] {
    const parts = text.match(new RegExp(`[\\s\\S]{1,${this.charsMax}}`, 'gu'))
    return parts === null ? [''] : [...parts]
  }
}
