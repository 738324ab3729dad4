import { Api, GrammyError, HttpError, InputFile } from 'grammy'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { telegramPieces } from '../../../src/channel/render/telegram.ts'
import { formatted } from './formatted.ts'
import { startTelegram, type TelegramStandIn } from './server.ts'

let telegram: TelegramStandIn
let api: Api
let now: number

beforeEach(async () => {
  now = Date.UTC(2026, 10, 16)
  telegram = await startTelegram(() => now)
  api = new Api(telegram.token, { apiRoot: telegram.url })
})
afterEach(() => telegram.close())

/** What a refused call says. */
const refusal = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'accepted',
    (error: unknown) =>
      error instanceof GrammyError ? `${error.error_code} ${error.description}` : String(error),
  )
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const texts = async (offset?: number, limit?: number): Promise<(string | undefined)[]> => {
  const updates = await api.getUpdates({ ...(offset && { offset }), ...(limit && { limit }) })
  return updates.map(({ message }) => message?.text)
}
const kinds = async (allowed: 'message_reaction'[]): Promise<string[]> =>
  (await api.getUpdates({ allowed_updates: allowed })).flatMap((update) => Object.keys(update).slice(1))
const download = async (fileId: string): Promise<string> => {
  const { file_path: path } = await api.getFile(fileId)
  return (await fetch(`${telegram.url}/file/bot${telegram.token}/${path}`)).text()
}

describe('a client of grammY', () => {
  test('reads a message, answers it, and the person sees the answer', async () => {
    const anna = telegram.person('Anna')
    const hello = anna.writes('/start hello @mainstem_bot')
    const [update] = await api.getUpdates()
    expect(update?.message).toMatchObject({
      text: '/start hello @mainstem_bot',
      from: { first_name: 'Anna' },
      chat: { id: anna.id, type: 'private' },
      entities: [
        { type: 'bot_command', offset: 0, length: 6 },
        { type: 'mention', offset: 13, length: 13 },
      ],
    })
    await api.sendChatAction(anna.id, 'typing')
    expect(anna.isTyping()).toBe(true)
    await api.setMessageReaction(anna.id, update?.message?.message_id ?? 0, [{ type: 'emoji', emoji: '👀' }])
    await api.sendMessage(anna.id, 'Hello <b>Anna</b> &amp; all', { parse_mode: 'HTML' })
    expect(anna.texts()).toEqual(['Hello Anna & all'])
    expect(anna.last().entities).toEqual([{ type: 'bold', offset: 6, length: 4 }])
    expect(anna.isTyping()).toBe(false)
    expect(anna.reactionsTo(hello)).toEqual(['👀'])
  })

  test('knows who it is, and loses its place with another token', async () => {
    expect(await api.getMe()).toMatchObject({ is_bot: true, username: 'mainstem_bot' })
    expect(await refusal(new Api('1:wrong', { apiRoot: telegram.url }).getMe())).toBe('401 Unauthorized')
  })

  test('sends a long answer in pieces that all arrive', async () => {
    const anna = telegram.person('Anna')
    anna.writes('hi')
    const answer = Array.from({ length: 400 }, (_, index) => `- **Point ${index}** & \`code\` <tag>`).join(
      '\n',
    )
    for (const { html } of telegramPieces(answer))
      await api.sendMessage(anna.id, html, { parse_mode: 'HTML' })
    expect(anna.texts().join('\n')).toBe(
      Array.from({ length: 400 }, (_, index) => `• Point ${index} & code <tag>`).join('\n'),
    )
  })
})

