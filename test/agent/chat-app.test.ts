import { describe, expect, test } from 'vitest'
import { receive } from '../../src/command/door/reception.ts'
import type { Received } from '../../src/command/door/reception.ts'
import { ModelError, type Model } from '../../src/model/contract/model.ts'
import { builtIn } from '../../src/tool/tool.ts'
import { ChatApp } from '../stand-ins/chat-app.ts'
import { countedTool, gatedTool, play, ruleModel } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { addGuest } from './rig.ts'
import { breathe, stage, type Stage, type StageOptions } from './stage.ts'

/** A model that writes these pieces, one every `everyMs`. */
function writing(pieces: readonly string[], at: () => Stage, everyMs = 600): Model {
  return {
    name: 'writing',
    contextTokens: 100_000,
    call: async (_, { signal, onText }) => {
      for (const piece of pieces) {
        await at().clock.sleep(everyMs, signal)
        onText?.(piece)
      }
      const usage = { tokensIn: 1, tokensOut: 1, tokensCached: 0, tokensCacheWritten: 0 }
      return { text: pieces.join(''), calls: [], reasoning: [], finish: 'stop', usage }
    },
  }
}

async function open(app: ChatApp, options: StageOptions = {}): Promise<Stage> {
  return stage({ apps: [app.channel()], ...options })
}

async function write(app: ChatApp, pieces: readonly string[], more: StageOptions = {}): Promise<Stage> {
  const at: Stage = await open(app, {
    models: { writing: writing(pieces, () => at) },
    ...more,
    settings: { model: 'writing', ...more.settings },
  })
  return at
}

let keys = 0

function text(at: Stage, words: string, more: object = {}): Promise<Received> {
  const messageId = `m${++keys}`
  return receive(at.desk, {
    origin: 'phone',
    channel: 'app',
    conversation: 'c1',
    person: 'owner',
    messageId,
    text: words,
    ...more,
  })
}

const echo = ruleModel(({ messages }) => ({ text: `Re: ${messages.at(-1)?.text.split('\n\n').at(-1)}` }))
const echoing = { models: { echo }, settings: { model: 'echo' } }

