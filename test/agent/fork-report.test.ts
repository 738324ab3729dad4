import { describe, expect, test } from 'vitest'
import { ruleModel, modelFault, type Said } from './doubles.ts'
import { forking, forkTools, obey, pending, type Forking, type ForkingOptions } from './forking.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { dieEverywhere, type Scenario } from './mortal.ts'
import { child, ended, slowly, stateOf, typed } from './rig.ts'
import { breathe } from './stage.ts'

const MINUTE = 60_000
const SAID = 'The train to Lisbon leaves on Friday at ten.'
const WRITTEN = 'We take the train on Friday.'
const CALLED = { calls: [{ id: 'r', tool: 'report_updates', args: { message: WRITTEN } }] }

/** A stage on which the person is in a fork and has said something. */
async function inFork(options: ForkingOptions = {}): Promise<Forking & { fork: string }> {
  const at = await forking(options)
  await at.say('/fork')
  await at.say(SAID)
  return Object.assign(at, { fork: await child(at) })
}

/** What main is told, who wrote it, and how the fork is. */
async function outcome(at: Forking, fork: string) {
  const authors = (await at.events('update-reported')).map(({ author }) => author.by)
  return { told: await pending(at), by: authors, fork: await stateOf(at, fork) }
}

async function expectSound(at: Forking): Promise<void> {
  await expectLawful(at)
  await expectEmpty(at.log)
}

describe('/report without a text', () => {
  test('[FORK4] asks the agent of the fork in a turn of its own, and its report ends the fork', async () => {
    const at = await inFork({ report: () => CALLED })
    const said = await at.say('/report')
    expect(said[0]).toBe(
      'The agent is writing the report; the fork ends with it. If you write here meanwhile, the fork stays open.',
    )
    expect(at.model.prompts.at(-2)?.messages.at(-1)?.text).toMatch(/^\[system\]\n[\s\S]*report_updates/)
    expect(await outcome(at, at.fork)).toEqual({ told: [WRITTEN], by: ['model'], fork: 'reported' })
    await expectSound(at)
  })

  test('[FORK4] takes an answer without a call as the report', async () => {
    const at = await inFork({ report: () => ({ text: WRITTEN }) })
    await at.say('/report')
    expect(await outcome(at, at.fork)).toEqual({ told: [WRITTEN], by: ['model'], fork: 'reported' })
    await expectSound(at)
  })

  test.each(['save_context', 'exit_fork'])('is a report, whatever else the model calls: %s', async (tool) => {
    const at = await inFork({ report: () => ({ calls: [{ id: 'r', tool, args: {} }] }) })
    await at.say('/report')
    expect(at.given.flat()[0]?.error).toContain('report_updates')
    expect(await outcome(at, at.fork)).toEqual({ told: ['done'], by: ['model'], fork: 'reported' })
  })

  test.each([
    ['fails', () => Promise.reject(modelFault('network'))],
    ['is refused', () => Promise.reject(modelFault('rejected'))],
    ['says nothing', () => ({ text: ' ' })],
  ] satisfies [string, () => Said | Promise<Said>][])(
    '[FORK4] is written by the host, marked as its own, when the model %s',
    async (_, report) => {
      const at = await inFork({ report })
      await at.type('/report')
      await at.clock.pass(MINUTE)
      await at.settle()
      const { told, ...rest } = await outcome(at, at.fork)
      expect(rest).toEqual({ by: ['policy'], fork: 'reported' })
      expect(told).toEqual([expect.stringContaining(SAID)])
      await at.say('and?')
      expect(at.model.prompts.at(-1)?.messages.at(-1)?.text).toContain('- (written by the host, ')
      await expectSound(at)
    },
  )

  test('[FORK4] is written by the host after a minute, also one of two lives', async () => {
    const never = slowly(CALLED)
    const at = await inFork({ report: (_, signal) => never.reply(signal) })
    await at.type('/report')
    await never.begun.opened
    await at.clock.pass(MINUTE - 1)
    await breathe()
    expect((await outcome(at, at.fork)).fork).toBe('running')
    const parts = await ended(at)
    const again = await forking({ ...parts, report: (_, signal) => never.reply(signal) })
    await again.clock.pass(1)
    await again.clock.pass(5_000)
    await again.settle()
    const { told, ...rest } = await outcome(again, at.fork)
    expect(rest).toEqual({ by: ['policy'], fork: 'reported' })
    expect(told).toEqual([expect.stringContaining(SAID)])
    await expectSound(again)
  })

  test('is asked for once', async () => {
    const slow = slowly(CALLED)
    const at = await inFork({ report: (_, signal) => slow.reply(signal) })
    await at.type('/report')
    await slow.begun.opened
    await typed(at, '/report')
    slow.go.open()
    await at.settle()
    expect(await outcome(at, at.fork)).toEqual({ told: [WRITTEN], by: ['model'], fork: 'reported' })
    expect(
      at.model.prompts.filter((prompt) => prompt.messages.at(-1)?.text.includes('[system]')),
    ).toHaveLength(1)
  })

  test('[TURN4] is taken back by a word of the person, who is answered in the fork', async () => {
    const slow = slowly(CALLED)
    const at = await inFork({ report: (_, signal) => slow.reply(signal) })
    await at.type('/report')
    await slow.begun.opened
    await typed(at, 'wait, one more')
    slow.go.open()
    await at.settle()
    expect(await outcome(at, at.fork)).toEqual({ told: [], by: [], fork: 'idle' })
    expect(at.sent.some(({ text }) => text.includes('wait, one more'))).toBe(true)
    await at.clock.pass(2 * MINUTE)
    await at.settle()
    expect((await outcome(at, at.fork)).fork).toBe('idle')
    await expectSound(at)
  })

  test('is taken back by /stop', async () => {
    const slow = slowly(CALLED)
    const at = await inFork({ report: (_, signal) => slow.reply(signal) })
    await at.type('/report')
    await slow.begun.opened
    await at.say('/stop')
    await at.clock.pass(2 * MINUTE)
    await at.settle()
    expect(await outcome(at, at.fork)).toEqual({ told: [], by: [], fork: 'idle' })
    await expectSound(at)
  })

  test('[FORK4] [TURN4] leaves the fork open or ended with one report, whatever dies', async () => {
    const scenario: Scenario = {
      options: () => ({
        tools: forkTools,
        models: {
          ruled: ruleModel((prompt) => {
            const last = prompt.messages.at(-1)
            if (last?.role === 'tool') return { text: 'done' }
            return last?.text.startsWith('[system]') ? CALLED : obey(prompt)
          }),
        },
        settings: { model: 'ruled' },
      }),
      act: async (at) => {
        for (const [index, line] of ['/fork', SAID, '/report'].entries()) {
          await at.type(line, `k${index}`)
          await at.settle()
        }
      },
      lastsMs: MINUTE,
      check: async ({ at }) => {
        expect(await at.events('update-reported')).toHaveLength(1)
        expect((await at.events('branch-ended')).map(({ reason }) => reason)).toEqual(['reported'])
      },
    }
    expect(await dieEverywhere(() => scenario)).toBeGreaterThanOrEqual(12)
  })
})
