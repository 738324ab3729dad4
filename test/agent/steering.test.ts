import { describe, expect, test } from 'vitest'
import { receive } from '../../src/command/door/reception.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { scriptedModel } from '../../src/model/scripted.ts'
import { countedTool, gate, gatedTool, modelFault, play, ruleModel, type Played } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { breathe, stage, terminal, type Stage } from './stage.ts'

const call = (...tools: string[]): StepInput => ({ calls: tools.map((tool) => ({ tool })) })
const answer = (text: string): StepInput => ({ reply: { text } })

async function said(at: Played): Promise<string[]> {
  return (await at.events('message-added')).map(({ message }) =>
    message.role === 'tool' ? `result ${message.synthetic ?? 'of'} ${message.tool}` : message.text,
  )
}

async function outcomes(at: Played): Promise<string[]> {
  return (await at.events('turn-ended')).map(({ outcome }) => outcome)
}

/** A turn that is in the middle of its tool, with this said meanwhile. */
async function whileToolRuns(meanwhile: readonly string[], steps: readonly StepInput[]): Promise<Played> {
  const tool = gatedTool('dig')
  const at = await play([call('dig'), ...steps], { tools: [tool] })
  await at.type('start')
  await tool.begun
  for (const text of meanwhile) await at.type(text)
  await breathe()
  tool.gate.open()
  await at.settle()
  await expectLawful(at.log)
  await expectEmpty(at.log)
  return at
}

describe('what a person says while a turn runs', () => {
  test('[TURN2] [TURN4] joins at its next step, behind the results, and has the same answer', async () => {
    const at = await whileToolRuns(
      ['more', 'and more'],
      [{ expect: { lastUser: 'and more' }, ...answer('All.') }],
    )
    expect(await said(at)).toEqual(['start', '', 'result of dig', 'more', 'and more', 'All.'])
    expect(at.sent.map(({ text }) => text)).toEqual(['All.'])
    expect(await outcomes(at)).toEqual(['answered'])
  })

  test('[TURN1] [TURN4] opens the next turn when there is no next step', async () => {
    const thinking = gate()
    const model = ruleModel(async ({ messages }) => {
      if (messages.length === 1) await thinking.opened
      return { text: `Re: ${messages.length}` }
    })
    const at = await stage({ models: { model }, settings: { model: 'model' } })
    await at.type('one')
    await breathe()
    await at.type('two')
    thinking.open()
    await at.settle()
    expect(at.sent.map(({ text }) => text)).toEqual(['Re: 1', 'Re: 3'])
    await expectLawful(at.log)
  })

  test('joins nothing when a command stands before it', async () => {
    const at = await whileToolRuns(['/clear', 'fresh'], [answer('Old.'), answer('New.')])
    expect(at.sent.map(({ text }) => text)).toEqual([
      'This will be done when the turn ends. /stop interrupts the turn.',
      'Old.',
      'Context cleared.',
      'New.',
    ])
    expect(at.prompts.at(-1)?.messages).toHaveLength(1)
  })

  test('as a mark is done at the end of the step, behind what was said before it', async () => {
    const at = await whileToolRuns(['/mark A', 'go on'], [answer('Done.')])
    const kinds = (await at.all()).filter(({ kind }) => kind === 'mark-set' || kind === 'message-added')
    expect(kinds.map(({ kind }) => kind)).toEqual([
      'message-added',
      'message-added',
      'message-added',
      'mark-set',
      'message-added',
      'message-added',
    ])
  })

  test('is not joined by what the host admits', async () => {
    const tool = gatedTool('dig')
    const at = await play([call('dig'), answer('First.'), answer('Second.')], { tools: [tool] })
    await at.type('start')
    await tool.begun
    const branch = await at.branch()
    const source = { from: 'host', tag: 'system' } as const
    await at.log.write((writing) =>
      writing.append({ kind: 'inbound-admitted', branch, at: 1, v: 1, source, form: 'message', text: 'job' }),
    )
    at.agent.wake([branch])
    await at.type('behind the job')
    tool.gate.open()
    await at.settle()
    expect(await said(at)).toEqual([
      'start',
      '',
      'result of dig',
      'First.',
      'job',
      'behind the job',
      'Second.',
    ])
    await expectLawful(at.log)
  })

  test('stops the turn at once when a pasted text says so', async () => {
    const at = await whileToolRuns(['/mark A\n/stop'], [])
    expect(at.sent.map(({ text }) => text)).toEqual(['Stopped.', "Checkpoint 'A' created."])
    expect(await outcomes(at)).toEqual(['stopped'])
  })
})

/** After whatever was stopped, the next message is answered as ever. */
async function expectAnswersNext(at: Played, text: string): Promise<void> {
  expect(await at.say('next')).toEqual([text])
  await expectLawful(at.log)
  await expectEmpty(at.log)
}

