import { fork as decideFork, type Inheritance } from '../../src/context/fork.ts'
import { addMessage } from '../../src/context/step.ts'
import type { Author, Mode } from '../../src/event/event.ts'
import type { Position } from '../../src/event/id.ts'
import type { Writing } from '../../src/event/table.ts'
import { addMessage as addNaively } from './naive-step.ts'
import type { Inherited } from './operations.ts'
import { agree, carryOut, PERSON, type Trial } from './trial.ts'

export interface ForkAct {
  readonly number: number
  readonly inherit: Inherited
  readonly goal: boolean
  readonly mode: Mode
  /** Set when a model forks: its assistant message, and its branch. */
  readonly step?: Position
  readonly author?: Author
}

export function fork(trial: Trial, writing: Writing, act: ForkAct): void {
  if (trial.isFull()) return
  const { number, goal, mode, inherit } = act
  const child = trial.branchId()
  const step = act.step === undefined ? {} : { step: act.step }
  const decision = decideFork(writing, {
    parent: trial.id(number),
    child,
    mode,
    title: null,
    inherit: toInheritance(inherit),
    hasGoal: goal,
    at: trial.now,
    author: act.author ?? PERSON,
    ...step,
  })
  const done = carryOut(writing, decision)
  const byModel = act.step !== undefined
  agree(done, trial.naive.fork(number, { inherit, byModel, hasGoal: goal, mode }), 'fork')
  if (typeof done === 'object') return
  trial.ids = [...trial.ids, child]
  if (goal) addGoal(trial, writing, trial.ids.length - 1)
}

/** The child's first own message, written by the host in the same transaction. */
function addGoal(trial: Trial, writing: Writing, number: number): void {
  const id = trial.name('goal')
  const message = { role: 'user', text: id } as const
  const added = addMessage(writing, { branch: trial.id(number), at: trial.now, message, tokens: 1 })
  const done = carryOut(writing, added)
  agree(done, addNaively(trial.naive, number, { id, role: 'user', calls: [], tokens: 1 }), 'goal')
}

function toInheritance(inherit: Inherited): Inheritance {
  return typeof inherit === 'string' ? { take: inherit } : { take: 'after-mark', name: inherit.afterMark }
}
