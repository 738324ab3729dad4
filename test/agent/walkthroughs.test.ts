import { describe, expect, test } from 'vitest'
import { receive } from '../../src/command/door/reception.ts'
import { gatedTool } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { DO_ABOVE, GOAL, heardByParent, OAUTH, research, SESSION, slowParent, tasks } from './research.ts'
import { child, children, dialogue, isChilds, ruled, said, typed, type Ruled } from './rig.ts'
import { breathe, stage, terminal, type Stage } from './stage.ts'

/** The walkthroughs of the design, as they are typed there. */

describe('mark and rewind', () => {
  test('experimental work is gone, and the checkpoint stays', async () => {
    const at = await ruled(research)
    await at.say('[A] and [B]')
    await dialogue(at, [
      ['/mark CHECKPOINT', "Checkpoint 'CHECKPOINT' created."],
      ['experimental work', 'heard: experimental work'],
      ['/clear CHECKPOINT', "Rewound to 'CHECKPOINT'."],
      ['try differently', 'heard: try differently'],
    ])
    expect(said(at.model.prompts.at(-1))).toEqual(['[A] and [B]', 'try differently'])
  })

  test('pasted whole it does the same', async () => {
    const at = await ruled(research)
    expect(await at.say('/mark CHECKPOINT\nexperimental work\n/clear CHECKPOINT\ntry differently')).toEqual([
      "Checkpoint 'CHECKPOINT' created.",
      'heard: experimental work',
      "Rewound to 'CHECKPOINT'.",
      'heard: try differently',
    ])
    expect(said(at.model.prompts.at(-1))).toEqual(['try differently'])
  })
})

describe('several marks', () => {
  const lines = [
    ['/mark PHASE_1', "Checkpoint 'PHASE_1' created."],
    ['work one', 'heard: work one'],
    ['/mark PHASE_2', "Checkpoint 'PHASE_2' created."],
    ['work two', 'heard: work two'],
    ['/clear PHASE_2    # rewind to PHASE_2', "Rewound to 'PHASE_2'."],
    ['/clear PHASE_1    # rewind further to PHASE_1', "Rewound to 'PHASE_1'."],
    ['from the start', 'heard: from the start'],
  ] as const

  test('are independent, typed line by line or pasted with their remarks', async () => {
    const typing = await ruled(research)
    await dialogue(typing, lines)
    const pasting = await ruled(research)
    expect(await pasting.say(lines.map(([line]) => line).join('\n'))).toEqual(
      lines.map(([, answer]) => answer),
    )
    for (const at of [typing, pasting]) expect(said(at.model.prompts.at(-1))).toEqual(['from the start'])
  })
})

