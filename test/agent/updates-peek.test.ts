import { describe, expect, test } from 'vitest'
import type { RunAsked } from '../../src/agent/run/run-act.ts'
import { pingUserTool } from '../../src/agent/tools/ping.ts'
import { pendingUpdates, updateAt, updatesFor } from '../../src/agent/state/updates.ts'
import { seededRandom } from '../../src/base/random.ts'
import { getBranch } from '../../src/context/branch.ts'
import { isRefusal } from '../../src/context/decision.ts'
import { fork as forkFrom } from '../../src/context/fork.ts'
import { makeBranchId, type BranchId } from '../../src/event/id.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { job } from './run-rig.ts'
import { expectLawful } from './lawful.ts'
import { isChilds, ruled, type Ruled } from './rig.ts'
import type { Stage, StageOptions } from './stage.ts'

async function mainOf(at: Stage): Promise<BranchId> {
  const [first] = await at.events('branch-created')
  if (first === undefined) throw new Error('there is no main')
  return first.branch
}

async function report(at: Stage, text: string): Promise<void> {
  const branch = await mainOf(at)
  const author = { by: 'policy', name: 'handed-in' } as const
  const told = { source: 'mcp', text, key: null, from: null, author }
  await at.log.write((writing) =>
    writing.append({ kind: 'update-reported', branch, at: at.clock.now(), v: 1, ...told }),
  )
}

async function pending(at: Stage): Promise<string[]> {
  const main = await mainOf(at)
  return at.read((reader) => pendingUpdates(reader, main).map((position) => updateAt(reader, position).text))
}

/** The blocks of updates in a prompt: each its heading's first word in brackets, and what it shows. */
function blocks(prompt: Prompt | undefined): string[] {
  const all = prompt?.messages.map(({ text }) => text).join('\n') ?? ''
  const found = all.matchAll(
    /RECENT BACKGROUND UPDATES \(([^)]*)\)\n<data source="updates">\n([^]*?)\n<\/data>/g,
  )
  return Array.from(found, ([, heading = '', lines = '']) => {
    const texts = lines.split('\n').map((line) => line.replace(/^- \([^)]*\) /, ''))
    return `${heading.split(' ')[0]}: ${texts.join(', ')}`
  })
}

const talking = (options: StageOptions = {}): Promise<Ruled> => ruled(() => ({ text: 'ok' }), options)
const last = (at: Ruled): string[] => blocks(at.model.prompts.at(-1))

