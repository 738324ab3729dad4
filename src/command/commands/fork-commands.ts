import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { type Actor, type Said, ok, refusal } from '../../agent/contract/act.ts'
import {
  actEnter,
  FORK_CHOICES,
  howItEnds,
  noForkHere,
  openFork,
  secondFork,
} from '../../agent/branch/enter-act.ts'
import { forkName, leaveFork, livingAbove } from '../../agent/branch/fork-end.ts'
import { actFork } from '../../agent/branch/fork-act.ts'
import { othersBelow } from '../../agent/branch/kill-act.ts'
import { branchMeant, isSaid } from '../../agent/branch/named.ts'
import { knownMarks, sayRefusal } from '../../agent/branch/refusals.ts'
import { actReply, messageNumbered, viewEnd } from '../../agent/branch/reply-act.ts'
import { actSave, saveWaitsFor } from '../../agent/branch/save-act.ts'
import { lastNumber, say } from '../../agent/state/outbox.ts'
import { extractOf } from '../../agent/branch/fork-extract.ts'
import { askReport } from '../../agent/branch/idle.ts'
import { reportBy } from '../../agent/state/asker.ts'
import { waiting } from '../../agent/state/inbox.ts'
import { isAtWork } from '../../agent/step/end-subtree.ts'
import { fileLabel } from '../../event/file.ts'
import { fileAt, takeFiles } from '../../file/take-files.ts'
import { getBranch } from '../../context/branch.ts'
import { stepEndAt } from '../../context/message-index.ts'
import { branchNames } from '../../context/naming.ts'
import { marksOf } from '../../context/version.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { quotable } from '../read/arguments.ts'
import type { ForkArguments } from '../read/catalogue-branches.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import {
  bind,
  concluding,
  follow,
  isConcluded,
  type Commands,
  type Desk,
  type Order,
  type OrderOf,
  type Outcome,
  type Work,
} from '../desk/desk.ts'
import { noSuchMessage } from '../desk/numbered.ts'
import { commandMeant } from '../desk/ping-said.ts'
import { pingCommands } from './ping-commands.ts'

const ATTACH_MS_MAX = 180_000

