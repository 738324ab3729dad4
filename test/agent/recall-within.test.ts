import { describe, expect, test } from 'vitest'
import { rebuildPrompt } from '../../src/agent/turn/call-prompt.ts'
import { messagesIn } from '../../src/context/message-index.ts'
import { listAtVersion } from '../../src/context/version.ts'
import type { Position } from '../../src/event/id.ts'
import { isSummary, type Range } from '../../src/event/item.ts'
import { naiveRecall, type NaiveRecall } from '../recall-double.ts'
import { expectLawful } from './lawful.ts'
import { children, idOf, isChilds, slash } from './rig.ts'
import {
  FACT,
  forgetful,
  memoryFor,
  memoryIn,
  QUESTION,
  quotedIn,
  RECALL,
  recalledIn,
  saveFork,
  sayMuch,
} from './recalling.ts'
import { talk, type Talk, type TalkOptions } from './talk.ts'

const summarise = () => ({ text: 'They talked about 1 thing.' })
/** A rewind shows few messages, so that what lies before the mark stays summed up. */
const settings = { recentMin: 2 }

/** A conversation with something that is summed up, so that there is always something to look in. */
async function started(options: TalkOptions = {}): Promise<Talk> {
  const at = await talk({ summarise, settings, ...options })
  await at.say('Our boat is called Elsa.')
  await sayMuch(at)
  return at
}

async function expectKnown(at: Talk, isKnown: boolean): Promise<void> {
  const memory = (await memoryFor(at, QUESTION)) ?? ''
  expect({ memory, isKnown: memory.includes('Meyer') }).toEqual({ memory, isKnown })
}

/** The search is at work: what may come back does. */
async function expectBoat(at: Talk): Promise<void> {
  expect(await memoryFor(at, 'What is the name of our boat?')).toContain('Our boat is called Elsa.')
}

describe('[RECALL1] what comes back by itself', () => {
  test('is nothing that the prompt shows', async () => {
    const at = await talk({ summarise, window: { windowMessages: 6 } })
    for (let turn = 1; turn <= 40; turn++) await at.say(`Where is my dentist? ${'Meyer '.repeat(turn % 3)}`)
    const calls = await at.events('model-called')
    let recalled = 0
    await at.read((reader) => {
      for (const call of calls) {
        const positions = recalledIn(memoryIn(rebuildPrompt(reader, call).prompt))
        const items = listAtVersion(reader, call.version, call.head)
        const ranges = items.filter((item): item is Range => !isSummary(item))
        const shown = new Set(ranges.flatMap((range) => messagesIn(reader, range).map((row) => row.position)))
        expect(positions.filter((position) => shown.has(position as Position))).toEqual([])
        recalled += positions.length
      }
    })
    expect(recalled).toBeGreaterThan(30)
  })

  test('is nothing that a standing rewind dropped, however much is said since', async () => {
    const at = await started()
    await at.say('/mark HERE')
    await at.say(FACT)
    await sayMuch(at)
    await expectKnown(at, true)
    await at.say('/rewind HERE')
    await expectKnown(at, false)
    await sayMuch(at)
    await expectKnown(at, false)
    await expectBoat(at)
  })

  test('is what a rewind dropped, once that is undone', async () => {
    const at = await started()
    await at.say('/mark HERE')
    await at.say(FACT)
    await sayMuch(at)
    await at.say('/rewind HERE')
    await expectKnown(at, false)
    await at.say('/undo')
    await expectKnown(at, true)
  })

  test('is gone from the turn itself, once that rewinds', async () => {
    let calls = 0
    const at = await started({
      answer: ({ messages }) =>
        messages.some(({ text }) => text.endsWith(QUESTION)) && calls++ === 0
          ? { calls: [slash('clear', 'HERE')] }
          : { text: 'ok' },
    })
    await at.say('/mark HERE')
    await at.say(FACT)
    await sayMuch(at)
    const before = at.chat.prompts.length
    await at.say(QUESTION)
    const known = at.chat.prompts.slice(before).map((prompt) => JSON.stringify(prompt).includes('Meyer'))
    expect(known).toEqual([true, false])
    await expectLawful(at)
  })

  test('is nothing of a fork that was left, nor of one that goes on', async () => {
    const at = await started()
    await at.say('/fork')
    await at.say(FACT)
    await sayMuch(at)
    await expectKnown(at, true)
    await at.say('/switch main')
    await expectKnown(at, false)
    await at.say(`/switch ${(await children(at)).at(-1)}`)
    await at.say('/exit')
    await expectKnown(at, false)
    await expectBoat(at)
  })

  test('is what a fork said and somebody saved', async () => {
    const at = await started()
    await at.say('/fork')
    await at.say(FACT)
    const fork = await at.branch()
    await at.say('/switch main')
    await expectKnown(at, false)
    await saveFork(at, fork)
    await sayMuch(at)
    await expectKnown(at, true)
  })

  test('is nothing that a child said, and there is nothing for a child', async () => {
    const at = await started({ answer: (prompt) => ({ text: isChilds(prompt) ? FACT : 'ok' }) })
    const before = at.chat.prompts.length
    await at.say('/fork -- What is the name of our boat?')
    const childs = at.chat.prompts.slice(before).filter(isChilds)
    expect(childs.map(memoryIn)).toEqual([undefined])
    const [handle = ''] = await children(at)
    const said = (await at.events('message-added')).filter(({ message }) => message.text === FACT)
    expect(said.map(({ branch }) => branch)).toEqual([await idOf(at, handle)])
    await expectKnown(at, false)
    await expectBoat(at)
  })

  test.each(['/clear', '/new'])('is nothing from before a %s, unless that is wanted', async (command) => {
    const at = await forgetful()
    await expectKnown(at, true)
    await at.say(command)
    await expectKnown(at, false)
    await at.say('Our boat is called Elsa.')
    await sayMuch(at)
    await expectKnown(at, false)
    await expectBoat(at)
    at.settings = { ...at.settings, recall: { ...RECALL, acrossClear: true } }
    await expectKnown(at, true)
  })
})

