import { describe, expect, test } from 'vitest'
import { builtIn, type Tool } from '../../src/tool/tool.ts'
import type { ActTool } from '../../src/agent/contract/act.ts'
import type { Message } from '../../src/event/event.ts'
import type { BranchId } from '../../src/event/id.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { scriptedModel } from '../../src/model/scripted.ts'
import { countedTool, gatedTool, play, type Played } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { breathe, stage } from './stage.ts'

async function messages(at: Played): Promise<Message[]> {
  return (await at.events('message-added')).map(({ message }) => message)
}

async function results(at: Played): Promise<string[]> {
  return (await messages(at)).filter(({ role }) => role === 'tool').map(({ text }) => text)
}

const call = (tool: string, more: object = {}): StepInput => ({ calls: [{ tool, ...more }] })
const flood = (tool: string): StepInput => ({ calls: Array.from({ length: 300 }, () => ({ tool })) })
const answer = (text: string): StepInput => ({ reply: { text } })

describe('a turn', () => {
  test('[TURN2] answers what was said, once, in the order in which it happened', async () => {
    const at = await play([answer('Hello!')])
    expect(await at.say('hi')).toEqual(['Hello!'])
    const kinds = (await at.all()).map(({ kind }) => kind)
    expect(kinds.slice(kinds.indexOf('inbound-admitted'))).toEqual([
      'inbound-admitted',
      'turn-started',
      'message-added',
      'content-kept',
      'model-called',
      'model-answered',
      'message-added',
      'delivery-intended',
      'turn-ended',
      'delivery-done',
    ])
    await expectLawful(at.log)
  })

  test('[TURN2] what is sent names the event that it answers', async () => {
    const at = await play([answer('Hello!')])
    await at.say('hi')
    await at.say('/marks')
    const sent = await at.events('delivery-intended')
    const all = await at.all()
    const causes = sent.map(({ cause }) => all.find(({ position }) => position === cause)?.kind)
    expect(causes).toEqual(['inbound-admitted', 'command-run'])
  })

  test('[TURN2] has the results right behind their calls, and the answer behind them', async () => {
    const tool = countedTool('dig')
    const at = await play([call('dig', { args: { deep: 1 } }), answer('Found.')], { tools: [tool] })
    expect(await at.say('dig')).toEqual(['Found.'])
    expect((await messages(at)).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(tool.runs).toEqual([{ deep: 1 }])
    await expectLawful(at.log)
  })

  test('takes an empty object of arguments for what it is', async () => {
    const tool = countedTool('dig')
    const at = await play([call('dig', { args: {} }), answer('Found.')], { tools: [tool] })
    await at.say('dig')
    expect(tool.runs).toEqual([{}])
  })

  test('takes all that was said before it', async () => {
    const at = await play([answer('Both.'), answer('Again.')])
    await Promise.all([at.type('one'), at.type('two')])
    await at.settle()
    expect(at.sent.map(({ text }) => text)).toEqual(['Both.'])
    expect((await messages(at)).map(({ text }) => text)).toEqual(['one', 'two', 'Both.'])
  })

  test('says so when an answer was cut, and runs no call that may be cut', async () => {
    const tool = countedTool('dig')
    const cut = { ...call('dig'), ...answer('I will'), finish: 'length' } as const
    const at = await play([cut, { ...answer('Half an ans'), finish: 'length' }], { tools: [tool] })
    expect(await at.say('dig')).toEqual(['I will\n\n(cut off: the token limit for an answer was reached)'])
    expect(await at.say('more')).toEqual([
      'Half an ans\n\n(cut off: the token limit for an answer was reached)',
    ])
    expect(tool.runs).toEqual([])
    expect((await messages(at)).filter(({ role }) => role === 'assistant')).toEqual([
      expect.objectContaining({ text: 'I will', calls: [] }),
      expect.objectContaining({ text: 'Half an ans', calls: [] }),
    ])
    await expectLawful(at.log)
  })

  test('[TURN5] says that a model declined or said nothing, and keeps only what the model said', async () => {
    const at = await play([
      { ...answer(''), finish: 'refused' },
      answer(''),
      { ...answer('No.'), finish: 'refused' },
      answer('Fine.'),
    ])
    expect(await at.say('one')).toEqual(['(the model declined to answer)'])
    expect(await at.say('two')).toEqual(['(the model gave an empty answer)'])
    expect(await at.say('three')).toEqual(['No.\n\n(the model declined to answer)'])
    expect(await at.say('four')).toEqual(['Fine.'])
    const said = (await messages(at)).filter(({ role }) => role === 'assistant').map(({ text }) => text)
    expect(said).toEqual(['', '', 'No.', 'Fine.'])
    await expectLawful(at.log)
  })
})

describe('the calls of a step', () => {
  test('[TURN3] have ids of our own, whatever ids the model gives', async () => {
    const tool = countedTool('dig')
    const twice = [
      { id: 'x', tool: 'dig', args: { n: 1 } },
      { id: 'x', tool: 'dig', args: { n: 2 } },
    ]
    const at = await play([{ calls: twice }, { calls: twice }, answer('Done.')], { tools: [tool] })
    expect(await at.say('dig')).toEqual(['Done.'])
    expect(tool.runs).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }, { n: 2 }])
    await expectLawful(at.log)
  })

  test('that name no tool or have no arguments are answered, not run', async () => {
    const tool = countedTool('dig')
    const calls = [
      { tool: 'fly', args: {} },
      { tool: 'dig', badArgs: '{"deep": ' },
      { tool: '', args: {} },
      { tool: 'slash', badArgs: '[1]' },
    ]
    const at = await play([{ calls }, answer('Oh.')], { tools: [tool] })
    expect(await at.say('go')).toEqual(['Oh.'])
    expect(tool.runs).toEqual([])
    expect(await results(at)).toEqual([
      expect.stringContaining("There is no tool 'fly'. You can call slash, dig."),
      expect.stringContaining('not a JSON object: {\\"deep\\": . Call again with one, such as {}.'),
      expect.stringContaining("There is no tool 'unnamed'"),
      expect.stringContaining('not a JSON object: [1]'),
    ])
    await expectLawful(at.log)
  })

  test('[TURN2] run all at once; one that throws and one that is slow stop no other', async () => {
    const slow = gatedTool('slow')
    const quick = countedTool('quick')
    const broken = countedTool('broken', () => {
      throw new Error('out of paper')
    })
    const calls = [
      { tool: 'slow' },
      { tool: 'broken' },
      ...Array.from({ length: 18 }, (_, n) => ({ tool: 'quick', args: { n } })),
    ]
    const at = await play([{ calls }, answer('All done.')], { tools: [slow, quick, broken] })
    await at.type('go')
    await slow.begun
    await breathe()
    expect(await results(at)).toHaveLength(19)
    slow.gate.open()
    await at.settle()
    expect(await results(at)).toHaveLength(20)
    expect(await results(at)).toContainEqual(
      expect.stringContaining("The tool 'broken' failed: out of paper"),
    )
    expect(at.sent.map(({ text }) => text)).toEqual(['All done.'])
    await expectLawful(at.log)
  })

  test('that change the branch take effect behind the last result, in their order', async () => {
    const tool = gatedTool('dig')
    const calls = [
      { tool: 'slash', args: { command: 'mark', args: 'A' } },
      { tool: 'dig' },
      { tool: 'slash', args: { command: 'mark', args: 'A' } },
    ]
    const at = await play([{ calls }, answer('Marked.')], { tools: [tool] })
    await at.type('go')
    await tool.begun
    expect(await at.events('mark-set')).toEqual([])
    tool.gate.open()
    await at.settle()
    expect(await results(at)).toEqual([
      expect.stringContaining('dig done'),
      expect.stringContaining("Checkpoint 'A' created."),
      expect.stringContaining("Checkpoint 'A' moved."),
    ])
    const kinds = (await at.all()).map(({ kind, position }) => ({ kind, position }))
    const marks = kinds.filter(({ kind }) => kind === 'mark-set').map(({ position }) => position)
    const third = kinds.filter(({ kind }) => kind === 'message-added')[4]?.position ?? 0
    expect(marks).toEqual([third + 1, third + 2])
    await expectLawful(at.log)
  })

  test('that share a queue are run in their order, others beside them', async () => {
    const slow = gatedTool('slow')
    const order: string[] = []
    const queued = (name: string): Tool => {
      const run: Tool['run'] = async (args, context) => {
        order.push(`${name} begins`)
        if (name === 'slow') await slow.run(args, context)
        order.push(`${name} ends`)
        return { text: '{}', isError: false }
      }
      return { ...slow, spec: { ...slow.spec, name }, nature: builtIn('looks', { queue: 'q' }), run }
    }
    const beside = countedTool('beside', () => String(order.push('beside')))
    const calls = ['slow', 'next', 'beside'].map((tool) => ({ id: tool, tool, args: {} }))
    const at = await play([{ calls }, answer('ok')], { tools: [queued('slow'), queued('next'), beside] })
    await at.type('go')
    await slow.begun
    await breathe()
    expect(order).toEqual(['slow begins', 'beside'])
    slow.gate.open()
    await at.settle()
    expect(order).toEqual(['slow begins', 'beside', 'slow ends', 'next begins', 'next ends'])
    await expectLawful(at.log)
  })

  test('of two tools that change the branch are planned by each for itself', async () => {
    const planned: string[] = []
    const act = (name: string): ActTool => ({
      spec: { name, description: name, parameters: { type: 'object' } },
      nature: builtIn('steers'),
      plan: (_writing, _actor, calls) =>
        calls.map(({ args }) => {
          planned.push(`${name} ${JSON.stringify(args)}`)
          return { said: { text: `${name} did`, isError: false } }
        }),
    })
    const calls = ['up', 'down', 'up'].map((tool, n) => ({ tool, args: { n } }))
    const at = await play([{ calls }, answer('Done.')], { tools: [act('up'), act('down')] })
    await at.say('go')
    // The work that plans them may be run again (LOG7).
    expect(planned.slice(-3)).toEqual(['up {"n":0}', 'up {"n":2}', 'down {"n":1}'])
    expect(await results(at)).toEqual(
      ['up did', 'down did', 'up did'].map((text) => JSON.stringify({ text })),
    )
    await expectLawful(at.log)
  })

  test('that give more than an event holds are cut, and the turn goes on', async () => {
    const tool = countedTool('flood', () => 'x'.repeat(20_000_000))
    const model = scriptedModel([call('flood'), answer('Much.')], { contextTokens: 10_000_000 })
    const at = await stage({ models: { model }, settings: { model: 'model' }, tools: [tool] })
    expect(await at.say('go')).toEqual(['Much.'])
    expect(model.prompts[1]?.messages.at(-1)?.text).toContain(
      '(cut: the first 1000000 of 20000011 characters)',
    )
  })

  test('[TOOL2] beyond 64 in one step are refused, all in one write, and the turn goes on', async () => {
    const tool = countedTool('dig')
    const at = await play([flood('dig'), flood('slash'), answer('Enough.')], { tools: [tool] })
    expect((await at.say('go')).at(-1)).toBe('Enough.')
    expect(tool.runs).toHaveLength(64)
    const refused = 'Not run: one step may have 64 calls, and this one has 300. Call it in a later step.'
    const rest = (await results(at)).filter((text) => text === JSON.stringify({ error: refused }))
    expect(rest).toHaveLength(2 * (300 - 64))
    await expectLawful(at.log)
  })
})

