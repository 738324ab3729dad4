import { describe, expect, test } from 'vitest'
import type { Message } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Prompt, PromptMessage, Settings } from '../event/prompt.ts'
import type { Scene } from '../../test/model/scene.ts'
import { play } from '../../test/model/stage.ts'
import { getBranch } from './branch.ts'
import { buildPrompt, HISTORY_HEADING, userText, type PromptParts } from './prompt.ts'
import { listOf } from './version.ts'

const settings: Settings = {
  model: 'test/one',
  tokensMax: null,
  temperature: null,
  thinking: 'off',
  toolChoice: 'auto',
}
const OPENING = '(The conversation goes on from here; what came before is not shown.)'

function promptOf(on: Scene, branch: string, parts: Partial<PromptParts> = {}): Prompt {
  const list = listOf(on.writing, getBranch(on.writing, on.id(branch)))
  return buildPrompt(on.writing, list, { system: '', tools: [], settings, tail: null, ...parts })
}

/** The messages in short, one per line: `user text`, `assistant text +call`, `result call`. */
function lines(on: Scene, branch: string, parts: Partial<PromptParts> = {}): string[] {
  return promptOf(on, branch, parts).messages.map(inShort)
}

function inShort(message: PromptMessage): string {
  if (message.role === 'tool') return `result ${message.call}`
  const calls = message.role === 'assistant' ? message.calls.map(({ id }) => ` +${id}`).join('') : ''
  return `${message.role} ${message.text}${calls}`
}

const assistant = (text: string, more: Partial<Extract<Message, { role: 'assistant' }>> = {}): Message => {
  return { role: 'assistant', text, calls: [], ...more }
}

