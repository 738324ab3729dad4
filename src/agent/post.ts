import { ChannelError, type Channel, type Outgoing } from '../channel/channel.ts'
import type { EventOf } from '../event/event.ts'
import type { Position } from '../event/id.ts'
import type { Address } from '../event/work.ts'
import { addresses, addressKey, firstUnsettled } from './outbox.ts'
import type { World } from './world.ts'

const RETRY_MS = [1_000, 5_000, 30_000]

/** Sends what is meant to be sent: in order for each address, one at a time, until the platform took or refused it. */
export class Post {
  readonly #world: World
  readonly #fail: (error: unknown) => void
  /** What was meant before this may have been sent by a process that died before it could say so. */
  readonly #startedAt: number
  readonly #rounds = new Map<string, { again: boolean; finished: Promise<void> }>()
  readonly #sending = new Set<Position>()
  readonly #closing = new AbortController()

  constructor(world: World, startedAt: number, fail: (error: unknown) => void) {
    this.#world = world
    this.#startedAt = startedAt
    this.#fail = fail
  }

  /** Looks at every address for something to send. */
  async look(): Promise<void> {
    const all = await this.#world.log.read(addresses)
    for (const address of all) this.#start(address)
  }

  /** Whether the platform has it at this moment. */
  isSending(delivery: Position): boolean {
    return this.#sending.has(delivery)
  }

  async settled(): Promise<void> {
    while (this.#rounds.size > 0)
      await Promise.all([...this.#rounds.values()].map(({ finished }) => finished))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.settled()
  }

  #start(address: Address): void {
    const channel = this.#world.channels.get(address.channel)
    if (channel === undefined || this.#closing.signal.aborted) return
    const key = addressKey(address)
    const round = this.#rounds.get(key)
    if (round !== undefined) {
      round.again = true
      return
    }
    const begun = { again: false, finished: Promise.resolve() }
    this.#rounds.set(key, begun)
    begun.finished = this.#sendAll(key, channel, begun).catch(this.#fail)
  }

  async #sendAll(key: string, channel: Channel, round: { again: boolean }): Promise<void> {
    try {
      for (let tries = 0; !this.#closing.signal.aborted;) {
        round.again = false
        const intent = await this.#next(key)
        if (intent === undefined) {
          if (round.again) continue
          return
        }
        const waitMs = await this.#send(channel, intent)
        if (waitMs === undefined) tries = 0
        else await this.#pause(Math.max(waitMs, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)] ?? 0))
      }
    } finally {
      this.#rounds.delete(key)
    }
  }

  #next(key: string): Promise<EventOf<'delivery-intended'> | undefined> {
    return this.#world.log.read((reader) => {
      const position = firstUnsettled(reader, key)
      return position && (reader.event(position) as EventOf<'delivery-intended'>)
    })
  }

  /** Undefined when it is settled; else how long the platform asks to wait, at least. */
  async #send(channel: Channel, intent: EventOf<'delivery-intended'>): Promise<number | undefined> {
    const { position, to, text, form, branch, choices = [], embed, number } = intent
    const about = { branch, v: 1, intent: position } as const
    const isAgain = position <= this.#startedAt
    try {
      const message = {
        id: position,
        conversation: to.conversation,
        text,
        form,
        choices,
        isAgain,
        ...(embed !== undefined && { embed }),
        ...(number !== undefined && { number }),
      }
      const platformId = await this.#handOver(channel, message)
      const at = this.#world.now()
      await this.#world.log.write((writing) =>
        writing.append({ kind: 'delivery-done', ...about, at, platformId }),
      )
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error
      if (!error.isFinal) return error.retryAfterMs ?? 0
      const at = this.#world.now()
      const { message } = error
      await this.#world.log.write((writing) =>
        writing.append({ kind: 'delivery-failed', ...about, at, message }),
      )
    }
    return undefined
  }

  async #handOver(channel: Channel, message: Outgoing): Promise<string | null> {
    this.#sending.add(message.id)
    try {
      return await channel.send(message)
    } finally {
      this.#sending.delete(message.id)
    }
  }

  async #pause(ms: number): Promise<void> {
    await this.#world.sleep(ms, this.#closing.signal).catch(() => undefined)
  }
}
