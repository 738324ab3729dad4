import { describe, expect, test } from 'vitest'
import type { Prompt } from '../../src/event/prompt.ts'
import { ruleModel, type Said } from './doubles.ts'
import { forkTools, isAskedToWrapUp, obey, pending, report, shownIn } from './forking.ts'
import { dieEverywhere, playLives, type End, type Scenario } from './mortal.ts'
import { lastText, results } from './rig.ts'
import { breathe, type Stage } from './stage.ts'

const MINUTE = 60_000

/** It calls again what a death kept from being done. */
function persistent(prompt: Prompt): Said {
  if (prompt.messages.at(-1)?.role !== 'tool')
    return isAskedToWrapUp(prompt) ? { text: 'Are you there?' } : obey(prompt)
  const isUndone = results(prompt).some(({ error }) => error?.includes('not done') ?? false)
  return isUndone
    ? obey({ ...prompt, messages: prompt.messages.slice(0, openedAt(prompt) + 1) })
    : { text: 'done' }
}

function openedAt({ messages }: Prompt): number {
  return messages.findLastIndex(({ role }) => role === 'user')
}

interface Lines {
  readonly lines: readonly string[]
  readonly check: Scenario['check']
  readonly lastsMs?: number
}

/** Lines that the person types, each when nothing is left to do. A platform hands them over again after a death. */
function typing({ lines, check, lastsMs = 10 }: Lines): () => Scenario {
  return () => ({
    options: () => ({
      tools: forkTools,
      models: { ruled: ruleModel(persistent) },
      settings: { model: 'ruled' },
    }),
    act: async (at) => {
      for (const [index, line] of lines.entries()) {
        await at.type(line, `k${index}`)
        await at.settle()
      }
    },
    lastsMs,
    check,
  })
}

/** FORK4: it ended once, in this way, with one transaction of what became of it, and the person is in main. */
async function expectEnded({ at, platform }: End, reason: string): Promise<void> {
  const all = await at.all()
  const entered = all.find(({ kind }) => kind === 'fork-entered')
  const ends = all.filter((event) => event.kind === 'branch-ended' && event.branch === entered?.branch)
  expect(ends).toMatchObject([{ reason }])
  expect(await at.branch()).not.toBe(entered?.branch)
  const bound = all.findLast(({ kind }) => kind === 'conversation-bound')
  const between = all.filter(
    ({ position }) => position > (ends[0]?.position ?? 0) && position < (bound?.position ?? 0),
  )
  expect(between).toEqual([])
  expect(platform.given.filter(({ text }) => text.includes('You are talking to main now.'))).not.toEqual([])
}

async function expectSaved(end: End): Promise<void> {
  await expectEnded(end, 'saved')
  expect(await end.at.events('context-saved')).toHaveLength(1)
  const shown = await shownIn(end.at, 'main')
  expect(shown.filter((text) => text === 'one')).toHaveLength(1)
  expect(shown.filter((text) => text === 'two')).toHaveLength(1)
}

async function expectReported(end: End, texts: readonly string[]): Promise<void> {
  await expectEnded(end, 'reported')
  expect(await pending(end.at)).toEqual(texts)
  expect(await end.at.events('context-saved')).toEqual([])
}

const talk = ['one', '/fork', 'two'] as const

const endings: readonly (readonly [string, () => Scenario])[] = [
  ['/save', typing({ lines: [...talk, '/save'], check: expectSaved })],
  [
    '/report',
    typing({ lines: [...talk, '/report It rained.'], check: (end) => expectReported(end, ['It rained.']) }),
  ],
  ['/exit', typing({ lines: [...talk, '/exit'], check: (end) => expectEnded(end, 'discarded') })],
  ['save_context', typing({ lines: [...talk, 'call save_context {}'], check: expectSaved })],
  [
    'report_updates',
    typing({
      lines: [...talk, 'call report_updates {"message": "It rained."}'],
      check: (end) => expectReported(end, ['It rained.']),
    }),
  ],
  [
    'exit_fork',
    typing({ lines: [...talk, 'call exit_fork {}'], check: (end) => expectEnded(end, 'discarded') }),
  ],
]

