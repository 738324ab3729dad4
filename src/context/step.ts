import type { Call, DraftOf, Event, Message } from '../event/event.ts'
import type { BranchId, TurnId } from '../event/id.ts'
import type { Reader } from '../event/table.ts'
import { findBranch, type Branch } from './branch.ts'
import { changeable, header, isRefusal, type Act, type Decision, type Refusal } from './decision.ts'
import { headOf, lastMessage, messagesBack } from './message-index.ts'

/** The calls of the branch's last step that have no result yet. */
export function openCalls(reader: Reader, branch: BranchId): readonly Call[] {
  const answered = new Set<string>()
  for (const { message } of messagesBack(reader, branch)) {
    if (message.role === 'tool') answered.add(message.call)
    else return message.role === 'assistant' ? message.calls.filter((call) => !answered.has(call.id)) : []
  }
  return []
}

export interface NewMessage {
  readonly branch: BranchId
  readonly at: number
  readonly message: Message
  readonly tokens: number
}

export function addMessage(reader: Reader, added: NewMessage): Decision<'message-added'> {
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
  if (message.role === 'tool') {
    const waits = open > 0 && openCalls(reader, branch.id).some((call) => call.id === message.call)
    return waits ? undefined : { refused: 'no-such-call', call: message.call }
  }
  if (open > 0) return { refused: 'calls-open', calls: open }
  if (message.role !== 'assistant') return undefined
  const twice = message.calls.find(
    (call, index) => message.calls.findIndex((other) => other.id === call.id) < index,
  )
  return twice && { refused: 'duplicate-call', call: twice.id }
}

export function startTurn(
  reader: Reader,
  act: Pick<Act, 'branch' | 'at'> & { turn: TurnId; continues?: TurnId | null },
): Decision<'turn-started'> {
  const { turn, continues = null } = act
  const branch = changeable(reader, act.branch)
  if (isRefusal(branch)) return branch
  if (branch.state.kind === 'running') return { refused: 'turn-running' }
  const head = headOf(reader, branch.id)
  return { draft: { kind: 'turn-started', ...header(act), turn, version: branch.version, head, continues } }
}

export function endTurn(
  reader: Reader,
  { outcome, ...act }: Pick<Act, 'branch' | 'at'> & { outcome: DraftOf<'turn-ended'>['outcome'] },
): Decision<'turn-ended'> {
  const branch = changeable(reader, act.branch)
  if (isRefusal(branch)) return branch
  if (branch.state.kind !== 'running') return { refused: 'no-turn' }
  return { draft: { kind: 'turn-ended', ...header(act), turn: branch.state.turn, outcome } }
}

/**
 * Written by a restart for a branch that died within a step or a turn: a result for every call without one, and the end
 * of the turn. The caller decides whether the work continues.
 */
export function recover(
  reader: Reader,
  act: Pick<Act, 'branch' | 'at'> & { text: string; tokens: number },
): { readonly drafts: readonly DraftOf<'message-added' | 'turn-ended'>[] } | Refusal {
  const branch = findBranch(reader, act.branch)
  if (branch === undefined) return { refused: 'unknown-branch', branch: act.branch }
  if (branch.state.kind === 'ended') return { refused: 'branch-ended', reason: branch.state.reason }
  const turn = branch.state.kind === 'running' ? branch.state.turn : null
  const results = openCalls(reader, branch.id).map((call): DraftOf<'message-added'> => {
    const message = {
      role: 'tool',
      call: call.id,
      tool: call.tool,
      text: act.text,
      synthetic: 'interrupted',
    } as const
    return { kind: 'message-added', ...header(act), turn, message, tokens: act.tokens }
  })
  if (turn !== null)
    return { drafts: [...results, { kind: 'turn-ended', ...header(act), turn, outcome: 'interrupted' }] }
  return results.length > 0 ? { drafts: results } : { refused: 'nothing-to-do', what: 'recover' }
}

/** For positions from the message table, which are always messages. */
export function messageOf(event: Event): Message {
  if (event.kind !== 'message-added')
    throw new TypeError(`event ${event.position} is no message but a '${event.kind}'`)
  return event.message
}