describe('the sub-agent pattern', () => {
  const pasted = `/mark RESEARCH\n${GOAL}\n/fork RESEARCH`

  test('pasted whole: the child has exactly the goal, and the parent never answers it', async () => {
    const at = await ruled(research)
    await at.say('an earlier question')
    const texts = await at.say(pasted)
    const handle = await child(at)
    expect(texts).toEqual([
      "Checkpoint 'RESEARCH' created.",
      `Forked. Child: ${handle} (from RESEARCH)`,
      `${handle} finished: findings on OAuth2`,
    ])
    expect(tasks(at)).toEqual([[GOAL, DO_ABOVE]])
    expect(at.model.prompts.find(isChilds)?.messages[0]?.text).toBe(`[note from the person]\n${GOAL}`)
    expect(await at.say('/check-mail')).toEqual([`From ${handle}:\nfindings on OAuth2`])
    await at.say('what now?')
    expect(heardByParent(at)).toEqual([
      'an earlier question',
      'an earlier question',
      GOAL,
      `given to ${handle}`,
      expect.stringContaining('findings on OAuth2'),
      'what now?',
    ])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('with the offline model: the child says what it was given, and its answer comes once', async () => {
    const at = await stage()
    const [created, forked, finished] = await at.say(pasted)
    const handle = await child(at)
    expect([created, forked]).toEqual([
      "Checkpoint 'RESEARCH' created.",
      `Forked. Child: ${handle} (from RESEARCH)`,
    ])
    expect(finished).toMatch(
      new RegExp(`^${handle} finished: I couldn't do this task: "Investigate authentication`),
    )
    expect((await at.say('/check-mail'))[0]).toMatch(
      /session-based\. Report findings via \/send when complete\."/,
    )
    expect(await at.say('/check-mail')).toEqual(['No messages'])
  })

  test('while the parent is in another turn: pasted, the goal is read by the child alone', async () => {
    const tool = gatedTool('look')
    const at = await ruled(
      (prompt) =>
        isChilds(prompt) || prompt.messages.at(-1)?.role === 'tool' || prompt.messages.length > 1
          ? research(prompt)
          : { calls: [{ id: 'l', tool: 'look', args: {} }] },
      { tools: [tool] },
    )
    await at.type('look around')
    await tool.begun
    await receive(at.desk, {
      ...terminal,
      origin: 'phone',
      conversation: 'phone',
      person: 'owner',
      messageId: null,
      text: pasted,
    })
    tool.gate.open()
    await at.settle()
    const answer = at.sent.find(({ form }) => form === 'answer')
    expect(answer?.conversation).toBe(terminal.conversation)
    expect(tasks(at)).toEqual([[GOAL]])
    expect(heardByParent(at)).toEqual(['look around', 'look around', GOAL, `given to ${await child(at)}`])
    expect(await at.events('turn-ended')).toHaveLength(2)
    await expectLawful(at)
    await expectEmpty(at.log)
  })
})

async function expectBoth(at: Ruled): Promise<void> {
  const [auth, session] = await children(at)
  expect(
    tasks(at)
      .map(([task = '']) => task)
      .toSorted(),
  ).toEqual([OAUTH, SESSION].toSorted())
  const [mail] = await at.say('/check-mail')
  expect(mail?.split('\n\n').toSorted()).toEqual(
    [`From ${auth}:\nfindings on OAuth2`, `From ${session}:\nfindings on session`].toSorted(),
  )
  expect(await at.say('/check-mail')).toEqual(['No messages'])
  expect(at.sent.filter(({ text }) => text.startsWith('heard: Research'))).toEqual([])
  await expectLawful(at)
  await expectEmpty(at.log)
}

describe('parallel research', () => {
  const lines = [
    '/mark AUTH_RESEARCH',
    OAUTH,
    '/fork AUTH_RESEARCH',
    '/mark SESSION_RESEARCH',
    SESSION,
    '/fork SESSION_RESEARCH',
  ]

  test('pasted whole: both findings arrive once', async () => {
    const at = await ruled(research)
    await at.say(lines.join('\n'))
    await expectBoth(at)
  })

  test('line by line with a slow parent: both turns are stopped, both findings arrive once', async () => {
    const { at } = await slowParent((text) => text.startsWith('Research'))
    for (const line of lines) await typed(at, line)
    await at.settle()
    expect((await at.events('turn-ended')).filter(({ outcome }) => outcome === 'stopped')).toHaveLength(2)
    await expectBoth(at)
  })

  test('typed without a pause, whatever is done between two lines, both findings arrive once', async () => {
    const { at } = await slowParent((text) => text.startsWith('Research'))
    await Promise.all(lines.map((line) => at.type(line)))
    await at.settle()
    await expectBoth(at)
  })

  test('with the offline model, typed without a pause', async () => {
    const at: Stage = await stage()
    await Promise.all(lines.map((line) => at.type(line)))
    await at.settle()
    await breathe()
    const [mail] = await at.say('/check-mail')
    for (const task of [OAUTH, SESSION])
      expect(mail?.split(`I couldn't do this task: "${task}"`)).toHaveLength(2)
    expect(at.sent.filter(({ text }) => text.includes('A real model would answer'))).toEqual([])
  })
})
