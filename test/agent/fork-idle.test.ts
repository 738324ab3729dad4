import { describe, expect, test } from 'vitest'
import { FORK_CHOICES } from '../../src/agent/branch/enter-act.ts'
import { modelFault } from './doubles.ts'
import { forking, isAskedToWrapUp, pending, shownIn, type Forking, type ForkingOptions } from './forking.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { child, ended, slowly, stateOf, talkedTo, typed } from './rig.ts'
import { breathe, FakeClock, type Stage } from './stage.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SAID = 'The train to Lisbon leaves on Friday at ten.'

/** A stage on which the person is in a fork and has said something. */
async function inFork(options: ForkingOptions = {}): Promise<Forking & { fork: string }> {
  const at = await forking(options)
  await at.say('/fork')
  await at.say(SAID)
  return Object.assign(at, { fork: await child(at) })
}

async function pass(at: Stage, ms: number): Promise<string[]> {
  const before = at.sent.length
  await at.clock.pass(ms)
  await at.settle()
  return at.sent.slice(before).map(({ text }) => text)
}

/** How often the host asked so far. */
async function asked(at: Stage): Promise<number> {
  const admitted = await at.events('inbound-admitted')
  return admitted.filter(({ source }) => source.from === 'host' && source.tag === 'fork-timeout').length
}

