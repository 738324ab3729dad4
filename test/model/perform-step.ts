import { clearByModel, setMark } from '../../src/context/change.ts'
import { addMessage, endTurn, openCalls, startTurn as decideTurn } from '../../src/context/step.ts'
import { getBranch } from '../../src/context/branch.ts'
import type { Author, Message } from '../../src/event/event.ts'
import type { Position } from '../../src/event/id.ts'
import type { Writing } from '../../src/event/table.ts'
import { STEP } from './naive.ts'
import * as naively from './naive-step.ts'
import type { Effect } from './operations.ts'
import { fork } from './perform-fork.ts'
import { recover } from './recover.ts'
import { agree, carryOut, identity, PERSON, resultOf, type Trial } from './trial.ts'

export function turn(
  trial: Trial,
  writing: Writing,
  { number, steps }: { number: number; steps: number },
): void {
  startTurn(trial, writing, number)
  for (let n = 0; n < steps; n++) step(trial, writing, { number, calls: n + 1, effects: [] })
  answer(trial, writing, number)
  finishTurn(trial, writing, number)
}

/** Continues the last turn's work: nobody says anything new. */
export function continueTurn(trial: Trial, writing: Writing, number: number): void {
  const { branch, at } = trial.acted(number)
  const { state } = getBranch(writing, branch)
  const continues = state.kind === 'idle' ? (state.last?.turn ?? null) : null
  const done = carryOut(writing, decideTurn(writing, { branch, at, turn: trial.turnId(), continues }))
  agree(done, naively.startTurn(trial.naive, number, true), 'continue')
}

/** A turn opens with the person's message. */
export function startTurn(trial: Trial, writing: Writing, number: number): void {
  const { branch, at } = trial.acted(number)
  const done = carryOut(writing, decideTurn(writing, { branch, at, turn: trial.turnId() }))
  agree(done, naively.startTurn(trial.naive, number), 'start')
  if (typeof done !== 'object') say(trial, writing, { number, role: 'user' })
}

export function finishTurn(trial: Trial, writing: Writing, number: number): void {
  const { branch, at } = trial.acted(number)
  const done = carryOut(writing, endTurn(writing, { branch, at, outcome: 'answered' }))
  agree(done, naively.endTurn(trial.naive, number), 'finish')
}

export function say(
  trial: Trial,
  writing: Writing,
  { number, role }: { number: number; role: 'user' | 'note' },
): void {
  const text = trial.name('m')
  add(trial, writing, { number, message: role === 'note' ? { role, text, author: PERSON } : { role, text } })
}

export function answer(trial: Trial, writing: Writing, number: number): void {
  add(trial, writing, { number, message: { role: 'assistant', text: trial.name('m'), calls: [] } })
}

export interface CallAct {
  readonly number: number
  readonly calls: number
  readonly effects: readonly Effect[]
}

export function call(trial: Trial, writing: Writing, { number, calls, effects }: CallAct): void {
  const made = Array.from({ length: calls }, () => ({ id: trial.name('c'), tool: 'slash', args: {} }))
  const at = add(trial, writing, {
    number,
    message: { role: 'assistant', text: trial.name('m'), calls: made },
  })
  if (at !== undefined) trial.steps = new Map([...trial.steps, [number, { at, effects }]])
}

export function step(trial: Trial, writing: Writing, act: CallAct): void {
  call(trial, writing, act)
  for (let n = 0; n < act.calls; n++) result(trial, writing, act.number)
}

/** The result of an open call; the last one brings the step's effects, in the same transaction. */
export function result(trial: Trial, writing: Writing, number: number): void {
  const [open, ...others] = openCalls(writing, trial.id(number))
  const message: Message = { role: 'tool', call: open?.id ?? 'none', tool: 'slash', text: 'done' }
  if (others.length > 0 || open === undefined) {
    add(trial, writing, { number, message })
    return
  }
  const done = add(trial, writing, { number, message })
  const running = trial.steps.get(number)
  if (done === undefined || running === undefined || running.effects.length === 0) return
  placeStep(trial, number)
  for (const effect of running.effects) takeEffect(trial, writing, { number, effect, step: running.at })
  trial.naive.act(number, { kind: 'remove', name: STEP })
}

/** On the naive side, a hidden sentinel before the step that was just added. */
function placeStep(trial: Trial, number: number): void {
  const { journal } = trial.naive.get(number)
  const added = journal.at(-1)
  if (added?.kind !== 'add') throw new Error('a step was just added')
  const branch = trial.naive.get(number)
  const entries = branch.entries.slice(0, -added.messages.length)
  trial.naive.put({ ...branch, journal: journal.slice(0, -1), entries })
  trial.naive.act(number, { kind: 'place', name: STEP })
  trial.naive.act(number, added)
}

function takeEffect(
  trial: Trial,
  writing: Writing,
  { number, effect, step }: { number: number; effect: Effect; step: Position },
): void {
  const branch = getBranch(writing, trial.id(number))
  const author: Author = branch.state.kind === 'running' ? { by: 'model', turn: branch.state.turn } : PERSON
  const act = { ...trial.acted(number), author }
  switch (effect.do) {
    case 'mark': {
      const done = carryOut(writing, setMark(writing, { ...act, name: effect.name }))
      return agree(done, trial.naive.mark(number, effect.name), 'mark by model')
    }
    case 'clear': {
      const { name, messagesMin } = effect
      const to = name === undefined ? { messagesMin } : { name, messagesMin }
      const done = carryOut(writing, clearByModel(writing, { ...act, ...to, step }))
      return agree(done, trial.naive.clearByModel(number, { name, messagesMin }), 'clear by model')
    }
    case 'fork':
      return fork(trial, writing, { ...effect, number, mode: 'child', step, author })
  }
}

export function recoverAll(trial: Trial, writing: Writing): void {
  for (const [number, branch] of trial.ids.entries()) {
    const isDone = recover(writing, { branch, at: trial.now })
    agree(isDone ? 'done' : { refused: 'no-turn' }, naively.recover(trial.naive, number, resultOf), 'recover')
  }
}

function add(
  trial: Trial,
  writing: Writing,
  { number, message }: { number: number; message: Message },
): Position | undefined {
  const tokens = trial.weight()
  const added = addMessage(writing, { branch: trial.id(number), at: trial.now, message, tokens })
  const done = carryOut(writing, added)
  const calls =
    message.role === 'assistant'
      ? message.calls.map(({ id }) => id)
      : message.role === 'tool'
        ? [message.call]
        : []
  const { role } = message
  agree(done, naively.addMessage(trial.naive, number, { id: identity(message), role, calls, tokens }), role)
  return typeof done === 'object' ? undefined : done
}
