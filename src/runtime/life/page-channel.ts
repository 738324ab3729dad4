import { ChannelError, type Channel } from '../../channel/channel.ts'
import type { Address } from '../../event/work.ts'

/** The one conversation of the page: all its tabs and browsers share it. */
export const pageAddress: Address = { channel: 'web', conversation: 'page' }

/**
 * The page shows what the log says, so nothing is sent here: a delivery is done as soon as a page is open, and waits in
 * the outbox until then.
 */
export class PageChannel {
  readonly #deliver: () => void
  #pages = 0
  #before: Promise<unknown> = Promise.resolve()

  constructor(deliver: () => void) {
    this.#deliver = deliver
  }

  readonly channel: Channel = pageChannel(() => this.#pages > 0)

  /** A page is open until the returned function is called. */
  open(): () => void {
    this.#pages++
    this.#deliver()
    let isOpen = true
    return () => {
      if (isOpen) this.#pages--
      isOpen = false
    }
  }

  /** One after the other: a tab that moves the conversation to its branch must not take along what another one says. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#before.then(work)
    this.#before = done.catch(() => undefined)
    return done
  }
}

function pageChannel(isOpen: () => boolean): Channel {
  return {
    name: pageAddress.channel,
    get canAsk() {
      return isOpen()
    },
    can: { files: true, follow: true },
    start: async () => undefined,
    stop: async () => undefined,
    send: async () => {
      if (isOpen()) return null
      const retryAfterMs = Number.POSITIVE_INFINITY
      throw new ChannelError('no page is open', { isFinal: false, retryAfterMs })
    },
  }
}
