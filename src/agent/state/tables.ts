import type { EventOf, Outcome } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { JobName } from '../../event/job.ts'
import { integer, table, text, type JsonOf } from '../../event/table.ts'
import type { Budget } from './ping-budget.ts'

/** Admitted items. They are taken in order, so those after `taken_to` wait. */
export const inboundTable = table(
  'inbound',
  { branch: text<BranchId>(), position: integer<Position>() },
  { form: text<EventOf<'inbound-admitted'>['form']>(), source: text<'person' | 'host'>() },
)

/** One row per branch that anybody ever talked to: how far its inbox is taken, and where its answers go. */
export const inboxTable = table(
  'inbox',
  { branch: text<BranchId>() },
  { taken_to: integer(), channel: text<string | null>(), conversation: text<string | null>() },
)

/** Every platform id that was ever admitted (RECV1). */
export const inboundKeyTable = table(
  'inbound_key',
  { channel: text(), conversation: text(), key: text() },
  { position: integer<Position>() },
)

/** Messages to send, by address. They are settled in order, so those after `settled_to` wait. */
export const deliveryTable = table('delivery', { address: text(), position: integer<Position>() }, {})

export const outboxTable = table('outbox', { address: text() }, { settled_to: integer() })

export const mailTable = table(
  'mail',
  { branch: text<BranchId>(), position: integer<Position>() },
  { sender: text() },
)

/** Mail is read all at once, so everything after `read_to` is unread. */
export const mailboxTable = table('mailbox', { branch: text<BranchId>() }, { read_to: integer() })

export const bindingTable = table(
  'binding',
  { channel: text(), conversation: text() },
  { branch: text<BranchId>() },
)

/** The position of the text with this hash. */
export const contentTable = table('content', { hash: text() }, { position: integer<Position>() })

/** A turn's number in its branch, where it and its work started, and how it ended (null: it has not). */
export const turnTable = table(
  'turn',
  { turn: text<TurnId>() },
  {
    branch: text<BranchId>(),
    number: integer(),
    position: integer<Position>(),
    since: integer<Position>(),
    outcome: text<Outcome | null>(),
  },
)

/** The turns of a branch, counted from 1. */
export const turnNumberTable = table(
  'turn_number',
  { branch: text<BranchId>(), number: integer() },
  { turn: text<TurnId>() },
)

export const modelCallTable = table(
  'model_call',
  { turn: text<TurnId>(), call: integer() },
  { position: integer<Position>(), answered: integer<Position | null>() },
)

/** Sums of model usage. */
export interface Sums {
  readonly calls: number
  readonly tokensIn: number
  readonly tokensOut: number
  readonly tokensCached: number
  /** Money, without calls of models whose price is unknown. */
  readonly cost: number
  readonly isPriced: boolean
}

/** Sums per branch: its own, and those of everything that is or was below it. */
export const spentTable = table(
  'spent',
  { branch: text<BranchId>() },
  { sums: text<JsonOf<Sums>>(), below: text<JsonOf<Sums>>() },
)

/** Sums per day, for the day's limit. */
export const spentDayTable = table(
  'spent_day',
  { day: text() },
  { total: text<JsonOf<Sums>>(), background: text<JsonOf<Sums>>() },
)

/** Events of which only the newest counts, by kind. */
export interface Newest {
  readonly setup: 'setup-changed'
  readonly memory: 'memory-changed'
  readonly zone: 'zone-set'
  /** By branch. */
  readonly policy: 'policy-set'
  readonly pinged: 'ping-decided'
  /** By main session: a person's last message to it, or to anything below it; `wrote` leaves out commands. */
  readonly heard: Heard
  readonly wrote: Heard
  /** By person. */
  readonly spoke: Heard
  readonly digest: 'digest-sent'
  /** By day: notes about its spending. */
  readonly near: 'spending-noted'
  readonly agreed: 'spending-noted'
}

type Heard = 'inbound-admitted' | 'command-run'

/** One table for all of them: a message changes three of its rows, which are mostly on the same page. */
export const newestTable = table(
  'newest',
  { what: text<keyof Newest>(), about: text() },
  { position: integer<Position>() },
)

/** Grants; a revoked pattern keeps its row. */
export const grantTable = table(
  'grant',
  { pattern: text() },
  { is_granted: integer<0 | 1>(), fingerprint: text<string | null>() },
)

/** Everything that ever waited for a person. */
export const approvalTable = table(
  'approval',
  { number: integer() },
  { position: integer<Position>(), decided: integer<Position | null>() },
)

/** Updates, by the main session to be told; `settled`: the position of the message or save that told them. */
export const updateTable = table(
  'pending_update',
  { branch: text<BranchId>(), position: integer<Position>() },
  { settled: integer<Position | null>() },
)

/** By main session: all updates after `shown_to` are pending, and before it only those in `again`, as JSON. */
export const updatesShownTable = table(
  'updates_shown',
  { branch: text<BranchId>() },
  { shown_to: integer(), again: text<JsonOf<readonly Position[]>>() },
)

