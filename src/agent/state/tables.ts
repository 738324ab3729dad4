import type { Column, Table } from '../../event/table.ts'

const text = (name: string): Column => ({ name, type: 'text' })
const integer = (name: string): Column => ({ name, type: 'integer' })

/** What was admitted. It is taken in order, so what waits lies behind `taken_to`. */
export const inboundTable: Table = {
  name: 'inbound',
  key: [text('branch'), integer('position')],
  values: [text('form'), text('source')],
}

/** One row per branch that anybody ever talked to: how far its inbox is emptied, and where its answers go. */
export const inboxTable: Table = {
  name: 'inbox',
  key: [text('branch')],
  values: [integer('taken_to'), text('channel'), text('conversation')],
}

/** Every platform id that was ever admitted (RECV1). */
export const inboundKeyTable: Table = {
  name: 'inbound_key',
  key: [text('channel'), text('conversation'), text('key')],
  values: [integer('position')],
}

/** What was to be sent, by address. It is settled in order, so what waits lies behind `settled_to`. */
export const deliveryTable: Table = {
  name: 'delivery',
  key: [text('address'), integer('position')],
  values: [],
}

export const outboxTable: Table = {
  name: 'outbox',
  key: [text('address')],
  values: [integer('settled_to')],
}

export const mailTable: Table = {
  name: 'mail',
  key: [text('branch'), integer('position')],
  values: [text('sender')],
}

/** Mail is read all at once, so what is unread lies behind `read_to`. */
export const mailboxTable: Table = {
  name: 'mailbox',
  key: [text('branch')],
  values: [integer('read_to')],
}

export const bindingTable: Table = {
  name: 'binding',
  key: [text('channel'), text('conversation')],
  values: [text('branch')],
}

/** Where a text of this hash stands. */
export const contentTable: Table = {
  name: 'content',
  key: [text('hash')],
  values: [integer('position')],
}

/** Where a turn started, and how it ended; null while it has not. */
export const turnTable: Table = {
  name: 'turn',
  key: [text('turn')],
  values: [text('branch'), integer('position'), text('outcome')],
}

export const modelCallTable: Table = {
  name: 'model_call',
  key: [text('turn'), integer('call')],
  values: [integer('position'), integer('answered')],
}

/** Sums per branch: its own, and of all that is or was below it. */
export const spentTable: Table = {
  name: 'spent',
  key: [text('branch')],
  values: [text('sums'), text('below')],
}

/** Sums of a day, for its limit. */
export const spentDayTable: Table = {
  name: 'spent_day',
  key: [text('day')],
  values: [text('total'), text('background')],
}

/** The newest event of its kind: the setup, and what was noted about a day's spending. */
export const newestTable: Table = {
  name: 'newest',
  key: [text('what')],
  values: [integer('position')],
}

/** What people allow; a pattern that was taken back keeps its row. */
export const grantTable: Table = {
  name: 'grant',
  key: [text('pattern')],
  values: [integer('is_granted'), text('fingerprint')],
}

/** Everything that ever waited for a person. */
export const approvalTable: Table = {
  name: 'approval',
  key: [integer('number')],
  values: [integer('position'), integer('decided')],
}

/** Two rows: the numbers that wait for a person (`open`) and those that wait to be carried out (`undone`), as JSON. */
export const waitingApprovalsTable: Table = {
  name: 'waiting_approvals',
  key: [text('what')],
  values: [text('numbers')],
}

/** What happened elsewhere, by the main session that is to be told; `settled` by the message or the save at this position. */
export const updateTable: Table = {
  name: 'pending_update',
  key: [text('branch'), integer('position')],
  values: [integer('settled')],
}

/** By main session: all behind `shown_to` is pending, and before it only what `again` lists, as JSON. */
export const updatesShownTable: Table = {
  name: 'updates_shown',
  key: [text('branch')],
  values: [integer('shown_to'), text('again')],
}

/** Messages of other branches that show updates of a main session. */
export const peekTable: Table = {
  name: 'peek',
  key: [text('branch'), integer('position')],
  values: [],
}

/** Background runs: where each was started, when its first turn began, and what it pinged and reported last. */
export const runTable: Table = {
  name: 'run',
  key: [text('branch')],
  values: [
    integer('started'),
    integer('begun_at'),
    integer('pinged'),
    integer('reported'),
    integer('pings'),
    integer('sent_back'),
    integer('is_resting'),
  ],
}

