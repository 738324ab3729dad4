import { constants } from 'node:os'
import type { TalkOptions } from '../frame/command-line.ts'
import type { World } from '../frame/command.ts'

/** `mainstem` without a command. */
export interface TalkCall extends TalkOptions, World {
  readonly home: string
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface Ending {
  /** Aborted by a signal of the system, or by a failure. */
  readonly signal: AbortSignal
  /** A bug or a broken disk: the work cannot go on. */
  readonly fail: (error: unknown) => void
  /** What to do at the end, whatever the reason; the last one first. */
  readonly onEnd: (close: () => Promise<void>) => void
}

/** Works until that is done, fails or a signal comes. Resolves with the exit code. */
export async function untilEnded(
  input: TalkCall['input'],
  work: (ending: Ending) => Promise<number>,
): Promise<number> {
  const ending = new AbortController()
  const { signal } = ending
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => ending.abort())
  const stopListening = onSignals((name) => ending.abort(name))
  const closing = new AsyncDisposableStack()
  const onEnd = (close: () => Promise<void>): void => {
    // The end came while it was opened.
    if (closing.disposed) void close()
    else closing.defer(close)
  }
  try {
    const worked = work({ signal, fail: failed.reject, onEnd })
    const code = await Promise.race([worked, failed.promise, abortOf(signal)])
    await closing.disposeAsync()
    return codeOf(signal) ?? code
  } catch (error) {
    // Of two failures the first one counts.
    await closing.disposeAsync().catch(() => undefined)
    throw error
  } finally {
    stopListening()
    // An input that stays open would keep the process alive.
    input.destroy()
  }
}

/** Work may be stuck where no signal reaches it, as in writing to a pipe that nobody reads. */
function abortOf(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(1), { once: true }))
}

/**
 * The second one ends the process at once. They stay listened to: whoever else listens and finds itself alone, as what
 * restores a terminal does, ends the process itself.
 */
function onSignals(listener: (name: NodeJS.Signals) => void): () => void {
  let isSecond = false
  const heard = (name: NodeJS.Signals): void => {
    if (isSecond) process.exit(128 + constants.signals[name])
    isSecond = true
    listener(name)
  }
  for (const name of SIGNALS) process.on(name, heard)
  return () => {
    for (const name of SIGNALS) process.off(name, heard)
  }
}

function codeOf({ aborted, reason }: AbortSignal): number | undefined {
  const name = SIGNALS.find((known) => aborted && known === reason)
  return name === undefined ? undefined : 128 + constants.signals[name]
}
