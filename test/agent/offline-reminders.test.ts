import { describe, expect, test } from 'vitest'
import { reminderTools } from '../../src/agent/tools/reminders.ts'
import { todoTool } from '../../src/agent/tools/todo.ts'
import { pingUserTool } from '../../src/agent/tools/ping.ts'
import { followUpTool } from '../../src/agent/tools/follow-up.ts'
import { reportUpdatesTool } from '../../src/agent/tools/report-updates.ts'
import type { Workspace } from '../../src/tool/files/workspace.ts'
import { expectLawful } from './lawful.ts'
import { DAY, HOUR, jobStage, MINUTE, restarted, type JobOptions, type JobStage } from './job-rig.ts'
import { memoryShelf } from './memory-shelf.ts'
import { FakeClock, START } from './stage.ts'

const settings = { model: 'offline', permissions: 'bypassPermissions' } as const

/** The offline model with the product's own tools, over files in memory. */
async function assistant(options: JobOptions = {}): Promise<JobStage & { todo(): string }> {
  const clock = options.clock ?? new FakeClock(START)
  const shelf = options.shelf ?? memoryShelf({ now: () => clock.now() })
  const files = new Map<string, string>()
  const at = await jobStage({ ...options, clock, shelf, ...toolsOver({ clock, shelf, files }) })
  return Object.assign(at, { todo: () => files.get('todo.md') ?? '' })
}

function toolsOver({
  clock,
  shelf,
  files,
}: {
  clock: FakeClock
  shelf: NonNullable<JobOptions['shelf']>
  files: Map<string, string>
}): Pick<JobOptions, 'tools' | 'settings'> {
  const now = (): number => clock.now()
  const place: Pick<Workspace, 'read' | 'change'> = {
    read: async (path) => files.get(path),
    change: async (path, decide) => {
      const before = files.get(path)
      const after = await decide({ place: path, before })
      if (after !== undefined) files.set(path, after)
      return { before, after } as unknown as Awaited<ReturnType<Workspace['change']>>
    },
  }
  return {
    settings,
    tools: ({ log }) => [
      ...reminderTools({ log, shelf, now, settings: () => ({ zone: 'Europe/Berlin' }) }),
      todoTool({ files: place, now, zone: () => 'Europe/Berlin' }),
      followUpTool({ log, shelf, now, settings: () => ({ zone: 'Europe/Berlin' }) }),
      pingUserTool,
      reportUpdatesTool,
    ],
  }
}

describe('reminders in plain words, with the real tools', () => {
  test('[JOB1] one is set, listed, and told when it is due, once', async () => {
    const at = await assistant()
    expect(await at.say('remind me to call my mum tomorrow at 9')).toEqual([
      'The agent set the reminder call-mum: tomorrow 09:00, in 24 h. /reminders lists them. Its text: call my mum',
      'Reminder call-mum is set: tomorrow 09:00, in 24 h.',
    ])
    expect(await at.say('what are my reminders?')).toEqual(['call-mum: tomorrow 09:00, in 24 h: call my mum'])
    const before = at.sent.length
    await at.pass(2 * DAY)
    expect(at.sent.slice(before).map(({ text }) => text)).toEqual(['Reminder: call your mum.'])
    expect(await at.say('any reminders?')).toEqual(['No reminders are set.'])
    await expectLawful(at)
    await at.close()
  })

  test('[JOB1] one that fell due while nobody was there is told late', async () => {
    const at = await assistant()
    await at.say('in 20 minutes remind me about the oven')
    const later = await restarted(
      at,
      3 * HOUR,
      toolsOver({ clock: at.clock, shelf: at.shelf, files: new Map() }),
    )
    await later.look()
    expect(later.sent.map(({ text }) => text)).toEqual(['Reminder (was due 9:50): the oven.'])
    await later.close()
  })

  test('a time that is missing is asked for, and the next message answers', async () => {
    const at = await assistant()
    expect(await at.say('remind me to call mum')).toEqual([
      expect.stringMatching(/^When should I remind you\?/),
    ])
    expect((await at.say('tomorrow at 9')).slice(1)).toEqual([
      expect.stringMatching(/call-mum is set: tomorrow 09:00/),
    ])
    await at.close()
  })

  test('one is cancelled by the words it is named after, and none where they do not fit', async () => {
    const at = await assistant()
    await at.say('remind me to call mum tomorrow at 9')
    expect(await at.say('cancel the dentist reminder')).toEqual([
      expect.stringMatching(/^That didn't work: There is no reminder 'dentist'\. There are: call-mum\./),
    ])
    expect(await at.say('cancel the reminder to call mum')).toEqual([
      expect.stringMatching(/^Cancelled reminder call-mum, tomorrow 09:00/),
    ])
    expect(at.shelf.jobs()).toEqual([])
    await expectLawful(at)
    await at.close()
  })

  test('a chain of the background pings, and sets its checks until the last', async () => {
    const at = await assistant()
    await at.say('hello')
    await at.put(
      'reminders/pill.md',
      '---\nrun-at: 2026-03-01T10:00\nbackground: true\nmax-chain: 1\n---\nTake my pill. Ask every 20 minutes.\n',
    )
    const before = at.sent.length
    await at.pass(20 * MINUTE + 3 * HOUR)
    expect(at.sent.slice(before).map(({ text }) => text)).toEqual([
      expect.stringContaining('Take your pill'),
      expect.stringContaining('Take your pill'),
    ])
    expect(at.shelf.jobs()).toEqual([])
    await at.close()
  })
})

describe('to-dos in plain words, with the real tools', () => {
  test('they are added, listed, ticked off and deleted', async () => {
    const at = await assistant()
    await at.say('add milk to my list')
    await at.say("put 'renew passport' on my to-do list by Friday")
    expect(at.todo()).toMatch(/- \[ \] milk\n- \[ \] renew passport \(due 2026-03-06\)/)
    expect(await at.say("what's on my list?")).toEqual([
      expect.stringMatching(/1\. \[ \] milk\n2\. \[ \] renew/),
    ])
    expect(await at.say('done with the passport')).toEqual([
      expect.stringMatching(/^Done: 2\. renew passport/),
    ])
    expect(await at.say('tick off 1')).toEqual([expect.stringMatching(/^Done: 1\. milk/)])
    expect(await at.say('remove milk from my list')).toEqual([expect.stringMatching(/^Deleted: milk/)])
    expect(at.todo()).not.toContain('milk')
    await expectLawful(at)
    await at.close()
  })
})
