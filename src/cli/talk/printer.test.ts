import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Position, TurnId } from '../../event/id.ts'
import { Output } from '../frame/output.ts'
import { answerPrinter, jsonPrinter, textPrinter, type Printer } from './printer.ts'

const EVIL = 'no \u001B]0;PWNED\u0007 \u009B2J luck'

interface Streams {
  readonly printer: Printer
  readonly out: () => string
  readonly err: () => string
}

function printerOn(
  make: (outputs: { out: Output; err: Output }) => Printer,
  terminal: 'out' | 'err',
): Streams {
  const [out, err] = [taking(terminal === 'out'), taking(terminal === 'err')]
  const printer = make({ out: new Output(out.stream), err: new Output(err.stream) })
  return { printer, out: out.text, err: err.text }
}

function taking(isTTY: boolean): { stream: Writable; text: () => string } {
  let text = ''
  const stream = new Writable({
    write: (chunk, _, done) => {
      text += String(chunk)
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY }), text: () => text }
}

const said = {
  text: EVIL,
  form: 'notice',
  choices: [],
  isAgain: false,
  branch: 'main',
  from: 'main',
  turn: null,
  id: 7 as Position,
  part: 'nothing',
} as const

type Outcome = Parameters<Printer['outcome']>[1]

function outcomeOf(form: 'answer' | 'notice'): Outcome {
  return outcomeWith([{ form, text: EVIL }])
}

function outcomeWith(deliveries: Outcome['results']): Outcome {
  const results = deliveries.filter(({ form }) => form !== 'question')
  return { branch: 'main', turn: null, results, isFailed: true }
}

async function printAll({ printer }: Streams): Promise<void> {
  for (const part of ['result', 'nothing'] as const) await printer.said({ ...said, part })
  for (const form of ['answer', 'notice'] as const) await printer.outcome('hello', outcomeOf(form))
  await printer.refused('hello', EVIL)
}

test.each([
  ['text', textPrinter],
  ['answer', answerPrinter],
  ['json', jsonPrinter],
])('the %s printer gives a terminal nothing that it would obey, whichever stream it is', async (_, make) => {
  for (const terminal of ['out', 'err'] as const) {
    const streams = printerOn(make, terminal)
    await printAll(streams)
    expect(streams[terminal]()).not.toMatch(/(?!\n)\p{Cc}/u)
  }
})

test('what does not go to a terminal is spelled out, though the other stream is one', async () => {
  const { printer, out, err } = printerOn(answerPrinter, 'err')
  await printer.outcome('hello', outcomeOf('answer'))
  await printer.outcome('hello', outcomeOf('notice'))
  expect(out()).toBe('no \\x1b]0;PWNED\\x07 \\x9b2J luck\n')
  expect(err()).toBe('no \u241B]0;PWNED\u2407 \uFFFD2J luck\n')
})

test('a pipe gets what comes of other branches, and remarks on a turn go to the standard error', async () => {
  const { printer, out, err } = printerOn(textPrinter, 'err')
  await printer.said({ ...said, text: 'k3f9ab finished: found it' })
  await printer.said({ ...said, text: 'fetch was refused.', turn: 'tn_1' as TurnId })
  expect([out(), err()]).toEqual(['k3f9ab finished: found it\n', 'fetch was refused.\n'])
})

const choices = [
  { label: 'Approve', command: '/approve 3' },
  { label: 'Deny', command: '/deny 3' },
]
const question = { ...said, text: 'May it? (approval 3)', form: 'question', choices } as const

test('a question is an event with its choices, and no part of what was answered', async () => {
  const { printer, out } = printerOn(jsonPrinter, 'err')
  const asked = { form: 'question', text: question.text } as const
  await printer.said(question)
  await printer.said(said)
  await printer.outcome('hello', outcomeWith([asked, { form: 'answer', text: 'Done.' }]))
  const lines = out().trim().split('\n')
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { event: { ...asked, branch: 'main', turn: null, choices } },
    { event: { form: 'notice', text: EVIL, branch: 'main', turn: null } },
    { input: 'hello', output: 'Done.', branch: 'main', turn: null, error: true },
  ])
})

test('where the answer alone is printed, a question goes to the standard error, once', async () => {
  const { printer, out, err } = printerOn(answerPrinter, 'out')
  await printer.said(question)
  await printer.outcome('hello', outcomeWith([question, { form: 'answer', text: 'Done.' }]))
  expect([out(), err()]).toEqual(['Done.\n', `${question.text}\n`])
})

const card = {
  ...said,
  form: 'ping',
  text: 'Build\nIt is red.\nAnswers: Retry',
  embed: { title: 'Build', description: 'It is red.' },
  choices: [{ label: 'Retry', command: 'Retry' }],
  number: 3,
  branch: 'k3f9ab',
  from: 'routine brief',
} as const

test('what nobody asked for has its number and says who it is from, in words', async () => {
  const { printer, out } = printerOn(textPrinter, 'err')
  await printer.said(card)
  await printer.said({ ...said, text: 'routine brief failed: no network', number: 4 })
  expect(out()).toBe(
    '#3 from routine brief:\nBuild\nIt is red.\nAnswers: Retry\n#4 routine brief failed: no network\n',
  )
})

test('what can be said to a ping stands below it in one line', async () => {
  const { printer, out } = printerOn(textPrinter, 'err')
  const every = ['/done 3', '/snooze 3 10m', '/snooze 3 1h', '/snooze 3 tomorrow', '/less 3']
  const added = every.map((command) => ({ label: command, command }))
  await printer.said({ ...card, choices: [...card.choices, ...added] })
  expect(out()).toBe(`#3 from routine brief:\n${card.text}\n/done 3 · /snooze 3 1h · /less 3 · /reply 3 …\n`)
})

test('what nobody asked for is an event with all that a program needs to answer it', async () => {
  const { printer, out } = printerOn(jsonPrinter, 'err')
  await printer.said(card)
  const { form, text, branch, turn, number, from, embed, choices: answers } = card
  expect(JSON.parse(out())).toEqual({
    event: { form, text, branch, turn, number, from, embed, choices: answers },
  })
})

test('where the answer alone is printed, what nobody asked for goes to the standard error', async () => {
  const { printer, out, err } = printerOn(answerPrinter, 'out')
  await printer.said(card)
  expect([out(), err()]).toEqual(['', `#3 from routine brief:\n${card.text}\n`])
})
