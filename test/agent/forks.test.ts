import { describe, expect, test } from 'vitest'
import { FORK_CHOICES, HOW_IT_ENDS } from '../../src/agent/branch/enter-act.ts'
import { receive } from '../../src/command/door/reception.ts'
import { handleOf } from '../../src/event/id.ts'
import { background, ping } from './background.ts'
import { gatedTool, modelFault } from './doubles.ts'
import { forking, obey, pending, shownIn, type ForkingOptions } from './forking.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { child, children, dialogue, lastText, slowly, stateOf, talkedTo, typed } from './rig.ts'
import { terminal, type Stage } from './stage.ts'

const MINUTE = 60_000
const ENDS = '/save adds it to main, /report tells main about it, /exit drops it'

/** The model waits at a gate when its calls were answered. */
function afterCalls(slow: ReturnType<typeof slowly>): NonNullable<ForkingOptions['first']> {
  return (prompt, signal) => (prompt.messages.at(-1)?.role === 'tool' ? slow.reply(signal) : undefined)
}

/** Types in another conversation of the same person. */
async function elsewhere(at: Stage, text: string): Promise<string[]> {
  const before = at.sent.length
  await receive(at.desk, {
    ...terminal,
    origin: 'terminal',
    conversation: 'elsewhere',
    person: 'owner',
    messageId: null,
    text,
  })
  await at.settle()
  return at.sent
    .slice(before)
    .filter(({ conversation }) => conversation === 'elsewhere')
    .map((message) => message.text)
}

