import type { JobRead } from '../../agent/run/run-act.ts'
import { type Actor, ok, refusal } from '../../agent/contract/act.ts'
import type { JsonObject } from '../../base/json.ts'
import { bind, type Commands, type Desk, type OrderOf } from '../desk/desk.ts'
import { beginRun } from '../desk/start-run.ts'
import { updatesText, updatesView } from '../../view/updates.ts'
import { actRetry } from '../../agent/branch/context-acts.ts'
import { actKill } from '../../agent/branch/kill-act.ts'
import { livingAbove } from '../../agent/branch/fork-end.ts'
import { actCheckMail, actSend } from '../../agent/branch/mail-acts.ts'
import { branchNames } from '../../context/naming.ts'
import { saveWaitsFor } from '../../agent/branch/save-act.ts'
import { missingModelIn, missingWords } from '../../agent/state/home-model.ts'
import { stopWork } from '../../agent/branch/stop-act.ts'
import { admittedAt, firstWaiting, isCommand } from '../../agent/state/inbox.ts'
import { getBranch } from '../../context/branch.ts'
import type { Writing } from '../../event/table.ts'
import { parseInput } from '../read/parse.ts'

export const runCommands: Commands<
  'run' | 'updates' | 'send' | 'check-mail' | 'kill' | 'stop' | 'retry' | 'todo'
> = {
  run: async (desk, order) => {
    const read = await jobIn(desk, order.command.text)
    if ('problem' in read) return refusal(read.problem)
    return (writing, actor) => {
      const said = beginRun(writing, actor, read.job)
      if (said.isError) return said
      return { ...said, text: [`${said.text} /agents shows it.`, ...read.warnings].join('\n') }
    }
  },

  updates: (_, order) => {
    const which = order.command.all ? 'all' : 'pending'
    return {
      look: (reader, { branch, at: now, settings: { zone } }) =>
        ok(updatesText(updatesView(reader, { branch, which, zone }).updates, which, now)),
    }
  },

  send:
    (_, { command: { id, message } }) =>
    (writing, actor) =>
      actSend(writing, actor, { to: id, text: message }),

  'check-mail': () => actCheckMail,

  /** People who talk to a branch that is killed talk to the one above it from then on. */
  kill: (_, order) => (writing, actor) => {
    const said = actKill(writing, actor, order.command.id)
    if (said.abort?.includes(actor.branch) !== true) return said
    const above = livingAbove(writing, actor.branch)
    if (above === undefined) return said
    bind(writing, order, { branch: above, at: actor.at })
    return { ...said, text: `${said.text} You are talking to ${branchNames(writing)(above)} now.` }
  },

  /**
   * Aborts the turn first, so that nothing more comes of it. What is left of it is ended in the same transaction as the
   * command: after a crash in between it would go on although the person was told that it stopped.
   */
  stop: async (desk, order) => {
    const { branch, took } = order
    const agent = desk.agent()
    // A /stop from the inbox is performed by the turn itself or between two turns: it would wait for its own end.
    const wasRunning = took === null && (await agent.stop(branch))
    const isNext = took === null && agent.isBusy(branch)
    return (writing, actor) => {
      const { state } = getBranch(writing, branch)
      const isLeft = !isNext && stopWork(writing, actor) !== undefined
      if (isLeft && state.kind === 'running') return ok('Stopped.', { abort: [branch] })
      if (wasRunning) return ok('Stopped.')
      const notSaved = isNext ? [] : takeSaveBack(writing, order, actor)
      if (!isLeft) return ok(notSaved[0] ?? 'Nothing is running here.')
      const stopped = 'Stopped: the message that waited for the model is not retried. /retry resends it.'
      return ok([stopped, ...notSaved].join('\n'))
    }
  },

  retry: (desk, order) => {
    const settings = desk.settings()
    return {
      work: (writing, actor) => {
        const missing = missingModelIn(writing, actor.branch, settings)
        if (missing !== undefined) return refusal(`${missingWords(missing)}. /model NAME chooses one.`)
        return actRetry(writing, actor)
      },
      after: ({ isError }) => {
        if (!isError) desk.agent().hurry(order.branch)
      },
    }
  },

  todo: async ({ todos }, { command }) => {
    const { text, isError } = await todos(command)
    return isError ? refusal(text) : ok(text)
  },
}

/** `webhooks/build.md {"branch": "main"}`: the data of a webhook follows its file. */
async function jobIn(desk: Desk, text: string): Promise<JobRead> {
  const { path = text, json } = /^(?<path>.+?\.md)\s+(?<json>\{.*\})$/isu.exec(text)?.groups ?? {}
  if (json === undefined) return desk.jobIn(path)
  try {
    return await desk.jobIn(path, JSON.parse(json) as JsonObject)
  } catch (error) {
    if (error instanceof SyntaxError)
      return { problem: `The data after ${path} is not JSON: ${error.message}` }
    throw error
  }
}

/** Takes a /save that waits for main's answer out of the inbox, and says so. */
function takeSaveBack(writing: Writing, { took: own }: OrderOf<'stop'>, { branch, at }: Actor): string[] {
  const first = firstWaiting(writing, branch)
  if (own !== null || first === undefined || saveWaitsFor(writing, branch) === undefined) return []
  const { text: line, position: took } = admittedAt(writing, first.position)
  const [part] = isCommand(first) ? parseInput(line) : []
  if (part?.kind !== 'command' || part.command.name !== 'save') return []
  const author = { by: 'policy', name: 'stop' } as const
  const command = { source: null, took, line, output: NOT_SAVED, isError: true }
  writing.append({ kind: 'command-run', branch, at, author, ...command })
  return [NOT_SAVED]
}

const NOT_SAVED = 'Not saved. This fork stays open.'
