import { oneLine, shorten, widthOf } from '../base/width.ts'
import { ageText, counted } from '../base/words.ts'
import type { BranchId } from '../event/id.ts'
import type { AgentView } from './agents.ts'
import { moneyWords, tokenWords } from './words.ts'

export interface TreeLook {
  readonly now: number
  /** Marked in the tree. */
  readonly here?: BranchId
  /** Titles are cut, or left out, so that a line fits if it can. */
  readonly columns?: number
  /** Whether messages and marks are counted, and what it spent alone. */
  readonly counts?: boolean
}

/** One branch of the tree, behind `lead`, the lines of the tree. */
export type AgentRow = ReturnType<typeof row>

/** The tree, one branch a line. `hidden` says how many are not among them. */
export function agentsText(agents: readonly AgentView[], hidden: number, look: TreeLook): string {
  const lines = agentRows(agents, look).map(({ lead, who, facts }) => `${lead}${who}${facts}`)
  const more = hidden === 0 ? [] : [`${hidden} ended; /agents all shows ${hidden === 1 ? 'it' : 'them'}.`]
  return [...lines, ...more].join('\n')
}

export function agentRows(agents: readonly AgentView[], look: TreeLook): AgentRow[] {
  const byParent = Map.groupBy(agents, ({ parent }) => parent)
  const rows = (parent: BranchId | null, below: string): AgentRow[] => {
    const children = byParent.get(parent) ?? []
    return children.flatMap((agent, index) => {
      const isLast = index === children.length - 1
      const [lead, deeper] =
        parent === null ? ['', ''] : isLast ? [`${below}└─ `, `${below}   `] : [`${below}├─ `, `${below}│  `]
      return [row(agent, lead, look), ...rows(agent.id, deeper)]
    })
  }
  return rows(null, '')
}

const COLUMNS = 80
const TITLE_MIN = 6

function row(agent: AgentView, lead: string, { now, here, columns = COLUMNS, counts }: TreeLook) {
  const { id, name, mode, run, unread, turns, messages, marks } = agent
  const facts = [
    stateWords(agent, now),
    ...(unread === 0 ? [] : [`${unread} unread`]),
    // Leaves room for the title.
    ...(agent.runningSince !== undefined && counts !== true
      ? []
      : [`${ageText(now - Date.parse(agent.createdAt))} old`]),
    ...tokenFacts(agent, { isWithOwn: counts === true }),
    ...(counts === true ? [counted(turns, 'turn'), counted(messages, 'message')] : []),
    ...(counts === true && marks > 0 ? [counted(marks, 'mark')] : []),
  ].join(', ')
  const kind = name === 'main' ? '' : ` ${run === null ? mode : `[${run}]`}`
  const who = `${id === here ? '* ' : ''}${name}${kind}`
  const room = columns - widthOf(`${lead}${who} '': ${facts}`)
  return { agent, lead, who, facts: `${titleWords(agent, room)}: ${facts}` }
}

/** Left out where little of it would fit, or where a run's tag has it already. */
function titleWords({ title, run }: AgentView, room: number): string {
  if (title === null || run?.endsWith(`:${title}`) === true) return ''
  const all = oneLine(title)
  const shown = shorten(all, Math.max(0, room))
  return shown === all || room >= TITLE_MIN ? ` '${shown}'` : ''
}

/**
 * `12k tokens spent (3.0k own), 3.2k shown`: spent with everything below it, whether that still lives or not, how much of
 * it is its own, and what its next prompt shows the model. What is spent is in money where a price is known.
 */
function tokenFacts(
  { state, tokensIn, tokensOut, tokensShown, cost, below }: AgentView,
  { isWithOwn }: { isWithOwn: boolean },
): string[] {
  const own = tokensIn + tokensOut
  const isPriced = cost !== null || (below !== null && below.cost !== null)
  const all = isPriced
    ? moneyWords((cost ?? 0) + (below?.cost ?? 0))
    : `${tokenWords(own + (below?.tokens ?? 0))} tokens`
  if (state === 'ended') return [`${all} spent`]
  const shown = `${tokenWords(tokensShown)}${isPriced ? ' tokens' : ''} shown`
  if (below === null || !isWithOwn) return [`${all} spent`, shown]
  return [`${all} spent (${isPriced ? moneyWords(cost ?? 0) : tokenWords(own)} own)`, shown]
}

function stateWords({ reason, runningSince, retriesAt, waitsForTurn }: AgentView, now: number): string {
  if (reason !== undefined) return `ended (${reason})`
  if (runningSince !== undefined) return `working for ${ageText(now - Date.parse(runningSince))}`
  if (retriesAt !== undefined) return `waiting ${ageText(Date.parse(retriesAt) - now)} for the model`
  return waitsForTurn === true ? 'waiting for its turn' : 'idle'
}
