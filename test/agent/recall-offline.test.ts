import { describe, expect, test } from 'vitest'
import { recallTool } from '../../src/agent/tools/recall.ts'
import type { Model } from '../../src/model/contract/model.ts'
import type { Prompt } from '../../src/event/prompt.ts'
import { Scene } from '../model/scene.ts'
import { memoryIn } from './recalling.ts'
import { ended } from './rig.ts'
import { stage, START, type Stage, type StageOptions } from './stage.ts'

const DAY = 86_400_000

/** The offline model with the tool in its hands; `quiet` answers in its place where an answer matters to nobody. */
function remembering(options: StageOptions = {}): Promise<Stage> {
  return stage({
    ...options,
    models: { quiet, ...options.models },
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
    const said = 'You said on 2026-03-01 Sun 09:30: "My dentist is called Dr. Meyer."'
    expect(await at.say('What did I say about the dentist?')).toEqual([said])
    expect(await at.say("What's the name of my dentist?")).toEqual([said])
    await at.say('/clear')
    expect(await at.say('Do you remember my dentist?')).toEqual([said.replace(': ', ' (cleared): ')])
  })

  test('what nobody said is not made up', async () => {
    const at = await remembering()
    await at.say('My dentist is called Dr. Meyer.')
    expect(await at.say('What did I say about the plumber?')).toEqual([
      'I found nothing you said about "the plumber".',
    ])
    expect(await at.say('Where does my brother live?')).toEqual([expect.stringMatching(/offline stand-in/)])
  })

  test('asking again and again finds what was said, not the answers', async () => {
    const at = await remembering()
    await at.say('The boat is called Elsa.')
    const answers = []
    for (let time = 0; time < 5; time++) answers.push(...(await at.say('What is the name of our boat?')))
    expect(new Set(answers)).toEqual(
      new Set(['You said on 2026-03-01 Sun 09:30: "The boat is called Elsa."']),
    )
  })

  test('what was just rewound answers no plain question, only who asks what was said', async () => {
    const at = await remembering()
    for (const said of ['/mark A', 'The alarm code is zebra99.', '/rewind A']) await at.say(said)
    expect(await at.say('What is the alarm code?')).toEqual([expect.stringMatching(/offline stand-in/)])
    expect(await at.say('What did I say about the alarm code?')).toEqual([
      'You said on 2026-03-01 Sun 09:30 (rewound): "The alarm code is zebra99."',
    ])
    expect(await at.say('What is our alarm code?')).toEqual([expect.stringMatching(/offline stand-in/)])
  })

  test('what a discarded fork said answers no plain question, only who asks what was said', async () => {
    const at = await remembering()
    for (const said of ['/fork', 'The alarm code is zebra99.', '/exit']) await at.say(said)
    expect(await at.say('What is the alarm code?')).toEqual([expect.stringMatching(/offline stand-in/)])
    expect(await at.say('What did I say about the alarm code?')).toEqual([
      'You said on 2026-03-01 Sun 09:30 (discarded): "The alarm code is zebra99."',
    ])
  })

  test('a search is a step like any other: the call and its result are in the log', async () => {
    const at = await remembering()
    await at.say('The boat is called Elsa.')
    await at.say('When did I mention the boat?')
    const messages = (await at.events('message-added')).map(({ message }) => message)
    expect(messages.slice(-3)).toMatchObject([
      { role: 'assistant', calls: [{ tool: 'recall', args: { query: 'the boat', speaker: 'user' } }] },
      { role: 'tool', tool: 'recall' },
      { role: 'assistant', text: 'You said on 2026-03-01 Sun 09:30: "The boat is called Elsa."' },
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
})

/** What is said from one number to another, summed up now and then. */
function days(scene: Scene, from: number, to: number): void {
  for (let turn = from; turn < to; turn++) {
    scene.turn('main', `Entry ${turn}: a day like the one before.`)
    if (turn % 20 === 0) scene.compact('main', `Up to ${turn}.`, 20)
  }
}

/** 5,000 messages with a compaction every 40 of them, and what became of some facts among them. */
async function longLife(at: Stage): Promise<void> {
  const branch = await at.branch()
  await at.log.write((writing) => {
    const scene = new Scene(writing)
    scene.ids.set('main', branch)
    scene.at = START
    scene.turn('main', 'Good morning.', 'It rains.', 'The spare key lies under the blue pot.')
    days(scene, 3, 100)
    scene.mark('main', 'HERE')
    scene.turn('main', 'The wallet is in the green drawer.')
    days(scene, 101, 130)
    scene.rewind('main', 'HERE')
    scene.fork('main', 'aside')
    scene.turn('aside', 'The umbrella stands behind the red door.')
    scene.end('aside')
    days(scene, 131, 2_500)
  })
  expect((await at.events('message-added')).length).toBe(5_000)
  expect((await at.events('context-compacted')).length).toBeGreaterThan(100)
}

async function restarted(options: StageOptions = {}): Promise<Stage> {
  const first = await remembering(options)
  await longLife(first)
  await first.clock.pass(9 * DAY)
  const at = await remembering({ ...options, ...(await ended(first)) })
  // A stage's index is gone with it, so it is made anew as after an upgrade.
  await at.recall.catchUp()
  return at
}

describe('after 5,000 messages, many compactions and a restart', () => {
  test('the offline model knows the fifth message, and of others what became of them', async () => {
    const at = await restarted()
    const answer = async (question: string): Promise<string | undefined> => (await at.say(question))[0]
    expect(await answer('Where is the spare key?')).toBe(
      'You said on 2026-03-01 Sun 09:30: "The spare key lies under the blue pot."',
    )
    expect(await answer('Where is the wallet?')).toMatch(/offline stand-in/)
    expect(await answer('What did I say about the wallet?')).toBe(
      'You said on 2026-03-01 Sun 09:30 (rewound): "The wallet is in the green drawer."',
    )
  })

  test('what was rewound, cleared or discarded comes back only to who asks for it, with a label', async () => {
    const prompts: Prompt[] = []
    const watching: Model = {
      ...quiet,
      name: 'watching',
      call: (prompt, options) => {
        prompts.push(prompt)
        return quiet.call(prompt, options)
      },
    }
    const at = await restarted({ models: { watching }, settings: { model: 'watching' } })
    const facts = [
      ['Where is the spare key?', 'The spare key lies under the blue pot.', ''],
      ['Where is the wallet?', 'The wallet is in the green drawer.', ' (rewound)'],
      ['Where is the umbrella?', 'The umbrella stands behind the red door.', ' (discarded)'],
    ] as const
    for (const [question, fact, label] of facts) {
      await at.say(question)
      const isBack = memoryIn(prompts.at(-1))?.includes(fact) ?? false
      expect([question, isBack]).toEqual([question, label === ''])
      expect(await labelOf(at, fact)).toBe(label)
    }
    await at.say('/clear')
    await at.say('Where is the spare key?')
    expect(memoryIn(prompts.at(-1))).toBeUndefined()
    expect(await labelOf(at, 'The spare key lies under the blue pot.')).toBe(' (cleared)')
  })
})

/** What /recall says of the place of a text that it is asked for. */
async function labelOf(at: Stage, text: string): Promise<string | undefined> {
  const [answer = ''] = await at.say(`/recall ${text}`)
  const lines = answer.split('\n').map((line) => line.trim())
  const head = lines[lines.indexOf(text) - 1]
  return head?.match(/^\d+\. 2026-03-01 Sun 09:30, you, .* at \d+(.*)$/)?.[1]
}
