import { messageOf } from '../../base/message-of.ts'
import type { Arrival, Channel, ChannelState, Door, Inbound, Welcome } from '../../channel/channel.ts'
import type { Gate } from '../../command/door/gate.ts'
import type { Received } from '../../command/door/reception.ts'
import { EventError } from '../../event/codec.ts'
import { takeFiles, type FileDesk } from '../../file/take-files.ts'

export interface DoorParts {
  readonly channels: readonly Channel[]
  /** Says who an arrival is from, or why it stays outside. */
  readonly gate: Pick<Gate, 'enter' | 'edited' | 'removed' | 'moved' | 'close'>
  readonly files: FileDesk
  readonly receive: (inbound: Inbound) => Promise<Received>
  readonly now: () => number
  readonly warn: (text: string) => void
  readonly onState: (channel: string, state: ChannelState) => void
  /** Called for a bug or a broken disk. */
  readonly fail: (error: unknown) => void
}

/**
 * The way in from every channel: past the gate, then with its files to the reception. An error of a channel is shown as
 * its state and never ends the process.
 */
export class Doors {
  readonly #parts: DoorParts
  readonly #closing = new AbortController()
  readonly #states = new Map<string, ChannelState>()

  constructor(parts: DoorParts) {
    this.#parts = parts
  }

  /** How a channel is connected; one that never says is up. */
  stateOf(channel: string): ChannelState {
    return this.#states.get(channel) ?? { kind: 'up' }
  }

  /** Once the agent runs. A platform that is slow to answer keeps nobody waiting. */
  open(): void {
    for (const channel of this.#parts.channels) void this.#open(channel)
  }

  /** Nothing arrives after this. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#parts.channels.map((channel) => channel.stop().catch(this.#told(channel))))
    await this.#parts.gate.close()
  }

  async #open(channel: Channel): Promise<void> {
    try {
      await channel.start(this.#doorOf(channel))
    } catch (error) {
      const since = this.#parts.now()
      this.#states.set(channel.name, { kind: 'down', why: messageOf(error), since, retryAt: null })
      this.#told(channel)(error)
    }
  }

  #told({ name }: Channel): (error: unknown) => void {
    return (error) => this.#parts.warn(`The channel ${name} does not work: ${messageOf(error)}`)
  }

  #doorOf(channel: Channel): Door {
    const { gate, onState } = this.#parts
    return {
      arrive: (arrival) => this.#guarded(() => this.#arrive(channel, arrival)),
      edited: async (edit) => void (await this.#guarded(() => gate.edited(edit))),
      removed: async (removal) => void (await this.#guarded(() => gate.removed(removal))),
      moved: async (move) => void (await this.#guarded(() => gate.moved(move))),
      state: (state) => {
        this.#states.set(channel.name, state)
        onState(channel.name, state)
      },
    }
  }

  /** What the log cannot hold is refused. Any other error rejects, so that the platform does not forget the message. */
  async #guarded<T>(act: () => Promise<T>): Promise<T | Welcome> {
    try {
      return await act()
    } catch (error) {
      if (error instanceof EventError)
        return { kind: 'refused', say: `This cannot be kept: ${error.message}` }
      if (!this.#closing.signal.aborted) this.#parts.fail(error)
      throw error
    }
  }

  async #arrive(channel: Channel, arrival: Arrival): Promise<Welcome> {
    const { gate, receive } = this.#parts
    const entry = await gate.enter(arrival)
    if (entry.kind === 'out') return entry.welcome
    const { button, files: arriving = [] } = arrival
    // A download may take long: whoever wrote sees at once that it arrived. Otherwise the turn that begins now shows it.
    if (arriving.length > 0) channel.typing?.(arrival.conversation).catch(() => undefined)
    const files = await takeFiles(this.#parts.files, arrival, this.#closing.signal)
    // Its files may be cut off: the platform delivers it again to the next process.
    if (this.#closing.signal.aborted) throw new Error('Mainstem is closing, so this was not taken.')
    const more = { ...(button !== undefined && { button }), ...(files.length > 0 && { files }) }
    return welcomeOf(await receive({ ...entry.inbound, ...more }))
  }
}

function welcomeOf({ kind }: Received): Welcome {
  if (kind === 'closed') return { kind: 'refused', say: 'This question is closed.' }
  return { kind: kind === 'empty' ? 'ignored' : kind }
}
