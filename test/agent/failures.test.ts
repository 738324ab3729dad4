import { describe, expect, test } from 'vitest'
import { ModelError, type ModelErrorReason } from '../../src/model/contract/model.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { scriptedModel } from '../../src/model/scripted.ts'
import { countedTool, gatedTool, modelFault, play, ruleModel } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { breathe, stage, START, terminal, type Stage } from './stage.ts'

const answer = (text: string): StepInput => ({ reply: { text } })
const fails = (reason: ModelErrorReason, times = 1): StepInput[] =>
  Array.from({ length: times }, () => ({ error: { reason } }))

function texts({ sent }: Stage): string[] {
  return sent.map(({ text }) => text)
}

async function outcomes(at: Stage): Promise<string[]> {
  return (await at.events('turn-ended')).map(({ outcome }) => outcome)
}

/** TURN5: assistants said only what models said. */
async function expectOnlyAnswers(at: Stage, answers: readonly string[]): Promise<void> {
  const said = (await at.events('message-added')).filter(({ message }) => message.role === 'assistant')
  expect(said.map(({ message }) => message.text)).toEqual(answers)
  await expectLawful(at)
}

/** A model that cannot be reached before this time. */
function downUntil(time: number, now: () => number) {
  return ruleModel(({ messages }) => {
    if (now() < time) throw modelFault('overloaded')
    return { text: `Read ${messages.filter(({ role }) => role === 'user').length}.` }
  })
}

async function down(ms: number, options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const model = downUntil(START + ms, () => at.clock.now())
  const at: Stage = await stage({ ...options, models: { model }, settings: { model: 'model' } })
  return at
}

