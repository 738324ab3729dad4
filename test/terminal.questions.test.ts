import { expect, test } from 'vitest'
import { systemClock } from '../src/base/clock.ts'
import type { Question } from '../src/channel/terminal/port.ts'
import type { FakePort } from './stand-ins/terminal-port.ts'
import { open, type Opened } from './stand-ins/terminal-screen.ts'

const call = (approval: number, leftMs = 30_000, pattern = 'git_log'): Question => ({
  approval,
  title: `May git_log run (skill git)? (approval ${approval})`,
  about: 'src/list.ts',
  isCall: true,
  unshown: null,
  choices: [
    { label: 'Once', command: `/approve ${approval}` },
    { label: `Always: ${pattern}`, command: `/approve ${approval} always` },
    { label: 'Deny', command: `/deny ${approval}` },
  ],
  until: systemClock() + leftMs,
})
const proposal = (approval: number): Question => ({
  approval,
  title: `Remember this? (approval ${approval})`,
  about: '+ new',
  unshown: null,
  choices: [
    { label: 'Approve', command: `/approve ${approval}` },
    { label: 'Deny', command: `/deny ${approval}` },
  ],
  until: null,
})

/** As a port does it: the whole text stands in the transcript, then it is asked. */
function ask(port: FakePort, question: Question): void {
  const text = `${question.title}\n- old\n+ new`
  port.tell({ kind: 'entry', entry: { kind: 'question', text } })
  port.tell({ kind: 'question-asked', question, where: 'in-front' })
}

async function asking(question: Question, options: Parameters<typeof open>[0] = {}): Promise<Opened> {
  const opened = await open(options)
  ask(opened.port, question)
  await opened.terminal.until((text) => text.includes('Enter to answer'), 'which keys answer')
  return opened
}

const speak = {
  kind: 'entry',
  entry: { kind: 'answer', text: '1 or 2?', at: 0, branch: 'main', drawsAnswer: true },
} as const

test('a question stands in the transcript, and its choices above the box with the time that is left', async () => {
  const { terminal } = await asking(call(3))
  expect(terminal.rows().join('\n')).toMatch(
    new RegExp(
      [
        String.raw`\? May git_log run \(skill git\)\? \(approval 3\)`,
        '  - old',
        String.raw`  \+ new`,
        '',
        String.raw`\? May git_log run \(skill git\)\? \(approval 3\) · (?:29|30) s left`,
        '  src/list.ts',
        '  1 Once   2 Always: git_log   3 Deny',
        '  1 2 3 or y a n then Enter to answer · or type',
        '',
        '╭─ main',
      ].join('\n'),
    ),
  )
})

test('a digit in an empty box lights a choice, and Enter says its command for the person', async () => {
  const { port, terminal } = await asking(call(3))
  terminal.type('2')
  await terminal.until((text) =>
    text.includes('  1 Once  [2 Always: git_log]  3 Deny\n  Enter to confirm · Esc to go back\n'),
  )
  expect(port.submitted).toEqual([])
  terminal.type('\r')
  await terminal.until((text) => text.includes('› /approve 3 always'))
  expect(port.submitted).toEqual(['/approve 3 always'])
  expect(terminal.rows().join('\n')).not.toContain('1 Once')
  terminal.type('1')
  await terminal.until((text) => text.includes('│ 1'))
  expect(port.submitted).toHaveLength(1)
})

test.each([
  ['one by one', ['2', ' ', 'e', 'g', 'g', 's']],
  ['in two pieces', ['2', ' eggs']],
  ['at once', ['2 eggs']],
])('[SAFE4] a sentence that begins with a digit, typed %s, is a sentence', async (_, pieces) => {
  const { port, terminal } = await asking(call(3))
  for (const piece of pieces) {
    terminal.type(piece)
    await new Promise(setImmediate)
  }
  await terminal.until((text) => text.includes('│ 2 eggs'))
  terminal.type('\r')
  await terminal.until((text) => text.includes('› 2 eggs') && text.includes('1 Once'))
  expect(port.submitted).toEqual(['2 eggs'])
})

