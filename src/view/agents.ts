import { turnsIn } from '../agent/state/turn-number.ts'
import { dueIn } from '../agent/branch/due.ts'
import { promptTokens } from '../agent/compaction/prompt-size.ts'
import { unreadMail } from '../agent/state/inbox.ts'
import { isOwners, peopleIn, personIn } from '../agent/state/person.ts'
import { runIn } from '../agent/state/run.ts'
import { spentBy } from '../agent/state/spent.ts'
import { isoAt } from '../base/time-text.ts'
import { childrenOf, countBranches, getBranch, type Branch } from '../context/branch.ts'
import { livingChildren } from '../context/living.ts'
import { lastMessage } from '../context/message-index.ts'
import { branchNames } from '../context/naming.ts'
import { branchTable } from '../context/tables.ts'
import { listOf, marksOf } from '../context/version.ts'
import { handleOf, type BranchId } from '../event/id.ts'
import { OWNER } from '../event/speaker.ts'
import type { Reader } from '../event/table.ts'

/** A branch as people and programs are shown it. Programs rely on the names. */
export type AgentView = ReturnType<typeof agentView>

interface AgentsLook {
  readonly now: number
  readonly ended: 'shown' | 'left-out'
  readonly person?: string
}

/** A person's branches, each behind its parent. One that has ended is shown while something below it lives. */
export function agentsView(reader: Reader, { now, ended, person = OWNER }: AgentsLook): AgentView[] {
  const viewOf = agentViews(reader, now)
  const isSeen = (id: BranchId): boolean => personIn(reader, id) === person
  const below = (parent: BranchId | null): AgentView[] => {
    const children = ended === 'shown' ? childrenOf(reader, parent) : livingChildren(reader, parent)
    return children.filter(isSeen).flatMap((id) => [viewOf(id), ...below(id)])
  }
  return below(null)
}

/** How many branches a person ever had. */
export function countAgents(reader: Reader, person: string): number {
  if (peopleIn(reader).length === 0) return countBranches(reader)
  const below = (parent: BranchId): number =>
    childrenOf(reader, parent).reduce((sum, child) => sum + below(child), 1)
  const tops = childrenOf(reader, null).filter((id) => personIn(reader, id) === person)
  return tops.reduce((sum, top) => sum + below(top), 0)
}

/** All branches of the owner, the oldest first, so that a parent comes before its children. `next` begins the next page. */
export function agentsPage(reader: Reader, look: { now: number; after?: string | undefined; limit: number }) {
  const from = look.after === undefined ? {} : { from: `${look.after}~` }
  const rows = reader.rows(branchTable, { prefix: [], ...from, order: 'up', limit: look.limit + 1 })
  const shown = rows.slice(0, look.limit)
  const viewOf = agentViews(reader, look.now)
  const agents = shown.filter(({ id }) => isOwners(reader, id)).map(({ id }) => viewOf(id))
  return { agents, next: rows.length > look.limit ? (shown.at(-1)?.id ?? null) : null }
}

function agentViews(reader: Reader, now: number): (id: BranchId) => AgentView {
  const nameOf = branchNames(reader)
  return (id) => agentView(reader, { name: nameOf(id), branch: getBranch(reader, id), now })
}

function agentView(reader: Reader, { name, branch, now }: { name: string; branch: Branch; now: number }) {
  const { id, mode, title, parent, state } = branch
  const run = runIn(reader, id)
  const { own, below } = spentBy(reader, id)
  return {
    id,
    handle: handleOf(id),
    name,
    mode,
    title,
    parent,
    /** `routine-bg:brief` */
    run: run === undefined ? null : `${run.tag}:${run.job}`,
    state: state.kind,
    ...(state.kind === 'ended' && { reason: state.reason }),
    ...(state.kind === 'running' && { runningSince: isoAt(reader.event(state.startedAt).at) }),
    ...waitOf(reader, branch, now),
    createdAt: isoAt(reader.event(branch.forkedAt).at),
    turns: turnsIn(reader, id),
    messages: lastMessage(reader, id)?.ordinal ?? 0,
    items: listOf(reader, branch).length,
    marks: marksOf(reader, branch).length,
    unread: unreadMail(reader, id).length,
    /** Of its next prompt, estimated. */
    tokensShown: promptTokens(reader, id),
    tokensIn: own.tokensIn,
    tokensOut: own.tokensOut,
    cost: own.isPriced ? own.cost : null,
    /** Used by everything that was ever forked from it; null: nothing was. */
    below:
      below.calls === 0
        ? null
        : { tokens: below.tokensIn + below.tokensOut, cost: below.isPriced ? below.cost : null },
  }
}

type Waits = { readonly waitsForTurn?: true; readonly retriesAt?: string }

function waitOf(reader: Reader, { id, state }: Branch, now: number): Waits {
  if (state.kind !== 'idle') return {}
  const due = dueIn(reader, { branch: id, now })
  if (due.kind === 'later' && state.last?.outcome === 'deferred') return { retriesAt: isoAt(due.at) }
  return due.kind === 'turn' ? { waitsForTurn: true } : {}
}