describe('updates', () => {
  test('come again until a higher offset was asked for', async () => {
    const anna = telegram.person('Anna')
    for (const text of ['one', 'two', 'three']) anna.writes(text)
    expect(await texts(undefined, 2)).toEqual(['one', 'two'])
    const [first] = await api.getUpdates()
    expect(await texts((first?.update_id ?? 0) + 1)).toEqual(['two', 'three'])
    expect(await texts()).toEqual(['two', 'three'])
    expect(await texts(-1)).toEqual(['three'])
    expect(await texts()).toEqual(['three'])
    now += 86_400_000
    expect(await texts()).toEqual([])
  })

  test('may bring the same message twice', async () => {
    const anna = telegram.person('Anna')
    anna.repeats(anna.writes('one'))
    const ids = (await api.getUpdates()).map(({ update_id: id, message }) => [id, message?.message_id])
    expect(ids[0]?.[1]).toBe(ids[1]?.[1])
    expect(ids[0]?.[0]).not.toBe(ids[1]?.[0])
  })

  test('come again after an answer that was lost', async () => {
    telegram.person('Anna').writes('one')
    telegram.will('getUpdates', 'drop-after')
    await expect(api.getUpdates()).rejects.toThrow(HttpError)
    expect(await texts()).toEqual(['one'])
  })

  test('wake a poller that waits', async () => {
    const waiting = api.getUpdates({ timeout: 50 })
    await expect.poll(() => telegram.count('getUpdates')).toBe(1)
    telegram.person('Anna').writes('now')
    expect(await waiting).toMatchObject([{ message: { text: 'now' } }])
  })

  test('go to the newer of two pollers; the older one is told', async () => {
    const older = refusal(api.getUpdates({ timeout: 50 }))
    await expect.poll(() => telegram.count('getUpdates')).toBe(1)
    const newer = api.getUpdates({ timeout: 50 })
    expect(await older).toBe(
      '409 Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    )
    telegram.person('Anna').writes('hi')
    expect(await newer).toHaveLength(1)
  })

  test('tell of edits; of reactions only when asked for; of deletions never', async () => {
    const anna = telegram.person('Anna')
    const message = anna.writes('teh')
    anna.edits(message, 'the')
    anna.reacts(message, '👍')
    anna.deletes(message)
    expect(await kinds(['message_reaction'])).toEqual(['message', 'edited_message'])
    anna.reacts(message, '👍')
    expect(await kinds(['message_reaction'])).toEqual(['message', 'edited_message', 'message_reaction'])
  })
})

describe('messages', () => {
  test('that Telegram refuses are refused in its words', async () => {
    const anna = telegram.person('Anna')
    expect(await refusal(api.sendMessage(anna.id, 'hi'))).toBe('400 Bad Request: chat not found')
    const { message_id: hers } = anna.writes('hi')
    const { message_id: id } = await api.sendMessage(anna.id, 'one')
    const long = 'a'.repeat(4_097)
    expect(await refusal(api.sendMessage(anna.id, long))).toBe('400 Bad Request: message is too long')
    expect(await refusal(api.editMessageText(anna.id, id, long))).toBe('400 Bad Request: MESSAGE_TOO_LONG')
    expect(await refusal(api.sendMessage(anna.id, ' \u200B'))).toBe('400 Bad Request: message text is empty')
    expect(await refusal(api.editMessageText(anna.id, id, 'one'))).toMatch(
      /^400 Bad Request: message is not modified/,
    )
    expect(await refusal(api.editMessageText(anna.id, hers, 'x'))).toBe(
      "400 Bad Request: message can't be edited",
    )
    expect(await refusal(api.editMessageText(anna.id, 99, 'x'))).toBe(
      '400 Bad Request: message to edit not found',
    )
    expect(await refusal(api.sendMessage(anna.id, '<b>', { parse_mode: 'HTML' }))).toBe(
      `400 Bad Request: can't parse entities: Can't find end tag corresponding to start tag "b"`,
    )
    expect(await refusal(api.sendMessage(anna.id, 'x', { reply_parameters: { message_id: 99 } }))).toBe(
      '400 Bad Request: message to be replied not found',
    )
    expect(await refusal(api.setMyCommands([{ command: 'check-mail', description: 'x' }]))).toBe(
      '400 Bad Request: BOT_COMMAND_INVALID',
    )
    await api.deleteMessage(anna.id, id)
    expect(anna.texts()).toEqual([])
  })

  test('are stopped by a person who blocks the bot and by a group that removes it', async () => {
    const anna = telegram.person('Anna')
    const group = telegram.group('Family')
    anna.writes('hi')
    anna.blocksBot()
    group.removesBot(anna)
    anna.writes('is it gone?', group)
    const updates = await api.getUpdates()
    expect(updates.map(({ my_chat_member: change }) => change?.new_chat_member.status)).toEqual([
      undefined,
      'kicked',
      'kicked',
    ])
    expect(await refusal(api.sendMessage(anna.id, 'hi'))).toBe('403 Forbidden: bot was blocked by the user')
    expect(await refusal(api.sendMessage(group.id, 'hi'))).toMatch(/^403 Forbidden: bot was kicked/)
  })

  test('to a group are twenty a minute', async () => {
    const group = telegram.group('Family')
    for (let count = 0; count < 20; count++) await api.sendMessage(group.id, `${count}`)
    now += 20_000
    const error = await api.sendMessage(group.id, 'more').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ error_code: 429, parameters: { retry_after: 40 } })
    now += 40_000
    await api.sendMessage(group.id, 'more')
    expect(group.texts()).toHaveLength(21)
  })

  test('carry buttons, which work until they are answered too late', async () => {
    const anna = telegram.person('Anna')
    anna.writes('hi')
    const reply_markup = { inline_keyboard: [[{ text: 'Yes', callback_data: 'key' }]] }
    const question = await api.sendMessage(anna.id, 'Sure?', { reply_markup })
    const tap = anna.taps(anna.last(), 'Yes')
    const [, update] = await api.getUpdates()
    expect(update?.callback_query).toMatchObject({
      data: 'key',
      message: { message_id: question.message_id },
    })
    await api.answerCallbackQuery(tap.id, { text: 'Done' })
    expect(tap.answer).toEqual({ text: 'Done' })
    now += 16_000
    expect(await refusal(api.answerCallbackQuery(tap.id))).toMatch(/^400 Bad Request: query is too old/)
    await api.editMessageText(anna.id, question.message_id, 'Sure!')
    expect(anna.last().reply_markup).toBeUndefined()
    const data = { inline_keyboard: [[{ text: 'Yes', callback_data: 'k'.repeat(65) }]] }
    expect(await refusal(api.sendMessage(anna.id, 'x', { reply_markup: data }))).toMatch(
      /BUTTON_DATA_INVALID/,
    )
  })
})

