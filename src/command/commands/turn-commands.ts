import { done, refusal, type Said } from '../../agent/act.ts'
import { stopWork } from '../../agent/acts/stop-act.ts'
import { getBranch } from '../../context/branch.ts'
import { conclude, type Desk, type OrderOf } from '../desk.ts'

/**
 * What runs is stopped first, so that nothing more comes of it. What it left unended is ended with the command: else a
 * death in between, a failure or a fork that came first would have it go on after the person was told.
 */
export async function runStop(desk: Desk, order: OrderOf<'stop'>): Promise<Said | undefined> {
  const { branch, took } = order
  const agent = desk.agent()
  // One that came through the inbox is run by the turn itself, or between two: to wait for its end would be for ever.
  const wasRunning = took === null && (await agent.stop(branch))
  const isNext = took === null && agent.isBusy(branch)
  return conclude(desk, order, (writing, actor) => {
    const { state } = getBranch(writing, branch)
    const isLeft = !isNext && stopWork(writing, actor)
    if (isLeft && state.kind === 'running') return done('Stopped.', { abort: [branch] })
    if (wasRunning) return done('Stopped.')
    if (!isLeft) return done('Nothing is running here.')
    return done('Stopped: what waited for the model is not tried again. /retry sends it.')
  })
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