describe('an answer in a chat app', () => {
  test('[SEND1] grows in one message and ends as the whole answer', async () => {
    const app = new ChatApp()
    const at = await write(app, ['One ', 'two ', 'three ', 'four'])
    await text(at, 'count')
    await at.clock.pass(1_800)
    expect(app.texts('c1')).toEqual(['One two '])
    await at.clock.pass(10_000)
    await at.settle()
    expect(app.texts('c1')).toEqual(['One two three four'])
    expect(app.requests.filter((one) => one === 'send')).toHaveLength(1)
    expect(app.messages[0]).toMatchObject({ replyTo: `m${keys}`, isMarked: false })
    await expectEmpty(at.log)
    await expectLawful(at)
  })

  test('that is quick needs no preview', async () => {
    const app = new ChatApp()
    const at = await write(app, ['Yes'])
    await text(at, 'so?')
    await at.clock.pass(5_000)
    expect(app.requests.filter((one) => one !== 'type')).toEqual(['send'])
  })

  test('backs off when its edits are too many, and is complete all the same', async () => {
    const app = new ChatApp()
    const at = await write(
      app,
      Array.from({ length: 30 }, (_, n) => `${n} `),
    )
    app.fate = (request) => (request === 'edit' ? 3_000 : 'taken')
    await text(at, 'count')
    await at.clock.pass(17_000)
    expect(app.requests.filter((one) => one === 'edit').length).toBeLessThan(6)
    app.fate = () => 'taken'
    await at.clock.pass(60_000)
    expect(app.texts('c1')).toEqual([Array.from({ length: 30 }, (_, n) => `${n} `).join('')])
  })

  test('[TURN7] [SEND1] that is stopped ends as what was received of it', async () => {
    const app = new ChatApp()
    const at = await write(
      app,
      Array.from({ length: 30 }, (_, n) => `${n} `),
    )
    await text(at, 'count')
    await at.clock.pass(5_000)
    expect(app.texts('c1')).toHaveLength(1)
    await at.agent.stop(await at.branch())
    await at.clock.pass(5_000)
    expect(app.texts('c1')).toEqual(['0 1 2 3 4 5 6 7 '])
    await expectLawful(at)
  })

  test('leaves no preview behind when the turn says nothing there', async () => {
    const app = new ChatApp()
    const tool = gatedTool('dig')
    const at = await play([{ calls: [{ tool: 'dig' }] }], { apps: [app.channel()], tools: [tool] })
    await text(at, 'dig')
    await at.clock.pass(4_000)
    expect(app.texts('c1')).toEqual(['Using `dig`…'])
    await at.agent.stop(await at.branch())
    await at.clock.pass(5_000)
    expect(app.texts('c1')).toEqual([])
    expect(await at.events('preview-removed')).toHaveLength(1)
    await expectLawful(at)
  })

  test('stands below what somebody else said meanwhile', async () => {
    const app = new ChatApp()
    const at = await write(
      app,
      Array.from({ length: 10 }, (_, n) => `${n} `),
    )
    await text(at, 'count')
    await at.clock.pass(3_000)
    await text(at, '/agents')
    await at.clock.pass(60_000)
    const [agents = '', answer] = app.texts('c1')
    expect(agents).toContain('main')
    expect(answer).toBe('0 1 2 3 4 5 6 7 8 9 ')
    expect(app.texts('c1')).toHaveLength(2)
  })

  test('shows a tool by its name alone, and not at once', async () => {
    const app = new ChatApp()
    const tool = gatedTool('dig')
    const at = await play(
      [{ calls: [{ id: 'c', tool: 'dig', args: { secret: 'x' } }] }, { reply: { text: 'dug' } }],
      { apps: [app.channel()], tools: [tool] },
    )
    await text(at, 'dig')
    await at.clock.pass(2_900)
    expect(app.texts('c1')).toEqual([])
    await at.clock.pass(1_000)
    expect(app.texts('c1')).toEqual(['Using `dig`…'])
    tool.gate.open()
    await at.clock.pass(5_000)
    expect(app.texts('c1')).toEqual(['dug'])
  })

  test('begins with what it catches up on, in the same message', async () => {
    const app = new ChatApp()
    const at = await write(app, ['News: ', 'none'])
    const branch = await at.branch()
    const author = { by: 'policy', name: 'test' } as const
    const news = { source: 'a job', text: 'It rained.', from: branch, author, key: null }
    await at.log.write((writing) =>
      writing.append({ kind: 'update-reported', branch, at: at.clock.now(), v: 1, ...news }),
    )
    await text(at, 'news?')
    await at.clock.pass(100)
    expect(app.texts('c1')).toEqual(['catching up on background activity...'])
    await at.clock.pass(10_000)
    expect(app.texts('c1')).toEqual(['News: none'])
    expect(app.requests.filter((one) => one === 'send')).toHaveLength(1)
    await expectLawful(at)
  })

  test('goes on where a part of it was sent', async () => {
    const app = new ChatApp()
    app.charsMax = 10
    let sends = 0
    app.fate = (request) => (request === 'send' && ++sends === 2 ? 5_000 : 'taken')
    const at = await open(app, echoing)
    await text(at, 'abcdefghijklmnopqrst')
    await at.clock.pass(60_000)
    expect(app.texts('c1')).toEqual(['Re: abcdef', 'ghijklmnop', 'qrst'])
    expect(await at.events('delivery-part')).toHaveLength(2)
    const [first] = app.messages
    await text(at, 'what?', { replyTo: { messageId: first?.id } })
    await at.clock.pass(60_000)
    const admitted = (await at.events('inbound-admitted')).at(-1)
    expect(admitted?.before?.join()).toContain('abcdefghijklmnopqrst')
  })

  test('keeps the pace of its conversation, part by part', async () => {
    const app = new ChatApp()
    app.charsMax = 10
    app.paceMs = 3_000
    const at = await open(app, echoing)
    await text(at, 'abcdefghijklmnop')
    await breathe()
    expect(app.messages).toHaveLength(1)
    await at.clock.pass(3_000)
    expect(app.messages).toHaveLength(2)
    await text(at, 'x')
    await at.clock.pass(2_900)
    expect(app.messages).toHaveLength(2)
    await at.clock.pass(200)
    expect(app.messages).toHaveLength(3)
  })

  test('[SEND1] whose outcome the network hid is sent again and marked', async () => {
    const app = new ChatApp()
    let sends = 0
    app.fate = (request) => (request === 'send' && ++sends === 1 ? 'hidden' : 'taken')
    const at = await open(app, echoing)
    await text(at, 'hi')
    await at.clock.pass(60_000)
    expect(app.texts('c1')).toEqual(['Re: hi', '(again) Re: hi'])
  })

  test('[SEND1] whose preview the network hid is marked, not what is said between', async () => {
    const app = new ChatApp()
    const at = await write(
      app,
      Array.from({ length: 10 }, (_, n) => `${n} `),
    )
    let sends = 0
    app.fate = (request) => (request === 'send' && ++sends === 1 ? 'hidden' : 'taken')
    await text(at, 'count')
    await at.clock.pass(3_000)
    await text(at, '/agents')
    await at.clock.pass(60_000)
    const [part, agents = '', answer] = app.texts('c1')
    expect(part).toBe('0 1 ')
    expect(agents).toMatch(/^(?!\(again\)).*main/s)
    expect(answer).toBe('(again) 0 1 2 3 4 5 6 7 8 9 ')
    expect(app.texts('c1')).toHaveLength(3)
    await expectEmpty(at.log)
    await expectLawful(at)
  })

  test('whose preview the network hid is marked, and what comes later is not', async () => {
    const app = new ChatApp()
    const at = await write(
      app,
      Array.from({ length: 30 }, (_, n) => `${n} `),
    )
    app.fate = (request) => (request === 'send' ? 'hidden' : 'taken')
    await text(at, 'count')
    await at.clock.pass(3_000)
    app.fate = () => 'taken'
    await at.agent.stop(await at.branch())
    await at.clock.pass(5_000)
    await text(at, '/agents')
    await at.clock.pass(5_000)
    expect(app.messages.map(({ isMarked }) => isMarked)).toEqual([false, true, false])
    await expectEmpty(at.log)
    await expectLawful(at)
  })

  test('[SEND1] that is refused for good is said where the person is reached besides', async () => {
    const app = new ChatApp()
    app.fate = (request) => (request === 'send' ? 'refused' : 'taken')
    const at = await open(app, echoing)
    await at.say('hello')
    await text(at, 'hi')
    await at.clock.pass(60_000)
    expect(at.sent.map((message) => message.text)).toEqual([
      'Re: hello',
      'A message to app did not arrive (the app refuses it). It stands above in this chat.',
    ])
    await expectEmpty(at.log)
  })
})

