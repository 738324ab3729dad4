import type { Position } from '../event/id.ts'
import type { Choice, Embed } from '../event/work.ts'

/** A way to reach people. It knows no agent and starts no turn: it only passes messages in and out. */
export interface Channel {
  /** `terminal`, `telegram`, …: the first half of a delivery address. */
  readonly name: string
  /** Whether a person can answer a question here while a turn waits for it. */
  readonly canAsk: boolean
  /** Whether the platform can be reached; left out: always. */
  readonly isUp?: boolean
  start(receive: (inbound: Inbound) => Promise<void>): Promise<void>
  stop(): Promise<void>
  /**
   * Resolves once the person can see the message, with its id on the platform, or null if it has none. Rejects with a
   * ChannelError. `message.id` never changes, so a platform that can detect repeats shows it once.
   */
  send(message: Outgoing): Promise<string | null>
}

/** Three identities that are never mixed up: who wrote, where, and where an answer goes. */
export interface Inbound {
  readonly channel: string
  readonly conversation: string
  readonly person: string
  /** The message's id on the platform: the same one is admitted once, for ever. */
  readonly messageId: string | null
  readonly text: string
  /** A button was pressed: `text` is the command of its choice, and `replyTo` the message it was on. */
  readonly isButton?: true
  /** Submitted by another process of the owner: not a sign that they are here. */
  readonly isOrder?: true
  /**
   * Words that a program passes on, over HTTP for instance: never a command (SAFE5), always for main, and not a sign that
   * the person is here or can be reached here.
   */
  readonly isText?: true
  /** Such words that are no talk with main, as when a front end wants a title: a branch of its own answers them. */
  readonly isSideJob?: true
  /** Messages of different threads are not answered in one turn. */
  readonly thread?: string
  /** The message that this one replies to, if the platform knows. */
  readonly replyTo?: RepliedTo
}

export interface RepliedTo {
  /** Its id on the platform. */
  readonly messageId: string
  /** Its text, as far as the platform gives it. */
  readonly text?: string
  readonly embed?: Embed
}

export interface Outgoing {
  /** The position of its intent in the log. */
  readonly id: Position
  readonly conversation: string
  readonly text: string
  /**
   * `answer`, `ping`: from a model (a ping with a number is unasked); `output`: from a command; `notice`, `question`:
   * from the host.
   */
  readonly form: 'answer' | 'output' | 'notice' | 'question' | 'ping'
  /** Shown instead of the text on channels with cards. */
  readonly embed?: Embed
  /** For an unasked message: shown, so that `/reply NUMBER TEXT` can answer it where a platform has no replies. */
  readonly number?: number
  /**
   * Possible answers. A channel with buttons shows one for each and hands over its command as if the person had typed
   * it; elsewhere the text says what to type.
   */
  readonly choices: readonly Choice[]
  /** It may have been sent before: a crash hid the outcome. */
  readonly isAgain: boolean
}

/**
 * The platform failed. `isFinal`: it refuses this message for good, and later ones may go on. `retryAfterMs`: not sooner;
 * infinite if the channel itself says when, by asking the agent to deliver.
 */
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