describe('a death at any commit', () => {
  test.each(endings)(
    '[FORK4] [UPD1] leaves a fork open or ended with all that belongs to it, once: %s',
    async (_, scenario) => {
      expect(await dieEverywhere(scenario)).toBeGreaterThanOrEqual(12)
    },
  )

  test('[FORK4] and another while it recovers: save_context', async () => {
    const scenario = typing({ lines: ['/fork', 'two', 'call save_context {}'], check: savedOnce })
    const commits = await dieEverywhere(scenario)
    for (let first = 1; first <= commits; first += 2)
      for (let second = 1; second <= commits; second += 2)
        await playLives(scenario(), [
          { commit: first, fate: 'dies-after' },
          { commit: second, fate: 'dies-before' },
        ])
  })

  test('[FORK4] opens the fork that a model asked for once, and the person is in it', async () => {
    const scenario = typing({
      lines: ['one', 'call enter_fork {"topic": "tea"}', 'two'],
      check: async ({ at }) => {
        const entered = await at.events('fork-entered')
        expect(entered).toHaveLength(1)
        expect(await at.branch()).toBe(entered[0]?.branch)
        expect((await shownIn(at)).slice(-4)).toEqual(['tea', 'heard: tea', 'two', 'heard: two'])
        expect(await shownIn(at, 'main')).not.toContain('two')
      },
    })
    expect(await dieEverywhere(scenario)).toBeGreaterThanOrEqual(12)
  })

  test('[FORK4] [UPD1] ends a fork that nobody speaks in once, with one report', async () => {
    const scenario = typing({
      lines: ['/fork --enter --idle 1', 'The train to Lisbon leaves on Friday at ten.'],
      lastsMs: 3 * MINUTE + 1_000,
      check: async (end) => {
        await expectEnded(end, 'timed-out')
        const [text = '', ...more] = await pending(end.at)
        expect(more).toEqual([])
        expect(text).toContain('The train to Lisbon leaves on Friday at ten.')
        const asked = end.platform.texts('answer').filter((one) => one === 'Are you there?')
        expect(asked).toHaveLength(2)
      },
    })
    expect(await dieEverywhere(scenario)).toBeGreaterThanOrEqual(12)
  })

  test('[UPD2] settles with a save what it shows, or nothing of it was done', async () => {
    const lines = typing({ lines: ['one', '/fork'], check: () => undefined })
    const scenario = (): Scenario => ({
      ...lines(),
      act: async (at) => {
        await lines().act(at)
        if ((await at.events('update-reported')).length === 0) await report(at, 'The build is green.')
        await typeAll(at, ['two', '/save', '/undo', '/redo'])
      },
      check: async ({ at }) => {
        expect(await pending(at)).toEqual([])
        const shown = await shownIn(at, 'main')
        expect(shown.filter((text) => /^RECENT[^]*The build is green\./.test(text))).toHaveLength(1)
      },
    })
    expect(await dieEverywhere(scenario)).toBeGreaterThanOrEqual(12)
  })

  test('[CTX3] a save that waits for a turn of main comes behind its answer', async () => {
    expect(await dieEverywhere(savedWhileMainWorks)).toBeGreaterThanOrEqual(12)
  })
})

async function savedOnce(end: End): Promise<void> {
  await expectEnded(end, 'saved')
  expect(await end.at.events('context-saved')).toHaveLength(1)
}

async function typeAll(at: Stage, lines: readonly string[]): Promise<void> {
  for (const [index, line] of lines.entries()) {
    await at.type(line, `m${index}`)
    await at.settle()
  }
}

/** Main thinks for five seconds, and meanwhile the person talks in a fork and saves it. */
function savedWhileMainWorks(): Scenario {
  let at: Stage | undefined
  const model = ruleModel(async (prompt, signal) => {
    if (lastText(prompt) === 'think') await at?.clock.sleep(5_000, signal)
    return obey(prompt)
  })
  return {
    options: () => ({ tools: forkTools, models: { ruled: model }, settings: { model: 'ruled' } }),
    act: async (stage) => {
      at = stage
      for (const [index, line] of ['think', '/fork', 'two', '/save', 'three'].entries()) {
        await stage.type(line, `k${index}`)
        await breathe()
      }
    },
    lastsMs: 20_000,
    check: async (end) => {
      await savedOnce(end)
      expect(await shownIn(end.at, 'main')).toEqual(
        ['think', 'two', 'three'].flatMap((text) => [text, `heard: ${text}`]),
      )
    },
  }
}
