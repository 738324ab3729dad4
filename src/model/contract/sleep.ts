import timers from 'node:timers/promises'
import { ModelError } from './model.ts'

/** Resolves after so many milliseconds; aborting `signal` rejects with reason `aborted` at once. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const systemSleep: Sleep = async (ms, signal) => {
  try {
    await timers.setTimeout(ms, undefined, { signal })
  } catch (cause) {
    throw new ModelError('aborted', 'The call was stopped while it waited.', { cause })
  }
}
