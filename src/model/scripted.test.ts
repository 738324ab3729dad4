import { describe, expect, test } from 'vitest'
import { calling, promptOf, toolNamed } from '../../test/stand-ins/model-at.ts'
import { ModelError } from './contract/model.ts'
import { scriptedModel } from './scripted.ts'

const prompt = promptOf('what is the time?', { tools: [toolNamed('clock')] })

test('steps are taken in their order, and prompts are remembered', async () => {
  const model = scriptedModel([{ calls: [{ tool: 'clock', args: {} }] }, { reply: { text: 'noon' } }])
  const first = await model.call(prompt, calling())
  expect(first).toMatchObject({ finish: 'calls', calls: [{ tool: 'clock', args: {} }] })
  expect(await model.call(prompt, calling())).toMatchObject({ finish: 'stop', text: 'noon' })
  expect(model.prompts).toEqual([prompt, prompt])
  expect(model.left()).toBe(0)
})

test('running out of steps is an error that says so', async () => {
  const model = scriptedModel([{ reply: { text: 'one' } }])
  await model.call(prompt, calling())
  await expect(model.call(prompt, calling())).rejects.toThrow('the script has 1 steps, and all are used up')
})

test('two runs of a script are alike', async () => {
  const steps = [{ reply: { text: 'a' }, calls: [{ tool: 'clock' }, { tool: 'clock', badArgs: '{' }] }]
  const run = () => scriptedModel(steps).call(prompt, calling())
  expect(await run()).toEqual(await run())
})

test('text is told in the pieces of the step', async () => {
  const told: string[] = []
  const model = scriptedModel([{ reply: { text: 'noon' }, pieces: ['no', 'on'] }])
  await model.call(prompt, calling({ onText: (piece) => told.push(piece) }))
  expect(told).toEqual(['no', 'on'])
})

test('an error has the reason, and the wait, of the step', async () => {
  const model = scriptedModel([{ error: { reason: 'rate-limited', retryAfterMs: 5 } }])
  const call = model.call(prompt, calling())
  await expect(call).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 5, retriable: true })
})

describe('an expectation', () => {
  test.each([
    [{ lastUser: '^what' }, true],
    [{ lastUser: '^where' }, false],
    [{ system: 'kind' }, true],
    [{ system: 'rude' }, false],
    [{ tools: ['clock'] }, true],
    [{ tools: ['clock', 'calendar'] }, false],
    [{ toolChoice: 'auto' as const }, true],
    [{ toolChoice: 'none' as const }, false],
    [{ lastTool: 'noon' }, false],
  ])('%o is met: %s', async (expected, isMet) => {
    const model = scriptedModel([{ expect: expected }, { reply: { text: 'noon' } }])
    const said = await model.call(prompt, calling()).then(
      ({ text }) => text,
      (error: Error) => error.message,
    )
    expect(said).toMatch(isMet ? /^noon$/ : /^scripted: step 1 expected/)
  })
})

describe('an abort', () => {
  test('ends a delay at once', async () => {
    const controller = new AbortController()
    const model = scriptedModel([{ delayMs: 1_000_000, reply: { text: 'late' } }])
    const call = model.call(prompt, calling({ signal: controller.signal }))
    controller.abort()
    await expect(call).rejects.toMatchObject({ reason: 'aborted' })
  })

  test('before the call takes effect too', async () => {
    const call = scriptedModel([{ reply: { text: 'late' } }]).call(
      prompt,
      calling({ signal: AbortSignal.abort() }),
    )
    await expect(call).rejects.toBeInstanceOf(ModelError)
  })
})
