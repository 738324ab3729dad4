import type { EventOf, Outcome } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { JobName } from '../../event/job.ts'
import { integer, table, text, type JsonOf } from '../../event/table.ts'
import type { Budget } from './ping-budget.ts'

/** What was admitted. It is taken in order, so what waits lies behind `taken_to`. */
export const inboundTable = table(
  'inbound',
  { branch: text<BranchId>(), position: integer<Position>() },
  { form: text<EventOf<'inbound-admitted'>['form']>(), source: text<'person' | 'host'>() },
)

/** One row per branch that anybody ever talked to: how far its inbox is emptied, and where its answers go. */
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

/** What was to be sent, by address. It is settled in order, so what waits lies behind `settled_to`. */
export const deliveryTable = table('delivery', { address: text(), position: integer<Position>() }, {})

export const outboxTable = table('outbox', { address: text() }, { settled_to: integer() })

export const mailTable = table(
  'mail',
  { branch: text<BranchId>(), position: integer<Position>() },
  { sender: text() },
)

/** Mail is read all at once, so what is unread lies behind `read_to`. */
export const mailboxTable = table('mailbox', { branch: text<BranchId>() }, { read_to: integer() })

export const bindingTable = table(
  'binding',
  { channel: text(), conversation: text() },
  { branch: text<BranchId>() },
)

/** Where a text of this hash stands. */
export const contentTable = table('content', { hash: text() }, { position: integer<Position>() })

/** Its number in its branch, where it started, where the first of its work did, and how it ended (null: it has not). */
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

/** What model calls used, all in all. */
export interface Sums {
  readonly calls: number
  readonly tokensIn: number
  readonly tokensOut: number
  readonly tokensCached: number
  /** Money; calls of models without a known price are not in it. */
  readonly cost: number
  readonly isPriced: boolean
}

/** Sums per branch: its own, and of all that is or was below it. */
export const spentTable = table(
  'spent',
  { branch: text<BranchId>() },
  { sums: text<JsonOf<Sums>>(), below: text<JsonOf<Sums>>() },
)

/** Sums of a day, for its limit. */
export const spentDayTable = table(
  'spent_day',
  { day: text() },
  { total: text<JsonOf<Sums>>(), background: text<JsonOf<Sums>>() },
)

/** Events of which only the newest counts, and their kinds. */
export interface Newest {
  readonly setup: 'setup-changed'
  readonly memory: 'memory-changed'
  readonly zone: 'zone-set'
  /** By branch. */
  readonly policy: 'policy-set'
  readonly pinged: 'ping-decided'
  /** By main session: what a person said last to it, or to anything below it; `wrote` without commands. */
  readonly heard: Heard
  readonly wrote: Heard
  /** By person. */
  readonly spoke: Heard
  readonly digest: 'digest-sent'
  /** By day: what was noted about its spending. */
  readonly near: 'spending-noted'
  readonly agreed: 'spending-noted'
}

type Heard = 'inbound-admitted' | 'command-run'

/** One table for all of them: a message changes three of its rows, which are mostly on one page. */
export const newestTable = table(
  'newest',
  { what: text<keyof Newest>(), about: text() },
  { position: integer<Position>() },
)

/** What people allow; a pattern that was taken back keeps its row. */
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

/** What happened elsewhere, by the main session that is to be told; `settled` by the message or the save at this position. */
export const updateTable = table(
  'pending_update',
  { branch: text<BranchId>(), position: integer<Position>() },
  { settled: integer<Position | null>() },
)

/** By main session: all behind `shown_to` is pending, and before it only what `again` lists, as JSON. */
export const updatesShownTable = table(
  'updates_shown',
  { branch: text<BranchId>() },
  { shown_to: integer(), again: text<JsonOf<readonly Position[]>>() },
)

/** Messages of other branches that show updates of a main session. */
export const peekTable = table('peek', { branch: text<BranchId>(), position: integer<Position>() }, {})

/** Background runs: where each was started, when its first turn began, and what it pinged and reported last. */
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

