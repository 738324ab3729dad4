import { constants } from 'node:os'
import { openLife, type Life, type LifeOptions } from '../../runtime/life/life.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import { Seats } from '../../runtime/terminal/seats.ts'
import type { TalkOptions } from '../frame/command-line.ts'
import type { Happening } from '../../event/happening.ts'
import type { World } from '../frame/command.ts'

/** `mainstem` without a command. */
export interface TalkCall extends TalkOptions, World {
  readonly home: string
}

/** What the command gives to its life, and what to do before the life is closed. */
export interface Company extends Pick<LifeOptions, 'command' | 'serversMs' | 'schedules'> {
  /** Besides the seats. */
  readonly watch?: (happening: Happening) => void
  /** Left out: the screens are told. */
  readonly warn?: LifeOptions['warn']
  /** Before the life is closed, whatever the reason. */
  readonly close: () => void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Opens a life, works with it until the work is done or a signal comes, and closes it in any case: what is unfinished
 * goes on at the next start. Resolves with the exit code.
 */
export async function live(
  { home, environment, input, flags }: Pick<TalkCall, 'home' | 'environment' | 'input' | 'flags'>,
  makeCompany: (seats: Seats, fail: (error: unknown) => void) => Company,
  work: (life: Life, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const ending = new AbortController()
  const { signal } = ending
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => ending.abort())
  const seats = new Seats(failed.reject)
  const { close, watch, ...own } = makeCompany(seats, failed.reject)
  const stopListening = onSignals((name) => ending.abort(name))
  try {
    const place = { home, conversation: terminalAddress, fail: failed.reject }
    const { company } = seats
    const watchAll = (happening: Happening): void => {
      company.watch(happening)
      watch?.(happening)
    }
    const life = await openLife({ ...place, environment, flags, ...company, ...own, watch: watchAll })
    seats.open(life)
    const code = await ended(life, close, Promise.race([work(life, signal), failed.promise, abortOf(signal)]))
    return codeOf(signal) ?? code
  } finally {
    stopListening()
    // An input that stays open would keep the process alive.
    input.destroy()
  }
}

/** The result of the work, after closing the life. Of two failures the first one counts. */
async function ended(life: Life, close: () => void, work: Promise<number>): Promise<number> {
  try {
    const code = await work
    close()
    await life.close()
    return code
  } catch (error) {
    close()
    await life.close().catch(() => undefined)
    throw error
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
