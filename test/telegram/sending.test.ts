import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ChannelError, type Outgoing } from '../../src/channel/channel.ts'
import type { Telegram } from '../../src/channel/telegram/telegram.ts'
import type { Person } from '../stand-ins/telegram/people.ts'
import { outgoing, telegramStage, type TelegramStage } from './stage.ts'

let stage: TelegramStage
let channel: Telegram
let anna: Person
beforeEach(async () => {
  stage = await telegramStage()
  channel = await stage.open()
  anna = stage.telegram.person('Anna')
  anna.writes('hi')
  await vi.waitUntil(() => stage.door.texts.length === 1)
})
afterEach(() => stage.close())

/** Sends it, and returns the ids of its parts. */
async function sent(message: Outgoing): Promise<(string | null)[]> {
  const noted: (string | null)[] = []
  const last = await channel.send(message, async ({ id }) => void noted.push(id))
  return [...noted, last]
}
const to = (text: string, more: Partial<Outgoing> = {}): Outgoing => outgoing(anna.id, text, more)
const ids = (): string[] => anna.fromBot().map(({ message_id: id }) => `${id}`)
const failure = (message: Outgoing): Promise<unknown> => sent(message).catch((error: unknown) => error)
const YES = { label: 'Yes', command: '/approve 1', key: 'k1' }

