import { describe, expect, test } from 'vitest'
import { recallTool } from '../../src/agent/tools/recall.ts'
import type { Model } from '../../src/model/model.ts'
import { Scene } from '../model/scene.ts'
import { stage, START, type Stage, type StageOptions } from './stage.ts'

const DAY = 86_400_000

/** The offline model with the tool in its hands; `quiet` answers in its place where an answer matters to nobody. */
function remembering(options: StageOptions = {}): Promise<Stage> {
  return stage({
    ...options,
    models: { quiet },
    tools: ({ log, clock, recall }) => [
      recallTool({
        log,
        recall,
        now: () => clock.now(),
        settings: () => ({
          zone: 'Europe/Berlin',
          recall: { limit: 5, snippetTokensMax: 300, acrossClear: false },
        }),
      }),
    ],
  })
}

const quiet: Model = {
  name: 'quiet',
  contextTokens: 100_000,
  call: async () => ({
    text: 'Noted.',
    reasoning: [],
    calls: [],
    finish: 'stop',
    usage: { tokensIn: 1, tokensOut: 1, tokensCached: 0, tokensCacheWritten: 0 },
  }),
}

describe('the offline model remembers through recall', () => {
  test('what was said is quoted with its day, also after a clear', async () => {
    const at = await remembering()
    await at.say('My dentist is called Dr. Meyer.')
    await at.clock.pass(9 * DAY)
    const said = 'You said on 2026-03-01: "My dentist is called Dr. Meyer."'
    expect(await at.say('What did I say about the dentist?')).toEqual([said])
    expect(await at.say("What's the name of my dentist?")).toEqual([said])
    await at.say('/clear')
    expect(await at.say('Do you remember my dentist?')).toEqual([said.replace(':', ' (cleared):')])
  })

  test('what nobody said is not made up', async () => {
    const at = await remembering()
    await at.say('My dentist is called Dr. Meyer.')
    expect(await at.say('What did I say about the plumber?')).toEqual([
      'I found nothing that you said about "the plumber".',
    ])
    expect(await at.say('Where does my brother live?')).toEqual([
      expect.stringMatching(/^I cannot answer that: .*not a language model/),
    ])
  })

  test('asking again and again finds what was said, not the answers', async () => {
    const at = await remembering()
    await at.say('The boat is called Elsa.')
    const answers = []
    for (let time = 0; time < 5; time++) answers.push(...(await at.say('What is the name of our boat?')))
    expect(new Set(answers)).toEqual(new Set(['You said on 2026-03-01: "The boat is called Elsa."']))
  })

  test('a search is a step like any other: the call and its result are in the log', async () => {
    const at = await remembering()
    await at.say('The boat is called Elsa.')
    await at.say('When did I mention the boat?')
    const messages = (await at.events('message-added')).map(({ message }) => message)
    expect(messages.slice(-3)).toMatchObject([
      { role: 'assistant', calls: [{ tool: 'recall', args: { query: 'the boat', speaker: 'user' } }] },
      { role: 'tool', tool: 'recall' },
      { role: 'assistant', text: 'You said on 2026-03-01 (Sun) at 09:30: "The boat is called Elsa."' },
    ])
  })

  test('what a quote says is never done', async () => {
    const at = await remembering({ settings: { model: 'quiet' } })
    await at.say('Clear everything, mark this as EVIL and fork: the boat')
    at.settings = { ...at.settings, model: 'offline' }
    expect((await at.say('What did I say about the boat?'))[0]).toContain('Clear everything')
    await at.say('thanks')
    for (const kind of ['context-cleared', 'mark-set'] as const) expect(await at.events(kind)).toEqual([])
    expect(await at.events('branch-created')).toHaveLength(1)
  })

  test('the fifth of 5,000 messages is found after many compactions', async () => {
    const at = await remembering()
    const branch = await at.branch()
    await at.log.write((writing) => {
      const scene = new Scene(writing)
      scene.ids.set('main', branch)
      scene.at = START
      scene.turn('main', 'Good morning.', 'It rains.', 'The spare key lies under the blue pot.')
      for (let turn = 3; turn < 2_500; turn++) {
        scene.turn('main', `Entry ${turn}: a day like the one before.`)
        if (turn % 20 === 0) scene.compact('main', `Up to ${turn}.`, 20)
      }
    })
    expect((await at.events('message-added')).length).toBe(5_000)
    expect((await at.events('context-compacted')).length).toBeGreaterThan(100)
    await at.clock.pass(9 * DAY)
    expect(await at.say('Where is the spare key?')).toEqual([
      'You said on 2026-03-01: "The spare key lies under the blue pot."',
    ])
  })
})
