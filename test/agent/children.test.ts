import { describe, expect, test } from 'vitest'
import type { BranchId } from '../../src/event/id.ts'
import { gatedTool, play } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import {
  child,
  children,
  ended,
  idOf,
  isChilds,
  lastText,
  ruled,
  said,
  slash,
  slowly,
  stateOf,
  talkedTo,
  typed,
} from './rig.ts'
import { breathe, stage, type Stage } from './stage.ts'

const HOUR = 3_600_000

/** Children wait until the test lets them go; everybody else answers at once. */
async function withSlowChildren(settings: Parameters<typeof ruled>[1] = {}) {
  const slow = slowly({ text: 'found it' })
  const at = await ruled(
    (prompt, signal) => (isChilds(prompt) ? slow.reply(signal) : { text: `heard: ${lastText(prompt)}` }),
    settings,
  )
  return { at, slow }
}

describe('children', () => {
  test('start at once and work side by side while the person talks on', async () => {
    const { at, slow } = await withSlowChildren()
    for (const goal of ['one', 'two', 'three']) await typed(at, `/fork -- ${goal}`)
    expect(at.agent.busy).toHaveLength(3)
    expect(await typed(at, 'hello')).toEqual(['heard: hello'])
    slow.go.open()
    await at.settle()
    const handles = await children(at)
    const lines = at.sent.map(({ text }) => text).filter((text) => text.includes(' finished: '))
    expect(lines.toSorted()).toEqual(handles.map((handle) => `${handle} finished: found it`).toSorted())
    await expectLawful(at)
  })

  test('run at most as many at once as allowed, and the others wait for their turn', async () => {
    const { at, slow } = await withSlowChildren({ settings: { runningMax: 2 } })
    for (const goal of ['one', 'two', 'three']) await typed(at, `/fork -- ${goal}`)
    expect(at.model.prompts).toHaveLength(2)
    expect((await typed(at, '/agents')).join()).toContain("'three': waiting for its turn")
    expect(await typed(at, 'hello')).toEqual(['heard: hello'])
    slow.go.open()
    await at.settle()
    expect(at.model.prompts).toHaveLength(4)
  })

  test('are refused beyond so many at work, and idle ones do not count', async () => {
    const { at, slow } = await withSlowChildren({ settings: { childrenMax: 2 } })
    await typed(at, '/fork -- one')
    await typed(at, '/fork -- two')
    const refused =
      'Not forked: 2 children are at work here, and 2 are the most. Wait until one ends, or /kill one. /agents lists them.'
    expect(await typed(at, '/fork -- three')).toEqual([refused])
    expect((await typed(at, '/fork'))[0]).toMatch(/^Forked\. Child: /)
    await typed(at, '/exit')
    slow.go.open()
    await at.settle()
    expect((await at.say('/fork -- three'))[0]).toMatch(/^Forked\./)
    expect((await at.say('/fork -- four'))[0]).toMatch(/^Forked\./)
  })

  test('that wait for a slot or for the model count too', async () => {
    const { at, slow } = await withSlowChildren({ settings: { childrenMax: 2, runningMax: 1 } })
    await typed(at, '/fork -- one')
    await typed(at, '/fork -- two')
    expect((await typed(at, '/fork -- three'))[0]).toMatch(/^Not forked: 2 children are at work here/)
    slow.go.open()
    await at.settle()
    const busy = { error: { reason: 'overloaded', retryAfterMs: 3_600_000 } } as const
    const away = await play([busy], { settings: { childrenMax: 1 } })
    await away.type('/fork -- one')
    await away.clock.pass(60_000)
    expect(await stateOf(away, await child(away))).toBe('idle')
    expect((await typed(away, '/fork -- two'))[0]).toMatch(/^Not forked: 1 child is at work here/)
  })

  test('that mail woke count again', async () => {
    const slow = slowly({ text: 'read' })
    const at = await ruled(
      (prompt, signal) => (lastText(prompt).startsWith('You have') ? slow.reply(signal) : { text: 'ok' }),
      { settings: { childrenMax: 1 } },
    )
    await at.say('/fork -- one')
    await typed(at, `/send ${await child(at)} more work`)
    expect((await typed(at, '/fork -- two'))[0]).toMatch(
      /^Not forked: 1 child is at work here, and 1 is the most\./,
    )
    slow.go.open()
    await at.settle()
  })

  test('go so deep and no deeper', async () => {
    const at = await ruled(() => ({ text: 'ok' }), { settings: { depthMax: 2 } })
    await at.say('/fork -- one')
    await at.say(`/switch ${await child(at)}`)
    await at.say('/fork -- two')
    await at.say(`/switch ${await child(at)}`)
    const refused =
      'Not forked: branches may be 2 deep, and this one is. Do the task here, or raise depthMax.'
    expect(await at.say('/fork -- three')).toEqual([refused])
    expect(await at.say('/fork')).toEqual([refused])
    expect(await children(at)).toHaveLength(2)
  })

  test('end after a day without work, also when the day passed while nobody ran', async () => {
    const at = await ruled(() => ({ text: 'ok' }))
    await at.say('/fork -- one')
    const one = await child(at)
    await at.clock.pass(12 * HOUR)
    await at.say('/fork -- two')
    const two = await child(at)
    await at.clock.pass(11 * HOUR)
    expect([await stateOf(at, one), await stateOf(at, two)]).toEqual(['idle', 'idle'])
    await at.clock.pass(2 * HOUR)
    expect([await stateOf(at, one), await stateOf(at, two)]).toEqual(['finished', 'idle'])
    const rest = await ended(at)
    await rest.clock?.pass(24 * HOUR)
    const later = await stage(rest)
    await later.settle()
    expect(await stateOf(later, two)).toBe('finished')
  })

  test('are woken by mail within their day, and then have another', async () => {
    const at = await ruled(() => ({ text: 'ok' }))
    await at.say('/fork -- one')
    const one = await child(at)
    await at.clock.pass(23 * HOUR)
    await at.say(`/send ${one} still there?`)
    await at.clock.pass(23 * HOUR)
    expect(await stateOf(at, one)).toBe('idle')
    await at.clock.pass(2 * HOUR)
    expect(await stateOf(at, one)).toBe('finished')
  })

  test('end after a day also when a person cleared them', async () => {
    const at = await ruled(() => ({ text: 'ok' }))
    await at.say('/fork -- one')
    const one = await child(at)
    await at.say(`/switch ${one}`)
    await at.clock.pass(12 * HOUR)
    await at.say('/clear\n/switch main')
    await at.clock.pass(23 * HOUR)
    expect(await stateOf(at, one)).toBe('idle')
    await at.clock.pass(2 * HOUR)
    expect(await stateOf(at, one)).toBe('finished')
  })
})