describe('groups', () => {
  test('number their messages themselves, and name who wrote and what was replied to', async () => {
    const [anna, ben] = [telegram.person('Anna'), telegram.person('Ben')]
    const [family, work] = [telegram.group('Family'), telegram.group('Work')]
    const first = anna.writes('@mainstem_bot hi', family)
    const other = ben.writes('hi', work)
    expect(first.message_id).toBe(other.message_id)
    await api.sendMessage(family.id, 'Hello.', { reply_parameters: { message_id: first.message_id } })
    expect(family.last().reply_to_message?.text).toBe('@mainstem_bot hi')
    ben.replies(family.last(), 'and me?', 'Hello')
    const last = (await api.getUpdates()).at(-1)?.message
    expect(last).toMatchObject({
      from: { first_name: 'Ben' },
      chat: { id: family.id, title: 'Family' },
      reply_to_message: { text: 'Hello.', from: { id: telegram.world.bot.id } },
      quote: { text: 'Hello', position: 0 },
    })
  })

  test('have topics, whose messages reply to the beginning of the topic', async () => {
    const anna = telegram.person('Anna')
    const forum = telegram.forum('Club')
    const [trips, books] = [forum.topic('Trips'), forum.topic('Books')]
    anna.writes('where to?', trips)
    const [update] = await api.getUpdates()
    expect(update?.message).toMatchObject({
      message_thread_id: trips.thread,
      is_topic_message: true,
      reply_to_message: { forum_topic_created: { name: 'Trips' } },
    })
    await api.sendMessage(forum.id, 'Porto.', { message_thread_id: trips.thread as number })
    expect([trips.texts(), books.texts(), forum.texts()]).toEqual([['Porto.'], [], []])
    expect(await refusal(api.sendMessage(forum.id, 'x', { message_thread_id: 99 }))).toBe(
      '400 Bad Request: message thread not found',
    )
  })
})

