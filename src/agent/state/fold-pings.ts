import { refuse } from '../../context/branch.ts'
import type { JobName } from '../../event/job.ts'
import type { EventOf } from '../../event/event.ts'
import type { Position } from '../../event/id.ts'
import { toJson, type Folds, type RowOf, type Writer } from '../../event/table.ts'
import {
  addOpen,
  budgetOf,
  dropOpen,
  jobOfPing,
  ledgerOf,
  openList,
  personPinged,
  pingAt,
  pingRow,
  pingsIn,
  pingsOfJob,
  type PingDecided,
} from './ledger.ts'
import * as budgets from './ping-budget.ts'
import type { Budget } from './ping-budget.ts'
import { budgetTable, pingDeliveryTable, pingJobTable, pingTable, type PingState } from './tables.ts'

/** Folds the ping budgets and the ledger. The log itself refuses pings that exceed a budget (PING1). */
export const pingFolds: Folds = {
  'ping-decided': decided,
  'ping-settled': settled,
  'ping-answered': answered,
  'budget-set': resize,
  'delivery-done': arrived,
  'delivery-failed': failed,
  'import-closed': ({ at }, writer) => {
    for (const ping of openList(writer, 'pings')) lose(pingAt(writer, ping), { state: 'expired', at }, writer)
  },
}

function decided(event: PingDecided, writer: Writer): void {
  const { position, verdict, delivery, of, because } = event
  const person = personPinged(writer, event)
  if (of !== undefined) release(event, of, writer)
  writer.put(pingTable, { person, position, state: verdict, delivery, answer: null })
  if (delivery !== null) writer.put(pingDeliveryTable, { delivery, ping: position, person })
  if (verdict !== 'refused') addOpen(writer, 'pings', position)
  countBudget(event, writer)
  const job = jobOfPing(writer, event)
  // Pings that the person asked for do not delay unasked ones.
  if (verdict === 'sent' && because !== 'asked' && job !== undefined)
    changeJob(writer, job, () => ({ last: position }))
}

/** Decides a held ping. */
function release(event: PingDecided, of: Position, writer: Writer): void {
  const isHeld = openList(writer, 'pings').includes(of) && pingAt(writer, of).verdict === 'held'
  if (!isHeld) refuse(event, `nothing is held that was decided at ${of}`)
  close(writer, of, { state: 'released' })
}

/** The log tracks the budget itself: it refuses an event that claims there was more (PING1). */
function countBudget(event: PingDecided, writer: Writer): void {
  const { budget, at, because, verdict, of, isCritical } = event
  const takes = verdict === 'sent' && because === 'allowed'
  // Earlier releases did not write a budget, nor do pings that a person asked for.
  if (budget === undefined) return
  const { person, day, ...said } = budget
  const known = budgetOf(writer, person) ?? budgets.newBudget(said, { at, day })
  const read = budgets.onDay(budgets.resized(known, said, at), day)
  if (said.available > read.available) refuse(event, `the budget of ${person} has only ${read.available}`)
  if (takes && !budgets.hasToken(said)) refuse(event, `the budget of ${person} has no token left`)
  const isCounted = isCritical && verdict !== 'refused' && of === undefined
  const now: Budget = {
    ...read,
    available: said.available,
    since: read.day === known.day ? read.since : event.position,
    critical: read.critical + (isCounted ? 1 : 0),
  }
  putBudget(writer, person, takes ? budgets.taken(now, event.position) : now)
}

function settled(event: EventOf<'ping-settled'>, writer: Writer): void {
  const { ping, outcome, delivery } = event
  if (!openList(writer, 'pings').includes(ping)) refuse(event, `the ping ${ping} is not on its way`)
  const decision = pingAt(writer, ping)
  const person = personPinged(writer, decision)
  if (outcome === 'moved') {
    if (delivery === null) refuse(event, 'it does not say where the ping goes')
    writer.put(pingTable, { ...pingRow(writer, ping), delivery })
    return writer.put(pingDeliveryTable, { delivery, ping, person })
  }
  lose(decision, { state: outcome, at: event.at }, writer)
}

/** Earlier releases did not settle the pings of a delivery. */
function failed({ intent, at }: EventOf<'delivery-failed'>, writer: Writer): void {
  for (const ping of pingsIn(writer, intent)) {
    const isThere = openList(writer, 'pings').includes(ping) && pingRow(writer, ping).delivery === intent
    if (isThere) lose(pingAt(writer, ping), { state: 'failed', at }, writer)
  }
}

