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
import { knownMarks } from '../../agent/branch/refusals.ts'
import { actReply, messageNumbered, viewEnd } from '../../agent/branch/reply-act.ts'
import { actSave, saveWaitsFor } from '../../agent/branch/save-act.ts'
import { lastNumber, say } from '../../agent/state/outbox.ts'
import { extractOf } from '../../agent/branch/fork-extract.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import { marksOf } from '../../context/version.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { quotable } from '../read/arguments.ts'
import type { ForkArguments } from '../read/catalogue-branches.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import {
  bind,
  conclude,
  concluding,
  follow,
  wasRun,
  type Desk,
  type OrderOf,
  type Work,
} from '../desk/desk.ts'
import { noSuchMessage } from '../desk/numbered.ts'
import { commandMeant } from '../desk/ping-said.ts'
import { runPingCommand } from './ping-commands.ts'

export function runFork(desk: Desk, order: OrderOf<'fork'>): Promise<Said | undefined> {
  const { mark, goal, enter } = order.command
  return conclude(desk, order, (writing, actor) => {
    if (mark !== null && !hasMark(writing, actor.branch, mark))
      return refusal(noSuchMark(writing, actor.branch, order.command))
    if (enter || (mark === null && goal === null)) return enterFork(writing, actor, order)
    const inherit =
      mark === null ? ({ take: 'everything' } as const) : ({ take: 'after-mark', name: mark } as const)
    const by = { kind: 'person', source: order.source } as const
    return actFork(writing, actor, { inherit, mark, goal, mode: 'child', by })
  })
}

const MINUTE_MS = 60_000

function enterFork(writing: Writing, actor: Actor, { source, command, author }: OrderOf<'fork'>): Said {
  const { idle, mark, goal: topic } = command
  const how = author?.by === 'model' ? 'model' : 'command'
  // Whoever went elsewhere while the model worked is not fetched from there.
  if (how === 'model' && boundBranch(writing, source) !== actor.branch) return refusal(goneElsewhere(topic))
  const second = secondFork(writing, source, actor.branch)
  if (second !== undefined) return second
  const idleMs = idle === null ? null : idle * MINUTE_MS
  const marked = mark !== null && { mark }
  const forked = actEnter(writing, actor, { source, how, idleMs, of: actor.branch, topic, ...marked })
  if (forked.child === undefined) return forked
  const text = `You are in the fork ${handleOf(forked.child)} now. ${howItEnds(writing)}`
  return { ...forked, text, choices: FORK_CHOICES }
}

function goneElsewhere(topic: string | null): string {
  const about = topic === null ? '' : ` about '${quotable(topic)}'`
  return `You switched away meanwhile, so the fork${about} the model wanted was not opened.`
}

function hasMark(reader: Reader, branch: BranchId, name: string): boolean {
  return marksOf(reader, getBranch(reader, branch)).some((mark) => mark.name === name)
}

function noSuchMark(reader: Reader, branch: BranchId, asked: ForkArguments): string {
  const marks = marksOf(reader, getBranch(reader, branch))
  return [`Mark not found: ${asked.mark}`, knownMarks(marks), ...meantInstead(asked)].join('\n')
}

function meantInstead({ mark: words, goal, enter }: ForkArguments): readonly string[] {
  const all = 'with all that was said here: /fork'
  if (enter) return [`To talk ${all} --enter${goal === null ? '' : ` -- ${goal}`}`]
  if (goal !== null) return [`To give the task ${all} -- ${goal}`]
  return [`To give it as a task: /fork -- ${words}`, `To talk about it in a fork: /fork --enter -- ${words}`]
}

/**
 * Talks to another branch from now on. One that has ended stays as it is, and so does a background run: a fork with a copy
 * of it is opened instead.
 */
export function runSwitch(desk: Desk, order: OrderOf<'switch'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, actor) => {
    const target = branchMeant(writing, order.command.id)
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
  })
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
  const { source } = order
  const step = viewEnd(writing, target)
  const forked = actEnter(writing, actor, {
    source,
    how: 'copy',
    idleMs: null,
    of: target,
    topic: null,
    step,
  })
  const { child } = forked
  if (child === undefined) return forked
  const why = getBranch(writing, target).state.kind === 'ended' ? 'has ended' : 'is a background run'
  const text = `${handleOf(target)} ${why}, so you are in a fork with a copy of what it saw: ${handleOf(child)}. ${howItEnds(writing)}`
  return { ...ok(text, { wake: [child] }), choices: FORK_CHOICES }
}