test('the digit is there to be taken back, like any text', async () => {
  const { port, terminal } = await asking(call(3))
  terminal.type('2')
  await terminal.until((text) => text.includes('[2 Always'))
  terminal.type('\u007F')
  await terminal.until((text) => text.includes('Enter to answer'))
  terminal.type('\u001B[C')
  await terminal.until((text) => text.includes('[1 Once]'))
  terminal.type('\u001B[C\u001B[B')
  await terminal.until((text) => text.includes('[3 Deny]'))
  terminal.type('\r')
  await terminal.until((text) => text.includes('› /deny 3'))
  expect(port.submitted).toEqual(['/deny 3'])
})

test('a digit with Enter behind it answers once', async () => {
  const { port, terminal } = await asking(call(3))
  terminal.type('3\r')
  await terminal.until((text) => text.includes('› /deny 3'))
  expect(port.submitted).toEqual(['/deny 3'])
})

test('an answer that was refused, the question being still open, leaves it to be answered', async () => {
  const { terminal } = await asking(proposal(3), { onSubmit: async () => undefined })
  terminal.type('1\r')
  await terminal.until((text) => text.includes('› /approve 3') && text.includes('1 Approve   2 Deny'))
})

test('what is typed or pasted otherwise is text, digits in it too', async () => {
  const { port, terminal } = await asking(call(3))
  terminal.type('\u001B[200~1\u001B[201~')
  await terminal.until((text) => text.includes('│ 1') && text.includes('answer once the input is empty'))
  terminal.type('2')
  await terminal.until((text) => text.includes('│ 12'))
  terminal.type('\u007F\u007F')
  await terminal.until((text) => text.includes('Enter to answer'))
  terminal.type('4')
  await terminal.until((text) => text.includes('│ 4'))
  expect(port.submitted).toEqual([])
})

test('a digit that was on its way when the question came is text', async () => {
  const { port, terminal } = await open()
  ask(port, call(3))
  terminal.type('1')
  await terminal.until((text) => text.includes('│ 1'))
  expect(port.submitted).toEqual([])
})

test('the seconds grow less, and the transcript is not drawn again', async () => {
  const { terminal } = await asking(call(3, 10_400))
  const before = terminal.written().length
  await terminal.until((text) => / [1-9] s left/.test(text))
  const since = terminal.written().slice(before)
  expect(since.split(' s left').length - 1).toBeLessThanOrEqual(4)
  expect(since).not.toContain('new')
})

test('the newest is asked first, then the one before it, and a second key in haste answers no second question', async () => {
  const { port, terminal } = await open()
  for (const question of [proposal(1), proposal(2), call(3)]) ask(port, question)
  await terminal.until(
    (text) => text.includes('2 more waiting: /approvals') && text.includes('1 2 3 or y a n then'),
  )
  terminal.type('1\r')
  await terminal.until((text) => text.includes('› /approve 3'))
  terminal.type('1')
  await terminal.until((text) => text.includes('1 more waiting: /approvals') && text.includes('│ 1'))
  expect(port.submitted).toEqual(['/approve 3'])
  terminal.type('\u007F')
  await terminal.until((text) => text.includes('1 2 then Enter to answer · Esc for later'))
  terminal.type('2\r')
  await terminal.until((text) => text.includes('› /deny 2'))
})

test.each([
  ['answered', undefined],
  ['expired', '– Approval 3 expired without an answer.'],
  ['void', '– Approval 3 was cancelled because its turn ended.'],
  ['restarted', '– Approval 3 was cancelled by a restart.'],
] as const)('a question that is %s is asked no more, and the transcript says why', async (how, notice) => {
  const { port, terminal } = await asking(call(3))
  port.tell({ kind: 'question-closed', approval: 3, how })
  await terminal.until((text) => !text.includes('1 Once'))
  if (notice === undefined) expect(terminal.text()).not.toMatch(/Approval 3 (?:was|is)/)
  else expect(terminal.rows().join('\n')).toContain(notice)
  port.tell({ kind: 'question-closed', approval: 3, how })
  port.tell({ kind: 'entry', entry: { kind: 'notice', text: 'later' } })
  await terminal.until((text) => text.includes('– later'))
  expect(terminal.text().split('Approval 3 ')).toHaveLength(notice === undefined ? 1 : 2)
})

