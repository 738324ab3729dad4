import { getBranch, lineOf, refuse } from '../../context/branch.ts'
import { originsOf } from '../../context/origin.ts'
import type { Event, EventOf } from '../../event/event.ts'
import { outsideFences } from '../../event/fence.ts'
import { saidWith } from '../../event/file.ts'
import { allRows, type Folds, type Reader, type Writer } from '../../event/table.ts'
import { approvalNumbered, lastApprovalNumber } from './approvals.ts'
import { OWNER } from '../../event/speaker.ts'
import { addressesOf } from '../../tool/web/web-address.ts'
import { addOpen, dropOpen, openList } from './ledger.ts'
import { aboutPerson, importedTo, putNewest } from './newest.ts'
import { personIn } from './person.ts'
import {
  approvalTable,
  composedTable,
  givenTable,
  grantTable,
  personTable,
  updateKeyTable,
  updateTable,
} from './tables.ts'

/** Folds grants, approvals and updates for main. */
export const rightFolds: Folds = {
  'message-added': give,
  'call-decided': ({ branch, position, because, subject }, writer) => {
    if (because !== 'composed') return
    // A run reports what its children were refused, too.
    for (const { id } of lineOf(writer, getBranch(writer, branch)))
      writer.put(composedTable, { branch: id, position, subject })
  },
  'approval-asked': ask,
  'approval-decided': decide,
  'proposal-done': finish,
  'permission-granted': ({ branch, pattern, fingerprint }, writer) =>
    writer.put(grantTable, { person: personIn(writer, branch), pattern, is_granted: 1, fingerprint }),
  'permission-revoked': ({ branch, pattern }, writer) =>
    writer.put(grantTable, { person: personIn(writer, branch), pattern, is_granted: 0, fingerprint: null }),
  'memory-changed': (event, writer) =>
    putNewest(writer, event, { what: 'memory', about: aboutPerson(event.person) }),
  'update-reported': report,
  'turn-ended': closeCallApprovals,
  'branch-ended': closeCallApprovals,
  'import-closed': closeImport,
}

function give(event: EventOf<'message-added'>, writer: Writer): void {
  const { branch, position, message } = event
  const isMadeUp = message.role === 'tool' && message.isMadeUp === true
  for (const href of addressesIn(event, writer)) {
    const { host } = new URL(href)
    const before = isMadeUp ? writer.row(givenTable, [branch, host, href]) : undefined
    // What somebody gave stays given, whatever a made-up page repeats; an import gave nothing.
    if (before?.is_made_up === 0 && before.position > importedTo(writer)) continue
    writer.put(givenTable, { branch, host, href, position, is_made_up: isMadeUp ? 1 : 0 })
  }
}

/** In what a person said or a job's file says, and those that a page or a search offers. */
function addressesIn(event: EventOf<'message-added'>, reader: Reader): readonly string[] {
  const { message } = event
  if (message.role === 'tool') return message.links ?? []
  if (message.role !== 'user' || !originsOf(reader, event).includes('person')) return []
  return addressesOf(outsideFences(saidWith(message)), 'bare')
}

function ask(event: EventOf<'approval-asked'>, writer: Writer): void {
  const { number, position } = event
  const next = lastApprovalNumber(writer) + 1
  if (number !== next) refuse(event, `approval ${number} is asked for, where ${next} comes next`)
  writer.put(approvalTable, { number, position, decided: null })
  addOpen(writer, 'approvals', number)
}

function decide(event: EventOf<'approval-decided'>, writer: Writer): void {
  const { number, position } = event
  const row = writer.row(approvalTable, [number])
  if (row === undefined) refuse(event, `approval ${number} was never asked for`)
  if (row.decided !== null) refuse(event, `approval ${number} was decided before`)
  writer.put(approvalTable, { ...row, decided: position })
  dropOpen(writer, 'approvals', (other) => other === number)
  if (event.verdict === 'approved') addOpen(writer, 'undone', number)
}

function finish(event: EventOf<'proposal-done'>, writer: Writer): void {
  const { number } = event
  if (!openList(writer, 'undone').includes(number))
    refuse(event, `approval ${number} is not to be carried out`)
  dropOpen(writer, 'undone', (other) => other === number)
}

/** A call's approval ends with its turn, and a branch has one turn at a time. */
function closeCallApprovals({ branch }: Event, writer: Writer): void {
  dropOpen(writer, 'approvals', (number) => {
    const question = approvalNumbered(writer, number)?.request
    return question?.wish.kind === 'call' && question.branch === branch
  })
}

function report(event: EventOf<'update-reported'>, writer: Writer): void {
  const { branch, position, key } = event
  if (key !== null) {
    if (writer.row(updateKeyTable, [key]) !== undefined) refuse(event, `'${key}' was handed in before`)
    writer.put(updateKeyTable, { key, position })
  }
  writer.put(updateTable, { branch, position, settled: null })
}

/** An import grants nothing, and nothing in it waits for a yes or was approved (SAFE5). */
function closeImport(_: Event, writer: Writer): void {
  const guests = [...allRows(writer, personTable, { prefix: [] })].map(({ person }) => person)
  for (const person of [OWNER, ...guests])
    for (const grant of allRows(writer, grantTable, { prefix: [person] }))
      writer.put(grantTable, { ...grant, is_granted: 0, fingerprint: null })
  for (const what of ['approvals', 'undone'] as const) dropOpen(writer, what, () => true)
}
