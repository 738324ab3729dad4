import type { JobRead } from '../../agent/run/run-act.ts'
import { type Said, ok, refusal, type Actor } from '../../agent/contract/act.ts'
import type { JsonObject } from '../../base/json.ts'
import { conclude, type Desk, type OrderOf, bind, concludeDone, concludeLook, wasRun } from '../desk/desk.ts'
import { beginRun } from '../desk/start-run.ts'
import { updatesText } from '../../view/updates-text.ts'
import { updatesView } from '../../view/updates.ts'
import { actKill } from '../../agent/branch/kill-act.ts'
import { livingAbove } from '../../agent/branch/fork-end.ts'
import { actCheckMail, actSend } from '../../agent/branch/mail-acts.ts'
import { branchNames } from '../../context/naming.ts'
import { saveWaitsFor } from '../../agent/branch/save-act.ts'
import { stopWork } from '../../agent/branch/stop-act.ts'
import { admittedAt, firstWaiting, isCommand } from '../../agent/state/inbox.ts'
import { getBranch } from '../../context/branch.ts'
import type { Writing } from '../../log/log.ts'
import { parseInput } from '../read/parse.ts'

/** Starts a background run from a file of the workspace. */
export async function runRun(desk: Desk, order: OrderOf<'run'>): Promise<Said | undefined> {
  const read = await jobAsked(desk, order.command.text)
  return conclude(desk, order, (writing, actor) => {
    if ('problem' in read) return refusal(read.problem)
    const said = beginRun(writing, actor, read.job)
    if (said.isError) return said
    return { ...said, text: [`${said.text} /agents shows it.`, ...read.warnings].join('\n') }
  })
}

/** `webhooks/build.md {"branch": "main"}`: the data of a webhook stands behind its file. */
async function jobAsked({ jobIn }: Desk, text: string): Promise<JobRead> {
  const { path = text, json } = /^(?<path>.+?\.md)\s+(?<json>\{.*\})$/isu.exec(text)?.groups ?? {}
  if (json === undefined) return jobIn(path)
  try {
    return await jobIn(path, JSON.parse(json) as JsonObject)
  } catch (error) {
    if (error instanceof SyntaxError)
      return { problem: `The data after ${path} is not JSON: ${error.message}` }
    throw error
  }
}

/** Shows what main gets next, or has got. Viewing doesn't consume it. */
export function runUpdates(desk: Desk, order: OrderOf<'updates'>): Promise<Said | undefined> {
  const which = order.command.all ? 'all' : 'pending'
  return concludeLook(desk, order, (reader, { branch, at: now, settings: { zone } }) =>
    ok(updatesText(updatesView(reader, { branch, which, zone }), { now, which })),
  )
}

export function runSend(desk: Desk, order: OrderOf<'send'>): Promise<Said | undefined> {
  const { id, message } = order.command
  return conclude(desk, order, (writing, actor) => actSend(writing, actor, { to: id, text: message }))
}

export function runCheckMail(desk: Desk, order: OrderOf<'check-mail'>): Promise<Said | undefined> {
  return conclude(desk, order, actCheckMail)
}

/** Whoever talks to a branch that is killed finds themselves in the one above it. */
export function runKill(desk: Desk, order: OrderOf<'kill'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, actor) => {
    const said = actKill(writing, actor, order.command.id)
    if (said.abort?.includes(actor.branch) !== true) return said
    const above = livingAbove(writing, actor.branch)
    if (above === undefined) return said
    bind(writing, order, { branch: above, at: actor.at })
    return { ...said, text: `${said.text} You are talking to ${branchNames(writing)(above)} now.` }
  })
}

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
    const stopped = 'Stopped: the message that waited for the model is not retried. /retry resends it.'
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
  const said = await conclude(desk, order, (writing, { branch }) => {
    const { state } = getBranch(writing, branch)
    const hasWork = state.kind === 'idle' && state.last !== null && state.last.outcome !== 'answered'
    return hasWork ? ok('Trying again.') : refusal('There is nothing to retry here.')
  })
  if (said?.isError === false) desk.agent().hurry(order.branch)
  return said
}

/** The file is changed before it is written down: whoever is asked twice must not add twice. */
export async function runTodo(desk: Desk, order: OrderOf<'todo'>): Promise<Said | undefined> {
  if (await desk.log.read((reader) => wasRun(reader, order))) return undefined
  const { text, isError } = await desk.todos(order.command.asked)
  return concludeDone(desk, order, () => (isError ? refusal(text) : ok(text)))
}
