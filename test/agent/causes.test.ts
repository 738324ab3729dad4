import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { causedFor } from '../../src/agent/state/cause.ts'
import type { AgentSettings } from '../../src/agent/state/settings.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { CauseLaws } from '../simulation/agent/cause-laws.ts'
import { countedTool, gate, modelFault, type Said } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { ended, isChilds, results, ruled, slash } from './rig.ts'
import { endsOf, ran } from './run-rig.ts'
import type { Stage } from './stage.ts'

const dig = { calls: [{ id: 'a', tool: 'dig', args: {} }] }
const usual = { calls: 200, tokens: 1_000_000, branches: 16 }
const STOPPED = (ceiling: string): string =>
  `I stopped: this work reached ${ceiling}, the limit for all that one message or job causes. "go on" continues it. Your message is kept; /retry sends it again.`

function digging(causedMax: Partial<AgentSettings['causedMax']>, options: object = {}) {
  const settings = { roundsMax: 50, causedMax: { ...usual, ...causedMax } }
  return ruled(() => dig, { tools: [countedTool('dig')], settings, ...options })
}

/** The most that any root caused, by the naive count, which must be what the log's tables say. */
async function most(at: Stage, max: AgentSettings['causedMax']): Promise<AgentSettings['causedMax']> {
  const laws = new CauseLaws()
  laws.max = () => max
  for (const event of await at.all()) laws.take(event)
  for (const { branch } of await at.events('branch-created'))
    expect(await at.read((reader) => causedFor(reader, branch))).toMatchObject(
      laws.caused.get(laws.rootOf(branch)) ?? {},
    )
  const all = [...laws.caused.values()]
  const largest = (what: keyof AgentSettings['causedMax']): number =>
    Math.max(...all.map((caused) => caused[what]))
  return { calls: largest('calls'), tokens: largest('tokens'), branches: largest('branches') }
}