export const forkCommands: Commands<'attach' | 'fork' | 'switch' | 'save' | 'report' | 'exit' | 'reply'> = {
  fork: (_, order) => (writing, actor) => {
    const { mark, goal, enter } = order.command
    const marks = marksOf(writing, getBranch(writing, actor.branch))
    if (mark !== null && !marks.some(({ name }) => name === mark))
      return refusal(
        [`Mark not found: ${mark}`, knownMarks(marks), ...meantInstead(order.command)].join('\n'),
      )
    if (enter || (mark === null && goal === null)) return enterFork(writing, actor, order)
    const inherit =
      mark === null ? ({ take: 'everything' } as const) : ({ take: 'after-mark', name: mark } as const)
    const by = { kind: 'person', source: order.source } as const
    return actFork(writing, actor, { inherit, mark, goal, mode: 'child', by })
  },

  /** A branch that has ended and a background run stay as they are: a fork with a copy is opened instead. */
  switch: (_, order) => (writing, actor) => {
    const target = branchMeant(writing, order.command.id, actor)
    if (isSaid(target)) return target
    const name = branchNames(writing)(target)
    if (target === actor.branch) return ok(`You are already talking to ${name}.`)
    const { state, mode } = getBranch(writing, target)
    if (state.kind === 'ended' || mode === 'background') return openCopy(writing, actor, { order, target })
    const second = mode === 'fork' && openFork(writing, order.source) !== target
    const refused = second ? secondFork(writing, order.source, actor.branch) : undefined
    if (refused !== undefined) return refused
    bind(writing, order, { branch: target, at: actor.at })
    const back = name === 'main' ? staysOpen(writing, order) : ' /switch main goes back.'
    const said = `You are talking to ${name} now.${back}`
    return { ...ok(said, { wake: [target] }), ...(mode === 'fork' && { choices: FORK_CHOICES }) }
  },

  save: async (desk, order) => ({ concluded: await saved(desk, order) }),

  report: (_, order) => (writing, actor) => {
    const { branch } = actor
    if (getBranch(writing, branch).mode !== 'fork') return noForkHere(writing, order.source)
    const { text } = order.command
    const report = text ?? extractOf(writing, branch)
    if (report === '')
      return refusal(
        'Nothing was said in this fork yet. /report TEXT reports your own words; /exit leaves it.',
      )
    if (text === null && reportBy(writing, branch) !== null) return ok(REPORT_BEGUN)
    if (text === null && isAtRest(writing, branch)) {
      askReport(writing, actor)
      return ok(REPORT_BEGUN, { wake: [branch] })
    }
    const host = { by: 'policy', name: 'fork-report' } as const
    const leaver = { ...actor, ...(text === null && { author: host }), from: order.source }
    const { ended, now } = leaveFork(writing, leaver, { reason: 'reported', report })
    const what = `Main gets it in its next turn. The ${forkName(writing, branch)} has ended.`
    const gap = report.includes('\n') ? '\n' : ' '
    return ok(`Reported to main: "${report}"${gap}${what}${now}`, { abort: ended })
  },

  exit: (desk, order) => {
    const wayOut = desk.wayOut(order.source)
    const goodbye = ok(wayOut ? 'Goodbye.' : 'Nothing to exit: this is the main session.')
    return {
      work: (writing, actor) => {
        const { mode, id } = getBranch(writing, actor.branch)
        const above = livingAbove(writing, id)
        if (above === undefined || mode === 'main') return goodbye
        if (mode === 'fork') return dropFork(writing, actor, order)
        bind(writing, order, { branch: above, at: actor.at })
        const now = `You are talking to ${branchNames(writing)(above)} now.`
        return ok(`${now} ${handleOf(id)} goes on working; /kill ${handleOf(id)} ends it.`)
      },
      after: (said) => {
        if (said === goodbye) wayOut?.()
      },
    }
  },

  attach: async (desk, order) => {
    const { path, message: text } = order.command
    const { root } = desk.workspace
    const { folder } = order.source
    const typed = path.replace(/^~(?=\/)/, homedir())
    const whole = [folder, root].map((from) => resolve(from ?? root, typed)).find((one) => existsSync(one))
    if (whole === undefined) {
      const here = folder === undefined ? '' : `${folder} and in `
      const where = isAbsolute(typed) ? '' : ` (looked in ${here}the workspace, ${root})`
      return refusal(`No such file: ${quotable(path)}${where}.`)
    }
    const signal = AbortSignal.timeout(ATTACH_MS_MAX)
    const files = [...(await takeFiles(desk.files, { files: [fileAt(whole, root)] }, signal))]
    const [file] = files
    if (file === undefined || file.hash === null)
      return refusal(`${quotable(path)} was not sent. ${file?.note ?? ''}`)
    const label = fileLabel(file)
    return (writing, { branch, at }) => {
      const source = { ...order.source, key: null }
      writing.append({ kind: 'inbound-admitted', branch, at, source, form: 'message', text, files })
      return ok(`Sent: ${label}`, { wake: [branch] })
    }
  },

  reply: async (desk, order) => {
    const { number, message: text } = order.command
    const { source } = order
    const meant = await commandMeant(desk, text, (reader) => messageNumbered(reader, source, number))
    if (meant !== undefined) {
      const command = pingCommands[meant.name] as (desk: Desk, order: Order) => Outcome
      return command(desk, { ...order, command: meant })
    }
    return (writing, actor) => {
      const to = messageNumbered(writing, source, number)
      if (to === undefined) {
        const last = lastNumber(writing, source)
        return refusal(noSuchMessage(number, last, `/reply ${last} TEXT`))
      }
      const { branch, before, ...said } = actReply(writing, actor, { to, source })
      const entry = { source: { ...source, key: null }, form: 'message' as const, text, before: [...before] }
      writing.append({ kind: 'inbound-admitted', branch, at: actor.at, ...entry })
      return { ...said, wake: [...(said.wake ?? []), branch] }
    }
  },
}

const REPORT_BEGUN =
  'The agent is writing the report; the fork ends with it. If you write here meanwhile, the fork stays open.'

/** Nothing there waits for an answer, so the host may ask for a report: with it, the answer would be to both. */
function isAtRest(reader: Reader, branch: BranchId): boolean {
  const isAsked = waiting(reader, branch).some(({ form }) => form === 'message')
  return !isAsked && !isAtWork(getBranch(reader, branch))
}

const MINUTE_MS = 60_000

