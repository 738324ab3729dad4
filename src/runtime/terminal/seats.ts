import { ChannelError, type Channel, type Outgoing } from '../../channel/channel.ts'
import type { EventOf } from '../../event/event.ts'
import type { PersonSource } from '../../event/work.ts'
import type { Life } from '../life/life.ts'
import { terminalAddress } from './place.ts'
import { Progress } from './progress.ts'

/** Somebody who looks at the conversation of the terminal: a screen, or a program that prints lines. */
export type Seat = {
  /** Resolves once the person can see it; rejects with a ChannelError if nobody looks any more. */
  show(message: Outgoing): Promise<void>
  /** `/exit` was typed here. */
  exit(): void
} &
  /** `handOver`: another process gets the log. `end`: the life ends. */
  (
    | { readonly kind: 'chat'; notice(text: string): void; handOver(): void; end(): void }
    /** `owns`: whether the delivery belongs to what was typed here. `takesAll`: it shows what belongs to nobody, too. */
    | {
        readonly kind: 'lines'
        readonly takesAll: boolean
        owns(intent: EventOf<'delivery-intended'>): Promise<boolean>
      }
  )

/** A seat that was taken. */
export interface Taken {
  /** Before something with this key is handed in: it was typed here. */
  typed(key: string): void
  /**
   * Resolves with whether everything up to this delivery was shown: once it was, once the seat is left, or, for a seat
   * that shows only its own, once something before it waits for somebody else.
   */
  shownTo(id: number): Promise<boolean>
  /** Nothing is shown here from now on. */
  leave(): void
}

/** Nobody may come for months. */
const UNTOLD_MAX = 20

/**
 * The seats at the terminal's one conversation, in this process and in others. Created before the life, which gets
 * `company`. What nobody can see stays in the outbox until a seat is taken.
 */
export class Seats {
  readonly #fail: (error: unknown) => void
  readonly progress = new Progress()
  readonly #typedAt = new Map<string, Place>()
  #places: readonly Place[] = []
  #lastTyped: Place | undefined
  #untold: readonly string[] = []
  #shown = 0
  /** A delivery that nobody here may be shown holds up those behind it. */
  #heldUp = false
  #came = Promise.withResolvers<void>()
  #life: Life | undefined

  constructor(fail: (error: unknown) => void) {
    this.#fail = fail
  }

  readonly channel: Channel = terminalChannel({
    canAsk: () => this.#chats.length > 0,
    send: (message) => this.#send(message),
  })

  /** What a life needs to know of the seats. */
  get company() {
    return {
      channels: [this.channel],
      watch: this.progress.hear,
      wayOut: (source: PersonSource) => this.#wayOut(source),
      warn: (text: string) => this.notice(text),
    }
  }

  /** Once the life is there. */
  open(life: Life): void {
    this.#life = life
    life.agent.deliver()
  }

  /** The last delivery that was shown. The log may not say so yet. */
  get shown(): number {
    return this.#shown
  }

