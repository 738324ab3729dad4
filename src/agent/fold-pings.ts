import { refuse } from '../context/branch.ts'
import type { JobName } from '../event/job.ts'
import type { Event, EventOf } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Row, Writer } from '../event/table.ts'
import { budgetOf, jobOfPing, personPinged, pingAt, putOpen, openList } from './ledger.ts'
import { hasToken, newBudget, onDay, refilled, type Budget } from './ping-budget.ts'
import { budgetTable, pingDeliveryTable, pingJobTable, pingTable } from './tables.ts'

/** Folds the budgets and the ledger of pings. The log itself refuses what a budget does not have (PING1). */
export function foldPing(event: Event, writer: Writer): void {
  switch (event.kind) {
    case 'ping-decided':
      return decided(event, writer)
    case 'ping-settled':
      return settled(event, writer)
    case 'ping-answered':
      return answered(event, writer)
    case 'budget-set':
      return resize(event, writer)
    case 'delivery-done':
      return arrived(event, writer)
    default:
  }
}

function decided(event: EventOf<'ping-decided'>, writer: Writer): void {
  const { position, verdict, delivery, of } = event
  const person = personPinged(writer, event)
  if (of !== undefined) close(writer, of, { state: 'released' })
  const isOpen = verdict === 'held' || delivery !== null
  writer.put(pingTable, { person, position, state: verdict, delivery, answer: null })
  if (delivery !== null) writer.put(pingDeliveryTable, { delivery, ping: position, person })
  if (isOpen) putOpen(writer, 'pings', [...openList(writer, 'pings'), position])
  countBudget(event, writer)
  const job = jobOfPing(writer, event)
  if (verdict === 'sent' && job !== undefined) changeJob(writer, job, () => ({ last: position }))
}

function countBudget(event: EventOf<'ping-decided'>, writer: Writer): void {
  const { budget, at, because, verdict, of, isCritical } = event
  if (budget === undefined) return
  const { person, day, ...now } = budget
  const before = budgetOf(writer, person) ?? newBudget(now, { at, day })
  const read: Budget = { ...onDay(refilled(before, at), day), ...now }
  const takes = verdict === 'sent' && because === 'allowed'
  if (takes && !hasToken(read)) refuse(event, `the budget of ${person} has no token left`)
  const isCounted = isCritical && verdict !== 'refused' && of === undefined
  putBudget(writer, person, {
    ...read,
    available: takes ? read.available - 1 : read.available,
    used: read.used + (takes ? 1 : 0),
    critical: read.critical + (isCounted ? 1 : 0),
  })
}

/** Nobody got it, so it costs nothing (PING2). */
function settled(event: EventOf<'ping-settled'>, writer: Writer): void {
  const { ping, outcome, delivery, at } = event
  const decision = pingAt(writer, ping)
  if (!openList(writer, 'pings').includes(ping)) refuse(event, `the ping ${ping} is not on its way`)
  const person = personPinged(writer, decision)
  if (outcome === 'moved') {
    if (delivery === null) refuse(event, 'it does not say where the ping goes')
    writer.put(pingTable, { ...rowOf(writer, person, ping), delivery })
    return writer.put(pingDeliveryTable, { delivery, ping, person })
  }
  close(writer, ping, { state: outcome })
  const { budget, because, isCritical, verdict } = decision
  const state = budget && budgetOf(writer, budget.person)
  if (budget === undefined || state === undefined) return
  const isSameDay = state.day === budget.day
  const back = verdict === 'sent' && because === 'allowed' ? 1 : 0
  const now = refilled(state, at)
  putBudget(writer, budget.person, {
    ...now,
    available: Math.min(now.capacity, now.available + back),
    used: Math.max(0, now.used - (isSameDay ? back : 0)),
    critical: Math.max(0, now.critical - (isSameDay && isCritical ? 1 : 0)),
  })
}

function resize(event: EventOf<'budget-set'>, writer: Writer): void {
  const { person, capacity, refillMinutes, available, at } = event
  const before = budgetOf(writer, person)
  if (before === undefined || available > capacity) refuse(event, `${person} has no such budget`)
  putBudget(writer, person, { ...refilled(before, at), capacity, refillMinutes, available })
}

function arrived({ intent }: EventOf<'delivery-done'>, writer: Writer): void {
  const rows = writer.rows(pingDeliveryTable, { prefix: [intent], order: 'up', limit: ALL })
  for (const row of rows) {
    const ping = row['ping'] as Position
    close(writer, ping, { state: 'arrived' })
    const job = jobOfPing(writer, pingAt(writer, ping))
    if (job !== undefined) changeJob(writer, job, (now) => ({ arrived: (now['arrived'] as number) + 1 }))
  }
}

const ALL = Number.MAX_SAFE_INTEGER

function answered(event: EventOf<'ping-answered'>, writer: Writer): void {
  const { ping, answer } = event
  const decision = pingAt(writer, ping)
  const row = rowOf(writer, personPinged(writer, decision), ping)
  const isFirst = row['answer'] === null
  if (answer !== 'more') writer.put(pingTable, { ...row, answer })
  const job = jobOfPing(writer, decision)
  if (job === undefined) return
  changeJob(writer, job, (now) => ({
    answered: (now['answered'] as number) + (isFirst && answer !== 'more' ? 1 : 0),
    less: answer === 'more' ? 0 : (now['less'] as number) + (answer === 'less' ? 1 : 0),
  }))
}

/** It is on its way no more. */
function close(writer: Writer, ping: Position, change: { readonly state: string }): void {
  const person = personPinged(writer, pingAt(writer, ping))
  writer.put(pingTable, { ...rowOf(writer, person, ping), ...change })
  putOpen(
    writer,
    'pings',
    openList(writer, 'pings').filter((one) => one !== ping),
  )
}

function rowOf(writer: Writer, person: string, position: Position): Row {
  const known = writer.row(pingTable, [person, position])
  return known ?? { person, position, state: 'sent', delivery: null, answer: null }
}

function putBudget(writer: Writer, person: string, budget: Budget): void {
  writer.put(budgetTable, { person, budget: JSON.stringify(budget) })
}

function changeJob(writer: Writer, { what, job }: JobName, change: (row: Row) => Row): void {
  const row = writer.row(pingJobTable, [what, job]) ?? {
    what,
    job,
    arrived: 0,
    answered: 0,
    less: 0,
    last: null,
  }
  writer.put(pingJobTable, { ...row, ...change(row) })
}
