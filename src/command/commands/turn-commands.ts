import { done, refusal, type Said } from '../../agent/act.ts'
import { stopWork } from '../../agent/acts/stop-act.ts'
import type { Agent } from '../../agent/agent.ts'
import { getBranch } from '../../context/branch.ts'
import { conclude, type Desk, type OrderOf } from '../desk.ts'

export async function runStop(desk: Desk, order: OrderOf<'stop'>): Promise<Said | undefined> {
  const wasRunning = await stopTurn(desk.agent(), order)
  return conclude(desk, order, (writing, actor) => {
    const { state } = getBranch(writing, actor.branch)
    // Also of the turn that was to be stopped: it may have failed or been parted by a fork first, and would go on.
    const isLeft = state.kind !== 'running' && stopWork(writing, actor)
    if (wasRunning) return done('Stopped.')
    if (!isLeft) return done('Nothing is running here.')
    return done('Stopped: what waited for the model is not tried again. /retry sends it.')
  })
}

/** One that came through the inbox is run by the turn itself, or between two: to wait for its end would be for ever. */
async function stopTurn(agent: Agent, { branch, took }: OrderOf<'stop'>): Promise<boolean> {
  if (took === null) return agent.stop(branch)
  const isRunning = agent.isBusy(branch)
  if (isRunning) agent.abort([branch])
  return isRunning
}

export async function runRetry(desk: Desk, order: OrderOf<'retry'>): Promise<Said | undefined> {
  let hasWork = false
  const said = await conclude(desk, order, (writing, { branch }) => {
    const { state } = getBranch(writing, branch)
    hasWork = state.kind === 'idle' && state.last !== null && state.last.outcome !== 'answered'
    return hasWork ? done('Trying again.') : refusal('There is nothing to try again here.')
  })
  if (said !== undefined && hasWork) desk.agent().hurry(order.branch)
  return said
}