const rounds = (count: number): StepInput[] => Array.from({ length: count }, () => call('dig'))

describe('the limit of tool rounds', () => {
  test('ends with one last call that may use no tool, with the same tools in it', async () => {
    const tool = countedTool('dig')
    const at = await play(
      [...rounds(3), { expect: { toolChoice: 'none', tools: ['slash', 'dig'] }, ...answer('So far.') }],
      { tools: [tool], settings: { roundsMax: 3 } },
    )
    expect(await at.say('dig')).toEqual(['So far.'])
    expect(tool.runs).toHaveLength(3)
    expect(at.prompts.map(({ settings }) => settings.toolChoice)).toEqual(['auto', 'auto', 'auto', 'none'])
    await expectLawful(at.log)
  })

  test('holds against a model that calls all the same', async () => {
    const tool = countedTool('dig')
    const at = await play([...rounds(2), answer('Next.')], { tools: [tool], settings: { roundsMax: 1 } })
    expect(await at.say('dig')).toEqual([
      '(not done: the limit of tool rounds for one turn was reached; "go on" continues)',
    ])
    expect(tool.runs).toHaveLength(1)
    expect(await at.say('go on')).toEqual(['Next.'])
    expect(at.prompts.at(-1)?.settings.toolChoice).toBe('auto')
    await expectLawful(at.log)
  })

  test('of zero asks for an answer at once', async () => {
    const at = await play([{ expect: { toolChoice: 'none' }, ...answer('Plain.') }], {
      settings: { roundsMax: 0 },
    })
    expect(await at.say('dig')).toEqual(['Plain.'])
  })

  test('is another one for a child', async () => {
    const tool = countedTool('dig')
    const at = await play([...rounds(25), { expect: { toolChoice: 'none' }, ...answer('Deep.') }], {
      tools: [tool],
    })
    expect((await at.say('/fork -- dig')).at(-1)).toMatch(/^\w{6} finished: Deep\.$/)
    expect(tool.runs).toHaveLength(25)
  })
})

