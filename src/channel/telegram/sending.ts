import { GrammyError, InputFile, type Api } from 'grammy'
import type { KeptFile } from '../../event/file.ts'
import type { Embed } from '../../event/work.ts'
import type { Outgoing, Preview, SentPart } from '../channel.ts'
import { telegramPieces, telegramText, type TelegramPiece } from '../render/telegram.ts'
import { asChannelErrors, refusalOf, unreadable } from './client.ts'
import { GROUP_PACE_MS, isGroup, placeOf, type Place } from './place.ts'
import { messageIdIn } from './update.ts'

export const AGAIN = '(again: it may have arrived before)'
/** Leaves room for the mark, so that a message is cut in the same places when it is sent again. */
const UNITS_MAX = 4_096 - AGAIN.length - 1
const EDITS_MS = 1_000
const LABEL_MAX = 64

/** How a message is shown, besides its text. */
interface Manner {
  readonly buttons?: Outgoing['choices']
  readonly isSilent?: boolean
  readonly replyTo?: string | undefined
}

export type ReadFile = (hash: string) => Promise<Uint8Array | undefined>

/** Writes messages. Each method rejects with a ChannelError. */
export class Sending {
  readonly #api: Api
  readonly #readFile: ReadFile

  constructor(api: Api, readFile: ReadFile) {
    this.#api = api
    this.#readFile = readFile
  }

  /** The id of the last part. */
  async send(message: Outgoing, note: (part: SentPart) => Promise<void>): Promise<string | null> {
    const { conversation, choices, form, isAgain, replaces, replyTo, files = [], sent = [] } = message
    const place = placeOf(conversation)
    const pieces = piecesOf(message)
    let last = sent.at(-1) ?? null
    for (const [index, part] of [...pieces, ...files].entries()) {
      if (index < sent.length) continue
      if (index > sent.length && last !== null) await note({ id: last })
      const isRepeat = isAgain && index === sent.length
      if ('hash' in part) {
        last = await this.#upload(place, { ...part, isRepeat })
        continue
      }
      const manner: Manner = {
        ...(index === pieces.length - 1 && { buttons: choices }),
        isSilent: form === 'notice',
        ...(index === 0 && { replyTo }),
      }
      const isPreview = index === 0 && replaces !== undefined
      const edited = isPreview && (await this.#edit(place, { id: replaces, piece: part, manner }))
      last = edited ? replaces : await this.#post(place, isRepeat ? marked(part) : part, manner)
    }
    return last
  }

  readonly preview: Preview = {
    everyMs: (conversation) => (isGroup(conversation) ? GROUP_PACE_MS : EDITS_MS),
    begin: (conversation, text, replyTo) => this.#post(placeOf(conversation), firstOf(text), { replyTo }),
    grow: async (conversation, id, text) => {
      await this.#edit(placeOf(conversation), { id, piece: firstOf(text), manner: {} })
    },
    remove: (conversation, id) =>
      asChannelErrors(async () => {
        try {
          await this.#api.deleteMessage(placeOf(conversation).chat_id, Number(id))
        } catch (error) {
          if (!/not found|can't be deleted/.test(refusalOf(error))) throw error
        }
      }),
  }

  clearButtons(conversation: string, id: string): Promise<void> {
    return asChannelErrors(async () => {
      try {
        await this.#api.editMessageReplyMarkup(placeOf(conversation).chat_id, Number(id))
      } catch (error) {
        if (!/not found|can't be edited|not modified/.test(refusalOf(error))) throw error
      }
    })
  }

  async say(conversation: string, text: string): Promise<void> {
    await this.#post(placeOf(conversation), firstOf(text), {})
  }

  async #post({ chat_id: chat, ...topic }: Place, piece: TelegramPiece, manner: Manner): Promise<string> {
    const { isSilent, replyTo = '' } = manner
    // In a private chat it is clear which message is answered.
    const isReply = chat < 0 && /^\d+$/.test(replyTo)
    const more = {
      ...topic,
      ...buttonsOf(manner),
      ...(isSilent === true && { disable_notification: true }),
      ...(isReply && {
        reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true },
      }),
    }
    const message = await shownAs(piece, (text, look) =>
      this.#api.sendMessage(chat, text, { ...more, ...look }),
    )
    return messageIdIn(message) ?? unreadable()
  }

  /** A picture that Telegram cannot show is sent as a file. */
  async #upload(place: Place, file: KeptFile & { readonly isRepeat: boolean }): Promise<string> {
    const { chat_id: chat, ...topic } = place
    const { hash, kind, name, isRepeat } = file
    const bytes = hash === null ? undefined : await this.#readFile(hash)
    const gone = firstOf(`(The file ${name} is not there any more.)`)
    if (bytes === undefined) return this.#post(place, isRepeat ? marked(gone) : gone, {})
    const input = (): InputFile => new InputFile(bytes, name)
    const more = { ...topic, ...(isRepeat && { caption: AGAIN }) }
    const message = await asChannelErrors(async () => {
      if (kind !== 'image') return this.#api.sendDocument(chat, input(), more)
      try {
        return await this.#api.sendPhoto(chat, input(), more)
      } catch (error) {
        if (!(error instanceof GrammyError) || ![400, 413].includes(error.error_code)) throw error
        return this.#api.sendDocument(chat, input(), more)
      }
    })
    return messageIdIn(message) ?? unreadable()
  }

