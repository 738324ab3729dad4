/** What Ctrl-C means now. */
export type Interrupt = 'stop' | 'clear' | 'warn' | 'leave'

export const WARNING = 'Press Ctrl-C again to leave.'
export const WARNED_MS = 2_000

export function interruptNow(state: {
  readonly isTurnRunning: boolean
  readonly isTextEmpty: boolean
  /** When the person was last warned. */
  readonly warnedAt: number | null
  readonly now: number
}): Interrupt {
  if (state.isTurnRunning) return 'stop'
  if (!state.isTextEmpty) return 'clear'
  return state.warnedAt !== null && state.now - state.warnedAt <= WARNED_MS ? 'leave' : 'warn'
}
