import type { BranchId } from '../event/id.ts'

/** What follows from something that is durable now. */
export interface Hands {
  /** These branches may have something to do. */
  wake(branches: readonly BranchId[]): void
  /** What these branches do right now is stopped; they have ended already. */
  abort(branches: readonly BranchId[]): void
  /** There may be something to send. */
  deliver(): void
  /** A turn ended: the context may be too long now. */
  tidy(branch: BranchId): void
  /** A prompt does not fit: sums up what is old, and says whether there is more room now. */
  makeRoom(branch: BranchId, signal: AbortSignal): Promise<boolean>
}
