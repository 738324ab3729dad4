import { describe, expect, test } from 'vitest'
import { toolsFor } from '../../src/agent/right/gating.ts'
import { hearsOfReporting } from '../../src/agent/state/run.ts'
import { enterForkTool, exitForkTool, saveContextTool } from '../../src/agent/tools/fork-tools.ts'
import { makeHelpTool } from '../../src/agent/tools/help.ts'
import { pingUserTool, sendEmbedTool } from '../../src/agent/tools/ping.ts'
import { reportUpdatesTool } from '../../src/agent/tools/report-updates.ts'
import type { JsonObject } from '../../src/base/json.ts'
import { ChannelError } from '../../src/channel/channel.ts'
import { slashTool } from '../../src/command/commands/slash.ts'
import type { Reporting } from '../../src/event/run.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import { guideTexts } from '../../src/runtime/home/workspace.ts'
import { background } from './background.ts'
import { gate, modelFault, play, ruleModel, type Played } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { dieEverywhere, type Scenario } from './mortal.ts'
import { slash } from './rig.ts'
import { endsOf, isRuns, job, pendingNow, ran, reports, runNow, startRun } from './run-rig.ts'
import { breathe, type ToolParts } from './stage.ts'

const forRuns = [pingUserTool, sendEmbedTool, reportUpdatesTool]

const call = (tool: string, args: JsonObject): StepInput => ({ calls: [{ tool, args }] })
const ping = (message: string, critical = false): StepInput =>
  call('ping_user', { message, ...(critical && { critical }) })
const report = (message: string): StepInput => call('report_updates', { message })
const pings = (message: string) => ({ id: 'x', tool: 'ping_user', args: { message } })
const say = (text: string): StepInput => ({ reply: { text } })

/** A stage on which a person has spoken, so that there is somebody to write to. */
async function playRuns(steps: readonly StepInput[]): Promise<Played> {
  const at = await play(steps, { tools: forRuns })
  await at.say('/help')
  return at
}

async function afterRun(reporting: Reporting, steps: readonly StepInput[]) {
  const at = await playRuns(steps)
  const run = await ran(at, { reporting })
  expect(await endsOf(at, run)).toEqual(['finished'])
  await expectLawful(at)
  return { at, told: await reports(at), sentBack: (await runNow(at, run)).sentBack }
}

