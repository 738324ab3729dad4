import { unreadMail } from '../../agent/state/mail.ts'
import { spentBy } from '../../agent/state/spent.ts'
import type { Sums } from '../../agent/state/tables.ts'
import { systemClock } from '../../base/clock.ts'
import type { Style } from '../../base/style.ts'
import { counted } from '../../base/words.ts'
import { hangingRow } from '../../channel/terminal/hanging.ts'
import { agentRows, type AgentRow } from '../../view/agents-text.ts'
import { childrenOf, getBranch, type Branch } from '../../context/branch.ts'
import { lastMessage } from '../../context/message-index.ts'
import { listOf, marksOf } from '../../context/version.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { isSet, type Command, type CommandCall } from '../frame/command.ts'
import type { Output } from '../frame/output.ts'

export const agentsCommand: Command = {
  name: 'agents',
  summary: 'the tree of branches and what each is doing',
  usage: '[--json]',
  details: `Draws every branch below the one it was forked from: its handle, mode and title, its state,
how much of its mail is unread, its age, what the model calls of it and of all below it cost (in
tokens where no price is known), how many messages it wrote, and how many marks it has. A run has
its tag instead of a mode: [routine-bg:morning-brief]. /agents draws the same in a conversation.

  --json        one JSON array, with the cost of each alone and how many items its list has

Works while another process writes to the log.`,
  options: { json: { type: 'boolean' } },
  argumentsMin: 0,
  argumentsMax: 0,
  run: runAgents,
}

interface Agent {
  readonly branch: Branch
  readonly createdAt: number
  /** When its running turn began. */
  readonly runningSince: number | null
  readonly messages: number
  readonly items: number
  readonly marks: number
  readonly unread: number
  readonly spent: Sums
  readonly children: readonly Agent[]
}

async function runAgents(call: CommandCall): Promise<number> {
  const log = openForReading(call.home)
  try {
    const lines = await log.read((reader) =>
      isSet(call, 'json')
        ? [JSON.stringify(agentsBelow(reader, null).flatMap(flat), undefined, 2)]
        : linesOf(reader, call.out),
    )
    for (const line of lines) await call.out.line(line)
  } finally {
    await log.close()
  }
  return 0
}

function agentsBelow(reader: Reader, parent: BranchId | null): Agent[] {
  return childrenOf(reader, parent).map((id) => {
    const branch = getBranch(reader, id)
    const { state } = branch
    return {
      branch,
      createdAt: reader.event(branch.forkedAt).at,
      runningSince: state.kind === 'running' ? reader.event(state.startedAt).at : null,
      messages: lastMessage(reader, id)?.ordinal ?? 0,
      items: listOf(reader, branch).length,
      marks: marksOf(reader, branch).length,
      unread: unreadMail(reader, id).length,
      spent: spentBy(reader, id),
      children: agentsBelow(reader, id),
    }
  })
}

function linesOf(reader: Reader, out: Output): string[] {
  const columns = out.columns === undefined ? undefined : Math.max(40, out.columns)
  const rows = agentRows(reader, {
    now: systemClock(),
    ended: 'shown',
    columns: columns ?? 100,
    factsOf: (branch) => countsOf(reader, branch),
  })
  if (rows.length === 0) return ['No branches yet.']
  return rows.flatMap((row, index) => rowLines(row, rows[index + 1], { columns, style: out.style }))
}

function countsOf(reader: Reader, branch: Branch): string[] {
  const marks = marksOf(reader, branch).length
  const messages = lastMessage(reader, branch.id)?.ordinal ?? 0
  return [counted(messages, 'message'), ...(marks > 0 ? [counted(marks, 'mark')] : [])]
}

/** In a terminal what is too long goes on under itself; for a program a branch stays one line. */
function rowLines(
  { branch, lead, who, facts }: AgentRow,
  next: AgentRow | undefined,
  { columns = Infinity, style }: { columns: number | undefined; style: Style },
): string[] {
  const below = next === undefined ? '' : `${next.lead}${next.who}`
  const [first = '', ...rest] = hangingRow(`${lead}${who}${facts}`, below, columns).map(({ text }) => text)
  const head = `${lead}${who}`
  const paint = branch.state.kind === 'ended' ? style.dim : style.bold
  if (!first.startsWith(head)) return [first, ...rest]
  return [`${style.dim(lead)}${paint(who)}${first.slice(head.length)}`, ...rest]
}

function flat(agent: Agent): object[] {
  const { branch, createdAt, runningSince, messages, items, marks, unread, spent } = agent
  const { id, mode, title, parent, state } = branch
  const own = {
    id,
    handle: handleOf(id),
    mode,
    title,
    parent,
    state: state.kind,
    ...(state.kind === 'ended' ? { reason: state.reason } : {}),
    ...(runningSince === null ? {} : { runningSince: new Date(runningSince).toISOString() }),
    createdAt: new Date(createdAt).toISOString(),
    messages,
    items,
    marks,
    unread,
    tokensIn: spent.tokensIn,
    tokensOut: spent.tokensOut,
    cost: spent.isPriced ? spent.cost : null,
  }
  return [own, ...agent.children.flatMap(flat)]
}
