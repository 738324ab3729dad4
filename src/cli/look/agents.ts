import { systemClock } from '../../base/clock.ts'
import type { Style } from '../../base/style.ts'
import { hangingRow } from '../../channel/terminal/text/wrap.ts'
import { openForReading } from '../../runtime/home/open-log.ts'
import { agentRows, type AgentRow } from '../../view/agents-text.ts'
import { agentsView, type AgentView } from '../../view/agents.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { withLog } from '../frame/home.ts'
import type { Output } from '../frame/output.ts'

export const agentsCommand: Command = {
  name: 'agents',
  summary: 'the tree of forks, children and runs',
  usage: '[--json]',
  details: `Draws every branch below the one it was forked from: its handle, mode and title, its state,
how much of its mail is unread, its age, how many tokens its next prompt shows the model, what the
model calls of it and of all below it spent (in tokens where no price is known), how many messages
it wrote, and how many marks it has. A run has its tag instead of a mode:
[routine-bg:morning-brief]. /agents draws the same in a conversation.

  --json        one JSON array, with the cost of each alone and how many items its list has

Works while another process writes to the log.`,
  run: runAgents,
}

async function runAgents(call: CommandCall): Promise<number> {
  const now = systemClock()
  const agents = await withLog(openForReading(call.home), (log) =>
    log.read((reader) => agentsView(reader, { now, ended: 'shown' })),
  )
  return call.print(agents, () => linesOf(agents, now, call.out))
}

function linesOf(agents: readonly AgentView[], now: number, out: Output): string[] {
  const columns = out.columns === undefined ? undefined : out.textColumns
  const rows = agentRows(agents, { now, columns: out.textColumns, counts: true })
  if (rows.length === 0) return ['No branches yet.']
  return rows.flatMap((row, index) => rowLines(row, rows[index + 1], { columns, style: out.style }))
}

/** In a terminal a long row continues under itself; for a program a branch stays one line. */
function rowLines(
  { agent, lead, who, facts }: AgentRow,
  next: AgentRow | undefined,
  { columns = Infinity, style }: { columns: number | undefined; style: Style },
): string[] {
  const below = next === undefined ? '' : `${next.lead}${next.who}`
  const head = `${lead}${who}`
  const [first = '', ...rest] = hangingRow(`${head}${facts}`, below, columns).map(({ text }) => text)
  const paint = agent.state === 'ended' ? style.dim : style.bold
  if (!first.startsWith(head)) return [first, ...rest]
  return [`${style.dim(lead)}${paint(who)}${first.slice(head.length)}`, ...rest]
}
