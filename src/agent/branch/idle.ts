import { ageText, counted } from '../../base/words.ts'
import { getBranch, type Branch } from '../../context/branch.ts'
import { messageAtOrAfter } from '../../context/message-index.ts'
import type { Placed } from '../../event/event.ts'
import { handleOf, type BranchId, type Position } from '../../event/id.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { forkName, leaveFork, type Leaver } from './fork-end.ts'
import { isAtWork, workingFrom } from '../step/end-subtree.ts'
import { extractOf } from './fork-extract.ts'
import { reportBy } from '../state/asker.ts'
import { firstWaiting } from '../state/inbox.ts'
import { say } from '../state/outbox.ts'
import { forkTable } from '../state/tables.ts'
import { addressIn, boundTo } from '../state/person.ts'

/** How often the host asks in a silent fork before it ends the fork itself. */
const ASKED_MAX = 2

/** When the person was last heard, how often and when the host asked since, and how long silence may last. */
function silenceIn(reader: Reader, id: BranchId, defaultMs: number | undefined) {
  const row = reader.row(forkTable, [id])
  const entered = row && reader.event(row.entered)
  const idleMs = (entered?.kind === 'fork-entered' ? entered.idleMs : null) ?? defaultMs
  if (row === undefined || idleMs === undefined) return undefined
  const { heard_at: heardAt, asked: timesAsked, asked_at: askedAt } = row
  return { heardAt, timesAsked, askedAt, idleMs }
}

/** When the host must act on a silent fork. Silence does not count while something works for the fork. */
export function idleAt(
  reader: Reader,
  branch: Branch,
  { now, idleMs: defaultMs }: { readonly now: number; readonly idleMs?: number | undefined },
): number | undefined {
  const silence = silenceIn(reader, branch.id, defaultMs)
  if (silence === undefined) return undefined
  const all = workingFrom(reader, branch.id).map((id) => getBranch(reader, id))
  if (all.some((one) => one.id !== branch.id && isBusy(reader, one))) return now + silence.idleMs
  const ends = all.map(({ state }) =>
    state.kind === 'idle' && state.last !== null ? reader.event(state.last.endedAt).at : 0,
  )
  return Math.max(silence.heardAt, ...ends) + silence.idleMs
}

/** A branch whose model cannot be reached is not busy: otherwise its fork would stay open as long as that lasts. */
function isBusy(reader: Reader, branch: Branch): boolean {
  const { state } = branch
  const isDeferred = state.kind === 'idle' && state.last?.outcome === 'deferred'
  return !isDeferred && (isAtWork(branch) || firstWaiting(reader, branch.id) !== undefined)
}

/**
 * When to end a fork whose agent was asked to wrap up but cannot be reached: as late as for one that answers and does
 * nothing. Undefined: nobody was asked since a person spoke, and the person's words wait for an answer.
 */
export function givesUpAt(reader: Reader, { id }: Branch, defaultMs: number | undefined): number | undefined {
  const silence = silenceIn(reader, id, defaultMs)
  if (silence === undefined || silence.askedAt === null) return undefined
  return silence.askedAt + (ASKED_MAX + 1 - silence.timesAsked) * silence.idleMs
}

/** How long the agent may write on the report of a fork. */
const REPORT_MS = 60_000

/** Asks the agent of a fork for the report that the person wants. By a later word the person takes that back. */
export function askReport(writing: Writing, { branch, at }: Placed): void {
  const source = { from: 'host', tag: 'system', reportBy: at + REPORT_MS } as const
  writing.append({ kind: 'inbound-admitted', branch, at, source, form: 'message', text: REPORT_NOW })
}

/** Whether the agent had its turn for the report and did not write it: it failed, or took too long. */
export function owesReport(reader: Reader, { id, state }: Branch): boolean {
  return reportBy(reader, id) !== null && state.kind === 'idle' && state.last?.outcome !== 'interrupted'
}