describe('a message', () => {
  test('is shown with its looks, and without previews of its links', async () => {
    expect(await sent(to('**Hello** & [you](https://a.example)'))).toEqual(ids())
    expect(anna.last()).toMatchObject({
      text: 'Hello & you (a.example)',
      entities: [{ type: 'bold' }, { type: 'text_link' }],
    })
    const call = stage.telegram.calls.find(({ method }) => method === 'sendMessage')
    expect(call?.params).toMatchObject({ link_preview_options: { is_disabled: true } })
  })

  test('that is long comes in parts, each noted before the next', async () => {
    const text = Array.from({ length: 900 }, (_, line) => `line ${line}`).join('\n')
    const parts = await sent(to(text, { choices: [YES] }))
    expect(parts).toEqual(ids())
    expect(parts.length).toBeGreaterThan(1)
    expect(anna.texts().join('\n')).toBe(text)
    expect(anna.fromBot().map(({ reply_markup: buttons }) => buttons !== undefined)).toEqual(
      parts.map((_, index) => index === parts.length - 1),
    )
  })

  test('that was cut off goes on behind its parts; what may have arrived is marked', async () => {
    const text = Array.from({ length: 900 }, (_, line) => `line ${line}`).join('\n')
    const [first] = await sent(to(text))
    const whole = anna.texts()
    const again = await sent(to(text, { sent: [first ?? ''], isAgain: true }))
    expect(anna.texts()).toEqual([
      ...whole,
      `(again: it may have arrived before)\n${whole[1]}`,
      ...whole.slice(2),
    ])
    expect(again).toEqual(ids().slice(whole.length))
  })

  test('whose HTML the server refuses is sent as plain text, once', async () => {
    const description = "Bad Request: can't parse entities: Unsupported start tag"
    stage.telegram.will('sendMessage', { code: 400, description })
    await sent(to('**Hello**'))
    expect(anna.texts()).toEqual(['Hello'])
    expect(anna.last().entities).toBeUndefined()
    stage.telegram.will('sendMessage', { code: 400, description }, { code: 400, description })
    expect(await failure(to('**Hello**'))).toMatchObject({ isFinal: true })
  })

  test('with a card is a text with a title and fields', async () => {
    const embed = { title: 'Train', description: 'to Porto', fields: [{ name: 'Track', value: '7' }] }
    await sent(to('Train to Porto', { embed, form: 'ping', number: 3 }))
    expect(anna.texts()).toEqual(['Train\n\nto Porto\n\nTrack: 7'])
  })

  test.each(['question', 'notice', 'output'] as const)('a %s of the host is shown as it is', async (form) => {
    const text =
      'Allow `run`?\n  rm *.txt *.md _x_\n  [safe](https://evil.example)\n\n[hidden]: https://evil.example'
    await sent(to(text, { form }))
    expect(anna.texts()).toEqual([text])
  })

  test('brings its files, pictures to look at; one that cannot be shown comes as a file', async () => {
    const kept = { mime: 'x', bytes: 1, hash: 'a'.repeat(64) }
    const files = [
      { ...kept, kind: 'image', name: 'sea.png' },
      { ...kept, kind: 'document', name: 'a.pdf' },
    ] as const
    expect(await sent(to('Here.', { files }))).toEqual(ids())
    stage.telegram.will('sendPhoto', { code: 400, description: 'Bad Request: IMAGE_PROCESS_FAILED' })
    await sent(to('', { files: [files[0]] }))
    await sent(to('', { files: [{ ...files[0], hash: null }] }))
    expect(
      anna.fromBot().map(({ text, photo, document }) => text ?? document?.file_name ?? photo?.length),
    ).toEqual(['Here.', 1, 'a.pdf', 'sea.png', '(The file sea.png is not there any more.)'])
  })

  test('that was cut off goes on with its files', async () => {
    const file = { kind: 'document', name: 'a', mime: 'x', bytes: 1, hash: 'a'.repeat(64) } as const
    const [first] = await sent(to('Here.', { files: [file, file] }))
    const again = await sent(to('Here.', { files: [file, file], sent: [first ?? ''], isAgain: true }))
    expect(again).toEqual(ids().slice(3))
    expect(anna.fromBot().map(({ caption }) => caption)).toEqual([
      undefined,
      undefined,
      undefined,
      '(again: it may have arrived before)',
      undefined,
    ])
  })

  test.each([[undefined], [null], [true], [{}], [{ message_id: 'x' }]])(
    'that is answered with %j may have arrived',
    async (result) => {
      const file = { kind: 'document', name: 'a', mime: 'x', bytes: 1, hash: 'a'.repeat(64) } as const
      for (const method of ['sendMessage', 'sendDocument']) stage.telegram.will(method, { result })
      for (const message of [to('Here.'), to('', { files: [file] })]) {
        const error = await failure(message)
        expect(error).toBeInstanceOf(ChannelError)
        expect(error).toMatchObject({ isHidden: true, isFinal: false })
      }
    },
  )

  test('without anything to see is still a message', async () => {
    await sent(to('\n \n'))
    expect(anna.texts()).toEqual(['…'])
  })

  test.each([
    [
      'is final if the bot was blocked',
      { code: 403, description: 'Forbidden: bot was blocked by the user' },
      { isFinal: true },
    ],
    [
      'is final if Telegram refuses it',
      { code: 400, description: 'Bad Request: chat not found' },
      { isFinal: true },
    ],
    [
      'waits as long as Telegram says',
      { retryAfter: 7 },
      { isFinal: false, retryAfterMs: 7_000, isHidden: false },
    ],
    ['is hidden when the connection breaks', 'drop-after', { isFinal: false, isHidden: true }],
    ['is hidden behind a broken gateway', 'html-page', { isFinal: false, isHidden: true }],
    ['is hidden when Telegram fails', 'bad-gateway', { isFinal: false, isHidden: true }],
  ] as const)('that fails %s', async (_, fault, expected) => {
    stage.telegram.will('sendMessage', fault)
    const error = await failure(to('Hello'))
    expect(error).toBeInstanceOf(ChannelError)
    expect(error).toMatchObject(expected)
    expect(inspect(error, { depth: 9 })).not.toContain(stage.telegram.token)
  })

  test('that is refused with its own address is told without the token', async () => {
    const { telegram } = stage
    telegram.will('sendMessage', { code: 400, description: `Bad Request: /bot${telegram.token}/sendMessage` })
    const error = await failure(to('Hello'))
    expect(error).toMatchObject({ message: 'Telegram refused it: Bad Request: /bot…/sendMessage' })
  })

  test('that hangs is given up when the channel stops, and may have arrived', async () => {
    stage.telegram.will('sendMessage', { after: new Promise(() => undefined) })
    const hanging = failure(to('Hello'))
    await vi.waitUntil(() => anna.fromBot().length === 1)
    await channel.stop()
    expect(await hanging).toMatchObject({ isFinal: false, isHidden: true })
  })

  test('was not sent, for sure, if nobody listens', async () => {
    const other = await telegramStage()
    const away = await other.open()
    await other.close()
    const error = await away.send(to('Hello'), async () => undefined).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ isFinal: false, isHidden: false })
  })
})