const WAITS_FOR_MAIN =
  'Main is still answering. This fork is saved when it is done; /stop cancels the save, /stop in main ends that answer.'

/**
 * Waits for the end of main's turn if there is one: nothing may stand between a call and its result there. A /stop takes
 * it out of the inbox meanwhile.
 */
export async function runSave(desk: Desk, order: OrderOf<'save'>): Promise<Said | undefined> {
  const agent = desk.agent()
  const isFree = (reader: Reader): boolean =>
    saveWaitsFor(reader, order.branch) === undefined || wasRun(reader, order)
  const save: Work = (writing, actor) => actSave(writing, actor, order.source)
  for (let isTold = false; ; isTold = true) {
    const at = desk.now()
    const conclusion = concluding(desk, order)
    const tried = await desk.log.write((writing) => {
      if (isFree(writing)) return { said: conclusion(writing, { work: save }) }
      const { branch, source: to, took: cause } = order
      if (!isTold) say(writing, { branch, at, to, form: 'notice', text: WAITS_FOR_MAIN, cause })
      return undefined
    })
    if (tried !== undefined) {
      if (tried.said !== undefined) follow(agent, tried.said)
      return tried.said
    }
    agent.deliver()
    // It stays in the inbox, and is run at the next start.
    if (!(await agent.until(isFree, new AbortController().signal))) return undefined
  }
}

export function runReport(desk: Desk, order: OrderOf<'report'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, actor) => {
    const { branch } = actor
    if (getBranch(writing, branch).mode !== 'fork') return noForkHere(writing, order.source)
    const report = order.command.text ?? extractOf(writing, branch)
    if (report === '')
      return refusal(
        'Nothing was said in this fork yet. /report TEXT reports your own words; /exit leaves it.',
      )
    const leaver = { ...actor, from: order.source }
    const { ended, now } = leaveFork(writing, leaver, { reason: 'reported', report })
    const what = `Main gets it in its next turn. The ${forkName(writing, branch)} has ended.`
    const gap = report.includes('\n') ? '\n' : ' '
    return ok(`Reported to main: "${report}"${gap}${what}${now}`, { abort: ended })
  })
}

/** Ends a fork, or goes back from a child; in the main session it leaves the terminal. */
export async function runExit(desk: Desk, order: OrderOf<'exit'>): Promise<Said | undefined> {
  const goodbye = desk.canLeave(order.source) ? ok('Goodbye.') : NOWHERE_TO_GO
  const said = await conclude(desk, order, (writing, actor) => {
    const { mode, id } = getBranch(writing, actor.branch)
    const above = livingAbove(writing, id)
    if (above === undefined || mode === 'main') return goodbye
    if (mode === 'fork') return dropFork(writing, actor, order)
    bind(writing, order, { branch: above, at: actor.at })
    const now = `You are talking to ${branchNames(writing)(above)} now.`
    return ok(`${now} ${handleOf(id)} goes on working; /kill ${handleOf(id)} ends it.`)
  })
  if (said === goodbye && said !== NOWHERE_TO_GO) desk.leave(order.source)
  return said
}

const NOWHERE_TO_GO = ok('Nothing to exit: this is the main session.')

function dropFork(writing: Writing, actor: Actor, { source }: OrderOf<'exit'>): Said {
  const handle = handleOf(actor.branch)
  const { ended, now } = leaveFork(writing, { ...actor, from: source }, { reason: 'discarded' })
  return ok(
    `Left the fork ${handle}${othersBelow(ended)}; main does not know about it. The log keeps it: /switch ${handle} opens a copy.${now}`,
    { abort: ended },
  )
}

/** Answers one of the numbered messages that nobody asked for. */
export async function runReply(desk: Desk, order: OrderOf<'reply'>): Promise<Said | undefined> {
  const { number, message: text } = order.command
  const meant = await commandMeant(desk, text, (reader) => messageNumbered(reader, order.source, number))
  if (meant !== undefined) return runPingCommand(desk, { ...order, command: meant })
  return conclude(desk, order, (writing, actor) => {
    const { source } = order
    const to = messageNumbered(writing, source, number)
    if (to === undefined) {
      const last = lastNumber(writing, source)
      return refusal(noSuchMessage(number, last, `/reply ${last} TEXT`))
    }
    const { branch, before, ...said } = actReply(writing, actor, { to, source })
    const from = { ...source, key: null }
    const form = 'message' as const
    const entry = { source: from, form, text, before: [...before] }
    writing.append({ kind: 'inbound-admitted', branch, at: actor.at, v: 1, ...entry })
    return { ...said, wake: [...(said.wake ?? []), branch] }
  })
}