/** Asks the agent to wrap up, then tells it to; the third time, ends the fork. Returns the branches that ended. */
export function actOnIdle(writing: Writing, { branch: id, at }: Placed, idleMs: number): readonly BranchId[] {
  const branch = getBranch(writing, id)
  const silence = silenceIn(writing, id, idleMs)
  if (silence === undefined) return []
  const author = { by: 'policy', name: 'fork-idle' } as const
  const leaver = { branch: id, at, author, from: addressIn(writing, id) }
  if (owesReport(writing, branch)) return reportFor(writing, leaver)
  if (isEmpty(writing, branch)) {
    const words = `Nothing was said in the fork ${handleOf(id)}, so it was closed.`
    return leaveFork(writing, leaver, { reason: 'discarded', words }).ended
  }
  const isOutOfReach = branch.state.kind === 'idle' && branch.state.last?.outcome === 'deferred'
  const silent = ageText(at - silence.heardAt)
  if (silence.timesAsked >= ASKED_MAX || isOutOfReach) return endFork(writing, leaver, silent)
  const source = { from: 'host', tag: 'fork-timeout' } as const
  const text = silence.timesAsked === 0 ? wrapUp(silent) : END_NOW
  const request = { kind: 'inbound-admitted', source, form: 'message', text } as const
  const cause = writing.append({ ...request, branch: id, at })
  sayAsked(writing, id, { at, silent, isLast: silence.timesAsked > 0, cause })
  return []
}

/** Tells the person, to whom the agent's answer would otherwise come out of nowhere. */
function sayAsked(
  writing: Writing,
  branch: BranchId,
  { at, silent, isLast, cause }: { at: number; silent: string; isLast: boolean; cause: Position },
): void {
  const to = addressIn(writing, branch)
  if (to === undefined) return
  const what = isLast ? 'was told to end the fork' : 'was asked to wrap up'
  const text =
    boundTo(writing, to) === branch
      ? `${silent} without a word; the agent ${what}. A word from you keeps the fork open.`
      : `${silent} without a word in the fork ${handleOf(branch)}; the agent there ${what}. A word from you there keeps it open.`
  say(writing, { branch, at, to, notice: 'idle', text, cause })
}

/** Nobody has spoken in it, and nothing works for it. */
function isEmpty(reader: Reader, { id, forkedAt }: Branch): boolean {
  return messageAtOrAfter(reader, id, forkedAt) === undefined && workingFrom(reader, id).length === 1
}

function endFork(writing: Writing, leaver: Leaver, silent: string): readonly BranchId[] {
  const { branch } = leaver
  const name = handleOf(branch)
  const report = extractOf(writing, branch)
  const told = report === '' ? '' : ' Main is told what it was about;'
  const others = workingFrom(writing, branch).length - 1
  const below = others === 0 ? '' : `, with ${counted(others, 'branch', 'branches')} that worked for it`
  const words = `Nobody has said anything in the fork ${name} for ${silent}, so it was ended${below}.${told} /switch ${name} opens a copy of it.`
  return leaveFork(writing, leaver, { reason: 'timed-out', report, words }).ended
}

function reportFor(writing: Writing, leaver: Leaver): readonly BranchId[] {
  const report = extractOf(writing, leaver.branch)
  const name = forkName(writing, leaver.branch)
  const words = `The agent did not write the report, so main gets sentences from the fork instead: "${report}" The ${name} has ended.`
  return leaveFork(writing, leaver, { reason: 'reported', report, words }).ended
}

function wrapUp(silent: string): string {
  return `Nobody has said anything here for ${silent}. Wrap up: call save_context if main should have this conversation, report_updates with a summary if that is enough, or exit_fork if nothing is worth keeping. If you need an answer first, ask for it now.`
}

const REPORT_NOW =
  'The person ends this fork and wants main to know what came of it. Call report_updates now, with what main should know in one to three sentences that make sense without this conversation.'

const END_NOW =
  'Still nobody has said anything. End this fork now: call save_context, report_updates or exit_fork. If you do not, it is ended for you.'