test('[CTX3] a call that a log from elsewhere left open gets a result before the next message', async () => {
  const at = await play([answer('Hello!')])
  const branch = (await at.events('branch-created'))[0]?.branch as BranchId
  const calls = [{ id: 'left', tool: 'look', args: {} }]
  const message = { role: 'assistant', text: '', calls } as const
  await at.log.write((writing) => {
    writing.append({
      kind: 'message-added',
      branch,
      at: at.clock.now(),
      v: 1,
      turn: null,
      message,
      tokens: 1,
    })
  })
  expect(await at.say('hi')).toEqual(['Hello!'])
  const said = await messages(at)
  expect(said.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user', 'assistant'])
  expect(said[1]).toMatchObject({ call: 'left', synthetic: 'interrupted' })
  await expectLawful(at.log)
})

test('offline marks, rewinds and undoes', async () => {
  const at = await stage()
  expect(await at.say('/mark A')).toEqual(["Checkpoint 'A' created."])
  await at.say('hello')
  expect(await at.say('/rewind A')).toEqual(["Rewound to 'A'."])
  expect(await at.say('/undo')).toEqual([
    "Undid rewind to 'A'. /redo repeats it; there is nothing earlier to undo.",
  ])
  expect((await at.say('set a mark called B')).join()).toContain("Checkpoint 'B' created.")
})

test('a task that is pasted between a mark and a fork goes to the child, and its answer comes by mail', async () => {
  const at = await stage()
  const said = await at.say('/mark RESEARCH\nInvestigate authentication approaches.\n/fork RESEARCH')
  expect(said).toEqual([
    "Checkpoint 'RESEARCH' created.",
    expect.stringMatching(/^Forked\. Child: \w{6} \(from RESEARCH\)/),
    expect.stringMatching(/^\w{6} finished: /),
  ])
  expect((await at.say('/check-mail')).join('\n')).toMatch(/^From \w{6}:/)
  await expectLawful(at.log)
})
