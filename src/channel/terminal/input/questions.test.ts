import { expect, test } from 'vitest'
import type { Key } from './keys.ts'
import { type Picker, pickerOf } from '../screen/picker.ts'
import type { Question, ScreenHappening } from '../port.ts'
import {
  type Questions,
  UNREAD_MS,
  answeredBy,
  isTyped,
  noQuestions,
  questionsAfter,
  settledAnswer,
} from './questions.ts'

const question = (approval: number, until: number | null = null): Question => ({
  approval,
  title: `May it? (approval ${approval})`,
  about: 'this',
  unshown: null,
  choices: [
    { label: 'Approve', command: `/approve ${approval}` },
    { label: 'Deny', command: `/deny ${approval}` },
  ],
  until,
})
const asked = (approval: number): ScreenHappening => ({
  kind: 'question-asked',
  question: question(approval),
  where: 'in-front',
})
const call = (approval: number): ScreenHappening => ({
  kind: 'question-asked',
  question: { ...question(approval, 1_000), isCall: true },
  where: 'in-front',
})
const closed = (approval: number): ScreenHappening => ({ kind: 'question-closed', approval, how: 'answered' })
const answer: ScreenHappening = {
  kind: 'entry',
  entry: { kind: 'answer', text: 'a', at: 0, branch: 'main', drawsAnswer: true },
}
const after = (...happenings: readonly ScreenHappening[]): Questions =>
  happenings.reduce((questions, happening) => questionsAfter(questions, happening, 0), noQuestions)
const digit = (text: string): Key => ({ kind: 'text', text })
const enter: Key = { kind: 'enter' }

/** All keys one after the other, none of which is text: what they say, and what is left to ask. */
function pressed(
  questions: Questions,
  keys: readonly Key[],
  now = UNREAD_MS,
): { said: string[]; left: Questions; typed: string } {
  const said: string[] = []
  let [left, typed] = [questions, '']
  for (const key of keys) {
    const answered = typed === '' ? answeredBy(left, key, now) : undefined
    left = answered?.questions ?? left
    if (answered?.kind === 'chosen') said.push(answered.choice.command)
    if (answered?.kind === 'typed') typed += answered.digit
    if (answered === undefined || answered.kind === 'typed') typed += key.kind === 'text' ? key.text : ''
  }
  return { said, left, typed }
}

const picked = (questions: Questions, key: Key, now = UNREAD_MS): string | undefined =>
  pressed(questions, [key, enter], now).said[0]

test('a digit lights a choice of the newest question, once it can have been read, and Enter says it', () => {
  const questions = after(asked(1), asked(2))
  expect(picked(questions, digit('1'), UNREAD_MS - 1)).toBeUndefined()
  expect(pressed(questions, [digit('1')])).toMatchObject({ said: [], typed: '' })
  expect(picked(questions, digit('1'))).toBe('/approve 2')
  expect(picked(questions, digit('2'))).toBe('/deny 2')
})

test('a call is asked before proposals and the oldest call first, as a typed y answers them', () => {
  const questions = after(asked(1), call(2), call(3), asked(4))
  expect(picked(questions, digit('1'))).toBe('/approve 2')
  expect(picked(questionsAfter(questions, closed(2), 0), digit('1'))).toBe('/approve 3')
})

test.each([
  ['a letter', [digit('2'), digit(' '), digit('eggs')], '2 eggs'],
  ['a digit', [digit('1'), digit('2')], '12'],
  ['the same digit', [digit('1'), digit('1')], '11'],
  ['a letter behind an arrow', [{ kind: 'right' }, digit('a')], 'a'],
] as const)('%s makes text of it, and nothing is answered', (_, keys, typed) => {
  const { said, left, ...rest } = pressed(after(asked(1)), [...keys, enter])
  expect({ said, typed: rest.typed, open: left.open.length, picked: left.picked }).toEqual({
    said: [],
    typed,
    open: 1,
    picked: null,
  })
})

test.each<[string, readonly Key['kind'][], string | undefined]>([
  ['Right', ['right'], '/approve 1'],
  ['Left', ['left'], '/deny 1'],
  ['Right twice', ['right', 'right'], '/deny 1'],
  ['Right and Down', ['right', 'down'], '/deny 1'],
  ['Left and Up', ['left', 'up'], '/approve 1'],
  ['Up alone, which brings back what was typed,', ['up'], undefined],
  ['Right and Escape', ['right', 'escape'], undefined],
  ['Enter alone', [], undefined],
])('%s and Enter', (_, kinds, said) => {
  const keys = kinds.map((kind) => ({ kind }) as Key)
  expect(pressed(after(asked(1)), [...keys, enter]).said[0]).toBe(said)
})

test('Escape takes a choice back first, and then puts the question aside', () => {
  const { left } = pressed(after(asked(1)), [digit('1'), { kind: 'escape' }])
  expect(left).toEqual(after(asked(1)))
  expect(pressed(left, [{ kind: 'escape' }]).left.open[0]?.isAside).toBe(true)
})

test.each<[string, ScreenHappening]>([
  ['another question', asked(2)],
  ['an answer of the model', answer],
  ['its end', closed(1)],
])('%s puts out what was lit, so that Enter says nothing', (_, happening) => {
  const { left } = pressed(after(asked(1)), [digit('1')])
  expect(pressed(questionsAfter(left, happening, 0), [enter]).said).toEqual([])
})

