import { describe, expect, test } from 'vitest'
import { waitTool } from '../../src/agent/tools/wait.ts'
import { handleOf, type BranchId } from '../../src/event/id.ts'
import { gate, modelFault, ruleModel, unanswered, type Gate } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { breathe, stage, type Stage, type StageOptions } from './stage.ts'

/** A model that begins to answer what it was asked and waits until the test lets it go on. */
async function held(options: StageOptions = {}) {
  const gates = new Map<string, Gate>()
  const began: string[] = []
  const model = ruleModel(async (prompt, signal) => {
    const about = unanswered(prompt).at(-1) ?? ''
    began.push(about)
    const waiting = gates.get(about) ?? gate()
    gates.set(about, waiting)
    await Promise.race([waiting.opened, aborted(signal)])
    return { text: `Re: ${about}` }
  })
  const settings = { model: 'model', runningMax: 2, ...options.settings }
  const at = await stage({ ...options, models: { model }, settings })
  const goOn = async (about: string): Promise<void> => {
    gates.get(about)?.open()
    await breathe()
  }
  return { at, began, goOn }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(modelFault('aborted')), { once: true })
  })
}

async function children(at: Stage): Promise<BranchId[]> {
  return (await at.events('branch-created'))
    .filter(({ mode }) => mode === 'child')
    .map(({ branch }) => branch)
}

async function type(at: Stage, ...texts: string[]): Promise<void> {
  for (const text of texts) await at.type(text)
  await breathe()
}