describe('a message in a prompt', () => {
  test('of a person is its head, what the host put before the text, and the text, with one empty line between', () =>
    play((on) => {
      on.say('main', {
        role: 'user',
        text: 'Body.',
        head: '[system]\n(why)\n[time]',
        before: ['One', 'Two\nlines'],
      })
      expect(promptOf(on, 'main').messages).toEqual([
        { role: 'user', text: '[system]\n(why)\n[time]\n\nOne\n\nTwo\nlines\n\nBody.' },
      ])
    }))

  test.each([
    [{ text: 'a' }, 'a'],
    [{ text: '' }, ''],
    [{ text: '', head: 'h' }, 'h'],
    [{ text: 'a', head: 'h' }, 'h\n\na'],
    [{ text: 'a', before: ['b'] }, 'b\n\na'],
    [{ text: 'a', head: 'h', before: [] }, 'h\n\na'],
    [{ text: ' a\n', head: 'h' }, 'h\n\n a\n'],
  ])('has no trace of parts that are empty: %j', (parts, text) =>
    expect(userText({ role: 'user', ...parts })).toBe(text),
  )

  test("that is a note is a user's, with a label that says who wrote it", () =>
    play((on) => {
      const by = [
        { by: 'person' },
        { by: 'model', turn: 'tn_0n5f8k2q1k3f9ab' as never },
        { by: 'policy', name: 'fork' },
      ] as const
      for (const author of by) on.say('main', { role: 'note', text: 'n\nm', author })
      expect(promptOf(on, 'main').messages).toEqual([
        { role: 'user', text: '[note from the person]\nn\nm' },
        { role: 'user', text: '[note from the model]\nn\nm' },
        { role: 'user', text: '[note from the host]\nn\nm' },
      ])
    }))

  test('with calls is followed by their results, and tells nothing of how a result came about', () =>
    play((on) => {
      on.start('main', 'a')
      const calls = [
        { id: 'c1', tool: 'read', args: { path: 'x' } },
        { id: 'c2', tool: 'list', args: {} },
      ]
      on.say('main', assistant('', { calls }))
      on.say('main', { role: 'tool', call: 'c2', tool: 'list', text: 'two' })
      on.say('main', { role: 'tool', call: 'c1', tool: 'read', text: 'one', synthetic: 'interrupted' })
      expect(promptOf(on, 'main').messages.slice(1)).toEqual([
        { role: 'assistant', text: '', reasoning: [], calls },
        { role: 'tool', call: 'c2', tool: 'list', text: 'two' },
        { role: 'tool', call: 'c1', tool: 'read', text: 'one' },
      ])
    }))

  test('[CTX3] whose calls have not all got their results is not there yet, nor are the results', () =>
    play((on) => {
      on.start('main', 'a')
      on.call('main', 'x', 'c1', 'c2')
      expect(lines(on, 'main')).toEqual(['user a'])
      on.result('main', 'c1')
      expect(lines(on, 'main')).toEqual(['user a'])
      on.result('main', 'c2')
      expect(lines(on, 'main')).toEqual(['user a', 'assistant x +c1 +c2', 'result c1', 'result c2'])
    }))

  test("that is a summary is a user's, under a heading, where what it covers stood", () =>
    play((on) => {
      on.turn('main', 'a', 'b')
      on.compact('main', 'Sum.')
      expect(HISTORY_HEADING).toBe('## Conversation History 🧠')
      expect(lines(on, 'main')).toEqual(['user ## Conversation History 🧠\n\nSum.', 'user b', 'assistant b!'])
      on.fork('main', 'f')
      on.turn('f', 'x', 'y')
      on.compact('f', 'Tum.')
      on.note('main', 'm')
      on.save('f')
      expect(lines(on, 'main')).toEqual([
        'user ## Conversation History 🧠\n\nSum.',
        'user b',
        'assistant b!',
        'user [note from the person]\nm',
        "user ## Conversation History 🧠\n\nTum.'",
        'user y',
        'assistant y!',
      ])
    }))

  test('carries its thoughts to the model that had them, and to no other', () =>
    play((on) => {
      const reasoning = [{ text: 'hm', data: { signature: 's' } }]
      on.say('main', { role: 'user', text: 'a' })
      on.say('main', assistant('mine', { reasoning, model: 'test/one' }))
      on.say('main', assistant("another's", { reasoning, model: 'test/two' }))
      on.say('main', assistant("nobody's", { reasoning }))
      on.say('main', assistant('no thought', { model: 'test/one' }))
      const thoughts = (model: string) =>
        promptOf(on, 'main', { settings: { ...settings, model } }).messages.flatMap((message) =>
          message.role === 'assistant' ? [message.reasoning] : [],
        )
      expect(thoughts('test/one')).toEqual([reasoning, [], [], []])
      expect(thoughts('test/two')).toEqual([[], reasoning, [], []])
      expect(thoughts('test/three')).toEqual([[], [], [], []])
    }))

  test('of a model that said and called nothing is left out, whatever it thought', () =>
    play((on) => {
      const reasoning = [{ text: 'hm', data: {} }]
      on.say('main', { role: 'user', text: 'a' })
      on.say('main', assistant('', { reasoning, model: 'test/one' }))
      on.say('main', { role: 'user', text: 'b' })
      on.say('main', assistant(' '))
      expect(lines(on, 'main')).toEqual(['user a', 'user b', 'assistant  '])
    }))

  test('has no half of a surrogate pair, anywhere: a provider would refuse the conversation from then on', () =>
    play((on) => {
      const [half, whole] = ['\uD83D', '\uFFFD']
      on.say('main', { role: 'user', text: `a${half}`, head: `h${half}` })
      on.say('main', { role: 'note', text: half, author: { by: 'person' } })
      const calls = [{ id: 'c1', tool: 'slash', args: { [half]: [half, '😀'] } }]
      on.say(
        'main',
        assistant(half, { calls, reasoning: [{ text: half, data: { x: half } }], model: 'test/one' }),
      )
      on.say('main', { role: 'tool', call: 'c1', tool: 'slash', text: half })
      const tools = [{ name: 't', description: half, parameters: { title: half } }]
      const tail = { text: half, after: on.writing.end as Position }
      const prompt = promptOf(on, 'main', { system: half, tools, tail })
      expect(prompt).toEqual({
        system: whole,
        settings,
        tools: [{ name: 't', description: whole, parameters: { title: whole } }],
        messages: [
          { role: 'user', text: `h${whole}\n\na${whole}` },
          { role: 'user', text: `[note from the person]\n${whole}` },
          {
            role: 'assistant',
            text: whole,
            reasoning: [{ text: whole, data: { x: whole } }],
            calls: [{ id: 'c1', tool: 'slash', args: { [whole]: [whole, '😀'] } }],
          },
          { role: 'tool', call: 'c1', tool: 'slash', text: whole },
          { role: 'user', text: whole },
        ],
      })
    }))
})

describe("a prompt that would begin with the model's own words", () => {
  test('begins with a line by the host', () =>
    play((on) => {
      on.say('main', assistant('x'))
      on.note('main', 'n')
      expect(lines(on, 'main')).toEqual([`user ${OPENING}`, 'assistant x', 'user [note from the person]\nn'])
    }))

  test('begins with it also where an empty answer was left out before them', () =>
    play((on) => {
      on.say('main', assistant(''))
      expect(lines(on, 'main')).toEqual([])
      on.say('main', assistant('x'))
      expect(lines(on, 'main')).toEqual([`user ${OPENING}`, 'assistant x'])
    }))

  test('begins with it also where the tail would come first: without the tail it must be the same prompt', () =>
    play((on) => {
      on.say('main', assistant(''))
      const tail = { text: 'tail', after: on.writing.end as Position }
      on.say('main', assistant('x'))
      expect(lines(on, 'main', { tail })).toEqual([`user ${OPENING}`, 'user tail', 'assistant x'])
    }))

  test('needs none where a summary or a note stands first, or where there is nothing', () =>
    play((on) => {
      expect(lines(on, 'main')).toEqual([])
      on.turn('main', 'a', 'b')
      on.compact('main', 's')
      on.fork('main', 'f')
      expect(lines(on, 'f')[0]).toBe(`user ${HISTORY_HEADING}\n\ns`)
    }))
})

