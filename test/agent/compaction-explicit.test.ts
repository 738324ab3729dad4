import { builtIn } from '../../src/tool/tool.ts'
import { describe, expect, test } from 'vitest'
import { ModelError } from '../../src/model/contract/model.ts'
import { expectEmpty, expectLawful } from './lawful.ts'
import { child, dialogue, ended, idOf } from './rig.ts'
import {
  compactions,
  expectNothingLost,
  promptNow,
  sayTurns,
  shownNow,
  summariesNow,
  talk,
  type Talk,
  type TalkOptions,
} from './talk.ts'

const EXPLICIT = { policy: 'explicit' } as const
const words = (count: number): string => 'word '.repeat(count)

async function expectWhole(at: Talk): Promise<void> {
  await expectLawful(at)
  await expectEmpty(at.log)
  await expectNothingLost(at)
}

describe('under the explicit policy', () => {
  test('nothing ever leaves by itself, however many messages there are', async () => {
    const at = await talk({ window: EXPLICIT })
    await sayTurns(at, 30)
    expect(await compactions(at)).toEqual([])
    expect(await shownNow(at)).toBe(60)
    expect(at.chat.prompts.at(-1)?.messages).toHaveLength(59)
    expect(at.summariser.prompts).toEqual([])
    await expectWhole(at)
  })

  test('the person compacts, and undoes it, as anywhere', async () => {
    const at = await talk({ window: EXPLICIT })
    await sayTurns(at, 6)
    const before = await promptNow(at)
    expect(await at.say('/compact')).toEqual([expect.stringMatching(/^Summarized 8 older messages/)])
    expect(await summariesNow(at)).toHaveLength(1)
    await at.say('/undo')
    expect(await promptNow(at)).toBe(before)
    await expectWhole(at)
  })
})

/** Of 2,500 tokens about 1,080 are taken by the rest of the prompt and the answer. */
function near(options: TalkOptions = {}): Promise<Talk> {
  return talk({ window: EXPLICIT, contextTokens: 2_500, ...options })
}

describe('near the limit of the model the person is told what to do', () => {
  const NEAR =
    /^The context is 9\d % full: about \d+ of the 2500 tokens that chat takes\. Older messages are not summarized automatically here\. \/compact summarizes the older part, \/rewind MARK or \/clear removes it, and \/undo brings it back\. \/context shows what is in it\.$/

  test('once, and not in every turn', async () => {
    const at = await near()
    await dialogue(at, [
      [words(1_000), 'ok'],
      [words(160), NEAR, 'ok'],
      [words(10), 'ok'],
      [words(10), 'ok'],
    ])
    await expectWhole(at)
  })

  test('also when the answer, and not the question, brought it there', async () => {
    const at = await near({ answer: () => ({ text: words(200) }) })
    await at.say(words(960))
    expect((await at.say('hi'))[0]).toMatch(NEAR)
  })

  test('once in a turn of many steps, and not again after a restart', async () => {
    let calls = 0
    const dig = {
      spec: { name: 'dig', description: '', parameters: {} },
      nature: builtIn('looks'),
      run: async () => ({ text: words(20), isError: false }),
    }
    const answer: TalkOptions['answer'] = () =>
      calls++ < 4 ? { calls: [{ id: 'c', tool: 'dig', args: {} }] } : { text: 'ok' }
    const at = await near({ tools: [dig], answer })
    const sent = await at.say(words(1_100))
    expect(sent).toEqual([expect.stringMatching(NEAR), 'ok'])
    const again = await near({ ...(await ended(at)), tools: [dig], seed: 8 })
    expect(await again.say('hi')).toEqual(['ok'])
  })

  test('again when a change brought it there again, or when another model takes less', async () => {
    const at = await near()
    await at.say(words(1_000))
    await at.say('/mark A')
    expect((await at.say(words(160)))[0]).toMatch(NEAR)
    await at.say('/rewind A')
    expect((await at.say(words(160)))[0]).toMatch(NEAR)
    await at.say('/clear')
    expect(await at.say('hi')).toEqual(['ok'])
    await at.say('/undo')
    expect((await at.say('hi'))[0]).toMatch(NEAR)
    at.settings = { ...at.settings, model: 'offline' }
    expect(await at.say('hi')).toHaveLength(1)
    at.settings = { ...at.settings, model: 'chat' }
    expect((await at.say('hi'))[0]).toMatch(NEAR)
  })

  test('under the managed policy nobody is told: room is made', async () => {
    const at = await near({ window: { policy: 'managed', thresholdMessages: 40, truncationMessages: 100 } })
    await at.say(words(1_000))
    const sent = await at.say(words(160))
    expect(sent).toEqual(['ok', expect.stringMatching(/^Summarized 2 older messages/)])
  })
})