function enterFork(writing: Writing, actor: Actor, { source, command, author }: OrderOf<'fork'>): Said {
  const { idle, mark, place, goal: topic } = command
  const how = author?.by === 'model' ? 'model' : 'command'
  // A person who switched away while the model worked is not taken into the fork.
  if (how === 'model' && boundBranch(writing, source) !== actor.branch) return refusal(goneElsewhere(topic))
  const second = secondFork(writing, source, actor.branch)
  if (second !== undefined) return second
  const idleMs = idle === null ? null : idle * MINUTE_MS
  const marked = mark !== null && { mark }
  const end = place === undefined ? undefined : stepEndAt(writing, actor.branch, place)
  if (end === null) return sayRefusal({ refused: 'no-message', place: place ?? 0 })
  const seen = end !== undefined && { step: (end + 1) as Position }
  const of = actor.branch
  const forked = actEnter(writing, actor, { source, how, idleMs, of, topic, ...marked, ...seen })
  if (forked.child === undefined) return forked
  const text = `${forked.text}\nYou're in a side conversation now. ${howItEnds(writing)}`
  return { ...forked, text, choices: FORK_CHOICES }
}

function goneElsewhere(topic: string | null): string {
  const about = topic === null ? '' : ` about '${quotable(topic)}'`
  return `You switched away meanwhile, so the fork${about} the model wanted was not opened.`
}

function meantInstead({ mark: words, goal, enter }: ForkArguments): readonly string[] {
  const all = 'with all that was said here: /fork'
  if (enter) return [`To talk ${all} --enter${goal === null ? '' : ` -- ${goal}`}`]
  if (goal !== null) return [`To give the task ${all} -- ${goal}`]
  return [`To give it as a task: /fork -- ${words}`, `To talk about it in a fork: /fork --enter -- ${words}`]
}

function staysOpen(reader: Reader, { source }: OrderOf<'switch'>): string {
  const open = openFork(reader, source)
  if (open === undefined) return ''
  const handle = handleOf(open)
  return ` The fork ${handle} stays open; /switch ${handle} goes back.`
}

function openCopy(
  writing: Writing,
  actor: Actor,
  { order, target }: { order: OrderOf<'switch'>; target: BranchId },
): Said {
  const refused = secondFork(writing, order.source, actor.branch)
  if (refused !== undefined) return refused
  const copy = { source: order.source, how: 'copy', idleMs: null, of: target, topic: null } as const
  const forked = actEnter(writing, actor, { ...copy, step: viewEnd(writing, target) })
  const { child } = forked
  if (child === undefined) return forked
  const why = getBranch(writing, target).state.kind === 'ended' ? 'has ended' : 'is a background run'
  const text = `${handleOf(target)} ${why}, so you are in a fork with a copy of what it saw: ${handleOf(child)}. ${howItEnds(writing)}`
  return { ...ok(text, { wake: [child] }), choices: FORK_CHOICES }
}

const WAITS_FOR_MAIN =
  'Main is still answering. This fork is saved when it is done; /stop cancels the save, /stop in main ends that answer.'

/** Waits for the end of main's turn: nothing may stand between a call and its result there. /stop cancels it meanwhile. */
async function saved(desk: Desk, order: OrderOf<'save'>): Promise<Said | undefined> {
  const agent = desk.agent()
  const isFree = (reader: Reader): boolean =>
    saveWaitsFor(reader, order.branch) === undefined || isConcluded(reader, order)
  const save: Work = (writing, actor) => actSave(writing, actor, order.source)
  for (let isTold = false; ; isTold = true) {
    const at = desk.now()
    const conclusion = concluding(desk, order)
    const tried = await desk.log.write((writing) => {
      if (isFree(writing)) return { said: conclusion(writing, { work: save }) }
      const { branch, source: to, took: cause } = order
      if (!isTold) say(writing, { branch, at, to, notice: 'queued', text: WAITS_FOR_MAIN, cause })
      return undefined
    })
    if (tried !== undefined) {
      if (tried.said !== undefined) follow(agent, tried.said)
      return tried.said
    }
    agent.deliver()
    // Closing: it stays in the inbox.
    if (!(await agent.until(isFree, new AbortController().signal))) return undefined
  }
}

function dropFork(writing: Writing, actor: Actor, { source }: OrderOf<'exit'>): Said {
  const handle = handleOf(actor.branch)
  const { ended, now } = leaveFork(writing, { ...actor, from: source }, { reason: 'discarded' })
  return ok(
    `Left the fork ${handle}${othersBelow(ended)}; main does not know about it. The log keeps it: /switch ${handle} opens a copy.${now}`,
    { abort: ended },
  )
}
