import { createHash } from 'node:crypto'
import { admittedBefore } from '../../agent/state/inbox.ts'
import { ChannelError, type Channel, type Outgoing } from '../../channel/channel.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import type { Log } from '../../log/log.ts'

/** The one conversation of programs that ask over HTTP. Each request is a thread of its own. */
export const programAddress: Address = { channel: 'v1', conversation: 'programs' }

/** More than can wait at once. Those that were answered are remembered until their answer is settled in the outbox. */
const REMEMBERED_MAX = 2_000

interface ProgramRequest {
  /** Whether the client got its answer, or went away. */
  readonly isServed: PromiseWithResolvers<boolean>
  clients: number
}

/**
 * Requests of programs. They take their answers from the log, so nothing is sent here: a delivery is done when its client
 * has the answer, and set aside if the client went away.
 */
export class ProgramChannel {
  readonly #log: Pick<Log, 'read'>
  readonly #requests = new Map<string, ProgramRequest>()
  readonly #keys = new Map<string, { readonly at: number; readonly key: Promise<string> }>()

  constructor(log: Pick<Log, 'read'>) {
    this.#log = log
  }

  readonly channel: Channel = {
    name: programAddress.channel,
    canAsk: false,
    can: { follow: true },
    start: async () => undefined,
    stop: async () => undefined,
    send: async ({ id }) => {
      const key = await this.#log.read((reader) => keyOf(reader, id))
      const request = key === undefined ? undefined : this.#requests.get(key)
      if (request === undefined || !(await request.isServed.promise))
        throw new ChannelError('no program waits for it', { isFinal: true })
      return null
    },
  }

  /** A client waits for the answer to this key. Either of the two ends that. */
  wait(key: string): { served(): void; leave(): void } {
    const request = this.#requests.get(key) ?? this.#remember(key)
    request.clients++
    return {
      served: () => request.isServed.resolve(true),
      leave: () => {
        if (--request.clients > 0) return
        request.isServed.resolve(false)
        this.#requests.delete(key)
      },
    }
  }

  #remember(key: string): ProgramRequest {
    const [oldest] = this.#requests.size < REMEMBERED_MAX ? [] : this.#requests.keys()
    if (oldest !== undefined) this.#requests.delete(oldest)
    const request = { isServed: Promise.withResolvers<boolean>(), clients: 0 }
    this.#requests.set(key, request)
    return request
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
