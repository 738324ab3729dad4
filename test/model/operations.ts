import fc from 'fast-check'
import type { Mode } from '../../src/event/event.ts'

/**
 * Operations of people, models and policies, with small numbers for names. `branch` counts through the living branches,
 * `any` through all of them; both wrap around, so that every sequence is valid; -1 is the newest.
 */
export type Operation =
  | { readonly do: 'turn'; readonly branch: number; readonly steps: number }
  /** `continue` starts a turn that continues the branch's last work. */
  | {
      readonly do: 'start' | 'continue' | 'user' | 'note' | 'answer' | 'result' | 'finish'
      readonly branch: number
    }
  | {
      readonly do: 'call'
      readonly branch: number
      readonly calls: number
      readonly effects: readonly Effect[]
    }
  | {
      readonly do: 'step'
      readonly branch: number
      readonly calls: number
      readonly effects: readonly Effect[]
    }
  | { readonly do: 'mark'; readonly branch: number; readonly name: string }
  | { readonly do: 'rewind'; readonly branch: number; readonly name?: string; readonly messagesMin: number }
  | { readonly do: 'clear' | 'expand' | 'undo' | 'redo'; readonly branch: number }
  | {
      readonly do: 'fork'
      readonly any: number
      readonly inherit: Inherited
      readonly goal: boolean
      readonly mode: Mode
    }
  /** A save ends its branch, as `/save` does; with `stays` it only saves the list. */
  | { readonly do: 'save'; readonly any: number; readonly stays?: boolean }
  | { readonly do: 'compact' | 'plan'; readonly branch: number; readonly keep: number }
  | { readonly do: 'commit'; readonly plan: number }
  /** Does what the window wants, at once or, with `later`, by a `commit`. */
  | {
      readonly do: 'due'
      readonly branch: number
      readonly window: Window
      readonly demand?: 'by-person' | 'must-fit'
      readonly later?: boolean
    }
  | { readonly do: 'end' | 'kill'; readonly branch: number }
  | { readonly do: 'root'; readonly mode: Mode }
  | { readonly do: 'recover' | 'restart' }

export type Inherited = 'everything' | 'nothing' | { readonly afterMark: string }

/** The window's rules, each limit relative to the one before. */
export interface Window {
  readonly policy: 'managed' | 'explicit'
  readonly keep: number
  readonly threshold: number
  readonly truncation: number
  readonly share: number
  readonly history: number | null
  readonly summary: number
  readonly fixed: number
  readonly context: number
}

/** The effect of a model's call on the context when its step ends. */
export type Effect =
  | { readonly do: 'mark'; readonly name: string }
  | { readonly do: 'clear'; readonly name?: string; readonly messagesMin: number }
  | { readonly do: 'fork'; readonly inherit: Inherited; readonly goal: boolean }

/** Stands for the newest branch, whatever its number. */
export const NEWEST = -1
export const MARKS = ['A', 'B', 'C'] as const

const name = fc.constantFrom(...MARKS)
const messagesMin = fc.constantFrom(0, 0, 2, 5)
/** Main is 0; it and the newest branch come often, so that operations pile up. */
const branch = fc.constantFrom(0, 0, 0, 0, 0, 0, NEWEST, NEWEST, NEWEST, NEWEST, 1, 1, 2, 3, 4)
const any = fc.constantFrom(0, 0, 0, NEWEST, NEWEST, NEWEST, NEWEST, 1, 1, 2, 2, 3, 4, 5, 6)
const keep = fc.constantFrom(1, 1, 2, 3, 5)
const calls = fc.constantFrom(1, 1, 2, 3)
const goal = fc.boolean()
const mode = fc.constantFrom<Mode>('fork', 'fork', 'child', 'background', 'main')
const inherit = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Inherited>('everything') },
  { weight: 1, arbitrary: fc.constant<Inherited>('nothing') },
  { weight: 3, arbitrary: name.map((afterMark): Inherited => ({ afterMark })) },
)
const rewindTo = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: name.map((mark) => ({ name: mark })) },
)
const effect: fc.Arbitrary<Effect> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('mark' as const), name }) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(rewindTo, messagesMin)
      .map(([to, min]) => ({ do: 'clear' as const, ...to, messagesMin: min })),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fork' as const), inherit, goal }) },
)
const effects = fc.oneof(
  { weight: 2, arbitrary: fc.constant<readonly Effect[]>([]) },
  { weight: 3, arbitrary: fc.array(effect, { minLength: 1, maxLength: 3 }) },
)

