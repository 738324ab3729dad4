import type { Call, Event, EventOf, Message, Outcome, Placed } from '../event/event.ts'
import type { BranchId, TurnId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { findBranch, type Branch } from './branch.ts'
import { changeable, header, isRefusal, type Decision, type Refusal } from './decision.ts'
import { headOf, lastMessage, messagesBack } from './message-index.ts'
import { callTable } from './tables.ts'

/** The calls of the branch's last step that have no result yet. */
export function openCalls(reader: Reader, branch: BranchId): readonly Call[] {
  const answered = new Set<string>()
  for (const { message } of messagesBack(reader, branch)) {
    if (message.role === 'tool') answered.add(message.call)
    else return message.role === 'assistant' ? message.calls.filter((call) => !answered.has(call.id)) : []
  }
  return []
}

export function isOpen(reader: Reader, branch: BranchId, call: string): boolean {
  return reader.row(callTable, [branch, call])?.is_open === 1
}

export function addMessage(
  reader: Reader,
  added: Placed & { readonly message: Message; readonly tokens: number },
): Decision<'message-added'> {
  const { message, tokens } = added
  const branch = findBranch(reader, added.branch)
  if (branch === undefined) return { refused: 'unknown-branch', branch: added.branch }
  if (branch.state.kind === 'ended') return { refused: 'branch-ended', reason: branch.state.reason }
  const refusal = misplaced(reader, branch, message)
  if (refusal !== undefined) return refusal
  const turn = branch.state.kind === 'running' ? branch.state.turn : null
  return { draft: { kind: 'message-added', ...header(added), turn, message, tokens } }
}

/** Why the message is not allowed here (CTX3); undefined if it is. */
function misplaced(reader: Reader, branch: Branch, message: Message): Refusal | undefined {
  const open = lastMessage(reader, branch.id)?.open ?? 0
  if (message.role === 'tool')
    return isOpen(reader, branch.id, message.call)
      ? undefined
      : { refused: 'no-such-call', call: message.call }
  if (open > 0) return { refused: 'calls-open', calls: open }
  if (message.role !== 'assistant') return undefined
  const ids = new Set<string>()
  const twice = message.calls.find(({ id }) => ids.size === ids.add(id).size)
  return twice && { refused: 'duplicate-call', call: twice.id }
}

export function startTurn(
  reader: Reader,
  act: Placed & Pick<EventOf<'turn-started'>, 'turn' | 'root'> & { continues?: TurnId | null },
): Decision<'turn-started'> {
  const { turn, continues = null, root } = act
  const branch = changeable(reader, act.branch)
  if (isRefusal(branch)) return branch
  if (branch.state.kind === 'running') return { refused: 'turn-running' }
  const head = headOf(reader, branch.id)
  const started = { turn, version: branch.version, head, continues, ...(root !== undefined && { root }) }
  return { draft: { kind: 'turn-started', ...header(act), ...started } }
}

export function endTurn(
  reader: Reader,
  { outcome, ...act }: Placed & { outcome: Outcome },
): Decision<'turn-ended'> {
  const branch = changeable(reader, act.branch)
  if (isRefusal(branch)) return branch
  if (branch.state.kind !== 'running') return { refused: 'no-turn' }
  return { draft: { kind: 'turn-ended', ...header(act), turn: branch.state.turn, outcome } }
}

/** For positions from the message table, which are always messages. */
export function messageOf(event: Event): Message {
  if (event.kind !== 'message-added')
    throw new TypeError(`event ${event.position} is no message but a '${event.kind}'`)
  return event.message
}