describe('an interactive fork', () => {
  test('[UPD2] looks at what is pending when it is entered, later only at what is new, and takes nothing', async () => {
    const at = await talking()
    await report(at, 'one')
    await at.say('/fork')
    expect(await at.say('hello')).toEqual(['ok'])
    expect(last(at)).toEqual(['read-only: one'])
    await at.say('again')
    expect(last(at)).toEqual(['read-only: one'])
    await report(at, 'two')
    await at.say('and now')
    expect(last(at)).toEqual(['read-only: one', 'read-only: two'])
    expect(await pending(at)).toEqual(['one', 'two'])
    await at.say('/exit')
    await at.say('back')
    expect(last(at)).toEqual(['mention: one, two'])
    await expectLawful(at)
  })

  test('is shown as much as main would be, under a heading of its own', async () => {
    const at = await talking()
    for (let number = 1; number <= 23; number++) await report(at, `news ${number}`)
    await at.say('/fork')
    await at.say('hello')
    const text = at.model.prompts.at(-1)?.messages.at(-1)?.text ?? ''
    expect(text).toContain(`
RECENT BACKGROUND UPDATES (read-only — main session will also see these)
<data source="updates">
(14 earlier update(s) omitted — cap reached)
- (0 s ago, mcp) news 15
`)
    expect(text.match(/^[-(] ?\(?\d/gm)).toHaveLength(10)
  })

  test('does not look at what main was told meanwhile', async () => {
    const at = await talking()
    await at.say('/fork')
    const [handle] = /[a-z0-9]{6}/.exec(at.sent.at(-1)?.text.slice('Forked. Child: '.length) ?? '') ?? []
    await report(at, 'one')
    await at.say('/switch main')
    await at.say('hello')
    expect(last(at)).toEqual(['mention: one'])
    await at.say(`/switch ${handle}`)
    await at.say('hello')
    expect(last(at)).toEqual([])
    await expectLawful(at)
  })

  test('[UPD2] its save settles what its messages show, and undoing that makes them pending again', async () => {
    const at = await talking()
    await report(at, 'one')
    await at.say('/fork')
    await at.say('hello')
    await report(at, 'two')
    expect((await at.say('/save'))[0]).toContain('1 update that it shows is not repeated')
    expect(await pending(at)).toEqual(['two'])
    await at.say('/undo')
    expect(await pending(at)).toEqual(['one', 'two'])
    await at.say('/redo')
    expect(await pending(at)).toEqual(['two'])
    await at.say('hello')
    expect(last(at)).toEqual(['read-only: one', 'mention: two'])
    await expectLawful(at)
  })

  test('[UPD2] its save settles nothing that it rewound', async () => {
    const at = await talking()
    await at.say('/fork')
    await at.say('before')
    await at.say('/mark A')
    await report(at, 'one')
    await at.say('hello')
    await at.say('/rewind A')
    await report(at, 'two')
    await at.say('after')
    await at.say('/save')
    expect(await pending(at)).toEqual(['one'])
    await at.say('hello')
    expect(last(at)).toEqual(['read-only: two', 'mention: one'])
    await expectLawful(at)
  })

  test('[UPD2] what main was told after the undo stays told when the save is done again, and undone', async () => {
    const at = await talking()
    await report(at, 'one')
    await at.say('/fork')
    await at.say('hello')
    await at.say('/save')
    await at.say('/undo')
    await at.say('hello')
    expect(last(at)).toEqual(['mention: one'])
    await at.say('/redo')
    await at.say('/undo')
    expect(await pending(at)).toEqual([])
    await expectLawful(at)
  })

  test('[UPD2] a copy of it does not look again at what it saw, and its save settles that', async () => {
    const at = await talking()
    await report(at, 'one')
    await at.say('/fork')
    await at.say('hello')
    const [handle] = /[a-z0-9]{6}/.exec(at.sent.at(-2)?.text.slice('Forked. Child: '.length) ?? '') ?? []
    await at.say('/exit')
    await at.say(`/switch ${handle}`)
    await report(at, 'two')
    await at.say('hello')
    expect(last(at)).toEqual(['read-only: one', 'read-only: two'])
    await at.say('/save')
    expect(await pending(at)).toEqual([])
    await expectLawful(at)
  })
})

async function running(asked: Partial<RunAsked>): Promise<Ruled> {
  const at = await talking({ jobIn: () => ({ job: job(asked), warnings: [] }) })
  await report(at, 'one')
  await at.say('/run brief.md')
  return at
}

describe('other branches', () => {
  test('[UPD2] a forked run looks, and takes nothing', async () => {
    const at = await running({ isolated: false })
    expect(last(at)).toEqual(['read-only: one'])
    expect(await pending(at)).toEqual(['one'])
    await expectLawful(at)
  })

  test('an isolated run is shown none', async () => {
    const at = await running({ isolated: true })
    expect(at.model.prompts).toHaveLength(1)
    expect(last(at)).toEqual([])
    await expectLawful(at)
  })

  test('a child is shown none', async () => {
    const at = await talking()
    await report(at, 'one')
    await at.say('/fork -- do something')
    expect(at.model.prompts.filter(isChilds)).toHaveLength(1)
    expect(blocks(at.model.prompts.find(isChilds))).toEqual([])
    expect(await pending(at)).toEqual(['one'])
    await expectLawful(at)
  })

  test('[UPD2] a fork that a reply opens does not show again what the run saw, and shows what came since', async () => {
    const ping = { id: 'x', tool: 'ping_user', args: { message: 'Look!' } }
    const at = await ruled(
      ({ messages }) =>
        messages.at(-1)?.text.startsWith('[routine-bg') ? { calls: [ping] } : { text: 'ok' },
      { tools: [pingUserTool], jobIn: () => ({ job: job(), warnings: [] }) },
    )
    await report(at, 'one')
    await at.say('/run brief.md')
    await at.say('/reply 1 Why?')
    expect(last(at)).toEqual(['read-only: one'])
    await report(at, 'two')
    await at.say('And now?')
    expect(last(at)).toEqual(['read-only: one', 'read-only: two'])
    await at.say('/save')
    expect(await pending(at)).toEqual([])
    await expectLawful(at)
  })

  test('a copy has not seen what the branch that it is of looked at since', async () => {
    const at = await talking()
    await report(at, 'one')
    await at.say('/fork')
    await at.say('hello')
    const child = makeBranchId(at.clock.now(), seededRandom(3))
    const parent = await at.branch()
    await at.log.write((writing) => {
      const act = { at: at.clock.now(), author: { by: 'person' } as const }
      const more = { title: null, inherit: { take: 'everything' } as const, hasGoal: false }
      const born = forkFrom(writing, { parent, child, mode: 'fork', ...more, ...act })
      if (isRefusal(born)) throw new Error(born.refused)
      writing.append(born.draft)
    })
    await report(at, 'two')
    await at.say('again')
    expect(last(at)).toEqual(['read-only: one', 'read-only: two'])
    const shown = await at.read((reader) => updatesFor(reader, getBranch(reader, child), at.clock.now()))
    expect(shown?.text).toMatch(/\n- \(0 s ago, mcp\) two\n<\/data>$/)
    expect(shown?.facts.shown).toHaveLength(1)
  })
})
