import { getBranch, workOf } from '../../context/branch.ts'
import { expect, test, vi } from 'vitest'
import { askApproval, decideApproval, approvalNumbered, type Decision } from '../../agent/state/approvals.ts'
import { agentProjection } from '../../agent/state/fold.ts'
import type { Question, ScreenHappening } from '../../channel/terminal/port.ts'
import { contextProjections } from '../../context/fold.ts'
import type { EventOf } from '../../event/event.ts'
import { makeTurnId } from '../../event/id.ts'
import type { Wish } from '../../event/right.ts'
import type { Choice } from '../../event/work.ts'
import type { Writing } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { Scene } from '../../../test/model/scene.ts'
import { awaited, closingOf, leftOpen, questionOf, TerminalQuestions } from './open-questions.ts'

const START = 1_700_000_000_000
const ASK_MS = 60_000

interface Desk {
  readonly log: Log
  readonly told: ScreenHappening[]
  readonly questions: TerminalQuestions
  /** What a delivery with these choices asks now. */
  asked(choices: readonly Choice[]): Promise<Question | undefined>
  ask(choices: readonly Choice[]): Promise<void>
  /** Writes, and has the log looked at. */
  write(work: (writing: Writing) => void): Promise<void>
  look(): Promise<void>
  /** All that looks already. */
  seen(): Promise<unknown>
  now: number
}

async function open(): Promise<Desk> {
  const log = openMemoryLog({ projections: [...contextProjections, agentProjection] })
  const told: ScreenHappening[] = []
  const works: Promise<void>[] = []
  const questions = new TerminalQuestions({
    log,
    now: () => desk.now,
    tell: (happening) => told.push(happening),
    run: (work) => void works.push(work),
  })
  const seen = (): Promise<unknown> => Promise.all(works)
  const look = async (): Promise<void> => {
    questions.lookAgain()
    await seen()
  }
  const desk: Desk = {
    now: START,
    log,
    told,
    questions,
    asked: (choices) =>
      log.read((reader) => questionOf(reader, intentOf(choices), { now: desk.now, isRunning: () => true })),
    ask: async (choices) => {
      const question = await desk.asked(choices)
      if (question !== undefined) questions.ask(question)
      await seen()
    },
    write: async (work) => {
      await log.write(work)
      await look()
    },
    look,
    seen,
  }
  return desk
}

function intentOf(choices: readonly Choice[]): EventOf<'delivery-intended'> {
  const text = 'May it? (approval 1)\n  - old\n  + new\n/approve 1 once'
  return { choices: [...choices], text } as unknown as EventOf<'delivery-intended'>
}

const choices = (number: number): Choice[] => [
  { label: 'Approve', command: `/approve ${number}` },
  { label: 'Always', command: `/approve ${number} always` },
  { label: 'Deny', command: `/deny ${number}` },
]

/** A turn that waits for approval 1, which is about a call; approval 2 is about something to remember. */
async function askBoth({ log }: Desk): Promise<Scene> {
  return log.write((writing) => {
    const on = new Scene(writing)
    on.root('main')
    on.start('main', 'hello')
    const about = { branch: on.id('main'), at: START }
    const turn = workOf(getBranch(writing, on.id('main')))?.turn ?? makeTurnId(START, on.random)
    const call: Wish = {
      kind: 'call',
      turn,
      call: 'c',
      tool: 't',
      subject: '',
      shown: '',
      pattern: 't',
      fingerprint: null,
    }
    askApproval(writing, { ...about, wish: call, until: START + ASK_MS })
    const line: Wish = { kind: 'memory', turn, line: 'a', replaces: null }
    askApproval(writing, { ...about, wish: line, until: null })
    return on
  })
}

function decide(writing: Writing, number: number, verdict: Decision): void {
  const approval = approvalNumbered(writing, number)
  if (approval === undefined) throw new Error('there is no such approval')
  decideApproval(writing, approval, { at: START, verdict, author: { by: 'person' }, mode: 'default' })
}

test('a delivery asks about the approval that all of its commands name', async () => {
  const desk = await open()
  await askBoth(desk)
  const title = 'May it? (approval 1)'
  expect(await desk.asked(choices(1))).toEqual({
    approval: 1,
    isCall: true,
    title,
    about: '+ new',
    unshown: null,
    choices: choices(1),
    until: START + ASK_MS,
  })
  expect(await desk.asked(choices(2))).toMatchObject({ approval: 2, until: null })
})