/** So large that nothing ever fills it. */
const ROOMY = 1_000_000
const managed = fc.record({
  policy: fc.constant('managed' as const),
  keep: fc.integer({ min: 1, max: 6 }),
  threshold: fc.integer({ min: 1, max: 6 }),
  truncation: fc.constantFrom(1, 2, 4, 100, 100),
  share: fc.constantFrom(0, 0, 0.25),
  history: fc.constantFrom(null, null, 10),
  summary: fc.constantFrom(1, 2, 4, 20),
  fixed: fc.constantFrom(0, 3, 10),
  context: fc.constantFrom(5, 12, 20, 32, 50, 80, ROOMY, ROOMY, ROOMY),
})
const explicit = managed.map((window): Window => ({ ...window, policy: 'explicit' }))
const window = fc.oneof<fc.WeightedArbitrary<Window>[]>(
  { weight: 12, arbitrary: managed },
  { weight: 1, arbitrary: explicit },
)
const demand = fc.constantFrom('nobody', 'nobody', 'nobody', 'nobody', 'by-person', 'must-fit')
const dueIn = (where: fc.Arbitrary<number>) => {
  return fc.tuple(where, window, demand, fc.boolean()).map(([number, rules, who, later]) => {
    const due = { do: 'due' as const, branch: number, window: rules, later }
    return who === 'nobody' ? due : { ...due, demand: who }
  })
}

const of = <Name extends Operation['do']>(name: Name) => fc.constant(name)

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ do: of('turn'), branch, steps: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ do: of('note'), branch }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('start', 'continue', 'finish'), branch }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('user', 'answer'), branch }) },
  { weight: 6, arbitrary: fc.record({ do: of('result'), branch }) },
  { weight: 3, arbitrary: fc.record({ do: of('call'), branch, calls, effects }) },
  { weight: 4, arbitrary: fc.record({ do: of('step'), branch, calls, effects }) },
  { weight: 6, arbitrary: fc.record({ do: of('mark'), branch, name }) },
  {
    weight: 5,
    arbitrary: fc.tuple(branch, rewindTo, messagesMin).map(([number, to, min]) => {
      return { do: 'rewind' as const, branch: number, ...to, messagesMin: min }
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: of('clear'), branch }) },
  { weight: 2, arbitrary: fc.record({ do: of('expand'), branch }) },
  { weight: 4, arbitrary: fc.record({ do: of('undo'), branch }) },
  { weight: 2, arbitrary: fc.record({ do: of('redo'), branch }) },
  { weight: 7, arbitrary: fc.record({ do: of('fork'), any, inherit, goal, mode }) },
  { weight: 6, arbitrary: fc.record({ do: of('save'), any, stays: fc.boolean() }) },
  { weight: 7, arbitrary: fc.record({ do: of('compact'), branch, keep }) },
  { weight: 8, arbitrary: dueIn(branch) },
  { weight: 2, arbitrary: fc.record({ do: of('plan'), branch, keep }) },
  { weight: 2, arbitrary: fc.record({ do: of('commit'), plan: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('end', 'kill'), branch }) },
  { weight: 1, arbitrary: fc.record({ do: of('root'), mode: fc.constantFrom<Mode>('main', 'background') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('recover', 'restart') }) },
)