/** Messages of other branches that show updates of a main session. */
export const peekTable = table('peek', { branch: text<BranchId>(), position: integer<Position>() }, {})

/** Background runs: where each was started, when its first turn began, and its last ping and report. */
export const runTable = table(
  'run',
  { branch: text<BranchId>() },
  {
    started: integer<Position>(),
    begun_at: integer<number | null>(),
    pinged: integer<Position | null>(),
    reported: integer<Position | null>(),
    pings: integer(),
    sent_back: integer(),
    is_resting: integer<0 | 1>(),
  },
)

/** Interactive forks: a person's last visit, how often and when the host asked since, and where it was entered. */
export const forkTable = table(
  'fork',
  { branch: text<BranchId>() },
  { heard_at: integer(), asked: integer(), asked_at: integer<number | null>(), entered: integer<Position>() },
)

/** The fork that a conversation was last in; it may have ended. */
export const openForkTable = table(
  'open_fork',
  { channel: text(), conversation: text() },
  { branch: text<BranchId>() },
)

/** The fork that the last reply to this branch opened. */
export const replyForkTable = table('reply_fork', { replied: text<BranchId>() }, { branch: text<BranchId>() })

/** Unasked messages, by their number in the conversation. */
export const numberedTable = table(
  'numbered',
  { address: text(), number: integer() },
  { position: integer<Position>() },
)

/** Sent messages, by their id on the platform. */
export const sentTable = table(
  'sent',
  { channel: text(), conversation: text(), platform_id: text() },
  { position: integer<Position>() },
)

/** Every file with an update that was ever submitted. */
export const updateKeyTable = table('update_key', { key: text() }, { position: integer<Position>() })

/** Jobs that a file defines or defined: the last decision about each, and up to which time its firings are done. */
export const jobTable = table(
  'job',
  { what: text<JobName['what']>(), job: text() },
  {
    file: text(),
    schedule: text<string | null>(),
    due: integer<number | null>(),
    since: integer(),
    done_to: integer<number | null>(),
    fired: integer<Position | null>(),
    failures: integer(),
  },
)

/** Every firing of a reminder (JOB1). */
export const firedTable = table('fired', { job: text(), due: integer() }, { position: integer<Position>() })

/** Where jobs were paused; both names are empty for the pause of all jobs. A resumed one keeps its row, with null. */
export const pauseTable = table(
  'pause',
  { what: text<JobName['what'] | ''>(), job: text() },
  { paused: integer<Position | null>() },
)

export type FileProblem = NonNullable<EventOf<'definition-judged'>['problem']>

/** Files with problems; null: fixed since. */
export const definitionProblemTable = table(
  'definition_problem',
  { file: text() },
  { problem: text<JsonOf<FileProblem> | null>() },
)

/** Notices of one cause that wait to be told. */
export interface Raised {
  /** How many since the last was told; for a failure, since the job last worked, told or not. */
  readonly count: number
  /** The first and the last of those. */
  readonly first: Position | null
  readonly newest: Position | null
  readonly isWaiting: boolean
}

/** The host's notices by cause: where those waiting were raised (JSON), when one was last told, how many in a row. */
export const noticeTable = table(
  'notice',
  { person: text(), cause: text() },
  { waiting: text<JsonOf<Raised>>(), told_at: integer<number | null>(), told: integer() },
)

/** Open things: pings on their way or held, notices to tell, approvals to answer, approved proposals to carry out. */
export interface Open {
  readonly pings: Position
  readonly notices: readonly [person: string, cause: string]
  readonly approvals: number
  readonly undone: number
}

/** One row per kind of open thing: the list, oldest first, as JSON. */
export const openTable = table(
  'open_matter',
  { what: text<keyof Open>() },
  { list: text<JsonOf<readonly unknown[]>>() },
)

/** As JSON, as of the last event that changed it. */
export const budgetTable = table('budget', { person: text() }, { budget: text<JsonOf<Budget>>() })

export type PingState = 'sent' | 'arrived' | 'refused' | 'held' | 'released' | 'failed' | 'expired'

/** The ledger: every ping, its outcome, and the person's reaction. */
export const pingTable = table(
  'ping',
  { person: text(), position: integer<Position>() },
  {
    state: text<PingState>(),
    delivery: integer<Position | null>(),
    answer: text<'done' | 'snoozed' | 'less' | null>(),
  },
)

/** The pings in each delivery. */
export const pingDeliveryTable = table(
  'ping_delivery',
  { delivery: integer<Position>(), ping: integer<Position>() },
  { person: text() },
)

/** By job: pings that arrived, how many got a reaction, how often fewer were asked for, and the last one. */
export const pingJobTable = table(
  'ping_job',
  { what: text<JobName['what']>(), job: text() },
  { arrived: integer(), answered: integer(), less: integer(), last: integer<Position | null>() },
)
