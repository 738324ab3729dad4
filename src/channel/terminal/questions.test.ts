import { expect, test } from 'vitest'
import type { Key } from './keys.ts'
import { type Picker, pickerOf } from './picker.ts'
import type { Happening, Question } from './port.ts'
import { type Questions, UNREAD_MS, answeredBy, noQuestions, questionsAfter } from './questions.ts'

const question = (approval: number, until: number | null = null): Question => ({
  approval,
  title: `May it? (approval ${approval})`,
  choices: [
    { label: 'Approve', command: `/approve ${approval}` },
    { label: 'Deny', command: `/deny ${approval}` },
  ],
  until,
})
const asked = (approval: number): Happening => ({ kind: 'question-asked', question: question(approval) })
const closed = (approval: number): Happening => ({ kind: 'question-closed', approval, how: 'answered' })
const answer: Happening = { kind: 'entry', entry: { kind: 'answer', text: 'a', at: 0, branch: 'main' } }
const after = (...happenings: readonly Happening[]): Questions =>
  happenings.reduce((questions, happening) => questionsAfter(questions, happening, 0), noQuestions)
const digit = (text: string): Key => ({ kind: 'text', text })
const picked = (questions: Questions, key: Key, now = UNREAD_MS): string | undefined =>
  answeredBy(questions, key, now)?.choice?.command

test('a digit picks of the newest question, once it can have been read', () => {
  const questions = after(asked(1), asked(2))
  expect(picked(questions, digit('1'), UNREAD_MS - 1)).toBeUndefined()
  expect(picked(questions, digit('1'))).toBe('/approve 2')
  expect(picked(questions, digit('2'))).toBe('/deny 2')
})

test.each(['0', '3', '9', '12', 'x', '１', ''])('%j picks nothing of two choices', (text) =>
  expect(picked(after(asked(1)), digit(text))).toBeUndefined(),
)

test('a pasted digit picks nothing', () =>
  expect(picked(after(asked(1)), { kind: 'paste', text: '1' })).toBeUndefined())

test('what was picked is asked no more, and the one before it has to be read first', () => {
  const { questions = noQuestions } = answeredBy(after(asked(1), asked(2)), digit('1'), UNREAD_MS) ?? {}
  expect(questions.open.map(({ approval }) => approval)).toEqual([1])
  expect(picked(questions, digit('1'), 2 * UNREAD_MS - 1)).toBeUndefined()
  expect(picked(questions, digit('1'), 2 * UNREAD_MS)).toBe('/approve 1')
})

test('one that is closed behind the newest changes nothing for the newest', () =>
  expect(after(asked(1), asked(2), closed(1))).toEqual(after(asked(2))))

test('the same question asked again is asked once', () =>
  expect(after(asked(1), asked(1)).open).toHaveLength(1))

test.each<[string, Happening]>([
  ['an answer', answer],
  ['a piece of one', { kind: 'piece', text: 'a' }],
])('%s puts all questions aside, and Tab turns to the newest alone', (_, spoken) => {
  const aside = after(asked(1), asked(2), spoken)
  expect(picked(aside, digit('1'))).toBeUndefined()
  expect(answeredBy(aside, { kind: 'escape' }, UNREAD_MS)).toBeUndefined()
  const { questions = noQuestions } = answeredBy(aside, { kind: 'tab' }, UNREAD_MS) ?? {}
  const taken = answeredBy(questions, digit('1'), UNREAD_MS)
  expect(taken?.choice?.command).toBe('/approve 2')
  expect(picked(taken?.questions ?? noQuestions, digit('1'), 9_999)).toBeUndefined()
})

test('a question that comes while others are aside is asked', () =>
  expect(picked(after(asked(1), answer, asked(2)), digit('1'))).toBe('/approve 2'))

test('Tab and Escape mean nothing where nothing is asked, and Tab nothing where it is asked already', () => {
  for (const kind of ['tab', 'escape'] as const)
    expect(answeredBy(noQuestions, { kind }, UNREAD_MS)).toBeUndefined()
  expect(answeredBy(after(asked(1)), { kind: 'tab' }, UNREAD_MS)).toBeUndefined()
})

test('seconds are those that are left, and never less than none', () => {
  const questions = questionsAfter(noQuestions, { kind: 'question-asked', question: question(1, 60_000) }, 0)
  const leftAt = (now: number): Picker['leftMs'] | undefined =>
    pickerOf(questions, { isInputEmpty: true, now })?.leftMs
  expect([leftAt(0), leftAt(59_999), leftAt(70_000)]).toEqual([60_000, 1, 0])
})
