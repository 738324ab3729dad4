import { describe, expect, test } from 'vitest'
import { scriptedModel } from '../../src/model/scripted.ts'
import type { StepInput } from '../../src/model/script.ts'
import { stage, type Stage, type StageOptions } from './stage.ts'

async function scripted(
  steps: readonly StepInput[],
  options: StageOptions = {},
): Promise<Stage & { prompts: () => string[] }> {
  const model = scriptedModel(steps, { name: 'scripted' })
  const made = await stage({
    ...options,
    models: { scripted: model },
    settings: { model: 'scripted', ...options.settings },
  })
  return Object.assign(made, { prompts: () => model.prompts.map((prompt) => JSON.stringify(prompt)) })
}

describe('a turn', () => {
  test('answers what was said, once, in the order in which it happened', async () => {
    const at = await scripted([{ reply: { text: 'Hello!' } }])
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
  })

  test('runs the calls of a step and goes on with their results', async () => {
    const at = await scripted([
      { calls: [{ tool: 'slash', args: { command: 'mark', args: 'A' } }] },
      { expect: { lastTool: "Checkpoint 'A' created" }, reply: { text: 'Marked.' } },
    ])
    expect(await at.say('mark this')).toEqual(['Marked.'])
  })

  test('offline marks, rewinds and undoes', async () => {
    const at = await stage()
    expect(await at.say('/mark A')).toEqual(["Checkpoint 'A' created."])
    await at.say('hello')
    expect(await at.say('/rewind A')).toEqual(["Rewound to 'A'."])
    expect(await at.say('/undo')).toEqual([
      "Undone: rewind to 'A'. There is nothing before it to undo. /redo makes it again.",
    ])
    expect((await at.say('set a mark called B')).join()).toContain("Checkpoint 'B' created.")
  })

  test('the sub-agent pattern of seed 004, pasted whole', async () => {
    const at = await stage()
    const said = await at.say(
      '/mark RESEARCH\nInvestigate authentication approaches.\nReport findings via /send when complete.\n/fork RESEARCH',
    )
    console.log(said)
    console.log((await at.say('/agents')).join('\n'))
    console.log((await at.say('/check-mail')).join('\n'))
    console.log((await at.say('/context')).join('\n'))
  })
})