describe('a failure that may pass', () => {
  test.each(['rate-limited', 'overloaded', 'network', 'timeout', 'garbled'] as const)(
    '[TURN4] [TURN5] of the model call alone is retried, and the person hears nothing of it: %s',
    async (reason) => {
      const tool = countedTool('dig')
      const steps = [...fails(reason), { calls: [{ tool: 'dig' }] }, ...fails(reason, 2), answer('Here.')]
      const at = await play(steps, { tools: [tool] })
      await at.type('hi')
      await at.clock.pass(20_000)
      expect(texts(at)).toEqual(['Here.'])
      expect(tool.runs).toHaveLength(1)
      await expectOnlyAnswers(at, ['', 'Here.'])
    },
  )

  test('[TURN4] [TURN5] and does not is said once with the time of the next try, and answered when it can be', async () => {
    const at = await down(40_000)
    await at.type('hi')
    await at.clock.pass(14_000)
    expect(texts(at)).toEqual([
      "the model is overloaded. Your message is kept, and I'll try again at 09:30 (in 1 s). /retry tries at once.",
    ])
    await at.clock.pass(60_000)
    expect(texts(at).slice(1)).toEqual(['Read 1.'])
    expect(await outcomes(at)).toEqual(['deferred', 'deferred', 'answered'])
    await expectOnlyAnswers(at, ['Read 1.'])
    await expectEmpty(at.log)
  })

  test('of six calls in a row opens the circuit; what is said meanwhile joins without a second notice', async () => {
    const at = await down(400_000)
    await at.type('one')
    await at.clock.pass(30_000)
    await at.type('two')
    await at.clock.pass(100_000)
    const calls = (await at.events('model-failed')).map(({ reason }) => reason)
    expect(calls.length).toBeGreaterThanOrEqual(3)
    expect(texts(at)).toHaveLength(1)
    await at.clock.pass(400_000)
    expect(texts(at).slice(1)).toEqual(['Read 2.'])
    const failed = (await at.events('model-failed')).length
    expect(failed).toBeGreaterThanOrEqual(6)
    await expectOnlyAnswers(at, ['Read 2.'])
    await expectEmpty(at.log)
  })

  test('[RECV1] outlives a restart, with its time and without a second notice', async () => {
    const first = await down(40_000)
    await first.type('hi')
    await first.clock.pass(14_500)
    expect(await outcomes(first)).toEqual(['deferred'])
    await first.close()
    await first.log.close()
    const again = await down(40_000, { disk: first.disk, clock: first.clock, seed: 8 })
    await breathe()
    expect(await outcomes(again)).toEqual(['deferred'])
    await again.clock.pass(100_000)
    expect(texts(again)).toEqual(['Read 1.'])
    await expectOnlyAnswers(again, ['Read 1.'])
  })

  const patient: StepInput = { error: { reason: 'rate-limited', retryAfterMs: 120_000 } }

  test('is tried at once after /retry, with all that was said since', async () => {
    const at = await play([patient, answer('Both.')])
    await at.say('one')
    expect(await at.say('two')).toEqual([])
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Both.'])
    const said = (await at.events('message-added')).map(({ message }) => message.text)
    expect(said).toEqual(['one', 'two', 'Both.'])
    await expectOnlyAnswers(at, ['Both.'])
  })

  test('lets commands through that were typed behind a message', async () => {
    const at = await play([patient, answer('Fresh.')])
    await at.say('one')
    await at.say('two')
    expect(await at.say('/mark A\na note for it\n/fork A')).toContainEqual(
      expect.stringMatching(/^Forked\. Child: \w{6} \(from A\)/),
    )
    expect(await at.say('/clear')).toEqual(['Context cleared.'])
    expect(await at.say('/retry')).toEqual(['There is nothing to retry here.'])
    await expectEmpty(at.log)
    await expectLawful(at)
  })

  test('is told again to whoever asks for a retry that cannot be', async () => {
    const at = await down(400_000)
    await at.type('one')
    await at.clock.pass(85_000)
    const before = at.sent.length
    expect(before).toBe(1)
    expect(await at.say('/retry')).toEqual([
      'Trying again.',
      "model failed too often, so it is not called for a while. Your message is kept, and I'll try again at 09:31 (in 27 s).",
    ])
    await at.clock.pass(100_000)
    expect(at.sent).toHaveLength(before + 2)
  })

  test('in the middle of a turn is said again when the model had answered in between', async () => {
    const tool = countedTool('dig')
    const at = await play([patient, { calls: [{ tool: 'dig' }] }, patient, answer('Here.')], {
      tools: [tool],
    })
    await at.type('hi')
    await at.clock.pass(300_000)
    expect(texts(at)).toEqual([
      expect.stringContaining("I'll try again at 09:32"),
      expect.stringContaining("I'll try again at 09:34"),
      'Here.',
    ])
    expect(tool.runs).toHaveLength(1)
    await expectOnlyAnswers(at, ['', 'Here.'])
  })

  test('in the middle of a turn is said again also when the process died in between', async () => {
    const tool = gatedTool('dig')
    const at = await play([patient, { calls: [{ tool: 'dig' }] }], { tools: [tool] })
    await at.type('hi')
    await at.clock.pass(121_000)
    await at.close()
    await at.log.close()
    const again = await play([patient], { disk: at.disk, clock: at.clock, seed: 8, tools: [tool] })
    await again.settle()
    expect(texts(again)).toEqual([expect.stringContaining("I'll try again at 09:34")])
  })

  test('that names a time which is past is tried again after the usual wait', async () => {
    const model = ruleModel(() => {
      throw new ModelError('circuit-open', 'busy', { nextTryAt: START - 1 })
    })
    const at = await stage({ models: { model }, settings: { model: 'model', retryMs: 7_000 } })
    await at.type('hi')
    await at.clock.pass(14_000)
    expect(await at.events('turn-ended')).toMatchObject([{ outcome: 'deferred', retryAt: START + 21_000 }])
  })

  test('does not keep a note from being taken when the person is impatient', async () => {
    const at = await play([patient, answer('Here.')])
    await at.say('hi')
    const branch = await at.branch()
    const source = { from: 'person', ...terminal, person: 'owner', key: null } as const
    await at.log.write((writing) =>
      writing.append({ kind: 'inbound-admitted', branch, at: 1, v: 1, source, form: 'note', text: 'psst' }),
    )
    at.agent.hurry(branch)
    await at.settle()
    expect(texts(at).at(-1)).toBe('Here.')
    await expectEmpty(at.log)
  })
})

