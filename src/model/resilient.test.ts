import { describe, expect, test } from 'vitest'
import { calling, promptOf } from '../../test/stand-ins/model-at.ts'
import { type Model, ModelError, type Reply } from './contract/model.ts'
import { type FailurePolicy, startResilience } from './resilient.ts'
import { scriptedModel, type StepInput } from './scripted.ts'

const policy: FailurePolicy = {
  retriesMax: 3,
  retryBackoffMs: [0, 1000, 3000, 10_000],
  circuit: { threshold: 3, backoffMs: [1000, 5000, 30_000], resetMs: 300_000 },
}
const prompt = promptOf('hello')
const fails: StepInput = { error: { reason: 'overloaded' } }
const ok: StepInput = { reply: { text: 'ok' } }

/** A world whose time passes only by sleeping and by hand. */
function makeWorld(start = 1_000_000) {
  const world = {
    at: start,
    slept: [] as number[],
    now: () => world.at,
    sleep: async (ms: number, signal: AbortSignal) => {
      if (signal.aborted) throw new ModelError('aborted', 'stopped')
      world.slept.push(ms)
      world.at += ms
    },
  }
  return world
}

function failure(call: Promise<Reply>): Promise<ModelError> {
  return call.then(
    (reply) => {
      throw new Error(`replied ${reply.text}`)
    },
    (error: unknown) => error as ModelError,
  )
}

/** As often as the policy tries one call. */
function failedCalls(count: number): StepInput[] {
  return Array.from({ length: count * 4 }, () => fails)
}

function asks(retryAfterMs: number): StepInput {
  return { error: { reason: 'rate-limited', retryAfterMs } }
}

/** A fallback whose key is wrong. */
function useless(): Model {
  return scriptedModel([{ error: { reason: 'unauthorised' } }], { name: 'second' })
}

function scene(steps: StepInput[]) {
  const world = makeWorld()
  const model = scriptedModel(steps)
  const guarded = startResilience(policy, world).guard(model)
  return {
    world,
    model,
    failed: () => failure(guarded.call(prompt, calling())),
    call: () => guarded.call(prompt, calling()),
  }
}

describe('retries', () => {
  test('wait as the table says, before each further attempt', async () => {
    const world = makeWorld()
    const model = scriptedModel([fails, fails, fails, ok])
    const reply = await startResilience(policy, world).guard(model).call(prompt, calling())
    expect(reply.text).toBe('ok')
    expect(reply.answeredBy).toBeUndefined()
    expect(world.slept).toEqual([1000, 3000, 10_000])
  })

  test('the first entry is the wait before the first attempt, the last repeats', async () => {
    const world = makeWorld()
    const steps = Array.from({ length: 5 }, () => fails)
    const patient = { ...policy, retriesMax: 5, retryBackoffMs: [7, 20] }
    await startResilience(patient, world)
      .guard(scriptedModel([...steps, ok]))
      .call(prompt, calling())
    expect(world.slept).toEqual([7, 20, 20, 20, 20, 20])
  })

  test('end after so many, and the error says when to come back', async () => {
    const world = makeWorld()
    const model = scriptedModel([...failedCalls(1), ok])
    const error = await failure(startResilience(policy, world).guard(model).call(prompt, calling()))
    expect(error).toMatchObject({ reason: 'overloaded', nextTryAt: world.at + 1000 })
    expect(model.left()).toBe(1)
  })

  test('wait as long as the provider asks, if that is longer', async () => {
    const world = makeWorld()
    const model = scriptedModel([asks(2500), asks(100), ok])
    await startResilience(policy, world).guard(model).call(prompt, calling())
    expect(world.slept).toEqual([2500, 3000])
  })

  test('are left when the provider asks for more patience than anyone has', async () => {
    const world = makeWorld()
    const model = scriptedModel([{ error: { reason: 'rate-limited', retryAfterMs: 3_600_000 } }, ok])
    const error = await failure(startResilience(policy, world).guard(model).call(prompt, calling()))
    expect(error).toMatchObject({ reason: 'rate-limited', nextTryAt: world.at + 3_600_000 })
    expect(world.slept).toEqual([])
  })

  test.each(['rejected', 'unauthorised', 'unknown-model', 'overflow', 'unavailable', 'aborted'] as const)(
    'are not for what is %s',
    async (reason) => {
      const model = scriptedModel([{ error: { reason } }, ok])
      const error = await failure(startResilience(policy, makeWorld()).guard(model).call(prompt, calling()))
      expect(error).toMatchObject({ reason, nextTryAt: undefined })
      expect(model.left()).toBe(1)
    },
  )

  test.each(['rate-limited', 'overloaded', 'network', 'timeout', 'garbled'] as const)(
    'are for what is %s',
    async (reason) => {
      const model = scriptedModel([{ error: { reason } }, ok])
      const reply = await startResilience(policy, makeWorld()).guard(model).call(prompt, calling())
      expect(reply.text).toBe('ok')
    },
  )

  test('are told, because the pieces told before are void', async () => {
    const told: string[] = []
    const model = scriptedModel([fails, ok])
    await startResilience(policy, makeWorld())
      .guard(model)
      .call(
        prompt,
        calling({
          onRetry: ({ model, attempt, waitMs, error }) =>
            told.push(`${model} ${attempt} ${waitMs} ${error.reason}`),
        }),
      )
    expect(told).toEqual(['scripted 1 1000 overloaded'])
  })

  test('end with an abort', async () => {
    const controller = new AbortController()
    const model: Model = {
      name: 'm',
      contextTokens: 1,
      call: () => {
        controller.abort()
        return Promise.reject(new ModelError('overloaded', 'busy'))
      },
    }
    const guarded = startResilience(policy, makeWorld()).guard(model)
    const error = await failure(guarded.call(prompt, calling({ signal: controller.signal })))
    expect(error.reason).toBe('aborted')
  })

  test('a bug is not retried and not dressed up', async () => {
    const bug = new TypeError('undefined is not a function')
    const model: Model = { name: 'm', contextTokens: 1, call: () => Promise.reject(bug) }
    expect(await failure(startResilience(policy, makeWorld()).guard(model).call(prompt, calling()))).toBe(bug)
  })
})

