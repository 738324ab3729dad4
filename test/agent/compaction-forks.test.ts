import { describe, expect, test } from 'vitest'
import { receive } from '../../src/command/door/reception.ts'
import { expectLawful } from './lawful.ts'
import { child, idOf, isChilds } from './rig.ts'
import {
  compactions,
  expectNothingLost,
  promptNow,
  sayTurns,
  shownNow,
  summariesIn,
  summariesNow,
  talk,
} from './talk.ts'

describe('a fork', () => {
  test('inherits the summary of what it inherits', async () => {
    const at = await talk()
    await at.say('FACT-one')
    await sayTurns(at, 4)
    const before = await promptNow(at)
    await at.say('/fork')
    expect(await promptNow(at)).toBe(before)
    expect(await summariesNow(at)).toEqual(['Facts: FACT-one.'])
  })

  test('that begins at a mark inherits no summary that knows what lay before the mark', async () => {
    const at = await talk({ window: { thresholdMessages: 10 } })
    await at.say('FACT-one')
    await at.say('/mark A')
    await at.say('FACT-two')
    await sayTurns(at, 4)
    expect(await summariesNow(at)).toEqual(['Facts: FACT-one FACT-two.'])
    await at.say('/fork A -- and now?')
    const handle = await child(at)
    const prompt = at.chat.prompts.findLast(isChilds)
    expect(summariesIn(prompt ?? { messages: [] })).toEqual([])
    expect(JSON.stringify(prompt)).toContain('FACT-two')
    expect(JSON.stringify(prompt)).not.toContain('FACT-one')
    await expectNothingLost(at, await idOf(at, handle))
    await expectLawful(at)
  })

  test('sums up what it inherited and what is its own apart from each other', async () => {
    const at = await talk()
    await at.say('FACT-one')
    await sayTurns(at, 2)
    await at.say('/fork')
    await at.say('FACT-two')
    await sayTurns(at, 4)
    expect(await summariesNow(at)).toEqual(['Facts: FACT-one.', 'Facts: FACT-two.'])
    expect(at.sent.at(-1)?.text).toMatch(
      /^Summarized \d+ older messages \(\d+ tokens, by summariser\)\. \/expand/,
    )
    await expectNothingLost(at)
    await at.say('/switch main')
    expect(await summariesNow(at)).toEqual([])
    expect(await shownNow(at)).toBe(6)
    await expectLawful(at)
  })

  test('is not changed by what its parent sums up or opens, nor the parent by the fork', async () => {
    const at = await talk()
    await sayTurns(at, 3)
    await at.say('/fork')
    const fork = await at.branch()
    const before = await promptNow(at)
    await at.say('/switch main')
    await at.say('/compact')
    expect(await promptNow(at, fork)).toBe(before)
    const main = await promptNow(at)
    await at.say(`/switch ${await child(at)}`)
    await at.say('/compact')
    await at.say('/expand')
    await at.say('/switch main')
    expect(await promptNow(at)).toBe(main)
  })

  test('can open an inherited summary, for itself alone', async () => {
    const at = await talk()
    await sayTurns(at, 5)
    const main = await promptNow(at)
    await at.say('/fork')
    expect(await at.say('/undo')).toEqual(['Nothing to undo here.'])
    expect(await at.say('/expand')).toEqual([expect.stringMatching(/^Opened the newest summary: 6 messages/)])
    expect(await summariesNow(at)).toEqual([])
    await at.say('/switch main')
    expect(await promptNow(at)).toBe(main)
  })

  test('brings its summaries along, and each can be opened by its position', async () => {
    const at = await talk()
    await sayTurns(at, 5)
    const [older] = await at.events('context-compacted')
    await at.say('/fork')
    await sayTurns(at, 5)
    await at.say('/switch main')
    await at.say('main has gone on')
    await at.say(`/switch ${await child(at)}`)
    await at.say('/save')
    const [first, ...others] = await summariesNow(at)
    expect([first, others.length]).toEqual([expect.any(String), 1])
    expect(await at.say(`/expand ${older?.position}`)).toEqual([
      'Opened the summary: 6 messages are shown in full again. /undo closes it.',
    ])
    expect(await summariesNow(at)).toEqual(others)
    expect(await at.say('/expand 1')).toEqual([expect.stringMatching(/^No summary is shown at 1\./)])
  })

  test('that is given more than its model takes is summed up before its first call', async () => {
    const at = await talk({
      window: { thresholdMessages: 40, truncationMessages: 100 },
      contextTokens: 2_500,
    })
    await at.say('hello')
    await at.say('/mark A')
    for (let turn = 0; turn < 10; turn++) await at.say('word '.repeat(150))
    expect(await summariesNow(at)).toHaveLength(1)
    const calls = at.chat.prompts.length
    await at.say('/fork A -- dig deep')
    const prompts = at.chat.prompts.slice(calls)
    expect(prompts.map((prompt) => [isChilds(prompt), summariesIn(prompt).length])).toEqual([[true, 1]])
    const own = await idOf(at, await child(at))
    const kinds = (await at.all()).flatMap(({ branch, kind }) => (branch === own ? [kind] : []))
    expect(kinds.indexOf('context-compacted')).toBeGreaterThan(0)
    expect(kinds.indexOf('context-compacted')).toBeLessThan(kinds.indexOf('model-called'))
    await expectNothingLost(at, own)
    await expectLawful(at)
  })
})

describe('a summary is seen', () => {
  test('in the terminal, with the branch where the person is not', async () => {
    const at = await talk({ window: { truncationMessages: 9 } })
    at.settings = { ...at.settings, window: { ...at.settings.window, policy: 'explicit' } }
    await sayTurns(at, 5)
    at.settings = { ...at.settings, window: { ...at.settings.window, policy: 'managed' } }
    const sent = await at.say('/fork -- dig')
    const handle = await child(at)
    expect(sent).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `^${handle}: Summarized \\d older messages \\(\\d+ tokens, by summariser\\)\\. /switch ${handle}, and /expand or /undo brings them back\\.$`,
        ),
      ),
    )
  })

  test('in no other channel', async () => {
    const at = await talk()
    const elsewhere = {
      channel: 'telegram',
      conversation: '42',
      origin: 'terminal' as const,
      person: 'owner',
      messageId: null,
    }
    for (let turn = 0; turn < 6; turn++) {
      await receive(at.desk, { ...elsewhere, text: `hello ${turn}` })
      await at.settle()
    }
    expect(await compactions(at)).toEqual(['summariser'])
    const intended = await at.events('delivery-intended')
    expect(intended.map(({ text }) => text)).toEqual(Array(6).fill('ok'))
  })

  test('in /context: of how many messages and tokens, by whom, when', async () => {
    const at = await talk()
    await sayTurns(at, 5)
    await sayTurns(at, 3)
    const lines = (await at.say('/context'))[0]?.split('\n') ?? []
    expect(lines.filter((line) => line.includes('summary'))).toEqual([
      expect.stringMatching(
        /^ {2}summary +6 {2}of 12 messages \(\d+ tokens\), by summariser, 2026-03-01 09:30$/,
      ),
    ])
    expect(lines).toContain('/undo would undo: compaction (by window).')
  })
})