describe('a failure that stays', () => {
  test.each(['unauthorised', 'unknown-model', 'rejected', 'unavailable'] as const)(
    '[TURN5] is said with what to do, and /retry brings the message back: %s',
    async (reason) => {
      const at = await play([...fails(reason), answer('Here.')])
      expect(await at.say('hi')).toEqual([
        `scripted: ${reason}. Your message is kept; /retry sends it again.`,
      ])
      expect(await outcomes(at)).toEqual(['failed'])
      expect(await at.say('/retry')).toEqual(['Trying again.', 'Here.'])
      await expectOnlyAnswers(at, ['Here.'])
      await expectEmpty(at.log)
    },
  )

  test('[TURN3] in the middle of a turn runs no tool again after /retry', async () => {
    const tool = countedTool('dig')
    const at = await play([{ calls: [{ tool: 'dig' }] }, ...fails('rejected'), answer('Here.')], {
      tools: [tool],
    })
    await at.say('hi')
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Here.'])
    expect(tool.runs).toHaveLength(1)
  })

  test('[TURN4] is not taken up again once it was answered', async () => {
    const at = await play([...fails('rejected'), answer('Here.')])
    await at.say('hi')
    await at.say('/retry')
    at.agent.hurry(await at.branch())
    await at.settle()
    expect(await outcomes(at)).toEqual(['failed', 'answered'])
  })

  test('is answered together with the next message, if there is one', async () => {
    const at = await play([...fails('rejected'), answer('Both.')])
    await at.say('one')
    expect(await at.say('two')).toEqual(['Both.'])
    expect(at.prompts.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'user'])
  })

  test('such as a model that is not there can be mended with /model', async () => {
    const at = await play([answer('Here.')], { settings: { model: 'gone' } })
    expect(await at.say('hi')).toEqual([
      "there is no model 'gone' here. Your message is kept; /retry sends it again.",
    ])
    await at.say('/model scripted')
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Here.'])
  })

  test('of a child reaches its parent, also when the child wrote before', async () => {
    const send = { tool: 'slash', args: { command: 'send', args: 'main soon' } }
    const at = await play([{ calls: [send] }, ...fails('rejected')])
    expect((await at.say('/fork -- dig')).at(-1)).toMatch(
      /^\w{6} failed: scripted: rejected\. The task is kept/,
    )
    const mail = (await at.events('mail-sent')).map(({ text }) => text)
    expect(mail).toEqual(['soon', expect.stringMatching(/\/switch \w{6} and \/retry continue it\.$/)])
  })
})

describe('a prompt that is too large', () => {
  test('is refused with what to do; nothing is lost, and /clear makes room', async () => {
    const small = scriptedModel([answer('Short.'), answer('Fits.')], { contextTokens: 1_500 })
    const at = await stage({ models: { small }, settings: { model: 'small' } })
    await at.say('/context policy explicit')
    expect(await at.say('hi')).toEqual(['Short.'])
    const [refused] = await at.say('long '.repeat(2_000))
    expect(refused).toMatch(
      /^Your message alone does not fit into small: it has about 2\d{3} tokens, and besides AGENTS\.md, the tools and the answer, \d{3} of its 1500 are left/,
    )
    expect(refused).toContain('/clear or /rewind MARK takes it out; then send it in smaller parts.')
    expect(small.prompts).toHaveLength(1)
    expect(await at.say('/clear')).toEqual(['Context cleared.'])
    expect(await at.say('again, shorter')).toEqual(['Fits.'])
    expect(
      (await at.events('message-added')).filter(({ message }) => message.text.startsWith('long')),
    ).toHaveLength(1)
    await expectLawful(at)
  })

  test('by the count of the provider though little was said is told with what helps then', async () => {
    const at = await play([...fails('overflow'), answer('Here.')])
    await at.say('/context policy explicit')
    expect(await at.say('hi')).toEqual([
      expect.stringMatching(
        /^scripted: overflow\. AGENTS\.md, the tools and the room for an answer already fill scripted\. Shorten AGENTS\.md and \/reload, or lower chatMaxTokens, or choose a model/,
      ),
    ])
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Here.'])
    await expectOnlyAnswers(at, ['Here.'])
  })

  test('is answered by a larger model after /model and /retry', async () => {
    const small = scriptedModel([], { contextTokens: 1_500 })
    const at = await play([answer('Long.')], { models: { small }, settings: { model: 'small' } })
    await at.say('long '.repeat(2_000))
    await at.say('/model scripted')
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Long.'])
  })
})