const newest = fc.constant(NEWEST)
const everything = fc.constant<Inherited>('everything')
const turnIn = (where: fc.Arbitrary<number>) => fc.record({ do: of('turn'), branch: where, steps: fc.nat(1) })
const compactIn = (where: fc.Arbitrary<number>) =>
  fc.record({ do: of('compact'), branch: where, keep: fc.constantFrom(1, 2) })
const forkFrom = (where: fc.Arbitrary<number>) => {
  return fc.record({ do: of('fork'), any: where, inherit: everything, goal, mode: fc.constant<Mode>('fork') })
}
const planIn = (where: fc.Arbitrary<number>) => fc.record({ do: of('plan'), branch: where, keep })
const commitOf = fc.record({ do: of('commit'), plan: fc.constant(NEWEST) })
const startIn = (where: fc.Arbitrary<number>) => fc.record({ do: of('start'), branch: where })
const finishIn = (where: fc.Arbitrary<number>) => fc.record({ do: of('finish'), branch: where })
const saveOf = (where: fc.Arbitrary<number>) => fc.record({ do: of('save'), any: where })

const stepIn = (where: fc.Arbitrary<number>) => fc.record({ do: of('step'), branch: where, calls, effects })
const sayIn = (where: fc.Arbitrary<number>) =>
  fc.record({ do: fc.constantFrom('user', 'note'), branch: where })
const busyTurn = fc
  .constantFrom(0, NEWEST)
  .map((number) => fc.constant(number))
  .chain((one) => fc.tuple(startIn(one), stepIn(one), sayIn(one), stepIn(one), finishIn(one)))

/** A turn that is too large for its window and is summed up repeatedly while it runs. */
const longTurn = fc
  .constantFrom(0, NEWEST)
  .map((number) => fc.constant(number))
  .chain((one) => {
    const some = () => fc.oneof(stepIn(one), sayIn(one), fc.record({ do: of('answer'), branch: one }))
    const due = () => dueIn(one)
    const long = [some(), some(), some(), due(), some(), some(), due()] as const
    return fc.tuple(startIn(one), ...long, finishIn(one))
  })

/** A person opens a summary, and the window wants to sum up again. */
const secondThought = fc
  .constantFrom(0, NEWEST)
  .map((number) => fc.constant(number))
  .chain((one) => {
    const open = fc.record({ do: fc.constantFrom('undo', 'expand', 'redo'), branch: one })
    return fc.tuple(turnIn(one), turnIn(one), turnIn(one), compactIn(one), open, turnIn(one), dueIn(one))
  })

/** Operations that belong together and seldom meet by chance. */
const passage: fc.Arbitrary<readonly Operation[]> = fc.oneof(
  { weight: 20, arbitrary: fc.tuple(operation) },
  { weight: 2, arbitrary: fc.tuple(turnIn(branch), compactIn(branch)) },
  { weight: 2, arbitrary: fc.tuple(turnIn(fc.constant(0)), compactIn(fc.constant(0))) },
  { weight: 2, arbitrary: fc.tuple(forkFrom(any), turnIn(newest), compactIn(newest)) },
  { weight: 2, arbitrary: fc.tuple(forkFrom(any), turnIn(newest), saveOf(newest)) },
  { weight: 2, arbitrary: busyTurn },
  { weight: 2, arbitrary: longTurn },
  { weight: 2, arbitrary: fc.tuple(dueIn(branch), operation, commitOf) },
  { weight: 2, arbitrary: secondThought },
  { weight: 2, arbitrary: fc.tuple(planIn(branch), operation, commitOf) },
  { weight: 1, arbitrary: fc.tuple(planIn(branch), operation, operation, commitOf) },
  { weight: 1, arbitrary: fc.tuple(forkFrom(newest), turnIn(newest), compactIn(newest), saveOf(newest)) },
)

/** Includes long ones: depth takes many steps. No minimum length, so that a failure shrinks to its core. */
export const operations: fc.Arbitrary<readonly Operation[]> = fc
  .array(passage, { maxLength: 50, size: 'max' })
  .map((passages) => passages.flat())