describe('a chat app', () => {
  test('shows that somebody types until the turn is over', async () => {
    const app = new ChatApp()
    const at = await write(app, ['a', 'b', 'c'], {})
    app.everyMs = 60_000
    await text(at, 'count')
    await breathe()
    expect(app.requests).toEqual(['type'])
    await at.clock.pass(60_000)
    const count = app.requests.length
    await at.clock.pass(60_000)
    expect(app.requests).toHaveLength(count)
  })

  test('is told before the next answer what happened elsewhere, and nothing of it twice', async () => {
    const app = new ChatApp()
    const at = await open(app, echoing)
    await text(at, 'one')
    await at.settle()
    await at.say('two')
    await at.say('three')
    await text(at, 'four')
    await at.settle()
    await text(at, 'five')
    await at.settle()
    expect(app.texts('c1')).toEqual([
      'Re: one',
      '(meanwhile in the terminal: 2 messages)\n\nRe: four',
      'Re: five',
    ])
    expect(at.sent.map((message) => message.text)).toEqual(['Re: two', 'Re: three'])
  })

  test('gets pings from now on after /here', async () => {
    const app = new ChatApp()
    const at = await open(app, echoing)
    await text(at, '/here')
    await at.settle()
    expect(app.texts('c1')).toEqual(['Pings come here from now on.'])
    expect(at.settings).toMatchObject({ 'pings.to': 'app:c1' })
  })

  test('is told of a summary below the next answer, at most once a day', async () => {
    const app = new ChatApp()
    const at = await open(app, echoing)
    const { window } = at.settings
    at.settings = { ...at.settings, window: { ...window, windowMessages: 2, thresholdMessages: 8 } }
    const many = async (): Promise<void> => {
      for (let n = 0; n < 8; n++) {
        await text(at, `a message of some length, number ${n}`)
        await at.settle()
      }
      await text(at, 'next')
      await at.settle()
    }
    await many()
    const summed = '(Older messages were summarized. /context shows it, /expand brings them back.)'
    await many()
    expect((await at.events('context-compacted')).length).toBeGreaterThan(1)
    expect(app.texts('c1').filter((one) => one.includes(summed))).toHaveLength(1)
  })
})

