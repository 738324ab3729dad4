import { type Actor, type Said, ok, refusal } from '../../agent/contract/act.ts'
import { saveWaitsFor } from '../../agent/branch/save-act.ts'
import { stopWork } from '../../agent/branch/stop-act.ts'
import { admittedAt, firstWaiting, isCommand } from '../../agent/state/inbox.ts'
import { getBranch } from '../../context/branch.ts'
import type { Writing } from '../../log/log.ts'
import { conclude, type Desk, type OrderOf } from '../desk/desk.ts'
import { parseInput } from '../read/parse.ts'

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
    if (isLeft && state.kind === 'running') return ok('Stopped.', { abort: [branch] })
    if (wasRunning) return ok('Stopped.')
    const notSaved = isNext ? [] : takeSaveBack(writing, order, actor)
    if (!isLeft) return ok(notSaved[0] ?? 'Nothing is running here.')
    const stopped = 'Stopped: what waited for the model is not tried again. /retry sends it.'
    return ok([stopped, ...notSaved].join('\n'))
  })
}

/** A /save that waits for main's answer is taken out of the inbox; what became of it. */
function takeSaveBack(writing: Writing, { took: own }: OrderOf<'stop'>, { branch, at }: Actor): string[] {
  const first = firstWaiting(writing, branch)
  if (own !== null || first === undefined || saveWaitsFor(writing, branch) === undefined) return []
  const { text: line, position: took } = admittedAt(writing, first.position)
  const [part] = isCommand(first) ? parseInput(line) : []
  if (part?.kind !== 'command' || part.command.name !== 'save') return []
  const author = { by: 'policy', name: 'stop' } as const
  const run = { source: null, took, line, output: NOT_SAVED, isError: true }
  writing.append({ kind: 'command-run', branch, at, v: 1, author, ...run })
  return [NOT_SAVED]
}

const NOT_SAVED = 'Not saved. This fork stays open.'

export async function runRetry(desk: Desk, order: OrderOf<'retry'>): Promise<Said | undefined> {
  let hasWork = false
  const said = await conclude(desk, order, (writing, { branch }) => {
    const { state } = getBranch(writing, branch)
    hasWork = state.kind === 'idle' && state.last !== null && state.last.outcome !== 'answered'
    return hasWork ? ok('Trying again.') : refusal('There is nothing to try again here.')
  })
  if (said !== undefined && hasWork) desk.agent().hurry(order.branch)
  return said
}
