import { counted, cutText } from '../../base/words.ts'
import { getBranch, lineOf, newBranchId, type Branch } from '../../context/branch.ts'
import { isRefusal } from '../../context/decision.ts'
import { fork, type Inheritance } from '../../context/fork.ts'
import { livingChildren } from '../../context/living.ts'
import { marksOf } from '../../context/version.ts'
import type { Placed } from '../../event/event.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { PersonSource } from '../../event/work.ts'
import { type Actor, type Said, ok, refusal } from '../contract/act.ts'
import { isWorking } from './due.ts'
import { endWith } from '../step/ending.ts'
import { causedFor } from '../state/cause.ts'
import { rooted } from '../state/root.ts'
import { setPolicy } from '../state/settings.ts'
import { handOver, noteGiven, type Given, type HandOver } from './hand-over.ts'
import { sayRefusal } from './refusals.ts'
import { stopWork } from './stop-act.ts'

export interface ForkWish {
  readonly inherit: Inheritance
  /** The named mark. A mark set in the same step as the fork leaves nothing to inherit. */
  readonly mark: string | null
  readonly goal: string | null
  /** The person goes into it (`fork`), or it works on its own (`child`). */
  readonly mode: 'fork' | 'child'
  /** Where the child's view ends, if not at the branch's head. */
  readonly step?: Position
  readonly by:
    | { readonly kind: 'person'; readonly source: PersonSource }
    /** The assistant message of the step that forks, which the child does not see. */
    | { readonly kind: 'model'; readonly step: Position }
}

export interface Forked extends Said {
  readonly child?: BranchId
}

const DO_ABOVE = 'You are the child; do the task above.'

/** Forks a new branch off this one. A child gets its task through its inbox and starts at once. */
export function actFork(writing: Writing, actor: Actor, wish: ForkWish): Forked {
  const parent = getBranch(writing, actor.branch)
  const full = limitReached(writing, actor, wish.mode)
  if (full !== undefined) return full
  const handed = handedOver(writing, parent, wish)
  const { inherit, goal, step } = handed ?? { ...wish, step: undefined }
  const child = newBranchId(writing, actor)
  const end = wish.by.kind === 'model' ? wish.by.step : (step ?? wish.step)
  const decided = fork(writing, {
    parent: parent.id,
    child,
    mode: wish.mode,
    title: titleOf(handed?.title ?? goal),
    inherit,
    // A fork gets its subject from the person who enters it.
    hasGoal: goal !== null || wish.mode === 'fork',
    ...(end !== undefined && { step: end }),
    at: actor.at,
    author: actor.author,
    ...rooted(writing, actor.root),
  })
  if (isRefusal(decided)) return sayRefusal(decided)
  writing.append(decided.draft)
  inheritPolicy(writing, actor, child)
  const hasTask = wish.mode === 'child' || goal !== null
  const task = hasTask ? admitTask(writing, { ...actor, branch: child }, goal ?? DO_ABOVE) : undefined
  if (handed !== undefined && task !== undefined && wish.by.kind === 'person')
    giveAway(writing, actor, { turn: handed.turn, child, task, late: handed.late, source: wish.by.source })
  const from = wish.mark === null ? '' : ` (from ${wish.mark})`
  const said = `Forked. Child: ${handleOf(child)}${from}${handed === undefined ? '' : handedWords(handed)}`
  const wake = handed === undefined ? [child] : [child, parent.id]
  const isStopped = handed !== undefined && handed.turn !== 'untouched'
  return { ...ok(said, { wake, ...(isStopped && { abort: [parent.id] }) }), child }
}

/** Copies the policy as it is now: later changes in the parent do not affect the child (FORK2). */
export function inheritPolicy(writing: Writing, { branch, at, author }: Actor, child: BranchId): void {
  const policy = setPolicy(writing, branch)
  if (policy !== undefined) writing.append({ kind: 'policy-set', branch: child, at, policy, author })
}

/** Only for a person's fork without a goal of its own: the unanswered words become its task. */
function handedOver(reader: Reader, parent: Branch, wish: ForkWish): HandOver | undefined {
  if (wish.goal !== null || wish.mode === 'fork' || wish.by.kind !== 'person') return undefined
  const mark = marksOf(reader, parent).find(({ name }) => name === wish.mark)
  return mark && handOver(reader, parent, mark)
}

function giveAway(writing: Writing, actor: Actor, { turn, ...given }: Given & Pick<HandOver, 'turn'>): void {
  const { state } = getBranch(writing, actor.branch)
  if (turn === 'ends') stopWork(writing, actor)
  // Not stopped: the turn has more to answer than the words given away, and an interrupted turn continues.
  if (turn === 'goes-on' && state.kind === 'running')
    endWith(writing, { branch: actor.branch, turn: state.turn, at: actor.at, outcome: 'interrupted' })
  noteGiven(writing, actor, given)
}

function handedWords({ turn, late }: HandOver): string {
  if (turn === 'ends') return '\nI stopped answering here: the child has your message as its task.'
  if (turn === 'goes-on') return '\nThe child has your message as its task; the rest goes on here.'
  return late.length === 0 ? '' : '\nThe child has what you wrote last as its task; it is not answered here.'
}

function limitReached(reader: Reader, actor: Actor, mode: ForkWish['mode']): Said | undefined {
  const { settings, at, author } = actor
  const parent = getBranch(reader, actor.branch)
  const isModel = author.by === 'model'
  const depth = lineOf(reader, parent).length
  if (depth > settings.depthMax)
    return refusal(
      `Not forked: branches may be ${settings.depthMax} deep, and this one is. Do the task here${isModel ? '' : ', or raise depthMax'}.`,
    )
  const { branches } = settings.causedMax
  if (isModel && causedFor(reader, parent.id).branches >= branches)
    return refusal(
      `Not forked: this work has forked ${counted(branches, 'branch', 'branches')}, the limit for all that one message or job causes. Do the task here.`,
    )
  if (mode === 'fork') return undefined
  const children = livingChildren(reader, parent.id).filter((id) => getBranch(reader, id).mode === 'child')
  // Idle children cost nothing.
  const live = children.filter((id) => isWorking(reader, id, at)).length
  if (live < settings.childrenMax) return undefined
  const atWork = live === 1 ? '1 child is at work here' : `${live} children are at work here`
  const most = settings.childrenMax === 1 ? '1 is the most' : `${settings.childrenMax} are the most`
  const list = isModel ? '' : ' /agents lists them.'
  return refusal(`Not forked: ${atWork}, and ${most}. Wait until one ends, or /kill one.${list}`)
}

const TITLE_MAX = 60

export function titleOf(task: string | null): string | null {
  const line = task?.trim().split('\n', 1)[0] ?? ''
  return line === '' ? null : cutText(line, TITLE_MAX).toWellFormed()
}

function admitTask(
  writing: Writing,
  { branch, at, root }: Placed & Pick<Actor, 'root'>,
  text: string,
): Position {
  const source = { from: 'host', tag: 'fork-started' } as const
  const task = { source, form: 'message', text, ...rooted(writing, root) } as const
  return writing.append({ kind: 'inbound-admitted', branch, at, ...task })
}