describe('a fork is entered', () => {
  test('by /fork, which says how it ends, in words and as buttons', async () => {
    const at = await forking()
    expect(await at.say('/fork')).toEqual([
      `Forked. Child: ${await child(at)}\nYou're in a side conversation now. ${HOW_IT_ENDS}`,
    ])
    expect(at.sent.at(-1)?.choices).toEqual(FORK_CHOICES)
    expect(await at.events('fork-entered')).toMatchObject([{ how: 'command', idleMs: null, replied: null }])
  })

  test('again, and then it says in one line how it ends', async () => {
    const at = await forking()
    await at.say('/fork')
    await at.say('/exit')
    expect(await at.say('/fork')).toEqual([
      `Forked. Child: ${await child(at)}\nYou're in a side conversation now. /save, /report or /exit ends it.`,
    ])
    expect(at.sent.at(-1)?.choices).toEqual(FORK_CHOICES)
  })

  test('with a time of its own by --idle, and with a topic that is answered there', async () => {
    const at = await forking()
    const said = await at.say('/fork --enter --idle 5 -- the garden')
    expect(said).toEqual([expect.stringMatching(/^Forked\. Child: /), 'heard: the garden'])
    expect(await at.events('fork-entered')).toMatchObject([{ idleMs: 5 * MINUTE }])
    expect(await talkedTo(at)).toBe(await child(at))
    await expectLawful(at)
  })

  test('by enter_fork when the turn has ended, so that it knows the whole of it', async () => {
    const at = await forking()
    const said = await at.say('call enter_fork {"topic": "the\\ngarden", "idle_timeout": 7}')
    expect(at.given).toEqual([[{ text: 'The fork opens when your turn ends.' }]])
    expect(said).toEqual(['done', expect.stringMatching(/^Forked\. Child: /), 'heard: the garden'])
    expect(at.sent.at(-2)?.choices).toEqual(FORK_CHOICES)
    expect(await at.events('fork-entered')).toMatchObject([{ how: 'model', idleMs: 7 * MINUTE }])
    expect((await shownIn(at)).slice(-3)).toEqual(['done', 'the garden', 'heard: the garden'])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('with what the person typed in the midst of the turn that opened it, in order', async () => {
    const slow = slowly({ text: 'in a moment' })
    const at = await forking({ first: afterCalls(slow) })
    await at.type('call enter_fork {}')
    await slow.begun.opened
    await typed(at, 'about tea')
    await typed(at, 'and cake')
    slow.go.open()
    await at.settle()
    expect(await talkedTo(at)).toBe(await child(at))
    expect((await shownIn(at)).slice(-4)).toEqual(['in a moment', 'about tea', 'and cake', 'heard: and cake'])
    expect(await shownIn(at, 'main')).not.toContain('about tea')
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('behind a command that waits, with the rest of the text', async () => {
    const at = await forking()
    const said = await at.say('/note first\n/fork\nhello there\n/exit\nhello main')
    expect(said).toEqual([
      'Noted.',
      expect.stringMatching(/^Forked\. Child: /),
      'heard: hello there',
      expect.stringMatching(/^Left the fork /),
      'heard: hello main',
    ])
    expect(await shownIn(at)).not.toContain('hello there')
    await expectLawful(at)
  })
})

describe('[FORK4] a conversation has one fork at a time', () => {
  test('a second is refused in it and in main, with the way out, and may be opened when it has ended', async () => {
    const at = await forking()
    await at.say('/fork --enter -- tea')
    const fork = await child(at)
    await dialogue(at, [
      [
        '/fork',
        `You are already in a fork, and only one can be open at a time. End it first: ${ENDS}. /fork -- GOAL starts a child from here.`,
      ],
      [
        '/switch main',
        `You are talking to main now. The fork ${fork} stays open; /switch ${fork} goes back.`,
      ],
      [
        '/fork --enter -- cake',
        `The fork ${fork} (tea) is open, and only one can be open at a time. /switch ${fork} goes back to it; there ${ENDS}.`,
      ],
      ['/save', `You are not in a fork. /switch ${fork} goes back to the fork ${fork} (tea).`],
      ['/report', `You are not in a fork. /switch ${fork} goes back to the fork ${fork} (tea).`],
      [`/switch ${fork}`, `You are talking to ${fork} now. /switch main goes back.`],
      ['/exit', /^Left the fork /],
      ['/save', 'You are not in a fork. /fork opens one.'],
      ['/fork', /^Forked\. Child: /],
    ])
    expect(await children(at)).toHaveLength(2)
  })

  test('a copy of one that has ended counts as one', async () => {
    const at = await forking()
    await at.say('/fork')
    const first = await child(at)
    await at.say('/exit')
    await at.say('/fork')
    expect(await at.say(`/switch ${first}`)).toEqual([
      `You are already in a fork, and only one can be open at a time. End it first: ${ENDS}. /fork -- GOAL starts a child from here.`,
    ])
    await at.say('/exit')
    expect((await at.say(`/switch ${first}`))[0]).toMatch(
      /^\w{6} has ended, so you are in a fork with a copy/,
    )
    expect(at.sent.at(-1)?.choices).toEqual(FORK_CHOICES)
  })

  test('the model is refused another while one is open, and learns why at once', async () => {
    const at = await forking()
    await at.say('/fork')
    const fork = await child(at)
    await at.say('call enter_fork {}')
    await at.say('/switch main')
    await at.say('call enter_fork {}')
    expect(at.given.map(([result]) => result?.error)).toEqual([
      expect.stringMatching(/^You are already in a fork, and only one can be open at a time\./),
      `The person has the fork ${fork} open, and only one can be open at a time. They go back to it with /switch ${fork} and end it there.`,
    ])
    expect(await children(at)).toHaveLength(1)
  })

  test('other conversations have their own, and do not get into a second one by /switch', async () => {
    const at = await forking()
    await at.say('/fork')
    const here = await child(at)
    expect((await elsewhere(at, '/fork'))[0]).toMatch(/^Forked\. Child: /)
    const there = await child(at)
    expect(await at.say(`/switch ${there}`)).toEqual([expect.stringMatching(/^You are already in a fork/)])
    expect((await elsewhere(at, '/exit'))[0]).toMatch(/^Left the fork /)
    expect(await elsewhere(at, `/switch ${here}`)).toEqual([
      `You are talking to ${here} now. /switch main goes back.`,
    ])
    await elsewhere(at, 'hello')
    expect((await at.say('/exit'))[0]).toMatch(/You are talking to main now\.$/)
    expect(await elsewhere(at, 'still here')).toEqual([
      `${here} has ended (discarded). You are talking to main now.`,
      'heard: still here',
    ])
    await expectLawful(at)
  })

  test('a background run is never talked to: /switch opens a copy of it', async () => {
    const at = await background([[ping('red')]], { tools: [] })
    const run = handleOf(await at.run())
    const [said] = await at.say(`/switch ${run}`)
    const copy = await child(at)
    expect(said).toBe(
      `${run} has ended, so you are in a fork with a copy of what it saw: ${copy}. ${HOW_IT_ENDS}`,
    )
    expect(await talkedTo(at)).toBe(copy)
  })

  test('[FORK5] nor while it works: it goes on, and knows nothing of what is said in the copy', async () => {
    const gate = gatedTool('read')
    const at = await background([[['read', {}]]], { tools: [gate] })
    await at.type('/run routines/brief.md')
    await gate.begun
    const run = await child(at)
    const [said] = await typed(at, `/switch ${run}`)
    expect(said).toMatch(`${run} is a background run, so you are in a fork with a copy of what it saw: `)
    await typed(at, 'hello')
    gate.gate.open()
    await at.settle()
    expect(await stateOf(at, run)).toBe('finished')
    const events = await at.events('message-added')
    const words = events.filter(({ branch }) => handleOf(branch) === run).map(({ message }) => message.text)
    expect(words).not.toContain('hello')
    await expectLawful(at)
  })
})

describe('/report', () => {
  test('[FORK4] ends the fork with what main is told, and main hears it in its next turn', async () => {
    const at = await forking()
    await at.say('/fork --enter -- the garden')
    const fork = await child(at)
    expect(await at.say('/report We plant roses.')).toEqual([
      `Reported to main: "We plant roses." Main gets it in its next turn. The fork ${fork} (the garden) has ended. You are talking to main now.`,
    ])
    expect([await stateOf(at, fork), await pending(at)]).toEqual(['reported', ['We plant roses.']])
    await at.say('and?')
    expect(at.model.prompts.at(-1)?.messages.at(-1)?.text).toContain(
      `\n- (0 s ago, fork ${fork} (the garden)) We plant roses.\n`,
    )
    await expectLawful(at)
  })

  test('that its agent does not write takes sentences out of what the fork shows', async () => {
    const at = await forking({ report: () => ({ text: '' }) })
    await at.say('The office moved to Elm Street 12.')
    await at.say('/fork')
    await at.say('/mark A')
    await at.say('Our budget is 900 euros.')
    await at.say('/rewind A')
    await at.say('The train to Lisbon leaves on Friday at ten.')
    await at.say('/report')
    const [text = ''] = await pending(at)
    expect(text).toContain('The train to Lisbon leaves on Friday at ten.')
    expect(text).not.toMatch(/Elm Street|900/)
  })

  test('of a fork in which nothing was said is refused, and words of the person are taken', async () => {
    const at = await forking()
    await at.say('/fork')
    expect(await at.say('/report')).toEqual([
      'Nothing was said in this fork yet. /report TEXT reports your own words; /exit leaves it.',
    ])
    expect(await pending(at)).toEqual([])
    await at.say('/report It rained.')
    expect(await pending(at)).toEqual(['It rained.'])
  })
})

describe('a model ends its fork when its turn has ended', () => {
  test.each([
    {
      call: 'save_context',
      says: 'This fork is saved when your turn ends.',
      reason: 'saved',
      words: /^Saved: \d+ messages/,
    },
    {
      call: 'report_updates {"message": "We plant\\nroses."}',
      says: 'Main is told when your turn ends, and this fork ends with it.',
      reason: 'reported',
      words: /^Reported to main/,
    },
    {
      call: 'exit_fork',
      says: 'This fork ends when your turn does.',
      reason: 'discarded',
      words: /^Left the fork /,
    },
  ])('$call', async ({ call, says, reason, words }) => {
    const at = await forking()
    await at.say('/fork')
    const fork = await child(at)
    const said = await at.say(`call ${call}`)
    expect(at.given).toEqual([[{ text: says }]])
    expect(said).toEqual(['done', expect.stringMatching(words)])
    expect([await stateOf(at, fork), await talkedTo(at)]).toEqual([reason, handleOf(await at.branch())])
    expect(await pending(at)).toEqual(reason === 'reported' ? ['We plant\nroses.'] : [])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test.each(['save_context', 'exit_fork', 'report_updates {"message": "x"}'])(
    '%s is refused in main and in a child, which are told why',
    async (call) => {
      const at = await forking()
      await at.say(`call ${call}`)
      await at.say(`/fork -- call ${call}`)
      expect(at.given.map(([result]) => result?.error)).toEqual([
        expect.stringMatching(/^(You are|This is) the main session/),
        expect.stringMatching(/^(Nobody talks in this branch|A child does not report)/),
      ])
      expect(await pending(at)).toEqual([])
    },
  )

  test('two of them in one step: the first is done, the second is refused', async () => {
    const at = await forking()
    await at.say('/fork')
    const fork = await child(at)
    await at.say('call report_updates {"message": "We plant roses."} + save_context {} + exit_fork {}')
    const refused = 'Not done: you already asked for /report, which runs when your turn ends.'
    expect(at.given[0]?.map(({ text, error }) => error ?? text)).toEqual([
      'Main is told when your turn ends, and this fork ends with it.',
      refused,
      refused,
    ])
    expect([await stateOf(at, fork), await pending(at)]).toEqual(['reported', ['We plant roses.']])
    await expectEmpty(at.log)
  })

  test('the same one twice is done once', async () => {
    const at = await forking()
    await at.say('/fork')
    await at.say('call save_context {} + save_context {}')
    expect(at.given[0]).toEqual([
      { text: 'This fork is saved when your turn ends.' },
      { text: 'This fork is saved when your turn ends.' },
    ])
    expect(await at.events('context-saved')).toHaveLength(1)
    await expectEmpty(at.log)
  })

  test('what the person typed while the turn ended is answered in main, once', async () => {
    const slow = slowly({ text: 'it is done' })
    const at = await forking({ first: afterCalls(slow) })
    await at.say('/fork')
    await at.type('call save_context {}')
    await slow.begun.opened
    await typed(at, 'one more thing')
    await typed(at, '/save')
    await typed(at, 'and another')
    slow.go.open()
    await at.settle()
    expect((await shownIn(at)).slice(-5)).toEqual([
      'it is done',
      ...['one more thing', 'and another'].flatMap((text) => [text, `heard: ${text}`]),
    ])
    expect(at.sent.map(({ text }) => text)).toContain('You are not in a fork. /fork opens one.')
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('what it asks for behind a /save of the person is not done, and what follows is answered in main', async () => {
    const [early, late] = [slowly({}), slowly({ text: 'it is done' })]
    const at = await forking({
      first: (prompt, signal) => {
        if (prompt.messages.at(-1)?.role === 'tool') return late.reply(signal)
        return lastText(prompt).startsWith('call') ? early.reply(signal).then(() => obey(prompt)) : undefined
      },
    })
    await at.say('/fork')
    const fork = await child(at)
    await at.type('call report_updates {"message": "We plant roses."}')
    await early.begun.opened
    await typed(at, '/save')
    early.go.open()
    await late.begun.opened
    await typed(at, 'and now?')
    late.go.open()
    await at.settle()
    expect([await stateOf(at, fork), await pending(at)]).toEqual(['saved', []])
    expect((await shownIn(at)).slice(-3)).toEqual(['it is done', 'and now?', 'heard: and now?'])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('/stop gives up what the turn asked for, and the fork stays open', async () => {
    const slow = slowly({ text: 'never said' })
    const at = await forking({ first: afterCalls(slow) })
    await at.say('/fork')
    const fork = await child(at)
    await at.type('call report_updates {"message": "We plant roses."}')
    await slow.begun.opened
    await typed(at, '/stop')
    await at.settle()
    expect(
      at.sent
        .slice(-2)
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual(['Stopped.', 'You stopped the turn, so its request was not carried out: /report'])
    expect([await stateOf(at, fork), await talkedTo(at), await pending(at)]).toEqual(['idle', fork, []])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('a person who waits is answered before the fork ends, also when the model is out of reach for a while', async () => {
    let isDown = true
    const at = await forking({
      first: (prompt) => {
        if (isDown && prompt.messages.at(-1)?.role === 'tool') throw modelFault('network')
        return undefined
      },
    })
    await at.say('/fork')
    const fork = await child(at)
    await at.type('call save_context {}')
    await at.clock.pass(5 * MINUTE)
    expect(await stateOf(at, fork)).not.toBe('saved')
    isDown = false
    await at.clock.pass(10 * MINUTE)
    await at.settle()
    expect(at.sent.slice(-2).map(({ text }) => text)).toEqual(['done', expect.stringMatching(/^Saved: /)])
    expect(await stateOf(at, fork)).toBe('saved')
    await expectLawful(at)
  })

  test('where the person talks elsewhere meanwhile, they stay there', async () => {
    const slow = slowly({ text: 'it is done' })
    const at = await forking({ first: afterCalls(slow) })
    await at.say('/fork -- wait')
    const other = await child(at)
    await at.say('/fork')
    await at.type('call exit_fork {}')
    await slow.begun.opened
    await typed(at, 'one more thing')
    await typed(at, `/switch ${other}`)
    slow.go.open()
    await at.settle()
    expect(at.sent.slice(-2).map(({ text }) => text)).toEqual([
      expect.stringMatching(/opens a copy\.$/),
      'heard: one more thing',
    ])
    expect(await talkedTo(at)).toBe(other)
    await expectEmpty(at.log)
  })
})
