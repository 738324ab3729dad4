import type { KeptFile } from '../event/file.ts'
import type { Position } from '../event/id.ts'
import type { Origin } from '../event/speaker.ts'
import type { Choice, Embed } from '../event/work.ts'

/** A way to reach people. It knows no agent and starts no turn: it only passes messages in and out. */
export interface Channel {
  /** `terminal`, `telegram`, …: the first half of a delivery address. */
  readonly name: string
  /** Whether a person can answer a question here while a turn waits for it. */
  readonly canAsk: boolean
  /** Left out: none of these. `buttons`: each choice of a message gets a key, which comes back when it is pressed. */
  readonly can?: {
    readonly buttons?: true
    /** Files of a message are uploaded; elsewhere its text says where they are. */
    readonly files?: true
    /** Its people see what happens elsewhere as it happens: answers need no lines about that. */
    readonly follow?: true
  }
  /** Called once, when the agent runs. It resolves soon: connecting, and connecting again, go on in the background. */
  start(door: Door): Promise<void>
  /** Nothing arrives after this resolves; messages may still be sent. */
  stop(): Promise<void>
  /**
   * Resolves once the person can see the whole message, with the platform's id of its last part, or null if it has none.
   * `note` is called after every part but the last, before the next one is sent. Rejects with a ChannelError.
   * `message.id` never changes, so a platform that can detect repeats shows it once.
   */
  send(message: Outgoing, note: (part: SentPart) => Promise<void>): Promise<string | null>
  /** For a message that grows while the model writes it. */
  readonly preview?: Preview
  /** Shows for a few seconds that an answer is being written; called again while that goes on. */
  typing?(conversation: string): Promise<void>
  /** At least this long between two messages to the conversation. */
  paceMs?(conversation: string): number
  /** Takes the buttons off a message. One that is gone, or has none, is no error. Rejects with a ChannelError. */
  clearButtons?(conversation: string, id: string): Promise<void>
  /** The menu of commands, at the start and whenever it changes. */
  menu?(menu: Menu): Promise<void>
}

/** Each person sees the commands that they may use. */
export interface Menu {
  readonly everybody: readonly MenuEntry[]
  readonly owner: readonly MenuEntry[]
  /** The owner's ids on the platform. */
  readonly owners: readonly string[]
  /** Ids that are nobody's any more: one of them may have been the owner's. */
  readonly strangers: readonly string[]
}

export interface MenuEntry {
  readonly name: string
  readonly help: string
}

export interface SentPart {
  /** Its id on the platform. */
  readonly id: string
}

/** Each rejects with a ChannelError. The text is Markdown of any length: the platform shows as much as fits. */
export interface Preview {
  /** At least this long between two edits. */
  everyMs(conversation: string): number
  /** Resolves with the message's id on the platform. */
  begin(conversation: string, text: string, replyTo?: string): Promise<string>
  grow(conversation: string, id: string, text: string): Promise<void>
  /** A message that is gone already is no error. */
  remove(conversation: string, id: string): Promise<void>
}

/** The way in, as a channel sees it. Rejects only when this process cannot go on: then nothing may be forgotten. */
export interface Door {
  /** Resolves once the message is durable, or refused for good: only then may the platform forget it. */
  arrive(arrival: Arrival): Promise<Welcome>
  /** A message was changed, or deleted, on the platform. */
  edited(edit: Sender & { readonly messageId: string; readonly text: string }): Promise<void>
  removed(removal: Sender & { readonly messageId: string }): Promise<void>
  /** The platform itself says that a conversation of several people has another id from now on. */
  moved(move: { readonly channel: string; readonly conversation: string; readonly to: string }): Promise<void>
  /** The connection changed; shown by `status`, `/readyz` and the metrics. */
  state(state: ChannelState): void
}

export type ChannelState =
  /** `as`: who we are there, such as a bot's name. */
  | { readonly kind: 'up'; readonly as?: string }
  | { readonly kind: 'connecting' }
  /** `why` says what to do about it; `retryAt`: when it is tried again. */
  | { readonly kind: 'down'; readonly why: string; readonly since: number; readonly retryAt: number | null }

export interface Welcome {
  /** `done`: a command or a button that acted at once. `ignored`: not for us, or from somebody we do not know. */
  readonly kind: 'admitted' | 'done' | 'duplicate' | 'ignored' | 'refused'
  /** Of a duplicate: which of its messages were admitted before. The others may arrive by themselves. */
  readonly known?: readonly string[]
  /** For the sender, directly and without the outbox: at the button that was pressed, or as a message. Best effort. */
  readonly say?: string
}

export interface Sender {
  readonly channel: string
  readonly conversation: string
  /** The sender's id on the platform. */
  readonly user: string
  readonly userName: string
  /** The conversation has several people. `isForUs`: the message mentions us or replies to us. */
  readonly group?: { readonly title: string; readonly isForUs: boolean }
}

