import type { BranchId, TurnId } from './id.ts'

/** Something an agent does right now, for people who watch it. It is not stored: the log has what matters. */
export type Happening =
  | { readonly kind: 'turn-started'; readonly branch: BranchId; readonly turn: TurnId; readonly at: number }
  | { readonly kind: 'piece'; readonly branch: BranchId; readonly turn: TurnId; readonly text: string }
  | { readonly kind: 'pieces-void'; readonly branch: BranchId; readonly turn: TurnId }
  /** The model failed, and is called again after a wait. The pieces so far are void. */
  | {
      readonly kind: 'retry-planned'
      readonly branch: BranchId
      readonly turn: TurnId
      readonly tries: number
      readonly waitMs: number
      readonly because: string
      /** The same in a word, as `model-failed` has it. */
      readonly reason: string
    }
  | { readonly kind: 'call-started'; readonly branch: BranchId; readonly tool: string; readonly args: string }
  | {
      readonly kind: 'call-ended'
      readonly branch: BranchId
      readonly tool: string
      readonly args: string
      readonly text: string
      readonly isError: boolean
    }
  | { readonly kind: 'turn-ended'; readonly branch: BranchId; readonly turn: TurnId }
  /** The log has new events: status lines redraw, and waits look again. */
  | { readonly kind: 'changed' }