describe('all that one message causes', () => {
  test('[CAUSE1] stops at so many calls with an answer that says so, and "go on" goes on', async () => {
    const at = await digging({ calls: 7 })
    const stopped = STOPPED('7 calls of models and tools (causedMaxCalls)')
    expect(await at.say('hi')).toEqual([stopped])
    expect(at.model.prompts).toHaveLength(4)
    expect(await at.say('go on')).toEqual([stopped])
    expect(at.model.prompts).toHaveLength(8)
    expect(await at.say('/retry')).toEqual(['Trying again.', stopped])
    expect(at.model.prompts).toHaveLength(12)
    await expectLawful(at)
  })

  test('[CAUSE1] refuses the calls of a step that would be too many', async () => {
    const tool = countedTool('dig')
    const many = { calls: Array.from({ length: 9 }, (_, id) => ({ id: `${id}`, tool: 'dig', args: {} })) }
    const at = await ruled(() => many, { tools: [tool], settings: { causedMax: { ...usual, calls: 7 } } })
    await at.say('hi')
    expect(tool.runs).toHaveLength(6)
    const told = (await at.events('message-added')).map(({ message }) => message.text)
    const refusal = 'Not run: this work reached 7 calls of models and tools (causedMaxCalls).'
    expect(told.filter((text) => text === JSON.stringify({ error: refusal }))).toHaveLength(3)
    await expectLawful(at)
  })

  test('[CAUSE1] stops at so many tokens, without those that a cache held', async () => {
    const usage = { tokensIn: 1_000, tokensCached: 900, tokensCacheWritten: 0, tokensOut: 50 }
    const at = await ruled(() => ({ ...dig, usage }), {
      tools: [countedTool('dig')],
      settings: { causedMax: { ...usual, tokens: 400 }, roundsMax: 50 },
    })
    expect(await at.say('hi')).toEqual([STOPPED('400 tokens (causedMaxTokens)')])
    expect(at.model.prompts).toHaveLength(3)
  })

  test('[CAUSE1] is counted on after a restart', async () => {
    let asked = 0
    const third = gate()
    const rule = (_: Prompt, signal: AbortSignal): Said | Promise<never> => {
      if (++asked < 3) return dig
      third.open()
      return untilAborted(signal)
    }
    const at = await ruled(rule, { tools: [countedTool('dig')] })
    await at.type('hi')
    await third.opened
    const again = await digging({ calls: 9 }, await ended(at))
    await again.settle()
    expect((await most(again, { ...usual, calls: 9 })).calls).toBe(9)
    expect(again.sent.at(-1)?.text).toBe(STOPPED('9 calls of models and tools (causedMaxCalls)'))
    await expectLawful(again)
  })

  test('[CAUSE1] is a job for a run: it ends with the reason, and the next one has its own', async () => {
    const at = await digging({ calls: 5 })
    for (const title of ['one', 'two']) {
      const run = await ran(at, { title, job: title })
      expect(await endsOf(at, run)).toEqual(['failed'])
    }
    const told = at.sent.map(({ text }) => text).filter((text) => text.includes('this work reached 5 calls'))
    expect(told).toHaveLength(2)
    expect((await most(at, { ...usual, calls: 5 })).calls).toBe(5)
  })

  test('[CAUSE1] has an end where every branch forks as many as it can', async () => {
    const fork = { calls: Array.from({ length: 8 }, () => slash('fork', '-- fork again')) }
    const at = await ruled((prompt) => (prompt.messages.at(-1)?.role === 'tool' ? { text: 'ok' } : fork), {
      settings: { causedMax: usual },
    })
    await at.say('hi')
    expect((await at.events('branch-created')).filter(({ author }) => author.by === 'model')).toHaveLength(16)
    const refused = at.model.prompts
      .flatMap(results)
      .filter(({ error = '' }) => error.includes('16 branches'))
    expect(refused.length).toBeGreaterThan(0)
    await most(at, usual)
    await expectLawful(at)
  })

  test('[CAUSE1] has an end where two branches write to each other without end', async () => {
    const at = await ruled(
      (prompt) => {
        const isAnswered = prompt.messages.at(-1)?.role === 'tool'
        if (!isChilds(prompt)) return isAnswered ? { text: 'ok' } : { calls: [slash('fork', '-- talk')] }
        const { length } = prompt.messages.filter(({ role }) => role === 'assistant')
        if (length === 0) return { calls: [slash('fork', '-- talk')] }
        return isAnswered && length % 2 === 0 ? { text: 'ok' } : { calls: [slash('send', 'parent again')] }
      },
      { settings: { causedMax: { ...usual, calls: 60 }, depthMax: 3 } },
    )
    await at.say('hi')
    expect((await most(at, { ...usual, calls: 60 })).calls).toBeLessThanOrEqual(60)
    await expectLawful(at)
  })

  test('[CAUSE1] whatever models do, no root has more than its ceilings, and the log counts as a naive count', () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({ calls: fc.integer({ min: 1, max: 40 }), tokens: fc.integer({ min: 1, max: 600 }) }),
        fc.nat(5),
        fc.nat(1_000),
        async (some, branches, seed) => {
          const causedMax = { ...some, branches }
          const random = seededRandom(seed)
          const tools = [countedTool('dig')]
          const at = await ruled((prompt) => anything(prompt, random() % 6), {
            tools,
            settings: { causedMax },
          })
          for (const text of ['hi', '/fork -- work', 'go on']) await at.say(text)
          const { calls, branches: forked } = await most(at, causedMax)
          expect(calls).toBeLessThanOrEqual(causedMax.calls)
          expect(forked).toBeLessThanOrEqual(causedMax.branches)
        },
      ),
      { numRuns: 15 },
    ))
})

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(modelFault('aborted')), { once: true })
  })
}

function anything(prompt: Prompt, dice: number): Said {
  if (dice === 0) return { text: 'ok' }
  if (dice < 3) return { calls: [slash('fork', '-- go'), slash('fork', '-- go')] }
  if (dice === 3) return { calls: [slash('send', isChilds(prompt) ? 'parent news' : 'main news')] }
  return { calls: Array.from({ length: dice }, (_, id) => ({ id: `${id}`, tool: 'dig', args: {} })) }
}
