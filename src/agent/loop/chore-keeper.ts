import type { Effects } from '../contract/effects.ts'
import type { Chore, KeepLook } from '../ping/chore.ts'
import type { Happening, World } from '../contract/world.ts'

export interface KeeperParts {
  readonly chores: readonly Chore[]
  readonly effects: Pick<Effects, 'wake' | 'deliver'>
  readonly isSending: KeepLook['isSending']
  readonly passingSince: KeepLook['passingSince']
  readonly fail: (error: unknown) => void
}

/** A clock may be set, and a machine may sleep: look again sooner. */
const ALARM_MAX_MS = 60_000

/** Does what is due without any model: what is held, what has expired, what is to be told. */
export class ChoreKeeper {
  readonly #world: World
  readonly #parts: KeeperParts
  readonly #closing = new AbortController()
  #alarm = new AbortController()
  #looking: Promise<void> | undefined
  #again = false

  constructor(world: World, parts: KeeperParts) {
    this.#world = world
    this.#parts = parts
  }

  /** Something may be due now, or sooner than it was. */
  look(): void {
    if (this.#closing.signal.aborted) return
    this.#again = true
    this.#looking ??= this.#lookThrough()
      .catch(this.#parts.fail)
      .finally(() => {
        this.#looking = undefined
        if (this.#again) this.look()
      })
  }

  readonly hear = ({ kind }: Happening): void => {
    if (kind === 'changed') this.look()
  }

  async settled(): Promise<void> {
    while (this.#looking !== undefined) await this.#looking
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#alarm.abort()
    await this.settled()
  }

  async #lookThrough(): Promise<void> {
    while (this.#again && !this.#closing.signal.aborted) {
      this.#again = false
      const due = await this.#dueAt()
      if (due === undefined || this.#closing.signal.aborted) return
      if (due > this.#world.now()) this.#setAlarm(due)
      else await this.#keep()
    }
  }

  #look(): KeepLook {
    const { channels } = this.#world
    const { isSending, passingSince } = this.#parts
    return {
      now: this.#world.now(),
      settings: this.#world.settings(),
      channels: new Set(channels.keys()),
      isSending,
      passingSince,
    }
  }

  #dueAt(): Promise<number | undefined> {
    const look = this.#look()
    return this.#world.log.read((reader) => {
      const times = this.#parts.chores.flatMap((chore) => chore.dueAt(reader, look) ?? [])
      return times.length === 0 ? undefined : Math.min(...times)
    })
  }

  async #keep(): Promise<void> {
    const look = this.#look()
    const woken = await this.#world.log.write((writing) =>
      this.#parts.chores.flatMap((chore) => {
        const due = chore.dueAt(writing, look)
        return due !== undefined && due <= look.now ? chore.keep(writing, look) : []
      }),
    )
    this.#parts.effects.wake(woken)
    this.#parts.effects.deliver()
    this.#again = true
  }

  #setAlarm(at: number): void {
    this.#alarm.abort()
    const alarm = new AbortController()
    this.#alarm = alarm
    const waitMs = Math.min(at - this.#world.now(), ALARM_MAX_MS)
    this.#world.sleep(waitMs, alarm.signal).then(
      () => this.look(),
      () => undefined,
    )
  }
}
