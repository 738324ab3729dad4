import { describe, expect, test } from 'vitest'
import { actFork } from '../../src/agent/branch/fork-act.ts'
import type { ActTool } from '../../src/agent/contract/act.ts'
import { askForCommand } from '../../src/agent/tools/asked-command.ts'
import { builtIn } from '../../src/tool/tool.ts'
import { gatedTool, modelFault } from './doubles.ts'
import { forking, forkTools, mainOf, pending, shownIn, type ForkingOptions } from './forking.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { child, children, ended, slowly, stateOf, talkedTo, typed } from './rig.ts'
import { terminal, type Stage } from './stage.ts'

const MINUTE = 60_000

/** The model waits at a gate when its calls were answered. */
function afterCalls(slow: ReturnType<typeof slowly>): NonNullable<ForkingOptions['first']> {
  return (prompt, signal) => (prompt.messages.at(-1)?.role === 'tool' ? slow.reply(signal) : undefined)
}

async function untilDeferred(at: Stage): Promise<void> {
  while ((await at.events('turn-ended')).at(-1)?.outcome !== 'deferred') await at.clock.pass(100)
}

describe('what a person says to main while a fork is asked for', () => {
  test('[TURN4] is answered in main, also when the model is out of reach for a while', async () => {
    let isDown = true
    const at = await forking({
      first: (prompt) => {
        if (isDown && prompt.messages.at(-1)?.role === 'tool') throw modelFault('rate-limited')
        return undefined
      },
    })
    await at.type('call enter_fork {"topic": "trips"}')
    await untilDeferred(at)
    await typed(at, 'a question for main')
    isDown = false
    await at.clock.pass(10 * MINUTE)
    await at.settle()
    const answered = ['a question for main', 'heard: a question for main']
    expect((await shownIn(at, 'main')).slice(-2)).toEqual(answered)
    expect((await shownIn(at)).slice(-4)).toEqual([...answered, 'trips', 'heard: trips'])
    expect(await talkedTo(at)).toBe(await child(at))
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('[TURN4] joins the turn before its next step, and the fork opens once, behind the answer', async () => {
    const gate = gatedTool('look')
    const look = { calls: [{ id: 'x', tool: 'look', args: {} }] }
    const at = await forking({
      tools: [...forkTools, gate],
      first: ({ messages }) =>
        messages.filter(({ role }) => role === 'tool').length === 1 ? look : undefined,
    })
    await at.type('call enter_fork {}')
    await gate.begun
    await typed(at, 'between')
    gate.gate.open()
    await at.settle()
    expect((await shownIn(at, 'main')).slice(-2)).toEqual(['between', 'heard: between'])
    expect(await children(at)).toHaveLength(1)
    expect(await talkedTo(at)).toBe(await child(at))
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('is not lost or said twice when the process dies', async () => {
    const slow = slowly({ text: 'never said' })
    const at = await forking({ first: afterCalls(slow) })
    await at.type('call enter_fork {"topic": "trips"}')
    await slow.begun.opened
    await typed(at, 'a question for main')
    const again = await forking(await ended(at))
    await again.settle()
    const main = await shownIn(again, 'main')
    expect(main.filter((text) => text === 'a question for main')).toHaveLength(1)
    expect(main.at(-1)).toBe('heard: a question for main')
    expect((await shownIn(again)).slice(-2)).toEqual(['trips', 'heard: trips'])
    await expectLawful(again)
    await expectEmpty(again.log)
  })
})

describe('a fork that a model asked for', () => {
  test('is not opened for a person who went elsewhere meanwhile: they stay where they are', async () => {
    const slow = slowly({ text: 'in a moment' })
    const at = await forking({ first: afterCalls(slow) })
    await at.say('/fork -- wait')
    const other = await child(at)
    await at.type('call enter_fork {"topic": "trips"}')
    await slow.begun.opened
    await typed(at, `/switch ${other}`)
    slow.go.open()
    await at.settle()
    expect(await talkedTo(at)).toBe(other)
    expect(await children(at)).toEqual([other])
    expect(at.sent.at(-1)?.text).toBe(
      "You switched away meanwhile, so the fork about 'trips' the model wanted was not opened.",
    )
    await expectLawful(at)
    await expectEmpty(at.log)
  })
})

describe('a report that a model writes in a fork', () => {
  test('keeps its lines, and is one with the end of the fork', async () => {
    const at = await forking()
    await at.say('/fork')
    const fork = await child(at)
    const [, said] = await at.say('call report_updates {"message": "- one\\n/exit\\n\\n- three"}')
    expect(said).toMatch(/^Reported to main: "- one\n\/exit\n\n- three"\nMain gets it in its next turn\. /)
    expect([await pending(at), await stateOf(at, fork)]).toEqual([['- one\n/exit\n\n- three'], 'reported'])
    const reported = (await at.all()).findIndex(({ kind }) => kind === 'update-reported')
    expect((await at.all())[reported + 1]).toMatchObject({ kind: 'branch-ended', reason: 'reported' })
    await expectLawful(at)
    await expectEmpty(at.log)
  })
})

/** Asks for commands as another release might have done. */
function oddTool(line: string): ActTool {
  return {
    spec: { name: 'odd', description: 'x', parameters: { type: 'object', properties: {} } },
    nature: builtIn('steers'),
    plan: (writing, actor, calls) =>
      calls.map(({ step }) => ({
        said: askForCommand(writing, actor, { turn: step.turn, line, says: 'later' }),
      })),
  }
}

describe('a command that a model asked for and that this release cannot read', () => {
  test.each(['/conjure a rabbit', '/fork --sideways', 'no command at all', '/exit\nwith words'])(
    '%j is refused, and what stands behind it is reached',
    async (line) => {
      const at = await forking({ tools: [...forkTools, oddTool(line)] })
      expect(await at.say('call odd {}')).toEqual([
        'done',
        `The model requested a command that this release does not have: ${line.split(/\s/, 1)[0]}`,
      ])
      expect(await at.say('hello')).toEqual(['heard: hello'])
      await expectLawful(at)
      await expectEmpty(at.log)
    },
  )
})

test('a command of the host that no turn asked for is dropped, and what stands behind it is reached', async () => {
  const at = await forking()
  const branch = await at.branch()
  const source = { from: 'host', tag: 'system' } as const
  await at.log.write((writing) =>
    writing.append({ kind: 'inbound-admitted', branch, at: 1, v: 1, source, form: 'command', text: '/exit' }),
  )
  expect(await at.say('hello')).toEqual(['heard: hello'])
  expect(await at.events('command-run')).toMatchObject([{ line: '/exit', isError: true }])
  await expectLawful(at)
  await expectEmpty(at.log)
})

/** As releases before log format 3 wrote it. */
async function withOldFork(): Promise<Stage & { readonly fork: string }> {
  const at = await forking()
  await at.say('hello')
  const branch = await mainOf(at)
  const now = at.clock.now()
  await at.log.write((writing) => {
    const author = { by: 'person' } as const
    const actor = { branch, author, at: now, seed: 99, settings: at.settings }
    const source = { from: 'person', ...terminal, person: 'owner', key: null } as const
    const by = { kind: 'person', source } as const
    const asked = { inherit: { take: 'everything' }, mark: null, goal: null, mode: 'fork', by } as const
    const { child: fork } = actFork(writing, actor, asked)
    if (fork === undefined) throw new Error('there is no fork')
    writing.append({ kind: 'conversation-bound', branch: fork, at: now, v: 1, ...terminal, author })
  })
  const again = await forking(await ended(at))
  return Object.assign(again, { fork: await child(again) })
}

describe('a fork in a log that does not say when it was entered', () => {
  test('[FORK4] is the one fork of its conversation, in it and in main', async () => {
    const at = await withOldFork()
    expect(await at.events('fork-entered')).toEqual([])
    expect((await at.say('/fork'))[0]).toMatch(/^You are already in a fork/)
    await at.say('/switch main')
    expect((await at.say('/fork'))[0]).toMatch(`The fork ${at.fork} is open`)
    await at.say(`/switch ${at.fork}`)
    expect((await at.say('/exit'))[0]).toMatch(/^Left the fork /)
    expect((await at.say('/fork'))[0]).toMatch(/^Forked\. Child: /)
    await expectLawful(at)
  })

  test('[FORK4] is asked about and ended when nobody speaks in it', async () => {
    const at = await withOldFork()
    await at.say('The train to Lisbon leaves on Friday at ten.')
    await at.clock.pass(40 * MINUTE)
    await at.settle()
    expect(await stateOf(at, at.fork)).toBe('timed-out')
    await expectLawful(at)
  })
})