describe('[RUN2] on_ping', () => {
  test('asks nothing of a run that wrote to nobody', async () => {
    expect(await afterRun('on_ping', [say('Nothing new.')])).toMatchObject({ told: [], sentBack: 0 })
  })

  test('is content with a report after the ping', async () => {
    const steps = [ping('Look!'), report('I told them.'), say('Done.')]
    expect(await afterRun('on_ping', steps)).toMatchObject({ told: ['run: I told them.'], sentBack: 0 })
  })

  test('sends back a run that pinged and did not report, with words that say what to do', async () => {
    const { at, told, sentBack } = await afterRun('on_ping', [
      ping('Look!'),
      say('Done.'),
      report('I told them.'),
      say('Done now.'),
    ])
    expect([told, sentBack]).toEqual([['run: I told them.'], 1])
    expect(at.prompts.at(2)?.messages.at(-1)?.text).toBe(
      '[system]\n(written by the host)\n[2026-03-01 Sun 09:30 Europe/Berlin]\n\nYou wrote to the person and have not reported that since. Call report_updates now with what you found and what you told them; then end.',
    )
  })

  test('a card counts as a ping', async () => {
    const card = call('send_embed', { title: 'Build', description: 'It is red.' })
    const { told } = await afterRun('on_ping', [card, say('a'), say('b'), say('c')])
    expect(told).toEqual([
      expect.stringMatching(/^host: It ended without reporting; it wrote to the person: "Build/),
    ])
  })

  test('[PING2] a ping that every place refuses is not called written: not in the report, nor later', async () => {
    const refused = Promise.withResolvers<never>()
    for (const isLate of [false, true]) {
      const at = await play([ping('Look!'), say('a'), say('b'), say('c')], {
        tools: forRuns,
        send: async ({ form }) => (form === 'ping' ? (isLate ? refused.promise : refuse()) : null),
      })
      await at.say('/help')
      await startRun(at, { reporting: 'on_ping' })
      while ((await at.events('branch-ended')).length === 0) await breathe()
      if (isLate) refused.reject(new ChannelError('gone', { isFinal: true }))
      await at.settle()
      const told = await reports(at)
      expect(told.join('\n')).not.toContain('it wrote to the person')
      expect(told).toHaveLength(2)
      expect(told).toContainEqual(expect.stringMatching(/ did not arrive \(gone\): Look!$/))
    }
  })

  test('who pings, reports, pings critically and stops is sent back twice, and the host names the second ping', async () => {
    const { at, told, sentBack } = await afterRun('on_ping', [
      ping('The build is red.'),
      report('I told them of the build.'),
      ping('The server burns!', true),
      say('Done.'),
      say('I said I am done.'),
      say('Done, done.'),
    ])
    expect(sentBack).toBe(2)
    expect(told).toEqual([
      'run: I told them of the build.',
      'host: It ended without reporting this; it wrote to the person: "The server burns!"',
    ])
    expect(await pendingNow(at)).toBe(2)
    expect(at.prompts).toHaveLength(6)
  })

  test('counts what a child of the run wrote to the person', async () => {
    const wrote = gate()
    const model = ruleModel(async (prompt) => {
      const last = prompt.messages.at(-1)
      if (prompt.messages.some(({ text }) => text.startsWith('[fork-started]'))) {
        if (last?.role === 'tool') wrote.open()
        return last?.role === 'tool' ? { text: 'ok' } : { calls: [pings('Hey!')] }
      }
      if (last?.role === 'user' && last.text.startsWith('[routine-bg'))
        return { calls: [slash('fork', '-- write to them')] }
      await wrote.opened
      return { text: 'Done.' }
    })
    const at = await play([], { models: { scripted: model }, tools: forRuns })
    await at.say('/help')
    const run = await ran(at, { reporting: 'on_ping', tools: ['slash'] })
    expect((await at.events('ping-decided')).map(({ run: of, verdict }) => [of, verdict])).toEqual([
      [run, 'sent'],
    ])
    expect(await reports(at)).toEqual(['host: It ended without reporting; it wrote to the person: "Hey!"'])
    await expectLawful(at)
  })
})

describe('[RUN2] always', () => {
  test('is content with one report', async () => {
    expect(await afterRun('always', [report('All is well.'), say('Done.')])).toMatchObject({ sentBack: 0 })
  })

  test('sends back twice, and then the host reports what was said last', async () => {
    const { told, sentBack } = await afterRun('always', [say('a'), say('b'), say('All is well.')])
    expect(sentBack).toBe(2)
    expect(told).toEqual(['host: It ended without reporting; it said last: All is well.'])
  })

  test('asks nothing more of a run that may not call anything any more', async () => {
    const at = await playRuns([call('help', {}), say('Enough.')])
    at.settings = { ...at.settings, childRoundsMax: 1 }
    const run = await ran(at, { reporting: 'always' })
    expect((await runNow(at, run)).sentBack).toBe(0)
    expect(await reports(at)).toEqual(['host: It ended without reporting; it said last: Enough.'])
  })

  test('is owed as well by a run that failed, ran out of time or was killed', async () => {
    const failed = await play([{ error: { reason: 'rejected' } }], { tools: forRuns })
    await ran(failed, { reporting: 'always' })
    expect(await reports(failed)).toEqual(['host: It failed before it reported; it said nothing'])
    const late = await play([say('Half.'), { delayMs: 3_600_000, reply: { text: 'x' } }], { tools: forRuns })
    await startRun(late, { reporting: 'always', timeoutMs: 60_000 })
    await late.clock.pass(60_000)
    expect(await reports(late)).toEqual(['host: Its time was over before it reported; it said last: Half.'])
    const killed = await playRuns([ping('Look!'), { delayMs: 3_600_000, reply: { text: 'x' } }])
    const run = await startRun(killed, { reporting: 'on_ping' })
    await killed.clock.pass(1)
    await killed.type(`/kill ${run}`)
    await killed.settle()
    expect(await reports(killed)).toEqual([
      'host: It was killed before it reported; it wrote to the person: "Look!"',
    ])
  })

  test('is not owed by a run that never began', async () => {
    const at = await play([{ delayMs: 3_600_000, reply: { text: 'x' } }], { settings: { runsMax: 1 } })
    await startRun(at)
    const waits = await startRun(at, { job: 'late', reporting: 'always' })
    await at.clock.pass(1)
    await at.type(`/kill ${waits}`)
    await at.clock.pass(1)
    expect([await endsOf(at, waits), await reports(at)]).toEqual([['killed'], []])
    await at.close()
  })
})

test('[RUN2] freely: a run may report and need not, whatever it wrote to the person', async () => {
  expect(await afterRun('freely', [ping('Look!'), say('Done.')])).toMatchObject({ told: [], sentBack: 0 })
  const { told } = await afterRun('freely', [report('News.'), say('Done.')])
  expect(told).toEqual(['run: News.'])
})

const tools = ({ log }: ToolParts) => [
  ...forRuns,
  enterForkTool,
  saveContextTool,
  exitForkTool,
  makeHelpTool({
    guides: guideTexts,
    reports: (branch) => log.read((reader) => hearsOfReporting(reader, branch)),
  }),
]

describe('[RUN2] blocked', () => {
  const helps = ['forks', 'tags', 'tools', 'commands', 'background', 'people', 'mail', 'nonsense', '']

  test.each([
    ['forked', false],
    ['isolated', true],
  ])('no text of a %s run has a word of reporting, whatever it calls', async (_, isolated) => {
    const steps: StepInput[] = [
      ping('Look!'),
      ping('Look again!'),
      call('send_embed', {}),
      call('save_context', {}),
      call('slash', { command: 'mark', args: 'A' }),
      call('nonsense', {}),
      ...helps.map((query) => call('help', query === '' ? {} : { query })),
      say('Done.'),
    ]
    const at = await play(steps, { tools, settings: { childRoundsMax: 50 } })
    await at.say('/help')
    const asked = job({ reporting: 'blocked', isolated, tools: ['report_updates'] })
    const specs = [slashTool, ...tools({ log: at.log } as ToolParts)].map(({ spec }) => spec)
    const setup = { system: 'You are a test.', tools: JSON.stringify(toolsFor(asked, specs)) }
    const run = await ran(at, { ...asked, setup })
    expect(await endsOf(at, run)).toEqual(['finished'])
    expect(at.prompts).toHaveLength(steps.length)
    for (const prompt of at.prompts) expect(JSON.stringify(prompt)).not.toMatch(/report_updates/)
    expect(at.prompts[0]?.tools.length).toBeGreaterThan(2)
    await expectLawful(at)
  })

  test('who reports all the same is refused, and main hears nothing', async () => {
    const { at, told, sentBack } = await afterRun('blocked', [ping('Look!'), report('Psst.'), say('Done.')])
    expect([told, sentBack, await pendingNow(at)]).toEqual([[], 0, 0])
    const result = at.prompts.at(-1)?.messages.at(-1)?.text ?? ''
    expect(result).toContain('This run does not report. You can call ping_user, send_embed.')
  })
})

/** A run that pings, is sent back, and reports only the second time; or never. */
function scenario(isGood: boolean): () => Scenario {
  return () => {
    const model = ruleModel((prompt) => {
      if (!isRuns(prompt)) return { text: 'ok' }
      const text = JSON.stringify(prompt.messages)
      const backs = prompt.messages.filter((one) => one.text.startsWith('[system]')).length
      if (!text.includes('Sent.') && !text.includes('one message in a run'))
        return { calls: [pings('Look!')] }
      if (isGood && backs === 2 && !text.includes('Reported to main'))
        return { calls: [{ id: 'x', tool: 'report_updates', args: { message: 'News.' } }] }
      return { text: 'Done.' }
    })
    return {
      options: () => ({
        models: { ruled: model },
        settings: { model: 'ruled' },
        tools: forRuns,
        jobIn: () => ({ job: job({ reporting: 'on_ping' }), warnings: [] }),
      }),
      act: async (at) => void (await at.type('/run brief.md', 'k1')),
      lastsMs: 1_000,
      check: async ({ at, platform }) => {
        const [started, ...others] = await at.events('run-started')
        expect([started?.job, others]).toEqual(['brief', []])
        expect((await at.events('branch-ended')).map(({ reason }) => reason)).toEqual(['finished'])
        expect(platform.texts('ping')).toHaveLength(1)
        const told = await reports(at)
        expect(told).toHaveLength(1)
        if (!isGood) expect(told[0]).toMatch(/^host: .*Look!/)
        expect((await at.events('run-sent-back')).length).toBeLessThanOrEqual(2)
      },
    }
  }
}

describe('[RUN1] [RUN2] a death at any commit', () => {
  test.each([true, false])('ends a run once, with one report (of its own: %s)', async (isGood) => {
    expect(await dieEverywhere(scenario(isGood))).toBeGreaterThan(5)
  })

  test('tells a failure once', async () => {
    const commits = await dieEverywhere(() => ({
      options: () => ({
        models: { ruled: ruleModel(() => Promise.reject(modelFault('rejected'))) },
        settings: { model: 'ruled' },
        jobIn: () => ({ job: job({ reporting: 'always' }), warnings: [] }),
      }),
      act: async (at) => void (await at.type('/run brief.md', 'k1')),
      lastsMs: 1_000,
      check: async ({ at, platform }) => {
        expect((await at.events('branch-ended')).map(({ reason }) => reason)).toEqual(['failed'])
        expect(platform.texts('notice')).toEqual(['routine brief failed: the model is rejected.'])
        expect(await reports(at)).toHaveLength(1)
      },
    }))
    expect(commits).toBeGreaterThan(3)
  })
})

test('the end of a run that has reported points to the report, and says nothing else of it', async () => {
  const at = await background([[['report_updates', { message: 'Two mails.' }]]])
  await at.say('/help')
  await at.run()
  expect(at.sent.at(-1)?.text).toBe('routine brief finished. (reported to main: /updates shows it)')
})

function refuse(): never {
  throw new ChannelError('gone', { isFinal: true })
}
