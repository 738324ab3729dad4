import type { EventOf, Outcome } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { JobKind } from '../../event/job.ts'
import { integer, table, text, type JsonOf } from '../../event/table.ts'
import type { Budget } from './ping-budget.ts'

// Columns that many tables have.
const branch = text<BranchId>()
const position = integer<Position>()
const positionOrNull = integer<Position | null>()
const turn = text<TurnId>()
const [address, job, person] = [text(), text(), text()]
const place = { channel: text(), conversation: text() }
const jobName = { what: text<JobKind>(), job }

/** Admitted items. They are taken in order, so those after `taken_to` wait. */
export const inboundTable = table(
  'inbound',
  { branch, position },
  {
    form: text<EventOf<'inbound-admitted'>['form'] | 'dropped'>(),
    source: text<'person' | 'host'>(),
    /** The last change of its text. */
    edited: positionOrNull,
    not_before: integer<number | null>(),
  },
)

/** One row per branch that anybody ever talked to: how far its inbox is taken, and where its answers go. */
export const inboxTable = table(
  'inbox',
  { branch },
  { taken_to: integer(), channel: text<string | null>(), conversation: text<string | null>() },
)

/** Every platform id that was ever admitted (RECV1). */
export const inboundKeyTable = table('inbound_key', { ...place, key: text() }, { position })

/**
 * Addresses on the web that a person, a job or a page gave in a branch, made plain (LEAVE1). `is_made_up`: only a page
 * whose own address a model made up gave it; it may be read, but counts as made up itself.
 */
export const givenTable = table(
  'given',
  { branch, host: text(), href: text() },
  { position, is_made_up: integer<0 | 1>() },
)

/** Calls that were refused because nobody gave their address, in a branch or below it, until the run's report says so. */
export const composedTable = table('composed', { branch, position }, { subject: text() })

/** Messages to send, by address. They are settled in order, so those after `settled_to` wait. */
export const deliveryTable = table('delivery', { address, position }, {})

export const outboxTable = table('outbox', { address }, { settled_to: integer() })

/** Parts of a delivery that the platform has. */
export const partTable = table('delivery_part', { delivery: position, position }, { platform_id: text() })

/** Where the keys of a delivery's buttons were made, and the message that has them; null: not known to be shown. */
export const buttonsTable = table(
  'buttons',
  { delivery: position },
  { made: position, platform_id: text<string | null>() },
)

/** Everything that a chat shows of a branch besides its messages. */
export const momentTable = table('moment', { branch, position }, {})

/** Forks and children that ended, by the branch that they left. */
export const endedTable = table('ended', { parent: branch, position }, {})

/** By conversation, the message that grows there; `begun` is null while there is none. */
export const previewTable = table(
  'preview',
  { address },
  { begun: positionOrNull, platform_id: text<string | null>() },
)

export const mailTable = table('mail', { branch, position }, { sender: text(), root: position })

/** Mail is read all at once, so everything after `read_to` is unread. */
export const mailboxTable = table('mailbox', { branch }, { read_to: integer() })

/** Null: somebody talked there who is a stranger by now. */
export const bindingTable = table('binding', place, { branch: text<BranchId | null>() })

/** Conversations that go on under another id; null: an import said so. */
export const movedTable = table('moved', { address }, { moved_to: text<string | null>() })

/** The position of the text with this hash. */
export const contentTable = table('content', { hash: text() }, { position })

/** A turn's number in its branch, where it and its work started, how it ended (null: it has not), and its answer's delivery. */
export const turnTable = table(
  'turn',
  { turn },
  {
    branch,
    number: integer(),
    position,
    since: position,
    outcome: text<Outcome | null>(),
    answer: positionOrNull,
  },
)

/** What the answers of a turn used: the prompt is that of the last answered call, the cost that of all. */
export interface TurnUse {
  readonly at: number
  readonly model: string
  readonly calls: number
  readonly tokensIn: number
  readonly tokensCached: number
  readonly cost: number | null
}

/** Turns by their numbers: the version of the list that its last prompt showed, and what it used, as JSON. */
export const turnNumberTable = table(
  'turn_number',
  { branch, number: integer() },
  { turn, version: position, used: text<JsonOf<TurnUse> | null>() },
)

export const modelCallTable = table(
  'model_call',
  { turn, call: integer() },
  { position, answered: positionOrNull },
)