describe('files', () => {
  test('that people send are downloaded, up to 20 MB', async () => {
    const anna = telegram.person('Anna')
    anna.sends({ photo: { bytes: bytes('picture') } }, { caption: 'look' })
    anna.sends({ voice: { bytes: bytes('sound') } })
    anna.sends({ document: { bytes: bytes('text'), size: 21 * 2 ** 20 }, name: 'a.txt', type: 'text/plain' })
    const [photo, voice, document] = (await api.getUpdates()).map(({ message }) => message)
    expect(photo?.caption).toBe('look')
    expect(await download(photo?.photo?.at(-1)?.file_id ?? '')).toBe('picture')
    expect(await download(voice?.voice?.file_id ?? '')).toBe('sound')
    expect(await refusal(api.getFile(document?.document?.file_id ?? ''))).toBe(
      '400 Bad Request: file is too big',
    )
    expect(telegram.count('file')).toBe(2)
  })

  test('of an album come as several messages with the same mark', async () => {
    const photo = { photo: { bytes: bytes('picture') } }
    telegram.person('Anna').sendsAlbum([photo, photo, photo], { caption: 'Porto' })
    const messages = (await api.getUpdates()).map(({ message }) => message)
    expect(new Set(messages.map((message) => message?.media_group_id)).size).toBe(1)
    expect(messages.map((message) => message?.caption)).toEqual(['Porto', undefined, undefined])
  })

  test('that the bot sends reach the person', async () => {
    const anna = telegram.person('Anna')
    anna.writes('hi')
    await api.sendPhoto(anna.id, new InputFile(bytes('picture'), 'p.png'), {
      caption: '[<b>a</b>]',
      parse_mode: 'HTML',
    })
    await api.sendDocument(anna.id, new InputFile(bytes('words'), 'w.txt'))
    const { voice } = await api.sendVoice(anna.id, new InputFile(bytes('sound'), 'v.ogg'))
    const [photo, document] = anna.fromBot()
    expect(photo).toMatchObject({ caption: '[a]', caption_entities: [{ type: 'bold' }] })
    expect(document?.document?.file_name).toBe('w.txt')
    expect(await download(voice.file_id)).toBe('sound')
    const caption = 'a'.repeat(1_025)
    expect(await refusal(api.sendPhoto(anna.id, new InputFile(bytes('p')), { caption }))).toMatch(
      /caption is too long/,
    )
  })
})

describe('faults', () => {
  test('hit before or after the effect, as the test says', async () => {
    const anna = telegram.person('Anna')
    anna.writes('hi')
    const gate = Promise.withResolvers<void>()
    telegram.will('sendMessage', 'drop-before', 'drop-after', 'bad-gateway', 'html-page', {
      after: gate.promise,
    })
    await expect(api.sendMessage(anna.id, 'one')).rejects.toThrow(HttpError)
    expect(anna.texts()).toEqual([])
    await expect(api.sendMessage(anna.id, 'two')).rejects.toThrow(HttpError)
    expect(anna.texts()).toEqual(['two'])
    expect(await refusal(api.sendMessage(anna.id, 'three'))).toBe('502 Bad Gateway')
    await expect(api.sendMessage(anna.id, 'four')).rejects.toThrow(HttpError)
    const held = api.sendMessage(anna.id, 'five')
    await expect.poll(() => anna.texts()).toEqual(['two', 'five'])
    gate.resolve()
    await held
  })

  test('tell when to come back, in the body and in a header', async () => {
    telegram.will('getMe', { retryAfter: 7 })
    const response = await fetch(`${telegram.url}/bot${telegram.token}/getMe`)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await response.json()).toEqual({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 7',
      parameters: { retry_after: 7 },
    })
  })

  test('are a server that cannot be reached, until it can', async () => {
    telegram.isDown = true
    await expect(api.getMe()).rejects.toThrow(HttpError)
    telegram.isDown = false
    await api.getMe()
  })
})

describe('HTML', () => {
  test.each([
    ['<p>a</p>', 'Unsupported start tag "p" at byte offset 0'],
    ['é<b', 'Unclosed start tag at byte offset 2'],
    ['a</b>', 'Unexpected end tag at byte offset 1'],
    ['<b><i>a</b></i>', 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
    ['<a href>x</a>', 'Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0'],
    ['<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
  ])('%s is refused', (html, reason) =>
    expect(() => formatted(html, 'HTML')).toThrow(`Bad Request: can't parse entities: ${reason}`),
  )

  test.each([
    ['<b>a</B>', 'a', ['bold']],
    ['<pre><code class="language-ts">a</code></pre>', 'a', ['pre']],
    ['&lt;&amp&quot;&nbsp;&#x1F600;', '<&"&nbsp;😀', []],
    ['<a href="https://a.example">x</a> <a href="javascript:x">y</a>', 'x y', ['text_link']],
    ['<blockquote>a <blockquote>b</blockquote></blockquote>', 'a b', ['blockquote']],
    ['<code>a <b>b</b></code>', 'a b', ['code']],
    ['  a\tb\r\n\u202E ', 'a b', []],
  ])('%j shows as %j with the looks %j', (html, text, looks) => {
    const shown = formatted(html, 'HTML')
    expect([shown.text, shown.entities.map(({ type }) => type)]).toEqual([text, looks])
  })
})
