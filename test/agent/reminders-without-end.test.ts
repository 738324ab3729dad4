import { describe, expect, test } from 'vitest'
import { reminderTools } from '../../src/agent/tools/reminders.ts'
import { followUpTool } from '../../src/agent/tools/follow-up.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import type { Said } from './doubles.ts'
import { file, HOUR, jobStage, ring, type JobOptions, type JobStage } from './job-rig.ts'
import { expectLawful } from './lawful.ts'
import { memoryShelf } from './memory-shelf.ts'
import { ZONE } from './reminder-rig.ts'
import { begun, endsOf, job, plannerOn } from './run-rig.ts'
import { FakeClock, START } from './stage.ts'

const usual = { calls: 200, tokens: 1_000_000, branches: 16 }

interface Options extends Omit<JobOptions, 'rule'> {
  readonly when?: string
  readonly background?: boolean
  readonly limits?: Partial<AgentSettings>
  readonly rule?: (prompt: Prompt) => Said
}

/** A model that sets the next reminder whenever it is asked anything, and one that has done so is done. */
function withReminders({
  when = 'in 1 hour',
  background = false,
  ...options
}: Options = {}): Promise<JobStage> {
  const clock = options.clock ?? new FakeClock(START)
  const shelf = options.shelf ?? memoryShelf({ now: () => clock.now() })
  let calls = 0
  const again = { text: 'Set the next reminder.', when, background }
  const rule = ({ messages }: Prompt): Said =>
    messages.at(-1)?.role === 'tool'
      ? { text: 'Set.' }
      : { calls: [{ id: `c${++calls}`, tool: 'add_reminder', args: again }] }
  return jobStage({
    rule,
    ...options,
    clock,
    shelf,
    settings: { zone: ZONE, causedMax: usual, ...options.limits },
    tools: ({ log }) => {
      const parts = { log, shelf, now: () => clock.now(), settings: () => ({ zone: ZONE }) }
      return [...reminderTools(parts), followUpTool(parts)]
    },
  })
}

/** Lets hours pass, in steps that no reminder here needs to be shorter. */
async function passHours(at: JobStage, hours: number): Promise<void> {
  for (let half = 0; half < hours * 2; half++) {
    await at.clock.pass(HOUR / 2)
    await at.look()
  }
}

/** How often the model was called on each day, for jobs. */
async function callsByDay(at: JobStage): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { day = '' } of await at.events('model-called')) counts[day] = (counts[day] ?? 0) + 1
  return counts
}

describe('a reminder whose turn sets the next one, for ever,', () => {
  test.each([{ background: false }, { background: true }])(
    '[CAUSE2] counts for the first of them: at its ceiling the text comes without a model, and nothing is set (background: $background)',
    async ({ background }) => {
      const at = await withReminders({ background, limits: { causedMax: { ...usual, calls: 6 } } })
      await at.say('hi')
      await passHours(at, 60)
      // Two for the message, and two for each reminder; with its tool call each counts three.
      expect(at.model.prompts).toHaveLength(2 + 2 * 2)
      expect(at.shelf.jobs()).toEqual([])
      const fired = await at.events('job-fired')
      expect(fired).toHaveLength(3)
      const bare = (await at.events('delivery-intended')).find(({ cause }) => cause === fired[2]?.position)
      expect(bare).toMatchObject({ turn: null, text: expect.stringMatching(/^Set the next reminder\.$/m) })
      expect(at.sent.map(({ text }) => text)).toContain(bare?.text)
      await expectLawful(at)
    },
  )

  test('[CAUSE2] goes on below its ceiling, which is one of a day, and the log has what each turn works for', async () => {
    const limits = { causedMax: { ...usual, calls: 12 } }
    const at = await withReminders({ when: 'in 6 hours', limits })
    await at.say('hi')
    await passHours(at, 72)
    const days = Object.values(await callsByDay(at))
    expect(days).toHaveLength(4)
    expect(Math.max(...days)).toBe(8)
    const first = (await at.events('inbound-admitted')).find(({ source }) => source.from === 'host')
    const roots = (await at.events('turn-started')).map(({ root }) => root)
    expect(new Set(roots.slice(1))).toEqual(new Set([first?.position]))
    await expectLawful(at)
  })

  test('[CAUSE2] the file cannot say that it is somebody else’s: what the call was for stands in the log, after a restart too', async () => {
    const at = await withReminders({ limits: { causedMax: { ...usual, calls: 3 } } })
    await at.say('hi')
    await passHours(at, 1)
    const [set] = at.shelf.jobs()
    const text = at.shelf.files.get(set?.file ?? '')?.replace(/^set-by: .*$/m, '')
    await at.close()
    await at.log.close()
    const { disk, clock, shelf } = at
    const again = await withReminders({ disk, clock, shelf, limits: { causedMax: { ...usual, calls: 3 } } })
    await again.put(set?.file ?? '', text ?? '')
    await passHours(again, 3)
    expect(again.model.prompts).toHaveLength(0)
    expect(again.sent.at(-1)?.text).toContain('Set the next reminder.')
  })

  test('[CAUSE2] counts the follow-ups of a chain for its first check', async () => {
    let calls = 0
    const at = await withReminders({
      files: {
        'reminders/pill.md': file({ 'run-at': '2026-03-01T13:00', 'max-chain': 9 }, 'Take the pill.'),
      },
      limits: { causedMax: { ...usual, calls: 6 } },
      rule: ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? { text: 'Asked.' }
          : { calls: [{ id: `f${++calls}`, tool: 'follow_up_chain', args: { minutes_from_now: 60 } }] },
    })
    await passHours(at, 12)
    expect(at.model.prompts).toHaveLength(2 * 2)
    expect(await at.events('job-fired')).toHaveLength(3)
    expect(at.sent.at(-1)?.text).toMatch(/^Take the pill\.$/m)
    await expectLawful(at)
  })

  test('[CAUSE2] is counted anew for each that a person asks for', async () => {
    const at = await withReminders({ when: 'in 3 hours', limits: { causedMax: { ...usual, calls: 3 } } })
    await at.say('one')
    await passHours(at, 1)
    await at.say('two')
    await passHours(at, 3)
    expect(at.model.prompts).toHaveLength(2 * 2 + 2 * 2)
  })
})

