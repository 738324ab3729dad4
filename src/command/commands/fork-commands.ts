import { done, refusal, type Actor, type Said } from '../../agent/act.ts'
import { actEnter, FORK_CHOICES, HOW_IT_ENDS, secondFork } from '../../agent/acts/enter-act.ts'
import { forkName, leaveFork, livingAbove, reportFork } from '../../agent/acts/fork-end.ts'
import { actFork } from '../../agent/acts/fork-act.ts'
import { livingFrom, othersBelow } from '../../agent/acts/kill-act.ts'
import { branchMeant, isSaid } from '../../agent/acts/named.ts'
import { knownMarks } from '../../agent/acts/refusals.ts'
import { actReply, messageNumbered } from '../../agent/acts/reply-act.ts'
import { actSave, saveWaitsFor } from '../../agent/acts/save-act.ts'
import { extractOf } from '../../agent/fork-extract.ts'
import { hasReported } from '../../agent/updates.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import { marksOf } from '../../context/version.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { answer, bind, conclude, concluding, follow, type Desk, type OrderOf } from '../desk.ts'

export function runFork(desk: Desk, order: OrderOf<'fork'>): Promise<Said | undefined> {
  const { mark, goal, enter } = order.command
  return conclude(desk, order, (writing, actor) => {
    if (mark !== null && !hasMark(writing, actor.branch, mark))
      return refusal(noSuchMark(writing, actor.branch, { words: mark, goal }))
    if (enter || (mark === null && goal === null)) return enterFork(writing, actor, order)
    const inherit =
      mark === null ? ({ take: 'everything' } as const) : ({ take: 'after-mark', name: mark } as const)
    const by = { kind: 'person', source: order.source } as const
    return actFork(writing, actor, { inherit, mark, goal, mode: 'child', by })
  })
}

const MINUTE_MS = 60_000

function enterFork(writing: Writing, actor: Actor, { source, command, author }: OrderOf<'fork'>): Said {
  const second = secondFork(writing, source, actor.branch)
  if (second !== undefined) return second
  const { idle, goal: topic } = command
  const how = author?.by === 'model' ? 'model' : 'command'
  const idleMs = idle === null ? null : idle * MINUTE_MS
  const forked = actEnter(writing, actor, { source, how, idleMs, of: actor.branch, topic })
  if (forked.child === undefined) return forked
  const text = `You are in the fork ${handleOf(forked.child)} now. ${HOW_IT_ENDS}`
  return { ...forked, text, choices: FORK_CHOICES }
}

function hasMark(reader: Reader, branch: BranchId, name: string): boolean {
  return marksOf(reader, getBranch(reader, branch)).some((mark) => mark.name === name)
}

function noSuchMark(
  reader: Reader,
  branch: BranchId,
  { words, goal }: { words: string; goal: string | null },
): string {
  const marks = marksOf(reader, getBranch(reader, branch))
  const offers =
    goal === null
      ? [`To give it as a task: /fork -- ${words}`, `To talk about it in a fork: /fork --enter -- ${words}`]
      : [`To give the task with all that was said here: /fork -- ${goal}`]
  return [`Mark not found: ${words}`, knownMarks(marks), ...offers].join('\n')
}

/** Talks to another branch from now on. One that has ended stays as it is: a fork of it is opened instead. */
export function runSwitch(desk: Desk, order: OrderOf<'switch'>): Promise<Said | undefined> {
  return conclude(desk, order, (writing, actor) => {
    const target = branchMeant(writing, order.command.id)
    if (isSaid(target)) return target
    const name = branchNames(writing)(target)
    if (target === actor.branch) return done(`You are talking to ${name} already.`)
    if (getBranch(writing, target).state.kind === 'ended') return openCopy(writing, actor, { order, target })
    bind(writing, order, { branch: target, at: actor.at })
    const back = name === 'main' ? '' : ' /switch main goes back.'
    return done(`You are talking to ${name} now.${back}`, { wake: [target] })
  })
}

function openCopy(
  writing: Writing,
  actor: Actor,
  { order, target }: { order: OrderOf<'switch'>; target: BranchId },
): Said {
  const second = secondFork(writing, order.source, actor.branch)
  if (second !== undefined) return second
  const { source } = order
  const forked = actEnter(writing, actor, { source, how: 'copy', idleMs: null, of: target, topic: null })
  if (forked.child === undefined) return forked
  const [ended, copy] = [handleOf(target), handleOf(forked.child)]
  const text = `${ended} has ended, so a new fork was opened with a copy of what it saw: ${copy}.\nYou are in it now. ${HOW_IT_ENDS}`
  return { ...done(text), choices: FORK_CHOICES }
}