/** Sums of model usage. */
export interface Sums {
  readonly calls: number
  readonly tokensIn: number
  readonly tokensOut: number
  readonly tokensCached: number
  readonly tokensCacheWritten: number
  /** Money, without calls of models whose price is unknown. */
  readonly cost: number
  /** The tokens of those. */
  readonly tokensUnpriced: number
  readonly isPriced: boolean
}

const sums = text<JsonOf<Sums>>()

/** Sums per branch: its own, and those of everything that is or was below it. */
export const spentTable = table('spent', { branch }, { sums, below: sums })

/** What a model call was for: a branch of this kind, a summary, or an answer that broke off. */
export type SpentFor = 'main' | 'fork' | 'child' | 'run' | 'guest' | 'summary' | 'broken'

/** Sums per day and person; `parts`: by `SpentFor` and the model's name, with a space between. */
export const spentDayTable = table(
  'spent_day',
  { day: text(), person },
  { total: sums, background: sums, parts: text<JsonOf<Readonly<Record<string, Sums>>>>() },
)

/** What each branch works for: a message of a person or a firing of a job. */
export const rootTable = table('root', { branch }, { root: position })

/** Commands, turns and deliveries, by what they go back to. */
export const effectTable = table('effect', { root: position, position }, {})

/** What each root has caused on the last day it was worked for, in all branches. */
export const causedTable = table(
  'caused',
  { root: position },
  { day: text(), calls: integer(), tokens: integer(), branches: integer() },
)

/** Reminders that were set for a root which is no person's. */
export const reminderRootTable = table('reminder_root', { job, due: integer() }, { root: position })

/** Calls of models on a day, of all work that goes back to a job. */
export const unattendedTable = table('unattended', { day: text() }, { calls: integer() })

/** Guests and groups, each with a main session of their own; removed ones keep their row. */
export const personTable = table(
  'person',
  { person },
  { name: text(), role: text<'guest' | 'group'>(), main: branch, removed: positionOrNull },
)

/** `telegram:12345`, and who that is; null: a stranger again. `is_link`: only while the setting `links` names it. */
export const identityTable = table(
  'identity',
  { identity: text() },
  {
    person: text<string | null>(),
    channel: text(),
    conversation: text<string | null>(),
    is_link: integer<0 | 1>(),
  },
)

/** Codes that strangers were shown. */
export const pairingTable = table('pairing', { position }, { code: text(), decided: positionOrNull })

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
  /** By person: the last message to them, in any conversation, that a `y` may be meant for. */
  readonly drawn: 'delivery-intended'
  readonly digest: 'digest-sent'
  /** A person's turn that names its model. */
  readonly model: 'turn-started'
  /** By channel. */
  readonly strangers: 'strangers-noted'
  /** By conversation: the last message with notices below it. */
  readonly foot: 'delivery-done'
  /** By conversation. */
  readonly bound: 'conversation-bound'
  readonly imported: 'import-closed'
  /** By day and person: notes about their spending. */
  readonly near: 'spending-noted'
  readonly agreed: 'spending-noted'
  readonly warned: 'spending-noted'
  readonly unpriced: 'spending-noted'
}

type Heard = 'inbound-admitted' | 'command-run'

/** One table for all of them: a message changes three of its rows, which are mostly on the same page. */
export const newestTable = table('newest', { what: text<keyof Newest>(), about: text() }, { position })

/** Grants for the calls of a person's branches; a revoked pattern keeps its row. */
export const grantTable = table(
  'grant',
  { person, pattern: text() },
  { is_granted: integer<0 | 1>(), fingerprint: text<string | null>() },
)

/** Everything that ever waited for a person. */
export const approvalTable = table('approval', { number: integer() }, { position, decided: positionOrNull })

/** Updates, by the main session to be told; `settled`: the position of the message or save that told them. */
export const updateTable = table('pending_update', { branch, position }, { settled: positionOrNull })

/** By main session: all updates after `shown_to` are pending, and before it only those in `again`, as JSON. */
export const updatesShownTable = table(
  'updates_shown',
  { branch },
  { shown_to: integer(), again: text<JsonOf<readonly Position[]>>() },
)

/** Messages of other branches that show updates of a main session. */
export const peekTable = table('peek', { branch, position }, {})