describe('what nobody asked for', () => {
  const look = file({ cron: '*/30 * * * *', background: true })

  test('[CAUSE3] has a ceiling a day over all jobs: they wait, a notice says so once, and people are answered', async () => {
    const at = await withReminders({
      files: { 'routines/look.md': look },
      limits: { unattendedMax: 5 },
      rule: () => ({ text: 'Seen.' }),
    })
    await at.say('hi')
    await passHours(at, 9)
    expect(await callsByDay(at)).toEqual({ '2026-03-01': 1 + 5 })
    expect(await at.say('hello?')).toEqual(['Seen.'])
    expect((await at.events('notice-raised')).map(({ cause }) => cause)).toEqual(['unattended 2026-03-01'])
    await passHours(at, 24)
    expect((await callsByDay(at))['2026-03-02']).toBe(5)
    expect(await at.events('notice-raised')).toHaveLength(2)
    await expectLawful(at)
  })
  test('[CAUSE3] [JOB1] a webhook and a silent reminder wait for the next day, and the text of any other reminder comes', async () => {
    const at = await withReminders({
      files: {
        'routines/look.md': look,
        'webhooks/bell.md': file({}),
        'reminders/pill.md': file({ 'run-at': '2026-03-01T13:00' }, 'Take the pill.'),
        'reminders/check.md': file({ 'run-at': '2026-03-01T13:00', background: true }, 'Check it.'),
      },
      limits: { unattendedMax: 2 },
      rule: () => ({ text: 'Seen.' }),
    })
    await at.say('hi')
    await passHours(at, 2)
    await ring(at)
    await passHours(at, 4)
    const asked = at.model.prompts.length
    expect(asked).toBe(1 + 2)
    expect(at.sent.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^Take the pill\.$/m))
    const fired = async () =>
      (await at.events('job-fired')).flatMap(({ what, job }) => (what === 'routine' ? [] : job))
    expect(await fired()).toEqual(['pill'])
    await at.say('Done.')
    expect(JSON.stringify(at.model.prompts.at(-1)?.messages)).toContain('Take the pill.')
    at.settings = { ...at.settings, unattendedMax: 10 }
    await at.look()
    expect((await fired()).toSorted()).toEqual(['bell', 'check', 'pill'])
    await expectLawful(at)
  })

  test('[CAUSE3] a run that is under way is held to it, and says so no second time', async () => {
    let calls = 0
    const at = await withReminders({
      files: { 'routines/look.md': look },
      limits: { unattendedMax: 3 },
      rule: ({ messages }) =>
        JSON.stringify(messages.at(-1)).includes('hi there')
          ? { text: 'Hello.' }
          : { calls: [{ id: `l${++calls}`, tool: 'list_reminders', args: {} }] },
    })
    await at.say('hi there')
    await passHours(at, 3)
    expect(await callsByDay(at)).toEqual({ '2026-03-01': 1 + 3 })
    expect((await at.events('turn-ended')).map(({ outcome }) => outcome)).toContain('deferred')
    const told = (await at.events('notice-raised')).filter(({ cause }) => cause.startsWith('unattended'))
    expect(told).toHaveLength(1)
  })

  test('[CAUSE3] what a person starts by hand is asked for', async () => {
    const at = await withReminders({ limits: { unattendedMax: 0 }, rule: () => ({ text: 'Seen.' }) })
    await at.say('hi')
    const actor = { ...(await plannerOn(at)), author: { by: 'person' } } as const
    const run = await at.log.write((writing) => begun(writing, actor, job({ job: 'look' })))
    at.agent.wake([run])
    await at.settle()
    expect(await endsOf(at, run)).toEqual(['finished'])
  })
})
