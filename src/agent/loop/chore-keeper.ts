import { Again } from '../../base/again.ts'
import type { Effects } from '../contract/effects.ts'
import { soonest, type Chore, type KeepLook } from '../ping/chore.ts'
import type { World } from '../contract/world.ts'
import type { Happening } from '../../event/happening.ts'

export interface KeeperParts {
  readonly chores: readonly Chore[]
  readonly effects: Pick<Effects, 'wake' | 'deliver'>
  readonly sending: () => KeepLook['sending']
  readonly passingSince: KeepLook['passingSince']
  readonly fail: (error: unknown) => void
}

/** A clock may be set, and a machine may sleep: look again sooner. */
const ALARM_MAX_MS = 60_000

/** Does what is due without any model: what is held, what has expired, what is to be told. */
export class ChoreKeeper {
  readonly #world: World
  readonly #parts: KeeperParts
  readonly #rounds: Again
  #alarm = new AbortController()

  constructor(world: World, parts: KeeperParts) {
    this.#world = world
    this.#parts = parts
    this.#rounds = new Again(() => this.#round(), { fail: parts.fail })
  }

  /** Something may be due now, or sooner than it was. */
  look(): void {
    void this.#rounds.ask()
  }

  readonly hear = ({ kind }: Happening): void => {
    if (kind === 'changed') this.look()
  }

  settled(): Promise<void> {
    return this.#rounds.settled()
  }

  async close(): Promise<void> {
    await this.#rounds.close()
    this.#alarm.abort()
  }

  async #round(): Promise<void> {
    const due = await this.#dueAt()
    if (due === undefined || this.#rounds.isClosed) return
    if (due > this.#world.now()) this.#setAlarm(due)
    else await this.#keep()
  }

  #look(): KeepLook {
    const { channels } = this.#world
    const { sending, passingSince } = this.#parts
    return {
      now: this.#world.now(),
      settings: this.#world.settings(),
      channels: new Set(channels.keys()),
      sending: sending(),
      passingSince,
    }
  }

  #dueAt(): Promise<number | undefined> {
    const look = this.#look()
    return this.#world.log.read((reader) => {
      return soonest(this.#parts.chores.map((chore) => chore.dueAt(reader, look)))
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
    this.look()
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
