import { assert } from '../../base/assert.ts'
import { seededRandom } from '../../base/random.ts'
import { estimateTokens } from '../../base/tokens.ts'
import { redo, rewind, setMark, undo } from '../../context/change.ts'
import { compact, expand, planCompaction } from '../../context/compaction.ts'
import { isRefusal, type Act, type Decision } from '../../context/decision.ts'
import { createBranch, fork } from '../../context/fork.ts'
import { save } from '../../context/save.ts'
import { addMessage } from '../../context/step.ts'
import type { Kind, Message } from '../../event/event.ts'
import { makeBranchId, type BranchId } from '../../event/id.ts'
import type { Writing } from '../../event/table.ts'
import { openMemoryLog } from '../../log/memory.ts'
import { projections } from '../../runtime/home/open-log.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { describeList, drawLists, legend } from './draw.ts'
import type { Style } from '../../base/style.ts'

export const tourCommand: Command = {
  name: 'tour',
  summary: 'how contexts work, in a minute',
  usage: '',
  details: `Plays a short conversation in a log that exists in memory only, with the same code that works
on a real one, and draws after each act what the log holds and what a model would be shown.
It does not read or change your home.`,
  run: runTour,
}

const START = Date.UTC(2025, 0, 6, 9)
const COLUMNS = 79

async function runTour({ out }: CommandCall): Promise<number> {
  const { style } = out
  const log = openMemoryLog({ projections })
  const random = seededRandom(4)
  const stage = { main: makeBranchId(START, random), fork: makeBranchId(START, random), at: START }
  const nameOf = (branch: BranchId) => (branch === stage.main ? 'main' : 'fork')
  for (const line of opening(style)) await out.line(line)
  for (const [index, act] of acts.entries()) {
    const spoken = await log.write((writing) => {
      stage.at += 60_000
      const player = new Player(writing, stage)
      act.play(player)
      return player.spoken.map((line) => style.dim(`  ${line}`))
    })
    const picture = await log.read((reader) => {
      const viewers = (act.viewers ?? ['main']).map((name) => stage[name])
      return [
        ...drawLists(reader, { viewers, nameOf, style }),
        ...viewers.map((viewer) => `→ ${describeList(reader, viewer, nameOf)}`),
      ]
    })
    const title = `${index + 1}  ${act.title}`
    await out.line(`${style.bold(title)} ${style.dim('─'.repeat(COLUMNS - title.length - 1))}`)
    for (const line of [act.words, ...spoken, ...picture, '']) await out.line(line)
  }
  const events = await log.read((reader) => reader.end)
  for (const line of closing(events, style)) await out.line(line)
  await log.close()
  return 0
}

function opening(style: Style): string[] {
  return [
    style.bold('A context is a short list of ranges over one log that only grows.'),
    'Each picture shows the log from left to right: one sign for each event, one row',
    'for each branch. The brackets under a row are what a model is shown of it.',
    '',
    ...legend.map((line) => style.dim(line)),
    '',
  ]
}

function closing(events: number, style: Style): string[] {
  return [
    style.bold(`${events} events, and every one is still there.`),
    'Rewind, undo, fork, save and compaction added a short list, or pointed to one.',
    'None of them copied or deleted a message, so each costs the same after ten',
    "messages and after ten million. 'mainstem help' lists what you can do today.",
  ]
}

interface Stage {
  readonly main: BranchId
  readonly fork: BranchId
  at: number
}

interface TourAct {
  readonly title: string
  readonly words: string
  /** Left out: main alone. */
  readonly viewers?: readonly ('main' | 'fork')[]
  play(player: Player): void
}

