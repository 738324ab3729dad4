import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Arrival } from '../../src/channel/channel.ts'
import { outgoing, telegramStage, type TelegramStage } from './stage.ts'

let stage: TelegramStage
beforeEach(async () => {
  stage = await telegramStage()
})
afterEach(() => stage.close())

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const photo = (text: string) => ({ photo: { bytes: bytes(text) } })
const noNote = async (): Promise<void> => undefined

const kinds = (): string[] => stage.door.states.map(({ kind }) => kind)

/** What arrived, once there is so much of it. */
async function arrived(count: number): Promise<readonly Arrival[]> {
  await expect.poll(() => stage.door.arrivals.length).toBe(count)
  return stage.door.arrivals
}

async function contentOf({ files = [] }: Arrival): Promise<string[]> {
  const signal = new AbortController().signal
  return Promise.all(files.map(async (file) => Buffer.from(await file.fetch(signal, 1_000)).toString()))
}

describe('a private chat', () => {
  test('brings messages with their sender and their id', async () => {
    await stage.open()
    const anna = stage.telegram.person('Anna')
    const { message_id: id } = anna.writes('hello')
    expect(await arrived(1)).toEqual([
      {
        channel: 'telegram',
        conversation: `${anna.id}`,
        user: `${anna.id}`,
        userName: 'Anna',
        messageId: `${id}`,
        text: 'hello',
      },
    ])
  })

  test.each([
    ['/new', '/new'],
    ['/new@mainstem_bot now', '/new now'],
    ['/new@Mainstem_Bot', '/new'],
    ['/check_mail', '/check-mail'],
    ['/start', '/help'],
    ['/mark my_mark', '/mark my_mark'],
    ['/new@other_bot', '/new@other_bot'],
    ['/usr/local_bin is full', '/usr/local_bin is full'],
    ['//new', '//new'],
    ['@mainstem_bot, /new', '/new'],
    ['@mainstem_bots are many', '@mainstem_bots are many'],
    ['first\n/check_mail@mainstem_bot', 'first\n/check-mail'],
  ])('%j is read as %j', async (typed, read) => {
    await stage.open()
    stage.telegram.person('Anna').writes(typed)
    await arrived(1)
    expect(stage.door.texts).toEqual([read])
  })

  test('brings edits, and not where somebody on their way is', async () => {
    await stage.open()
    const anna = stage.telegram.person('Anna')
    const message = anna.writes('teh')
    anna.edits(message, 'the')
    const picture = anna.sends(photo('a'), { caption: 'lok' })
    anna.edits(picture, 'look')
    await expect
      .poll(() => stage.door.edits)
      .toEqual([
        { messageId: `${message.message_id}`, text: 'the' },
        { messageId: `${picture.message_id}`, text: 'look' },
      ])
  })

  test('brings what is replied to, with its text, or the part that was marked', async () => {
    const channel = await stage.open()
    const anna = stage.telegram.person('Anna')
    anna.writes('hi')
    await arrived(1)
    const id = await channel.send(outgoing(anna.id, 'Porto or Faro?'), noNote)
    anna.replies(anna.last(), 'the first')
    anna.replies(anna.last(), 'this', 'Faro')
    const [, reply, quote] = await arrived(3)
    expect(reply?.replyTo).toEqual({ messageId: id, text: 'Porto or Faro?' })
    expect(quote?.replyTo).toEqual({ messageId: id, text: 'Faro' })
  })

  test('[SAFE5] marks what was forwarded, which is never read as a command', async () => {
    await stage.open()
    const anna = stage.telegram.person('Anna')
    anna.forwards('/start@mainstem_bot', stage.telegram.person('Ben'))
    const [forward] = await arrived(1)
    expect(forward).toMatchObject({
      isForwarded: true,
      text: '',
      passedOn: [{ name: 'forwarded from Ben', text: '/start@mainstem_bot' }],
    })
  })

  test('[SAFE2] brings pictures, voice notes and documents, which are fetched only when somebody wants them', async () => {
    await stage.open()
    const anna = stage.telegram.person('Anna')
    anna.sends({ photo: { bytes: bytes('picture'.repeat(50)) } }, { caption: 'look' })
    anna.sends({ voice: { bytes: bytes('sound') } })
    // Others may speak in it, so it is no voice note.
    anna.sends({ audio: { bytes: bytes('podcast') }, name: 'podcast.mp3' })
    anna.sends({ document: { bytes: bytes('words') }, name: 'a.txt', type: 'text/plain' })
    anna.sends({ document: { bytes: bytes('scan') }, name: 'a.png', type: 'image/png' })
    const all = await arrived(5)
    expect(stage.telegram.count('getFile')).toBe(0)
    expect(
      all.map(({ text, files }) => [text, files?.[0]?.kind, files?.[0]?.name, files?.[0]?.size]),
    ).toEqual([
      ['look', 'image', null, 350],
      ['', 'voice', null, 5],
      ['', 'document', 'podcast.mp3', 7],
      ['', 'document', 'a.txt', 5],
      ['', 'image', 'a.png', 4],
    ])
    expect(await Promise.all(all.map(contentOf))).toEqual([
      ['picture'.repeat(50)],
      ['sound'],
      ['podcast'],
      ['words'],
      ['scan'],
    ])
  })

  test('tries again to fetch a file after a short break of the network', async () => {
    await stage.open()
    stage.telegram.person('Anna').sends({ voice: { bytes: bytes('sound') } })
    const [note] = await arrived(1)
    stage.telegram.will('getFile', 'bad-gateway', { retryAfter: 1 })
    stage.telegram.will('file', 'drop-before', 'html-page')
    expect(await contentOf(note as Arrival)).toEqual(['sound'])
  })

  test('fetches no file again soon if Telegram does not accept the token', async () => {
    await stage.open()
    stage.telegram.person('Anna').sends({ voice: { bytes: bytes('sound') } })
    const [note] = await arrived(1)
    stage.telegram.will('getFile', { code: 401, description: 'Unauthorized' })
    await expect(contentOf(note as Arrival)).rejects.toThrow('telegram.token')
  })

  test('refuses files that are too big, and never names the token', async () => {
    await stage.open()
    const anna = stage.telegram.person('Anna')
    anna.sends({ document: { bytes: bytes('a'), size: 21 * 2 ** 20 }, name: 'a' })
    anna.sends({ document: { bytes: bytes('x'.repeat(1_001)) }, name: 'b' })
    anna.sends({ document: { bytes: bytes('c') }, name: 'c' })
    const [big, long, broken] = await arrived(3)
    stage.telegram.will('file', { after: Promise.resolve() }, ...Array<'drop-before'>(5).fill('drop-before'))
    await expect(contentOf(big as Arrival)).rejects.toThrow(
      'Telegram refused it: Bad Request: file is too big',
    )
    await expect(contentOf(long as Arrival)).rejects.toThrow('The file is too big.')
    const error = await contentOf(broken as Arrival).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      message: 'The file could not be downloaded from Telegram.',
      isFinal: false,
    })
    expect(inspect(error, { depth: 9 })).not.toContain(stage.telegram.token)
  })

  test.each([
    [{ sticker: { emoji: '🎉' } }, '(a sticker: 🎉)'],
    [{ video: {}, caption: 'the sea' }, '(a video, which I cannot watch)\nthe sea'],
    [{ animation: {}, document: { file_id: '1' } }, '(an animation, which I cannot watch)'],
  ])('tells in words of %j', async (content, words) => {
    await stage.open()
    const anna = stage.telegram.person('Anna')
    anna.shares({ pinned_message: {} } as never)
    anna.shares(content as never)
    await arrived(1)
    expect(stage.door.texts).toEqual([words])
  })

  test.each([
    [{ location: { latitude: 41.15, longitude: -8.61 } }, 'location', '41.15, -8.61'],
    [
      {
        location: { latitude: 1, longitude: 2 },
        venue: { title: 'Café', address: 'Rua 1', location: { latitude: 1, longitude: 2 } },
      },
      'place',
      'Café\nRua 1\n1, 2',
    ],
    [{ contact: { first_name: 'Ben', phone_number: '+351 1' } }, 'contact', 'Ben +351 1'],
    [
      { poll: { question: 'Where?', options: [{ text: 'Porto' }, { text: 'Faro' }] } },
      'poll',
      'Where?\n- Porto\n- Faro',
    ],
  ])('[SAFE2] brings %j as what somebody else wrote', async (content, name, text) => {
    await stage.open()
    stage.telegram.person('Anna').shares(content as never)
    expect(await arrived(1)).toMatchObject([{ text: '', passedOn: [{ name, text }] }])
  })
})

