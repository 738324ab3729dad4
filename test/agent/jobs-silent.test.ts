import { describe, expect, test } from 'vitest'
import { followUpTool } from '../../src/agent/tools/follow-up.ts'
import { pingUserTool, sendEmbedTool } from '../../src/agent/tools/ping.ts'
import { reminderTools } from '../../src/agent/tools/reminders.ts'
import { enterForkTool } from '../../src/agent/tools/fork-tools.ts'
import type { JsonObject } from '../../src/base/json.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { gate, type Said } from './doubles.ts'
import { file, jobStage, MINUTE, type JobOptions, type JobStage } from './job-rig.ts'
import { expectLawful } from './lawful.ts'
import { memoryShelf } from './memory-shelf.ts'
import { lastText, slash } from './rig.ts'
import { FakeClock, START } from './stage.ts'

const ping = (message: string, more: JsonObject = {}) => ['ping_user', { message, ...more }] as const
type Call = readonly [tool: string, args: JsonObject]

/** The model makes these calls when a job opens its turn, one step, and then ends it. */
const when =
  (calls: readonly Call[], isFor: (prompt: Prompt) => boolean) =>
  (prompt: Prompt): Said =>
    prompt.messages.at(-1)?.role === 'user' && isFor(prompt)
      ? { calls: calls.map(([tool, args], index) => ({ id: `c${index}`, tool, args })) }
      : { text: 'Done.' }

