import { canonicalJson } from '../../base/canonical.ts'
import type { Clock } from '../../base/clock.ts'
import { lineDifference } from '../../base/line-difference.ts'
import { oneLine } from '../../base/width.ts'
import { getBranch } from '../../context/branch.ts'
import type { EventOf } from '../../event/event.ts'
import type { Wish } from '../../event/right.ts'
import type { Choice } from '../../event/work.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Log } from '../../log/log.ts'
import type { CallContext } from '../../tool/tool.ts'
import { askApproval, approvalNumbered } from '../state/approvals.ts'
import { isForPeople, whoWatches } from '../state/asker.ts'
import { SHOWN_CHARS_MAX, visible } from './call-wording.ts'
import { isRunning } from '../step/ending.ts'
import { OWNER } from '../../event/speaker.ts'
import { openList } from '../state/ledger.ts'
import { addressOf, guestName, personIn } from '../state/person.ts'
import { say } from '../state/outbox.ts'
import { contentOf as keptText, keep } from '../state/setup.ts'

/** A change that an agent wants to what it is, knows or may do. It is made when a person approves it (SAFE4). */
export type Proposal =
  | {
      readonly kind: 'file'
      /** Relative to the workspace. */
      readonly path: string
      /** Undefined: the file does not exist yet. */
      readonly before: string | undefined
      readonly after: string
      /** Why it needs approval, as words that follow "it". */
      readonly why?: string
    }
  | { readonly kind: 'memory'; readonly line: string; readonly replaces: string | null }

/** Asks a person for a change, which waits as long as it takes. Returns its number; throws text for the model. */
export type Propose = (call: CallContext, proposal: Proposal) => Promise<number>

export function proposing({ log, now, deliver }: { log: Log; now: Clock; deliver: () => void }): Propose {
  return async (call, proposal) => {
    const at = now()
    if (proposalText(proposal, 0).length > SHOWN_CHARS_MAX) throw new Error(TOO_LARGE)
    const number = await log.write((writing) => {
      // A stopped turn or a killed branch must propose nothing more (KILL1).
      if (!isRunning(writing, call)) throw new Error('the turn that wanted it has ended')
      return propose(writing, { call, at, proposal })
    })
    if (number === undefined) throw new Error(TOO_MANY)
    deliver()
    return number
  }
}

/** Limits open proposals: a pile of them invites a yes without thought. */
const OPEN_MAX = 20
const TOO_MANY = `${OPEN_MAX} proposals wait for the person already, so this one was not made. Tell them.`
/** A person must have seen everything that they approve. */
const TOO_LARGE =
  'So large a change cannot be shown to the person, so it was not proposed. Do it in smaller parts.'

interface Proposing {
  readonly call: CallContext
  readonly at: number
  readonly proposal: Proposal
}

/** Undefined: too many are waiting. */
function propose(writing: Writing, proposing: Proposing): number | undefined {
  const { call, at, proposal } = proposing
  const { branch, turn } = call
  const wish = wishOf(writing, proposing)
  const person = personIn(writing, branch)
  const open = openList(writing, 'approvals')
    .flatMap((number) => approvalNumbered(writing, number)?.request ?? [])
    .filter((other) => personIn(writing, other.branch) === person)
  const same = open.find((other) => other.branch === branch && contentOf(other.wish) === contentOf(wish))
  if (same !== undefined) return same.number
  if (open.filter(({ wish: other }) => other.kind !== 'call').length >= OPEN_MAX) return undefined
  const { number, position: cause } = askApproval(writing, { branch, at, wish, until: null })
  const asker = getBranch(writing, branch)
  const watcher = isForPeople(asker) ? whoWatches(writing, asker) : undefined
  const isOwners = person === OWNER || proposal.kind === 'memory'
  const to = isOwners ? watcher : watcher && addressOf(writing, OWNER)
  // Nobody is waiting, so nobody is disturbed: /approvals lists it, and the status line counts it.
  if (to === undefined) return number
  const text = proposalText(proposal, number, guestName(writing, branch))
  say(writing, { branch, at, to, form: 'question', text, turn, choices: choicesOf(number), cause })
  if (watcher !== undefined && !isOwners)
    say(writing, { branch, at, to: watcher, notice: 'owner-asked', text: ASKED_OWNER, turn, cause: null })
  return number
}

const ASKED_OWNER = 'I asked the owner about this. It is done when they say yes.'

function wishOf(writing: Writing, { call: { branch, turn }, at, proposal }: Proposing): Wish {
  if (proposal.kind === 'memory') return { ...proposal, turn }
  const { path, before, after } = proposal
  const hashed = (text: string): string => keep(writing, { branch, at }, text)
  return {
    kind: 'file',
    turn,
    path,
    before: before === undefined ? null : hashed(before),
    after: hashed(after),
    ...(proposal.why !== undefined && { why: proposal.why }),
  }
}

/** To a person, the same wish from another turn is the same. */
function contentOf(wish: Wish): string {
  return canonicalJson({ ...wish, turn: null })
}

function choicesOf(number: number): Choice[] {
  return [
    { label: 'Approve', command: `/approve ${number}` },
    { label: 'Deny', command: `/deny ${number}` },
  ]
}

/** As `proposalText`, for a wish in the log. */
export function proposalIn(
  reader: Reader,
  wish: Exclude<Wish, { kind: 'call' }>,
  { number, branch }: Pick<EventOf<'approval-asked'>, 'number' | 'branch'>,
): string {
  if (wish.kind === 'memory') return proposalText(wish, number)
  const before = wish.before === null ? undefined : keptText(reader, wish.before)
  const proposal = { ...wish, before, after: keptText(reader, wish.after) }
  return proposalText(proposal, number, guestName(reader, branch))
}

/** The text shown to a person, with the whole difference that it makes. */
function proposalText(proposal: Proposal, number: number, guest?: string): string {
  if (proposal.kind === 'memory') {
    const { line, replaces } = proposal
    return [
      `Remember this? (approval ${number})`,
      ...(replaces === null ? [] : [`- ${visible(replaces)}`]),
      `+ ${visible(line)}`,
      `/approve ${number} remembers it, /approve ${number} YOUR WORDS remembers those, /deny ${number} does not.`,
    ].join('\n')
  }
  const { path, before, after, why } = proposal
  const forWhom = guest === undefined ? '' : ` for ${oneLine(visible(guest))}`
  return [
    `${before === undefined ? 'Create' : 'Change'} ${visible(path)}${forWhom}? (approval ${number})`,
    ...(why === undefined ? [] : [`It ${oneLine(visible(why))}.`]),
    ...changedLines(before, after),
    `/approve ${number} writes it, /deny ${number} does not.`,
  ].join('\n')
}

function changedLines(before: string | undefined, after: string): string[] {
  const now = visible(after).replace(/\n$/, '')
  if (before === undefined) return now.split('\n').map((line) => `+ ${line}`)
  return lineDifference(visible(before).replace(/\n$/, ''), now, Number.POSITIVE_INFINITY)
}