  /** False: the message is gone. */
  async #edit(
    { chat_id: chat }: Place,
    { id, piece, manner }: { readonly id: string; readonly piece: TelegramPiece; readonly manner: Manner },
  ): Promise<boolean> {
    return shownAs(piece, async (text, look) => {
      try {
        await this.#api.editMessageText(chat, Number(id), text, { ...buttonsOf(manner), ...look })
      } catch (error) {
        if (/message to edit not found|message can't be edited/.test(refusalOf(error))) return false
        if (!refusalOf(error).includes('message is not modified')) throw error
      }
      return true
    })
  }
}

/** Previews of links are off: Telegram would fetch every address that a model writes. */
const PLAIN = { link_preview_options: { is_disabled: true } } as const

/** As HTML; if the server cannot read that, as plain text. */
function shownAs<Result>(
  { html, text }: TelegramPiece,
  show: (text: string, look: typeof PLAIN & { parse_mode?: 'HTML' }) => Promise<Result>,
): Promise<Result> {
  return asChannelErrors(async () => {
    try {
      return await show(html, { ...PLAIN, parse_mode: 'HTML' })
    } catch (error) {
      if (!refusalOf(error).includes("can't parse entities")) throw error
      return show(text, PLAIN)
    }
  })
}

function buttonsOf({ buttons = [] }: Manner) {
  const rows = buttons.flatMap(({ label, key }) =>
    key === undefined ? [] : [[{ text: label.slice(0, LABEL_MAX), callback_data: key }]],
  )
  return rows.length === 0 ? {} : { reply_markup: { inline_keyboard: rows } }
}

/** Sent for a text without a visible character, which Telegram would refuse. */
const NOTHING: TelegramPiece = { html: '…', text: '…' }

function piecesOf({ text, embed, files, form }: Outgoing): readonly TelegramPiece[] {
  // Only models write Markdown. In a question it could hide part of what is asked, such as the * of a command.
  const isPlain = embed === undefined && form !== 'answer' && form !== 'ping'
  const pieces = isPlain
    ? telegramText(text, UNITS_MAX)
    : telegramPieces(embed === undefined ? text : cardText(embed), UNITS_MAX)
  return pieces.length === 0 && files === undefined ? [NOTHING] : pieces
}

function firstOf(text: string): TelegramPiece {
  return telegramPieces(text, UNITS_MAX)[0] ?? NOTHING
}

function marked({ html, text }: TelegramPiece): TelegramPiece {
  return { html: `<i>${AGAIN}</i>\n${html}`, text: `${AGAIN}\n${text}` }
}

/** Telegram has no cards: a title in bold, and its fields as lines. */
function cardText({ title, description, fields = [] }: Embed): string {
  const lines = fields.map(({ name, value }) => `**${name}**: ${value}`)
  return [`**${title}**`, description, lines.join('\n')].filter(Boolean).join('\n\n')
}
