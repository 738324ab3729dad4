import { expect, test } from 'vitest'
import { colorNames, embedColor, embedText } from './embed-text.ts'

test('a card in words is its title, its description, a line for each field, and its answers', () => {
  const fields = [
    { name: 'Branch', value: 'main' },
    { name: 'Since', value: '10:40' },
  ]
  const choices = [
    { label: 'Retry', command: 'Retry' },
    { label: 'Later', command: 'Tomorrow, please' },
  ]
  expect(embedText({ title: 'Build', description: 'It is red.', color: '#ef4444', fields }, choices)).toBe(
    'Build\nIt is red.\nBranch: main\nSince: 10:40\nAnswers: Retry · Later (Tomorrow, please)',
  )
})

test('what a card does not have leaves no line', () => expect(embedText({ title: 'Build' })).toBe('Build'))

test.each([
  ['#3B82F6', '#3b82f6'],
  ['3b82f6', '#3b82f6'],
  [' Red ', '#ef4444'],
  ['#fff', undefined],
  ['constructor', undefined],
  ['crimson', undefined],
])('the colour %j is %s', (word, color) => expect(embedColor(word)).toBe(color))

test('every colour that has a name is one', () => {
  for (const name of colorNames) expect(embedColor(name)).toMatch(/^#[\da-f]{6}$/)
})
