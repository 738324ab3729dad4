import type { Position } from '../event/id.ts'
import type { Choice, Embed } from '../event/work.ts'

/** A way to reach people. It knows no agent and starts no turn: it hands over what came in, and sends what it is given. */
export interface Channel {
  /** `terminal`, `telegram`, …: the first half of a delivery address. */
  readonly name: string
  /** Whether a person can answer a question here while a turn waits for it. */
  readonly canAsk: boolean
  start(receive: (inbound: Inbound) => Promise<void>): Promise<void>
  stop(): Promise<void>
  /**
   * Resolves with the platform's id of the message, or null where it has none, once the person can see it. Rejects
   * with a ChannelError. `message.id` never changes, so a platform that can tell shows it once.
   */
  send(message: Outgoing): Promise<string | null>
}

/** Three identities that are never mixed up: who wrote, where, and where an answer goes. */
export interface Inbound {
  readonly channel: string
  readonly conversation: string
  readonly person: string
  /** The platform's id of the message: the same one is admitted once, for ever. */
  readonly messageId: string | null
  readonly text: string
  /** It was a button: `text` is the command of its choice, and `replyTo` the message that it stood on. */
  readonly isButton?: true
  /** Another process of the owner handed it in: it is no sign that they are here. */
  readonly isOrder?: true
  /** The message that this one replies to, where the platform knows. */
  readonly replyTo?: RepliedTo
}

export interface RepliedTo {
  /** The platform's id of it. */
  readonly messageId: string
  /** What it says, as far as the platform tells. */
  readonly text?: string
  readonly embed?: Embed
}

export interface Outgoing {
  /** The position of its intent in the log. */
  readonly id: Position
  readonly conversation: string
  readonly text: string
  /** `answer`: of a model; `output`: of a command; `notice`: of the host; `question`: of the host, see `choices`; `ping`: of a model, at once; unasked where it has a number. */
  readonly form: 'answer' | 'output' | 'notice' | 'question' | 'ping'
  /** Shown in place of the text where a channel has cards. */
  readonly embed?: Embed
  /** Of a message that nobody waited for: it is shown, and `/reply NUMBER TEXT` answers it where a platform has no replies. */
  readonly number?: number
  /**
   * What can be answered. A channel with buttons makes one of each, and hands over the
   * command as if the person had typed it; elsewhere the text says what to type.
   */
  readonly choices: readonly Choice[]
  /** A crash hid whether it was sent before. */
  readonly isAgain: boolean
}

/** The platform failed. `isFinal`: it refuses this message for good, and the ones behind it may go on. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly isFinal: boolean
  readonly retryAfterMs: number | undefined
  constructor(
    message: string,
    more: { isFinal: boolean; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.isFinal = more.isFinal
    this.retryAfterMs = more.retryAfterMs
  }
}