  take(seat: Seat): Taken {
    const place = new Place(seat, this.#fail, () => {
      this.#places = this.#places.filter((other) => other !== place)
      for (const [key, typedAt] of this.#typedAt) if (typedAt === place) this.#typedAt.delete(key)
    })
    this.#places = [...this.#places, place]
    if (seat.kind === 'chat') {
      for (const text of this.#untold) seat.notice(text)
      this.#untold = []
    }
    // Something may be on its way to another seat, or may wait for somebody to come.
    this.#came.resolve()
    this.#came = Promise.withResolvers()
    this.#life?.agent.deliver()
    return {
      typed: (key) => {
        this.#typedAt.set(key, place)
        this.#lastTyped = place
      },
      shownTo: (id) => {
        const shown = place.shownTo(id, this.#shown)
        if (this.#heldUp) place.heldUp()
        return shown
      },
      leave: () => place.leave(),
    }
  }

  get isEmpty(): boolean {
    return this.#places.length === 0
  }

  /** Before the life is closed: what is not shown by now stays in the outbox. */
  close(): void {
    for (const place of this.#places) {
      place.leave()
      if (place.seat.kind === 'chat') place.seat.end()
    }
  }

  /** Shown on every screen, or on the first one that comes. */
  notice(text: string): void {
    const chats = this.#chats
    if (chats.length === 0) this.#untold = [...this.#untold, text].slice(-UNTOLD_MAX)
    for (const { seat } of chats) if (seat.kind === 'chat') seat.notice(text)
  }

  /** Another process gets the log: screens here had better wait for it. */
  handOver(): void {
    for (const { seat } of this.#places) if (seat.kind === 'chat') seat.handOver()
  }

  /** How many screens there are. */
  get chats(): number {
    return this.#chats.length
  }

  get #chats(): readonly Place[] {
    return this.#places.filter(({ seat }) => seat.kind === 'chat')
  }

  /** Text that moved to another branch has lost its key; then it is the seat that typed last. */
  #wayOut({ key }: PersonSource): (() => void) | undefined {
    const place = key === null ? this.#lastTyped : this.#typedAt.get(key)
    return place && this.#places.includes(place) ? () => place.seat.exit() : undefined
  }

  /** A seat that comes meanwhile is shown the message too. */
  async #send(message: Outgoing): Promise<null> {
    for (let isShown = false; !isShown;) {
      const came = this.#came.promise.then(() => false)
      isShown = await Promise.race([this.#showTo(message), came])
    }
    this.#shown = message.id
    this.#heldUp = false
    for (const place of this.#places) place.heard(message.id)
    return null
  }

  /** False if a seat that was to show it is gone. */
  async #showTo(message: Outgoing): Promise<boolean> {
    const places = this.#places
    if (places.length === 0) throw nobody()
    const owner = await this.#ownerOf(message)
    const chats = this.#chats.map((place) => place.show(message))
    if (owner !== undefined) return owner.show(message)
    if (chats.length > 0) return firstShown(chats)
    const other = places.findLast(({ takesAll }) => takesAll)
    if (other !== undefined) return other.show(message)
    this.#heldUp = true
    for (const place of places) place.heldUp()
    throw nobody()
  }

  async #ownerOf({ id }: Outgoing): Promise<Place | undefined> {
    const intent = await this.#life?.log.read((reader) => reader.event(id))
    if (intent?.kind !== 'delivery-intended') return undefined
    for (const place of this.#places)
      if (place.seat.kind === 'lines' && (await place.seat.owns(intent))) return place
    return undefined
  }
}

/** A seat, and how much was shown there. Deliveries come in the order of their ids. */
class Place {
  readonly seat: Seat
  readonly #fail: (error: unknown) => void
  readonly #onLeave: () => void
  readonly #left = Promise.withResolvers<never>()
  #last: { readonly id: number; readonly isShown: Promise<boolean> } = {
    id: 0,
    isShown: Promise.resolve(true),
  }
  #waiting: readonly { readonly id: number; readonly resolve: (isShown: boolean) => void }[] = []
  #hasLeft = false

  constructor(seat: Seat, fail: (error: unknown) => void, onLeave: () => void) {
    this.seat = seat
    this.#fail = fail
    this.#onLeave = onLeave
    this.#left.promise.catch(() => undefined)
  }

  /** Resolves with whether it was shown; once for each message, however often it is called. */
  show(message: Outgoing): Promise<boolean> {
    if (message.id > this.#last.id) this.#last = { id: message.id, isShown: this.#show(message) }
    return this.#last.isShown
  }

  shownTo(id: number, shown: number): Promise<boolean> {
    if (this.#hasLeft || id <= shown) return Promise.resolve(id <= shown)
    return new Promise((resolve) => {
      this.#waiting = [...this.#waiting, { id, resolve }]
    })
  }

  /** Everything up to this delivery was shown, here or elsewhere. */
  heard(shown: number): void {
    for (const { id, resolve } of this.#waiting) if (id <= shown) resolve(true)
    this.#waiting = this.#waiting.filter(({ id }) => id > shown)
  }

  get takesAll(): boolean {
    return this.seat.kind === 'chat' || this.seat.takesAll
  }

  /** What it waits for may wait for long. */
  heldUp(): void {
    if (this.takesAll) return
    for (const { resolve } of this.#waiting) resolve(false)
    this.#waiting = []
  }

  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#onLeave()
    this.#left.reject(nobody())
    for (const { resolve } of this.#waiting) resolve(false)
  }

  async #show(message: Outgoing): Promise<boolean> {
    try {
      // Showing may be stuck, as in a pipe that nobody reads. It must not keep the others waiting.
      await Promise.race([this.seat.show(message), this.#left.promise])
      return true
    } catch (error) {
      this.leave()
      if (!(error instanceof ChannelError)) this.#fail(error)
      return false
    }
  }
}

/** True as soon as one is; false if none is. */
function firstShown(all: readonly Promise<boolean>[]): Promise<boolean> {
  const shown = all.map(async (one) => (await one) || Promise.reject(nobody()))
  return Promise.any(shown).catch(() => false)
}

function terminalChannel(seats: { canAsk: () => boolean; send: Channel['send'] }): Channel {
  return {
    name: terminalAddress.channel,
    get canAsk() {
      return seats.canAsk()
    },
    can: { follow: true },
    start: async () => undefined,
    stop: async () => undefined,
    send: seats.send,
  }
}

function nobody(): ChannelError {
  const retryAfterMs = Number.POSITIVE_INFINITY
  return new ChannelError('nobody looks at the terminal', { isFinal: false, retryAfterMs })
}