describe('the circuit', () => {
  test('opens after three calls that failed after their retries, then refuses at once', async () => {
    const { world, model, failed } = scene([...failedCalls(3), ok])
    for (let call = 0; call < 2; call++) expect((await failed()).reason).toBe('overloaded')
    expect(await failed()).toMatchObject({ reason: 'overloaded', nextTryAt: world.at + 1000 })
    const left = model.left()
    expect(await failed()).toMatchObject({
      reason: 'circuit-open',
      retriable: true,
      nextTryAt: world.at + 1000,
    })
    expect(model.left()).toBe(left)
  })

  test('a reply in between starts the count anew', async () => {
    const { failed, call } = scene([...failedCalls(2), ok, ...failedCalls(2), ok])
    await failed()
    await failed()
    await call()
    await failed()
    await failed()
    expect((await call()).text).toBe('ok')
  })

  test('before it opens, each failure in a row puts the next try off further; a reply ends the row', async () => {
    const { world, failed, call } = scene([...failedCalls(2), ok, ...failedCalls(1)])
    expect((await failed()).nextTryAt).toBe(world.at + 1000)
    expect((await failed()).nextTryAt).toBe(world.at + 5000)
    await call()
    expect((await failed()).nextTryAt).toBe(world.at + 1000)
  })

  test('waits longer each time that it opens in a row, and the last wait repeats', async () => {
    const { world, failed } = scene(failedCalls(7))
    await failed()
    await failed()
    for (const wait of [1000, 5000, 30_000, 30_000]) {
      const error = await failed()
      expect(error.nextTryAt).toBe(world.at + wait)
      world.at += wait - 1
      expect((await failed()).reason).toBe('circuit-open')
      world.at += 1
    }
  })

  test('one reply closes it, and the waits begin again', async () => {
    const { world, failed, call } = scene([...failedCalls(4), ok, ...failedCalls(3)])
    for (let n = 0; n < 3; n++) await failed()
    world.at += 1000
    await failed()
    world.at += 5000
    expect((await call()).text).toBe('ok')
    await failed()
    await failed()
    expect((await failed()).nextTryAt).toBe(world.at + 1000)
  })

  test('lets one call through when it is half open; the others wait for what becomes of it', async () => {
    const world = makeWorld()
    const gate = Promise.withResolvers<void>()
    let isDown = true
    let calls = 0
    const model: Model = {
      name: 'm',
      contextTokens: 1,
      call: async () => {
        calls++
        if (isDown) throw new ModelError('overloaded', 'busy')
        await gate.promise
        return scriptedModel([ok]).call(prompt, calling())
      },
    }
    const guarded = startResilience({ ...policy, retriesMax: 0 }, world).guard(model)
    for (let n = 0; n < 3; n++) await failure(guarded.call(prompt, calling()))
    world.at += 1000
    isDown = false
    const all = [1, 2, 3].map(() => guarded.call(prompt, calling()))
    await Promise.resolve()
    expect(calls).toBe(4)
    gate.resolve()
    expect((await Promise.all(all)).map(({ text }) => text)).toEqual(['ok', 'ok', 'ok'])
  })

  test('when the one that is let through fails, those that waited are refused', async () => {
    const world = makeWorld()
    const gate = Promise.withResolvers<void>()
    let calls = 0
    const model: Model = {
      name: 'm',
      contextTokens: 1,
      call: async () => {
        calls++
        if (calls > 3) await gate.promise
        throw new ModelError('overloaded', 'busy')
      },
    }
    const guarded = startResilience({ ...policy, retriesMax: 0 }, world).guard(model)
    for (let n = 0; n < 3; n++) await failure(guarded.call(prompt, calling()))
    world.at += 1000
    const all = [1, 2, 3].map(() => failure(guarded.call(prompt, calling())))
    gate.resolve()
    expect((await Promise.all(all)).map(({ reason }) => reason)).toEqual([
      'overloaded',
      'circuit-open',
      'circuit-open',
    ])
    expect(calls).toBe(4)
  })

  test('forgets all after five quiet minutes', async () => {
    const { world, failed } = scene(failedCalls(6))
    await failed()
    await failed()
    world.at += 300_000
    await failed()
    expect((await failed()).reason).toBe('overloaded')
    expect((await failed()).nextTryAt).toBe(world.at + 1000)
    world.at += 300_000
    expect((await failed()).nextTryAt).toBe(world.at + 1000)
  })

  test('is not moved by errors that waiting does not help', async () => {
    const rejected: StepInput = { error: { reason: 'rejected' } }
    const { failed, call } = scene([rejected, rejected, rejected, rejected, ok])
    for (let n = 0; n < 4; n++) await failed()
    expect((await call()).text).toBe('ok')
  })

  test('belongs to the model, whoever calls it', async () => {
    const world = makeWorld()
    const resilience = startResilience(policy, world)
    const model = scriptedModel(failedCalls(3))
    for (let n = 0; n < 3; n++) await failure(resilience.guard(model).call(prompt, calling()))
    expect((await failure(resilience.guard(model).call(prompt, calling()))).reason).toBe('circuit-open')
    const other = scriptedModel([ok], { name: 'other' })
    expect((await resilience.guard(other).call(prompt, calling())).text).toBe('ok')
  })
})

