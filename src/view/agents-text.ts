import { dueIn } from '../agent/branch/due.ts'
import { unreadMail } from '../agent/state/mail.ts'
import { runIn } from '../agent/state/run.ts'
import { spentBelow, spentBy } from '../agent/state/spent.ts'
import type { Sums } from '../agent/state/tables.ts'
import { oneLine, shorten, widthOf } from '../base/width.ts'
import { childrenOf, countBranches, getBranch, type Branch } from '../context/branch.ts'
import { livingChildren } from '../context/living.ts'
import { branchNames } from '../context/naming.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { moneyWords, tokenWords } from './words.ts'
import { ageText } from '../base/words.ts'

export interface AgentsLook {
  readonly now: number
  /** Marked in the tree. */
  readonly here?: BranchId
  readonly ended: 'shown' | 'left-out'
  /** Titles are cut, or left out, so that a line fits if it can. */
  readonly columns?: number
  /** What else is known of a branch. */
  readonly factsOf?: (branch: Branch) => readonly string[]
}

/** One branch of the tree. */
export interface AgentRow {
  readonly branch: Branch
  /** What is drawn before it. */
  readonly lead: string
  readonly who: string
  /** Its title, what it does, mail, age, cost. */
  readonly facts: string
}

/** The tree of branches, one a line. */
export function agentsText(reader: Reader, look: AgentsLook): string {
  const lines = agentRows(reader, look).map(({ lead, who, facts }) => `${lead}${who}${facts}`)
  const hidden = countBranches(reader) - lines.length
  const more = hidden === 0 ? [] : [`${hidden} ended; /agents all shows ${hidden === 1 ? 'it' : 'them'}.`]
  return [...lines, ...more].join('\n')
}

export function agentRows(reader: Reader, look: AgentsLook): AgentRow[] {
  const view: View = { reader, look, nameOf: branchNames(reader) }
  return shownBelow(view, null).flatMap((id) => rows(view, { id, lead: '', below: '' }))
}

interface View {
  readonly reader: Reader
  readonly look: AgentsLook
  readonly nameOf: (branch: BranchId) => string
}

interface Place {
  readonly id: BranchId
  readonly lead: string
  readonly below: string
}

function rows(view: View, { id, lead, below }: Place): AgentRow[] {
  const children = shownBelow(view, id)
  return [
    row(view, id, lead),
    ...children.flatMap((child, index) => {
      const isLast = index === children.length - 1
      return rows(view, {
        id: child,
        lead: `${below}${isLast ? '└─ ' : '├─ '}`,
        below: `${below}${isLast ? '   ' : '│  '}`,
      })
    }),
  ]
}

/** One that has ended is shown when something below it lives: else that would hang in the air. */
function shownBelow({ reader, look }: View, id: BranchId | null): BranchId[] {
  return look.ended === 'shown' ? childrenOf(reader, id) : livingChildren(reader, id)
}

const COLUMNS = 80
const TITLE_MIN = 6

function row({ reader, look, nameOf }: View, id: BranchId, lead: string): AgentRow {
  const branch = getBranch(reader, id)
  const name = nameOf(id)
  const mail = unreadMail(reader, id).length
  const facts = [
    stateWords(reader, branch, look.now),
    ...(mail === 0 ? [] : [`${mail} unread`]),
    `${ageText(look.now - reader.event(branch.forkedAt).at)} old`,
    spentWords(branch, spentBy(reader, id), spentBelow(reader, id)),
    ...(look.factsOf?.(branch) ?? []),
  ].join(', ')
  const who = `${id === look.here ? '* ' : ''}${name}${name === 'main' ? '' : ` ${kindOf(reader, branch)}`}`
  const room = (look.columns ?? COLUMNS) - widthOf(`${lead}${who} '': ${facts}`)
  return { branch, lead, who, facts: `${titleWords(branch, who, room)}: ${facts}` }
}

/** Of a title of which little could be shown nothing is, and a run's tag may have it already. */
function titleWords({ title }: Branch, who: string, room: number): string {
  if (title === null || who.includes(`:${title}]`)) return ''
  const all = oneLine(title)
  const shown = shorten(all, Math.max(0, room))
  return shown === all || room >= TITLE_MIN ? ` '${shown}'` : ''
}

/** A run by its tag and job; any other branch by its mode. */
function kindOf(reader: Reader, { id, mode }: Branch): string {
  const run = runIn(reader, id)
  return run === undefined ? mode : `[${run.tag}:${run.job}]`
}

/** What it used with all below it, whether that still lives or not, and what of it is its own. */
function spentWords({ state }: Branch, own: Sums, below: Sums): string {
  const isPriced = own.isPriced || below.isPriced
  const all = isPriced ? moneyWords(own.cost + below.cost) : `${tokensIn(own, below)} tokens`
  if (below.calls === 0 || state.kind === 'ended') return all
  return `${all} (${isPriced ? moneyWords(own.cost) : tokensIn(own)} own)`
}

function tokensIn(...sums: readonly Sums[]): string {
  return tokenWords(sums.reduce((all, sum) => all + sum.tokensIn + sum.tokensOut, 0))
}

export function stateWords(reader: Reader, { id, state }: Branch, now: number): string {
  if (state.kind === 'ended') return `ended (${state.reason})`
  if (state.kind === 'running') return `working for ${ageText(now - reader.event(state.startedAt).at)}`
  const due = dueIn(reader, { branch: id, now, isImpatient: false })
  if (due.kind === 'later' && state.last?.outcome === 'deferred')
    return `waiting ${ageText(due.at - now)} for the model`
  return due.kind === 'turn' ? 'waiting for its turn' : 'idle'
}
