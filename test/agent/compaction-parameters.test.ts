import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { readLogTool } from '../../src/agent/tools/read-log.ts'
import { estimateTokens } from '../../src/base/tokens.ts'
import { agentSettings, LiveConfig } from '../../src/runtime/home/live-config.ts'
import { modelFault, ruleModel } from './doubles.ts'
import { compactions, sayTurns, shownNow, summariesNow, talk, type Rule, type Talk } from './talk.ts'

const homes: string[] = []

afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true })
})

/** The configuration as a process reads it that was started with this environment. */
function configured(environment: Readonly<Record<string, string>>): LiveConfig {
  const home = mkdtempSync(join(tmpdir(), 'mainstem-compaction-'))
  homes.push(home)
  return new LiveConfig({ home, environment }, () => undefined)
}

/** A conversation with such a configuration; whoever answers is `ollama/chat`. */
async function talkWith(
  environment: Readonly<Record<string, string>>,
  { summarise, contextTokens = 32_000 }: { summarise?: Rule; contextTokens?: number } = {},
): Promise<Talk> {
  const config = configured({ MAINSTEM_MODEL: 'ollama/chat', ...environment })
  const named = (name: string) => ruleModel(summarise ?? (() => by(name)), { name: `ollama/${name}` })
  return talk({
    models: {
      'ollama/chat': {
        ...ruleModel((prompt) => (prompt.tools.length === 0 ? by('chat') : { text: 'ok' }), {
          name: 'ollama/chat',
        }),
        contextTokens,
      },
      'ollama/one': named('one'),
      'ollama/two': named('two'),
    },
    settings: agentSettings(config, 'Europe/Berlin'),
  })
}

const wordy = (turn: number): string => `hello ${turn} ${'word '.repeat(30)}`

const by = (name: string) => ({ text: `By ${name}: hello 1${', and more'.repeat(15)}.` })

const FEW = {
  MAINSTEM_HISTORY_WINDOW: '2',
  MAINSTEM_COMPACTION_THRESHOLD: '6',
  MAINSTEM_TRUNCATION_LIMIT: '10',
  MAINSTEM_COMPACTION_SHARE: '0',
}

