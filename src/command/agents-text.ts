import { dueIn } from '../agent/due.ts'
import { unreadMail } from '../agent/mail.ts'
import { spentBy } from '../agent/spent.ts'
import { childrenOf, getBranch, type Branch } from '../context/branch.ts'
import { branchNames } from '../context/naming.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { oneLine, shorten } from '../base/width.ts'
import { ageWords, moneyWords, tokenWords } from './words.ts'

export interface AgentsLook {
  readonly now: number
  /** Marked in the tree. */
  readonly here: BranchId
  readonly ended: 'shown' | 'left-out'
}

const TITLE_WIDTH = 30

/** The tree of branches, one a line: who, what it does, mail, age, cost. */
export function agentsText(reader: Reader, look: AgentsLook): string {
  const lines = childrenOf(reader, null).flatMap((id) => rows(reader, look, { id, lead: '', below: '' }))
  const hidden = look.ended === 'left-out' ? countEnded(reader, null) : 0
  const more = hidden === 0 ? [] : [`${hidden} ended; /agents all shows them`]
  return [...lines, ...more].join('\n')
}

interface Place {
  readonly id: BranchId
  readonly lead: string
  readonly below: string
}

function rows(reader: Reader, look: AgentsLook, { id, lead, below }: Place): string[] {
  const children = childrenOf(reader, id).filter((child) => isShown(reader, look, child))
  const own = isShown(reader, look, id) ? [`${lead}${row(reader, look, id)}`] : []
  return [
    ...own,
    ...children.flatMap((child, index) => {
      const isLast = index === children.length - 1
      return rows(reader, look, {
        id: child,
        lead: `${below}${isLast ? '└─ ' : '├─ '}`,
        below: `${below}${isLast ? '   ' : '│  '}`,
      })
    }),
  ]
}

function isShown(reader: Reader, look: AgentsLook, id: BranchId): boolean {
  return (
    look.ended === 'shown' ||
    getBranch(reader, id).state.kind !== 'ended' ||
    childrenOf(reader, id).some((child) => isShown(reader, look, child))
  )
}

function row(reader: Reader, look: AgentsLook, id: BranchId): string {
  const branch = getBranch(reader, id)
  const name = branchNames(reader)(id)
  const mail = unreadMail(reader, id).length
  const spent = spentBy(reader, id)
  const facts = [
    stateWords(reader, branch, look.now),
    ...(mail === 0 ? [] : [`${mail} unread`]),
    `${ageWords(look.now - reader.event(branch.forkedAt).at)} old`,
    spent.isPriced ? moneyWords(spent.cost) : `${tokenWords(spent.tokensIn + spent.tokensOut)} tokens`,
  ]
  const kind = name === 'main' ? '' : ` ${branch.mode}`
  const title = branch.title === null ? '' : ` '${shorten(oneLine(branch.title), TITLE_WIDTH)}'`
  return `${id === look.here ? '* ' : ''}${name}${kind}${title}: ${facts.join(', ')}`
}

export function stateWords(reader: Reader, { id, state }: Branch, now: number): string {
  if (state.kind === 'ended') return `ended (${state.reason})`
  if (state.kind === 'running') return `working for ${ageWords(now - reader.event(state.startedAt).at)}`
  const due = dueIn(reader, { branch: id, now, isImpatient: false })
  if (due.kind === 'later' && state.last?.outcome === 'deferred')
    return `waiting ${ageWords(due.at - now)} for the model`
  return due.kind === 'turn' ? 'waiting for its turn' : 'idle'
}

function countEnded(reader: Reader, parent: BranchId | null): number {
  return childrenOf(reader, parent).reduce((sum, id) => {
    const own = getBranch(reader, id).state.kind === 'ended' ? 1 : 0
    return sum + own + countEnded(reader, id)
  }, 0)
}