/** A turn opened by `b`, with the messages before it and its tail. */
function opened(
  on: Scene,
  open: () => void = () => void on.start('main', 'b'),
): { tail: PromptParts['tail'] } {
  on.turn('main', 'a')
  open()
  return { tail: { text: 'tail', after: on.writing.end as Position } }
}

describe('the tail', () => {
  test('stands behind the message that opened the turn', () =>
    play((on) => {
      const parts = opened(on)
      expect(lines(on, 'main', parts)).toEqual(['user a', 'assistant a!', 'user b', 'user tail'])
    }))

  test("stays there in the turn's later steps, so that each prompt begins with the one before", () =>
    play((on) => {
      const parts = opened(on)
      let before = lines(on, 'main', parts)
      const grows = (act: () => void) => {
        act()
        const now = lines(on, 'main', parts)
        expect(now.slice(0, before.length)).toEqual(before)
        expect(now.length).toBeGreaterThan(before.length)
        before = now
      }
      grows(() => {
        on.call('main', 'x', 'c1')
        on.result('main', 'c1')
      })
      grows(() => void on.say('main', { role: 'user', text: 'meanwhile' }))
      grows(() => {
        on.call('main', 'y', 'c2', 'c3')
        on.result('main', 'c2', 'c3')
      })
      expect(before.slice(2, 6)).toEqual(['user b', 'user tail', 'assistant x +c1', 'result c1'])
    }))

  test('is gone in the next turn, and leaves no trace', () =>
    play((on) => {
      opened(on)
      on.say('main', assistant('b!'))
      on.finish('main')
      on.start('main', 'c')
      expect(lines(on, 'main')).toEqual(['user a', 'assistant a!', 'user b', 'assistant b!', 'user c'])
    }))

  test('stands alone where nothing is shown', () =>
    play((on) => {
      const { tail } = opened(on)
      on.fork('main', 'f', { inherit: { take: 'nothing' } })
      expect(lines(on, 'f', { tail })).toEqual(['user tail'])
    }))

  test('stands where its message stood when the model cleared that away, and moves no further', () =>
    play((on) => {
      const parts = opened(on, () => {
        on.start('main', 'b')
        on.note('main', 'n')
      })
      const step = on.call('main', 'x', 'c1')
      on.result('main', 'c1')
      on.clearByModel('main', step)
      const cleared = ['user b', 'user tail', 'assistant x +c1', 'result c1']
      expect(lines(on, 'main', parts)).toEqual(cleared)
      on.call('main', 'y', 'c2')
      on.result('main', 'c2')
      expect(lines(on, 'main', parts)).toEqual([...cleared, 'assistant y +c2', 'result c2'])
    }))

  test('stands behind the summary that covers its message, and moves no further', () =>
    play((on) => {
      on.turn('main', 'a')
      const parts = { tail: { text: 'tail', after: (on.writing.end - 1) as Position } }
      on.start('main', 'b')
      on.call('main', 'y', 'c2')
      on.result('main', 'c2')
      on.compact('main', 's')
      const summed = [`user ${HISTORY_HEADING}\n\ns`, 'user tail', 'user b', 'assistant y +c2', 'result c2']
      expect(lines(on, 'main', parts)).toEqual(summed)
      on.say('main', assistant('z'))
      expect(lines(on, 'main', parts)).toEqual([...summed, 'assistant z'])
    }))

  test('[CTX3] never parts a step of another branch whose messages were written around it', () =>
    play((on) => {
      on.note('main', 'm')
      on.mark('main', 'A')
      on.fork('main', 'f')
      on.start('f', 'x')
      on.call('f', 'y', 'c1')
      on.note('main', 'gone')
      const tail = { text: 'tail', after: on.writing.end as Position }
      on.result('f', 'c1')
      on.finish('f')
      on.rewind('main', 'A')
      on.save('f')
      expect(lines(on, 'main', { tail })).toEqual([
        'user [note from the person]\nm',
        'user x',
        'assistant y +c1',
        'result c1',
        'user tail',
      ])
    }))
})

test('system text, tools and settings stand in a prompt as they were given', () =>
  play((on) => {
    const tools = [{ name: 'z', description: 'Z', parameters: { type: 'object' } }]
    const tool = { name: 'a', description: 'A', parameters: {} }
    const parts = {
      system: ' You are.\n',
      tools: [...tools, tool],
      settings: { ...settings, temperature: 0.5 },
    }
    expect(promptOf(on, 'main', parts)).toEqual({ ...parts, messages: [] })
  }))
