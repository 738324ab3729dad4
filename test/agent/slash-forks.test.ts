import { describe, expect, test } from 'vitest'
import { calling, texts } from './calling.ts'
import { expectLawful } from './lawful.ts'
import { child, children, isChilds, slash } from './rig.ts'

describe('a fork of a model', () => {
  test('leaves out the step, and the child opens with its goal', async () => {
    const at = await calling([slash('mark', 'M'), slash('fork', '-- find\nthe answer')])
    await at.say('before')
    await at.say('go')
    const handle = await child(at)
    expect(at.results()).toEqual([
      [{ text: "Checkpoint 'M' created." }, { text: `Forked. Child: ${handle}` }],
    ])
    const prompt = at.model.prompts.find(isChilds)
    expect(texts(prompt)).toEqual(['before', 'heard: before', 'go', 'find\nthe answer'])
    expect(prompt?.messages.at(-1)?.text).toMatch(
      /^\[fork-started\]\n\(written by the host: you are a child of main; .*\)\n\[2026/,
    )
    await expectLawful(at)
  })

  test('without a goal says: do the task above', async () => {
    const at = await calling([slash('fork')])
    await at.say('go')
    expect(texts(at.model.prompts.find(isChilds))).toEqual(['go', 'You are the child; do the task above.'])
  })

  test('of a mark of the same step takes a goal, and without one is an error', async () => {
    const at = await calling([slash('mark', 'T'), slash('fork', 'T'), slash('fork', 'T -- the goal')])
    await at.say('before')
    await at.say('go')
    const handle = await child(at)
    expect(at.results()).toEqual([
      [
        { text: "Checkpoint 'T' created." },
        {
          error:
            'There is nothing after that mark, so the child would have no task. Add one: fork MARK -- GOAL\nUsage: slash fork [MARK] [-- GOAL]',
        },
        { text: `Forked. Child: ${handle} (from T)` },
      ],
    ])
    expect(texts(at.model.prompts.find(isChilds))).toEqual(['the goal'])
    expect(await children(at)).toHaveLength(1)
  })

  test('of a mark gives what the person said after it', async () => {
    const at = await calling([slash('fork', 'M')])
    await at.say('before')
    await at.say('/mark M')
    await at.say('go')
    expect(texts(at.model.prompts.find(isChilds))).toEqual(['go', 'You are the child; do the task above.'])
  })

  test('behind a clear in the same step sees what the clear left', async () => {
    const at = await calling([
      slash('clear', 'M'),
      slash('fork', '-- from there'),
      slash('fork', 'M -- nothing but this'),
      slash('clear'),
      slash('fork', '-- alone'),
      slash('fork'),
      slash('fork', 'M -- gone'),
    ])
    await at.say('kept')
    await at.say('/mark M')
    await at.say('dropped')
    await at.say('go')
    const [one, two, three] = await children(at)
    expect(at.results()).toEqual([
      [
        { text: "Rewound to 'M'." },
        { text: `Forked. Child: ${one}` },
        { text: `Forked. Child: ${two} (from M)` },
        { text: 'Context cleared.' },
        { text: `Forked. Child: ${three}` },
        {
          error:
            'This step clears the context, so the child would have no task. Add one: fork -- GOAL\nUsage: slash fork [MARK] [-- GOAL]',
        },
        {
          error:
            'Mark not found: M\nThere are no marks here. slash mark NAME sets one.\nUsage: slash fork [MARK] [-- GOAL]',
        },
      ],
    ])
    expect(at.model.prompts.filter(isChilds).map(texts)).toEqual([
      ['kept', 'heard: kept', 'from there'],
      ['nothing but this'],
      ['alone'],
    ])
    await expectLawful(at)
  })
})
