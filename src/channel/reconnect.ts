import type { Random } from '../base/random.ts'
import { ChannelError, type ChannelState } from './channel.ts'

export interface ReconnectSettings {
  /** How many attempts come quickly; the others follow every `maxMs`. */
  readonly tries: number
  readonly baseMs: number
  readonly maxMs: number
  readonly jitterMs: number
}

export interface Connection {
  /** Works as long as the connection does and calls `up` whenever it did; rejects with a ChannelError when it breaks. */
  readonly attend: (up: () => void) => Promise<void>
  readonly settings: ReconnectSettings
  readonly state: (state: ChannelState) => void
  readonly now: () => number
  readonly random: Random
  /** Rejects when the signal comes. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Attends to a connection and connects again when it breaks, for ever: until the signal comes. */
export async function keepConnected(connection: Connection, signal: AbortSignal): Promise<void> {
  const { attend, settings, state, now, random, sleep } = connection
  let failures = 0
  let since: number | null = null
  const up = (): void => {
    if (failures > 0 || since === null) state({ kind: 'up' })
    failures = 0
    since = now()
  }
  state({ kind: 'connecting' })
  while (!signal.aborted) {
    try {
      await attend(up)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof ChannelError)) throw error
      if (failures++ === 0) since = now()
      const waitMs = error.isFinal ? settings.maxMs : waitAfter(failures, settings)
      const delayMs = Math.max(waitMs, error.retryAfterMs ?? 0) + (random() / 2 ** 32) * settings.jitterMs
      // Something that a person has to mend is said at once; a short break of the network is not worth a word.
      const isClear = error.isFinal || error.retryAfterMs !== undefined || failures > settings.tries
      state(
        isClear
          ? { kind: 'down', why: error.message, since: since ?? now(), retryAt: now() + delayMs }
          : { kind: 'connecting' },
      )
      await sleep(delayMs, signal).catch(() => undefined)
    }
  }
}

function waitAfter(failures: number, { tries, baseMs, maxMs }: ReconnectSettings): number {
  return failures > tries ? maxMs : Math.min(baseMs * 2 ** (failures - 1), maxMs)
}
