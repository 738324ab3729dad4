import { clear, clearByModel, redo, rewind, setMark, undo } from '../src/context/change.ts'
import { compact, expand, planCompaction } from '../src/context/compaction.ts'
import { isRefusal, type Act, type Decision } from '../src/context/decision.ts'
import { createBranch, fork, type Inheritance } from '../src/context/fork.ts'
import { save } from '../src/context/save.ts'
import { addMessage, endTurn, startTurn } from '../src/context/step.ts'
import { assert } from '../src/base/assert.ts'
import { seededRandom } from '../src/base/random.ts'
import type { Author, EndReason, Kind, Message, Mode } from '../src/event/event.ts'
import { makeBranchId, makeTurnId, type BranchId, type Position, type TurnId } from '../src/event/id.ts'
import type { Writing } from '../src/event/table.ts'

/** Every kind of event in every shape that matters, told the same way each time: fixed times, seeded chance. */
export function tellStory(writing: Writing): void {
  const on = new Teller(writing)
  on.root('main', 'main')
  on.turn('main', 'Good morning. What is on today?', 'The dentist at ten, and the train to Porto at six.')
  on.toolTurn('main', 'Is the train on time?', ['trains', 'weather'])
  on.mark('main', 'morning')
  on.turn(
    'main',
    'Tell me about trams. "Quotes", a\nnew line, ünïcödé, 电车 and 🚋.',
    'Lisbon has five lines left.',
  )
  on.turn('main', 'And funiculars?', 'Three of them.')
  on.rewind('main', 'morning')
  on.undo('main')
  on.redo('main')
  forksAndSaves(on)
  compactions(on)
  endings(on)
}

function forksAndSaves(on: Teller): void {
  on.fork('main', 'packing', { mode: 'fork', inherit: { take: 'everything' } })
  on.turn('packing', 'What should I pack?', 'A jacket; it will rain.')
  on.note('main', 'Remember the umbrella.')
  on.mark('packing', 'list')
  on.turn('packing', 'And shoes?', 'The brown ones.')
  on.fork('packing', 'shoes', { mode: 'fork', inherit: { take: 'after-mark', name: 'list' } })
  on.turn('shoes', 'Are they clean?', 'They should be brushed.')
  on.save('shoes')
  on.end('shoes', 'saved')
  on.save('packing')
  on.end('packing', 'saved')
  on.undo('main')
  on.redo('main')
  on.fork('main', 'news', { mode: 'background', inherit: { take: 'nothing' } })
  on.turn('news', '[routine] Morning news', 'Nothing that concerns you.')
  on.end('news', 'reported')
}

function compactions(on: Teller): void {
  for (let day = 1; day <= 4; day++) {
    on.turn('main', `Day ${day}: how did it go?`, `Well enough. ${'A few words more. '.repeat(day)}`)
    on.turn('main', `Day ${day}: and tomorrow?`, 'A walk along the river.')
    on.compact('main', `Up to day ${day}: a journey to Porto, packing, walks.`)
  }
  on.expand('main')
  on.abandonedCompaction('main')
  on.turn('main', 'What did we say first?', 'Good morning.')
  on.fork('main', 'child', { mode: 'child', inherit: { take: 'everything' } })
  on.turn('child', '[fork-started] Find a hotel.', 'Found three.')
  on.compact('child', 'What came before, and three hotels.')
}

function endings(on: Teller): void {
  on.modelClears('main')
  on.clear('main')
  on.undo('main')
  on.mark('main', 'end')
  on.mark('main', 'morning')
  on.interrupted('main')
  on.end('child', 'failed')
  on.root('second', 'main')
  on.turn('second', 'A second conversation.', 'Welcome.')
  on.startOnly('second', 'This turn is still running.')
}

const PERSON: Author = { by: 'person' }
const POLICY: Author = { by: 'policy', name: 'window' }
const START = Date.UTC(2025, 10, 15, 8)

class Teller {
  readonly #writing: Writing
  readonly #random = seededRandom(20_251_115)
  readonly #branches = new Map<string, BranchId>()
  #at = START

  constructor(writing: Writing) {
    this.#writing = writing
  }

  root(name: string, mode: Mode): void {
    this.#do(createBranch({ child: this.#fresh(name), mode, title: null, at: this.#tick(), author: PERSON }))
  }

  turn(name: string, question: string, answer: string): void {
    this.#start(name, question)
    this.#say(name, { role: 'assistant', text: answer, calls: [] })
    this.#finish(name)
  }

  /** One step with several calls, one of them without arguments, and the answer. */
  toolTurn(name: string, question: string, tools: readonly string[]): void {
    this.#start(name, question)
    const calls = tools.map((tool, index) => ({
      id: `call_${index + 1}`,
      tool,
      args: index === 0 ? { from: 'Lisbon', at: 18.5, via: [null, true, { stop: 'Coimbra' }] } : {},
    }))
    this.#say(name, { role: 'assistant', text: '', calls })
    for (const { id, tool } of calls.toReversed()) {
      this.#say(name, { role: 'tool', call: id, tool, text: `{"of":"${tool}"}` })
    }
    this.#say(name, { role: 'assistant', text: 'It is on time.', calls: [] })
    this.#finish(name)
  }

  note(name: string, text: string): void {
    this.#say(name, { role: 'note', author: PERSON, text })
  }