describe('a group', () => {
  test('says which messages are for us: mentions, replies and commands', async () => {
    const channel = await stage.open()
    const group = stage.telegram.group('Family')
    const anna = stage.telegram.person('Anna')
    anna.writes('good morning', group)
    anna.writes('@Mainstem_bot what is for lunch?', group)
    anna.writes('ask @mainstem_bot', group)
    anna.writes('ask @other_bot', group)
    anna.writes('/status', group)
    anna.writes('/status@other_bot', group)
    anna.sends(photo('lunch'), { caption: 'this, @mainstem_bot?', place: group })
    await arrived(7)
    await channel.send(outgoing(group.id, 'Soup.'), noNote)
    anna.replies(group.last(), 'again?')
    const all = await arrived(8)
    expect(all.map(({ text, group: about }) => [text, about?.isForUs])).toEqual([
      ['good morning', false],
      ['what is for lunch?', true],
      ['ask @mainstem_bot', true],
      ['ask @other_bot', false],
      ['/status', true],
      ['/status@other_bot', false],
      ['this, @mainstem_bot?', true],
      ['again?', true],
    ])
    expect(all[0]).toMatchObject({
      conversation: `${group.id}`,
      user: `${anna.id}`,
      group: { title: 'Family' },
    })
  })

  test('with topics is a conversation for each topic, and its first message is no quote', async () => {
    const channel = await stage.open()
    const forum = stage.telegram.forum('Club')
    const trips = forum.topic('Trips')
    const anna = stage.telegram.person('Anna')
    anna.writes('where to?', trips)
    anna.writes('hello', forum)
    const [inTopic, general] = await arrived(2)
    expect(inTopic).toMatchObject({ conversation: `${forum.id}/${trips.thread}`, group: { isForUs: false } })
    expect(inTopic?.replyTo).toBeUndefined()
    expect(general?.conversation).toBe(`${forum.id}`)
    await channel.typing(inTopic?.conversation ?? '')
    expect([trips.isTyping(), forum.isTyping()]).toEqual([true, false])
    await channel.send(outgoing(inTopic?.conversation ?? '', 'Porto.'), noNote)
    anna.replies(trips.last(), 'why?')
    const [, , reply] = await arrived(3)
    expect(trips.texts()).toEqual(['Porto.'])
    expect(reply).toMatchObject({ replyTo: { text: 'Porto.' }, group: { isForUs: true } })
  })

  test('brings nothing of other bots and anonymous administrators', async () => {
    await stage.open()
    const group = stage.telegram.group('Family')
    const anna = stage.telegram.person('Anna')
    anna.shares({ text: 'by the group', sender_chat: group.chat.info }, group)
    anna.shares({ text: 'by a bot', from: { ...anna.user, is_bot: true } }, group)
    anna.writes('by me', group)
    await arrived(1)
    expect(stage.door.texts).toEqual(['by me'])
  })
})

