import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startCache } from '../bench/prompt-cache.ts'
import { livePrompts, type PromptLife } from '../bench/prompt-life.ts'
import { brokenMusts, measurePrompts, sharedPart, type PromptReport } from '../bench/prompt-measure.ts'
import { tailPlace } from '../src/agent/turn/call-prompt.ts'
import type { Position } from '../src/event/id.ts'
import type { Prompt, PromptMessage } from '../src/event/prompt.ts'
import { markedMessages } from '../src/model/ai-sdk/messages.ts'
import type { CallOptions, Model } from '../src/model/contract/model.ts'
import { countedTool } from './agent/doubles.ts'
import { stage } from './agent/stage.ts'
import { promptOf } from './stand-ins/model-at.ts'
import { rounds } from './rounds.ts'

describe('forty turns with tools, forks, mail and everything that changes a context', () => {
  let life: PromptLife
  let report: PromptReport
  beforeAll(async () => {
    life = await livePrompts({ turns: 40 })
    report = measurePrompts(life)
  })

  test('[CTX6] between changes each prompt without its tail begins with all of the one before it', () => {
    const { kept, keptWithTail, tails } = report
    expect(kept.pairs).toBeGreaterThan(30)
    expect(kept.least).toBe(1)
    expect(tails).toBeGreaterThan(10)
    expect(keptWithTail.least).toBeLessThan(1)
  })

  test('[CTX6] what changes a prompt is always a change of context, and all kinds were there', () => {
    const named = new Set(report.changes.flatMap(({ change }) => change.split(' and ')))
    const kinds = ['clear', 'rewind', 'compaction', 'undo', 'reload', 'other model']
    expect([...named]).toEqual(expect.arrayContaining(kinds))
    expect(named).not.toContain('unknown')
  })

  test('[FORK1] the first prompt of a fork begins with all that its parent showed', () => {
    expect(life.forks.length).toBeGreaterThan(3)
    expect(life.forks.some(({ parent }) => parent !== undefined)).toBe(true)
    expect(report.keptByForks.least).toBe(1)
  })

  test('[CTX8] every prompt is rebuilt as it was', () => {
    expect(report.callsNotRebuilt).toBe(0)
  })

  test('no must is broken, and one that is would be told', () => {
    expect(brokenMusts(report)).toEqual([])
    const [kept, keptByForks] = [
      { ...report.kept, least: 0.999 },
      { ...report.keptByForks, pairs: 0 },
    ]
    expect(brokenMusts({ ...report, kept, keptByForks, callsNotRebuilt: 1, markersMax: 5 })).toHaveLength(4)
  })

  test('our markers read more from a cache than one at the end, and nearly what could be read at all', () => {
    const [ours, atEnd, everywhere] = report.caches
    expect(ours?.read).toBeGreaterThan((atEnd?.read ?? 1) + 0.05)
    expect(ours?.read).toBeGreaterThan((everywhere?.read ?? 1) - 0.05)
    expect(ours?.cost).toBeLessThan(atEnd?.cost ?? 0)
  })

  test('most of a prompt is read from the cache, and main thinks as forks do, so that they share it', () => {
    expect(report.caches[0]?.read).toBeGreaterThan(0.85)
    const pairs = life.forks.filter(({ parent }) => parent !== undefined)
    expect(pairs.map(({ first }) => first.prompt.settings.thinking)).toEqual(
      pairs.map(({ parent }) => parent?.settings.thinking),
    )
  })
})

test('how much of a prompt another begins with is counted in bytes, from the tools on', () => {
  const before = promptOf([{ role: 'user', text: 'grün' }])
  const after = promptOf([
    { role: 'user', text: 'grün' },
    { role: 'user', text: 'blau' },
  ])
  expect(sharedPart(before, after)).toBe(1)
  expect(sharedPart(after, before)).toBeLessThan(1)
  expect(sharedPart(before, promptOf('grün', { system: '' }))).toBeLessThan(0.1)
})