/** Interactive forks: when a person was last there, how often the host has asked since, when it did last, and where it was entered. */
export const forkTable = table(
  'fork',
  { branch: text<BranchId>() },
  { heard_at: integer(), asked: integer(), asked_at: integer<number | null>(), entered: integer<Position>() },
)

/** The fork that a conversation was in last; it may have ended. */
export const openForkTable = table(
  'open_fork',
  { channel: text(), conversation: text() },
  { branch: text<BranchId>() },
)

/** The fork that was opened last by a reply to this branch. */
export const replyForkTable = table('reply_fork', { replied: text<BranchId>() }, { branch: text<BranchId>() })

/** Messages that nobody waited for, as they are numbered in their conversation. */
export const numberedTable = table(
  'numbered',
  { address: text(), number: integer() },
  { position: integer<Position>() },
)

/** Messages that were sent, by the id that their platform gave them. */
export const sentTable = table(
  'sent',
  { channel: text(), conversation: text(), platform_id: text() },
  { position: integer<Position>() },
)

/** Every file with an update that was ever handed in. */
export const updateKeyTable = table('update_key', { key: text() }, { position: integer<Position>() })

/** Jobs that a file defines or defined: what was decided about them last, and up to which time their firings are done. */
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

/** Every firing there ever was of a reminder (JOB1). */
export const firedTable = table('fired', { job: text(), due: integer() }, { position: integer<Position>() })

/** Where it was paused; both names are empty for all jobs. One that was resumed keeps its row, with null. */
export const pauseTable = table(
  'pause',
  { what: text<JobName['what'] | ''>(), job: text() },
  { paused: integer<Position | null>() },
)

export type FileProblem = NonNullable<EventOf<'definition-judged'>['problem']>

/** Files that were found to be wrong; null: mended since. */
export const definitionProblemTable = table(
  'definition_problem',
  { file: text() },
  { problem: text<JsonOf<FileProblem> | null>() },
)

/** What was raised for one cause and waits to be told. */
export interface Raised {
  /** How often it was raised since it was told; of a failure since it worked last, told or not. */
  readonly count: number
  /** Where it was raised first, and last, of those. */
  readonly first: Position | null
  readonly newest: Position | null
  readonly isWaiting: boolean
}

/** What the host has to say, by cause: where what waits was raised, as JSON, when it was told last and how often in a row. */
export const noticeTable = table(
  'notice',
  { person: text(), cause: text() },
  { waiting: text<JsonOf<Raised>>(), told_at: integer<number | null>(), told: integer() },
)

/** What waits: pings on their way or held, notices to tell, approvals to answer, approved proposals to carry out. */
export interface Open {
  readonly pings: Position
  readonly notices: readonly [person: string, cause: string]
  readonly approvals: number
  readonly undone: number
}

/** A row for each: what waits, oldest first, as JSON. */
export const openTable = table(
  'open_matter',
  { what: text<keyof Open>() },
  { list: text<JsonOf<readonly unknown[]>>() },
)

/** As JSON, as of the last event that changed it. */
export const budgetTable = table('budget', { person: text() }, { budget: text<JsonOf<Budget>>() })

export type PingState = 'sent' | 'arrived' | 'refused' | 'held' | 'released' | 'failed' | 'expired'

/** The ledger: every ping, what became of it, and what the person said to it. */
export const pingTable = table(
  'ping',
  { person: text(), position: integer<Position>() },
  {
    state: text<PingState>(),
    delivery: integer<Position | null>(),
    answer: text<'done' | 'snoozed' | 'less' | null>(),
  },
)

/** Which pings a delivery brings. */
export const pingDeliveryTable = table(
  'ping_delivery',
  { delivery: integer<Position>(), ping: integer<Position>() },
  { person: text() },
)

/** By job: how many pings of it arrived, how many of them the person reacted to, how much less was asked for, and the last one. */
export const pingJobTable = table(
  'ping_job',
  { what: text<JobName['what']>(), job: text() },
  { arrived: integer(), answered: integer(), less: integer(), last: integer<Position | null>() },
)