const isJob = ({ messages }: Prompt): boolean => /^\[(?:routine|reminder):/.test(messages.at(-1)?.text ?? '')

const isSent = (prompt: Prompt): boolean => ['watch', 'a talk', 'ping me'].includes(lastText(prompt))

async function silentStage(options: JobOptions = {}): Promise<JobStage> {
  const clock = new FakeClock(START)
  const shelf = memoryShelf({ now: () => clock.now() })
  const at = await jobStage({
    clock,
    shelf,
    tools: ({ log }) => {
      const parts = { log, shelf, now: () => clock.now(), settings: () => ({ zone: 'Europe/Berlin' }) }
      const own = [...reminderTools(parts), followUpTool(parts)]
      return [pingUserTool, sendEmbedTool, enterForkTool, ...own]
    },
    files: { 'routines/brief.md': file({ cron: '31 9 * * *', 'allow-ping': false }) },
    ...options,
  })
  await at.say('hello')
  return at
}

const ledger = async (at: JobStage): Promise<string[]> =>
  (await at.events('ping-decided')).map(
    ({ verdict, because, text, job }) => `${verdict} ${because}: ${text} (${job?.job ?? 'no job'})`,
  )

describe('[PING3] a job in main that may not ping', () => {
  test('is refused, critical pings and cards included, and told to answer', async () => {
    const calls = [ping('a', { critical: true }), ping('b'), ['send_embed', { title: 'c' }]] as const
    const at = await silentStage({ rule: when(calls, isJob) })
    await at.pass(2 * MINUTE)
    expect(await ledger(at)).toEqual([
      'refused not-allowed: a (brief)',
      'refused not-allowed: b (brief)',
      'refused not-allowed: c (brief)',
    ])
    const told = (await at.events('message-added')).flatMap(({ message }) =>
      message.role === 'tool' ? message.text : [],
    )
    expect(told[0]).toContain(
      'Not sent: this job may not write to the person. Say it in your answer instead.',
    )
    await expectLawful(at)
  })

  test('is refused though a person says something meanwhile, and their next turn is not', async () => {
    const held = gate()
    const rule = async (prompt: Prompt): Promise<Said> => {
      if (isJob(prompt)) {
        await held.opened
        return { calls: [slash('help')] }
      }
      return when([ping('hey')], (one) => ['thanks', 'ping me'].includes(lastText(one)))(prompt)
    }
    const at = await silentStage({ rule })
    await at.clock.pass(2 * MINUTE)
    await at.scheduler.settled()
    await at.type('thanks')
    held.open()
    await at.settle()
    expect(await ledger(at)).toEqual(['refused not-allowed: hey (brief)'])
    await at.say('ping me')
    expect((await ledger(at)).slice(1)).toEqual(['sent asked: hey (no job)'])
  })

  test('has no child ping for it, nor a fork that it takes the person to', async () => {
    const calls = [
      ['slash', { command: 'fork', args: '-- watch' }],
      ['enter_fork', { topic: 'a talk' }],
    ] as const
    const rule = (prompt: Prompt): Said =>
      isJob(prompt) ? when(calls, isJob)(prompt) : when([ping('hey')], isSent)(prompt)
    const at = await silentStage({ rule })
    await at.pass(2 * MINUTE)
    expect(await ledger(at)).toEqual(Array(2).fill('refused not-allowed: hey (brief)'))
    // In the fork by now: what the person says there is theirs.
    await at.say('ping me')
    expect((await ledger(at)).slice(2)).toEqual(['sent asked: hey (no job)'])
    await expectLawful(at)
  })

  test('plans nothing that may ping', async () => {
    const calls = [['add_reminder', { text: 'look again', when: 'in 1 h' }]] as const
    const at = await silentStage({ rule: when(calls, isJob) })
    await at.pass(2 * MINUTE)
    const planned = at.shelf.jobs().filter(({ definition }) => definition.kind === 'reminder')
    expect(planned.map(({ definition }) => definition.allowPing)).toEqual([false])
  })

  test('has a follow-up with all that its file said, which may not ping either', async () => {
    const calls = [['follow_up_chain', { minutes_from_now: 10 }], ping('a')] as const
    const matter = {
      'run-at': '2026-03-01T09:31',
      'max-chain': 2,
      'allow-ping': false,
      description: 'The pill',
      'allowed-tools': 'web_fetch',
      model: 'openai/x',
      thinking: false,
      isolated: true,
      'update-main-session': 'always',
    }
    const files = { 'reminders/pill.md': file(matter, 'Did they take it?') }
    const at = await silentStage({ files, rule: when(calls, isJob) })
    await at.pass(2 * MINUTE)
    expect(at.shelf.jobs().map(({ definition }) => definition)).toMatchObject([
      {
        id: 'pill-check-2',
        description: 'The pill',
        background: false,
        allowPing: false,
        tools: ['web_fetch'],
        model: 'openai/x',
        thinking: 'off',
        isolated: true,
        reporting: 'always',
        body: 'Did they take it?',
        chain: { max: 2, depth: 1, parent: 'pill' },
      },
    ])
    await at.pass(11 * MINUTE)
    expect(at.shelf.jobs().map(({ definition }) => definition)).toMatchObject([
      { id: 'pill-check-3', allowPing: false, tools: ['web_fetch'], isolated: true },
    ])
    expect(await ledger(at)).toEqual([
      'refused not-allowed: a (pill)',
      'refused not-allowed: a (pill-check-2)',
    ])
  })
})

test("[PING4] a person's word in a turn that a job opened does not make its pings free", async () => {
  const held = gate()
  let more = 3
  const at = await silentStage({
    files: { 'routines/brief.md': file({ cron: '31 9 * * *' }) },
    rule: async (prompt) => {
      if (isJob(prompt)) await held.opened
      const isTurn = prompt.messages.some(({ text }) => text.startsWith('[routine:'))
      if (!isTurn || more-- <= 0) return { text: 'Done.' }
      return { calls: [{ id: `c${more}`, tool: 'ping_user', args: { message: `${more}` } }] }
    },
  })
  await at.clock.pass(2 * MINUTE)
  await at.scheduler.settled()
  await at.type('by the way, thanks')
  held.open()
  await at.settle()
  expect(await ledger(at)).toEqual([
    'sent allowed: 2 (brief)',
    'refused one-per-work: 1 (brief)',
    'refused one-per-work: 0 (brief)',
  ])
})
