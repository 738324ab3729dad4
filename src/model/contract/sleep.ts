import { ModelError } from './model.ts'

/** Resolves after so many milliseconds; aborting `signal` rejects with reason `aborted` at once. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

export const systemSleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(new ModelError('aborted', 'the call was stopped while it waited'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