describe('a preview', () => {
  test('grows by edits and becomes the message', async () => {
    const { preview } = channel
    const id = await preview.begin(`${anna.id}`, 'Once')
    await preview.grow(`${anna.id}`, id, 'Once **upon')
    await preview.grow(`${anna.id}`, id, 'Once **upon')
    expect(await sent(to('Once **upon** a time', { replaces: id, choices: [YES] }))).toEqual([id])
    expect(anna.texts()).toEqual(['Once upon a time'])
    expect(anna.last().reply_markup).toBeDefined()
    expect(await sent(to('Once **upon** a time', { replaces: id, choices: [YES], isAgain: true }))).toEqual([
      id,
    ])
    expect(anna.texts()).toEqual(['Once upon a time'])
  })

  test('of a long text shows its beginning, and the rest follows it', async () => {
    const text = Array.from({ length: 900 }, (_, line) => `line ${line}`).join('\n')
    const id = await channel.preview.begin(`${anna.id}`, text)
    const parts = await sent(to(text, { replaces: id }))
    expect(parts[0]).toBe(id)
    expect(anna.texts().join('\n')).toBe(text)
  })

  test('that somebody deleted is replaced by a new message', async () => {
    const id = await channel.preview.begin(`${anna.id}`, 'Once')
    anna.deletes(anna.last())
    await channel.preview.grow(`${anna.id}`, id, 'Once upon')
    await sent(to('Once upon a time', { replaces: id }))
    expect(anna.texts()).toEqual(['Once upon a time'])
  })

  test('can be removed, also twice', async () => {
    const id = await channel.preview.begin(`${anna.id}`, 'Once')
    await channel.preview.remove(`${anna.id}`, id)
    await channel.preview.remove(`${anna.id}`, id)
    expect(anna.texts()).toEqual([])
  })

  test('says when to slow down', async () => {
    const id = await channel.preview.begin(`${anna.id}`, 'Once')
    stage.telegram.will('editMessageText', { retryAfter: 3 })
    await expect(channel.preview.grow(`${anna.id}`, id, 'Once upon')).rejects.toMatchObject({
      retryAfterMs: 3_000,
    })
    expect(channel.preview.everyMs(`${anna.id}`)).toBe(1_000)
    expect(channel.preview.everyMs('-100')).toBe(3_000)
    expect([channel.paceMs(`${anna.id}`), channel.paceMs('-100')]).toEqual([0, 3_000])
  })
})

describe('a button', () => {
  test('comes back with its key, is acknowledged, and goes when it was used', async () => {
    stage.door.welcome = () => ({ kind: 'done' })
    const [id] = await sent(to('Sure?', { form: 'question', choices: [YES, { label: 'No', command: 'no' }] }))
    expect(anna.last().reply_markup?.inline_keyboard).toHaveLength(1)
    const tap = anna.taps(anna.last(), 'Yes')
    await expect.poll(() => tap.answer).toEqual({})
    expect(stage.door.arrivals.at(-1)).toMatchObject({
      user: `${anna.id}`,
      button: 'k1',
      text: '',
      replyTo: { messageId: id },
      messageId: `tap:${tap.id}`,
    })
    await expect.poll(() => anna.last().reply_markup).toBeUndefined()
    expect(anna.texts()).toEqual(['Sure?'])
  })

  test('of a closed question is told so at the button', async () => {
    stage.door.welcome = () => ({ kind: 'refused', say: 'This question is closed.' })
    await sent(to('Sure?', { choices: [YES] }))
    const tap = anna.taps(anna.last(), 'Yes')
    await expect.poll(() => tap.answer).toEqual({ text: 'This question is closed.' })
    await expect.poll(() => anna.last().reply_markup).toBeUndefined()
    expect(anna.texts()).toEqual(['Sure?'])
  })

  test('in a group stays when somebody tapped it whom it was not for', async () => {
    const group = stage.telegram.group('Family')
    stage.door.welcome = () => ({ kind: 'refused', say: 'This question is closed.' })
    await sent(outgoing(group.id, 'Sure?', { choices: [YES] }))
    const tap = anna.taps(group.last(), 'Yes')
    await expect.poll(() => tap.answer).not.toBeNull()
    stage.door.welcome = () => ({ kind: 'done' })
    expect(group.last().reply_markup).toBeDefined()
    anna.taps(group.last(), 'Yes')
    await expect.poll(() => group.last().reply_markup).toBeUndefined()
  })

  test('works while a file of the same chat is on its way', async () => {
    const gate = Promise.withResolvers<void>()
    stage.door.hold = ({ text }) => (text === 'slow' ? gate.promise : undefined)
    await sent(to('Sure?', { choices: [YES] }))
    anna.writes('slow')
    const tap = anna.taps(anna.last(), 'Yes')
    await expect.poll(() => tap.answer).toEqual({})
    gate.resolve()
  })
})

