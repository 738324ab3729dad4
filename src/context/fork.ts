import { limits } from '../base/limits.ts'
import type { Author, Base, DraftOf, Mode } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { findBranch, type Branch } from './branch.ts'
import { header, isRefusal, type Decision, type Refusal } from './decision.ts'
import { after, cut } from './list.ts'
import { headOf } from './message-index.ts'
import { listOf, marksOf, referenceDepth } from './version.ts'

/** The child's first items. */
export type Inheritance =
  | { readonly take: 'everything' }
  | { readonly take: 'after-mark'; readonly name: string }
  | { readonly take: 'nothing' }

export interface Fork {
  readonly parent: BranchId
  readonly child: BranchId
  readonly mode: Mode
  readonly title: string | null
  readonly inherit: Inheritance
  /** A child with a goal of its own may begin empty. */
  readonly hasGoal: boolean
  /** Set when the parent's model forks: the assistant message of its step, which the child does not see. */
  readonly step?: Position
  readonly at: number
  readonly author: Author
  readonly root?: Position
}

/** Takes the parent's list as it stands: a reference and a position, however long the conversation is. */
export function fork(reader: Reader, act: Fork): Decision<'branch-created'> {
  const parent = findBranch(reader, act.parent)
  if (parent === undefined) return { refused: 'unknown-branch', branch: act.parent }
  const base = baseOf(reader, parent, act)
  if (isRefusal(base)) return base
  return { draft: created(act, { parent: parent.id, base }) }
}

/** A branch without a parent that begins empty: a person's main session. */
export function createBranch(act: NewBranch): { readonly draft: DraftOf<'branch-created'> } {
  return { draft: created(act, { parent: null, base: { from: 'nothing' } }) }
}

type NewBranch = Pick<Fork, 'child' | 'mode' | 'title' | 'at' | 'author' | 'root'>

function created(
  { child: branch, at, mode, title, author, root }: NewBranch,
  from: Pick<DraftOf<'branch-created'>, 'parent' | 'base'>,
): DraftOf<'branch-created'> {
  const more = root === undefined ? {} : { root }
  return { kind: 'branch-created', ...header({ branch, at }), mode, title, ...from, author, ...more }
}

function baseOf(reader: Reader, parent: Branch, act: Fork): Base | Refusal {
  if (act.inherit.take === 'nothing') return { from: 'nothing' }
  const head = forkHead(reader, parent, act.step)
  if (act.inherit.take === 'everything') {
    const refers = head >= parent.version && referenceDepth(reader, parent.version) < limits.forkReferencesMax
    if (refers) return { from: 'parent', version: parent.version, head }
    return { from: 'items', items: [...cut(reader, listOf(reader, parent), { self: parent.id, time: head })] }
  }
  const { name } = act.inherit
  const marks = marksOf(reader, parent)
  const mark = marks.find((other) => other.name === name)
  if (mark === undefined) return { refused: 'unknown-mark', name, marks }
  const seen = cut(reader, listOf(reader, parent), { self: parent.id, time: head })
  const items = after(reader, seen, { self: parent.id, time: mark.at })
  if (items.length === 0 && !act.hasGoal) return { refused: 'nothing-to-do', what: 'fork' }
  return { from: 'items', items: [...items] }
}

/** How far the child sees its parent: never half a step, and never half of somebody else's turn. */
function forkHead(reader: Reader, parent: Branch, step: Position | undefined): Position {
  if (step !== undefined) return (step - 1) as Position
  if (parent.state.kind === 'running') return (parent.state.startedAt - 1) as Position
  const head = headOf(reader, parent.id)
  return head === null || head < parent.version ? parent.version : head
}
