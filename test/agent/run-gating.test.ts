import { describe, expect, test } from 'vitest'
import { handleOf } from '../../src/event/id.ts'
import { enterForkTool, exitForkTool, saveContextTool } from '../../src/agent/tools/fork-tools.ts'
import { pingUserTool } from '../../src/agent/tools/ping.ts'
import { reportUpdatesTool } from '../../src/agent/tools/report-updates.ts'
import type { Price } from '../../src/model/contract/model.ts'
import type { ToolNature } from '../../src/tool/tool.ts'
import { builtIn } from '../../src/tool/tool.ts'
import { countedTool, gate, play, ruleModel, type CountedTool } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { forgetful, memoryIn, QUESTION } from './recalling.ts'
import { child, results, ruled, slash, stopped, typed, type Ruled } from './rig.ts'
import { endsOf, isRuns, lastMessage, notices, ran, startRun } from './run-rig.ts'
import { breathe, type Stage } from './stage.ts'

const OF_SKILL: ToolNature = { origin: { kind: 'skill', skill: 'git' }, effect: 'runs', fingerprint: 'f1' }
const gitLog = (): CountedTool => ({ ...countedTool('git_log'), nature: OF_SKILL })
const writes = (): CountedTool => ({
  ...countedTool('write'),
  nature: builtIn('edits', { subjectOf: ({ path }) => (typeof path === 'string' ? path : '') }),
})
const call = (tool: string, args = {}) => ({ calls: [{ tool, args }] })
const say = (text: string) => ({ reply: { text } })

function never(): never {
  throw new Error('there is no run')
}

async function verdicts(at: Stage): Promise<string[]> {
  return (await at.events('call-decided')).map(
    ({ tool, verdict, because }) => `${tool} ${verdict}: ${because}`,
  )
}

/** What the last call gave, as the model read it. */
const given = (at: { prompts: readonly Parameters<typeof results>[0][] }): string => {
  const prompt = at.prompts.at(-1)
  const [result] = prompt === undefined ? [] : results(prompt)
  return result?.error ?? result?.text ?? ''
}

describe('[RUN3] a run', () => {
  test('is refused what it is not offered, with a list of what it is, and nobody is told', async () => {
    const [read, web] = [countedTool('read'), countedTool('web_fetch')]
    const at = await play([call('web_fetch'), call('read'), call('web_search'), say('Done.')], {
      tools: [read, web, reportUpdatesTool],
    })
    await at.say('/help')
    const run = await ran(at)
    expect([web.runs.length, read.runs.length]).toEqual([0, 1])
    expect(await verdicts(at)).toEqual(['web_fetch refused: not-offered', 'read allowed: built-in'])
    const shown = at.prompts.map((prompt) => lastMessage(prompt))
    expect(shown[1]).toContain("'web_fetch' is not offered to this run. You can call read, report_updates.")
    expect(shown[3]).toContain("There is no tool 'web_search'. You can call read, report_updates.")
    expect(notices(at)).toEqual([])
    expect(await endsOf(at, run)).toEqual(['finished'])
    await expectLawful(at)
  })

  test('writes where its job lets it, and nowhere else', async () => {
    const write = writes()
    const steps = [call('write', { path: 'notes/a.md' }), call('write', { path: 'AGENTS.md' }), say('Done.')]
    const at = await play(steps, { tools: [write] })
    await ran(at, { tools: ['write(notes/*)'] })
    expect(write.runs).toEqual([{ path: 'notes/a.md' }])
    expect(given(at)).toBe("'write' is offered to this run only for write(notes/*).")
  })

  test('never does what main may not do at that moment, whatever its job lists', async () => {
    const tool = gitLog()
    const steps = [call('git_log'), say('a'), call('git_log'), say('b'), call('git_log'), say('c')]
    const at = await play(steps, { tools: [tool] })
    await at.say('/help')
    await ran(at, { tools: ['git_log'] })
    await at.say('/allow git_log')
    await ran(at, { tools: ['git_log'] })
    await ran(at)
    expect(await verdicts(at)).toEqual([
      'git_log refused: not-allowed',
      'git_log allowed: granted',
      'git_log refused: not-offered',
    ])
    expect(tool.runs).toHaveLength(1)
    await expectLawful(at)
  })

  test('is refused from the moment on in which the person takes it back', async () => {
    const tool = gitLog()
    const [begun, go] = [gate(), gate()]
    const at = await ruled(
      async (prompt) => {
        const results = prompt.messages.filter(({ role }) => role === 'tool').length
        if (results === 1) {
          begun.open()
          await go.opened
        }
        return results === 2 ? { text: 'Done.' } : { calls: [{ id: 'x', tool: 'git_log', args: {} }] }
      },
      { tools: [tool] },
    )
    await at.say('/allow git_log')
    await startRun(at, { tools: ['git_log'] })
    await begun.opened
    await typed(at, '/disallow git_log')
    go.open()
    await at.settle()
    expect(await verdicts(at)).toEqual(['git_log allowed: granted', 'git_log refused: not-allowed'])
  })

  test('[PERM2] asks nobody: what main would be asked about is refused', async () => {
    const at = await play([call('write', { path: 'a.md' }), say('Done.')], {
      tools: [writes()],
      settings: { permissions: 'default' },
    })
    await at.say('/help')
    await ran(at, { tools: ['write'] })
    expect(await verdicts(at)).toEqual(['write refused: cannot-ask'])
    expect(await at.events('approval-asked')).toEqual([])
  })

  test('has nothing to enter or to leave, even if its job lists that', async () => {
    const tools = [enterForkTool, saveContextTool, exitForkTool]
    const names = tools.map(({ spec }) => spec.name)
    const at = await play([...names.map((name) => call(name)), say('Done.')], { tools })
    await at.say('/help')
    const run = await ran(at, { tools: names })
    expect(await verdicts(at)).toEqual(names.map((name) => `${name} refused: not-offered`))
    expect(await endsOf(at, run)).toEqual(['finished'])
    await expectLawful(at)
  })
})

