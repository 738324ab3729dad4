import { describe, expect, test } from 'vitest'
import { calling, texts } from './calling.ts'
import { expectLawful } from './lawful.ts'
import { child, dialogue, results, ruled, said, slash, stateOf } from './rig.ts'

const mail = (text: string) => `From main:\n<data source="mail:main">\n${text}\n</data>`

describe('a mark of a model', () => {
  test('stands behind the step that sets it, and a rewind to it keeps the step', async () => {
    const at = await calling([slash('mark', 'A')])
    await at.say('go')
    expect(at.results()).toEqual([[{ text: "Checkpoint 'A' created." }]])
    await at.say('more')
    expect(await at.say('/rewind A')).toEqual(["Rewound to 'A'."])
    await at.say('after')
    expect(texts(at.model.prompts.at(-1))).toEqual([
      'go',
      'mark A',
      '{"text":"Checkpoint \'A\' created."}',
      'after',
    ])
    await expectLawful(at)
  })

  test('that exists moves, and without a name the marks are listed with the usage', async () => {
    const at = await calling([slash('mark'), slash('mark', 'A'), slash('mark', 'A'), slash('mark')])
    await at.say('/mark OLD')
    await at.say('go')
    expect(at.results()).toEqual([
      [
        { error: 'Usage: slash mark NAME\nMarks here: OLD' },
        { text: "Checkpoint 'A' created." },
        { text: "Checkpoint 'A' moved." },
        { error: 'Usage: slash mark NAME\nMarks here: OLD, A' },
      ],
    ])
  })
})

describe('a clear of a model', () => {
  test("keeps the turn's user messages and the step, and the model goes on and clears once", async () => {
    const at = await calling([slash('clear')])
    await at.say('before')
    expect(await at.say('go')).toEqual(['gone'])
    expect(texts(at.model.prompts.at(-1))).toEqual(['go', 'clear', '{"text":"Context cleared."}'])
    expect(await at.events('context-cleared')).toHaveLength(1)
    await at.say('next')
    expect(texts(at.model.prompts.at(-1))).toEqual([
      'go',
      'clear',
      '{"text":"Context cleared."}',
      'gone',
      'next',
    ])
    expect(await at.say('/undo')).toEqual([
      'Undid clear (by model). /redo repeats it; there is nothing earlier to undo.',
    ])
    await expectLawful(at)
  })

  test('to a mark takes away what followed it', async () => {
    const at = await calling([slash('clear', 'A')])
    await at.say('kept')
    await at.say('/mark A')
    await at.say('dropped')
    await at.say('/mark B')
    await at.say('go')
    expect(texts(at.model.prompts.at(-1))).toEqual([
      'kept',
      'heard: kept',
      'go',
      'clear A',
      '{"text":"Rewound to \'A\'."}',
    ])
    expect(await at.say('/mark')).toEqual(['Marks here: A'])
    await expectLawful(at)
  })

  test('that would change nothing says where it is, and names the mark before', async () => {
    const at = await calling(
      [slash('clear', 'B'), slash('clear', 'X')],
      [slash('mark', 'C'), slash('clear', 'C')],
    )
    await at.say('/mark A')
    await at.say('kept')
    await at.say('/mark B')
    await at.say('go')
    expect(at.results()).toEqual([
      [
        { text: "Already at 'B'. The mark before it is 'A'." },
        { error: 'Mark not found: X\nMarks here: A, B\nUsage: slash clear [MARK]' },
      ],
      [{ text: "Checkpoint 'C' created." }, { text: "Already at 'C'. The mark before it is 'B'." }],
    ])
    expect(await at.events('context-cleared')).toEqual([])
  })
})