function keyOf(app: ChatApp, label: RegExp): string {
  const buttons = app.messages.flatMap((one) => one.buttons)
  const found = buttons.find((button) => label.test(button.label))
  if (found === undefined) throw new Error(`no button ${label} in ${JSON.stringify(buttons)}`)
  return found.key
}

describe('a button', () => {
  const CALL = { calls: [{ id: 'c', tool: 'dig', args: {} }] }
  const tool = { ...countedTool('dig'), nature: builtIn('runs') }
  const asking = { tools: [tool], settings: { permissions: 'default' as const } }

  async function asked(app: ChatApp): Promise<Stage> {
    const at = await play([CALL, { reply: { text: 'dug' } }], { apps: [app.channel()], ...asking })
    await text(at, 'dig')
    await at.clock.pass(100)
    return at
  }

  test('[BUTTON1] counts once, while its question is open', async () => {
    const app = new ChatApp()
    const at = await asked(app)
    const button = keyOf(app, /^(Allow|Yes|Once)/)
    expect(button.length).toBeLessThanOrEqual(64)
    expect(await text(at, '', { button })).toMatchObject({ kind: 'done' })
    await at.clock.pass(1_000)
    expect(app.texts('c1').at(-1)).toBe('dug')
    expect(await text(at, '', { button })).toEqual({ kind: 'closed' })
    expect(await at.events('approval-decided')).toHaveLength(1)
  })

  test('[BUTTON1] counts in its own conversation only, and dies with its question', async () => {
    const app = new ChatApp()
    const at = await asked(app)
    const button = keyOf(app, /^(Allow|Yes|Once)/)
    expect(await text(at, '', { button, conversation: 'c2' })).toEqual({ kind: 'closed' })
    expect(await text(at, '', { button: `${button.slice(0, -1)}x` })).toEqual({ kind: 'closed' })
    expect(await text(at, '', { button: '1.abc' })).toEqual({ kind: 'closed' })
    expect(await text(at, '', { button, person: 'somebody' })).toEqual({ kind: 'closed' })
    await at.clock.pass(601_000)
    expect(await text(at, '', { button })).toEqual({ kind: 'closed' })
    expect(await at.events('inbound-admitted')).toHaveLength(1)
  })

  test("[BUTTON1] about a guest's call counts for the owner, who was asked, and not for the guest", async () => {
    const app = new ChatApp()
    const steps = [{ reply: { text: 'hello' } }, CALL, { reply: { text: 'dug' } }]
    const at = await play(steps, { apps: [app.channel()], ...asking })
    await text(at, 'hello')
    await at.clock.pass(1_000)
    const eve = { channel: 'app', conversation: 'c2', person: 'eve' }
    await addGuest(at, eve)
    await text(at, 'dig', eve)
    await at.clock.pass(100)
    const button = keyOf(app, /^Once/)
    expect(await text(at, '', { button, person: 'eve' })).toEqual({ kind: 'closed' })
    expect(await text(at, '', { button })).toMatchObject({ kind: 'done' })
    await at.clock.pass(1_000)
    expect(app.texts('c2').at(-1)).toBe('dug')
  })

  test('[BUTTON1] that ends a fork counts only in that fork', async () => {
    const app = new ChatApp()
    const at = await open(app, echoing)
    await text(at, '/fork')
    await at.settle()
    const button = keyOf(app, /^Exit/)
    expect(await text(at, '', { button })).toMatchObject({ kind: 'done' })
    await at.settle()
    await text(at, '/fork')
    await at.settle()
    expect(await text(at, '', { button })).toEqual({ kind: 'closed' })
  })
})

test('[TURN7] a model that fails in the middle of its answer leaves what it said, and behind it what went wrong', async () => {
  const app = new ChatApp()
  const failing: Model = {
    name: 'failing',
    contextTokens: 100_000,
    call: async (_, { signal, onText }) => {
      onText?.('The beginning of')
      await at.clock.sleep(5_000, signal)
      throw new ModelError('rejected', 'no more')
    },
  }
  const at: Stage = await open(app, { models: { failing }, settings: { model: 'failing' } })
  await text(at, 'go')
  await at.clock.pass(4_000)
  expect(app.texts('c1')).toEqual(['The beginning of'])
  await at.clock.pass(10_000)
  const [kept, notice] = app.texts('c1')
  expect(kept).toBe('The beginning of')
  expect(notice).toContain('no more')
})
