import { describe, expect, test } from 'vitest'
import { gatedTool } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { slowly } from './rig.ts'
import { breathe, type Stage } from './stage.ts'
import {
  compactions,
  expectNothingLost,
  promptNow,
  sayTurns,
  shownNow,
  summariesNow,
  talk,
  type Talk,
  type TalkOptions,
} from './talk.ts'

interface Slow extends Talk {
  /** Lets the summary be written. */
  finish(): Promise<void>
}

/** Ten messages, two more than the threshold has; the summary of the first six is on its way. */
async function summingUp(options: TalkOptions = {}): Promise<Slow> {
  const slow = slowly({ text: 'FACT-one and FACT-two.' })
  const at = await talk({ summarise: (_, signal) => slow.reply(signal), ...options })
  for (let turn = 1; turn <= 5; turn++) {
    await at.type(`hello ${turn}`)
    await breathe()
  }
  await slow.begun.opened
  const finish = async (): Promise<void> => {
    slow.go.open()
    await at.settle()
  }
  return Object.assign(at, { finish })
}

async function expectWhole(at: Stage): Promise<void> {
  await expectLawful(at)
  await expectEmpty(at.log)
  await expectNothingLost(at)
}

describe('while a summary is written', () => {
  test('the answer before it has long been delivered', async () => {
    const at = await summingUp()
    expect(at.sent.map(({ text }) => text)).toEqual(Array(5).fill('ok'))
    expect(await at.events('delivery-done')).toHaveLength(5)
    expect(await compactions(at)).toEqual([])
    await at.finish()
    expect(await compactions(at)).toEqual(['summariser'])
  })

  test('what is said meanwhile is answered at once, and stays as it is', async () => {
    const at = await summingUp()
    await at.type('and you?')
    await breathe()
    expect(at.sent.map(({ text }) => text)).toEqual(Array(6).fill('ok'))
    expect(at.chat.prompts.at(-1)?.messages).toHaveLength(11)
    await at.finish()
    expect(await summariesNow(at)).toEqual(['FACT-one and FACT-two.'])
    expect(await shownNow(at)).toBe(6)
    expect(await promptNow(at)).toContain('and you?')
    await expectWhole(at)
  })

  test('no second one is begun', async () => {
    const at = await summingUp()
    for (const text of ['a', 'b', 'c']) {
      await at.type(text)
      await breathe()
    }
    expect(at.summariser.prompts).toHaveLength(1)
    await at.finish()
    await expectWhole(at)
  })

  test('a running turn goes on, and gets the shorter context between two of its steps, never within one', async () => {
    const tool = gatedTool('dig')
    let isDigging = false
    const at = await summingUp({
      tools: [tool],
      answer: ({ messages }) => {
        if (!isDigging || messages.at(-1)?.role === 'tool') return { text: 'ok' }
        return { calls: [{ id: 'c', tool: 'dig', args: {} }] }
      },
    })
    isDigging = true
    await at.type('dig')
    await tool.begun
    const done = at.finish()
    await breathe()
    expect(await compactions(at)).toEqual([])
    tool.gate.open()
    await done
    const kinds = (await at.all()).flatMap((event) => {
      if (event.kind === 'context-compacted') return ['compacted']
      return event.kind === 'message-added' ? [event.message.role] : []
    })
    expect(kinds.slice(-5)).toEqual(['user', 'assistant', 'tool', 'compacted', 'assistant'])
    await expectWhole(at)
  })

  test('marks stay, those that are set meanwhile included', async () => {
    const at = await summingUp()
    await at.type('/mark A')
    await at.type('more')
    await breathe()
    await at.finish()
    expect(await compactions(at)).toEqual(['summariser'])
    expect(await at.say('/rewind A')).toEqual(["Rewound to 'A'."])
    expect(await shownNow(at)).toBe(10)
    await expectWhole(at)
  })

  test('closing stops it: nothing is changed, and the next start begins it again after an answer', async () => {
    const at = await summingUp()
    const before = await promptNow(at)
    await at.close()
    await at.log.close()
    const again = await talk({ disk: at.disk, clock: at.clock, seed: 8 })
    expect(await promptNow(again)).toBe(before)
    expect(await compactions(again)).toEqual([])
    await again.say('hello again')
    expect(await compactions(again)).toEqual(['summariser'])
    await expectWhole(again)
  })
})

