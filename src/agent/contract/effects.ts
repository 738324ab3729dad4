import type { BranchId } from '../../event/id.ts'

/** What the agent does once events are durable. */
export interface Effects {
  /** These branches may have something to do. */
  wake(branches: readonly BranchId[]): void
  /** Stops what these branches do right now; they have ended already. */
  abort(branches: readonly BranchId[]): void
  /** There may be something to send. */
  deliver(): void
  /** A turn ended: the context may be too long now. */
  tidy(branch: BranchId): void
  /** Sums up old messages before an answer that would not fit otherwise. */
  makeRoom(wish: RoomWish): Promise<RoomMade>
}

export interface RoomWish {
  readonly branch: BranchId
  /** `too-large`: the prompt does not fit, or the model said so. `too-many`: it has more messages than it may have. */
  readonly because: 'too-large' | 'too-many'
  /** Of the turn that waits. */
  readonly tail: Tail
  readonly signal: AbortSignal
}

/** What one turn alone shows. */
export type Tail = { readonly text: string } | null

/** `found`: what was on its way already is done now; more can be made if that is not enough. */
export type RoomMade = 'made' | 'found' | 'none'
