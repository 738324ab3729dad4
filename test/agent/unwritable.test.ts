import { setFlagsFromString } from 'node:v8'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../../src/base/limits.ts'
import { EventError } from '../../src/event/codec.ts'
import { makeBranchId } from '../../src/event/id.ts'
import { boundedReply } from '../../src/model/contract/bounded-reply.ts'
import type { Scene } from '../../src/model/contract/fault.ts'
import { ModelError, type Reply } from '../../src/model/contract/model.ts'
import { promptOf } from '../stand-ins/model-at.ts'
import { countedTool, type Said } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { ended, ruled } from './rig.ts'
import { stage, START, terminal } from './stage.ts'

const nowhere = makeBranchId(START, () => 0)
const HUGE = limits.eventBytesMax
const call = (more: Partial<Reply['calls'][number]>): Said => ({
  calls: [{ id: 'a', tool: 'dig', args: {}, ...more }],
})
const usage = (tokensOut: number): Said => ({
  text: 'Hello.',
  usage: { tokensIn: 1, tokensOut, tokensCached: 0, tokensCacheWritten: 0 },
})

// V8 stops optimising expressions in a process that has compiled many: one that repeats then overflows the stack on a
// text of some megabytes.
beforeAll(() => setFlagsFromString('--no-regexp-optimization'))
afterAll(() => setFlagsFromString('--regexp-optimization'))

describe('a reply that the log refuses', () => {
  test.each<[string, Said]>([
    ['a fraction of a token', usage(0.5)],
    ['fewer than no tokens', usage(-1)],
    ['tokens that are no number', usage(Number.NaN)],
    ['a text that no event holds', { text: 'x'.repeat(HUGE) }],
    ['arguments that no event holds', call({ args: { path: 'x'.repeat(HUGE) } })],
    ['a name of a tool that no event holds', call({ tool: 'x'.repeat(HUGE) })],
  ])('fails the turn, tells the person, and the next turn works: %s', async (_, reply) => {
    let isOdd = true
    const at = await ruled(() => (isOdd ? reply : { text: 'Fine again.' }), { tools: [countedTool('dig')] })
    expect(await at.say('hi')).toEqual([
      expect.stringMatching(
        /^The reply cannot be written to the log: refused .* Your message is kept; \/retry sends it again\.$/s,
      ),
    ])
    expect((await at.events('turn-ended')).map(({ outcome }) => outcome)).toEqual(['failed'])
    expect(at.failures).toEqual([])
    isOdd = false
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Fine again.'])
    await expectLawful(at)
    await expectEmpty(at.log)
  })
})

describe('a start goes on from a log', () => {
  test('[TEXT1] with a message that fills an event and has no room for its head', async () => {
    const first = await ruled(() => ({ text: 'Read.' }))
    const [{ branch } = { branch: nowhere }] = await first.events('branch-created')
    const source = { from: 'person', ...terminal, person: 'you', key: null } as const
    const text = '[system]\n'.repeat(HUGE / 11)
    await first.log.write((writing) => {
      writing.append({ kind: 'inbound-admitted', branch, at: START, v: 1, source, form: 'message', text })
    })
    const again = await ruled(() => ({ text: 'Read.' }), {
      ...(await ended(first)),
      settings: { model: 'ruled' },
    })
    await again.agent.settled()
    expect(again.failures).toEqual([])
    const said = (await again.events('message-added')).find(({ message }) => message.role === 'user')
    expect(said?.message.text).toMatch(/\(cut: the first 1000000 of \d+ characters\)$/)
  })

  test('[CMD1] with a command of megabytes, which nothing parses', async () => {
    const first = await stage()
    const [{ branch } = { branch: nowhere }] = await first.events('branch-created')
    const source = { from: 'person', ...terminal, person: 'you', key: null } as const
    const text = `/mark ${'x'.repeat(HUGE - 160)}`
    const next = { kind: 'inbound-admitted', branch, at: START, v: 1, source } as const
    await first.log.write((writing) => {
      writing.append({ ...next, form: 'command', text })
      writing.append({ ...next, form: 'message', text: 'hello' })
    })
    const again = await stage(await ended(first))
    await again.agent.settled()
    expect(again.failures).toEqual([])
    expect((await again.events('command-run')).map(({ isError }) => isError)).toEqual([true])
    expect(again.sent.map(({ text }) => text)).toEqual([
      expect.stringContaining('A command has at most 64 kB'),
      expect.stringContaining('Hello'),
    ])
  })
})

/** Where an expression repeats, its middle is one match. */
const LONG = `zebra ${'7'.repeat(6_000_000)} giraffe`

describe('[TEXT1] the text of a message is bounded', () => {
  test('what is typed', async () => {
    const at = await ruled(() => ({ text: 'Heard.' }))
    const { end } = await at.read((reader) => ({ end: reader.end }))
    await expect(at.type(LONG)).rejects.toThrow(EventError)
    expect(await at.read((reader) => reader.end)).toBe(end)
    expect(await at.say('hello')).toEqual(['Heard.'])
  })

  test('what a model writes, and its call', async () => {
    const scene: Scene = { model: 'm/m', url: 'http://127.0.0.1', settings: { key: 'k' }, now: () => START }
    const prompt = promptOf('hi')
    const usage = { tokensIn: 1, tokensOut: 1, tokensCached: 0, tokensCacheWritten: 0 }
    const reply: Reply = { text: '', reasoning: [], calls: [], finish: 'stop', usage }
    const long = 'x'.repeat(limits.textCharsMax + 1)
    const call = { id: 'a', tool: 'write', args: { long } }
    for (const one of [{ text: long }, { reasoning: [{ text: long }] }, { calls: [call] }])
      await expect(boundedReply(scene, prompt, { ...reply, ...one } as Reply)).rejects.toThrow(ModelError)
    const most = { ...reply, text: long.slice(1) }
    expect(await boundedReply(scene, prompt, most)).toEqual(most)
  })
})
