import { describe, expect, test } from 'vitest'
import { stage, type Stage } from '../../../test/agent/stage.ts'
import { naiveRecall, type NaiveRecall } from '../../../test/recall-double.ts'
import { IndexError } from '../../recall/contract/index-error.ts'

const DAY = 86_400_000

/** The model answers every message with a thank-you; two days lie between what is said. */
async function told(...texts: string[]): Promise<Stage> {
  const at = await stage({ settings: { model: 'kind' }, models: { kind: kindModel }, recall: naiveRecall })
  for (const text of texts) {
    await at.say(text)
    await at.clock.pass(2 * DAY)
  }
  return at
}

const kindModel = {
  name: 'kind',
  contextTokens: 100_000,
  call: async () => ({
    text: 'Good to know.',
    reasoning: [],
    calls: [],
    finish: 'stop' as const,
    usage: { tokensIn: 1, tokensOut: 1, tokensCached: 0, tokensCacheWritten: 0 },
  }),
}

async function answer(at: Stage, line: string): Promise<string> {
  const said = await at.say(line)
  expect(said).toHaveLength(1)
  return said[0] ?? ''
}

describe('/recall', () => {
  test('says when, who, where, and what was said; the best first', async () => {
    const at = await told(
      'My dentist is Dr. Meyer.',
      'The weather is fine.',
      'Dr. Meyer moved away, the dentist.',
    )
    const lines = (await answer(at, '/recall dentist Meyer moved')).split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^1\. 2026-03-05 Thu 09:30, you, main at \d+$/),
      'Dr. Meyer moved away, the dentist.',
      '',
      expect.stringMatching(/^2\. 2026-03-01 Sun 09:30, you, main at \d+$/),
      'My dentist is Dr. Meyer.',
    ])
  })

  test('every message is found by a word that only it has, though no context shows it', async () => {
    const at = await told('zanzibar', 'quokka', 'obelisk')
    await at.say('/clear')
    for (const word of ['zanzibar', 'quokka', 'obelisk'])
      expect(await answer(at, `/recall ${word}`)).toMatch(new RegExp(`\\(cleared\\)\\n${word}$`))
  })

  test('what is wanted of whom and when is passed on, with days as the person knows them', async () => {
    const at = await told('tea one', 'tea two', 'tea three')
    expect(await answer(at, '/recall --since 2026-03-03 --until 2026-03-03 tea')).toMatch(/^1\. .*\ntea two$/)
    expect(await answer(at, '/recall tea --limit 1 --since 3d')).toMatch(/^1\. .*\ntea three$/)
    expect(await answer(at, '/recall --by you know')).toMatch(/^1\. .*, assistant, .*\nGood to know\.$/)
    expect(await answer(at, '/recall --by me know')).toMatch(/^Nothing was found for 'know'\./)
    expect(await answer(at, '/recall --since 2026-03-04 --until 2026-03-03 tea')).toBe(
      '--since is after --until, so nothing can be found.',
    )
  })

  test('that there is more is said', async () => {
    const at = await told('tea one', 'tea two', 'tea three')
    expect((await answer(at, '/recall --limit 2 tea')).split('\n')[0]).toBe(
      'These are the best 2; there are more: --limit N shows them.',
    )
  })

  test('nothing found is said plainly, with what to try', async () => {
    const at = await told('tea')
    expect(await answer(at, '/recall plumber')).toBe(
      "Nothing was found for 'plumber'. Try other or fewer words.",
    )
    expect(await answer(at, '/recall --by Anna tea')).toBe(
      "Nothing was found for 'tea': nobody called 'Anna' ever spoke here. --by takes me and you (the assistant); nobody else spoke.",
    )
  })

  test('without a word to look for it says how it is used', async () => {
    const at = await told()
    expect(await answer(at, '/recall')).toMatch(
      /^\/recall needs words to search for\. Usage: \/recall WORDS or /,
    )
    expect(await answer(at, '/recall ?!')).toBe("'?!' has no word to search for. Usage: /recall WORDS")
  })

  test('mended words and an index that is still being built are told', async () => {
    const at = await told('We fly to Sicily.')
    const recall = at.recall as NaiveRecall
    recall.aside = {
      repaired: [{ typed: 'Sicliy', taken: 'Sicily' }],
      behind: { events: 12_000, vectors: 0 },
    }
    expect((await answer(at, '/recall Sicliy')).split('\n').slice(0, 2)).toEqual([
      "Looked for 'Sicily' instead of 'Sicliy'.",
      'The index is still being built: 12,000 events are missing.',
    ])
  })

  test('--why explains the order', async () => {
    const at = await told('My dentist is Dr. Meyer.')
    expect(await answer(at, '/recall --why dentist appointment')).toMatch(
      /\nscore 0\.50 = words 0\.50 × age 1\.00; it has dentist$/,
    )
  })

  test('text of others cannot steer a terminal', async () => {
    const at = await told('tea \u001B[2J\u202E over')
    expect(await answer(at, '/recall tea')).toMatch(/\ntea �\[2J� over$/)
  })

  test('it writes what was typed and answered, and touches no context', async () => {
    const at = await told('tea')
    const before = (await at.all()).length
    await at.say('/recall tea')
    const kinds = (await at.all()).slice(before).map(({ kind }) => kind)
    expect(kinds).toEqual(['command-run', 'delivery-intended', 'delivery-done'])
  })

  test('it acts at once while a turn runs', async () => {
    const go = Promise.withResolvers<void>()
    const slow = { ...kindModel, call: async () => (await go.promise, kindModel.call()) }
    const at = await stage({ settings: { model: 'slow' }, models: { slow } })
    await at.type('tea')
    await at.clock.pass(1)
    expect(await at.type('/recall tea')).toMatchObject({
      kind: 'done',
      said: { text: expect.stringContaining('tea') },
    })
    go.resolve()
    await at.settle()
  })

  test('an index that cannot be used is a refusal, not the end', async () => {
    const at = await told('tea')
    at.recall.search = async () => {
      throw new IndexError('full', 'no room left to write the search index')
    }
    expect(await answer(at, '/recall tea')).toBe('The search failed: no room left to write the search index.')
  })
})
