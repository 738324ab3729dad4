import { describe, expect, test } from 'vitest'
import type { RunAsked } from '../../src/agent/run/run-act.ts'
import { newBudget } from '../../src/agent/state/ping-budget.ts'
import { preambleText } from '../../src/agent/run/preamble.ts'
import { pingUserTool, sendEmbedTool } from '../../src/agent/tools/ping.ts'
import { runIn } from '../../src/model/offline/request.ts'
import { play } from './doubles.ts'
import { forkTools } from './forking.ts'
import { ruled } from './rig.ts'
import { job, lastMessage, ran } from './run-rig.ts'
import { stage, START } from './stage.ts'

const BODY = 'PINGS: the person wrote this line, and it is part of the task.\n\nLook at the build.'
const modes = ['on_ping', 'always', 'freely', 'blocked'] as const
const cases = modes.flatMap((reporting) => [true, false].map((allowPing) => ({ reporting, allowPing })))
const extras: Partial<RunAsked>[] = [
  {},
  { tools: ['report_updates', 'ping_user', 'write(notes/*)'] },
  { skills: ['before you end', 'report_updates'] },
  { skills: ['pdf'], skillsIn: 'system', tools: ['web_fetch'] },
]

const around = {
  isBusy: false,
  budget: newBudget({ capacity: 5, refillMinutes: 90 }, { at: START, day: '2026-03-01' }),
  schedule: [],
  chain: null,
  tools: ['slash'],
  now: START,
  zone: 'Europe/Berlin',
} as const

describe('what the host says to a run, the offline model reads as it is meant', () => {
  test.each(cases)('reporting $reporting, pings $allowPing', async ({ reporting, allowPing }) => {
    for (const extra of extras) {
      const at = await play([{ reply: { text: 'ok' } }, { reply: { text: 'ok' } }])
      await at.say('hello')
      await ran(at, { ...extra, reporting, allowPing, body: BODY })
      const prompt = at.prompts.find((one) => lastMessage(one).startsWith('[routine-bg:'))
      expect(lastMessage(prompt)).toContain(
        preambleText({ ...around, run: job({ ...extra, reporting, allowPing }) }),
      )
      expect(runIn(prompt?.messages ?? [])?.job).toMatchObject({ task: BODY })
      await at.close()
    }
  })
})

describe('where the offline model is', () => {
  const tools = [...forkTools, pingUserTool, sendEmbedTool]

  test('it knows in a fork, and in main once the person saved that', async () => {
    const at = await stage({ tools })
    for (const line of ['hello', '/fork', 'The ferry leaves at ten.', '/save']) await at.say(line)
    for (const line of ['leave this fork', 'save this'])
      expect(await at.say(line)).toEqual([
        "That didn't work: This is the main session, so there is no fork to end. /fork opens one.",
      ])
    await at.say('open a fork')
    await at.say('We take the night ferry.')
    expect(await at.say('save this')).toEqual(["I'll save this fork.", expect.stringMatching(/^Saved: /)])
    await at.close()
  })

  test('any model is told once that a fork was saved, and after an undo not at all', async () => {
    const at = await ruled(() => ({ text: 'ok' }), { tools: forkTools })
    const heads = () =>
      at.model.prompts.at(-1)?.messages.filter(({ text }) => text.includes('was saved here'))
    for (const line of ['hello', '/fork', 'The ferry leaves at ten.', '/save', '/note Mind the gap.', 'and?'])
      await at.say(line)
    expect(heads()).toHaveLength(1)
    expect(lastMessage(at.model.prompts.at(-1))).toMatch(
      /^\(written by the host: the fork above was saved here and has ended\)\n\[2026-[^\n]*\]\n\nand\?$/,
    )
    await at.say('and now?')
    expect(heads()).toHaveLength(1)
    for (const line of ['/fork', 'The train leaves at nine.', '/save', '/undo', 'so?']) await at.say(line)
    expect(heads()).toHaveLength(1)
    await at.close()
  })
})
