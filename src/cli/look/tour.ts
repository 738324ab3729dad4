import { assert } from '../../base/assert.ts'
import { seededRandom } from '../../base/random.ts'
import type { Style } from '../../base/style.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { counted } from '../../base/words.ts'
import { getBranch } from '../../context/branch.ts'
import { rewind, setMark } from '../../context/change.ts'
import { compact, expand, planCompaction } from '../../context/compaction.ts'
import { isRefusal, type Act, type Decision } from '../../context/decision.ts'
import { createBranch, fork } from '../../context/fork.ts'
import { flatten } from '../../context/list.ts'
import { countMessages } from '../../context/message-index.ts'
import { save } from '../../context/save.ts'
import { addMessage } from '../../context/step.ts'
import { redo, undo } from '../../context/undo.ts'
import { listOf } from '../../context/version.ts'
import type { Event, Kind, Message } from '../../event/event.ts'
import { makeBranchId, type BranchId, type Position } from '../../event/id.ts'
import { isSummary, type Range } from '../../event/item.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { projections } from '../../runtime/home/open-log.ts'
import type { Command, CommandCall } from '../frame/command.ts'

export const tourCommand: Command = {
  name: 'tour',
  summary: 'how contexts work, in a minute',
  usage: '',
  details: `Plays a short conversation in a log that exists in memory only, with the same code that works
on a real one, and draws after each act what the log holds and what a model would be shown.
It reads and writes no home.`,
  options: {},
  argumentsMin: 0,
  argumentsMax: 0,
  run: runTour,
}

async function runTour({ out }: CommandCall): Promise<number> {
  const { bold, dim } = out.style
  const log = openMemoryLog({ projections })
  await out.line(`${bold('A context is a short list of ranges over one log that only grows.')}
Each picture shows the log from left to right: one sign for each event, one row
for each branch. The brackets under a row are what a model is shown of it.

${dim(LEGEND)}
`)
  for (const [index, { title, words, viewers = [main], steps }] of acts.entries()) {
    const said = await log.write((writing) => {
      const before = writing.end
      for (const step of steps) append(writing, step(writing))
      return eventsOf(writing).slice(before).flatMap(spoken)
    })
    const picture = await log.read((reader) => draw(reader, viewers, out.style))
    await out.line(bold(`${index + 1}  ${title}`))
    for (const line of [words, ...said.map(dim), ...picture, '']) await out.line(line)
  }
  const events = await log.read((reader) => reader.end)
  await out.line(`${bold(`${events} events, and every one is still there.`)}
Rewind, undo, fork, save and compaction added a short list, or pointed to one.
None of them copied or deleted a message, so each costs the same after ten
messages and after ten million. 'mainstem help' lists what you can do today.`)
  await log.close()
  return 0
}

const START = Date.UTC(2025, 0, 6, 9)
const random = seededRandom(4)
const main = makeBranchId(START, random)
const child = makeBranchId(START, random)
const author = { by: 'person' } as const
const inMain: Act = { branch: main, at: START, author }
const inFork: Act = { branch: child, at: START, author }

function nameOf(branch: BranchId): string {
  return branch === main ? 'main' : 'fork'
}

/** One event of the story, decided by the functions that real commands use. */
type Step = (log: Writing) => Decision<Kind>

function append(log: Writing, decision: Decision<Kind>): void {
  assert(!isRefusal(decision), `the story goes as it is written: ${JSON.stringify(decision)}`)
  log.append(decision.draft)
}

function talk(branch: BranchId, question: string, answer: string): Step[] {
  const say =
    (message: Message): Step =>
    (log) =>
      addMessage(log, { branch, at: START, message, tokens: estimateTokens(message.text) })
  return [say({ role: 'user', text: question }), say({ role: 'assistant', text: answer, calls: [] })]
}

interface TourAct {
  readonly title: string
  readonly words: string
  readonly viewers?: readonly BranchId[]
  readonly steps: readonly Step[]
}

const acts: readonly TourAct[] = [
  {
    title: 'You talk',
    words: 'The log grows. The list stays one range, since a range is open at its end.',
    steps: [
      () => createBranch({ child: main, mode: 'main', title: null, at: START, author }),
      ...talk(main, 'Plan a week in Lisbon for us.', 'Gladly. When, and what do you like?'),
      ...talk(main, 'May. Food and boats.', 'Then stay near the river. Here is a plan …'),
    ],
  },
  {
    title: '/mark plan   … and then a tangent',
    words: 'A mark is a named place. After it you drift off to something else.',
    steps: [
      (log) => setMark(log, { ...inMain, name: 'plan' }),
      ...talk(main, 'Why is fado so sad?', 'It grew up in harbour taverns …'),
      ...talk(main, 'And who invented the guitar?', 'That is a long story …'),
    ],
  },
  {
    title: '/rewind plan',
    words: 'The list is cut at the mark. The tangent stays in the log; no model is shown it.',
    steps: [(log) => rewind(log, { ...inMain, name: 'plan', messagesMin: 0 })],
  },
  {
    title: '/undo',
    words: 'Second thoughts: undo points back to the list before. Nothing was lost.',
    steps: [(log) => undo(log, inMain)],
  },
  {
    title: '/redo   … then /fork, and both go on',
    words: 'The fork takes the list as it stands. What main says later, it does not see.',
    viewers: [main, child],
    steps: [
      (log) => redo(log, inMain),
      (log) => {
        const begin = { mode: 'fork', title: 'ferries', inherit: { take: 'everything' } } as const
        return fork(log, { parent: main, child, ...begin, hasGoal: false, at: START, author })
      },
      ...talk(child, 'Which ferries run on Sundays?', 'To Cacilhas, every 20 minutes.'),
      ...talk(main, 'Book the hotel by the river.', 'Done: four nights.'),
      ...talk(child, 'And back at night?', 'The last one is at 01:20.'),
    ],
  },
  {
    title: '/save   in the fork',
    words: 'What came into being in the fork joins the list of main, after what main has.',
    steps: [
      (log) => save(log, inFork),
      () => ({ draft: { kind: 'branch-ended', v: 1, reason: 'saved', ...inFork } }),
    ],
  },
  {
    title: '/compact',
    words: 'A summary takes the place of the older items, and keeps what it covers.',
    steps: [
      ...talk(main, 'What is left to do?', 'Flights, and a table for Friday.'),
      (log) => {
        const plan = planCompaction(log, { branch: main, keep: 2 })
        if (isRefusal(plan)) return plan
        const text = 'Lisbon in May. Hotel by the river booked. Ferries run until 01:20.'
        const texts = plan.parts.map(() => ({ text, tokens: estimateTokens(text) }))
        return compact(log, { ...inMain, covered: plan.covered, texts, writer: 'tour' })
      },
    ],
  },
  {
    title: '/expand',
    words: 'And it opens again: the same ranges as before, to the message.',
    steps: [(log) => expand(log, inMain)],
  },
]

