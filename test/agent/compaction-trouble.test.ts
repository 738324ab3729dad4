import { describe, expect, test } from 'vitest'
import { ModelError, type ModelErrorReason } from '../../src/model/contract/model.ts'
import { ended } from './rig.ts'
import { compactions, keepFacts, sayTurns, talk, type Talk } from './talk.ts'

const LINE = /^The last try to summarize the older messages .*$/m

interface Failing {
  readonly at: Talk
  readonly mend: () => void
}

/** Nine messages and more are to be summed up, and whoever is to do it fails. */
async function failing(error: ModelError): Promise<Failing> {
  const state = { isMended: false }
  const at = await talk({
    summarise: (prompt) => {
      if (!state.isMended) throw error
      return keepFacts(prompt)
    },
  })
  const mend = (): void => {
    state.isMended = true
  }
  return { at, mend }
}

function refused(reason: ModelErrorReason = 'unauthorised'): ModelError {
  return new ModelError(reason, 'summariser: the key was refused')
}

function notices(at: Talk): string[] {
  return at.sent.map(({ text }) => text).filter((text) => text.startsWith('Could not summarize'))
}

async function lineIn(at: Talk): Promise<string | undefined> {
  const [shown = ''] = await at.say('/context')
  return LINE.exec(shown)?.[0]
}

describe('a summariser that fails', () => {
  test('is told of once, with why and what happens next, however often it is tried', async () => {
    const { at } = await failing(refused())
    await sayTurns(at, 4)
    expect(await at.say('the fifth')).toEqual([
      'ok',
      "Could not summarize the older messages: summariser: the key was refused. Nothing was changed. I'll try again after more messages; beyond 20 messages, key sentences are used instead. /context shows whether it still fails.",
    ])
    await sayTurns(at, 4)
    expect(await compactions(at)).toEqual(Array(5).fill('(writer-failed)'))
    expect(notices(at)).toHaveLength(1)
  })

  test('and is left alone for a while is told of with the time of the next try', async () => {
    const { at } = await failing(new ModelError('overloaded', 'summariser: busy', { retryAfterMs: 600_000 }))
    await sayTurns(at, 5)
    expect(notices(at)).toEqual([
      expect.stringContaining(
        "summariser: busy. Nothing was changed. I'll try again after more messages, from 09:40 on;",
      ),
    ])
  })

  test('stands in /context while it lasts, and is gone when a summary was written', async () => {
    const { at, mend } = await failing(refused())
    await sayTurns(at, 4)
    expect(await lineIn(at)).toBeUndefined()
    await at.say('the fifth')
    const line =
      'The last try to summarize the older messages failed (2026-03-01 09:30). /compact tries again and shows the error.'
    expect(await lineIn(at)).toBe(line)
    mend()
    await at.say('go on')
    expect(await compactions(at)).toEqual(['(writer-failed)', 'summariser'])
    expect(await lineIn(at)).toBeUndefined()
  })

  test('is known after a restart, and not told of again', async () => {
    const { at } = await failing(refused())
    await sayTurns(at, 5)
    const again = await talk({
      ...(await ended(at)),
      seed: 8,
      summarise: () => {
        throw refused()
      },
    })
    expect(await lineIn(again)).toBeDefined()
    await again.say('go on')
    expect(await compactions(again)).toEqual(['(writer-failed)', '(writer-failed)'])
    expect(notices(again)).toEqual([])
  })

  test('is told of again when it failed, worked, and fails again', async () => {
    let isMended = false
    const at = await talk({
      summarise: (prompt) => {
        if (!isMended) throw refused()
        return keepFacts(prompt)
      },
    })
    await sayTurns(at, 5)
    isMended = true
    await at.say('go on')
    isMended = false
    await sayTurns(at, 5)
    expect(notices(at)).toHaveLength(2)
  })

  test('is still known while extracts stand in', async () => {
    const { at } = await failing(refused())
    await sayTurns(at, 11)
    expect((await compactions(at)).at(-1)).toBe('extract')
    expect(await lineIn(at)).toBeDefined()
    await sayTurns(at, 4)
    expect((await compactions(at)).at(-1)).toBe('(writer-failed)')
    expect(notices(at)).toHaveLength(1)
  })

  test('does not matter any more where another without a model was chosen, and an extract was written', async () => {
    const { at } = await failing(refused())
    await sayTurns(at, 5)
    at.settings = { ...at.settings, compactionModel: 'offline' }
    await at.say('go on')
    expect((await compactions(at)).at(-1)).toBe('extract')
    expect(await lineIn(at)).toBeUndefined()
  })

  test.each(['/clear', '/context policy explicit'])('does not matter any more after %s', async (line) => {
    const { at } = await failing(refused())
    await sayTurns(at, 5)
    await at.say(line)
    expect(await lineIn(at)).toBeUndefined()
  })

  test('for a person who asked is told in the answer, and by no notice', async () => {
    const { at } = await failing(refused())
    await sayTurns(at, 4)
    expect(await at.say('/compact')).toEqual([
      'Not compacted, nothing changed: summariser: the key was refused.',
    ])
    expect(await lineIn(at)).toBeDefined()
    await at.say('the fifth')
    expect(notices(at)).toEqual([])
  })

  test('in another branch is told of with the name of that branch', async () => {
    const { at } = await failing(refused())
    await sayTurns(at, 4)
    await at.type('the fifth')
    await at.type('/fork')
    await at.settle()
    expect(notices(at)).toEqual([expect.stringMatching(/^Could not summarize the older messages of \w{6}: /)])
  })
})
