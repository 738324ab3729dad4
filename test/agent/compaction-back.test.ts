import { describe, expect, test } from 'vitest'
import { compactSessionTool } from '../../src/agent/tools/compact-session.ts'
import { gatedTool, type Said } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { dialogue } from './rig.ts'
import type { StageOptions } from './stage.ts'
import {
  compactions,
  expectNothingLost,
  promptNow,
  sayTurns,
  shownNow,
  summariesNow,
  talk,
  type Talk,
} from './talk.ts'

const TEXTS = ['FACT-two', 'FACT-three', 'FACT-four'] as const

/** Three summaries, each within the next; `before` is what was shown before each of them, `raw` without any. */
async function nested(): Promise<{ at: Talk; before: string[]; after: string; raw: string }> {
  const at = await talk({ window: { thresholdMessages: 18, windowMessages: 2 } })
  const twin = await talk({ window: { policy: 'explicit' } })
  const before: string[] = []
  for (const one of [at, twin]) await one.say('FACT-one')
  for (const text of TEXTS) {
    for (const one of [at, twin]) await one.say(text)
    before.push(await promptNow(at))
    await at.say('/compact')
  }
  return { at, before, after: await promptNow(at), raw: await promptNow(twin) }
}

describe('what was summed up comes back byte for byte', () => {
  test('with /undo, one summary after the other; /redo makes them again', async () => {
    const { at, before, after, raw } = await nested()
    expect(await summariesNow(at)).toEqual(['Facts: FACT-one FACT-two FACT-three.'])
    const undone = 'Undid compaction.'
    expect(await at.say('/undo')).toEqual([`${undone} /redo repeats it; /undo again undoes the compaction.`])
    expect(await promptNow(at)).toBe(before[2])
    await at.say('/undo')
    expect(await summariesNow(at)).toEqual(['Facts: FACT-one.'])
    expect(await at.say('/undo')).toEqual([`${undone} /redo repeats it; there is nothing earlier to undo.`])
    expect(await promptNow(at)).toBe(raw)
    for (let time = 0; time < 3; time++) expect(await at.say('/redo')).toEqual(['Redone: compaction.'])
    expect(await promptNow(at)).toBe(after)
    expect(await at.say('/redo')).toEqual(['Nothing to redo here.'])
    await expectLawful(at)
    await expectNothingLost(at)
  })

  test('with /expand, one summary after the other; /undo closes them again', async () => {
    const { at, before, after, raw } = await nested()
    const opened = 'Opened the newest summary: 2 messages are shown in full again.'
    const deeper = `${opened} /expand again opens the summary before it. /undo closes it.`
    const [shown] = (await at.events('context-compacted')).slice(-1)
    expect((await at.say('/expand 99999'))[0]).toContain(`Summaries here: ${shown?.position};`)
    expect(await at.say('/expand')).toEqual([deeper])
    expect(await promptNow(at)).toBe(before[2])
    expect(await at.say('/expand')).toEqual([deeper])
    expect(await at.say('/expand')).toEqual([`${opened} /undo closes it.`])
    expect(await promptNow(at)).toBe(raw)
    expect(await at.say('/expand')).toEqual(['There is no summary here to open.'])
    for (let time = 0; time < 3; time++) expect((await at.say('/undo'))[0]).toMatch(/^Undid expand\. /)
    expect(await promptNow(at)).toBe(after)
    await expectLawful(at)
  })

  test("and a policy's summary is named as such", async () => {
    const at = await talk()
    await sayTurns(at, 5)
    await dialogue(at, [
      ['/undo', 'Undid compaction (by window). /redo repeats it; there is nothing earlier to undo.'],
      ['/redo', 'Redone: compaction (by window).'],
      ['/expand', 'Opened the newest summary: 6 messages are shown in full again. /undo closes it.'],
      ['/clear', 'Context cleared.'],
      ['/expand', 'There is no summary here to open.'],
    ])
  })
})