/** Background runs: where each was started, when its first turn began, and its last ping and report. */
export const runTable = table(
  'run',
  { branch },
  {
    started: position,
    begun_at: integer<number | null>(),
    pinged: positionOrNull,
    reported: positionOrNull,
    pings: integer(),
    sent_back: integer(),
    is_resting: integer<0 | 1>(),
  },
)

/**
 * Interactive forks: a person's last visit, how often and when the host asked since, where it was entered, and until when
 * its agent may write the report that the person asked for.
 */
export const forkTable = table(
  'fork',
  { branch },
  {
    heard_at: integer(),
    asked: integer(),
    asked_at: integer<number | null>(),
    entered: position,
    report_by: integer<number | null>(),
  },
)

/** The fork that a conversation was last in; it may have ended. */
export const openForkTable = table('open_fork', place, { branch })

/** The fork that the last reply to this branch opened. */
export const replyForkTable = table('reply_fork', { replied: text<BranchId>() }, { branch })

/** Unasked messages, by their number in the conversation. */
export const numberedTable = table('numbered', { address, number: integer() }, { position })

export const sentTable = table('sent', { ...place, platform_id: text() }, { position })

/** Every file with an update that was ever submitted. */
export const updateKeyTable = table('update_key', { key: text() }, { position })

/** Jobs that a file defines or defined: the last decision about each, and up to which time its firings are done. */
export const jobTable = table('job', jobName, {
  file: text(),
  /** Null: its file was removed. */
  schedule: text<string | null>(),
  /** For a reminder: when it is due. */
  due: integer<number | null>(),
  /** When this schedule began to count. */
  since: integer(),
  /** The newest time of this schedule that was fired or skipped. */
  done_to: integer<number | null>(),
  fired: positionOrNull,
  failures: integer(),
})

/** What became of each job: it fired, was skipped, or somebody started it by hand. */
export const firingTable = table('firing', { ...jobName, position }, {})

/** Every start of a background run, by the person it works for. */
export const runStartTable = table('run_start', { person, position }, {})

/** Stored files, and the people whose messages name them. */
export const fileTable = table('stored_file', { hash: text(), person }, {})

/** Every firing of a reminder (JOB1). */
export const firedTable = table('fired', { job, due: integer() }, { position })

/** Calls of webhooks. They are taken in order, so those after `taken_to` wait. */
export const callTable = table('webhook_call', { job, position }, {})

export const webhookTable = table('webhook', { job }, { taken_to: integer(), waiting: integer() })

/** Where jobs were paused; both names are empty for the pause of all jobs. A resumed one keeps its row, with null. */
export const pauseTable = table('pause', { what: text<JobKind | ''>(), job }, { paused: positionOrNull })

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
  { person, cause: text() },
  { waiting: text<JsonOf<Raised>>(), told_at: integer<number | null>(), told: integer() },
)

/** Open things: pings to settle, notices to tell, approvals to answer, approved proposals to carry out, and so on. */
export interface Open {
  readonly pings: Position
  readonly notices: readonly [person: string, cause: string]
  readonly approvals: number
  readonly undone: number
  /** Webhooks with calls that wait. */
  readonly webhooks: string
  /** Addresses with messages to send. */
  readonly addresses: string
}

/** One row per kind of open thing: the list, oldest first, as JSON. */
export const openTable = table(
  'open_matter',
  { what: text<keyof Open>() },
  { list: text<JsonOf<readonly unknown[]>>() },
)

/** As JSON, as of the last event that changed it. */
export const budgetTable = table('budget', { person }, { budget: text<JsonOf<Budget>>() })

export type PingState = 'sent' | 'arrived' | 'refused' | 'held' | 'released' | 'failed' | 'expired'

/** The ledger: every ping, its outcome, and the person's reaction. */
export const pingTable = table(
  'ping',
  { person, position },
  {
    state: text<PingState>(),
    delivery: positionOrNull,
    answer: text<'done' | 'snoozed' | 'less' | null>(),
  },
)

export const pingDeliveryTable = table('ping_delivery', { delivery: position, ping: position }, { person })

/** By job: pings that arrived, how many got a reaction, how often fewer were asked for, and the last one. */
export const pingJobTable = table('ping_job', jobName, {
  arrived: integer(),
  answered: integer(),
  less: integer(),
  last: positionOrNull,
})
