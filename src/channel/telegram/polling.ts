import { GrammyError, type Api } from 'grammy'
import type { Message, Update } from 'grammy/types'
import type { Connection } from '../reconnect.ts'
import type { Album } from './arrival.ts'
import { channelError, unreadable } from './client.ts'
import { conversationOf } from './place.ts'
import { isReadable, updatesIn } from './update.ts'

export interface PollingParts {
  readonly api: Api
  readonly sleep: Connection['sleep']
  /** Resolves once it is durable. */
  readonly take: (update: Taken) => Promise<void>
}

/** An update, or the several that are one album. */
export type Taken = Omit<Update, 'message' | 'update_id'> & { readonly album?: Album }

const WAIT_SECONDS = 50
const LIMIT = 100
/** The parts of an album come within this time. */
const ALBUM_MS = 1_000
/** While an update is not durable yet, Telegram returns it at once. We ask no more often than this. */
const AGAIN_MS = 300
const KINDS = ['message', 'edited_message', 'callback_query'] as const

/**
 * Fetches updates. Telegram forgets an update when a later one is asked for, so that happens only once it and all before
 * it are durable. Conversations do not wait for each other; within each, the order is kept.
 */
export class Polling {
  readonly #parts: PollingParts
  /** Messages that are not durable yet, by update. */
  readonly #open = new Map<number, Promise<void>>()
  /** Durable updates that Telegram returns again, because one before them is still open. */
  readonly #done = new Set<number>()
  /** The newest work of each conversation. */
  readonly #lanes = new Map<string, Promise<void>>()
  readonly #albums = new Map<
    string,
    { readonly album: [Message, ...Message[]]; readonly work: Promise<void> }
  >()
  #offset = 0
  /** Another program polls this bot too. Telegram answers the last to ask, so a quick answer proves nothing. */
  #isDisputed = false

  constructor(parts: PollingParts) {
    this.#parts = parts
  }

  /** Until the signal comes, or Telegram cannot be reached. */
  async attend(up: () => void, signal: AbortSignal): Promise<void> {
    const { sleep } = this.#parts
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      // Asked not to wait, Telegram answers at once: that shows that the connection works.
      const updates = await this.#fetch(isFirst || this.#open.size > 0 ? 0 : WAIT_SECONDS, signal)
      if (!isFirst) this.#isDisputed = false
      if (!this.#isDisputed) up()
      for (const update of updates) this.#begin(update, signal)
      const waiting = new AbortController()
      const pause = sleep(AGAIN_MS, AbortSignal.any([signal, waiting.signal])).catch(() => undefined)
      await Promise.race([this.settled(), pause])
      waiting.abort()
      this.#move(updates.at(-1)?.update_id)
    }
  }

  async #fetch(timeout: number, signal: AbortSignal): Promise<readonly Update[]> {
    const wanted = { offset: this.#offset, limit: LIMIT, timeout, allowed_updates: KINDS }
    try {
      return updatesIn(await this.#parts.api.getUpdates(wanted, signal as never)) ?? unreadable()
    } catch (error) {
      this.#isDisputed ||= error instanceof GrammyError && error.error_code === 409
      throw channelError(error)
    }
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#open.values())
  }

  #begin(update: Update, signal: AbortSignal): void {
    const { update_id: id, message, ...rest } = update
    if (this.#open.has(id) || this.#done.has(id) || !isReadable(update)) return
    const key = message?.media_group_id && `${message.chat.id} ${message.from?.id} ${message.media_group_id}`
    const known = key === undefined ? undefined : this.#albums.get(key)
    if (message !== undefined && known !== undefined) {
      const isNew = known.album.every(({ message_id: part }) => part !== message.message_id)
      if (isNew) known.album.push(message)
      return this.#keep(id, known.work)
    }
    const album: [Message] | undefined = message && [message]
    const taken: Taken = { ...rest, ...(album && { album }) }
    const isWhole = key === undefined ? undefined : this.#gather(key, album ?? [], signal)
    const lane = laneOf(taken)
    const work = this.#inTurn(lane, isWhole, taken)
    this.#lanes.set(lane, work)
    if (key !== undefined && album !== undefined) this.#albums.set(key, { album, work })
    this.#keep(id, work)
  }

  async #inTurn(lane: string, isWhole: Promise<void> | undefined, taken: Taken): Promise<void> {
    await Promise.all([this.#lanes.get(lane), isWhole])
    await this.#parts.take(taken)
  }

  /** Waits until no more parts come. */
  async #gather(key: string, album: readonly Message[], signal: AbortSignal): Promise<void> {
    for (let count = 0; count < album.length;) {
      count = album.length
      await this.#parts.sleep(ALBUM_MS, signal)
    }
    this.#albums.delete(key)
  }

  #keep(id: number, work: Promise<void>): void {
    this.#open.set(id, work)
    const end = (): void => {
      this.#open.delete(id)
      this.#done.add(id)
    }
    // It fails only when this process cannot go on. The update stays open then, and Telegram delivers it again.
    work.then(end, () => undefined)
  }

  #move(last: number | undefined): void {
    if (last === undefined) return
    this.#offset = Math.min(last + 1, ...this.#open.keys())
    for (const id of this.#done) if (id < this.#offset) this.#done.delete(id)
    if (this.#open.size === 0) this.#lanes.clear()
  }
}

function laneOf({ album, edited_message: edited, callback_query: tap }: Taken): string {
  // A button does not wait for a file that is on its way.
  if (tap !== undefined) return `${tap.from.id} taps`
  const message = album?.[0] ?? edited
  return message === undefined ? '' : conversationOf(message)
}