describe('the parameter', () => {
  test.each([
    ['2', 2],
    ['4', 4],
    ['5', 6],
  ])('HISTORY_WINDOW=%s: so many of the newest messages stay, and whole turns', async (value, shown) => {
    const at = await talkWith({ ...FEW, MAINSTEM_HISTORY_WINDOW: value })
    await sayTurns(at, 4)
    expect(await compactions(at)).toEqual(['ollama/chat'])
    expect(await shownNow(at)).toBe(shown)
  })

  test('HISTORY_WINDOW: so many at least are shown after a rewind, where they exist', async () => {
    for (const [value, shown] of [
      ['2', 2],
      ['5', 6],
    ] as const) {
      const at = await talkWith({ ...FEW, MAINSTEM_HISTORY_WINDOW: value })
      await sayTurns(at, 4)
      await at.say('/mark A')
      await at.say('/compact')
      await at.say('more')
      await at.say('/rewind A')
      expect([value, await shownNow(at)]).toEqual([value, shown])
    }
  })

  test.each([
    ['6', 4],
    ['8', 5],
  ])('COMPACTION_THRESHOLD=%s: more messages than that are too many', async (value, turns) => {
    const at = await talkWith({ ...FEW, MAINSTEM_COMPACTION_THRESHOLD: value })
    await sayTurns(at, turns - 1)
    expect(await compactions(at)).toEqual([])
    await at.say('one more')
    expect(await compactions(at)).toEqual(['ollama/chat'])
  })

  test.each([
    ['25', 128_000, []],
    ['25', 7_000, ['ollama/chat']],
    ['40', 7_000, []],
    ['0', 128_000, ['ollama/chat']],
  ])(
    'COMPACTION_SHARE=%s of %i tokens: the count does not compact less than that',
    async (share, contextTokens, summaries) => {
      const at = await talkWith({ MAINSTEM_COMPACTION_SHARE: share }, { contextTokens })
      await sayTurns(at, 22, wordy)
      expect(await compactions(at)).toEqual(summaries)
    },
  )

  test('COMPACTION_SHARE: as many messages stay as fit into a tenth of the context', async () => {
    const at = await talkWith({}, { contextTokens: 8_000 })
    await sayTurns(at, 22, wordy)
    expect(await compactions(at)).toEqual(['ollama/chat'])
    expect(await shownNow(at)).toBeGreaterThan(20)
  })

  test.each([
    ['off', []],
    ['2000', ['ollama/chat']],
    ['6000', []],
  ])(
    'HISTORY_TOKENS=%s: messages of more tokens are too many, whatever their count',
    async (value, summaries) => {
      const at = await talkWith(
        { MAINSTEM_HISTORY_WINDOW: '2', MAINSTEM_HISTORY_TOKENS: value },
        { contextTokens: 128_000 },
      )
      await sayTurns(at, 7, (turn) => `hello ${turn} ${'word '.repeat(300)}`)
      expect(await compactions(at)).toEqual(summaries)
    },
  )

  test.each([50, 100])('COMPACTION_MAX_TOKENS=%i: no summary is longer', async (max) => {
    const prompts: string[] = []
    const at = await talkWith(
      { ...FEW, MAINSTEM_COMPACTION_MAX_TOKENS: String(max), MAINSTEM_COMPACTION_MODEL: 'ollama/one' },
      {
        summarise: ({ messages }) => {
          prompts.push(messages[0]?.text ?? '')
          return { text: 'One more sentence, of hello 1. '.repeat(100) }
        },
      },
    )
    await sayTurns(at, 4, () => 'word '.repeat(200))
    expect(prompts).toEqual([expect.stringMatching(new RegExp(`At most ${max} tokens\\.$`))])
    const [summary = ''] = await summariesNow(at)
    expect(estimateTokens(summary)).toBeLessThanOrEqual(max)
    expect(estimateTokens(summary)).toBeGreaterThan(max * 0.8)
  })

  test.each([
    [{}, 'chat'],
    [{ MAINSTEM_SUMMARY_MODEL: 'ollama/one' }, 'one'],
    [{ MAINSTEM_COMPACTION_MODEL: 'ollama/two' }, 'two'],
    [{ MAINSTEM_SUMMARY_MODEL: 'ollama/one', MAINSTEM_COMPACTION_MODEL: 'ollama/two' }, 'two'],
  ])('COMPACTION_MODEL, else SUMMARY_MODEL, else MODEL sums up: %j', async (names, writer) => {
    const at = await talkWith({ ...FEW, ...names })
    await sayTurns(at, 4)
    expect(await compactions(at)).toEqual([`ollama/${writer}`])
    expect(await summariesNow(at)).toEqual([expect.stringMatching(`^By ${writer}: hello 1`)])
  })

  test.each([
    ['10', 5],
    ['14', 7],
  ])('TRUNCATION_LIMIT=%s: past it an extract stands in for a model that fails', async (value, turns) => {
    const at = await talkWith(
      { ...FEW, MAINSTEM_TRUNCATION_LIMIT: value, MAINSTEM_COMPACTION_MODEL: 'ollama/one' },
      {
        summarise: () => {
          throw modelFault('rejected')
        },
      },
    )
    await sayTurns(at, turns)
    expect(await compactions(at)).not.toContain('extract')
    await at.say('one more')
    expect((await compactions(at)).at(-1)).toBe('extract')
  })

  test.each([
    ['managed', ['ollama/chat', 'ollama/chat', 'ollama/chat']],
    ['explicit', []],
  ])('CONTEXT_POLICY=%s', async (policy, summaries) => {
    const at = await talkWith({ ...FEW, MAINSTEM_CONTEXT_POLICY: policy })
    await sayTurns(at, 10)
    expect(await compactions(at)).toEqual(summaries)
  })

  test('RECENT_MSG_LIMIT: so many messages are read when nobody says how many', async () => {
    for (const value of ['3', '5']) {
      const { values } = configured({ MAINSTEM_RECENT_MSG_LIMIT: value })
      const at = await talk({
        tools: ({ log, recall }) => [readLogTool({ log, recall, recentMax: () => values.recentMsgLimit })],
        answer: ({ messages }) => {
          if (messages.at(-1)?.text.includes('read') !== true || messages.at(-1)?.role === 'tool')
            return { text: 'ok' }
          return { calls: [{ id: 'c', tool: 'read_log', args: {} }] }
        },
      })
      await sayTurns(at, 5)
      await at.say('read')
      const result = (await at.events('message-added')).find(({ message }) => message.role === 'tool')
      const { messages } = JSON.parse(result?.message.text ?? '{}') as { messages: unknown[] }
      expect(messages).toHaveLength(Number(value))
    }
  })

  test('that is changed in config.json counts from the next look on', () => {
    const config = configured({})
    expect(agentSettings(config, 'UTC').window).toEqual({
      policy: 'managed',
      windowMessages: 20,
      thresholdMessages: 40,
      truncationMessages: 100,
      shareMin: 0.25,
      historyTokensMax: 32_000,
      summaryTokensMax: null,
    })
    writeFileSync(
      join(homes.at(-1) ?? '', 'config.json'),
      '{ "historyWindow": 30, "compactionThreshold": 60 }',
    )
    const { windowMessages, thresholdMessages } = agentSettings(config, 'UTC').window
    expect([windowMessages, thresholdMessages]).toEqual([30, 60])
  })

  test.each([
    [{ MAINSTEM_HISTORY_WINDOW: '40' }, /historyWindow \(40\) must be less than compactionThreshold \(40\)/],
    [{ MAINSTEM_COMPACTION_THRESHOLD: '100' }, /must be less than truncationLimit \(100\)/],
    [{ MAINSTEM_HISTORY_WINDOW: '0' }, /Write a whole number from 1 to 10000/],
  ])('%j is refused at the start', (environment, why) => {
    expect(() => configured(environment)).toThrow(why)
  })
})
