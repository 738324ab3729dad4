import { dueIn } from '../agent/due.ts'
import { unreadMail } from '../agent/mail.ts'
import { spentBy } from '../agent/spent.ts'
import { oneLine, shorten, widthOf } from '../base/width.ts'
import { childrenOf, getBranch, type Branch } from '../context/branch.ts'
import { branchNames } from '../context/naming.ts'
import type { BranchId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { moneyWords, tokenWords } from './words.ts'
import { ageText } from '../base/words.ts'

export interface AgentsLook {
  readonly now: number
  /** Marked in the tree. */
  readonly here: BranchId
  readonly ended: 'shown' | 'left-out'
}

/** The tree of branches, one a line: who, what it does, mail, age, cost. */
export function agentsText(reader: Reader, look: AgentsLook): string {
  const view: View = { reader, look, nameOf: branchNames(reader), hidden: [] }
  const lines = shownOf(view, childrenOf(reader, null)).flatMap((id) =>
    rows(view, { id, lead: '', below: '' }),
  )
  const { length: hidden } = view.hidden
  const more = hidden === 0 ? [] : [`${hidden} ended; /agents all shows ${hidden === 1 ? 'it' : 'them'}.`]
  return [...lines, ...more].join('\n')
}

interface View {
  readonly reader: Reader
  readonly look: AgentsLook
  readonly nameOf: (branch: BranchId) => string
  readonly hidden: BranchId[]
}

interface Place {
  readonly id: BranchId
  readonly lead: string
  readonly below: string
}

function rows(view: View, { id, lead, below }: Place): string[] {
  const children = shownOf(view, childrenOf(view.reader, id))
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
function shownOf(view: View, branches: readonly BranchId[]): BranchId[] {
  if (view.look.ended === 'shown') return [...branches]
  return branches.filter((id) => {
    if (isAlive(view.reader, id)) return true
    view.hidden.push(...allFrom(view.reader, id))
    return false
  })
}

function isAlive(reader: Reader, id: BranchId): boolean {
  if (getBranch(reader, id).state.kind !== 'ended') return true
  return childrenOf(reader, id).some((child) => isAlive(reader, child))
}

function allFrom(reader: Reader, id: BranchId): BranchId[] {
  return [id, ...childrenOf(reader, id).flatMap((child) => allFrom(reader, child))]
}

const COLUMNS = 80
const TITLE_MIN = 12

function row({ reader, look, nameOf }: View, id: BranchId, lead: string): string {
  const branch = getBranch(reader, id)
  const name = nameOf(id)
  const mail = unreadMail(reader, id).length
  const spent = spentBy(reader, id)
  const facts = [
    stateWords(reader, branch, look.now),
    ...(mail === 0 ? [] : [`${mail} unread`]),
    `${ageText(look.now - reader.event(branch.forkedAt).at)} old`,
    spent.isPriced ? moneyWords(spent.cost) : `${tokenWords(spent.tokensIn + spent.tokensOut)} tokens`,
  ].join(', ')
  const who = `${lead}${id === look.here ? '* ' : ''}${name}${name === 'main' ? '' : ` ${branch.mode}`}`
  if (branch.title === null) return `${who}: ${facts}`
  const room = COLUMNS - widthOf(`${who} '': ${facts}`)
  return `${who} '${shorten(oneLine(branch.title), Math.max(TITLE_MIN, room))}': ${facts}`
}

export function stateWords(reader: Reader, { id, state }: Branch, now: number): string {
  if (state.kind === 'ended') return `ended (${state.reason})`
  if (state.kind === 'running') return `working for ${ageText(now - reader.event(state.startedAt).at)}`
  const due = dueIn(reader, { branch: id, now, isImpatient: false })
  if (due.kind === 'later' && state.last?.outcome === 'deferred')
    return `waiting ${ageText(due.at - now)} for the model`
  return due.kind === 'turn' ? 'waiting for its turn' : 'idle'
}
