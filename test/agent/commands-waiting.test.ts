import { describe, expect, test } from 'vitest'
import { gatedTool, play } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { children, ended, lastText, ruled, said, slowly, stateOf, typed } from './rig.ts'
import { breathe } from './stage.ts'

const WAITS = 'This will be done when the turn ends. /stop interrupts the turn.'

/** A turn of two steps: a tool that waits at a gate, then an answer. */
async function inTool(answer = 'done') {
  const tool = gatedTool('look')
  const at = await play(
    [{ calls: [{ tool: 'look', args: {} }] }, { reply: { text: answer } }, { reply: { text: 'next' } }],
    { tools: [tool] },
  )
  await at.type('look around')
  await tool.begun
  return { at, tool }
}

describe('while a turn runs', () => {
  test.each(['/clear', '/rewind', '/undo', '/redo', '/new', '/reload', '/retry'])(
    '%s waits for its end and says so',
    async (line) => {
      const { at, tool } = await inTool()
      expect(await typed(at, line)).toEqual([WAITS])
      expect(await at.events('command-run')).toEqual([])
      tool.gate.open()
      await at.settle()
      const [run] = await at.events('command-run')
      const [turn] = await at.events('turn-ended')
      expect(run?.line).toBe(line)
      expect(run?.position).toBeGreaterThan(turn?.position ?? Infinity)
      await expectLawful(at)
      await expectEmpty(at.log)
    },
  )

  test.each([
    ['/note careful', 'Noted.'],
    ['/mark M', "Checkpoint 'M' created."],
    ['/check-mail', 'No messages'],
  ])('%s waits for the end of the step, and says nothing before', async (line, done) => {
    const { at, tool } = await inTool()
    expect(await typed(at, line)).toEqual([])
    tool.gate.open()
    await at.settle()
    const [run] = await at.events('command-run')
    const result = (await at.events('message-added')).find(({ message }) => message.role === 'tool')
    const second = (await at.events('model-called'))[1]
    expect(run?.output).toBe(done)
    expect(run?.position).toBeGreaterThan(result?.position ?? Infinity)
    expect(run?.position).toBeLessThan(second?.position ?? 0)
    await expectLawful(at)
  })

  test.each([
    ['/agents', /^\* main: working for 0 s/],
    ['/context', /^What scripted would see now in main, turn 1:/],
    ['/help stop', /^\/stop\n/],
    ['/cost', /^Today /],
    ['/model', /^The model is scripted\./],
    ['/thinking', /^Thinking is off\./],
    ['/system', /^You are a test\./],
    ['/send main hi', /^Sent to main\./],
    ['/fork -- count', /^Forked\. Child: \w{6}$/],
    ['/kill main', /^The main session cannot be killed/],
    ['/switch main', /^You are already talking to main\./],
    ['/exit', /^Nothing to exit/],
  ])('%s acts at once', async (line, output) => {
    const { at, tool } = await inTool()
    expect((await typed(at, line))[0]).toMatch(output)
    expect(at.agent.busy).toContain(await at.branch())
    tool.gate.open()
    await at.settle()
    await expectLawful(at)
  })

  test('/stop interrupts it, and what waited is done', async () => {
    const { at } = await inTool()
    await typed(at, '/clear')
    expect(await at.say('/stop')).toEqual(['Stopped.', 'Context cleared.'])
    expect((await at.events('turn-ended')).map(({ outcome }) => outcome)).toEqual(['stopped'])
    expect(await at.say('/stop')).toEqual(['Nothing is running here.'])
    await expectLawful(at)
  })

  test('/stop in the midst of a text acts at once, and the rest of the text follows', async () => {
    const { at, tool } = await inTool()
    await typed(at, '/note first\n/stop\n/mark HERE')
    await at.settle()
    expect(at.sent.map(({ text }) => text)).toEqual(['Stopped.', 'Noted.', "Checkpoint 'HERE' created."])
    tool.gate.open()
    expect((await at.events('turn-ended')).map(({ outcome }) => outcome)).toEqual(['stopped'])
    await expectLawful(at)
  })

  test('messages and commands of one text keep their order', async () => {
    const slow = slowly({ text: 'first answer' })
    const at = await ruled((prompt, signal) =>
      lastText(prompt) === 'first' ? slow.reply(signal) : { text: `heard: ${lastText(prompt)}` },
    )
    await at.type('first')
    await slow.begun.opened
    expect(await typed(at, '/mark A\nsecond\n/clear A\nthird\n/mark B\n/agents')).toEqual([WAITS])
    await typed(at, 'fourth')
    slow.go.open()
    await at.settle()
    expect(at.sent.slice(1).map(({ text }) => text.split('\n')[0]?.replace(/:.*old.*/, ''))).toEqual([
      'first answer',
      "Checkpoint 'A' created.",
      'heard: second',
      "Rewound to 'A'.",
      'heard: third',
      "Checkpoint 'B' created.",
      '* main',
      'heard: fourth',
    ])
    expect(at.model.prompts.map(said)).toEqual([
      ['first'],
      ['first', 'second'],
      ['first', 'third'],
      ['first', 'third', 'fourth'],
    ])
    await expectLawful(at)
    await expectEmpty(at.log)
  })
})