/** A run that forks a child and waits until that is done; the child makes one call after the other. */
async function withChild(asked: Parameters<typeof startRun>[1], names: readonly string[]) {
  const [done, heard] = [gate(), [] as string[]]
  const small = ruleModel(
    async (prompt) => {
      const isChild = prompt.messages.some(({ text }) => text.startsWith('[fork-started]'))
      const last = prompt.messages.at(-1)
      if (!isChild && last?.role !== 'tool') return { calls: [slash('fork', '-- help me')] }
      if (!isChild) {
        await done.opened
        return { text: 'Done.' }
      }
      const count = prompt.messages.filter(({ role }) => role === 'tool').length
      if (last?.role === 'tool') heard.push(last.text)
      const tool = names[count]
      if (tool === undefined) done.open()
      return tool === undefined ? { text: 'ok' } : { calls: [{ id: 'x', tool, args: { message: 'Hey!' } }] }
    },
    { name: 'small' },
  )
  const web = countedTool('web_fetch')
  const at = await play([], {
    models: { small },
    tools: [web, pingUserTool, reportUpdatesTool, countedTool('read'), gitLog()],
  })
  await at.say('/help')
  const run = await ran(at, { model: 'small', tools: ['slash'], ...asked })
  return { at, run, heard, web, small }
}

describe('[RUN3] what works for a run', () => {
  test('gets no more tools than the run, and its refusals are told to nobody', async () => {
    const { at, heard, web } = await withChild({}, ['web_fetch', 'report_updates', 'read'])
    expect(web.runs).toEqual([])
    expect(heard[0]).toContain("'web_fetch' is not offered to this run. You can call slash, ping_user, read.")
    expect(heard[1]).toContain('A child does not report')
    expect(heard[2]).toContain('read done')
    const git = await withChild({ tools: ['slash', 'git_log'] }, ['git_log'])
    expect(git.heard[0]).toContain('nobody has allowed it yet')
    expect(notices(git.at)).toEqual([])
    expect(notices(at)).toEqual([])
    await expectLawful(at)
  })

  test('[PING3] [PING4] pings on the account of the run, and not where the run may not', async () => {
    const { at, run, heard } = await withChild({}, ['ping_user', 'ping_user'])
    const ledger = (await at.events('ping-decided')).map(({ run: of, verdict, because }) => [
      of,
      verdict,
      because,
    ])
    expect(ledger).toEqual([
      [run, 'sent', 'allowed'],
      [run, 'refused', 'one-per-run'],
    ])
    expect(heard.join()).not.toContain('report_updates')
    const silent = await withChild({ allowPing: false }, ['ping_user'])
    expect(await silent.at.events('delivery-intended')).not.toContainEqual(
      expect.objectContaining({ form: 'ping' }),
    )
    expect(silent.heard[0]).toContain("'ping_user' is disabled for this run.")
  })

  test('has its model, and what its prompts begin with', async () => {
    const { small } = await withChild({ isolated: true, setup: { system: 'Be brief.', tools: '[]' } }, [])
    const seen = new Set(small.prompts.map(({ system, settings }) => `${system} ${settings.model}`))
    expect([...seen]).toEqual(['Be brief. small'])
    expect(small.prompts.length).toBeGreaterThan(2)
  })
})

