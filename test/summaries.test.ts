import { describe, expect, test } from 'vitest'
import { compactions, measureSummaries, summaryTable, survival, tells, type Age } from '../bench/summaries.ts'
import { fixtureSets, loadConversations } from '../bench/summary-fixtures.ts'
import { estimateTokens } from '../src/base/tokens.ts'
import { extractSummary } from '../src/model/extract/extract.ts'

const conversations = fixtureSets.flatMap((set) => loadConversations(set))
const measures = fixtureSets.flatMap((set) => measureSummaries(set))

function share(set: string, summariser: string, age: Age): number {
  const measure = measures.find((one) => one.set === set && one.summariser === summariser)
  const { facts, kept } = survival((measure?.outcomes ?? []).filter((outcome) => outcome.age === age))
  return kept / facts
}

describe('the fixtures', () => {
  test.each(conversations)('$name: each fact is told where it says', ({ messages, facts }) => {
    const untold = facts.filter((fact) => {
      const near = messages.slice(Math.max(0, fact.messageIndex - 2), fact.messageIndex + 1)
      return !tells(near.map((message) => message.text.replaceAll(/\s+/g, ' ')).join(' '), fact)
    })
    expect(untold).toEqual([])
    expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length)
  })

  test.each(conversations)('$name: what supersedes a fact is told after it', ({ facts }) => {
    const outOfOrder = facts.filter(({ messageIndex, supersededBy }) => {
      if (supersededBy === undefined) return false
      return !facts.some((later) => later.id === supersededBy && later.messageIndex > messageIndex)
    })
    expect(outOfOrder).toEqual([])
  })

  test('a conversation has 60 to 400 messages, the same each time', () => {
    for (const { messages } of conversations) {
      expect(messages.length).toBeGreaterThanOrEqual(60)
      expect(messages.length).toBeLessThanOrEqual(400)
    }
    expect(fixtureSets.flatMap((set) => loadConversations(set))).toEqual(conversations)
  })
})

describe('the ruler', () => {
  const fact = { mustContain: ['15', 'meeting|call'] }

  test('asks for all words in one line, as whole words', () => {
    expect(tells('the call is on the 15th at 15', fact)).toBe(true)
    expect(tells('the call is at 150', fact)).toBe(false)
    expect(tells('the call\nat 15', fact)).toBe(false)
    expect(tells('at 15 we meet', fact)).toBe(false)
  })

  test('finds a number between characters of a script without spaces', () =>
    expect(tells('房租每个月6800元', { mustContain: ['6800'] })).toBe(true))

  test('a summary that tells nothing keeps no fact', () => {
    for (const { facts } of conversations)
      for (const one of facts) expect(tells('- nothing', one)).toBe(false)
  })
})

test('the table has a line for every way of summing up, and one for every kind of fact', () => {
  const rows = summaryTable(measures).split('\n')
  expect(rows.filter((row) => / all /.test(row))).toHaveLength(measures.length)
  expect(rows.filter((row) => / ours .* promise /.test(row))).toHaveLength(fixtureSets.length)
})

describe('compactions of the fixtures', () => {
  test.each(conversations)(
    '$name: no summary is longer than its limit, and none is empty',
    (conversation) => {
      for (const summary of compactions(conversation, extractSummary)) {
        expect(estimateTokens(summary)).toBeLessThanOrEqual(500)
        expect(summary).not.toBe('')
      }
    },
  )

  test.each(conversations)('$name: a summary folded in with nothing new stays as it is', (conversation) => {
    for (const summary of compactions(conversation, extractSummary))
      expect(extractSummary({ previous: summary, messages: [], tokensMax: 500 })).toBe(summary)
  })

  test.each([
    [1, 0.9],
    [3, 0.9],
    [10, 0.82],
  ] as const)('of the facts that it was tuned on, after %i at least %f are left', (age, floor) =>
    expect(share('dev', 'ours', age)).toBeGreaterThanOrEqual(floor),
  )

  test.each(fixtureSets)('%s: after three and ten, more is left than by any simpler way', (set) => {
    const others = [...new Set(measures.map(({ summariser }) => summariser))].filter(
      (name) => name !== 'ours',
    )
    expect(others.length).toBeGreaterThanOrEqual(2)
    for (const age of [3, 10] as const)
      for (const other of others) expect(share(set, 'ours', age)).toBeGreaterThan(share(set, other, age))
  })
})
