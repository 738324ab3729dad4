import { cutText } from '../../base/words.ts'
import { getBranch, type Branch } from '../../context/branch.ts'
import { handleOf, type BranchId } from '../../event/id.ts'
import { allRows, type Reader, type Writing } from '../../event/table.ts'
import type { Notice } from '../../event/work.ts'
import { wrapUpChoices } from '../branch/enter-act.ts'
import { causeOf, isGiven, whoAsked } from '../state/asker.ts'
import type { Running } from '../step/ending.ts'
import { say } from '../state/outbox.ts'
import { rootOfTurn } from '../state/root.ts'
import { mailAt } from '../state/inbox.ts'
import { mailTable } from '../state/tables.ts'
import { addressNear } from '../state/person.ts'

export interface Answer extends Running {
  readonly at: number
  readonly text: string
  /** The notice that says why the work is not done; null: it is done, and the text is the answer. */
  readonly unfinished: Notice | null
}

/** Tells the person who waits, and the parent if the child was given its work. Returns the branches to wake. */
export function answerAsker(writing: Writing, answer: Answer): readonly BranchId[] {
  const branch = getBranch(writing, answer.branch)
  const { at, text, unfinished, turn } = answer
  const to = whoAsked(writing, branch)
  if (to !== undefined) {
    const choices = unfinished === null ? wrapUpChoices(writing, branch.id, to) : []
    const cause = causeOf(writing, branch)
    const form = unfinished === null ? ({ form: 'answer' } as const) : { notice: unfinished }
    say(writing, { branch: branch.id, at, to, ...form, text, turn, choices, cause })
  }
  if (branch.mode !== 'child' || (to !== undefined && !isGiven(writing, branch))) return []
  return mailParent(writing, branch, { ...answer, isShown: to !== undefined })
}

function mailParent(
  writing: Writing,
  branch: Branch,
  { at, turn, text, unfinished, isShown }: Answer & { isShown: boolean },
): readonly BranchId[] {
  const parent = branch.parent === null ? undefined : getBranch(writing, branch.parent)
  if (parent === undefined || parent.state.kind === 'ended') return []
  // Its own mail to its parent stands for its answer; it could not have written about a failure.
  const own = unfinished !== null ? [] : mailsTo(writing, branch, parent.id)
  if (own.length === 0) writing.append({ kind: 'mail-sent', branch: parent.id, at, from: branch.id, text })
  const to = addressNear(writing, parent.id)
  if (!isShown && parent.mode === 'main' && parent.state.kind === 'idle' && to !== undefined) {
    // A child that wrote itself may end with no more than "Sent.": the line shows what it wrote.
    const words = own.length === 0 ? [text] : own
    const firstLines = words.map((one) => one.trim().split('\n', 1)[0] ?? '').join('; ')
    const line = `${handleOf(branch.id)} ${unfinished === null ? 'finished' : 'failed'}: ${cutText(firstLines, LINE_MAX)}`
    const root = rootOfTurn(writing, turn)
    say(writing, { branch: branch.id, at, to, notice: 'child-ended', text: line, cause: null, root })
  }
  return [parent.id]
}

const LINE_MAX = 200

/** What it wrote to its parent in this turn. */
function mailsTo(reader: Reader, branch: Branch, parent: BranchId): readonly string[] {
  const since = branch.state.kind === 'running' ? branch.state.since : Number.MAX_SAFE_INTEGER
  return [...allRows(reader, mailTable, { prefix: [parent], from: since })]
    .filter((row) => row.sender === branch.id)
    .map(({ position }) => mailAt(reader, position).text)
}