/** A run that mails somebody, beside an idle child of main with main's rights. */
async function mailing(to: 'main' | 'child' | 'fork', asked: Parameters<typeof startRun>[1] = {}) {
  const write = writes()
  let handle = 'main'
  const at = await ruled(
    (prompt) => {
      const text = lastMessage(prompt)
      const isAnswered = prompt.messages.at(-1)?.role === 'tool'
      if (text.includes('unread message')) return { calls: [slash('check-mail')] }
      if (text.includes('RUNMAIL') && isAnswered && !isRuns(prompt))
        return { calls: [{ id: 'w', tool: 'write', args: { path: 'a.md' } }] }
      return isRuns(prompt) && !isAnswered ? { calls: [slash('send', `${handle} RUNMAIL`)] } : { text: 'ok' }
    },
    { tools: [write, reportUpdatesTool] },
  )
  await at.say(to === 'fork' ? '/fork' : '/fork -- wait')
  if (to !== 'main') handle = await child(at)
  const run = await ran(at, { tools: ['slash'], ...asked })
  const prompt = at.model.prompts.findLast((one) => isRuns(one) && one.messages.at(-1)?.role === 'tool')
  const [result] = prompt === undefined ? [] : results(prompt)
  const mails = (await at.events('mail-sent')).filter(({ from }) => from === run)
  const [said = ''] = (result?.error ?? '').split('\n')
  return { at, write, handle, said, mails }
}

describe('[RUN3] mail of a run', () => {
  test.each(['main', 'child', 'fork'] as const)(
    'does not reach a %s, which could do for it what it may not',
    async (to) => {
      const { at, write, handle, said, mails } = await mailing(to)
      expect(mails).toEqual([])
      expect(write.runs).toEqual([])
      expect(said).toBe(
        `Not sent: ${handle} is not part of this run, and mail of a run stays within it. What the main session should know goes by report_updates.`,
      )
      await expectLawful(at)
    },
  )

  test('[RUN2] is refused without a word of reporting where the run does not report', async () => {
    const { said, mails } = await mailing('main', { reporting: 'blocked' })
    expect(mails).toEqual([])
    expect(said).toBe('Not sent: main is not part of this run, and mail of a run stays within it.')
  })

  test('goes to and fro between a run and what works for it, and a child of it reaches nobody else', async () => {
    const [done, heard] = [gate(), [] as string[]]
    const at: Ruled = await ruled(async (prompt) => {
      const isChild = prompt.messages.some(({ text }) => text.startsWith('[fork-started]'))
      const count = prompt.messages.filter(({ role }) => role === 'tool').length
      if (!isChild && count === 0) return { calls: [slash('fork', '-- help me')] }
      if (!isChild) {
        if (count === 1) return { calls: [slash('send', `${await child(at)} hurry`)] }
        await done.opened
        return { text: 'Done.' }
      }
      if (prompt.messages.at(-1)?.role === 'tool') heard.push(lastMessage(prompt))
      const to = ['main', handleOf((await at.events('run-started'))[0]?.branch ?? never())][count]
      if (to === undefined) done.open()
      return to === undefined ? { text: 'ok' } : { calls: [slash('send', `${to} look`)] }
    })
    const run = await ran(at, { tools: ['slash'] })
    expect(heard[0]).toContain('Not sent: main is not part of this run')
    expect(heard[0]).toContain('Your answer goes to your parent.')
    expect(heard[0]).not.toContain('report_updates')
    expect(heard[1]).toContain(`Sent to ${handleOf(run)}.`)
    const mails = (await at.events('mail-sent')).filter(({ text }) => text === 'hurry' || text === 'look')
    const ways = mails.map(({ branch, from }) => `${from === run ? 'down' : ''}${branch === run ? 'up' : ''}`)
    expect(ways.toSorted()).toEqual(['down', 'up'])
  })

  test('of a person who looks in goes wherever they like', async () => {
    const at = await ruled((_, signal) => stopped(signal))
    const run = await startRun(at)
    await breathe()
    await typed(at, `/switch ${handleOf(run)}`)
    expect(await typed(at, '/send main look')).toEqual(['Sent to main.'])
    await at.close()
  })
})

describe('[RECALL1] what comes back by itself', () => {
  test('joins a forked run, and no isolated one', async () => {
    const at = await forgetful()
    const before = at.chat.prompts.length
    await ran(at, { body: QUESTION })
    await ran(at, { body: QUESTION, isolated: true })
    const [forked, isolated] = at.chat.prompts.slice(before).map(memoryIn)
    expect(forked).toContain('Dr. Meyer')
    expect(isolated).toBeUndefined()
  })
})

const price: Price = { perMillionIn: 1_000, perMillionOut: 1_000, perMillionCached: 0 }