describe('a change of the context while a summary is written wins, and the summary is abandoned:', () => {
  const changes: readonly (readonly [string, readonly string[]])[] = [
    ['a clear', ['/clear']],
    ['a redo of a clear', ['/clear', '/undo', '/redo']],
    ['a new session', ['/new']],
    ['a rewind into what was summed up', ['/rewind A']],
    ['a policy that forbids it', ['/context policy explicit']],
  ]

  test.each(changes)('%s', async (_, commands) => {
    const slow = slowly({ text: 'Of what was cleared.' })
    const at = await talk({ summarise: (_, signal) => slow.reply(signal) })
    await at.say('hello 1')
    await at.say('/mark A')
    for (let turn = 2; turn <= 5; turn++) {
      await at.type(`hello ${turn}`)
      await breathe()
    }
    for (const command of commands) await at.type(command)
    await breathe()
    const before = await promptNow(at)
    slow.go.open()
    await at.settle()
    expect(await compactions(at)).toEqual(['(context-changed)'])
    expect(await promptNow(at)).toBe(before)
    expect(await summariesNow(at)).toEqual([])
    await expectWhole(at)
  })

  const turningBack: readonly (readonly [string, readonly string[], number])[] = [
    ['an undo', ['/undo'], 16],
    ['an expand', ['/expand'], 16],
    ['an expand that is undone at once, which holds it off all the same,', ['/expand', '/undo'], 10],
  ]

  test.each(turningBack)('%s of the summary before', async (_, commands, shown) => {
    const slow = slowly({ text: 'The second summary has hello 6.' })
    let count = 0
    const at = await talk({
      summarise: (_, signal) =>
        count++ === 0 ? { text: 'The first summary has hello 1.' } : slow.reply(signal),
    })
    await sayTurns(at, 5)
    for (let turn = 6; turn <= 8; turn++) {
      await at.type(`hello ${turn}`)
      await breathe()
    }
    await slow.begun.opened
    for (const command of commands) await at.type(command)
    await breathe()
    const before = await promptNow(at)
    slow.go.open()
    await at.settle()
    expect(await compactions(at)).toEqual(['summariser', '(context-changed)'])
    expect(await promptNow(at)).toBe(before)
    expect(await shownNow(at)).toBe(shown)
    await expectWhole(at)
  })

  test('a summary that the person asks for meanwhile stops it and is written instead', async () => {
    const slow = slowly({ text: 'Never seen.' })
    let count = 0
    const at = await talk({
      summarise: (_, signal) => (count++ === 0 ? slow.reply(signal) : { text: 'As you wished.' }),
    })
    for (let turn = 1; turn <= 5; turn++) {
      await at.type(`hello ${turn}`)
      await breathe()
    }
    await slow.begun.opened
    expect(await at.say('/compact the weather')).toEqual([expect.stringMatching(/^Summarized 6 older/)])
    expect(await compactions(at)).toEqual(['summariser'])
    expect(await summariesNow(at)).toEqual(['As you wished.'])
    expect(at.summariser.prompts[1]?.messages[0]?.text).toContain(
      'Above all keep what concerns:\n<data source="focus">\nthe weather\n',
    )
    await expectWhole(at)
  })

  test('the end of its branch stops it, and nothing is written', async () => {
    const slow = slowly({ text: 'Of a dead branch.' })
    const at = await talk({ summarise: (_, signal) => slow.reply(signal) })
    await at.say('/fork')
    for (let turn = 1; turn <= 5; turn++) {
      await at.type(`hello ${turn}`)
      await breathe()
    }
    await slow.begun.opened
    await at.type('/exit')
    await at.settle()
    expect(await compactions(at)).toEqual([])
    await expectLawful(at)
  })
})

test('a fact of the first summary is still known after three, for each folds in the one before', async () => {
  const at = await talk()
  await at.say('Remember FACT-alpha.')
  await sayTurns(at, 4)
  await at.say('And FACT-beta.')
  for (let turn = 0; (await compactions(at)).length < 4; turn++) await at.say(`hello ${turn}`)
  expect(await summariesNow(at)).toEqual(['Facts: FACT-alpha FACT-beta.'])
  expect(at.summariser.prompts.at(-1)?.messages[0]?.text).not.toContain('Remember')
  await expectWhole(at)
})