describe('/stop', () => {
  test('in the middle of a model call ends the turn without an answer', async () => {
    const at = await play([{ delayMs: 60_000 }, answer('Never.'), answer('Here.')])
    await at.type('start')
    await breathe()
    expect(await at.say('/stop')).toEqual(['Stopped.'])
    expect(await outcomes(at)).toEqual(['stopped'])
    expect(at.clock.sleepers).toBe(0)
    await expectAnswersNext(at, 'Never.')
  })

  test('[TURN7] [TURN4] in the middle of an answer keeps what was shown of it, in the log, the context and for whoever asked', async () => {
    const steps: StepInput[] = [{ pieces: ['The first ', 'half'] }, { delayMs: 60_000 }]
    const at = await play([...steps, answer('The rest.')])
    await at.type('start')
    await breathe()
    expect(await at.say('/stop')).toEqual(['The first half', 'Stopped.'])
    expect((await at.events('message-added')).slice(1).map(({ message }) => message)).toEqual([
      { role: 'assistant', text: 'The first half', calls: [], model: 'scripted', cut: 'stopped' },
      {
        role: 'note',
        author: { by: 'policy', name: 'host' },
        text: '(The person stopped this answer here.)',
      },
    ])
    expect(at.sent[0]).toMatchObject({ form: 'answer', text: 'The first half' })
    expect(await at.say('go on')).toEqual(['The rest.'])
    const prompt = at.prompts.at(-1)?.messages.map(({ role, text }) => `${role}: ${text}`)
    expect(prompt?.slice(-3)).toEqual([
      'assistant: The first half',
      'user: [note from the host]\n(The person stopped this answer here.)',
      expect.stringContaining('go on'),
    ])
    await expectLawful(at.log)
  })

  test('[TURN7] keeps nothing of what a retry or the next step of the turn replaced, and nothing that is blank', async () => {
    const overloaded: StepInput = { pieces: ['One '], error: { reason: 'overloaded' } }
    const thought: StepInput = { ...call('quick'), reply: { text: 'Let me look.' } }
    const steps: StepInput[] = [
      overloaded,
      thought,
      { pieces: [' \n'] },
      { delayMs: 60_000 },
      answer('Never.'),
    ]
    const at = await play(steps, { tools: [countedTool('quick')] })
    await at.type('start')
    await at.clock.pass(5_000)
    expect(await at.say('/stop')).toEqual(['Stopped.'])
    expect(await said(at)).toEqual(['start', 'Let me look.', 'result of quick'])
    await expectLawful(at.log)
  })

  test('[TURN3] in the middle of tools keeps the results that came, and says of the others that none did', async () => {
    const slow = gatedTool('slow')
    const quick = countedTool('quick')
    const at = await play([call('slow', 'quick'), answer('Here.')], { tools: [slow, quick] })
    await at.type('start')
    await slow.begun
    await breathe()
    expect(await at.say('/stop')).toEqual(['Stopped.'])
    expect(await said(at)).toEqual(['start', '', 'result of quick', 'result stopped slow'])
    slow.gate.open()
    await expectAnswersNext(at, 'Here.')
    expect(slow.runs).toHaveLength(1)
  })

  test('during the sleep before a retry does not wait for it', async () => {
    const overloaded: StepInput = { error: { reason: 'overloaded' } }
    const at = await play([overloaded, overloaded, answer('Here.')])
    await at.type('start')
    await at.clock.pass(1_000)
    expect(at.clock.sleepers).toBe(1)
    expect(await at.say('/stop')).toEqual(['Stopped.'])
    await expectAnswersNext(at, 'Here.')
  })

  test('right behind a message means the turn that is about to begin', async () => {
    const at = await play([answer('Here.')])
    await Promise.all([at.type('start'), at.type('/stop')])
    await at.settle()
    expect(at.sent.map(({ text }) => text)).toEqual(['Stopped.'])
    await expectAnswersNext(at, 'Here.')
  })

  test('where nothing runs says so', async () => {
    const at = await play([answer('Here.')])
    expect(await at.say('/stop')).toEqual(['Nothing is running here.'])
    await expectAnswersNext(at, 'Here.')
  })

  test('keeps what was stopped for /retry', async () => {
    const at = await play([{ delayMs: 60_000 }, answer('Here.')])
    await at.type('start')
    await breathe()
    await at.say('/stop')
    expect(await at.say('/retry')).toEqual(['Trying again.', 'Here.'])
    await expectLawful(at.log)
  })

  test('that comes with the last result of a tool leaves the acts of the step undone', async () => {
    const calls = [{ tool: 'slash', args: { command: 'mark', args: 'A' } }, { tool: 'quick' }]
    const at = await play([{ calls }, answer('Here.')], { tools: [countedTool('quick')] })
    const branch = await at.branch()
    at.agent.watch(({ kind }) => {
      if (kind === 'call-ended') void at.agent.stop(branch)
    })
    await at.say('start')
    expect(await said(at)).toEqual(['start', '', 'result of quick', 'result stopped slash'])
    expect(await at.events('mark-set')).toEqual([])
    await expectAnswersNext(at, 'Here.')
  })

  test('answers also when a tool does not stop', async () => {
    const deaf = countedTool('deaf', () => new Promise<string>(() => undefined))
    const at = await play([call('deaf'), answer('Here.')], { tools: [deaf] })
    await at.type('start')
    await breathe()
    expect(await at.say('/stop')).toEqual(['Stopped.'])
    await expectAnswersNext(at, 'Here.')
  })
})

