import type { Author, DraftOf, EndReason, Kind, Placed } from '../event/event.ts'
import type { BranchId, Position } from '../event/id.ts'
import type { Mark } from '../event/item.ts'
import type { Reader } from '../event/table.ts'
import { findBranch, type Branch } from './branch.ts'
import { lastMessage } from './message-index.ts'

/** An expected "no": nothing changes, and the caller can say why. */
export type Refusal =
  | { readonly refused: 'unknown-branch'; readonly branch: BranchId }
  | { readonly refused: 'branch-ended'; readonly reason: EndReason }
  | { readonly refused: 'turn-running' }
  | { readonly refused: 'no-turn' }
  | { readonly refused: 'calls-open'; readonly calls: number }
  | { readonly refused: 'no-such-call'; readonly call: string }
  | { readonly refused: 'duplicate-call'; readonly call: string }
  | { readonly refused: 'unknown-mark'; readonly name: string; readonly marks: readonly Mark[] }
  | { readonly refused: 'no-message'; readonly place: number }
  | { readonly refused: 'already-there'; readonly mark: Mark; readonly before: Mark | null }
  /** What was said last is under a summary, or something else came into the context after it. */
  | { readonly refused: 'summarised' | 'went-on' }
  /** `what` was asked for: `Nothing to undo here.` and the like. */
  | { readonly refused: 'nothing-to-do'; readonly what: (typeof acts)[number] }

const acts = ['rewind', 'clear', 'undo', 'redo', 'expand', 'compact', 'save', 'fork'] as const

export type Decision<K extends Kind> = { readonly draft: DraftOf<K> } | Refusal

export function isRefusal(value: object): value is Refusal {
  return 'refused' in value
}

/** Who decides, where and when: common to all acts. */
export interface Act extends Placed {
  readonly author: Author
  /** What a person's act goes back to; a model's goes back to what its branch works for now. */
  readonly root?: Position
}

/** The branch if its context may be changed now: it has not ended, and no call waits for its result. */
export function changeable(reader: Reader, id: BranchId): Branch | Refusal {
  const branch = findBranch(reader, id)
  if (branch === undefined) return { refused: 'unknown-branch', branch: id }
  if (branch.state.kind === 'ended') return { refused: 'branch-ended', reason: branch.state.reason }
  const calls = lastMessage(reader, id)?.open ?? 0
  return calls > 0 ? { refused: 'calls-open', calls } : branch
}

/** As `changeable`, for acts of a person or a policy between turns. */
export function changeableBetweenTurns(reader: Reader, id: BranchId): Branch | Refusal {
  const branch = changeable(reader, id)
  return !isRefusal(branch) && branch.state.kind === 'running' ? { refused: 'turn-running' } : branch
}

/** The fields that every event of an act begins with. */
export function header({ branch, at }: Placed): Placed {
  return { branch, at }
}
