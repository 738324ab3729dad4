import { describe, expect, test } from 'vitest'
import { AT, DAY, indexOf, type Said } from '../../../test/recall-search/said.ts'
import { priorFor } from './prior.ts'
import { readQuestion } from './question.ts'

/** Of the first thing that was said; a plain one has a factor of 1. */
function prior(question: string, first: Said | string, ...others: Said[]): number {
  const index = indexOf(first, { text: 'pottery', by: 'Anna' }, { text: 'pottery', by: 'Bert' }, ...others)
  return priorFor(index, readQuestion(index, question, { asker: 'Bert' }))(0)
}

const elsewhere = { branch: 1, by: 'Cleo', text: 'pottery' }

describe('a document counts', () => {
  test.each<[string, string, Said | string, number]>([
    ['as it is', 'pottery', 'pottery', 1],
    ['twice, by the one who is named', 'Anna pottery', 'pottery', 2],
    ['a little more, by the first of two', 'Anna or Bert pottery', 'pottery', 1.3],
    ['as it is, by the second of two', 'Bert or Anna pottery', 'pottery', 1],
    ['as it is, by one of three', 'Anna, Bert or Cleo pottery', 'pottery', 1],
    ['half, where the one who is named never speaks', 'Anna pottery', elsewhere, 0.5],
    ['twice, by the asker who says I', 'did I say pottery', { by: 'Bert', text: 'pottery' }, 2],
    ['less, by the assistant', 'pottery', { by: 'assistant', text: 'pottery' }, 0.7],
    ['twice, by the assistant that is asked', 'did you say pottery', { by: 'assistant', text: 'pottery' }, 2],
    [
      'twice, by the assistant, though the asker is named beside it',
      'did you tell me pottery',
      { by: 'assistant', text: 'pottery' },
      2,
    ],
    [
      'less, by the assistant that something new is asked of',
      'can you find pottery',
      { by: 'assistant', text: 'pottery' },
      0.7,
    ],
    ['less, where it is what a tool said', 'pottery', { kind: 'tool', by: 'web', text: 'pottery' }, 0.7],
    ['less, where it is a summary', 'pottery', { kind: 'summary', by: 'model', text: 'pottery' }, 0.7],
    ['as it is, where it is a note', 'pottery', { kind: 'note', by: 'host', text: 'pottery' }, 1],
    ['as it is, where it asks', 'pottery', 'Was it pottery?', 1],
    ['more, where it is a wish and something new is asked for', 'find pottery', 'always look for pottery', 2],
    [
      'as it is, where a wish is told and something old asked for',
      'was it pottery',
      'always look for pottery',
      1,
    ],
    [
      'less, where the assistant has a rule',
      'find pottery',
      { by: 'assistant', text: 'Always dry pottery' },
      0.7,
    ],
    ['more, where it tells of the one who speaks', 'pottery', 'my pottery', 1.2],
    ['more, where a time is asked for and told', 'When was pottery?', 'pottery was yesterday', 1.4],
    ['as it is, where a time is told and not asked for', 'pottery', 'pottery was yesterday', 1],
    ['more, where a number is asked for and told', 'How many classes?', 'pottery has 30 classes', 1.2],
    ['four times, on the day', 'pottery on 10 May 2023', 'pottery', 4],
    ['three times, in the month', 'pottery in May', 'pottery', 3],
    ['twice, in the year', 'pottery in 2023', 'pottery', 2],
    ['as it is, in another year', 'pottery in 2021', 'pottery', 1],
    ['half of more, soon after the month', 'pottery in May', { text: 'pottery', at: AT + 25 * DAY }, 2],
  ])('%s: %j', (_, ...[question, said, expected]) => {
    const others = question.includes('Cleo') ? [elsewhere] : []
    expect(prior(question, said, ...others)).toBeCloseTo(expected, 10)
  })

  test('by all of what speaks for it', () => {
    expect(prior('When did Anna go in May?', 'I went yesterday')).toBeCloseTo(2 * 1.2 * 1.4 * 3, 10)
  })

  test('half in the branches of others, and as it is in all of one’s own', () => {
    const index = indexOf(
      { by: 'Anna', text: 'pottery' },
      { by: 'Bert', text: 'pottery', branch: 1 },
      { by: 'Anna', text: 'pottery', branch: 2 },
      { by: 'Bert', text: 'pottery', branch: 2 },
    )
    const of = priorFor(index, readQuestion(index, 'Anna pottery', {}))
    expect([0, 1, 2, 3].map(of)).toEqual([2, 0.5, 2, 1])
  })
})