describe('a fallback', () => {
  test('begins the answer again: what was told of it before is void', async () => {
    const broken: StepInput = { pieces: ['One'], error: { reason: 'network' } }
    const second = scriptedModel([{ reply: { text: 'Two' } }], { name: 'second' })
    const resilience = startResilience({ ...policy, retriesMax: 0 }, makeWorld())
    const guarded = resilience.guard(scriptedModel([broken]), [second])
    let shown = ''
    const reply = await guarded.call(
      prompt,
      calling({ onText: (piece) => (shown += piece), onRetry: () => (shown = '') }),
    )
    expect(shown).toBe(reply.text)
  })

  test('answers when the model failed after its retries, and the reply says so', async () => {
    const fallback = scriptedModel([ok], { name: 'second' })
    const guarded = startResilience(policy, makeWorld()).guard(scriptedModel(failedCalls(1)), [fallback])
    expect(await guarded.call(prompt, calling())).toMatchObject({ text: 'ok', answeredBy: 'second' })
  })

  test('answers while the circuit is open, without a wait', async () => {
    const world = makeWorld()
    const fallback = scriptedModel([ok, ok, ok, ok], { name: 'second' })
    const guarded = startResilience(policy, world).guard(scriptedModel(failedCalls(3)), [fallback])
    for (let n = 0; n < 3; n++) await guarded.call(prompt, calling())
    const slept = world.slept.length
    expect(await guarded.call(prompt, calling())).toMatchObject({ answeredBy: 'second' })
    expect(world.slept).toHaveLength(slept)
  })

  test('is not asked about what the model refused', async () => {
    const fallback = scriptedModel([ok], { name: 'second' })
    const refusing = scriptedModel([{ error: { reason: 'overflow' } }])
    const guarded = startResilience(policy, makeWorld()).guard(refusing, [fallback])
    expect((await failure(guarded.call(prompt, calling()))).reason).toBe('overflow')
    expect(fallback.left()).toBe(1)
  })

  test('that is no use leaves the word to the next, and the error to the model that was asked', async () => {
    const third = scriptedModel([ok], { name: 'third' })
    const world = makeWorld()
    const answered = startResilience(policy, world).guard(scriptedModel(failedCalls(1)), [useless(), third])
    expect(await answered.call(prompt, calling())).toMatchObject({ answeredBy: 'third' })
    const alone = startResilience(policy, world).guard(scriptedModel(failedCalls(1)), [useless()])
    expect(await failure(alone.call(prompt, calling()))).toMatchObject({
      reason: 'overloaded',
      message: 'scripted: overloaded',
      nextTryAt: expect.any(Number),
    })
  })
})