  startOnly(name: string, question: string): void {
    this.#start(name, question)
  }

  mark(name: string, mark: string): void {
    this.#do(setMark(this.#writing, { ...this.#act(name), name: mark }))
  }

  rewind(name: string, mark: string): void {
    this.#do(rewind(this.#writing, { ...this.#act(name), name: mark, messagesMin: 20 }))
  }

  clear(name: string): void {
    this.#do(clear(this.#writing, this.#act(name)))
  }

  undo(name: string): void {
    this.#do(undo(this.#writing, this.#act(name)))
  }

  redo(name: string): void {
    this.#do(redo(this.#writing, this.#act(name)))
  }

  fork(parent: string, child: string, { mode, inherit }: { mode: Mode; inherit: Inheritance }): void {
    const { branch, at, author } = this.#act(parent)
    const begin = { mode, inherit, title: child, hasGoal: false }
    this.#do(fork(this.#writing, { parent: branch, child: this.#fresh(child), ...begin, at, author }))
  }

  save(name: string): void {
    this.#do(save(this.#writing, this.#act(name)))
  }

  end(name: string, reason: EndReason): void {
    this.#writing.append({ kind: 'branch-ended', v: 1, reason, ...this.#act(name) })
  }

  compact(name: string, text: string): void {
    const plan = planCompaction(this.#writing, { branch: this.#id(name), keep: 2 })
    assert(!isRefusal(plan), 'there is something to compact')
    const texts = plan.parts.map((_, index) => ({ text: `${text} (${index + 1})`, tokens: 12 }))
    const act = { ...this.#act(name), author: POLICY }
    this.#do(compact(this.#writing, { ...act, covered: plan.covered, texts, writer: 'extract' }))
  }

  /** Planned before a clear, committed after it. */
  abandonedCompaction(name: string): void {
    const plan = planCompaction(this.#writing, { branch: this.#id(name), keep: 2 })
    assert(!isRefusal(plan), 'there is something to compact')
    this.clear(name)
    const texts = plan.parts.map(() => ({ text: 'too late', tokens: 2 }))
    const act = { ...this.#act(name), author: POLICY }
    this.#do(compact(this.#writing, { ...act, covered: plan.covered, texts, writer: 'extract' }))
    this.undo(name)
  }

  expand(name: string): void {
    this.#do(expand(this.#writing, this.#act(name)))
  }

  modelClears(name: string): void {
    const turn = this.#start(name, 'Start afresh, please.')
    this.#say(name, {
      role: 'assistant',
      text: '',
      calls: [{ id: 'c', tool: 'slash', args: { command: 'clear' } }],
    })
    const step = this.#writing.end as Position
    this.#say(name, { role: 'tool', call: 'c', tool: 'slash', text: '{"output":"Context cleared."}' })
    const act = { ...this.#act(name), author: { by: 'model', turn } as const }
    this.#do(clearByModel(this.#writing, { ...act, step, messagesMin: 20 }))
    this.#say(name, { role: 'assistant', text: 'Done.', calls: [] })
    this.#finish(name)
  }

  /** A turn that died between a call and its result, and what a restart wrote. */
  interrupted(name: string): void {
    const turn = this.#start(name, 'Look something up.')
    this.#say(name, { role: 'assistant', text: 'One moment.', calls: [{ id: 'w', tool: 'web', args: {} }] })
    const { branch, at } = this.#act(name)
    const text = 'interrupted by a restart'
    const message = { role: 'tool', call: 'w', tool: 'web', text, synthetic: 'interrupted' } as const
    this.#do(addMessage(this.#writing, { branch, at, message, tokens: 5 }))
    this.#do(endTurn(this.#writing, { branch, at, outcome: 'interrupted' }))
    this.#start(name, undefined, turn)
    this.#say(name, { role: 'assistant', text: 'I was away for a moment.', calls: [] })
    this.#finish(name)
  }

  #start(name: string, question: string | undefined, continues: TurnId | null = null): TurnId {
    const { branch, at } = this.#act(name)
    const turn = makeTurnId(at, this.#random)
    this.#do(startTurn(this.#writing, { branch, at, turn, continues }))
    if (question !== undefined) this.#say(name, { role: 'user', text: question })
    return turn
  }

  #finish(name: string): void {
    const { branch, at } = this.#act(name)
    this.#do(endTurn(this.#writing, { branch, at, outcome: 'answered' }))
  }

  #say(name: string, message: Message): void {
    const { branch, at } = this.#act(name)
    this.#do(addMessage(this.#writing, { branch, at, message, tokens: Math.ceil(message.text.length / 4) }))
  }

  #act(name: string): Act {
    return { branch: this.#id(name), at: this.#tick(), author: PERSON }
  }

  #tick(): number {
    this.#at += 1_234
    return this.#at
  }

  #fresh(name: string): BranchId {
    const id = makeBranchId(this.#at, this.#random)
    this.#branches.set(name, id)
    return id
  }

  #id(name: string): BranchId {
    const id = this.#branches.get(name)
    assert(id !== undefined, `there is a branch ${name}`)
    return id
  }

  #do<K extends Kind>(decision: Decision<K>): void {
    assert(!isRefusal(decision), `the story goes as it is written: ${JSON.stringify(decision)}`)
    this.#writing.append(decision.draft)
  }
}