/** Nobody got the ping, so it costs nothing (PING2). */
function lose(
  decision: PingDecided,
  { state, at }: { readonly state: 'failed' | 'expired'; readonly at: number },
  writer: Writer,
): void {
  const { position, of: held } = decision
  close(writer, position, { state })
  if (held !== undefined && pingRow(writer, held).state === 'released') close(writer, held, { state })
  giveBack(decision, at, writer)
  forgetLast(decision, writer)
}

function giveBack(decision: PingDecided, at: number, writer: Writer): void {
  const { position, budget, because, verdict, of } = decision
  const state = budget && budgetOf(writer, budget.person)
  if (budget === undefined || state === undefined) return
  const isUsed = verdict === 'sent' && because === 'allowed' && position >= state.since
  // A critical ping was counted when it was held.
  const isCritical = decision.isCritical && (of ?? position) >= state.since
  const now = budgets.givenBack(budgets.refilled(state, at), position)
  putBudget(writer, budget.person, {
    ...now,
    used: Math.max(0, now.used - (isUsed ? 1 : 0)),
    critical: Math.max(0, now.critical - (isCritical ? 1 : 0)),
  })
}

/** How far back a job's previous ping is looked for. */
const LOOK_BACK = 200

/** Makes the ping before this one the job's last again. */
function forgetLast(decision: PingDecided, writer: Writer): void {
  const job = jobOfPing(writer, decision)
  const pings = job && pingsOfJob(writer, job)
  if (job === undefined || pings?.last !== decision.position) return
  const person = personPinged(writer, decision)
  const before = ledgerOf(writer, person, { limit: LOOK_BACK }).find(({ decision: other, state }) => {
    const isIts = isSameJob(jobOfPing(writer, other), job)
    return isIts && other.because !== 'asked' && (state === 'sent' || state === 'arrived')
  })
  changeJob(writer, job, () => ({ last: before?.decision.position ?? null }))
}

function isSameJob(one: JobName | undefined, { what, job }: JobName): boolean {
  return one?.what === what && one.job === job
}

function resize(event: EventOf<'budget-set'>, writer: Writer): void {
  const { person, capacity, refillMinutes, available, at } = event
  const before = budgetOf(writer, person) ?? budgets.newBudget(event, { at, day: NO_DAY })
  const most = budgets.resized(before, { capacity, refillMinutes }, at)
  if (available > most.available) refuse(event, `another size grants nothing, and ${most.available} is left`)
  putBudget(writer, person, { ...most, available })
}

/** Before any other, so that the first ping begins the count of its day. */
const NO_DAY = '1970-01-01'

function arrived({ intent }: EventOf<'delivery-done'>, writer: Writer): void {
  for (const ping of pingsIn(writer, intent)) {
    // A ping settled as undelivered got its token back; if it arrives after all, that changes nothing.
    if (!openList(writer, 'pings').includes(ping)) continue
    close(writer, ping, { state: 'arrived' })
    keepToken(writer, pingAt(writer, ping))
    const job = jobOfPing(writer, pingAt(writer, ping))
    if (job !== undefined) changeJob(writer, job, (now) => ({ arrived: now.arrived + 1 }))
  }
}

function keepToken(writer: Writer, { budget, position }: PingDecided): void {
  const state = budget && budgetOf(writer, budget.person)
  if (budget !== undefined && state !== undefined)
    putBudget(writer, budget.person, budgets.kept(state, position))
}

function answered(event: EventOf<'ping-answered'>, writer: Writer): void {
  const { ping, answer } = event
  if (ping >= event.position) refuse(event, `nothing was decided at ${ping}`)
  const decision = pingAt(writer, ping)
  const row = pingRow(writer, ping)
  const isFirst = row.answer === null
  if (answer !== 'more') writer.put(pingTable, { ...row, answer })
  const job = jobOfPing(writer, decision)
  if (job === undefined) return
  changeJob(writer, job, (now) => ({
    answered: now.answered + (isFirst && answer !== 'more' ? 1 : 0),
    less: answer === 'more' ? 0 : now.less + (answer === 'less' ? 1 : 0),
  }))
}

/** The ping is no longer on its way. */
function close(writer: Writer, ping: Position, change: { readonly state: PingState }): void {
  writer.put(pingTable, { ...pingRow(writer, ping), ...change })
  dropOpen(writer, 'pings', (one) => one === ping)
}

function putBudget(writer: Writer, person: string, budget: Budget): void {
  writer.put(budgetTable, { person, budget: toJson(budget) })
}

type JobRow = RowOf<typeof pingJobTable>

const NO_PINGS = { arrived: 0, answered: 0, less: 0, last: null }

function changeJob(writer: Writer, { what, job }: JobName, change: (row: JobRow) => Partial<JobRow>): void {
  const row = writer.row(pingJobTable, [what, job]) ?? { what, job, ...NO_PINGS }
  writer.put(pingJobTable, { ...row, ...change(row) })
}