describe('a model is told where the tail stands', () => {
  const noted: Pick<CallOptions, 'tailAt'>[] = []
  const prompts: Prompt[] = []
  const usage = { tokensIn: 1, tokensOut: 1, tokensCached: 0, tokensCacheWritten: 0 }
  /** Looks once in every turn. */
  const looking: Model = {
    name: 'looking',
    contextTokens: 100_000,
    call: async (prompt, { tailAt }) => {
      noted.push({ ...(tailAt !== undefined && { tailAt }) })
      prompts.push(prompt)
      const hasLooked = prompt.messages.at(-1)?.role === 'tool'
      const calls = hasLooked ? [] : [{ id: 'c', tool: 'look', args: {} }]
      return {
        text: hasLooked ? 'ok' : '',
        reasoning: [],
        calls,
        finish: hasLooked ? 'stop' : 'calls',
        usage,
      }
    },
  }

  test('in every step of a turn that has one, behind what opened it, and not where there is none', async () => {
    const settings = { model: 'looking' }
    const at = await stage({ models: { looking }, settings, tools: [countedTool('look')] })
    await at.say('one')
    await at.say('/send main "Remember"')
    await at.say('two')
    await at.say('/check-mail')
    await at.say('three')
    await at.close()
    expect(noted).toEqual([{}, {}, { tailAt: 5 }, { tailAt: 5 }, {}, {}])
    const texts = prompts.map(({ messages }, index) => messages[noted[index]?.tailAt ?? -1]?.text)
    expect(texts.filter((text) => text?.startsWith('(You have 1 unread message'))).toHaveLength(2)
    expect(prompts[2]?.messages[4]?.text).toMatch(/\n\ntwo$/)
  })
})

test('a tail is found where it stands, also where it had to be mended, and never in what others said', () => {
  const prompt = promptOf([
    { role: 'tool', call: 'c', tool: 'look', text: 'half \uFFFD' },
    { role: 'user', text: 'half \uFFFD' },
    { role: 'user', text: 'half' },
  ])
  const after = 1 as Position
  expect(tailPlace(prompt, { text: 'half \uD83D', after })).toBe(1)
  expect(tailPlace(prompt, { text: 'gone', after })).toBeUndefined()
  expect(tailPlace(prompt, null)).toBeUndefined()
})

interface Talk {
  readonly openings: number
  readonly hasTail: boolean
  /** Calls in each step. */
  readonly steps: readonly number[]
  readonly isJoined: boolean
}

const talk: fc.Arbitrary<Talk> = fc.record({
  openings: fc.integer({ min: 1, max: 3 }),
  hasTail: fc.boolean(),
  steps: fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 14 })), { maxLength: 14 }),
  isJoined: fc.boolean(),
})

/** Every prompt of a conversation, with how many of its messages the next turn still begins with. */
function* promptsOf(talks: readonly Talk[]): Generator<{ prompt: Prompt; tailAt?: number; stable: number }> {
  let count = 0
  const words = (): string => `message ${count++} `.repeat(10)
  const said: PromptMessage[] = []
  for (const { openings, hasTail, steps, isJoined } of talks) {
    for (let n = 0; n < openings; n++) said.push({ role: 'user', text: words() })
    const opened = said.length
    const tail: PromptMessage[] = hasTail ? [{ role: 'user', text: words() }] : []
    for (const [step, calls] of [...steps, 0].entries()) {
      const messages = said.toSpliced(opened, 0, ...tail)
      const stable = hasTail ? opened : messages.length
      yield { prompt: promptOf(messages, { system: SYSTEM }), ...(hasTail && { tailAt: opened }), stable }
      const ids = Array.from({ length: calls }, (_, n) => `c${count}-${n}`)
      const made = ids.map((id) => ({ id, tool: 'look', args: {} }))
      const thought = { text: words(), data: {} }
      said.push({ role: 'assistant', text: words(), reasoning: [thought], calls: made })
      said.push(...ids.map((call) => ({ role: 'tool', call, tool: 'look', text: words() }) as const))
      if (isJoined && calls > 0 && step % 3 === 1) said.push({ role: 'user', text: words() })
    }
  }
}

const SYSTEM = 'Be kind and brief. '.repeat(400)

test('a prompt finds in the cache all that the one before it left there and that it still begins with', () => {
  fc.assert(
    fc.property(fc.array(talk, { minLength: 2, maxLength: 6 }), (talks) => {
      const cache = startCache()
      let before: { prompt: Prompt; tailAt?: number; stable: number } | undefined
      for (const call of promptsOf(talks)) {
        const { read } = cache.take(call.prompt, markedMessages(call.prompt.messages, call.tailAt))
        if (before !== undefined) {
          const isNextStep = before.prompt.messages.every(
            (one, n) => one.text === call.prompt.messages[n]?.text,
          )
          const shared = isNextStep ? before.prompt.messages.length : before.stable
          const left = { ...before.prompt, messages: before.prompt.messages.slice(0, shared) }
          expect(read).toBe(sizeIn(left))
        }
        before = call
      }
    }),
    { numRuns: rounds(60) },
  )
})

/** What the cache counts for a whole prompt. */
function sizeIn(prompt: Prompt): number {
  const { read, written, fresh } = startCache().take(prompt, [])
  return read + written + fresh
}