const acts: readonly TourAct[] = [
  {
    title: 'You talk',
    words: 'The log grows. The list stays one range, since a range is open at its end.',
    play(on) {
      on.begin()
      on.talk('main', 'Plan a week in Lisbon for us.', 'Gladly. When, and what do you like?')
      on.talk('main', 'May. Food and boats.', 'Then stay near the river. Here is a plan …')
    },
  },
  {
    title: '/mark plan   … and then a tangent',
    words: 'A mark is a named place. After it you drift off to something else.',
    play(on) {
      on.act(setMark, { name: 'plan' })
      on.talk('main', 'Why is fado so sad?', 'It grew up in harbour taverns …')
      on.talk('main', 'And who invented the guitar?', 'That is a long story …')
    },
  },
  {
    title: '/rewind plan',
    words: 'The list is cut at the mark. The tangent stays in the log; no model is shown it.',
    play: (on) => on.act(rewind, { name: 'plan', messagesMin: 0 }),
  },
  {
    title: '/undo',
    words: 'Second thoughts: undo points back to the list before. Nothing was lost.',
    play: (on) => on.act(undo),
  },
  {
    title: '/redo   … then /fork, and both go on',
    words: 'The fork takes the list as it stands. What main says later, it does not see.',
    viewers: ['main', 'fork'],
    play(on) {
      on.act(redo)
      on.fork()
      on.talk('fork', 'Which ferries run on Sundays?', 'To Cacilhas, every 20 minutes.')
      on.talk('main', 'Book the hotel by the river.', 'Done: four nights.')
      on.talk('fork', 'And back at night?', 'The last one is at 01:20.')
    },
  },
  {
    title: '/save   in the fork',
    words: 'What came into being in the fork joins the list of main, after what main has.',
    play: (on) => on.save(),
  },
  {
    title: '/compact',
    words: 'A summary takes the place of the older items, and keeps what it covers.',
    play(on) {
      on.talk('main', 'What is left to do?', 'Flights, and a table for Friday.')
      on.compact('Lisbon in May. Hotel by the river booked. Ferries run until 01:20.')
    },
  },
  {
    title: '/expand',
    words: 'And it opens again: the same ranges as before, to the message.',
    play: (on) => on.act(expand),
  },
]

/** Plays the story with the functions that the real commands use. */
class Player {
  /** What was said, for the audience. */
  readonly spoken: string[] = []
  readonly #writing: Writing
  readonly #stage: Stage

  constructor(writing: Writing, stage: Stage) {
    this.#writing = writing
    this.#stage = stage
  }

  begin(): void {
    const { main: child, at } = this.#stage
    this.#do(createBranch({ child, mode: 'main', title: null, at, author: { by: 'person' } }))
  }

  talk(name: 'main' | 'fork', question: string, answer: string): void {
    this.spoken.push(`${name === 'fork' ? 'fork ' : ''}● ${question}  ○ ${answer}`)
    this.#say(name, { role: 'user', text: question })
    this.#say(name, { role: 'assistant', text: answer, calls: [] })
  }

  /** Whatever a person can do to the list of main in one step. */
  act<More extends object>(
    decide: (writing: Writing, act: Act & More) => Decision<Kind>,
    more: More = {} as More,
  ): void {
    this.#do(decide(this.#writing, { ...this.#act('main'), ...more }))
  }

  fork(): void {
    const { main: parent, fork: child } = this.#stage
    const { at, author } = this.#act('main')
    const begin = { mode: 'fork', title: 'ferries', inherit: { take: 'everything' }, hasGoal: false } as const
    this.#do(fork(this.#writing, { parent, child, ...begin, at, author }))
  }

  save(): void {
    const act = this.#act('fork')
    this.#do(save(this.#writing, act))
    this.#writing.append({ kind: 'branch-ended', reason: 'saved', ...act })
  }

  compact(text: string): void {
    this.spoken.push(`Σ ${text}`)
    const plan = planCompaction(this.#writing, { branch: this.#stage.main, keep: 2 })
    assert(!isRefusal(plan), 'the story has something to compact')
    const texts = plan.parts.map(() => ({ text, tokens: estimateTokens(text) }))
    this.#do(compact(this.#writing, { ...this.#act('main'), covered: plan.covered, texts, writer: 'tour' }))
  }

  #say(name: 'main' | 'fork', message: Message): void {
    const { branch, at } = this.#act(name)
    this.#do(addMessage(this.#writing, { branch, at, message, tokens: estimateTokens(message.text) }))
  }

  #act(name: 'main' | 'fork'): Act {
    return { branch: this.#stage[name], at: this.#stage.at, author: { by: 'person' } }
  }

  #do<K extends Kind>(decision: Decision<K>): void {
    assert(!isRefusal(decision), `the story goes as it is written: ${JSON.stringify(decision)}`)
    this.#writing.append(decision.draft)
  }
}