function eventsOf(reader: Reader): Event[] {
  return Array.from({ length: reader.end }, (_, index) => reader.event((index + 1) as Position))
}

function spoken(event: Event): string[] {
  if (event.kind === 'context-compacted') return event.summaries.map(({ text }) => `  Σ ${text}`)
  return event.kind === 'message-added'
    ? [`  ${nameOf(event.branch)} ${signOf(event)} ${event.message.text}`]
    : []
}

const LABEL = 14
const CELL = 2

/**
 * A row of signs for each branch, and under it what each viewer's list shows of that branch: a numbered bracket for each
 * range, a double one where a summary stands for the messages. Below, each list in words.
 */
function draw(reader: Reader, viewers: readonly BranchId[], { bold, green }: Style): string[] {
  const lists = viewers.map((viewer) => ({ viewer, spans: spansOf(reader, viewer) }))
  const rows = [main, child].flatMap((lane) => {
    const own = eventsOf(reader).filter(({ branch }) => branch === lane)
    const start = ' '.repeat(columnOf(own[0]?.position ?? 1))
    const line = own.reduce((row, event) => row.padEnd(columnOf(event.position), '─') + signOf(event), start)
    const brackets = lists.map(({ viewer, spans }) => ({
      viewer,
      row: spans
        .filter(({ src }) => src === lane)
        .toSorted((a, b) => a.from - b.from)
        .reduce((row, span) => row.padEnd(columnOf(span.from)) + bracket(span), ''),
    }))
    return [
      ...(own.length === 0 ? [] : [`${bold(nameOf(lane).padEnd(LABEL))}${line}`]),
      ...brackets
        .filter(({ row }) => row !== '')
        .map(({ viewer, row }) => ` ${nameOf(viewer)} shows`.padEnd(LABEL) + green(row)),
    ]
  })
  return [...rows, ...lists.map(({ viewer, spans }) => listWords(viewer, spans))]
}

/** A range of messages in a list, with the number of the item that it is, or that it is summed up in. */
type Span = Range & { readonly number: number; readonly isSummary: boolean; readonly messages: number }

function spansOf(reader: Reader, viewer: BranchId): Span[] {
  return listOf(reader, getBranch(reader, viewer)).flatMap((item, index) =>
    flatten(reader, item).map((range) => {
      const messages = countMessages(reader, range)
      return { ...range, number: index + 1, isSummary: isSummary(item), messages }
    }),
  )
}

function columnOf(position: number): number {
  return (position - 1) * CELL
}

function bracket({ from, to, number, isSummary }: Span): string {
  const [left, middle, right] = isSummary ? ['╚', '═', '╝'] : ['╰', '─', '╯']
  const inner = (to - from) * CELL - 1
  const label = isSummary && inner > 1 ? `${number}Σ` : String(number)
  const half = middle.repeat((inner - label.length) / 2)
  return `${left}${`${half}${label}`.padEnd(inner, middle)}${right}`
}

/** `→ main shows 2 messages and a summary of 10` */
function listWords(viewer: BranchId, spans: readonly Span[]): string {
  const [shown, covered] = [false, true].map((isSummary) =>
    spans.reduce((sum, span) => sum + (span.isSummary === isSummary ? span.messages : 0), 0),
  )
  const summary = covered ? ` and a summary of ${covered}` : ''
  return `→ ${nameOf(viewer)} shows ${counted(shown ?? 0, 'message')}${summary}`
}

function signOf(event: Event): string {
  if (event.kind !== 'message-added') return SIGNS[event.kind] ?? '·'
  return event.message.role === 'user' ? '●' : '○'
}

const SIGNS: Readonly<Partial<Record<Kind, string>>> = {
  'branch-created': '┌',
  'branch-ended': '┘',
  'mark-set': '⚑',
  'context-cleared': '↤',
  'context-compacted': 'Σ',
  'context-expanded': '≡',
  'context-saved': '⇐',
  'context-undone': '↶',
  'context-redone': '↷',
}

const LEGEND = `● you   ○ the model   ┌ a branch begins   ┘ ends   ⚑ mark   ↤ rewind   ↶ undo
↷ redo   ⇐ save   Σ compaction   ≡ expand
╰─1─╯ shown, the first item of the list   ╚═1Σ═╝ a summary is shown in its place`
