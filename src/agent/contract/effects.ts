import type { BranchId } from '../../event/id.ts'

/** What follows from something that is durable now. */
export interface Effects {
  /** These branches may have something to do. */
  wake(branches: readonly BranchId[]): void
  /** What these branches do right now is stopped; they have ended already. */
  abort(branches: readonly BranchId[]): void
  /** There may be something to send. */
  deliver(): void
  /** A turn ended: the context may be too long now. */
  tidy(branch: BranchId): void
  /** Sums up what is old in front of an answer. */
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
