import { describe, expect, test } from 'vitest'
import { modelFault } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { DO_ABOVE, GOAL, heardByParent, OAUTH, research, slowParent, tasks } from './research.ts'
import { child, dialogue, isChilds, ruled, typed } from './rig.ts'

const HANDED = '\nI stopped answering here: the child has your message as its task.'

describe('the sub-agent pattern line by line', () => {
  test('/fork stops the answer to the task, gives the message to the child, and says so', async () => {
    const { at, slow } = await slowParent((text) => text === GOAL)
    await at.say('an earlier question')
    expect(await typed(at, '/mark RESEARCH')).toEqual(["Checkpoint 'RESEARCH' created."])
    await typed(at, GOAL)
    await slow.begun.opened
    const [forked] = await typed(at, '/fork RESEARCH')
    expect(forked).toBe(`Forked. Child: ${await child(at)} (from RESEARCH)${HANDED}`)
    slow.go.open()
    await at.settle()
    expect(tasks(at)).toEqual([[GOAL, DO_ABOVE]])
    expect(at.sent.map(({ text }) => text)).not.toContain('the parent answers the task')
    const turns = (await at.events('turn-ended')).map(({ outcome }) => outcome)
    expect(turns.toSorted()).toEqual(['answered', 'answered', 'stopped'])
    const all = await at.all()
    const created = all.findLastIndex(({ kind }) => kind === 'branch-created')
    expect(all.slice(created, created + 5).map(({ kind }) => kind)).toEqual([
      'branch-created',
      'inbound-admitted',
      'turn-ended',
      'message-added',
      'command-run',
    ])
    await at.say('what now?')
    expect(heardByParent(at).slice(-4, -1)).toEqual([
      'an earlier question',
      GOAL,
      `given to ${await child(at)}`,
    ])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('a task in two messages is given whole', async () => {
    const { at, slow } = await slowParent((text) => text === 'Research OAuth2.')
    await at.say('/mark R')
    await typed(at, 'Research OAuth2.')
    await slow.begun.opened
    await typed(at, 'Report via /send.')
    await typed(at, '/fork R')
    await at.settle()
    expect(tasks(at)).toEqual([['Research OAuth2.', 'Report via /send.']])
    expect(await at.say('hello')).toEqual(['heard: hello'])
    expect(heardByParent(at).slice(1)).toEqual([
      'Research OAuth2.',
      `given to ${await child(at)}\nReport via /send.`,
      'hello',
    ])
    await expectEmpty(at.log)
  })

  test('typed while the parent is in another turn: all three wait, and the child alone reads the task', async () => {
    const { at, slow } = await slowParent((text) => text === 'think long')
    await typed(at, 'think long')
    await slow.begun.opened
    for (const line of ['/mark R', OAUTH, '/fork R']) expect(await typed(at, line)).toEqual([])
    slow.go.open()
    await at.settle()
    const handle = await child(at)
    expect(at.sent.map(({ text }) => text)).toEqual([
      'the parent answers the task',
      "Checkpoint 'R' created.",
      `Forked. Child: ${handle} (from R)`,
      `${handle} finished: findings on OAuth2`,
    ])
    expect(tasks(at)).toEqual([[OAUTH, DO_ABOVE]])
    expect(heardByParent(at)).toEqual(['think long'])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('a task that was answered already is the parent’s, and the child sees the answer', async () => {
    const at = await ruled(research)
    await dialogue(at, [
      ['/mark R', "Checkpoint 'R' created."],
      [OAUTH, `heard: ${OAUTH}`],
      ['/fork R', /^Forked\. Child: \w{6} \(from R\)$/, /finished: findings on OAuth2$/],
    ])
    expect(tasks(at)).toEqual([[OAUTH, DO_ABOVE]])
  })

  test('a task that waits for the model is given away, and is not tried again here', async () => {
    let isDown = true
    const at = await ruled((prompt) => {
      if (isChilds(prompt)) return research(prompt)
      if (isDown) throw modelFault('network')
      return { text: 'the parent answers the task' }
    })
    await at.say('/mark R')
    await at.type(OAUTH)
    await at.clock.pass(60_000)
    expect((await at.events('turn-ended')).at(-1)?.outcome).toBe('deferred')
    await typed(at, '/fork R')
    isDown = false
    await at.clock.pass(3_600_000)
    await at.settle()
    expect(tasks(at)).toEqual([[OAUTH, DO_ABOVE]])
    expect(at.sent.map(({ text }) => text)).not.toContain('the parent answers the task')
    expect(at.sent.map(({ text }) => text)).toContain(`Forked. Child: ${await child(at)} (from R)${HANDED}`)
  })
})
