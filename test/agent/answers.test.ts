import { describe, expect, test } from 'vitest'
import { handleOf } from '../../src/event/id.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { childOf, gatedTool, play, ruleModel, type Played } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { breathe, stage } from './stage.ts'

const HOUR_MS = 60 * 60 * 1000
const answer = (text: string): StepInput => ({ reply: { text } })
const slash = (command: string, args = ''): StepInput => ({
  calls: [{ tool: 'slash', args: { command, args } }],
})

async function mail(at: Played): Promise<string[]> {
  return (await at.events('mail-sent')).map(({ text }) => text)
}

describe("a child's turn", () => {
  test('ends with its answer in the mail of its parent, and a line for the person', async () => {
    const at = await play([answer('Found.\nIn the cellar.')])
    const said = await at.say('/fork -- look')
    expect(said).toEqual([
      expect.stringMatching(/^Forked\. Child: \w{6}/),
      expect.stringMatching(/^\w{6} finished: Found\.$/),
    ])
    expect(await mail(at)).toEqual(['Found.\nIn the cellar.'])
    expect(at.sent.some(({ form }) => form === 'answer')).toBe(false)
    await expectLawful(at)
  })

  test('leaves it to the child when the child wrote to its parent itself', async () => {
    const at = await play([slash('send', 'main Here it is.'), answer('Done.')])
    await at.say('/fork -- look')
    expect(await mail(at)).toEqual(['Here it is.'])
  })

  test('says no line to a person whose main is in a turn: the next one is told of the mail', async () => {
    const tool = gatedTool('dig')
    const steps = [{ calls: [{ tool: 'dig' }] }, answer('Found.'), answer('Dug.'), answer('Yes.')]
    const at = await play(steps, { tools: [tool] })
    await at.type('dig')
    await tool.begun
    await at.type('/fork -- look')
    await breathe()
    expect(await mail(at)).toEqual(['Found.'])
    tool.gate.open()
    await at.settle()
    expect(at.sent.some(({ text }) => text.includes('finished'))).toBe(false)
    await at.say('well?')
    expect(at.prompts.at(-1)?.messages.at(-1)?.text).toMatch(/^\(You have 1 unread message, from \w{6}\./)
    await expectLawful(at)
  })
})

describe('a person', () => {
  test('who enters a fork with a topic gets its answer there', async () => {
    const at = await play([answer('About ships.')])
    const said = await at.say('/fork --enter -- ships')
    expect(said.at(-1)).toBe('About ships.')
    expect(at.sent.at(-1)?.form).toBe('answer')
    await expectEmpty(at.log)
  })

  test('who talks to an idle child is answered, and its parent gets no mail of it', async () => {
    const at = await play([answer('Found.'), answer('In the cellar.')])
    await at.say('/fork -- look')
    await at.say(`/switch ${handleOf(await childOf(at, await at.branch()))}`)
    expect(await at.say('where?')).toEqual(['In the cellar.'])
    expect(await mail(at)).toEqual(['Found.'])
    await expectLawful(at)
  })

  test('who speaks to a child at its task gets the answer, and so does the parent that waits for it', async () => {
    const tool = gatedTool('dig')
    const at = await play([{ calls: [{ tool: 'dig' }] }, answer('Both.')], { tools: [tool] })
    await at.type('/fork -- look')
    await tool.begun
    await at.type(`/switch ${handleOf(await childOf(at, await at.branch()))}`)
    await at.type('and hurry')
    tool.gate.open()
    await at.settle()
    expect(at.sent.filter(({ form }) => form === 'answer').map(({ text }) => text)).toEqual(['Both.'])
    expect(await mail(at)).toEqual(['Both.'])
    expect(at.sent.some(({ text }) => text.includes('finished'))).toBe(false)
    await expectLawful(at)
  })
})

describe('a child that is idle', () => {
  test('is woken by mail, and what it then answers goes to its parent', async () => {
    const at = await play([answer('Ready.'), slash('check-mail'), answer('Read it.')])
    await at.say('/fork -- wait')
    const child = handleOf(await childOf(at, await at.branch()))
    await at.say(`/send ${child} now`)
    expect(await mail(at)).toEqual(['Ready.', 'now', 'Read it.'])
    expect(at.prompts[1]?.messages.at(-1)?.text).toContain('You have 1 unread message, from main.')
    await expectLawful(at)
  })

  test('is woken by the answer of a child of its own', async () => {
    const dig = gatedTool('dig')
    const model = ruleModel(({ messages }) => {
      const last = messages.at(-1)?.text ?? ''
      if (last.endsWith('lead'))
        return { calls: [{ id: 'a', tool: 'slash', args: { command: 'fork', args: '-- help' } }] }
      if (last.endsWith('help')) return { calls: [{ id: 'a', tool: 'dig', args: {} }] }
      return { text: last.includes('mail woke you') ? 'Woken.' : 'Done.' }
    })
    const at = await stage({ models: { model }, settings: { model: 'model' }, tools: [dig] })
    await at.type('/fork -- lead')
    await dig.begun
    await breathe()
    dig.gate.open()
    await at.settle()
    expect(at.sent.at(-1)?.text).toMatch(/^\w{6} finished: Woken\.$/)
  })

  test('is woken once by mail that it does not read', async () => {
    const at = await play([answer('Ready.'), answer('Ignored.')])
    await at.say('/fork -- wait')
    await at.say(`/send ${handleOf(await childOf(at, await at.branch()))} now`)
    expect(await at.events('turn-started')).toHaveLength(2)
  })

  test('ends after a day, also over a restart', async () => {
    const at = await play([answer('Ready.')])
    await at.say('/fork -- wait')
    await at.clock.pass(23 * HOUR_MS)
    await at.close()
    await at.log.close()
    const again = await play([], { disk: at.disk, clock: at.clock, seed: 8 })
    expect(await again.events('branch-ended')).toEqual([])
    await again.clock.pass(HOUR_MS)
    expect(await again.events('branch-ended')).toMatchObject([
      { reason: 'finished', author: { by: 'policy' } },
    ])
    await expectLawful(again)
  })
})

const call = (command: string, args: string) => ({
  calls: [{ id: 'a', tool: 'slash', args: { command, args } }],
})

test("a grandchild's answer wakes its parent, whose answer goes up to main", async () => {
  const model = ruleModel(({ messages }) => {
    const last = messages.at(-1)?.text ?? ''
    if (last.endsWith('lead')) return call('fork', '-- dig')
    if (last.endsWith('dig')) return { text: 'Dug.' }
    if (last.includes('mail woke you')) return call('check-mail', '')
    return { text: last.includes('Dug.') ? 'All dug.' : 'Started.' }
  })
  const at = await stage({ models: { model }, settings: { model: 'model' } })
  await at.say('/fork -- lead')
  const main = await at.branch()
  const sent = (await at.events('mail-sent')).map(({ branch, text }) => `${branch === main}: ${text}`)
  expect(sent.toSorted()).toEqual(['false: Dug.', 'true: All dug.', 'true: Started.'])
  expect(at.sent.filter(({ text }) => text.includes('finished')).map(({ text }) => text.slice(7))).toEqual([
    'finished: Started.',
    'finished: All dug.',
  ])
  await expectLawful(at)
  await expectEmpty(at.log)
})

test('a child that is killed in the middle of a tool writes nothing more', async () => {
  const tool = gatedTool('dig')
  const at = await play([{ calls: [{ tool: 'dig' }] }], { tools: [tool] })
  await at.type('/fork -- dig')
  await tool.begun
  const child = await childOf(at, await at.branch())
  await at.say(`/kill ${handleOf(child)}`)
  tool.gate.open()
  await breathe()
  await at.settle()
  const events = await at.all()
  const end = events.findIndex(({ kind }) => kind === 'branch-ended')
  expect(events.slice(end + 1).filter(({ branch }) => branch === child)).toEqual([])
  expect(await mail(at)).toEqual([])
  await expectLawful(at)
})
