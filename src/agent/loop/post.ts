import { Again } from '../../base/again.ts'
import { oneLine } from '../../base/width.ts'
import { ChannelError, type Channel, type Outgoing } from '../../channel/channel.ts'
import type { Position } from '../../event/id.ts'
import type { Address } from '../../event/work.ts'
import type { Writing } from '../../event/table.ts'
import { pingAt, pingsIn } from '../state/ledger.ts'
import { addresses, addressKey, firstUnsettled } from '../state/outbox.ts'
import { elsewhere, expiresAt, losePings, movePings, tooLate, waitingIn } from '../ping/ping-settling.ts'
import type { Intent, Lifetime } from '../ping/ping-settling.ts'
import type { World } from '../contract/world.ts'

const RETRY_MS = [1_000, 5_000, 30_000]

/** Sends the outboxes: for each address in order, one message at a time, until the platform takes or refuses it. */
export class Post {
  readonly #world: World
  readonly #fail: (error: unknown) => void
  /** Messages up to this position may have been sent already, by a process that died before it noted that. */
  readonly #startedAt: number
  readonly #rounds = new Map<string, Again>()
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

  /** Deliveries that their platforms have at this moment. */
  get sending(): ReadonlySet<Position> {
    return new Set(this.#sending)
  }

  /** Resolves when everything that can be sent is sent. */
  async settled(): Promise<void> {
    await this.look()
    while (this.#rounds.size > 0)
      await Promise.all([...this.#rounds.values()].map((round) => round.settled()))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.settled()
  }

  #start(address: Address): void {
    const channel = this.#world.channels.get(address.channel)
    if (channel === undefined || this.#closing.signal.aborted) return
    const key = addressKey(address)
    const idle = (): void => void this.#rounds.delete(key)
    const round =
      this.#rounds.get(key) ?? new Again(() => this.#sendAll(key, channel), { fail: this.#fail, idle })
    this.#rounds.set(key, round)
    void round.ask()
  }

  async #sendAll(key: string, channel: Channel): Promise<void> {
    for (let tries = 0; !this.#closing.signal.aborted;) {
      const intent = await this.#next(key)
      if (intent === undefined) return
      const waitMs = await this.#send(channel, intent)
      if (waitMs === Number.POSITIVE_INFINITY) return
      if (waitMs === undefined) tries = 0
      else await this.#pause(Math.max(waitMs, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)] ?? 0))
    }
  }

  #next(key: string): Promise<Intent | undefined> {
    return this.#world.log.read((reader) => {
      const position = firstUnsettled(reader, key)
      return position && (reader.event(position) as Intent)
    })
  }

  /** Undefined when it is settled; else how long the platform asks to wait, at least. */
  async #send(channel: Channel, intent: Intent): Promise<number | undefined> {
    const { position, branch } = intent
    try {
      if (!(await this.#claim(intent))) return undefined
      const platformId = await channel.send(this.#messageOf(intent), async () => undefined)
      const done = { kind: 'delivery-done', branch, v: 1, intent: position, platformId } as const
      const at = this.#world.now()
      await this.#world.log.write((writing) => writing.append({ ...done, at }))
      // Another ping may wait to know whether this one used up its token.
      if (intent.form === 'ping') this.#world.emit({ kind: 'changed' })
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error
      if (!error.isFinal) {
        this.#sending.delete(position)
        // What must not wait any longer may have waited for this try.
        this.#world.emit({ kind: 'changed' })
        return error.retryAfterMs ?? 0
      }
      await this.#refused(intent, error.message)
    } finally {
      // Not before its outcome is written: until then nobody else may say what became of it.
      this.#sending.delete(position)
    }
    return undefined
  }

  #messageOf(intent: Intent): Outgoing {
    const { position, to, text, form, choices = [], embed, number } = intent
    return {
      id: position,
      conversation: to.conversation,
      text,
      form,
      choices,
      isAgain: position <= this.#startedAt,
      ...(embed !== undefined && { embed }),
      ...(number !== undefined && { number }),
    }
  }

  /**
   * Whether it is to be sent. A ping that was sent elsewhere, or for which it is too late, is not. Decided under the
   * log's lock, as its expiry is: one of them comes first, and the other sees it.
   */
  async #claim(intent: Intent): Promise<boolean> {
    const { position, form, branch } = intent
    // Before the log decides: whoever looks for what has expired after this sees it, and whoever looked before is first.
    this.#sending.add(position)
    if (form !== 'ping') return true
    const now = this.#world.now()
    const { ttlMs } = this.#world.settings().pings
    return this.#world.log.write((writing) => {
      const message = whyLeave(writing, intent, { now, ttlMs })
      if (message !== undefined)
        writing.append({ kind: 'delivery-failed', branch, v: 1, intent: position, at: now, message })
      return message === undefined
    })
  }

  /** The platform does not take it. A ping goes where the person is found besides, or becomes an update. */
  async #refused(intent: Intent, message: string): Promise<void> {
    const { position, branch } = intent
    const at = this.#world.now()
    const channels = new Set(this.#world.channels.keys())
    const hasMoved = await this.#world.log.write((writing) => {
      const pings = waitingIn(writing, position)
      const to = elsewhere(writing, intent, channels)
      const why = `did not arrive (${oneLine(message)})`
      if (to !== undefined) movePings(writing, intent, { to, at })
      else losePings(writing, pings, { at, outcome: 'failed', why })
      writing.append({ kind: 'delivery-failed', branch, v: 1, intent: position, at, message })
      return to !== undefined
    })
    if (hasMoved) await this.look()
    this.#world.emit({ kind: 'changed' })
  }

  async #pause(ms: number): Promise<void> {
    await this.#world.sleep(ms, this.#closing.signal).catch(() => undefined)
  }
}

/** Why a ping is not sent any more; what is too late for becomes an update here, if nobody made it one. */
function whyLeave(writing: Writing, { position, number }: Intent, life: Lifetime): string | undefined {
  const { now, ttlMs } = life
  const pings = pingsIn(writing, position)
  const waiting = waitingIn(writing, position)
  if (waiting.length === 0) return pings.length === 0 ? undefined : 'It was sent elsewhere, or came too late.'
  const isLate = waiting.some((ping) => expiresAt(pingAt(writing, ping), life) <= now)
  if (number === undefined || !isLate) return undefined
  losePings(writing, waiting, { at: now, outcome: 'expired', why: tooLate(ttlMs) })
  return 'It came too late.'
}
