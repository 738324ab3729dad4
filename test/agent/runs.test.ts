import { describe, expect, test } from 'vitest'
import { stopWork } from '../../src/agent/branch/stop-act.ts'
import { policyIn } from '../../src/agent/state/settings.ts'
import { pingUserTool } from '../../src/agent/tools/ping.ts'
import { handleOf } from '../../src/event/id.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { countedTool, gatedTool, modelFault, play, ruleModel } from './doubles.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { ended, ruled, type Ruled, slash, slowly, stateOf, stopped, talkedTo, typed } from './rig.ts'
import { breathe, stage, START, terminal } from './stage.ts'
import { endsOf, isRuns, job, lastMessage, notices, openingOf, ran, startRun } from './run-rig.ts'

const MINUTE = 60_000
const answer = (text: string) => ({ reply: { text } })
const texts = (prompt: Prompt | undefined): string => JSON.stringify(prompt?.messages ?? [])
const forever = (_: Prompt, signal: AbortSignal): Promise<never> => stopped(signal)

describe('a background run', () => {
  test('forked sees main up to the fork, updates as a look, its tag, what it may do, and its task', async () => {
    const at = await play([answer('Hi.'), answer('Done.'), answer('Hi again.')])
    await at.say('hello')
    const author = { by: 'policy', name: 'handed-in' } as const
    const told = { source: 'mcp x', text: 'The build is green.', key: null, from: null, author }
    const branch = await at.branch()
    await at.log.write((w) =>
      w.append({ kind: 'update-reported', branch, at: at.clock.now(), v: 1, ...told }),
    )
    const run = await ran(at, { tools: ['write(notes/*)'], skills: ['pdf'] })
    const [, prompt] = at.prompts
    expect(prompt?.messages.slice(0, 2)).toEqual(at.prompts[0]?.messages.concat([expect.anything()]))
    expect(lastMessage(prompt)).toBe(
      `[routine-bg:brief]
(scheduled background run; nobody is waiting for an answer)
[2026-03-01 Sun 09:30 Europe/Berlin]

RECENT BACKGROUND UPDATES (read-only — main session will also see these)
<data source="updates">
- (0 s ago, mcp x) The build is green.
</data>

PINGS: ping_user and send_embed write to the person, who did not ask for it.

REPORTING: call report_updates if the main session should know what you found. You need not.

Ping budget: 5 of 5 available, one back every 90 min.
No background job is due in the next 12 hours.
At most one ping or embed in this run. Before it ask yourself: would the user regret missing this? Informational findings and low-stakes check-ins go to report_updates. Save pings for time-sensitive actions, accountability and health. When the budget is tight, prioritise what would be regretted. critical=True is only for what the user would be devastated to miss.

TOOLS: you may call none. Refused in this run: slash.

REQUIRED SKILLS: pdf. Load each with read_skill before you begin, and follow it.

Look at the build.`,
    )
    expect(await endsOf(at, run)).toEqual(['finished'])
    expect(await at.say('and?')).toEqual(['catching up on background activity...', 'Hi again.'])
    await expectLawful(at)
  })

  test('isolated sees its task alone, with a system text and tools of its own', async () => {
    const at = await play([answer('Hi.'), answer('Done.')], { system: 'Be kind.' })
    await at.say('hello')
    const setup = { system: 'Be brief.', tools: '[]' }
    await ran(at, { isolated: true, setup })
    const [, prompt] = at.prompts
    expect(prompt).toMatchObject({ system: 'Be brief.', tools: [] })
    expect(prompt?.messages).toHaveLength(1)
    expect(texts(prompt)).not.toContain('hello')
    await expectLawful(at)
  })

  test('has a model and a way of thinking of its own, and so has nobody else', async () => {
    const small = ruleModel(() => ({ text: 'small' }), { name: 'small' })
    const at = await play([answer('Hi.')], { models: { small } })
    await ran(at, { model: 'small', thinking: 2_048 })
    await at.say('hello')
    expect(small.prompts.map(({ settings }) => settings)).toMatchObject([{ model: 'small', thinking: 2_048 }])
    expect(at.prompts.map(({ settings }) => settings)).toMatchObject([{ model: 'scripted', thinking: 'off' }])
  })

  test('[RUN1] that its model fails ends as failed, and one line says so', async () => {
    const at = await ruled(() => Promise.reject(modelFault('rejected')))
    await at.say('/help')
    const run = await ran(at)
    expect(await endsOf(at, run)).toEqual(['failed'])
    expect(notices(at)).toEqual(['routine brief failed: the model is rejected.'])
    expect(await at.events('update-reported')).toEqual([])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('of a model that there is not ends as failed too', async () => {
    const at = await play([])
    await at.say('/help')
    const run = await ran(at, { model: 'gone' })
    expect(await endsOf(at, run)).toEqual(['failed'])
    expect(notices(at)).toEqual(["routine brief failed: there is no model 'gone' here."])
  })

  test('[RUN1] that ends takes along what works for it', async () => {
    const at = await ruled((prompt, signal) => {
      if (lastMessage(prompt).startsWith('[fork-started]')) return stopped(signal)
      if (!isRuns(prompt)) return { text: 'ok' }
      return prompt.messages.at(-1)?.role === 'tool'
        ? { text: 'Done.' }
        : { calls: [slash('fork', '-- dig deep')] }
    })
    const run = await ran(at, { tools: ['slash'] })
    const reasons = (await at.events('branch-ended')).map(({ reason }) => reason)
    expect(reasons).toEqual(['killed', 'finished'])
    expect(await endsOf(at, run)).toEqual(['finished'])
    await expectLawful(at)
  })

  test('[RUN1] [KILL1] that is killed stops at once and writes nothing more', async () => {
    const at = await ruled(forever)
    const run = await startRun(at)
    await breathe()
    expect(await at.say(`/kill ${handleOf(run)}`)).toEqual([`Killed ${handleOf(run)}.`])
    expect(await endsOf(at, run)).toEqual(['killed'])
    const all = await at.all()
    const end = all.findLastIndex(({ kind }) => kind === 'branch-ended')
    expect(all.slice(end + 1).filter(({ branch }) => branch === run)).toEqual([])
    expect(at.agent.busy).toEqual([])
  })
})

describe('the time of a run', () => {
  test('[RUN1] is over while it works: it ends as timed out, and one line says so', async () => {
    const at = await ruled(forever)
    await at.say('/help')
    const run = await startRun(at, { timeoutMs: 10 * MINUTE })
    await at.clock.pass(10 * MINUTE - 1)
    expect(await endsOf(at, run)).toEqual([])
    await at.clock.pass(1)
    expect(await endsOf(at, run)).toEqual(['timed-out'])
    expect(notices(at)).toEqual(['routine brief was stopped after 10 min, its time limit.'])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('is over in the midst of a call, whose result says so', async () => {
    const tool = gatedTool('read')
    const at = await play([{ calls: [{ tool: 'read' }] }], { tools: [tool] })
    const run = await startRun(at, { timeoutMs: 30_000 })
    await tool.begun
    await at.clock.pass(30_000)
    expect(await endsOf(at, run)).toEqual(['timed-out'])
    const last = (await at.events('message-added')).at(-1)?.message
    expect(last).toMatchObject({ role: 'tool', synthetic: 'stopped' })
    expect(last?.text).toContain('the time of this run was over')
    tool.gate.open()
    await at.settle()
    await expectLawful(at)
  })

  test('[RUN1] is over while it waits for a model that cannot be reached', async () => {
    const at = await ruled(() => Promise.reject(modelFault('overloaded')), {
      settings: { retryMs: 60 * MINUTE },
    })
    const run = await startRun(at, { timeoutMs: 5 * MINUTE })
    await at.clock.pass(4 * MINUTE)
    expect(await stateOf(at, handleOf(run))).toBe('idle')
    await at.clock.pass(MINUTE)
    expect(await endsOf(at, run)).toEqual(['timed-out'])
  })

  test('[RUN1] is over while it waits for a place again, and begins only with its first turn', async () => {
    const at = await ruled(
      (prompt, signal) => {
        if (openingOf(prompt).includes('second')) return stopped(signal)
        return at.clock.now() < START + MINUTE ? Promise.reject(modelFault('overloaded')) : { text: 'late' }
      },
      { settings: { runsMax: 1, retryMs: MINUTE } },
    )
    const first = await startRun(at, { job: 'a', body: 'first', timeoutMs: 3 * MINUTE })
    await at.clock.pass(30_000)
    const second = await startRun(at, { job: 'b', body: 'second', timeoutMs: 20 * MINUTE })
    await at.clock.pass(2 * MINUTE)
    expect([await endsOf(at, first), await endsOf(at, second)]).toEqual([[], []])
    await at.clock.pass(MINUTE)
    expect([await endsOf(at, first), await endsOf(at, second)]).toEqual([['timed-out'], []])
    const third = await startRun(at, { job: 'c', body: 'third', timeoutMs: MINUTE })
    await at.clock.pass(10 * MINUTE)
    expect(await endsOf(at, third)).toEqual([])
    await at.clock.pass(10 * MINUTE)
    expect([await endsOf(at, second), await endsOf(at, third)]).toEqual([['timed-out'], ['finished']])
    await expectLawful(at)
  })

  test('[RUN1] counts on while nobody runs', async () => {
    const at = await ruled(forever)
    await at.say('/help')
    const run = await startRun(at, { timeoutMs: 10 * MINUTE })
    await at.clock.pass(4 * MINUTE)
    const again = await ruled(forever, { seed: 8, ...(await ended(at)) })
    await again.clock.pass(5 * MINUTE)
    expect(await endsOf(again, run)).toEqual([])
    const rest = await ended(again)
    await rest.clock?.pass(60 * MINUTE)
    const last = await stage({ seed: 9, ...rest })
    await last.settle()
    expect(await endsOf(last, run)).toEqual(['timed-out'])
    expect(notices(last)).toEqual(['routine brief was stopped after 10 min, its time limit.'])
    await expectLawful(last)
  })
})

interface Many {
  readonly at: Ruled
  readonly waiting: ReadonlyMap<string, () => void>
  readonly go: (task: string) => void
}

/** Runs whose model waits until it is let go, by what their task is. */
async function many(count: number, runsMax: number): Promise<Many> {
  const waiting = new Map<string, () => void>()
  const at = await ruled(
    async (prompt, signal) => {
      if (!isRuns(prompt)) return { text: 'ok' }
      const task = openingOf(prompt).split('\n\n').at(-1) ?? ''
      await Promise.race([new Promise<void>((resolve) => waiting.set(task, resolve)), stopped(signal)])
      waiting.delete(task)
      return { text: `did ${task}` }
    },
    { settings: { runsMax } },
  )
  for (let number = 1; number <= count; number++)
    await startRun(at, { job: `job-${number}`, body: `task ${number}` })
  while (waiting.size < Math.min(count, runsMax)) await breathe()
  await breathe()
  return { at, waiting, go: (task: string) => waiting.get(task)?.() }
}

describe('a job', () => {
  test('[RUN1] never overlaps itself: while a run of it has not ended, another is refused', async () => {
    const slow = slowly({ text: 'done' })
    const files: Record<string, string> = { 'a.md': 'brief', 'b.md': 'brief', 'c.md': 'other' }
    const at = await ruled((prompt, signal) => (isRuns(prompt) ? slow.reply(signal) : { text: 'ok' }), {
      jobIn: (path) => ({ job: job({ job: files[path] ?? '', timeoutMs: 10 * MINUTE }), warnings: [] }),
    })
    await typed(at, '/run a.md')
    const [first] = await at.events('run-started')
    const handle = first === undefined ? '' : handleOf(first.branch)
    const refused = `The routine brief is running as ${handle}, and a job never overlaps itself. /kill ${handle} ends it.`
    expect(await typed(at, '/run a.md')).toEqual([refused])
    expect(await typed(at, '/run b.md')).toEqual([refused])
    expect(await typed(at, '/run c.md')).toEqual([expect.stringMatching(/^Started routine other as /)])
    expect(await at.events('run-started')).toHaveLength(2)
    await typed(at, `/kill ${handle}`)
    expect(await typed(at, '/run a.md')).toEqual([expect.stringMatching(/^Started routine brief as /)])
    slow.go.open()
    await at.settle()
    expect(await typed(at, '/run a.md')).toEqual([
      expect.stringMatching(/^Started routine brief as /),
      // Whoever started it is told of its end, though it has nothing to say to them.
      'routine brief finished: done',
    ])
    await at.settle()
    await expectLawful(at)
  })

  test('[FORK5] whose run has ended can run again while a person talks about it in a fork', async () => {
    const at = await ruled(
      (prompt) =>
        isRuns(prompt) && prompt.messages.at(-1)?.role !== 'tool'
          ? { calls: [{ id: 'x', tool: 'ping_user', args: { message: 'Look!' } }] }
          : { text: 'ok' },
      { tools: [pingUserTool] },
    )
    await at.say('/help')
    await ran(at)
    await at.say('/reply 1 What is it?')
    expect(await ran(at)).toMatch(/^br/)
    await expectLawful(at)
  })
})

describe('runs at once', () => {
  test('are so many and no more, in the order in which they came; a person waits for none', async () => {
    const { at, waiting, go } = await many(6, 2)
    expect([...waiting.keys()]).toEqual(['task 1', 'task 2'])
    expect(await at.type('hello')).toMatchObject({ kind: 'admitted' })
    await breathe()
    expect(at.sent.at(-1)?.text).toBe('ok')
    go('task 2')
    await breathe()
    expect([...waiting.keys()]).toEqual(['task 1', 'task 3'])
    await at.close()
  })

  test('are more as soon as the limit is raised, and fewer once those that run are done', async () => {
    const { at, waiting, go } = await many(12, 1)
    at.settings = { ...at.settings, runsMax: 3 }
    go('task 1')
    await breathe()
    expect([...waiting.keys()]).toEqual(['task 2', 'task 3', 'task 4'])
    at.settings = { ...at.settings, runsMax: 5 }
    await at.clock.pass(5_000)
    expect(waiting.size).toBe(5)
    at.settings = { ...at.settings, runsMax: 2 }
    for (const task of ['task 2', 'task 3', 'task 4']) go(task)
    await breathe()
    expect([...waiting.keys()]).toEqual(['task 5', 'task 6'])
    go('task 5')
    await breathe()
    expect(waiting.size).toBe(2)
    await at.close()
  })

  test('[CTX7] twenty of them see their own task and nothing of the others', async () => {
    const { at, waiting, go } = await many(20, 20)
    expect(waiting.size).toBe(20)
    for (const task of [...waiting.keys()].toReversed()) go(task)
    await at.settle()
    const runs = at.model.prompts.filter(isRuns)
    expect(runs).toHaveLength(20)
    for (const prompt of runs) expect(new Set(texts(prompt).match(/task \d+/g))).toHaveProperty('size', 1)
    const said = (await at.events('message-added')).filter(({ message }) => message.role === 'assistant')
    const bodies = new Map((await at.events('inbound-admitted')).map(({ branch, text }) => [branch, text]))
    for (const { branch, message } of said) expect(message.text).toBe(`did ${bodies.get(branch)}`)
    expect((await at.events('branch-ended')).map(({ reason }) => reason)).toEqual(Array(20).fill('finished'))
    await expectLawful(at)
  })
})

describe('a person and a run', () => {
  test('[TURN4] who writes to one as it ends is answered, and then it ends', async () => {
    const slow = slowly({ text: 'first' })
    const at = await ruled((prompt, signal) => {
      const said = lastMessage(prompt).split('\n\n').at(-1) ?? ''
      return said === 'How far?' ? { text: `re: ${said}` } : slow.reply(signal)
    })
    const branch = await startRun(at)
    await slow.begun.opened
    const source = { from: 'person', ...terminal, person: 'owner', key: null } as const
    const said = { source, form: 'message', text: 'How far?' } as const
    await at.log.write((w) =>
      w.append({ kind: 'inbound-admitted', branch, at: at.clock.now(), v: 1, ...said }),
    )
    slow.go.open()
    await at.settle()
    expect(at.sent.map(({ text }) => text)).toEqual(['re: How far?'])
    expect(await endsOf(at, branch)).toEqual(['finished'])
    await expectLawful(at)
    await expectEmpty(at.log)
  })

  test('[RUN1] whose work is stopped has ended, also while it waits for its model', async () => {
    const at = await ruled(forever)
    const run = await startRun(at)
    await breathe()
    expect(await at.agent.stop(run)).toBe(true)
    expect(await endsOf(at, run)).toEqual(['killed'])
    const away = await ruled(() => Promise.reject(modelFault('overloaded')), {
      settings: { retryMs: MINUTE },
    })
    const branch = await startRun(away)
    await away.clock.pass(30_000)
    const author = { by: 'person' } as const
    const actor = { branch, author, at: away.clock.now(), seed: 3, settings: away.settings }
    expect(await away.log.write((writing) => stopWork(writing, actor))).toMatch(/^tn_/)
    away.agent.wake([branch])
    await away.settle()
    expect(await endsOf(away, branch)).toEqual(['killed'])
    await expectLawful(away)
  })

  test('[FORK5] who replied to it while it worked keeps the fork when the run ends, with all tools of main', async () => {
    const [slow, dig] = [slowly({ text: 'done' }), countedTool('dig')]
    const at = await ruled(
      (prompt, signal) => {
        const isAnswered = prompt.messages.at(-1)?.role === 'tool'
        if (!isRuns(prompt))
          return isAnswered ? { text: 'ok' } : { calls: [{ id: 'x', tool: 'dig', args: {} }] }
        if (isAnswered) return slow.reply(signal)
        return { calls: [{ id: 'x', tool: 'ping_user', args: { message: 'Look!' } }] }
      },
      { tools: [pingUserTool, dig] },
    )
    await at.say('/help')
    const run = await startRun(at)
    await slow.begun.opened
    await typed(at, '/reply 1 What?')
    const fork = await talkedTo(at)
    slow.go.open()
    await at.settle()
    expect(await endsOf(at, run)).toEqual(['finished'])
    expect([fork === handleOf(run), await stateOf(at, fork), await talkedTo(at)]).toEqual([
      false,
      'idle',
      fork,
    ])
    expect(dig.runs).toHaveLength(1)
  })
})

test('a forked run keeps its context as main does, and an isolated one as the configuration says', async () => {
  const at = await play([answer('a'), answer('b')])
  await at.say('/context policy explicit')
  const runs = [await ran(at), await ran(at, { isolated: true })]
  const { settings } = at
  const policies = await at.read((reader) => runs.map((branch) => policyIn(reader, branch, settings)))
  expect(policies).toEqual(['explicit', 'managed'])
})