/** Summed up by hand, since nothing else does it under `explicit`. */
async function compacted(options: TalkOptions): Promise<{ at: Talk; recall: NaiveRecall }> {
  let recall: NaiveRecall | undefined
  const at = await talk({ summarise, ...options, recall: (log) => (recall = naiveRecall(log)) })
  await at.say(FACT)
  await sayMuch(at, 6)
  await at.say('/compact')
  return { at, recall: recall as NaiveRecall }
}

describe('nothing is looked for', () => {
  test('under the policy explicit, however it was chosen', async () => {
    for (const policy of ['managed', 'explicit'] as const) {
      const { at, recall } = await compacted({ window: { policy } })
      expect((await at.events('context-compacted')).length).toBeGreaterThan(0)
      await expectKnown(at, policy === 'managed')
      const other = policy === 'managed' ? 'explicit' : 'managed'
      await at.say(`/context policy ${other}`)
      const before = recall.searches.length
      await expectKnown(at, other === 'managed')
      expect(recall.searches.length - before).toBe(other === 'managed' ? 1 : 0)
    }
  })

  test.each(['hello', 'Hi!', 'Thanks!', 'Thank you very much', 'ok', 'Yes.', 'Good morning', 'why?', '…'])(
    'with %j, though it was said before',
    async (text) => {
      const { at, recall } = await compacted({})
      await at.say(text)
      await sayMuch(at)
      await at.say('/compact')
      recall.searches.length = 0
      expect(await memoryFor(at, text)).toBeUndefined()
      expect(recall.searches).toEqual([])
      await expectKnown(at, true)
    },
  )

  test('and what says only that comes back for nobody', async () => {
    const at = await forgetful()
    const quoted = quotedIn(await memoryFor(at, QUESTION)).map((text) => text.split('\n').at(-1))
    expect(quoted).toEqual([FACT])
  })
})