describe('what waits', () => {
  test('is still there after a restart, and the turn that it waits for goes on first', async () => {
    const { at } = await inTool()
    await typed(at, '/mark A\n/clear\nhello')
    await typed(at, '/note later')
    const after = await play([{ reply: { text: 'looked' } }, { reply: { text: 'hello!' } }], await ended(at))
    await after.settle()
    expect(after.sent.map(({ text }) => text)).toEqual([
      "Checkpoint 'A' created.",
      'looked',
      'Context cleared.',
      'hello!',
      'Noted.',
    ])
    expect(after.prompts.map((prompt) => said(prompt))).toEqual([['look around'], ['hello']])
    await expectLawful(after)
    await expectEmpty(after.log)
  })

  test('is done once, however often the process ends', async () => {
    const { at } = await inTool()
    await typed(at, '/fork -- count\n/send main one letter')
    let disk = await ended(at)
    for (let n = 0; n < 3; n++) {
      const next = await ruled((_, signal) => slowly({}).reply(signal), disk)
      await breathe()
      disk = await ended(next)
    }
    const last = await ruled(() => ({ text: 'ok' }), disk)
    await last.settle()
    expect(await children(last)).toHaveLength(1)
    expect((await last.events('mail-sent')).filter(({ text }) => text === 'one letter')).toHaveLength(1)
    await expectLawful(last)
  })

  test('for the model is stopped by /stop, and /retry sends it again', async () => {
    const at = await play([
      { error: { reason: 'network', retryAfterMs: 3_600_000 } },
      { reply: { text: 'here' } },
    ])
    await at.type('are you there?')
    await at.clock.pass(60_000)
    expect((await at.events('turn-ended')).at(-1)?.outcome).toBe('deferred')
    expect((await at.say('/stop')).at(-1)).toBe(
      'Stopped: the message that waited for the model is not retried. /retry resends it.',
    )
    await at.clock.pass(24 * 3_600_000)
    expect(at.prompts).toHaveLength(1)
    expect(await at.say('/retry')).toEqual(['Trying again.', 'here'])
  })

  test('in a fork that ends by its own text goes to the branch above', async () => {
    const at = await ruled((prompt) => ({ text: `heard: ${lastText(prompt)}` }))
    await at.say('/fork')
    const texts = await at.say('/note here\n/exit\nwhere am I?')
    expect(texts).toEqual(['Noted.', expect.stringMatching(/^Left the fork \w{6}; /), 'heard: where am I?'])
    const [fork] = await children(at)
    expect(await stateOf(at, fork ?? '')).toBe('discarded')
    expect((await at.events('inbound-moved')).length).toBe(1)
    await expectLawful(at)
    await expectEmpty(at.log)
  })
})
