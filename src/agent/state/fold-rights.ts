import { refuse } from '../../context/branch.ts'
import type { Event, EventOf } from '../../event/event.ts'
import { toJson, type Folds, type Writer } from '../../event/table.ts'
import { approvalNumbered, lastApprovalNumber, openNumbers, undoneNumbers } from './approvals.ts'
import { putNewest } from './newest.ts'
import { approvalTable, grantTable, waitingApprovalsTable, updateKeyTable, updateTable } from './tables.ts'

/** Folds what people allow, what waits for them, and what main is to be told. */
export const rightFolds: Folds = {
  'approval-asked': ask,
  'approval-decided': decide,
  'proposal-done': finish,
  'permission-granted': ({ pattern, fingerprint }, writer) =>
    writer.put(grantTable, { pattern, is_granted: 1, fingerprint }),
  'permission-revoked': ({ pattern }, writer) =>
    writer.put(grantTable, { pattern, is_granted: 0, fingerprint: null }),
  'memory-changed': (event, writer) => putNewest(writer, event, { what: 'memory' }),
  'update-reported': report,
  'turn-ended': closeCallApprovals,
  'branch-ended': closeCallApprovals,
}

function ask(event: EventOf<'approval-asked'>, writer: Writer): void {
  const { number, position } = event
  const next = lastApprovalNumber(writer) + 1
  if (number !== next) refuse(event, `approval ${number} is asked for, where ${next} comes next`)
  writer.put(approvalTable, { number, position, decided: null })
  putNumbers(writer, 'open', [...openNumbers(writer), number])
}

function decide(event: EventOf<'approval-decided'>, writer: Writer): void {
  const { number, position } = event
  const row = writer.row(approvalTable, [number])
  if (row === undefined) refuse(event, `approval ${number} was never asked for`)
  if (row.decided !== null) refuse(event, `approval ${number} was decided before`)
  writer.put(approvalTable, { ...row, decided: position })
  putNumbers(
    writer,
    'open',
    openNumbers(writer).filter((other) => other !== number),
  )
  if (event.verdict === 'approved') putNumbers(writer, 'undone', [...undoneNumbers(writer), number])
}

function finish(event: EventOf<'proposal-done'>, writer: Writer): void {
  const undone = undoneNumbers(writer)
  if (!undone.includes(event.number)) refuse(event, `approval ${event.number} is not to be carried out`)
  putNumbers(
    writer,
    'undone',
    undone.filter((other) => other !== event.number),
  )
}

/** A call waits no longer than its turn, and a branch has one turn at a time. */
function closeCallApprovals({ branch }: Event, writer: Writer): void {
  const open = openNumbers(writer)
  if (open.length === 0) return
  const left = open.filter((number) => {
    const asked = approvalNumbered(writer, number)?.asked
    return asked?.wish.kind !== 'call' || asked.branch !== branch
  })
  if (left.length !== open.length) putNumbers(writer, 'open', left)
}

function putNumbers(writer: Writer, what: 'open' | 'undone', numbers: readonly number[]): void {
  writer.put(waitingApprovalsTable, { what, numbers: toJson(numbers) })
}

function report(event: EventOf<'update-reported'>, writer: Writer): void {
  const { branch, position, key } = event
  if (key !== null) {
    if (writer.row(updateKeyTable, [key]) !== undefined) refuse(event, `'${key}' was handed in before`)
    writer.put(updateKeyTable, { key, position })
  }
  writer.put(updateTable, { branch, position, settled: null })
}
