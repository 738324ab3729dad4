import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../../../test/stand-ins/model-answer.ts'
import { calling, modelAt, promptOf, toolNamed } from '../../../test/stand-ins/model-at.ts'
import { type ModelServer, startModelServer } from '../../../test/stand-ins/model-server.ts'
import { startThinkTag } from './think-tag.ts'

let server: ModelServer
beforeEach(async () => {
  server = await startModelServer()
})
afterEach(() => server.close())

describe.each(['openai-compatible', 'ollama'])('%s', (provider) => {
  async function replyTo(answer: Answer) {
    server.will(answer)
    const told: string[] = []
    const onText = (piece: string): void => void told.push(piece)
    const prompt = promptOf('hello', { tools: [toolNamed('read')] })
    const { text, reasoning, calls } = await modelAt(server, provider).call(prompt, calling({ onText }))
    expect(told.join('')).toBe(text)
    expect(told).not.toContain('')
    return { text, thoughts: reasoning.map((thought) => thought.text), calls: calls.length }
  }

  test.each([
    [
      '<think>\nThey greet me. <b>Greet</b> back.\n</think>\n\nHello!',
      'They greet me. <b>Greet</b> back.',
      'Hello!',
    ],
    ['\n <think></think>\n\nHello!', undefined, 'Hello!'],
    ['<think>a</think>b</think> <think>c</think>', 'a', 'b</think> <think>c</think>'],
    ['The tag <think>x</think> is for thoughts.', undefined, 'The tag <think>x</think> is for thoughts.'],
    ['<thinking> is another tag', undefined, '<thinking> is another tag'],
    ['<think> is how thoughts begin', undefined, '<think> is how thoughts begin'],
    ['  <th', undefined, '  <th'],
  ])('thoughts before the answer are no answer, and are not told: %j', async (said, thought, text) =>
    expect(await replyTo({ blocks: [{ text: said }] })).toEqual({
      text,
      thoughts: thought === undefined ? [] : [thought],
      calls: 0,
    }),
  )

  test('thoughts that a limit or a call ended are thoughts', async () => {
    const blocks = [{ text: '<think>It is long' }]
    expect(await replyTo({ blocks, finish: 'length' })).toMatchObject({ text: '', thoughts: ['It is long'] })
    const call = { call: 'read', id: 'a', args: '{}' }
    expect(await replyTo({ blocks: [...blocks, call] })).toEqual({
      text: '',
      thoughts: ['It is long'],
      calls: 1,
    })
  })

  test('such thoughts are not sent back', async () => {
    server.will({ blocks: [{ text: '<think>secret plan</think>Hello!' }] })
    const model = modelAt(server, provider)
    const { text, reasoning } = await model.call(promptOf('hello'), calling())
    const said = { role: 'assistant' as const, text, reasoning, calls: [] }
    await model.call(
      promptOf([{ role: 'user', text: 'hi' }, said, { role: 'user', text: 'go on' }]),
      calling(),
    )
    expect(JSON.stringify(server.requests[1]?.body)).toContain('Hello!')
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('secret plan')
  })
})

test('the result is the same however the text is cut into pieces', () =>
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('<think>', '</think>', '<th', '</', 'ink>', ' ', '\n', 'word')),
      fc.array(fc.nat()),
      fc.boolean(),
      (parts, cuts, isCut) => {
        const all = parts.join('')
        const places = [...cuts.map((cut) => cut % (all.length + 1)), 0, all.length].toSorted((a, b) => a - b)
        const read = (pieces: readonly string[]) => {
          const tag = startThinkTag()
          const told = pieces.map((piece) => tag.take(piece)).join('')
          const { text, reasoning } = tag.end(isCut)
          return { text: told + text, reasoning }
        }
        expect(read(places.map((place, at) => all.slice(places[at - 1] ?? 0, place)))).toEqual(read([all]))
        if (!/^\s*<think>/.test(all)) expect(read([all])).toEqual({ text: all, reasoning: [] })
      },
    ),
  ))