describe('branches', () => {
  test('[TURN1] run side by side, each one turn at a time', async () => {
    const { at, began, goOn } = await held()
    await type(at, 'main', '/fork -- one', '/fork -- two', 'more')
    expect(began).toEqual(['main', 'one', 'two'])
    await goOn('two')
    await goOn('main')
    expect(began).toEqual(['main', 'one', 'two', 'more'])
    await goOn('more')
    await goOn('one')
    await at.settle()
    expect(at.sent.filter(({ form }) => form === 'answer').map(({ text }) => text)).toEqual([
      'Re: main',
      'Re: more',
    ])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('that work on their own are so many at once and no more; a person never waits for them', async () => {
    const { at, began, goOn } = await held()
    await type(at, '/fork -- one', '/fork -- two', '/fork -- three', '/fork -- four', 'me')
    expect(began).toEqual(['me', 'one', 'two'])
    await goOn('me')
    expect(at.sent.at(-1)?.text).toBe('Re: me')
    await goOn('two')
    expect(began).toEqual(['me', 'one', 'two', 'three'])
    for (const about of ['one', 'three']) await goOn(about)
    await goOn('four')
    await at.settle()
    expect(began).toHaveLength(5)
    expect((await at.events('mail-sent')).map(({ text }) => text)).toEqual(
      ['two', 'one', 'three', 'four'].map((about) => `Re: ${about}`),
    )
    await expectLawful(at)
  })

  test('that a person enters with a topic wait for no slot', async () => {
    const { at, began, goOn } = await held({ settings: { runningMax: 1 } })
    await type(at, '/fork -- one', '/fork --enter -- topic')
    expect(began).toEqual(['topic', 'one'])
    await goOn('topic')
    expect(at.sent.at(-1)?.text).toBe('Re: topic')
    await goOn('one')
    await at.settle()
  })

  test('that wait for a slot need none as soon as a person speaks to them', async () => {
    const { at, began, goOn } = await held({ settings: { runningMax: 1 } })
    await type(at, '/fork -- one', '/fork -- two')
    const [, second] = await children(at)
    await type(at, `/switch ${handleOf(second as BranchId)}`)
    expect(began).toEqual(['one'])
    await type(at, 'hurry')
    expect(began).toEqual(['one', 'hurry'])
    await goOn('hurry')
    expect(at.sent.at(-1)?.text).toBe('Re: hurry')
    expect((await at.events('mail-sent')).map(({ text }) => text)).toEqual(['Re: hurry'])
    await goOn('one')
    await at.settle()
    await expectLawful(at)
  })

  test('that are stopped while they wait for a slot do not begin later, and the next message works', async () => {
    const { at, began, goOn } = await held({ settings: { runningMax: 1 } })
    await type(at, '/fork -- one', '/fork -- two')
    const [, second] = await children(at)
    await type(at, `/switch ${handleOf(second as BranchId)}`, '/stop')
    expect(at.sent.at(-1)?.text).toBe('Stopped.')
    await goOn('one')
    await at.settle()
    expect(began).toEqual(['one'])
    await type(at, 'now')
    await goOn('now')
    await at.settle()
    expect(at.sent.at(-1)?.text).toBe('Re: now')
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('that wait for a slot begin once the limit is raised, however late that is', async () => {
    const settings = { runningMax: 1 }
    const { at, began, goOn } = await held({ settings })
    await type(at, '/fork -- one', '/fork -- two')
    await at.clock.pass(12_000)
    expect(began).toEqual(['one'])
    at.settings = { ...at.settings, runningMax: 2 }
    await at.clock.pass(5_000)
    await breathe()
    expect(began).toEqual(['one', 'two'])
    for (const about of began) await goOn(about)
    await at.settle()
  })

  test('that are killed while they wait for a slot never begin, and give way to the next', async () => {
    const { at, began, goOn } = await held({ settings: { runningMax: 1 } })
    await type(at, '/fork -- one', '/fork -- two', '/fork -- three')
    const [first, second] = await children(at)
    await type(at, `/kill ${handleOf(second as BranchId)}`, `/kill ${handleOf(first as BranchId)}`)
    expect(began).toEqual(['one', 'three'])
    await goOn('three')
    await at.settle()
    await expectLawful(at)
  })
})

/** A parent that starts children with these goals, waits for them, and then reports. */
function parents(goals: readonly string[], waits: readonly object[]) {
  const model = ruleModel(({ messages }) => {
    const goal = messages.findLast(({ text }) => text.startsWith('[fork-started]'))?.text ?? ''
    if (!goal.endsWith('boss')) return { text: `did ${goal.split('\n\n').at(-1)}` }
    const rounds = messages.filter(({ role }) => role === 'assistant').length
    const forks = goals.map((one, n) => ({
      id: `${n}`,
      tool: 'slash',
      args: { command: 'fork', args: `-- ${one}` },
    }))
    if (rounds === 0) return { calls: forks }
    if (rounds === 1)
      return { calls: waits.map((args, n) => ({ id: `${n}`, tool: 'wait', args: { ...args } })) }
    if (rounds === 2) return { calls: [{ id: 'm', tool: 'slash', args: { command: 'check-mail' } }] }
    return { text: messages.findLast(({ text }) => text.startsWith('{"ended"'))?.text ?? '' }
  })
  return stage({ models: { model }, settings: { model: 'model', runningMax: 1 }, tools: waiting })
}

const waiting: NonNullable<StageOptions['tools']> = ({ log, clock, agent }) => [
  waitTool({
    log,
    now: () => clock.now(),
    sleep: clock.sleep,
    until: (holds, signal) => agent().until(holds, signal),
    whileWaiting: (branch, work) => agent().whileWaiting(branch, work),
  }),
]

describe('a turn that waits for others', () => {
  test('lends its slot to them, so one slot is enough for all', async () => {
    const at = await parents(['a', 'b'], [{}])
    const said = await at.say('/fork -- boss')
    expect(said.at(-1)).toContain('"ended":"all"')
    expect((await at.events('mail-sent')).map(({ text }) => text)).toEqual([
      'did a',
      'did b',
      expect.stringContaining('"ended":"all"'),
    ])
    await expectLawful(at)
  })

  test('in two calls at once lends it until both are over', async () => {
    const at = await parents(['a', 'b'], [{ until: 'first' }, { until: 'all' }])
    await at.say('/fork -- boss')
    expect((await at.events('turn-ended')).map(({ outcome }) => outcome)).toEqual([
      'answered',
      'answered',
      'answered',
    ])
    await expectLawful(at)
  })
})