describe('a branch that ends under who talks to it', () => {
  test('by their own kill: they are told where they are now', async () => {
    const { at } = await withSlowChildren()
    await typed(at, '/fork -- one')
    const handle = await child(at)
    await typed(at, `/switch ${handle}`)
    expect(await at.say(`/kill ${handle}`)).toEqual([`Killed ${handle}. You are talking to main now.`])
    expect(await talkedTo(at)).not.toBe(handle)
    expect(await at.say('hello')).toEqual(['heard: hello'])
  })

  test('by somebody else: the next thing they say goes to the branch above, and they are told so', async () => {
    const { at } = await withSlowChildren()
    await typed(at, '/fork -- one')
    const handle = await child(at)
    await typed(at, `/switch ${handle}`)
    await typed(at, 'never read')
    const id = await idOf(at, handle)
    await endBy(at, id)
    expect(await at.say('hello')).toEqual([
      `${handle} has ended (killed). What you wrote there last was not read (1). You are talking to main now.`,
      'heard: hello',
    ])
    expect(await at.say('/agents all')).toEqual([
      expect.stringContaining(`${handle} child 'one': ended (killed)`),
    ])
  })
})

async function endBy(at: Stage, branch: BranchId): Promise<void> {
  const author = { by: 'policy', name: 'test' } as const
  await at.log.write((writing) =>
    writing.append({ kind: 'branch-ended', branch, at: at.clock.now(), v: 1, reason: 'killed', author }),
  )
  at.agent.abort([branch])
  await breathe()
}

describe('[KILL1] a branch that is killed', () => {
  test('stops its call of the model at once, and writes nothing more', async () => {
    const { at, slow } = await withSlowChildren()
    await typed(at, '/fork -- one')
    const handle = await child(at)
    expect(await typed(at, `/kill ${handle}`)).toEqual([`Killed ${handle}.`])
    expect(at.agent.busy).toEqual([])
    slow.go.open()
    await at.settle()
    await silentSince(at, handle)
    expect(await at.say(`/kill ${handle}`)).toEqual([`${handle} has ended already (killed).`])
    expect(await at.say(`/send ${handle} hi`)).toEqual([`${handle} has ended (killed) and reads no mail.`])
  })

  test('stops its tool at once, with all that works below it', async () => {
    const tool = gatedTool('look')
    const at = await ruled(
      (prompt) => {
        if (prompt.messages.at(-1)?.role === 'tool') return { text: 'done' }
        const goal = said(prompt).at(-1)
        if (goal === 'look') return { calls: [{ id: 'l', tool: 'look', args: {} }] }
        return goal === 'delegate'
          ? { calls: [slash('fork', '-- look'), slash('fork', '-- look')] }
          : { text: 'ok' }
      },
      { tools: [tool] },
    )
    await at.type('/fork -- delegate')
    await tool.begun
    await breathe()
    const [top, ...below] = await children(at)
    expect(below).toHaveLength(2)
    expect(await typed(at, `/kill ${top}`)).toEqual([`Killed ${top} and 2 branches below it.`])
    expect(at.agent.busy).toEqual([])
    tool.gate.open()
    await at.settle()
    for (const handle of [top ?? '', ...below]) await silentSince(at, handle)
    await expectLawful(at)
  })

  test('by a model is stopped with the step that kills it', async () => {
    const slow = slowly({ text: 'too late' })
    const at = await ruled((prompt, signal) => {
      if (isChilds(prompt)) return slow.reply(signal)
      const goal = said(prompt).at(-1) ?? ''
      if (prompt.messages.at(-1)?.role === 'tool') return { text: 'killed it' }
      return goal.startsWith('kill ') ? { calls: [slash('kill', goal.slice(5))] } : { text: 'ok' }
    })
    await typed(at, '/fork -- one')
    const handle = await child(at)
    expect(await at.say(`kill ${handle}`)).toEqual(['killed it'])
    slow.go.open()
    await at.settle()
    await silentSince(at, handle)
  })

  test('stays dead after a restart', async () => {
    const { at } = await withSlowChildren()
    await typed(at, '/fork -- one')
    const handle = await child(at)
    await typed(at, `/kill ${handle}`)
    const after = await ruled(() => ({ text: 'I live' }), await ended(at))
    await after.clock.pass(48 * HOUR)
    await after.settle()
    await silentSince(after, handle)
  })
})

async function silentSince(at: Stage, handle: string): Promise<void> {
  const id = await idOf(at, handle)
  const own = (await at.all()).filter(({ branch }) => branch === id)
  const end = own.findIndex(({ kind }) => kind === 'branch-ended')
  expect(own[end]).toMatchObject({ reason: 'killed' })
  expect(own.slice(end + 1).map(({ kind }) => kind)).toEqual([])
}