describe('an album', () => {
  test('is one message with all its pictures and its caption', async () => {
    await stage.open()
    const anna = stage.telegram.person('Anna')
    const [first, second] = anna.sendsAlbum([photo('a'), photo('b'), photo('c')], { caption: 'Porto' })
    // A part that comes again.
    if (second !== undefined) anna.repeats(second)
    anna.writes('which one?')
    const [album] = await arrived(2)
    expect(album).toMatchObject({ text: 'Porto', messageId: `${first?.message_id}` })
    expect(await contentOf(album as Arrival)).toEqual(['a', 'b', 'c'])
    expect(stage.door.texts).toEqual(['Porto', 'which one?'])
  })

  test('may come in several polls, and other people do not wait for it', async () => {
    const gate = Promise.withResolvers<void>()
    await stage.open({
      sleep: async (ms, signal) => {
        if (ms < 1_000) return stage.pause(ms, signal)
        await gate.promise
      },
    })
    const anna = stage.telegram.person('Anna')
    const album = { media_group_id: '7' }
    anna.sends(photo('a'), { caption: 'Porto', more: album })
    await expect.poll(() => stage.telegram.count('getUpdates')).toBeGreaterThan(2)
    stage.telegram.person('Ben').writes('hello')
    await arrived(1)
    anna.sends(photo('b'), { more: album })
    const polls = stage.telegram.count('getUpdates')
    await expect.poll(() => stage.telegram.count('getUpdates')).toBeGreaterThan(polls + 1)
    gate.resolve()
    const [ben, whole] = await arrived(2)
    expect(ben?.text).toBe('hello')
    expect(await contentOf(whole as Arrival)).toEqual(['a', 'b'])
    await expect.poll(() => stage.telegram.world.updates).toEqual([])
  })

  test('that is not whole yet when the process stops comes again', async () => {
    const asleep = Promise.withResolvers<void>()
    const channel = await stage.open({
      sleep: (ms, signal) => {
        if (ms >= 1_000) asleep.resolve()
        return ms < 1_000 ? stage.pause(ms, signal) : stage.pause(1e9, signal)
      },
    })
    const anna = stage.telegram.person('Anna')
    anna.sendsAlbum([photo('a'), photo('b')])
    await asleep.promise
    await channel.stop()
    expect(stage.door.arrivals).toEqual([])
    await stage.open()
    const [album] = await arrived(1)
    expect(album?.files).toHaveLength(2)
  })
})

