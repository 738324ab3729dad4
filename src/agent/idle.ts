import { getBranch, type Branch } from '../context/branch.ts'
import { messageAtOrAfter } from '../context/message-index.ts'
import { handleOf, type BranchId, type Position } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import type { Writing } from '../log/log.ts'
import { counted } from '../base/words.ts'
import { extractOf } from './fork-extract.ts'
import { leaveFork } from './acts/fork-end.ts'
import { forkTable } from './tables.ts'

/** So often the host asks in a fork where nobody speaks, before it ends the fork itself. */
const ASKED_MAX = 2

/** When the host has to do something about a fork in which nobody speaks; undefined: it is none that was entered. */
export function idleAt(reader: Reader, branch: Branch, defaultMs: number | undefined): number | undefined {
  const row = reader.row(forkTable, [branch.id])
  const entered = row && reader.event(row['entered'] as Position)
  const own = entered?.kind === 'fork-entered' ? entered.idleMs : null
  const idleMs = own ?? defaultMs
  if (row === undefined || idleMs === undefined) return undefined
  const { state } = branch
  const endedAt = state.kind === 'idle' && state.last !== null ? reader.event(state.last.endedAt).at : 0
  return Math.max(row['heard_at'] as number, endedAt) + idleMs
}

/** Asks the agent to wrap up, then tells it to; the third time the fork is ended for it. The branches that ended. */
export function actOnIdle(
  writing: Writing,
  { branch, at, idleMs }: { branch: BranchId; at: number; idleMs: number },
): readonly BranchId[] {
  const due = idleAt(writing, getBranch(writing, branch), idleMs)
  if (due === undefined || due > at) return []
  const asked = (writing.row(forkTable, [branch])?.['asked'] as number | undefined) ?? 0
  const { forkedAt } = getBranch(writing, branch)
  const isEmpty = messageAtOrAfter(writing, branch, forkedAt) === undefined
  if (asked < ASKED_MAX && !isEmpty) {
    const source = { from: 'host', tag: 'fork-timeout' } as const
    const text = asked === 0 ? wrapUp(at - due + idleMs) : END_NOW
    writing.append({ kind: 'inbound-admitted', branch, at, v: 1, source, form: 'message', text })
    return []
  }
  const author = { by: 'policy', name: 'fork-idle' } as const
  const name = handleOf(branch)
  if (isEmpty)
    return leaveFork(
      writing,
      { branch, at, author },
      {
        reason: 'discarded',
        words: `Nothing was said in ${name}, so it was closed.`,
      },
    )
  return leaveFork(
    writing,
    { branch, at, author },
    {
      reason: 'timed-out',
      report: extractOf(writing, branch),
      words: `Nobody has said anything in ${name} for long, so it was ended. What it was about is reported to main; /switch ${name} opens a copy.`,
    },
  )
}

function wrapUp(silentMs: number): string {
  return `Nobody has said anything here for ${counted(Math.max(1, Math.round(silentMs / 60_000)), 'minute')}. Wrap up: call save_context if main should have this conversation, report_updates with a summary if that is enough, or exit_fork if nothing is worth keeping. If you need an answer first, ask for it now.`
}

const END_NOW =
  'Still nobody has said anything. End this fork now: call save_context, report_updates or exit_fork. If you do not, it is ended for you.'
