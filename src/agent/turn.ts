import { unreachable } from '../base/unreachable.ts'
import type { BranchId } from '../event/id.ts'
import { ModelError, type Model, type Reply } from '../model/model.ts'
import { takeFailure, takeReply, obstacle, type Answering } from './answering.ts'
import { ask, type Asked } from './asking.ts'
import { beginTurn, type Begun } from './begin.ts'
import { runCalls } from './calls.ts'
import { endWith, isRunning } from './ending.ts'
import type { Hands } from './hands.ts'
import { admittedAt, firstWaiting } from './inbox.ts'
import type { World } from './world.ts'

export interface TurnOrder {
  readonly branch: BranchId
  /** Aborted with a StopReason. */
  readonly signal: AbortSignal
  readonly isImpatient: boolean
}

/** `close`: the process ends; the turn is left as it is and goes on after the next start. */
export type StopReason = 'stop' | 'kill' | 'close'

/** Takes what is in the inbox, asks the model, runs what it calls, and so on until it answers. */
export async function runTurn(world: World, order: TurnOrder, hands: Hands): Promise<void> {
  const { branch, isImpatient } = order
  const { zone } = world.settings()
  const at = world.now()
  const begun = await world.log.write((writing) =>
    beginTurn(writing, { branch, at, random: world.random, zone, isImpatient }),
  )
  if (begun === undefined) return
  const { turn } = begun
  world.tell({ kind: 'turn-started', branch, turn, at })
  try {
    for (let call = 1; ; call++) if ((await runStep({ world, order, hands, begun, call })) === 'ended') return
  } finally {
    world.tell({ kind: 'turn-ended', branch, turn })
  }
}

interface Step {
  readonly world: World
  readonly order: TurnOrder
  readonly hands: Hands
  readonly begun: Begun
  readonly call: number
}

async function runStep(step: Step): Promise<'ended' | 'goes-on'> {
  const { world, hands, begun, call } = step
  if (call > 1) await runStepCommands(world, begun.branch)
  if (step.order.signal.aborted) return stopped(step)
  const settings = world.settings()
  const model = modelNamed(world, settings.model)
  if (model instanceof ModelError) return failedStep(step, model, null)
  const { contextTokens } = model
  const at = world.now()
  const asked = await world.log.write((writing) => ask(writing, { begun, call, at, settings, contextTokens }))
  hands.deliver()
  switch (asked.kind) {
    case 'gone':
      return 'ended'
    case 'too-large':
    case 'spent':
      return failedStep(step, obstacle(asked, { model: model.name, at }), null)
    case 'ask':
      return answerStep(step, model, asked)
    default:
      return unreachable(asked)
  }
}

/** Commands that wait for a step's end, as far as no message stands before them. */
async function runStepCommands(world: World, branch: BranchId): Promise<void> {
  for (;;) {
    const entry = await world.log.read((reader) => {
      const first = firstWaiting(reader, branch)
      return first?.form === 'step-command' ? admittedAt(reader, first.position) : undefined
    })
    if (entry === undefined) return
    await world.runCommand(entry)
  }
}

async function answerStep(
  step: Step,
  model: Model,
  asked: Extract<Asked, { kind: 'ask' }>,
): Promise<'ended' | 'goes-on'> {
  const { world, order, hands, begun, call } = step
  const reply = await replyTo(step, model, asked)
  if (reply instanceof ModelError) return order.signal.aborted ? stopped(step) : failedStep(step, reply, call)
  const act: Answering = { begun, call, at: world.now(), model, asked }
  const answered = await world.log.write((writing) => takeReply(writing, act, reply))
  switch (answered.kind) {
    case 'gone':
      return 'ended'
    case 'ended':
      hands.deliver()
      hands.wake(answered.wake)
      return 'ended'
    case 'calls': {
      world.tell({ kind: 'pieces-void', branch: begun.branch })
      const { position, calls } = answered
      const said = await runCalls(world, { begun, position, calls, signal: order.signal })
      if (said === undefined) return stopped(step)
      for (const { wake, abort } of said) {
        if (abort) hands.abort(abort)
        if (wake) hands.wake(wake)
      }
      hands.deliver()
      return 'goes-on'
    }
    default:
      return unreachable(answered)
  }
}

async function replyTo(
  { world, order, begun }: Step,
  model: Model,
  { prompt }: Extract<Asked, { kind: 'ask' }>,
): Promise<Reply | ModelError> {
  const { branch } = begun
  try {
    return await model.call(prompt, {
      signal: order.signal,
      onText: (text) => world.tell({ kind: 'piece', branch, text }),
      onRetry: () => world.tell({ kind: 'pieces-void', branch }),
    })
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
}

/** Somebody ended the turn from outside. Only who stops it leaves the end to be written here. */
async function stopped({ world, order, begun, hands }: Step): Promise<'ended'> {
  if ((order.signal.reason as StopReason) === 'close') return 'ended'
  const { branch, turn } = begun
  const at = world.now()
  await world.log.write((writing) => {
    if (isRunning(writing, begun)) endWith(writing, { branch, turn, at, outcome: 'stopped' })
  })
  hands.deliver()
  return 'ended'
}

async function failedStep(
  { world, begun, hands }: Step,
  error: ModelError,
  call: number | null,
): Promise<'ended'> {
  const { retryMs, zone } = world.settings()
  const failing = { begun, call, at: world.now(), error, retryMs, zone }
  const wake = await world.log.write((writing) => takeFailure(writing, failing))
  world.tell({ kind: 'pieces-void', branch: begun.branch })
  hands.deliver()
  hands.wake(wake)
  return 'ended'
}

function modelNamed(world: World, name: string): Model | ModelError {
  try {
    return world.model(name)
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
}