describe('[RECV1] Telegram forgets an update', () => {
  test('only when it is durable', async () => {
    const gate = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    stage.door.hold = () => {
      held.resolve()
      return gate.promise
    }
    const channel = await stage.open()
    stage.telegram.person('Anna').writes('hello')
    await held.promise
    const stopped = channel.stop()
    gate.resolve()
    await stopped
    expect(stage.door.texts).toEqual(['hello'])
    expect(stage.telegram.world.updates).toHaveLength(1)
    await stage.open()
    await expect.poll(() => stage.telegram.world.updates).toEqual([])
    expect(stage.door.texts).toEqual(['hello'])
  })

  test('and a slow one keeps only its own conversation waiting', async () => {
    const gate = Promise.withResolvers<void>()
    const [anna, ben] = [stage.telegram.person('Anna'), stage.telegram.person('Ben')]
    stage.door.hold = ({ text }) => (text === 'slow' ? gate.promise : undefined)
    await stage.open()
    for (const text of ['slow', 'second']) anna.writes(text)
    ben.writes('one')
    await arrived(1)
    ben.writes('two')
    await arrived(2)
    expect(stage.telegram.world.updates.length).toBeGreaterThanOrEqual(4)
    gate.resolve()
    await arrived(4)
    expect(stage.door.texts).toEqual(['one', 'two', 'slow', 'second'])
    await expect.poll(() => stage.telegram.world.updates).toEqual([])
  })

  test('however often the same message comes; the same number in another chat is another message', async () => {
    await stage.open()
    const anna = stage.telegram.person('Anna')
    const message = anna.writes('once')
    for (let count = 0; count < 4; count++) anna.repeats(message)
    const [family, work] = [stage.telegram.group('Family'), stage.telegram.group('Work')]
    anna.writes('here', family)
    anna.writes('there', work)
    const all = await arrived(3)
    expect(all[1]?.messageId).toBe(all[2]?.messageId)
    await expect.poll(() => stage.telegram.world.updates).toEqual([])
    expect(stage.door.texts).toEqual(['once', 'here', 'there'])
  })

  test('and an answer with updates that got lost is asked for again', async () => {
    stage.telegram.will('getUpdates', 'drop-after', 'html-page', 'bad-gateway')
    stage.telegram.person('Anna').writes('hello')
    await stage.open()
    await arrived(1)
    await expect.poll(() => stage.telegram.world.updates).toEqual([])
  })
})

describe('the connection', () => {
  test('is up after the first poll, and again when Telegram can be reached again', async () => {
    stage.telegram.isDown = true
    await stage.open()
    await expect.poll(() => kinds().at(-1)).toBe('down')
    expect(kinds().slice(0, 3)).toEqual(['connecting', 'connecting', 'connecting'])
    expect(stage.door.states.at(-1)).toMatchObject({
      why: 'Could not reach Telegram (ECONNRESET). Check your connection, and telegram.url if you set it.',
    })
    stage.telegram.person('Anna').writes('hello')
    stage.telegram.isDown = false
    await arrived(1)
    expect(kinds().at(-1)).toBe('up')
  })

  test('is taken by a second program: that is said, and tried again', async () => {
    await stage.open()
    await expect.poll(kinds).toEqual(['connecting', 'up'])
    await expect.poll(() => stage.telegram.count('getUpdates')).toBe(2)
    const other = fetch(`${stage.telegram.url}/bot${stage.telegram.token}/getUpdates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"timeout":50}',
    })
    await expect.poll(() => kinds().at(-1)).toBe('down')
    expect(stage.door.states.at(-1)).toMatchObject({
      why: 'Another program receives the messages of this bot. Stop it, or make a bot for each with @BotFather.',
    })
    expect((await other).status).toBe(409)
    const polls = stage.telegram.count('getUpdates')
    await expect.poll(() => stage.telegram.count('getUpdates')).toBeGreaterThan(polls)
    expect(kinds().at(-1)).toBe('down')
    stage.telegram.person('Anna').writes('hello')
    await expect.poll(() => kinds().at(-1)).toBe('up')
  })

  test('is refused while another program has a webhook', async () => {
    stage.telegram.world.webhook = 'https://other.example/hook'
    await stage.open()
    await expect.poll(() => kinds().at(-1)).toBe('down')
    expect(stage.door.states.at(-1)).toMatchObject({
      why: expect.stringContaining('Another program has set a webhook for this bot'),
    })
  })

  test('with a wrong token is refused, said and tried slowly; no state has the token in it', async () => {
    const token = '7000000001:AAH-wrong'
    await stage.open({ token })
    await expect.poll(() => kinds().at(-1)).toBe('down')
    expect(stage.door.states.at(-1)).toMatchObject({
      why: 'Telegram does not accept the token. Check telegram.token; @BotFather shows it with /mybots.',
    })
    expect(inspect(stage.door.states, { depth: 9 })).not.toContain('AAH')
  })
})
