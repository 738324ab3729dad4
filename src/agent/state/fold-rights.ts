import { refuse } from '../../context/branch.ts'
import type { Event, EventOf } from '../../event/event.ts'
import { allRows, type Folds, type Writer } from '../../event/table.ts'
import { approvalNumbered, lastApprovalNumber } from './approvals.ts'
import { OWNER } from '../../event/speaker.ts'
import { addOpen, dropOpen, openList } from './ledger.ts'
import { aboutPerson, putNewest } from './newest.ts'
import { personIn } from './person.ts'
import { approvalTable, grantTable, personTable, updateKeyTable, updateTable } from './tables.ts'

/** Folds grants, approvals and updates for main. */
export const rightFolds: Folds = {
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