const WAITS_FOR_MAIN = 'Main is in the midst of a turn. This fork is saved when that ends.'

/** Waits for the end of main's turn if there is one: nothing may stand between a call and its result there. */
export async function runSave(desk: Desk, order: OrderOf<'save'>): Promise<Said | undefined> {
  const agent = desk.agent()
  const isFree = (reader: Reader): boolean => saveWaitsFor(reader, order.branch) === undefined
  for (let isTold = false; ; isTold = true) {
    const at = desk.now()
    const tried = await desk.log.write((writing) => {
      if (isFree(writing)) return { said: concluding(desk, order, actSave)(writing) }
      if (!isTold) answer(writing, order, { branch: order.branch, at, form: 'notice', text: WAITS_FOR_MAIN })
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
    const { branch, author } = actor
    if (getBranch(writing, branch).mode !== 'fork')
      return refusal('This is no fork, so there is nothing to report to main. /fork opens one to talk in.')
    const name = forkName(writing, branch)
    // The model's own report stands already: this only ends the fork.
    const isTold = author.by === 'model' && hasReported(writing, branch, author.turn)
    const text = order.command.text ?? (isTold ? null : extractOf(writing, branch))
    if (text === '')
      return refusal(
        'Nothing was said in this fork yet. /report TEXT reports your own words; /exit leaves it.',
      )
    if (text !== null) reportFork(writing, actor, text)
    const ended = leaveFork(writing, actor, { reason: 'reported' })
    const shown = text === null ? '' : `\n${text}`
    return done(
      `Reported to main, which hears of it in its next turn. ${name} has ended.${shown}\n${nowIn(writing, branch)}`,
      { abort: ended },
    )
  })
}

/** Ends a fork, or goes back from a child; in the main session it leaves the terminal. */
export async function runExit(desk: Desk, order: OrderOf<'exit'>): Promise<Said | undefined> {
  let isLeaving = false
  const said = await conclude(desk, order, (writing, actor) => {
    const { mode, id } = getBranch(writing, actor.branch)
    const above = livingAbove(writing, id)
    isLeaving = mode === 'main' || above === undefined
    if (above === undefined || isLeaving)
      return done(
        desk.canLeave(order.source) ? 'Goodbye.' : 'There is nothing to exit: this is the main session.',
      )
    if (mode === 'fork') return dropFork(writing, actor)
    bind(writing, order, { branch: above, at: actor.at })
    return done(
      `${nowIn(writing, id)} ${handleOf(id)} goes on by itself; /kill ${handleOf(id)} would end it.`,
    )
  })
  if (isLeaving && said !== undefined && desk.canLeave(order.source)) desk.leave(order.source)
  return said
}

function dropFork(writing: Writing, actor: Actor): Said {
  const { branch } = actor
  const handle = handleOf(branch)
  const below = othersBelow(livingFrom(writing, branch))
  const ended = leaveFork(writing, actor, { reason: 'discarded' })
  return done(
    `Left ${handle}${below}; main knows nothing of it. The log keeps it, and /switch ${handle} opens a copy.\n${nowIn(writing, branch)}`,
    { abort: ended },
  )
}

function nowIn(reader: Reader, left: BranchId): string {
  const above = livingAbove(reader, left)
  return above === undefined ? '' : `You are talking to ${branchNames(reader)(above)} now.`
}

/** Answers one of the numbered messages that nobody asked for. */
export function runReply(desk: Desk, order: OrderOf<'reply'>): Promise<Said | undefined> {
  const { number, message: text } = order.command
  return conclude(desk, order, (writing, actor) => {
    const { source } = order
    const to = messageNumbered(writing, source, number)
    if (to === undefined)
      return refusal(
        `There is no message #${number} here. Messages that nobody asked for have numbers, as in '#3'.`,
      )
    const { branch, before, ...said } = actReply(writing, actor, { to, source })
    const from = { ...source, key: null }
    const form = 'message' as const
    const entry = { source: from, form, text, before: [...before] }
    writing.append({ kind: 'inbound-admitted', branch, at: actor.at, v: 1, ...entry })
    return { ...said, wake: [...(said.wake ?? []), branch] }
  })
}
