export interface PoolBounds {
  readonly max: number
  /** How many of these one address may have. */
  readonly addressMax: number
}

/**
 * Bounded places for strangers. Where all are taken, whoever has been there longest gives way: refusing the next one
 * instead would let a few hundred slow senders keep everybody out (DOOR5).
 */
export class Pool<Guest> {
  readonly #bounds: PoolBounds
  readonly #giveWay: (guest: Guest) => boolean
  /** Their addresses, the longest there first. */
  readonly #guests = new Map<Guest, string | undefined>()

  /** `giveWay`: sends a guest away, unless it is being worked for. */
  constructor(bounds: PoolBounds, giveWay: (guest: Guest) => boolean) {
    this.#bounds = bounds
    this.#giveWay = giveWay
  }

  /** False: there is no place, for all guests are being worked for. Without an address, the share of one is not asked. */
  enter(guest: Guest, address?: string): boolean {
    const { max, addressMax } = this.#bounds
    const all = [...this.#guests.keys()]
    const near = address === undefined ? [] : all.filter((other) => this.#guests.get(other) === address)
    if (near.length >= addressMax ? !this.#freeOne(near) : all.length >= max && !this.#freeOne(all))
      return false
    this.#guests.set(guest, address)
    return true
  }

  leave(guest: Guest): void {
    this.#guests.delete(guest)
  }

  #freeOne(guests: readonly Guest[]): boolean {
    const gone = guests.find((guest) => this.#giveWay(guest))
    return gone !== undefined && this.#guests.delete(gone)
  }
}
