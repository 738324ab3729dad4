import { unreachable } from '../../src/base/assert.ts'
import { clear, redo, rewind, setMark, undo } from '../../src/context/change.ts'
import { expand } from '../../src/context/compaction.ts'
import { createBranch } from '../../src/context/fork.ts'
import { save } from '../../src/context/save.ts'
import type { EndReason, Mode } from '../../src/event/event.ts'
import type { Writing } from '../../src/event/table.ts'
import { save as saveNaively } from './naive-save.ts'
import type { Operation } from './operations.ts'
import { performCompaction } from './perform-compaction.ts'
import { fork } from './perform-fork.ts'
import {
  answer,
  call,
  continueTurn,
  finishTurn,
  recoverAll,
  result,
  say,
  startTurn,
  step,
  turn,
} from './perform-step.ts'
import { agree, carryOut, PERSON, type Trial } from './trial.ts'

/** Does the same on both sides, inside one work of the log, and checks that both did it or both refused. */
export function perform(trial: Trial, writing: Writing, operation: Operation): void {
  trial.now += 1
  switch (operation.do) {
    case 'turn':
      return turn(trial, writing, { number: trial.live(operation.branch), steps: operation.steps })
    case 'start':
      return startTurn(trial, writing, trial.live(operation.branch))
    case 'continue':
      return continueTurn(trial, writing, trial.live(operation.branch))
    case 'user':
    case 'note':
      return say(trial, writing, { number: trial.live(operation.branch), role: operation.do })
    case 'answer':
      return answer(trial, writing, trial.live(operation.branch))
    case 'call':
      return call(trial, writing, { ...operation, number: trial.live(operation.branch) })
    case 'step':
      return step(trial, writing, { ...operation, number: trial.live(operation.branch) })
    case 'result':
      return result(trial, writing, trial.live(operation.branch))
    case 'finish':
      return finishTurn(trial, writing, trial.live(operation.branch))
    case 'fork':
      return fork(trial, writing, { ...operation, number: trial.any(operation.any) })
    case 'save':
      return performSave(trial, writing, {
        number: trial.any(operation.any),
        stays: operation.stays ?? false,
      })
    case 'compact':
    case 'plan':
    case 'commit':
    case 'due':
      return performCompaction(trial, writing, operation)
    case 'end':
    case 'kill':
      return end(trial, writing, { number: trial.live(operation.branch), what: operation.do })
    case 'root':
      return createRoot(trial, writing, operation.mode)
    case 'recover':
      return recoverAll(trial, writing)
    case 'restart':
      return
    default:
      return performChange(trial, writing, operation)
  }
}

type ChangeOperation = Extract<Operation, { do: 'mark' | 'rewind' | 'clear' | 'expand' | 'undo' | 'redo' }>

function performChange(trial: Trial, writing: Writing, operation: ChangeOperation): void {
  const number = trial.live(operation.branch)
  const act = trial.acted(number)
  const { naive } = trial
  switch (operation.do) {
    case 'mark': {
      const { name } = operation
      return agree(carryOut(writing, setMark(writing, { ...act, name })), naive.mark(number, name), 'mark')
    }
    case 'rewind': {
      const { name, messagesMin } = operation
      const to = name === undefined ? { messagesMin } : { name, messagesMin }
      const done = carryOut(writing, rewind(writing, { ...act, ...to }))
      return agree(done, naive.rewind(number, { name, messagesMin }), 'rewind')
    }
    case 'clear':
      return agree(carryOut(writing, clear(writing, act)), naive.clear(number), 'clear')
    case 'expand':
      return agree(carryOut(writing, expand(writing, act)), naive.expand(number), 'expand')
    case 'undo':
      return agree(carryOut(writing, undo(writing, act)), naive.undo(number), 'undo')
    case 'redo':
      return agree(carryOut(writing, redo(writing, act)), naive.redo(number), 'redo')
    default:
      unreachable(operation)
  }
}

/** Saves and ends in one transaction; an ended branch can be saved too. */
function performSave(
  trial: Trial,
  writing: Writing,
  { number, stays }: { number: number; stays: boolean },
): void {
  const done = carryOut(writing, save(writing, trial.acted(number)))
  agree(done, saveNaively(trial.naive, number), 'save')
  if (typeof done === 'object' || stays || !trial.naive.end(number)) return
  appendEnd(trial, writing, { number, reason: 'saved' })
}

/** `end` ends the branch alone, `kill` also everything below it. Main sessions cannot be ended. */
function end(
  trial: Trial,
  writing: Writing,
  { number, what }: { number: number; what: 'end' | 'kill' },
): void {
  if (trial.naive.get(number).mode === 'main') return
  if (what === 'end') {
    if (trial.naive.end(number)) appendEnd(trial, writing, { number, reason: 'discarded' })
    return
  }
  for (const each of trial.naive.kill(number)) appendEnd(trial, writing, { number: each, reason: 'killed' })
}

function appendEnd(
  trial: Trial,
  writing: Writing,
  { number, reason }: { number: number; reason: EndReason },
): void {
  writing.append({ kind: 'branch-ended', ...trial.acted(number), v: 1, reason })
}

export function createRoot(trial: Trial, writing: Writing, mode: Mode): void {
  if (trial.isFull()) return
  const child = trial.branchId()
  carryOut(writing, createBranch({ child, mode, title: null, at: trial.now, author: PERSON }))
  trial.naive.create(null, mode, [])
  trial.ids = [...trial.ids, child]
}
