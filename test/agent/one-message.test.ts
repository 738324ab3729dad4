import { describe, expect, test } from 'vitest'
import { ModelError } from '../../src/model/contract/model.ts'
import { ruleModel } from './doubles.ts'
import { expectLawful } from './lawful.ts'
import {
  compactions,
  expectNothingLost,
  sayTurns,
  shownNow,
  talk,
  type Talk,
  type TalkOptions,
} from './talk.ts'

const words = (count: number): string => 'word '.repeat(count)

const SIZE =
  /^Your message alone does not fit into chat: it has about (\d+) tokens, and besides AGENTS\.md, the tools and the answer, (\d+) of its 2500 are left\. /
const MODEL = 'Or choose a model with a larger context (/model NAME) and type /retry: your message is kept.'
const EXPLICIT = { policy: 'explicit' } as const

/** Whoever answers takes 2,500 tokens; `large` takes a hundred thousand. */
function small(options: TalkOptions = {}): Promise<Talk> {
  const large = ruleModel(() => ({ text: 'read it all' }), { name: 'large' })
  return talk({ contextTokens: 2_500, models: { large }, ...options })
}

test('a model that is too small for what every prompt begins with is told as that, with what helps', async () => {
  const at = await talk({ contextTokens: 1_000 })
  expect(await at.say('hi')).toEqual([
    expect.stringMatching(
      /^AGENTS\.md, the tools and the room for an answer already fill chat \(about \d+ of the 1000 tokens it takes\)\. Shorten AGENTS\.md and \/reload, or lower chatMaxTokens, or choose a model with a larger context/,
    ),
  ])
})

describe('one message that is too large by itself', () => {
  test('is refused with its size, with what there is room for, and with what helps', async () => {
    const at = await small()
    const [refused = ''] = await at.say(words(3_000))
    const [, size, left] = SIZE.exec(refused) ?? []
    expect(Number(size)).toBeGreaterThan(2_900)
    expect(Number(left)).toBeLessThan(1_500)
    expect(refused.replace(SIZE, '')).toBe(`Send it in smaller parts. ${MODEL}`)
    expect(at.chat.prompts).toEqual([])
    await expectLawful(at)
  })

  test('is told of in the same way where much was said before, which nothing is done to', async () => {
    const at = await small()
    await sayTurns(at, 3, () => words(200))
    const [refused = ''] = await at.say(words(2_000))
    expect(refused).toMatch(SIZE)
    expect(refused).not.toContain('/clear')
    expect(await compactions(at)).toEqual([])
  })

  test('may be sent in smaller parts: the long one is summed up then', async () => {
    const at = await small()
    await at.say(words(3_000))
    expect(await at.say(words(500))).toEqual([expect.stringMatching(/^Summarized 1 older message /), 'ok'])
    expect(await at.say(words(500))).toContain('ok')
    await expectNothingLost(at)
  })

  test('is answered by a model that takes more after /model and /retry', async () => {
    const at = await small()
    await sayTurns(at, 2)
    await at.say(words(3_000))
    expect(await at.say('/retry')).toEqual(['Trying again.', expect.stringMatching(SIZE)])
    await at.say('/model large')
    expect(await at.say('/retry')).toEqual(['Trying again.', 'read it all'])
    await expectLawful(at)
  })

  test('is taken out first where nothing leaves by itself', async () => {
    const at = await small({ window: EXPLICIT })
    await at.say('hello')
    await at.say('/mark A')
    const [refused = ''] = await at.say(words(3_000))
    expect(refused.replace(SIZE, '')).toBe(
      `/clear or /rewind MARK takes it out; then send it in smaller parts. ${MODEL}`,
    )
    expect(await at.say('/rewind A')).toHaveLength(1)
    expect(await at.say(words(500))).toEqual(['ok'])
    expect(await shownNow(at)).toBe(4)
    await at.say(words(3_000))
    await at.say('/clear')
    expect(await at.say(words(500))).toEqual(['ok'])
    await expectNothingLost(at)
  })

  test('by the count of the provider is told of when there is little else', async () => {
    const at = await talk({
      answer: ({ messages }) => {
        if (messages.some(({ text }) => text.length > 5_000))
          throw new ModelError('overflow', 'chat: too long')
        return { text: 'ok' }
      },
    })
    await at.say('hello')
    expect((await at.say(words(2_000))).at(-1)).toMatch(
      /^chat: too long\. The context has little besides your message, which is about 2\d{3} tokens\. Send it in smaller parts\. Or choose/,
    )
    expect((await at.say('in short')).at(-1)).toBe('ok')
    await expectLawful(at)
  })

  test('of a child is told of as its task', async () => {
    const at = await small()
    const told = (await at.say(`/fork -- ${words(3_000)}`)).join('\n')
    expect(told).toMatch(/\w{6} failed: The task alone does not fit into chat: it has about 3\d{3} tokens/)
    const [mail] = await at.events('mail-sent')
    expect(mail?.text).toMatch(
      /The task is kept; choose a model with a larger context \(\/model NAME\); \/switch \w{6} and \/retry continue it\.$/,
    )
  })
})

test('a message that would fit alone is told of with what makes room for it', async () => {
  const at = await small({ window: EXPLICIT })
  await sayTurns(at, 4, () => words(250))
  expect(await at.say(words(600))).toEqual([
    expect.stringMatching(
      /^The conversation does not fit into chat: .* \/clear or \/rewind MARK makes room;/,
    ),
  ])
})