describe('a turn that does not fit', () => {
  const ADVICE =
    '/clear or /rewind MARK makes room; then say it again. /undo brings the messages back. Or sum up the older part with /compact, or choose a model with a larger context (/model NAME) and type /retry: your message is kept.'

  test('is refused with what to do, and nothing is lost or summed up', async () => {
    const at = await talk({ window: EXPLICIT, contextTokens: 2_500 })
    for (let turn = 0; turn < 4; turn++) await at.say(words(250))
    const before = await promptNow(at)
    const [refused] = await at.say(words(500))
    expect(refused).toBe(
      `The conversation does not fit into chat: about ${/about (\d+)/.exec(refused ?? '')?.[1]} tokens with the answer, and its limit is 2500. ${ADVICE}`,
    )
    expect(await compactions(at)).toEqual([])
    expect((await promptNow(at)).startsWith(before.slice(0, before.indexOf(']')))).toBe(true)
    expect(await shownNow(at)).toBe(9)
    expect(await at.say('/compact')).toEqual([expect.stringMatching(/^Summarized \d older messages/)])
    expect(await at.say('/retry')).toEqual(['Trying again.', expect.stringMatching(/^The context is|^ok/)])
    await expectWhole(at)
  })

  test('by the count of the provider is refused too, and is not summed up', async () => {
    let isFull = true
    const at = await talk({
      window: EXPLICIT,
      answer: () => {
        if (isFull) throw new ModelError('overflow', 'chat: too long for me')
        return { text: 'ok' }
      },
    })
    isFull = false
    await sayTurns(at, 3)
    isFull = true
    expect(await at.say('hi')).toEqual([`chat: too long for me. ${ADVICE}`])
    expect(await compactions(at)).toEqual([])
    await expectWhole(at)
  })
})

describe('/context policy', () => {
  test('holds for its branch, is shown, survives a restart, and can be changed back', async () => {
    const at = await talk()
    expect(await at.say('/context policy explicit')).toEqual([
      'Automatic summaries are off. Only your commands change this context.',
    ])
    expect((await at.say('/context'))[0]).toContain(
      'Automatic summaries are off. Only your commands change this context.',
    )
    await sayTurns(at, 6)
    const again = await talk({ ...(await ended(at)), seed: 8 })
    await sayTurns(again, 6)
    expect(await compactions(again)).toEqual([])
    expect(await again.say('/context policy managed')).toEqual([
      'Automatic summaries are on: older messages are summarized as the context grows. /expand restores them.',
    ])
    expect((await again.say('/context'))[0]).not.toContain('Policy')
    await again.say('go on')
    expect(await compactions(again)).toEqual(['summariser'])
    await expectWhole(again)
  })

  test('goes against the configuration in both directions', async () => {
    const at = await talk({ window: EXPLICIT })
    await at.say('/context policy managed')
    await sayTurns(at, 5)
    expect(await compactions(at)).toEqual(['summariser'])
  })

  test('is inherited by forks as it is then: what the parent is told later does not change them', async () => {
    const at = await talk()
    await at.say('/context policy explicit')
    await at.say('/fork')
    const fork = await child(at)
    await sayTurns(at, 6)
    expect(await compactions(at)).toEqual([])
    await at.say('/switch main')
    await at.say('/context policy managed')
    await at.say(`/switch ${fork}`)
    await at.say('still explicit')
    expect(await compactions(at)).toEqual([])
    await at.say('/switch main')
    await sayTurns(at, 5)
    expect(await compactions(at)).toEqual(['summariser'])
    expect((await at.events('context-compacted'))[0]?.branch).not.toBe(await idOf(at, fork))
    await expectLawful(at)
  })
})
