import { unreadMail } from '../agent/mail.ts'
import { spentBy, type Sums } from '../agent/spent.ts'
import { systemClock } from '../base/clock.ts'
import { wantsColour } from '../base/environment.ts'
import { moneyWords, tokenWords } from '../command/words.ts'
import { childrenOf, getBranch, type Branch } from '../context/branch.ts'
import { lastMessage } from '../context/message-index.ts'
import { branchNames } from '../context/naming.ts'
import { listOf, marksOf } from '../context/version.ts'
import { handleOf, type BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { openForReading } from '../runtime/runtime.ts'
import { isSet, type Command, type CommandCall } from './command.ts'
import { styleFor, type Style } from '../base/style.ts'
import { oneLine, padTo, shorten, widthOf } from '../base/width.ts'
import { counted, ageText } from '../base/words.ts'

export const agentsCommand: Command = {
  name: 'agents',
  summary: 'the tree of branches and what each is doing',
  usage: '[--json]',
  details: `Draws every branch below the one it was forked from: its handle, mode and title, its state,
its age, how many messages it wrote, what its model calls cost (in tokens where no price is known),
how many marks it has, and how much of its mail is unread.

  --json        the same as one JSON array, with how many items its list has

Works while another process writes to the log.`,
  options: { json: { type: 'boolean' } },
  argumentsMin: 0,
  argumentsMax: 0,
  run: runAgents,
}

interface Agent {
  readonly branch: Branch
  readonly name: string
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
    const agents = await log.read((reader) => agentsBelow(reader, null, branchNames(reader)))
    if (isSet(call, 'json')) await call.out.line(JSON.stringify(agents.flatMap(flat), undefined, 2))
    else await print(call, agents)
  } finally {
    await log.close()
  }
  return 0
}

function agentsBelow(reader: Reader, parent: BranchId | null, nameOf: (branch: BranchId) => string): Agent[] {
  return childrenOf(reader, parent).map((id) => {
    const branch = getBranch(reader, id)
    const { state } = branch
    return {
      branch,
      name: nameOf(id),
      createdAt: reader.event(branch.forkedAt).at,
      runningSince: state.kind === 'running' ? reader.event(state.startedAt).at : null,
      messages: lastMessage(reader, id)?.ordinal ?? 0,
      items: listOf(reader, branch).length,
      marks: marksOf(reader, branch).length,
      unread: unreadMail(reader, id).length,
      spent: spentBy(reader, id),
      children: agentsBelow(reader, id, nameOf),
    }
  })
}

async function print({ out }: CommandCall, agents: readonly Agent[]): Promise<void> {
  if (agents.length === 0) return void out.line('No branches yet.')
  const columns = Math.max(80, process.stdout.columns ?? 100)
  const style = styleFor(wantsColour() ? 'colour' : 'plain')
  for (const line of tree(agents, { columns, style, now: systemClock() })) await out.line(line)
}

interface Look {
  readonly columns: number
  readonly style: Style
  readonly now: number
}

/** One branch a line: the tree on the left, the numbers in columns on the right. */
function tree(agents: readonly Agent[], look: Look): string[] {
  const lines = rows(agents, '')
  const facts = lines.map(({ agent }) => factsOf(agent, look.now))
  const stateWidth = Math.max(...facts.map(([state]) => state.length))
  const right = facts.map(([state, rest]) => `${state.padEnd(stateWidth)}  ${rest}`)
  const room = look.columns - Math.max(...right.map((text) => text.length)) - 2
  const wanted = Math.max(...lines.map(({ lead, agent }) => widthOf(lead) + widthOf(labelOf(agent))))
  const leftWidth = Math.max(16, Math.min(room, wanted))
  return lines.map(({ lead, agent }, index) => {
    const label = padTo(shorten(labelOf(agent), leftWidth - lead.length), leftWidth - lead.length)
    const tinted = agent.branch.state.kind === 'ended' ? look.style.dim(label) : look.style.bold(label)
    return `${look.style.dim(lead)}${tinted}  ${right[index]}`
  })
}

function rows(agents: readonly Agent[], indent: string): { lead: string; agent: Agent }[] {
  return agents.flatMap((agent, index) => {
    const isLast = index === agents.length - 1
    const isRoot = agent.branch.parent === null
    const lead = isRoot ? '' : `${indent}${isLast ? '└─ ' : '├─ '}`
    const below = isRoot ? '' : `${indent}${isLast ? '   ' : '│  '}`
    return [{ lead, agent }, ...rows(agent.children, below)]
  })
}

function labelOf({ name, branch: { mode, title } }: Agent): string {
  const kind = name === 'main' ? '' : ` ${mode}`
  return `${name}${kind}${title === null ? '' : ` '${oneLine(title)}'`}`
}

function factsOf(agent: Agent, now: number): [state: string, rest: string] {
  const counts = [
    ageText(now - agent.createdAt).padStart(8),
    counted(agent.messages, 'message').padStart(11),
    costText(agent.spent).padStart(11),
    ...(agent.marks > 0 ? [counted(agent.marks, 'mark')] : []),
    ...(agent.unread > 0 ? [`${agent.unread} unread`] : []),
  ]
  return [stateText(agent, now), counts.join('  ')]
}

function costText({ isPriced, cost, tokensIn, tokensOut }: Sums): string {
  return isPriced ? moneyWords(cost) : `${tokenWords(tokensIn + tokensOut)} tokens`
}

function stateText({ branch: { state }, runningSince }: Agent, now: number): string {
  if (state.kind === 'ended') return `ended: ${state.reason}`
  return state.kind === 'running' ? `running for ${ageText(now - (runningSince ?? now))}` : 'idle'
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