test.each(['0', '3', '9', '12', 'x', '１', ''])('%j lights nothing of two choices', (text) =>
  expect(picked(after(asked(1)), digit(text))).toBeUndefined(),
)

test('a pasted digit lights nothing', () =>
  expect(picked(after(asked(1)), { kind: 'paste', text: '1' })).toBeUndefined())

test('what was answered is asked no more, and the one before it has to be read first', () => {
  const { left } = pressed(after(asked(1), asked(2)), [digit('1'), enter])
  expect(left.open.map(({ approval }) => approval)).toEqual([1])
  expect(picked(left, digit('1'), 2 * UNREAD_MS - 1)).toBeUndefined()
  expect(picked(left, digit('1'), 2 * UNREAD_MS)).toBe('/approve 1')
})

test('what was answered comes back if it is still open when the answer was heard, and only then', () => {
  const { left } = pressed(after(asked(1), asked(2)), [digit('1'), enter])
  const back = settledAnswer(left, 2, 5)
  expect(back.open.map(({ approval }) => approval)).toEqual([1, 2])
  expect(back).toMatchObject({ since: 5, picked: null, sent: [] })
  expect(settledAnswer(questionsAfter(left, closed(2), 0), 2, 5).open).toHaveLength(1)
})

test('one that waited before is aside, and is shown whole where it was not, once', () => {
  const waited = { ...question(1), unshown: 'May it?' }
  const questions = after({ kind: 'question-asked', question: waited, where: 'aside' })
  expect(picked(questions, digit('1'))).toBeUndefined()
  const turned = answeredBy(questions, { kind: 'tab' }, UNREAD_MS)
  expect(turned).toMatchObject({ kind: 'turned', unshown: 'May it?' })
  expect(turned?.questions.open[0]).toMatchObject({ isAside: false, unshown: null })
})

test('one that is closed behind the newest changes nothing for the newest', () =>
  expect(after(asked(1), asked(2), closed(1))).toEqual(after(asked(2))))

test('the same question asked again is asked once', () =>
  expect(after(asked(1), asked(1)).open).toHaveLength(1))

test.each<[string, ScreenHappening]>([
  ['an answer', answer],
  ['a piece of one', { kind: 'piece', text: 'a' }],
])('%s puts all questions aside, and Tab turns to the newest alone', (_, spoken) => {
  const aside = after(asked(1), asked(2), spoken)
  expect(picked(aside, digit('1'))).toBeUndefined()
  expect(answeredBy(aside, { kind: 'escape' }, UNREAD_MS)).toBeUndefined()
  const { questions = noQuestions } = answeredBy(aside, { kind: 'tab' }, UNREAD_MS) ?? {}
  const { said, left } = pressed(questions, [digit('1'), enter])
  expect(said).toEqual(['/approve 2'])
  expect(picked(left, digit('1'), 9_999)).toBeUndefined()
})

const shown = (questions: Questions): Picker | null =>
  pickerOf(questions, { isInputEmpty: true, now: UNREAD_MS })

test('[SAFE4] a call that was put aside is asked again before the next one: a typed y is for the oldest', () => {
  const { left } = pressed(after(call(1)), [{ kind: 'escape' }])
  expect(shown(left)).toMatchObject({ isAside: true })
  const both = questionsAfter(left, call(2), 0)
  expect(shown(both)).toMatchObject({ title: 'May it? (approval 1)', isAside: false, isCall: true, more: 1 })
  expect(shown(questionsAfter(both, closed(1), 0))).toMatchObject({ title: 'May it? (approval 2)' })
})

test('[SAFE4] a call that a model spoke after stays aside, and no y is offered for it any more', () => {
  const both = after(call(1), answer, call(2))
  expect(shown(both)).toMatchObject({ title: 'May it? (approval 2)', isCall: true })
  const { questions = noQuestions } = answeredBy(after(call(1), answer), { kind: 'tab' }, UNREAD_MS) ?? {}
  expect(shown(questions)).toMatchObject({ title: 'May it? (approval 1)', isAside: false, isCall: false })
})

test('[SAFE4] whatever draws an answer takes the y; the output of a command does not', () => {
  const entry = { kind: 'notice', text: 'parcel finished: y or n?', drawsAnswer: true } as const
  const output = { kind: 'output', text: 'Nothing was spent.', isError: false } as const
  const typed = [entry, output].map((one) => after(call(1), { kind: 'entry', entry: one }).open.map(isTyped))
  expect(typed).toEqual([[false], [true]])
})

test('a question that comes while others are aside is asked', () =>
  expect(picked(after(asked(1), answer, asked(2)), digit('1'))).toBe('/approve 2'))

test('Tab and Escape mean nothing where nothing is asked, and Tab nothing where it is asked already', () => {
  for (const kind of ['tab', 'escape'] as const)
    expect(answeredBy(noQuestions, { kind }, UNREAD_MS)).toBeUndefined()
  expect(answeredBy(after(asked(1)), { kind: 'tab' }, UNREAD_MS)).toBeUndefined()
})

test('seconds are those that are left, and never less than none', () => {
  const questions = questionsAfter(
    noQuestions,
    { ...asked(1), question: question(1, 60_000) } as ScreenHappening,
    0,
  )
  const leftAt = (now: number): Picker['leftMs'] | undefined =>
    pickerOf(questions, { isInputEmpty: true, now })?.leftMs
  expect([leftAt(0), leftAt(59_999), leftAt(70_000)]).toEqual([60_000, 1, 0])
})
