import { describe, expect, test } from 'vitest'
import { ModelError } from '../../src/model/contract/model.ts'
import { gatedTool } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import { dialogue, ended, slowly } from './rig.ts'
import { breathe } from './stage.ts'
import { compactions, expectNothingLost, promptNow, sayTurns, talk } from './talk.ts'

const BACK = '/expand or /undo brings them back.'

describe('/compact', () => {
  test('sums up all but the newest messages at once, and the answer says what it did', async () => {
    const at = await talk()
    await sayTurns(at, 4)
    await dialogue(at, [
      ['/compact', `Summarized 4 older messages (6 tokens, by summariser). ${BACK}`],
      ['/compact', 'Not compacted: there is nothing to summarize before the newest 4 messages.'],
    ])
    expect((await at.events('context-compacted'))[0]?.author).toEqual({ by: 'person' })
    await expectNothingLost(at)
  })

  test('with a focus tells the summariser what to keep above all', async () => {
    const at = await talk()
    await sayTurns(at, 4)
    await at.say('/compact the travel plans, and who pays')
    const [prompt] = at.summariser.prompts
    expect(prompt?.messages[0]?.text).toContain(
      'Above all keep what concerns:\n<data source="focus">\nthe travel plans, and who pays\n',
    )
    expect(prompt?.settings).toMatchObject({ model: 'summariser', toolChoice: 'none', thinking: 'off' })
    expect(prompt?.tools).toEqual([])
  })

  test('says why not: nothing is old enough, or too little would be gained', async () => {
    const at = await talk({ window: { summaryTokensMax: 500 } })
    await dialogue(at, [
      ['/compact', 'Not compacted: there is nothing to summarize before the newest 4 messages.'],
      ['hello', 'ok'],
      ['/compact', 'Not compacted: there is nothing to summarize before the newest 4 messages.'],
    ])
    const big = gatedTool('dig')
    big.gate.open()
    let calls = 0
    const other = await talk({
      window: { summaryTokensMax: 500 },
      settings: { roundsMax: 50 },
      tools: [big],
      answer: () => (calls++ % 22 === 21 ? { text: 'ok' } : { calls: [{ id: 'c', tool: 'dig', args: {} }] }),
    })
    calls = 21
    await other.say('hello')
    await other.say('dig a lot')
    expect(await other.say('/compact')).toEqual([
      expect.stringMatching(/^Not compacted: a summary would free only about \d+ of [\d.]+k? tokens\./),
    ])
  })

  test('says what went wrong, and changes nothing', async () => {
    const at = await talk({
      summarise: () => {
        throw new ModelError('unauthorised', 'summariser: the key was refused')
      },
    })
    await sayTurns(at, 4)
    const before = await promptNow(at)
    expect(await at.say('/compact')).toEqual([
      'Not compacted, nothing changed: summariser: the key was refused.',
    ])
    expect(await promptNow(at)).toBe(before)
    await expectLawful(at)
  })

  test('waits for the running turn, and what is typed behind it waits for the summary', async () => {
    const tool = gatedTool('dig')
    let isDigging = false
    const at = await talk({
      tools: [tool],
      answer: ({ messages }) => {
        if (!isDigging || messages.at(-1)?.role === 'tool') return { text: 'ok' }
        isDigging = false
        return { calls: [{ id: 'c', tool: 'dig', args: {} }] }
      },
    })
    await sayTurns(at, 2)
    isDigging = true
    await at.type('dig')
    await tool.begun
    await at.type('/compact')
    await at.type('and now?')
    await breathe()
    expect(at.sent.at(-1)?.text).toBe('This will be done when the turn ends. /stop interrupts the turn.')
    tool.gate.open()
    await at.settle()
    expect(at.sent.slice(-3).map(({ text }) => text)).toEqual([
      'ok',
      expect.stringMatching(/^Summarized 4/),
      'ok',
    ])
    expect(at.chat.prompts.at(-1)?.messages).toHaveLength(6)
    await expectLawful(at)
  })

  test('/stop interrupts it: nothing is changed', async () => {
    const slow = slowly({ text: 'Never seen, like hello 1.' })
    let count = 0
    const at = await talk({
      summarise: (_, signal) => (count++ === 0 ? slow.reply(signal) : { text: 'Later there was hello 1.' }),
    })
    await sayTurns(at, 4)
    await at.type('/compact')
    await slow.begun.opened
    await at.type('/stop')
    await at.settle()
    expect(at.sent.slice(-2).map(({ text }) => text)).toEqual(
      expect.arrayContaining(['Stopped.', 'Not compacted: stopped, nothing changed.']),
    )
    expect(await compactions(at)).toEqual([])
    expect(await at.say('still there?')).toEqual(['ok', expect.stringMatching(/^Summarized 6 older/)])
  })

  test('that was cut short by the end of the process is done at the next start', async () => {
    const slow = slowly({ text: 'Never seen, like hello 1.' })
    const at = await talk({ summarise: (_, signal) => slow.reply(signal) })
    await sayTurns(at, 4)
    await at.type('/compact')
    await slow.begun.opened
    const again = await talk({ ...(await ended(at)), seed: 8 })
    await again.settle()
    expect(again.sent.map(({ text }) => text)).toEqual([expect.stringMatching(/^Summarized 4 older/)])
    await expectLawful(again)
  })
})
