import { shownButtons } from '../../agent/state/outbox.ts'
import { identitiesOf } from '../../agent/state/person.ts'
import { Again } from '../../base/again.ts'
import { unlessAborted } from '../../base/again.ts'
import { ChannelError, type Channel, type Menu } from '../../channel/channel.ts'
import type { Desk } from '../../command/desk/desk.ts'
import { areSpent } from '../../command/door/pressed.ts'
import { commandsFor, type Entry } from '../../command/read/catalogue.ts'
import { mayEver } from '../../command/read/rights.ts'
import type { Position } from '../../event/id.ts'
import { OWNER } from '../../event/speaker.ts'
import type { Reader } from '../../event/table.ts'

/** Older buttons, or more of them, are taken off when somebody taps them. */
const BUTTONS_MAX = 50
const BUTTONS_MS = 24 * 60 * 60 * 1_000

interface ShownParts {
  readonly channels: readonly Channel[]
  readonly desk: Pick<Desk, 'log' | 'now' | 'settings' | 'agent'>
  readonly fail: (error: unknown) => void
}

/** Keeps what chat apps show besides messages true: menus of commands, and buttons below questions. */
export class Shown {
  readonly #parts: ShownParts
  readonly #rounds: Again
  /** By channel, as it was last shown. */
  readonly #menus = new Map<string, string>()
  /** Messages whose buttons this process took off. */
  readonly #cleared = new Set<Position>()
  readonly #closing = new AbortController()
  #unwatch = (): unknown => undefined

  constructor(parts: ShownParts) {
    this.#parts = parts
    this.#rounds = new Again(() => this.#look(), { fail: parts.fail })
  }

  /** A process that died may have left something. */
  start(): void {
    this.#unwatch = this.#parts.desk.agent().watch(({ kind }) => {
      if (kind === 'changed') void this.#rounds.ask()
    })
    void this.#rounds.ask()
  }

  /** Waits for no platform: the next process takes off what this one could not. */
  close(): Promise<void> {
    this.#unwatch()
    this.#closing.abort()
    return this.#rounds.close()
  }

  async #look(): Promise<void> {
    const { channels, desk } = this.#parts
    const now = desk.now()
    const { links } = desk.settings()
    const { menus, spent } = await desk.log.read((reader) => ({
      menus: channels.map((channel) => ({ channel, menu: menuOn(reader, channel, links) })),
      spent: shownButtons(reader, BUTTONS_MAX).filter(
        ({ delivery }) =>
          !this.#cleared.has(delivery.position) &&
          now - delivery.at < BUTTONS_MS &&
          areSpent(reader, delivery, now),
      ),
    }))
    for (const { channel, menu } of menus) await this.#show(channel, menu)
    for (const { delivery, platformId } of spent) {
      const channel = channels.find(({ name }) => name === delivery.to.channel)
      const isOver = await unlessAborted(this.#closing.signal, () =>
        isDone(channel?.clearButtons?.(delivery.to.conversation, platformId)),
      )
      if (isOver === true) this.#cleared.add(delivery.position)
    }
  }

  async #show(channel: Channel, menu: Menu): Promise<void> {
    const shown = JSON.stringify([menu.owners, menu.strangers])
    if (this.#menus.get(channel.name) === shown) return
    this.#menus.set(channel.name, shown)
    await isDone(channel.menu?.(menu))
  }
}

function menuOn(reader: Reader, { name }: Channel, links: readonly string[]): Menu {
  const here = (identities: readonly string[]): string[] =>
    identities.flatMap((key) => (key.startsWith(`${name}:`) ? key.slice(name.length + 1) : []))
  const owners = here([...links, ...identitiesOf(reader, OWNER)])
  return {
    everybody: commandsFor('guest').filter(isForPhones),
    owner: commandsFor('owner').filter(isForPhones),
    owners,
    strangers: here(identitiesOf(reader, null)).filter((user) => !owners.includes(user)),
  }
}

/** False: the platform failed, and it is tried again when something changes. */
async function isDone(work: Promise<void> | undefined): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error
    return error.isFinal
  }
}

function isForPhones({ name }: Entry): boolean {
  return mayEver('phone', name)
}