test.each<[string, Choice[]]>([
  ['no choices', []],
  ['an approval that never was', choices(3)],
  ['commands about something else', [{ label: 'a', command: '/clear' }]],
  ['commands about two approvals', [...choices(1), ...choices(2)]],
  ['a command that only begins like one', [{ label: 'a', command: '/approve 1x' }]],
])('a delivery with %s asks nothing', async (_, given) => {
  const desk = await open()
  await askBoth(desk)
  expect(await desk.asked(given)).toBeUndefined()
})

test('[SAFE4] what a call of a process asked that is gone is not asked, not counted, and said to be void', async () => {
  const desk = await open()
  const on = await askBoth(desk)
  const gone = { now: desk.now, isRunning: () => false }
  await desk.log.read((reader) => {
    expect(questionOf(reader, intentOf(choices(1)), gone)).toBeUndefined()
    expect(questionOf(reader, intentOf(choices(2)), gone)).toBeDefined()
    expect(awaited(reader, gone)).toEqual([2])
    expect(awaited(reader, { ...gone, isRunning: () => true })).toEqual([1, 2])
    expect(closingOf(reader, 1, gone)).toBe('restarted')
    expect(closingOf(reader, 2, gone)).toBeUndefined()
    expect(closingOf(reader, 1, { ...gone, isRunning: () => true })).toBeUndefined()
  })
  await desk.log.write((writing) => {
    on.writing = writing
    on.say('main', { role: 'assistant', text: 'hello!', calls: [] })
    on.finish('main')
  })
  expect(await desk.log.read((reader) => closingOf(reader, 1, gone))).toBe('void')
})

test('a proposal that waited before can be answered, and is shown whole unless it was', async () => {
  const desk = await open()
  await askBoth(desk)
  const left = (shown: readonly number[]) =>
    desk.log.read((reader) => leftOpen(reader, { now: desk.now, shown: new Set(shown) }))
  const whole = 'Remember this? (approval 2)\n+ a\n'
  expect(await left([])).toEqual([
    {
      approval: 2,
      title: 'Remember this? (approval 2)',
      about: '+ a',
      unshown: expect.stringContaining(whole) as string,
      choices: [choices(2)[0], choices(2)[2]],
      until: null,
    },
  ])
  expect(await left([1, 2])).toMatchObject([{ approval: 2, unshown: null }])
})

test('what was answered or is over is not asked', async () => {
  const desk = await open()
  await askBoth(desk)
  await desk.log.write((writing) => decide(writing, 2, 'approved'))
  desk.now = START + ASK_MS
  expect(await desk.asked(choices(1))).toBeUndefined()
  expect(await desk.asked(choices(2))).toBeUndefined()
})

test.each<[Decision, string]>([
  ['once', 'answered'],
  ['denied', 'answered'],
  ['expired', 'expired'],
])('one that is decided as %s is %s, and told of once', async (verdict, how) => {
  const desk = await open()
  await askBoth(desk)
  await desk.ask(choices(1))
  await desk.ask(choices(2))
  expect(desk.told.map(({ kind }) => kind)).toEqual(['question-asked', 'question-asked'])
  await desk.write((writing) => decide(writing, 1, verdict))
  await desk.look()
  expect(desk.told.slice(2)).toEqual([{ kind: 'question-closed', approval: 1, how }])
})

test('the end of its turn makes a question about a call void, and no other', async () => {
  const desk = await open()
  const on = await askBoth(desk)
  await desk.ask(choices(1))
  await desk.ask(choices(2))
  await desk.write((writing) => {
    on.writing = writing
    on.say('main', { role: 'assistant', text: 'hello!', calls: [] })
    expect(on.finish('main')).toBe('done')
  })
  expect(desk.told.slice(2)).toEqual([{ kind: 'question-closed', approval: 1, how: 'void' }])
})

test('that the time is over is seen when it is, though nothing was written', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const desk = await open()
    await askBoth(desk)
    await desk.ask(choices(1))
    desk.now = START + ASK_MS
    await vi.advanceTimersByTimeAsync(ASK_MS - 1)
    expect(desk.told).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    await desk.seen()
    expect(desk.told.slice(1)).toEqual([{ kind: 'question-closed', approval: 1, how: 'expired' }])
  } finally {
    vi.useRealTimers()
  }
})

test('one that was answered before the screen asked it is closed at once', async () => {
  const desk = await open()
  await askBoth(desk)
  const question = await desk.asked(choices(1))
  await desk.log.write((writing) => decide(writing, 1, 'once'))
  if (question !== undefined) desk.questions.ask(question)
  await desk.seen()
  expect(desk.told.map(({ kind }) => kind)).toEqual(['question-asked', 'question-closed'])
})