test('Esc puts it aside and denies nothing; Tab turns to it again', async () => {
  const { port, terminal } = await asking(proposal(3))
  terminal.type('\u001B')
  await terminal.until((text) => text.includes('(approval 3) · Tab to answer'))
  terminal.type('1')
  await terminal.until((text) => text.includes('│ 1') && !text.includes('Tab to answer'))
  terminal.type('\u007F')
  await terminal.until((text) => text.includes('Tab to answer'))
  terminal.type('\t')
  await terminal.until((text) => text.includes('1 Approve   2 Deny'))
  expect(port.submitted).toEqual([])
  terminal.type('2\r')
  await terminal.until((text) => text.includes('› /deny 3'))
})

test('[SAFE4] a 1 that a model asked for behind its proposal approves nothing', async () => {
  const { port, terminal } = await asking(proposal(3))
  port.tell(speak)
  await terminal.until((text) => text.includes('Tab to answer'))
  terminal.type('1\r')
  await terminal.until((text) => text.includes('› 1'))
  expect(port.submitted).toEqual(['1'])
})

test('an answer that could not be sent comes back as text', async () => {
  const { terminal } = await asking(call(3), {
    onSubmit: async () => Promise.reject(new Error('the disk is full')),
  })
  terminal.type('1\r')
  await terminal.until((text) => text.includes('│ /approve 3') && text.includes('1 Once'))
})

test('what waited before the screen was there is one line, and Tab shows it whole and asks it', async () => {
  const question = { ...proposal(3), unshown: 'Remember this? (approval 3)\n+ new' }
  const { port, terminal } = await open({
    onWatch: (listener) => listener({ kind: 'question-asked', question, where: 'aside' }),
  })
  await terminal.until((text) => text.includes('? Remember this? (approval 3) · Tab to answer'))
  terminal.type('1')
  await terminal.until((text) => text.includes('│ 1'))
  terminal.type('\u007F\t')
  await terminal.until((text) => text.includes('? Remember this? (approval 3)\n  + new\n'))
  await terminal.until((text) => text.includes('1 Approve   2 Deny'))
  expect(port.submitted).toEqual([])
})

test.each(['colour', 'plain'] as const)('in 40 columns, %s, each choice has a row', async (colour) => {
  const { terminal } = await asking(call(3, 30_000, 'git_log(src/*)'), { columns: 40, rows: 16, colour })
  expect(terminal.rows().join('\n')).toMatch(
    /\? May git_log run \(skill gi… · (?:29|30) s left\n {2}src\/list.ts\n {2}1 Once\n {2}2 Always: git_log\(src\/\*\)\n {2}3 Deny\n {2}1 2 3 or y a n then Enter to answer\n {2}or type\n/,
  )
})

test('for a screen reader it is sentences that do not change by themselves', async () => {
  const { port, terminal } = await asking(call(3), { isSpoken: true })
  expect(terminal.text()).toContain(
    'Question: May git_log run (skill git)? (approval 3)\n          Removed: old\n          Added: new\n',
  )
  expect(terminal.text()).toContain(
    'About: src/list.ts\n1: Once\n2: Always: git_log\n3: Deny\n1 2 3 or y a n then Enter to answer\nor type\n>',
  )
  expect(terminal.text()).not.toMatch(/[╭│╰]|s left/)
  terminal.type('3')
  await terminal.until((text) => text.includes('3: Deny (chosen)\nEnter to confirm\n'))
  terminal.type('\r')
  await terminal.until((text) => text.includes('You: /deny 3'))
  expect(port.submitted).toEqual(['/deny 3'])
})