describe('/agents', () => {
  test('shows runs by their tag and job, and what a branch used with all below it', async () => {
    const usage = { tokensIn: 10, tokensOut: 10, tokensCached: 0, tokensCacheWritten: 0 }
    const at = await ruled((prompt, signal) => (isRuns(prompt) ? stopped(signal) : { text: 'ok', usage }))
    await at.say('hello')
    await at.say('/fork -- small')
    const small = await child(at)
    const run = await startRun(at, { title: 'The morning brief' })
    const plain = await startRun(at, { job: 'tidy', title: 'tidy' })
    await at.clock.pass(120_000)
    expect((await typed(at, '/agents'))[0]?.split('\n')).toEqual([
      '* main: idle, 1 unread, 2 min old, 40 tokens spent, 97 shown',
      `├─ ${small} child 'small': idle, 2 min old, 20 tokens spent, 145 shown`,
      `├─ ${handleOf(run)} [routine-bg:brief]: working for 2 min, 0 tokens spent, 308 shown`,
      `└─ ${handleOf(plain)} [routine-bg:tidy]: working for 2 min, 0 tokens spent, 308 shown`,
    ])
    await at.close()
  })

  test('counts in money what has a price, also of what has ended', async () => {
    const usage = { tokensIn: 10, tokensOut: 10, tokensCached: 0, tokensCacheWritten: 0 }
    const at = await ruled(() => ({ text: 'ok', usage }))
    Object.assign(at.model, { price })
    await at.say('hello')
    await ran(at)
    const [tree] = await at.say('/agents')
    expect(tree?.split('\n')).toEqual([
      '* main: idle, 0 s old, $0.0400 spent, 97 tokens shown',
      '1 ended; /agents all shows it.',
    ])
  })
})

/** The lines that say what a branch of its kind sees. */
async function modeOf(at: Stage): Promise<string[]> {
  const text = (await typed(at, '/context'))[0] ?? ''
  const lines = text.split('\n')
  const from = lines.findIndex((line) => line.startsWith('  mode '))
  return lines.slice(from, from + 7).map((line) => line.trim().replaceAll(/ {2,}/g, ': '))
}

describe('/context', () => {
  const tools = [enterForkTool, saveContextTool, exitForkTool, reportUpdatesTool, countedTool('read')]

  test('says in main, in a fork and in a child what each sees and may do', async () => {
    const at = await ruled(() => ({ text: 'ok' }), { tools })
    await at.say('hello')
    expect(await modeOf(at)).toEqual([
      'mode: the main session',
      'trigger: your messages',
      'history: everything said here, across restarts',
      'updates: with the next message, once',
      'recall: nothing to add: everything is shown already',
      'may call: slash, enter_fork, read',
      'model: ruled, thinking off',
    ])
    await at.say('/fork')
    expect(await modeOf(at)).toEqual([
      'mode: interactive fork of main',
      'trigger: [fork-started] and your messages',
      'history: main up to the fork',
      'updates: shown; the main session gets them too',
      'recall: nothing to add: everything is shown already',
      'may call: all but enter_fork',
      'model: ruled, thinking adaptive',
    ])
    await at.say('/exit')
    await at.say('/fork -- small')
    await at.say(`/switch ${await child(at)}`)
    expect(await modeOf(at)).toEqual([
      'mode: child of main',
      'trigger: [fork-started] and its goal',
      'history: main up to the fork',
      'updates: none',
      'recall: nothing automatically',
      'may call: slash, read',
      'model: ruled, thinking adaptive',
    ])
  })

  test('says of a run how it was started', async () => {
    const small = ruleModel((_, signal) => stopped(signal), { name: 'small' })
    const at = await ruled(() => ({ text: 'ok' }), { tools, models: { small } })
    const main = await at.branch()
    const look = async (asked: Parameters<typeof startRun>[1]) => {
      const branch = await startRun(at, { model: 'small', thinking: 1_024, ...asked })
      await breathe()
      const author = { by: 'policy', name: 'test' } as const
      const binding = { channel: 'terminal', conversation: 'local', author }
      const now = at.clock.now()
      const bind = (to: typeof branch) =>
        at.log.write((w) => w.append({ kind: 'conversation-bound', branch: to, at: now, v: 1, ...binding }))
      await bind(branch)
      const lines = await modeOf(at)
      await bind(main)
      return lines
    }
    expect(await look({})).toEqual([
      'mode: background run, forked off main',
      'trigger: [routine-bg:brief], what it may do, and its task',
      'history: main up to the fork',
      'updates: shown; the main session gets them too',
      'recall: nothing to add: everything is shown already',
      'may call: report_updates, read',
      'model: small, thinking up to 1024 tokens',
    ])
    expect(await look({ isolated: true, reporting: 'blocked', tag: 'webhook', job: 'ci' })).toEqual([
      'mode: background run, isolated',
      'trigger: [webhook:ci], what it may do, and its task',
      'history: only its task',
      'updates: none',
      'recall: nothing automatically',
      'may call: read',
      'model: small, thinking up to 1024 tokens',
    ])
    await at.close()
  })
})
