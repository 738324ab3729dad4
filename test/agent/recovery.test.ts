import { describe, expect, test } from 'vitest'
import type { Prompt } from '../../src/event/prompt.ts'
import type { Random } from '../../src/base/random.ts'
import type { StepInput } from '../../src/model/scripted.ts'
import {
  countedTool,
  gatedTool,
  modelFault,
  play,
  ruleModel,
  unanswered,
  type CountedTool,
  type Played,
} from './doubles.ts'
import { dieEverywhere, playLives, type End, type Scenario } from './mortal.ts'
import { START, type Stage, type StageOptions } from './stage.ts'

/** Results of this work so far, those of dead tools too. */
function resultsSoFar({ messages }: Prompt): number {
  const answered = messages.findLastIndex((one) => one.role === 'assistant' && one.calls.length === 0)
  return messages.slice(answered + 1).filter(({ role }) => role === 'tool').length
}

const settings = { model: 'ruled' }

/** TURN4: what each answer is about, taken together, is what the person said, each once. */
function expectAnswered({ platform }: End, said: readonly string[]): void {
  const about = platform.texts('answer').flatMap((text) => text.replace('re: ', '').split(' + '))
  expect(about.toSorted()).toEqual(said.toSorted())
}

function plainAnswer(): Scenario {
  const model = ruleModel((prompt) => ({ text: `re: ${unanswered(prompt).join(' + ')}` }))
  return {
    options: () => ({ settings, models: { ruled: model } }),
    act: async (at) => void (await at.type('hello', 'k1')),
    lastsMs: 10,
    check: (end) => expectAnswered(end, ['hello']),
  }
}

function toolStep(): Scenario {
  const tool = countedTool('dig')
  const model = ruleModel((prompt) =>
    resultsSoFar(prompt) === 0
      ? { calls: [{ id: 'same', tool: 'dig', args: {} }] }
      : { text: `re: ${unanswered(prompt).join(' + ')}` },
  )
  return {
    options: () => ({ settings, models: { ruled: model }, tools: [tool] }),
    act: async (at) => void (await at.type('hello', 'k1')),
    lastsMs: 10,
    check: (end) => {
      expectAnswered(end, ['hello'])
      expect(tool.runs.length).toBeLessThanOrEqual(1)
    },
  }
}

function slashStep(): Scenario {
  const tool = countedTool('dig')
  const calls = [
    { id: 'a', tool: 'slash', args: { command: 'mark', args: 'A' } },
    { id: 'b', tool: 'dig', args: {} },
    { id: 'c', tool: 'slash', args: { command: 'send', args: 'main to myself' } },
  ]
  const model = ruleModel((prompt) =>
    resultsSoFar(prompt) === 0 ? { calls } : { text: `re: ${unanswered(prompt)[0]}` },
  )
  return {
    options: () => ({ settings, models: { ruled: model }, tools: [tool] }),
    act: async (at) => void (await at.type('hello', 'k1')),
    lastsMs: 10,
    check: async (end) => {
      expectAnswered(end, ['hello'])
      expect(tool.runs.length).toBeLessThanOrEqual(1)
      await expectEffectsAsSaid(end.at)
    },
  }
}

/** An act is in the log exactly if its result says so. */
async function expectEffectsAsSaid(at: Stage): Promise<void> {
  const results = (await at.events('message-added')).filter(
    ({ message }) => message.role === 'tool' && message.tool === 'slash',
  )
  const undone = results.filter(({ message }) => message.role === 'tool' && message.synthetic !== undefined)
  expect([0, 2]).toContain(undone.length)
  for (const { message } of undone) expect(message.text).toContain('It was not done.')
  const done = undone.length === 0 ? 1 : 0
  expect(await at.events('mark-set')).toHaveLength(done)
  expect(await at.events('mail-sent')).toHaveLength(done)
}

function steering(): Scenario {
  let stageNow: Stage
  const one = countedTool('one', async () => {
    await stageNow.type('and this', 'k2')
    return 'one done'
  })
  const two = countedTool('two')
  const model = ruleModel((prompt) => {
    const open = unanswered(prompt)
    const next = open.includes('hello') ? ['one', 'two'][resultsSoFar(prompt)] : undefined
    if (next !== undefined) return { calls: [{ id: 'same', tool: next, args: {} }] }
    return { text: `re: ${open.join(' + ')}` }
  })
  return {
    options: () => ({ settings, models: { ruled: model }, tools: [one, two] }),
    act: async (at) => {
      stageNow = at
      await at.type('hello', 'k1')
      if (one.runs.length > 0) await at.type('and this', 'k2')
    },
    lastsMs: 10,
    check: async (end) => {
      await end.at.type('and this', 'k2')
      await end.at.settle()
      expectAnswered(end, ['hello', 'and this'])
      for (const tool of [one, two]) expect(tool.runs.length).toBeLessThanOrEqual(1)
    },
  }
}