/** A message from a platform, before anybody has looked up its sender. */
export interface Arrival
  extends Sender, Pick<Inbound, 'messageId' | 'parts' | 'album' | 'text' | 'replyTo' | 'button'> {
  /** Forwarded: words, never a command (SAFE5). */
  readonly isForwarded?: true
  /** What the sender passed on: `forwarded from Ana`, `contact`. It reaches a model as data, `text` as their words. */
  readonly passedOn?: readonly { readonly name: string; readonly text: string }[]
  readonly files?: readonly ArrivingFile[]
}

export interface ArrivingFile {
  /** What the platform calls it; its content decides. `voice`: recorded by its sender. */
  readonly kind: KeptFile['kind']
  readonly name: string | null
  /** In bytes, if the platform says so. */
  readonly size: number | null
  /** Called only for people we know. Rejects with a ChannelError, also beyond `bytesMax`. */
  fetch(signal: AbortSignal, bytesMax: number): Promise<Uint8Array>
}

/** Three identities that are never mixed up: who wrote, where, and where an answer goes. */
export interface Inbound {
  /**
   * What it may ask for (RIGHT1). `token`: words that a program passes on, over HTTP for instance, never a command (SAFE5),
   * always for main, and not a sign that the person is here or can be reached here. `page`: typed where every open
   * question of the branch that is talked to is shown, wherever it was asked.
   */
  readonly origin: Origin
  readonly channel: string
  readonly conversation: string
  readonly person: string
  /** For a conversation of several people, which `person` is as a whole: who of them wrote. */
  readonly speaker?: { readonly person: string; readonly name: string }
  /** The message's id on the platform: the same one is admitted once, for ever. */
  readonly messageId: string | null
  /** The ids of the other messages of an album. */
  readonly parts?: readonly string[]
  /** The album's own id: what comes with it later is no repeat. */
  readonly album?: string
  readonly text: string
  /** The key of the button that was pressed. The command of its choice takes the place of `text`. */
  readonly button?: string
  /** A button was pressed: `text` is the command of its choice, and `replyTo` the message it was on. */
  readonly isButton?: true
  /** The person writes too much: it waits until then. */
  readonly wait?: { readonly until: number }
  /** Somebody else's words, forwarded: never a command (SAFE5). */
  readonly isForwarded?: true
  /** Submitted by another process of the owner: not a sign that they are here. */
  readonly isOrder?: true
  /** Of a `token`: words that are no talk with main, as when a front end wants a title: a branch of its own answers them. */
  readonly isSideJob?: true
  /** Messages of different threads are not answered in one turn. */
  readonly thread?: string
  /** Where somebody at a terminal stands, if the text may name a file from there. */
  readonly folder?: string
  /** The message that this one replies to, if the platform knows. */
  readonly replyTo?: RepliedTo
  /** A message with files is never a command. */
  readonly files?: readonly KeptFile[]
}

export interface RepliedTo {
  /** Its id on the platform. */
  readonly messageId: string
  /** Its intent, on a page that shows the log: it may have been sent to any conversation of the person. */
  readonly delivery?: Position
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
  /** Only where files can be sent. Their bytes are stored by their hash. */
  readonly files?: readonly KeptFile[]
  /** For an unasked message: shown, so that `/reply NUMBER TEXT` can answer it where a platform has no replies. */
  readonly number?: number
  /**
   * Possible answers. A channel with buttons shows one for each that has a key; elsewhere the text says what to type.
   */
  readonly choices: readonly (Choice & { readonly key?: string })[]
  /**
   * The first part that is sent now may have been sent before: a crash, or the network, hid the outcome. It is marked,
   * unless the platform can tell, as with an edit.
   */
  readonly isAgain: boolean
  /** The preview that becomes the first part of this message; if it is gone, the message is sent as a new one. */
  readonly replaces?: string
  /** The id of the message that this one answers, if it was sent in this conversation. */
  readonly replyTo?: string
  /** Ids of the parts that an earlier try sent. Its other parts follow. */
  readonly sent?: readonly string[]
}

/**
 * The platform failed. `isFinal`: it refuses this message for good, and later ones may go on. `retryAfterMs`: not sooner;
 * infinite if the channel itself says when, by asking the agent to deliver. `isHidden`: nobody knows whether it arrived.
 * `movedTo`: it was not sent, because the conversation goes on under this id.
 */
export class ChannelError extends Error {
  override readonly name = 'ChannelError'
  readonly isFinal: boolean
  readonly retryAfterMs: number | undefined
  readonly isHidden: boolean
  readonly movedTo: string | undefined
  constructor(
    message: string,
    about: Pick<ChannelError, 'isFinal'> &
      Partial<Pick<ChannelError, 'retryAfterMs' | 'isHidden' | 'movedTo' | 'cause'>>,
  ) {
    const { isFinal, retryAfterMs, isHidden = false, movedTo, ...options } = about
    super(message, options)
    this.isFinal = isFinal
    this.retryAfterMs = retryAfterMs
    this.isHidden = isHidden
    this.movedTo = movedTo
  }
}

/** A channel, as people call it. */
export function channelTitle(name: string): string {
  return TITLES[name] ?? name.charAt(0).toUpperCase() + name.slice(1)
}

const TITLES: Readonly<Record<string, string>> = { v1: 'the API', web: 'the page' }