/** Interactive forks: when a person was last there, how often the host has asked since, when it did last, and where it was entered. */
export const forkTable: Table = {
  name: 'fork',
  key: [text('branch')],
  values: [integer('heard_at'), integer('asked'), integer('asked_at'), integer('entered')],
}

/** The fork that a conversation was in last; it may have ended. */
export const openForkTable: Table = {
  name: 'open_fork',
  key: [text('channel'), text('conversation')],
  values: [text('branch')],
}

/** The fork that was opened last by a reply to this branch. */
export const replyForkTable: Table = {
  name: 'reply_fork',
  key: [text('replied')],
  values: [text('branch')],
}

/** Messages that nobody waited for, as they are numbered in their conversation. */
export const numberedTable: Table = {
  name: 'numbered',
  key: [text('address'), integer('number')],
  values: [integer('position')],
}

/** Messages that were sent, by the id that their platform gave them. */
export const sentTable: Table = {
  name: 'sent',
  key: [text('channel'), text('conversation'), text('platform_id')],
  values: [integer('position')],
}

/** Every file with an update that was ever handed in. */
export const updateKeyTable: Table = {
  name: 'update_key',
  key: [text('key')],
  values: [integer('position')],
}

/** Jobs that a file defines or defined: what was decided about them last, and up to which time their firings are done. */
export const jobTable: Table = {
  name: 'job',
  key: [text('what'), text('job')],
  values: [
    text('file'),
    text('schedule'),
    integer('due'),
    integer('since'),
    integer('done_to'),
    integer('fired'),
    integer('failures'),
  ],
}

/** Every firing there ever was of a reminder (JOB1). */
export const firedTable: Table = {
  name: 'fired',
  key: [text('job'), integer('due')],
  values: [integer('position')],
}

/** Where it was paused; both names are empty for all jobs. One that was resumed keeps its row, with null. */
export const pauseTable: Table = {
  name: 'pause',
  key: [text('what'), text('job')],
  values: [integer('paused')],
}

/** Files that were found to be wrong; null: mended since. */
export const definitionProblemTable: Table = {
  name: 'definition_problem',
  key: [text('file')],
  values: [text('problem')],
}

/** What the host has to say, by cause: where what waits was raised, as JSON, when it was told last and how often in a row. */
export const noticeTable: Table = {
  name: 'notice',
  key: [text('person'), text('cause')],
  values: [text('waiting'), integer('told_at'), integer('told')],
}

/** Two rows: pings on their way or held (`pings`, positions), and notices that wait (`notices`, pairs), as JSON. */
export const openTable: Table = {
  name: 'open_matter',
  key: [text('what')],
  values: [text('list')],
}

/** As JSON, as of the last event that changed it. */
export const budgetTable: Table = {
  name: 'budget',
  key: [text('person')],
  values: [text('budget')],
}

/** The ledger: every ping, what became of it, and what the person said to it. */
export const pingTable: Table = {
  name: 'ping',
  key: [text('person'), integer('position')],
  values: [text('state'), integer('delivery'), text('answer')],
}

/** Which pings a delivery brings. */
export const pingDeliveryTable: Table = {
  name: 'ping_delivery',
  key: [integer('delivery'), integer('ping')],
  values: [text('person')],
}

/** By job: how many pings of it arrived, how many of them the person reacted to, how much less was asked for, and the last one. */
export const pingJobTable: Table = {
  name: 'ping_job',
  key: [text('what'), text('job')],
  values: [integer('arrived'), integer('answered'), integer('less'), integer('last')],
}

export const agentTables: readonly Table[] = [
  inboundTable,
  inboxTable,
  inboundKeyTable,
  deliveryTable,
  outboxTable,
  mailTable,
  mailboxTable,
  bindingTable,
  contentTable,
  turnTable,
  modelCallTable,
  spentTable,
  spentDayTable,
  newestTable,
  grantTable,
  approvalTable,
  waitingApprovalsTable,
  updateTable,
  updatesShownTable,
  updateKeyTable,
  peekTable,
  runTable,
  forkTable,
  openForkTable,
  replyForkTable,
  numberedTable,
  sentTable,
  jobTable,
  firedTable,
  pauseTable,
  definitionProblemTable,
  noticeTable,
  openTable,
  budgetTable,
  pingTable,
  pingDeliveryTable,
  pingJobTable,
]