function finishingChild(): Scenario {
  const dig: CountedTool = countedTool('dig')
  const model = ruleModel((prompt) =>
    resultsSoFar(prompt) === 0 ? { calls: [{ id: 'same', tool: 'dig', args: {} }] } : { text: 'found it' },
  )
  return {
    options: () => ({ settings, models: { ruled: model }, tools: [dig] }),
    act: async (at) => void (await at.type('/fork -- find it', 'k1')),
    lastsMs: 10,
    check: async ({ at, platform }) => {
      expect((await at.events('branch-created')).filter(({ mode }) => mode === 'child')).toHaveLength(1)
      const mail = await at.events('mail-sent')
      expect(mail.map(({ text }) => text)).toEqual(['found it'])
      expect(platform.texts('notice')).toEqual([expect.stringMatching(/^\w{6} finished: found it$/)])
      expect(platform.texts('answer')).toEqual([])
      expect(dig.runs.length).toBeLessThanOrEqual(1)
    },
  }
}

/** Out of reach for forty seconds: two deferrals. */
function deferredTurn(): Scenario {
  return {
    options: (now) => ({
      settings,
      models: {
        ruled: ruleModel((prompt) => {
          if (now() < START + 40_000) throw modelFault('overloaded')
          return { text: `re: ${unanswered(prompt).join(' + ')}` }
        }),
      },
    }),
    act: async (at) => void (await at.type('hello', 'k1')),
    lastsMs: 120_000,
    check: async (end) => {
      expectAnswered(end, ['hello'])
      expect(end.platform.texts('notice').length, 'told once').toBeLessThanOrEqual(1)
      const told = end.platform.texts('notice').length
      const outcomes = (await end.at.events('turn-ended')).map(({ outcome }) => outcome)
      expect(told).toBe(outcomes.includes('deferred') ? 1 : 0)
    },
  }
}

/** With the number of commits that there are at least. */
const scenarios = [
  ['an answer', plainAnswer, 6],
  ['a tool', toolStep, 9],
  ['acts and a tool', slashStep, 10],
  ['two steps with steering', steering, 12],
  ['a child that finishes', finishingChild, 9],
  ['a deferred turn', deferredTurn, 13],
] as const

describe('a process that dies', () => {
  test.each(scenarios)(
    '[TURN3] [TURN4] [SEND1] [RECV1] at any commit leaves all that the next one needs: %s',
    async (_, scenario, commits) => {
      expect(await dieEverywhere(scenario)).toBeGreaterThanOrEqual(commits)
    },
  )

  test('[TURN3] [TURN4] again while it recovers loses and repeats nothing', async () => {
    const commits = await dieEverywhere(toolStep)
    for (let first = 1; first <= commits; first++)
      for (let second = 1; second <= commits; second++) {
        const deaths = [first, second].map((commit) => ({ commit, fate: 'dies-after' }) as const)
        await playLives(toolStep(), deaths)
      }
  })

  test('leaves a work that the next turn continues, with nothing said again', async () => {
    const tool = gatedTool('dig')
    const at = await play([{ calls: [{ tool: 'dig' }] }], { tools: [tool] })
    await at.type('hello')
    await tool.begun
    const again = await restart(at, [{ reply: { text: 'Here.' } }])
    await again.settle()
    const [first, second] = await again.events('turn-started')
    expect(second?.continues).toBe(first?.turn)
    const said = (await again.events('message-added')).filter(({ message }) => message.role === 'user')
    expect(said).toHaveLength(1)
  })

  test('leaves the rounds that were used up: they count for the whole work', async () => {
    const tool = gatedTool('dig')
    const call = { calls: [{ tool: 'dig' }] }
    const at = await play([call], { tools: [tool] })
    await at.type('hello')
    await tool.begun
    const quick = countedTool('dig')
    const again = await restart(at, [call, { expect: { toolChoice: 'none' }, reply: { text: 'Enough.' } }], {
      tools: [quick],
      settings: { roundsMax: 2 },
    })
    await again.settle()
    expect(again.sent.map(({ text }) => text)).toEqual(['Enough.'])
    expect(quick.runs).toHaveLength(1)
  })

  test('[TURN3] does not lend the name of a turn to another', async () => {
    const at = await play(
      [1, 2, 3, 4].map((n) => ({ reply: { text: `${n}` } })),
      { random: stutter() },
    )
    for (const text of ['1', '2', '3', '4']) expect(await at.say('more')).toEqual([text])
    const turns = (await at.events('turn-started')).map(({ turn }) => turn)
    expect(new Set(turns).size).toBe(4)
  })
})

/** Chance that says most things twice. */
function stutter(): Random {
  let count = 0
  return () => Math.floor(count++ / 2)
}

async function restart(at: Stage, steps: readonly StepInput[], options: StageOptions = {}): Promise<Played> {
  await at.close()
  await at.log.close()
  return play(steps, { disk: at.disk, clock: at.clock, seed: 8, ...options })
}