describe('after /undo and /expand the policy waits', () => {
  test.each(['/undo', '/expand'])('%s: for another 8 messages', async (command) => {
    const at = await talk({ window: { truncationMessages: 12 } })
    await sayTurns(at, 5)
    await at.say(command)
    await sayTurns(at, 4)
    expect(await compactions(at)).toEqual(['summariser'])
    // More than a prompt may have otherwise: whoever opens a summary wants to read it.
    expect(await shownNow(at)).toBe(18)
    await at.say('one more')
    expect(await compactions(at)).toEqual(['summariser', 'summariser'])
    await expectNothingLost(at)
  })

  test("but not beyond the model's limit", async () => {
    const at = await talk({ contextTokens: 2_500 })
    await sayTurns(at, 5, () => 'word '.repeat(80))
    expect(await compactions(at)).toHaveLength(1)
    await at.say('/undo')
    expect(await at.say('word '.repeat(80))).toEqual(['ok'])
    expect(await compactions(at)).toHaveLength(1)
    expect(await at.say('word '.repeat(300))).toEqual([
      'ok',
      expect.stringMatching(/^Summarized \d+ older messages/),
    ])
  })

  test('and not for the person, who may have another one at any time', async () => {
    const at = await talk()
    await sayTurns(at, 5)
    await at.say('/undo')
    expect(await at.say('/compact')).toEqual([expect.stringMatching(/^Summarized 6 older messages/)])
  })
})

function compactSession(args: Readonly<Record<string, string | number>>): Said {
  return { calls: [{ id: 'c', tool: 'compact_session', args: { ...args } }] }
}

describe('compact_session', () => {
  const tools: StageOptions['tools'] = ({ agent }) => [
    compactSessionTool({
      compact: (wish, signal) => agent().compact(wish, signal),
      fail: (error) => {
        throw error
      },
    }),
    dig,
  ]
  const dig = gatedTool('dig')
  dig.gate.open()

  test('sums up when the step is over, in the name of the model, and the terminal is told', async () => {
    const at = await talk({
      tools,
      answer: ({ messages }) => {
        if (messages.at(-1)?.role === 'tool') return { text: 'done' }
        return messages.at(-1)?.text.includes('sum up') === true
          ? compactSession({ focus: 'the trip' })
          : { text: 'ok' }
      },
    })
    await sayTurns(at, 3)
    const sent = await at.say('sum up')
    expect(sent.toSorted()).toEqual([
      expect.stringMatching(/^Summarized \d older messages \(\d tokens, by summariser\)\. \/expand/),
      'done',
    ])
    const result = (await at.events('message-added')).find(({ message }) => message.role === 'tool')
    expect(result?.message.text).toBe(
      '{"text":"The older part of the conversation will be summarized after this step, if there is enough of it."}',
    )
    const [summedUp] = await at.events('context-compacted')
    expect(summedUp?.author).toMatchObject({ by: 'model', turn: result?.turn })
    expect(summedUp?.position).toBeGreaterThan(result?.position ?? Infinity)
    expect(at.summariser.prompts[0]?.messages[0]?.text).toContain(
      'Above all keep what concerns:\n<data source="focus">\nthe trip\n',
    )
    expect((await at.say('/undo'))[0]).toMatch(/^Undid compaction \(by model\)\./)
    await expectLawful(at)
    await expectNothingLost(at)
  })

  test('does nothing where there is too little, and says what is wrong with its arguments', async () => {
    const at = await talk({
      tools,
      answer: ({ messages }) => {
        if (messages.at(-1)?.role === 'tool') return { text: 'done' }
        return compactSession(messages.at(-1)?.text.includes('wrongly') === true ? { much: 1 } : {})
      },
    })
    expect(await at.say('sum up')).toEqual(['done'])
    expect(await at.say('sum up wrongly')).toEqual(['done'])
    const results = (await at.events('message-added')).flatMap(({ message }) =>
      message.role === 'tool' ? [message.text] : [],
    )
    expect(results[1]).toContain('compact_session {')
    expect(await compactions(at)).toEqual([])
  })
})