describe('a fork in which nobody speaks', () => {
  test('[FORK4] is asked about, then told to end, then ended by the host with sentences out of it', async () => {
    const at = await inFork()
    expect(await pass(at, 10 * MINUTE - 1)).toEqual([])
    expect(await pass(at, 1)).toEqual([
      '10 min without a word; the agent was asked to wrap up. A word from you keeps the fork open.',
      'Are you there?',
    ])
    expect(at.sent.at(-2)?.form).toBe('notice')
    const told = at.model.prompts.at(-1)?.messages.at(-1)?.text ?? ''
    expect(told).toMatch(/^\[fork-timeout\]\n\(written by the host: .*\)\n\[2026/)
    expect(told).toContain('Nobody has said anything here for 10 min. Wrap up: call save_context if')
    expect(await pass(at, 10 * MINUTE)).toEqual([
      '20 min without a word; the agent was told to end the fork. A word from you keeps the fork open.',
      'Are you there?',
    ])
    expect(at.model.prompts.at(-1)?.messages.at(-1)?.text).toContain('End this fork now: call save_context')
    expect(await pass(at, 10 * MINUTE)).toEqual([
      `Nobody has said anything in the fork ${at.fork} for 30 min, so it was ended. Main is told what it was about; /switch ${at.fork} opens a copy of it. You are talking to main now.`,
    ])
    expect([await stateOf(at, at.fork), await talkedTo(at)]).toEqual(['timed-out', await mainHandle(at)])
    const [report = ''] = await pending(at)
    expect(report).toContain(SAID)
    expect(report).not.toMatch(/wrap up|save_context|nobody has said/i)
    await at.say('and?')
    expect(at.model.prompts.at(-1)?.messages.at(-1)?.text).toContain(
      `- (written by the host, 0 s ago, fork ${at.fork}) `,
    )
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('is reported by what was said in it, and not by what was said about the silence', async () => {
    const at = await inFork({
      wrapUp: () => ({ text: 'I would rather wait for Berta at the station in Porto until 12 o’clock.' }),
    })
    await pass(at, 10 * MINUTE)
    await pass(at, 10 * MINUTE)
    await pass(at, 10 * MINUTE)
    const [report = ''] = await pending(at)
    expect(report).toContain(SAID)
    expect(report).not.toContain('Berta')
  })

  test('offers buttons with the question, and none where the agent ends it', async () => {
    const at = await inFork()
    await pass(at, 10 * MINUTE)
    expect(at.sent.at(-1)?.choices).toEqual(FORK_CHOICES)
    const ending = await inFork({ wrapUp: () => ({ calls: [{ id: 'c', tool: 'save_context', args: {} }] }) })
    expect(await pass(ending, 10 * MINUTE)).toEqual([
      expect.stringMatching(/^10 min without a word; /),
      'done',
      expect.stringMatching(/^Saved: /),
    ])
    expect(ending.sent.slice(-2).map(({ choices }) => choices)).toEqual([[], []])
  })

  test('asks with a way back where the person talks elsewhere: there the buttons would end something else', async () => {
    const at = await inFork()
    await at.say('/switch main')
    expect((await pass(at, 10 * MINUTE))[0]).toBe(
      `10 min without a word in the fork ${at.fork}; the agent there was asked to wrap up. A word from you there keeps it open.`,
    )
    expect(at.sent.at(-1)).toMatchObject({
      text: 'Are you there?',
      choices: [{ label: 'Go back', command: `/switch ${at.fork}` }],
    })
    await pass(at, 10 * MINUTE)
    const main = await talkedTo(at)
    expect(await pass(at, 10 * MINUTE)).toEqual([expect.stringMatching(/opens a copy of it\.$/)])
    expect(await talkedTo(at)).toBe(main)
  })

  test.each([
    ['a message', 'I am here'],
    ['a command that acts at once', '/context'],
    ['a command that waits', '/note I am here'],
  ])('is left alone when the person is there: %s', async (_, line) => {
    const at = await inFork()
    await pass(at, 20 * MINUTE)
    expect(await asked(at)).toBe(2)
    await pass(at, 9 * MINUTE)
    await at.say(line)
    expect(await pass(at, 10 * MINUTE - 1)).toEqual([])
    // It begins anew.
    await pass(at, 1)
    expect(at.model.prompts.at(-1)?.messages.at(-1)?.text).toContain('Wrap up')
    await pass(at, 10 * MINUTE)
    expect(await stateOf(at, at.fork)).toBe('idle')
    await expectLawful(at)
  })

  test('counts anew when the person comes back to it', async () => {
    const at = await inFork()
    await at.say('/switch main')
    await pass(at, 9 * MINUTE)
    await at.say(`/switch ${at.fork}`)
    expect(await pass(at, 9 * MINUTE)).toEqual([])
    expect(await pass(at, MINUTE)).toEqual([expect.stringMatching(/^10 min /), 'Are you there?'])
  })

  test('has the time that was asked for when it was opened', async () => {
    const at = await forking()
    await at.say('/fork --enter --idle 30 -- tea')
    await pass(at, 30 * MINUTE - 1)
    expect(await asked(at)).toBe(0)
    await pass(at, 1)
    expect(await asked(at)).toBe(1)
    await at.say('/exit')
    await at.say('call enter_fork {"idle_timeout": 2}')
    await at.say('hello')
    await pass(at, 2 * MINUTE)
    expect(await asked(at)).toBe(2)
  })

  test('in which nobody said a word is closed, and main is told nothing', async () => {
    const at = await forking()
    await at.say('/fork')
    const fork = await child(at)
    expect(await pass(at, 10 * MINUTE)).toEqual([
      `Nothing was said in the fork ${fork}, so it was closed. You are talking to main now.`,
    ])
    expect([await stateOf(at, fork), await pending(at), await asked(at)]).toEqual(['discarded', [], 0])
  })

  test('a copy that nobody speaks in is closed too', async () => {
    const at = await inFork()
    await at.say('/exit')
    await at.say(`/switch ${at.fork}`)
    expect(await pass(at, 10 * MINUTE)).toEqual([expect.stringMatching(/^Nothing was said in the fork /)])
  })

  test('for which a child works is not closed as empty: its agent is asked', async () => {
    const at = await forking()
    await at.say('/fork')
    const fork = await child(at)
    await at.say('/fork -- count')
    await pass(at, 10 * MINUTE)
    expect([await stateOf(at, fork), await asked(at)]).toEqual(['idle', 1])
  })

  test('that has notes only says both what it is and why it is asked', async () => {
    const at = await forking()
    await at.say('/fork')
    await at.say(`/note ${SAID}`)
    await pass(at, 10 * MINUTE)
    const head = at.model.prompts.at(-1)?.messages.at(-1)?.text ?? ''
    expect(head).toMatch(/^\[fork-started\]\n.*\n\[fork-timeout\]\n/)
    await pass(at, 20 * MINUTE)
    expect((await pending(at))[0]).toContain(SAID)
  })

  test('does not wait for ever for an agent that cannot be reached', async () => {
    const at = await inFork({
      wrapUp: () => {
        throw modelFault('network')
      },
    })
    await pass(at, 30 * MINUTE - 1)
    expect([await stateOf(at, at.fork), await asked(at)]).toEqual(['idle', 1])
    expect(at.sent.at(-1)?.text).toMatch(/^the model is network\. I'll try again at /)
    await pass(at, MINUTE)
    expect(await stateOf(at, at.fork)).toBe('timed-out')
    expect((await pending(at))[0]).toContain(SAID)
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('[TURN4] is not ended while the person waits for an answer there', async () => {
    let isDown = true
    const at = await forking({
      first: () => {
        if (isDown) throw modelFault('network')
        return undefined
      },
    })
    await at.say('/fork')
    await at.type('where is it?')
    await pass(at, 5 * HOUR)
    expect(await asked(at)).toBe(0)
    isDown = false
    await pass(at, 10 * MINUTE)
    expect(at.sent.map(({ text }) => text)).toContain('heard: where is it?')
  })
})

describe('the time of a fork', () => {
  test('that jumped forward is one step, however far', async () => {
    const at = await inFork()
    const parts = await ended(at)
    const again = await forking({ ...parts, clock: new FakeClock(at.clock.now() + 72 * HOUR) })
    await pass(again, 0)
    // Whoever starts the program may have come to say something there.
    expect(await asked(again)).toBe(0)
    await pass(again, 3_000)
    expect(await asked(again)).toBe(1)
    expect(again.model.prompts.at(-1)?.messages.at(-1)?.text).toContain('for 3 days. Wrap up')
    await pass(again, 10 * MINUTE - 1)
    expect(await asked(again)).toBe(1)
    await expectLawful(again)
  })

  test('that was set back asks later, never earlier, and the next word puts it right', async () => {
    const at = await inFork()
    const parts = await ended(at)
    const again = await forking({ ...parts, clock: new FakeClock(at.clock.now() - HOUR) })
    await pass(again, HOUR)
    expect(await asked(again)).toBe(0)
    await again.say('/context')
    await pass(again, 10 * MINUTE)
    expect(await asked(again)).toBe(1)
  })

  test('[FORK4] goes on over restarts, at every stage of it', async () => {
    const whole = await timeline(await inFork(), [])
    expect(whole.at(-1)).toBe('timed-out')
    for (let stop = 0; stop <= 30; stop++) expect(await timeline(await inFork(), [stop])).toEqual(whole)
    expect(await timeline(await inFork(), [0, 5, 10, 15, 20, 25, 30])).toEqual(whole)
  })
})

/** What came, minute by minute, with a restart after these minutes; at the end what became of the fork. */
async function timeline(start: Forking & { fork: string }, restarts: readonly number[]): Promise<string[]> {
  let at: Forking = start
  const seen: string[] = []
  for (let minute = 0; minute <= 31; minute++) {
    if (minute > 0) for (const text of await pass(at, MINUTE)) seen.push(`${minute}: ${text}`)
    if (restarts.includes(minute)) at = await forking(await ended(at))
  }
  await expectLawful(at)
  await expectEmpty(at.log)
  seen.push(...(await pending(at)).map((text) => text.slice(0, 40)), await stateOf(at, start.fork))
  await at.close()
  return seen.map((line) => line.replaceAll(start.fork, 'FORK'))
}

describe('a person who speaks in the moment in which the host acts', () => {
  const outcomes = new Set<boolean>()

  test.each(Array.from({ length: 24 }, (_, ticks) => [ticks]))(
    'is answered once: after %i ticks',
    async (ticks) => {
      const at = await inFork()
      await pass(at, 30 * MINUTE - 1)
      const passing = at.clock.pass(1)
      for (let tick = 0; tick < ticks; tick++) await new Promise(setImmediate)
      await at.type('I am here')
      await passing
      await at.settle()
      const answers = at.sent.filter(({ text }) => /^heard: (.*\n)*I am here$/.test(text))
      expect(answers).toHaveLength(1)
      // It was ended before a word was said, and main knows of it; or it stays open, with a clock that begins anew.
      const isOpen = (await stateOf(at, at.fork)) === 'idle'
      const [last = ''] = (await shownIn(at)).slice(-2)
      expect(last.includes(SAID)).toBe(!isOpen)
      expect([await asked(at), await pending(at)]).toEqual([2, []])
      outcomes.add(isOpen)
      await expectLawful(at)
      await expectEmpty(at.log)
    },
  )

  test('may be before it or behind it: both were seen', () => expect(outcomes.size).toBe(2))

  test('is heard when the host has seen the silence and not acted yet', async () => {
    const at = await inFork()
    await pass(at, 20 * MINUTE)
    const write = at.log.write.bind(at.log)
    let isFirst = true
    Object.assign(at.log, {
      write: async (work: Parameters<typeof write>[0]) => {
        const speaks = isFirst
        isFirst = false
        if (speaks) await at.type('I am here')
        return write(work)
      },
    })
    await pass(at, 10 * MINUTE)
    expect([await stateOf(at, at.fork), await pending(at)]).toEqual(['idle', []])
    expect(at.sent.at(-1)?.text).toBe('heard: I am here')
    await expectLawful(at)
  })

  test('keeps the fork open that the agent was about to end', async () => {
    const slow = slowly({ text: 'done' })
    const at = await inFork({
      wrapUp: () => ({ calls: [{ id: 'c', tool: 'exit_fork', args: {} }] }),
      first: (prompt, signal) =>
        isAskedToWrapUp(prompt) && prompt.messages.at(-1)?.role === 'tool' ? slow.reply(signal) : undefined,
    })
    const passing = at.clock.pass(10 * MINUTE)
    await slow.begun.opened
    await typed(at, 'wait, one more')
    slow.go.open()
    await passing
    await breathe()
    await at.settle()
    expect(at.sent.slice(-3).map(({ text }) => text)).toEqual([
      'done',
      'You wrote meanwhile, so this fork stays open. What the agent was about to do: /exit',
      'heard: wait, one more',
    ])
    expect([await stateOf(at, at.fork), await talkedTo(at)]).toEqual(['idle', at.fork])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test.each(['exit_fork', 'save_context', 'report_updates'])(
    'keeps the fork open where the agent asked to end it without having read the words: %s',
    async (tool) => {
      const slow = slowly({ calls: [{ id: 'c', tool, args: { message: 'All is said.' } }] })
      const at = await inFork({ wrapUp: (_, signal) => slow.reply(signal) })
      const passing = at.clock.pass(10 * MINUTE)
      await slow.begun.opened
      await typed(at, 'wait, one more')
      slow.go.open()
      await passing
      await breathe()
      await at.settle()
      const [last] = at.sent.slice(-1)
      expect(last).toMatchObject({
        form: 'output',
        text: `You wrote meanwhile, so this fork stays open. What the agent was about to do: ${COMMANDS[tool]}`,
      })
      expect([await stateOf(at, at.fork), await talkedTo(at), await pending(at)]).toEqual([
        'idle',
        at.fork,
        [],
      ])
      await at.say('call exit_fork {}')
      expect(await stateOf(at, at.fork)).toBe('discarded')
      await expectLawful(at)
      await expectEmpty(at.log)
    },
  )
})

const COMMANDS: Record<string, string> = {
  exit_fork: '/exit',
  save_context: '/save',
  report_updates: '/report',
}

async function mainHandle(at: Stage): Promise<string> {
  const [created] = await at.events('branch-created')
  return created?.branch.slice(-6) ?? ''
}