describe('around a message', () => {
  test('a reaction says that it was seen, until it is answered', async () => {
    const question = anna.writes('how are you?')
    await expect.poll(() => anna.reactionsTo(question)).toEqual(['👀'])
    await channel.typing(`${anna.id}`)
    expect(anna.isTyping()).toBe(true)
    await sent(to('A notice.', { form: 'notice' }))
    expect(anna.reactionsTo(question)).toEqual(['👀'])
    await sent(to('Fine.'))
    await expect.poll(() => anna.reactionsTo(question)).toEqual([])
  })

  test('what an earlier process had seen is answered without a reaction too', async () => {
    const question = anna.writes('how are you?')
    await expect.poll(() => anna.reactionsTo(question)).toEqual(['👀'])
    channel = await stage.open()
    await sent(to('Fine.', { replyTo: `${question.message_id}` }))
    await expect.poll(() => anna.reactionsTo(question)).toEqual([])
  })

  test('nobody is bothered where reactions are not allowed', async () => {
    stage.telegram.will('setMessageReaction', { code: 400, description: 'Bad Request: REACTION_INVALID' })
    anna.writes('one')
    await expect.poll(() => stage.door.texts).toEqual(['hi', 'one'])
    await sent(to('Fine.'))
    expect(anna.texts()).toEqual(['Fine.'])
  })

  test('an answer in a group replies to what was asked', async () => {
    const group = stage.telegram.group('Family')
    const question = anna.writes('@mainstem_bot lunch?', group)
    await expect.poll(() => group.reactionsTo(question)).toEqual(['👀'])
    const replyTo = `${question.message_id}`
    await sent(outgoing(group.id, 'A ping.', { form: 'ping' }))
    await sent(outgoing(group.id, 'Soup.', { replyTo }))
    await channel.preview.begin(`${group.id}`, 'Soup', replyTo)
    await sent(outgoing(group.id, 'Done.', { replyTo: 'tap:7' }))
    await sent(outgoing(anna.id, 'Soup.', { replyTo }))
    expect(anna.last().reply_to_message).toBeUndefined()
    expect(group.fromBot().map(({ reply_to_message: to }) => to?.text)).toEqual([
      undefined,
      '@mainstem_bot lunch?',
      '@mainstem_bot lunch?',
      undefined,
    ])
  })

  test('what the door says is told at once', async () => {
    stage.door.welcome = () => ({ kind: 'ignored', say: 'This assistant is private.' })
    const ben = stage.telegram.person('Ben')
    const message = ben.writes('let me in')
    await expect.poll(() => ben.texts()).toEqual(['This assistant is private.'])
    expect(ben.reactionsTo(message)).toEqual([])
  })

  test('the menu has the commands, with names that Telegram accepts', async () => {
    const everybody = [
      { name: 'check-mail', help: 'Looks for mail.' },
      { name: 'Übung', help: 'Is left out.' },
      { name: 'new', help: 'x'.repeat(300) },
    ]
    await channel.menu({ everybody, owner: [], owners: [], strangers: [] })
    await expect
      .poll(() => stage.telegram.world.commands)
      .toEqual([
        { command: 'check_mail', description: 'Looks for mail.' },
        { command: 'new', description: 'x'.repeat(256) },
      ])
  })

  test('a menu from before the connection is set when there is one', async () => {
    stage.telegram.isDown = true
    const late = await stage.open()
    await late.menu({ everybody: [{ name: 'help', help: 'Helps.' }], owner: [], owners: [], strangers: [] })
    stage.telegram.isDown = false
    await expect.poll(() => stage.telegram.world.commands).toHaveLength(1)
  })
})
