import { createHash } from 'node:crypto'
import { admittedBefore } from '../../agent/state/inbox.ts'
import { ChannelError, type Channel, type Outgoing } from '../../channel/channel.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import type { Log } from '../../log/log.ts'

/** The one conversation of programs that ask over HTTP. Each request is a thread of its own. */
export const programAddress: Address = { channel: 'v1', conversation: 'programs' }

/** So many requests are remembered after their answer, until it is also settled in the outbox. */
const REMEMBERED_MAX = 1_000

/**
 * Requests of programs. They take their answers from the log, so nothing is sent here: a delivery is done if its client
 * waited for it, and set aside if the client went away.
 */
export class ProgramChannel {
  readonly #log: Pick<Log, 'read'>
  /** How many clients wait for the answer to a key, or got it. */
  readonly #clients = new Map<string, number>()
  readonly #keys = new Map<string, { readonly at: number; readonly key: Promise<string> }>()

  constructor(log: Pick<Log, 'read'>) {
    this.#log = log
  }

  readonly channel: Channel = {
    name: programAddress.channel,
    canAsk: false,
    start: async () => undefined,
    stop: async () => undefined,
    send: async ({ id }) => {
      const key = await this.#log.read((reader) => keyOf(reader, id))
      if (key === undefined || !this.#clients.has(key))
        throw new ChannelError('no program waits for it', { isFinal: true })
      return null
    },
  }

  /** The returned function says that the client went away before its answer came. */
  wait(key: string): () => void {
    const [oldest] = this.#clients.size < REMEMBERED_MAX ? [] : this.#clients.keys()
    if (oldest !== undefined) this.#clients.delete(oldest)
    this.#clients.set(key, (this.#clients.get(key) ?? 0) + 1)
    return () => {
      const left = (this.#clients.get(key) ?? 1) - 1
      if (left > 0) this.#clients.set(key, left)
      else this.#clients.delete(key)
    }
  }

  /** The key of a request: the same for the same words within `ttlMs`, also after a restart. */
  keyFor(words: string, { now, ttlMs }: { readonly now: number; readonly ttlMs: number }): Promise<string> {
    for (const [hash, { at }] of this.#keys) if (Math.abs(now - at) >= ttlMs) this.#keys.delete(hash)
    const hash = createHash('sha256').update(words).digest('base64url')
    const known = this.#keys.get(hash)
    if (known !== undefined) return known.key
    const key = this.#log.read((reader) => recentKey(reader, hash, { now, ttlMs }))
    this.#keys.set(hash, { at: now, key })
    return key
  }
}

/** A key names the stretch of time it was made in, so it is found again in this one or the one before. */
function recentKey(reader: Reader, hash: string, { now, ttlMs }: { now: number; ttlMs: number }): string {
  const stretch = Math.floor(now / Math.max(1, ttlMs))
  const before = `${hash}-${stretch - 1}`
  const first = admittedBefore(reader, programAddress, before)
  const isRecent = first !== undefined && now - reader.event(first).at < ttlMs
  return isRecent ? before : `${hash}-${stretch}`
}

function keyOf(reader: Reader, id: Outgoing['id']): string | undefined {
  const { cause } = reader.event(id) as EventOf<'delivery-intended'>
  const asked = cause === undefined ? undefined : reader.event(cause)
  const source = asked?.kind === 'inbound-admitted' ? asked.source : undefined
  return source?.from === 'person' ? (source.key ?? undefined) : undefined
}
