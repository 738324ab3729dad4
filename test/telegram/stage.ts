import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrival, ChannelState, Door, Outgoing, Welcome } from '../../src/channel/channel.ts'
import { seededRandom } from '../../src/base/random.ts'
import { Telegram, type TelegramOptions } from '../../src/channel/telegram/telegram.ts'
import { positionSchema } from '../../src/event/id.ts'
import { startTelegram, type TelegramStandIn } from '../stand-ins/telegram/server.ts'

/** A door that lets everybody in, and remembers what came through it, also when the channel is opened again. */
export class NotingDoor implements Door {
  readonly arrivals: Arrival[] = []
  readonly edits: { readonly messageId: string; readonly text: string }[] = []
  readonly states: ChannelState[] = []
  /** Before it is durable. */
  hold: (arrival: Arrival) => Promise<unknown> | undefined = () => undefined
  welcome: (arrival: Arrival) => Welcome = () => ({ kind: 'admitted' })
  readonly #known = new Set<string>()

  readonly arrive = async (arrival: Arrival): Promise<Welcome> => {
    await this.hold(arrival)
    const key = `${arrival.conversation} ${arrival.messageId}`
    if (this.#known.has(key)) return { kind: 'duplicate' }
    this.#known.add(key)
    this.arrivals.push(arrival)
    return this.welcome(arrival)
  }

  readonly edited: Door['edited'] = async ({ messageId, text }) => void this.edits.push({ messageId, text })
  readonly moves: { readonly conversation: string; readonly to: string }[] = []
  readonly moved: Door['moved'] = async ({ conversation, to }) => void this.moves.push({ conversation, to })
  readonly removed = async (): Promise<void> => undefined
  readonly state = (state: ChannelState): void => void this.states.push(state)

  get texts(): string[] {
    return this.arrivals.map(({ text }) => text)
  }
}

/** Time runs this much faster for the channel. */
const HASTE = 20
const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms / HASTE, undefined, { signal })

export interface TelegramStage {
  readonly telegram: TelegramStandIn
  readonly door: NotingDoor
  /** A channel that is stopped at the end; `open` starts it too. */
  make(more?: Partial<TelegramOptions>): Telegram
  open(more?: Partial<TelegramOptions>): Promise<Telegram>
  /** As long as the channel thinks it is. */
  pause(ms: number, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export async function telegramStage(): Promise<TelegramStage> {
  const telegram = await startTelegram()
  const door = new NotingDoor()
  const opened: Telegram[] = []
  const make = (more: Partial<TelegramOptions> = {}): Telegram => {
    const channel = new Telegram({
      token: telegram.token,
      url: telegram.url,
      settings: { tries: 2, baseMs: 200, maxMs: 1_000, jitterMs: 10 },
      now: Date.now,
      random: seededRandom(1),
      sleep: pause,
      readFile: async () => new TextEncoder().encode('bytes'),
      fail: (error) => {
        throw error
      },
      ...more,
    })
    opened.push(channel)
    return channel
  }
  return {
    telegram,
    door,
    pause,
    make,
    open: async (more) => {
      const channel = make(more)
      await channel.start(door)
      return channel
    },
    close: async () => {
      await Promise.all(opened.map((channel) => channel.stop()))
      await telegram.close()
    },
  }
}

export function outgoing(
  conversation: string | number,
  text: string,
  more: Partial<Outgoing> = {},
): Outgoing {
  const id = positionSchema.parse(1)
  return { id, conversation: `${conversation}`, text, form: 'answer', choices: [], isAgain: false, ...more }
}