describe('a kill of a model', () => {
  test('reaches only what is below it', async () => {
    const at = await ruled((prompt) => {
      if (prompt.messages.at(-1)?.role === 'tool') return { text: JSON.stringify(results(prompt)) }
      return said(prompt).at(-1)?.startsWith('kill ')
        ? { calls: [slash('kill', said(prompt).at(-1)?.slice(5)), slash('kill', 'main')] }
        : { text: 'ok' }
    })
    await at.say('/fork -- older')
    const older = await child(at)
    await at.say('/fork -- younger')
    const younger = await child(at)
    await at.say(`/switch ${younger}`)
    const refused = `${older} is not a child of yours, so you cannot kill it.\nUsage: slash kill ID`
    const main = 'The main session cannot be killed.\nUsage: slash kill ID'
    expect(await at.say(`kill ${older}`)).toEqual([JSON.stringify([{ error: refused }, { error: main }])])
    const self = `${younger} is not a child of yours, so you cannot kill it.\nUsage: slash kill ID`
    expect(await at.say(`kill ${younger}`)).toEqual([JSON.stringify([{ error: self }, { error: main }])])
    await at.say('/switch main')
    expect(await at.say(`kill ${older}`)).toEqual([
      JSON.stringify([{ text: `Killed ${older}.` }, { error: main }]),
    ])
    expect([await stateOf(at, older), await stateOf(at, younger)]).toEqual(['killed', 'idle'])
  })

  test('that is refused names nothing that only people can call', async () => {
    const at = await ruled((prompt) => {
      if (prompt.messages.at(-1)?.role === 'tool') return { text: JSON.stringify(results(prompt)) }
      const ids = ['zzzzzz', 'z', 'main']
      return said(prompt).at(-1) === 'go' ? { calls: ids.map((id) => slash('kill', id)) } : { text: 'ok' }
    })
    await at.say('/fork -- look')
    const errors = (await at.say('go'))[0] ?? ''
    expect(errors).toContain(
      `There is no branch 'zzzzzz'. There are: main (you), ${await child(at)} (child).`,
    )
    expect(errors).not.toContain('/')
  })
})

describe('a result', () => {
  test('of several calls in one step comes in their order, and mail sent in it is read in it', async () => {
    const at = await calling([
      slash('check-mail'),
      slash('send', 'main "remember the milk"'),
      slash('send', 'main and the bread'),
      slash('check-mail'),
      slash('check-mail'),
    ])
    await at.say('go')
    expect(at.results()).toEqual([
      [
        { text: 'No messages' },
        { text: 'Sent to main.' },
        { text: 'Sent to main.' },
        { text: `${mail('remember the milk')}\n\n${mail('and the bread')}` },
        { text: 'No messages' },
      ],
    ])
    await expectLawful(at)
  })

  test('that is an error restates the usage; what is for people is refused by the list', async () => {
    const bad = { id: 'x', tool: 'slash', args: { command: 7 } }
    const at = await calling([
      slash('exit'),
      slash('kill'),
      slash('send', 'zzzzzz hello'),
      slash('kill', 'zzzzzz'),
      slash('check-mail', 'now'),
      bad,
      { id: 'x', tool: 'slash', badArgs: '{"command"' },
      { id: 'x', tool: 'slash', args: { command: 'check-mail', args: null } },
    ])
    await at.say('go')
    const list = 'mark, clear, fork, send, check-mail, kill'
    expect(at.results()).toEqual([
      [
        { error: `Unknown command 'exit'. The slash tool has: ${list}` },
        { error: 'slash kill takes the ID of one branch. Usage: slash kill ID' },
        { error: "There is no branch 'zzzzzz'. There are: main (you).\nUsage: slash send ID MESSAGE" },
        { error: "There is no branch 'zzzzzz'. There are: main (you).\nUsage: slash kill ID" },
        { error: 'slash check-mail takes no arguments. Usage: slash check-mail' },
        { error: `Usage: {"command": one of ${list}, "args"?: a string}` },
        { error: expect.stringMatching(/^The arguments are not a JSON object: \{"command"/) },
        { text: 'No messages' },
      ],
    ])
  })

  test('has the words that a person gets', async () => {
    const lines = ['mark A', 'clear NOWHERE', 'check-mail', 'send main hi']
    const byModel = await calling(lines.map((line) => slash(...(line.split(/ (.*)/, 2) as [string, string]))))
    await byModel.say('go')
    const byPerson = await calling()
    const spoken = []
    for (const line of lines) spoken.push((await byPerson.say(`/${line}`))[0])
    const given = byModel.results()[0] as { text?: string; error?: string }[]
    expect(given.map(({ text, error }) => text ?? error?.replace(/\nUsage: .*/, ''))).toEqual(spoken)
  })
})

test('a schema to the letter of the design is what the model is given', async () => {
  const at = await calling()
  await dialogue(at, [['hello', 'heard: hello']])
  expect(at.model.prompts[0]?.tools[0]).toEqual({
    name: 'slash',
    description: 'Execute a slash command',
    parameters: {
      type: 'object',
      properties: {
        command: {
          type: 'string',
          enum: ['mark', 'clear', 'fork', 'send', 'check-mail', 'kill'],
          description: 'The command to execute',
        },
        args: { type: 'string', description: 'Command arguments as a single string' },
      },
      required: ['command'],
    },
  })
})