/** The second message does not fit, and whoever sums up does not come to an end. */
async function summingUp(): Promise<Stage> {
  const small = scriptedModel([answer('Short.'), answer('Here.')], { contextTokens: 1_500 })
  const asked = gate()
  const slow = ruleModel((_, signal) => {
    asked.open()
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(modelFault('aborted'))))
  })
  const settings = { model: 'small', compactionModel: 'slow' }
  const at = await stage({ models: { small, slow }, settings })
  await at.say('word '.repeat(300))
  await at.type('word '.repeat(300))
  await asked.opened
  return at
}

describe('while room is made for a prompt that is too large', () => {
  test('/stop stops the turn', async () => {
    const at = await summingUp()
    await at.type('/stop')
    expect((await at.events('turn-ended')).map(({ outcome }) => outcome)).toEqual(['answered', 'stopped'])
    expect((await at.events('delivery-intended')).map(({ text }) => text)).toEqual(['Short.', 'Stopped.'])
  })

  test('closing leaves the turn to the next start, and tells nobody that it failed', async () => {
    const at = await summingUp()
    await at.close()
    expect(await at.events('turn-ended')).toHaveLength(1)
    expect(await at.events('delivery-intended')).toHaveLength(1)
  })
})

test('closing in the middle of a tool leaves its call open, and the next start says what became of it', async () => {
  const tool = gatedTool('dig')
  const at = await play([call('dig')], { tools: [tool] })
  await at.type('start')
  await tool.begun
  await at.close()
  await at.log.close()
  const again = await play([{ expect: { lastTool: 'Interrupted before a result' }, ...answer('Sorry.') }], {
    disk: at.disk,
    tools: [tool],
    seed: 8,
  })
  await again.settle()
  expect(again.sent.map(({ text }) => text)).toEqual(['Sorry.'])
  expect(tool.runs).toHaveLength(1)
  await expectLawful(again.log)
})

const from = (at: Played, text: string, more: { conversation?: string; thread?: string }) =>
  receive(at.desk, { ...terminal, origin: 'terminal', person: 'owner', messageId: null, text, ...more })

describe('what another conversation says', () => {
  test.each([{ conversation: 'other' }, { thread: '7' }])(
    '[TURN6] does not steer a turn: it has one of its own, answered where it was said (%o)',
    async (elsewhere) => {
      const tool = gatedTool('dig')
      const steps = [call('dig'), answer('To one.'), answer('To two.')]
      const at = await play(steps, { tools: [tool] })
      await at.type('one')
      await tool.begun
      await from(at, 'two', elsewhere)
      await breathe()
      tool.gate.open()
      await at.settle()
      expect(await said(at)).toEqual(['one', '', 'result of dig', 'To one.', 'two', 'To two.'])
      const { conversation = terminal.conversation } = elsewhere
      expect(at.sent.map(({ text, conversation }) => [text, conversation])).toEqual([
        ['To one.', terminal.conversation],
        ['To two.', conversation],
      ])
      await expectLawful(at.log)
      await expectEmpty(at.log)
    },
  )

  test('[TURN6] does not join a turn that is to be retried, nor do its commands pass it', async () => {
    const fault: StepInput = { error: { reason: 'overloaded', message: 'no luck' } }
    const at = await play([fault, fault, fault, fault, answer('To one.'), answer('To two.')])
    await at.type('one')
    await at.clock.pass(14_000)
    await at.settle()
    expect(await outcomes(at)).toEqual(['deferred'])
    await from(at, 'two', { thread: '7' })
    await from(at, '/mark AFTER-TWO', { thread: '7' })
    await at.settle()
    expect(await said(at)).toEqual(['one'])
    await at.clock.pass(60_000)
    await at.settle()
    expect(await said(at)).toEqual(['one', 'To one.', 'two', 'To two.'])
    await expectLawful(at.log)
    await expectEmpty(at.log)
  })
})
