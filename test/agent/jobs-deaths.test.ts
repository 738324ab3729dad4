import { describe, expect, test } from 'vitest'
import type { Prompt } from '../../src/event/prompt.ts'
import { ruleModel, type Said } from './doubles.ts'
import { doneOf, file, MINUTE, schedulerOn } from './job-rig.ts'
import { memoryShelf } from './memory-shelf.ts'
import { dieEverywhere, playLives, type End, type Scenario } from './mortal.ts'
import { START } from './stage.ts'

interface Life {
  readonly files: Readonly<Record<string, string>>
  readonly check: (end: End & { readonly files: ReadonlyMap<string, string> }) => Promise<void>
  readonly rule?: (prompt: Prompt) => Said
  readonly lastsMs?: number
}

/** Files that are there before the first life; each life has a scheduler. */
function living({
  files,
  check,
  rule = () => ({ text: 'Done.' }),
  lastsMs = 4 * MINUTE,
}: Life): () => Scenario {
  return () => {
    // Written before any life began.
    const shelf = memoryShelf({ now: () => START })
    let isWritten = false
    return {
      options: () => {
        return { models: { ruled: ruleModel(rule) }, settings: { model: 'ruled' }, shelf }
      },
      act: async (at) => {
        for (const [path, text] of Object.entries(isWritten ? {} : files)) await shelf.put(path, text)
        isWritten = true
        await at.type('hello', 'k1')
        await at.settle()
        const scheduler = schedulerOn(at, shelf)
        await scheduler.settled()
      },
      lastsMs,
      check: (end) => check({ ...end, files: shelf.files }),
    }
  }
}

const soon = '2026-03-01T09:31:00'

describe('[JOB1] a death at any commit', () => {
  test('fires a reminder of main once, with one message and one answer, and its file goes', async () => {
    const life = living({
      files: { 'reminders/ada.md': file({ 'run-at': soon }, 'Call Ada.') },
      check: async ({ at, files, platform }) => {
        expect(await doneOf(at)).toEqual([expect.stringMatching(/^reminder ada 03-01 08:31/)])
        const messages = (await at.events('message-added')).filter(
          ({ message }) => message.text === 'Call Ada.',
        )
        expect(messages).toHaveLength(1)
        expect(platform.texts('answer')).toHaveLength(2)
        expect(files.size).toBe(0)
      },
    })
    expect(await dieEverywhere(life)).toBeGreaterThanOrEqual(12)
  })

  test('starts a reminder of the background once', async () => {
    const life = living({
      files: { 'reminders/ada.md': file({ 'run-at': soon, background: true }, 'Call Ada.') },
      check: async ({ at, files }) => {
        expect(await at.events('job-fired')).toHaveLength(1)
        expect(await at.events('run-started')).toHaveLength(1)
        expect((await at.events('branch-ended')).map(({ reason }) => reason)).toEqual(['finished'])
        expect(files.size).toBe(0)
      },
    })
    expect(await dieEverywhere(life)).toBeGreaterThanOrEqual(12)
  })

  test('[JOB3] fires each time of a routine once, also one that goes on in its branch', async () => {
    const minutely = { cron: '* * * * *', 'catch-up': 'once' }
    const life = living({
      files: {
        'routines/watch.md': file({ ...minutely, background: true }),
        'routines/diary.md': file({ ...minutely, session: 'persistent' }),
      },
      check: async ({ at }) => {
        for (const name of ['watch', 'diary']) {
          const fired = (await at.events('job-fired')).filter(({ job }) => job === name)
          expect(new Set(fired.map(({ due }) => due)).size).toBe(fired.length)
          const runs = (await at.events('run-started')).filter(({ job }) => job === name)
          expect(runs.length).toBe(fired.length)
          expect(fired.length).toBeGreaterThanOrEqual(2)
          expect(new Set(runs.map(({ branch }) => branch)).size).toBe(name === 'diary' ? 1 : runs.length)
        }
      },
      lastsMs: 3 * MINUTE,
    })
    expect(await dieEverywhere(life)).toBeGreaterThanOrEqual(20)
  })

  test('tells of a wrong file once, whatever dies', async () => {
    const life = living({
      files: { 'routines/bad.md': file({ cron: 'whenever' }) },
      check: async ({ at }) => {
        expect(await at.events('definition-judged')).toHaveLength(1)
        expect(await at.events('notice-raised')).toHaveLength(1)
      },
    })
    await dieEverywhere(life)
  })

  test('and another while it recovers', async () => {
    const life = living({
      files: { 'reminders/ada.md': file({ 'run-at': soon }, 'Call Ada.') },
      check: async ({ at, files }) => {
        expect(await at.events('job-fired')).toHaveLength(1)
        expect(files.size).toBe(0)
      },
    })
    for (let first = 4; first <= 16; first += 2)
      for (let second = 1; second <= 9; second += 2)
        await playLives(life(), [
          { commit: first, fate: 'dies-after' },
          { commit: second, fate: 'dies-before' },
        ])
  })
})
