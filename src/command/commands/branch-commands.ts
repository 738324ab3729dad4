import { done, refusal, type Actor, type Said } from '../../agent/act.ts'
import { actFork, type ForkAsked } from '../../agent/acts/fork-act.ts'
import { actKill, livingFrom, othersBelow } from '../../agent/acts/kill-act.ts'
import { actCheckMail, actSend } from '../../agent/acts/mail-acts.ts'
import { branchMeant, isSaid } from '../../agent/acts/named.ts'
import { knownMarks } from '../../agent/acts/refusals.ts'
import { getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import { marksOf } from '../../context/version.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Writing } from '../../log/log.ts'
import { livingAbove } from '../binding.ts'
import { bind, conclude, type Desk, type OrderOf } from '../desk.ts'

export function runFork(desk: Desk, order: OrderOf<'fork'>): Promise<Said | undefined> {
  const { mark, goal, enter } = order.command
  return conclude(desk, order, (writing, actor) => {
    if (mark !== null && !hasMark(writing, actor.branch, mark))
      return refusal(noSuchMark(writing, actor.branch, { words: mark, goal }))
    const mode: ForkAsked['mode'] = enter || (mark === null && goal === null) ? 'fork' : 'child'
    if (mode === 'fork' && getBranch(writing, actor.branch).mode === 'fork') return refusal(IN_A_FORK)
    const inherit: ForkAsked['inherit'] =
      mark === null ? { take: 'everything' } : { take: 'after-mark', name: mark }
    const forked = actFork(writing, actor, {
      inherit,
      mark,
      goal,
      mode,
      by: { kind: 'person', source: order.source },
    })
    if (forked.child === undefined || mode === 'child') return forked
    bind(writing, order, { branch: forked.child, at: actor.at })
    return { ...forked, text: `${forked.text}\n${ENTERED}` }
  })
}

const IN_A_FORK =
  'You are in a fork already. /exit ends it, /switch main leaves it open; then fork again. /fork -- GOAL starts a child from here.'
const ENTERED = 'You are in it now. /exit ends it, /switch main goes back and leaves it open.'

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
  const by = { kind: 'person', source: order.source } as const
  const asked = { inherit: { take: 'everything' }, mark: null, goal: null, mode: 'fork', by } as const
  const forked = actFork(writing, { ...actor, branch: target }, asked)
  if (forked.child === undefined) return forked
  bind(writing, order, { branch: forked.child, at: actor.at })
  const [ended, copy] = [handleOf(target), handleOf(forked.child)]
  return done(`${ended} has ended, so a new fork was opened with a copy of what it saw: ${copy}.\n${ENTERED}`)
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
    bind(writing, order, { branch: above, at: actor.at })
    const now = `You are talking to ${branchNames(writing)(above)} now`
    if (mode === 'fork') return endFork(writing, actor, now)
    return done(`${now}; ${handleOf(id)} goes on by itself. /kill ${handleOf(id)} would end it.`)
  })
  if (isLeaving && said !== undefined && desk.canLeave(order.source)) desk.leave(order.source)
  return said
}

/** With all that works below it: nobody would ever read what they find. */
function endFork(writing: Writing, { branch, at, author }: Actor, now: string): Said {
  const ended = livingFrom(writing, branch)
  for (const id of ended.toReversed()) {
    const reason = id === branch ? 'discarded' : 'killed'
    writing.append({ kind: 'branch-ended', branch: id, at, v: 1, reason, author })
  }
  const handle = handleOf(branch)
  return done(
    `Left ${handle}${othersBelow(ended)}. The log keeps it, and /switch ${handle} opens a copy.\n${now}.`,
    { abort: ended },
  )
}
