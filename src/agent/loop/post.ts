import { Again } from '../../base/again.ts'
import type { Random } from '../../base/random.ts'
import { oneLine, shorten } from '../../base/width.ts'
import { ChannelError, type Channel, type Outgoing, type SentPart } from '../../channel/channel.ts'
import type { Happening } from '../../event/happening.ts'
import { sentWith } from '../../event/file.ts'
import type { Position } from '../../event/id.ts'
import type { Address } from '../../event/work.ts'
import type { Reader, Writing } from '../../event/table.ts'
import { pingAt, pingsIn } from '../state/ledger.ts'
import {
  addresses,
  addressKey,
  becomes,
  firstUnsettled,
  keysOf,
  messageIdOf,
  openPreview,
  partsSent,
  placeNow,
  say,
  type OpenPreview,
} from '../state/outbox.ts'
import {
  elsewhere,
  expiresAt,
  losePings,
  movePings,
  otherAddress,
  tooLate,
  waitingIn,
} from '../ping/ping-settling.ts'
import type { Intent, Lifetime } from '../ping/ping-settling.ts'
import { boundTo, isReached } from '../state/person.ts'
import { moveGroup } from '../branch/people-acts.ts'
import type { World } from '../contract/world.ts'
import { aroundAnswer, type Around } from './meanwhile.ts'
import { Previews } from './previews.ts'
import type { Tries } from './tries.ts'

const RETRY_MS = [1_000, 5_000, 30_000]

/** A message and what the log knows of earlier tries. */
interface Ready {
  readonly intent: Intent
  readonly keys: readonly string[] | undefined
  readonly sent: readonly string[]
  /** The event that the log has last of it: its intent or a part. */
  readonly last: Position
  /** What grows in its conversation. */
  readonly preview: OpenPreview | undefined
  /** Whether the message is what the preview becomes. */
  readonly isItsPreview: boolean
  readonly replyTo: string | undefined
  /** Nobody it is for can be reached there any more. */
  readonly isLost: boolean
  /** Where its conversation goes on; ids of messages before a move mean nothing there. */
  readonly place: Address
}

/** Sends the outboxes: for each address in order, one message at a time, until the platform takes or refuses it. */
export class Post {
  readonly #world: World
  readonly #previews: Previews
  readonly #tries: Tries
  readonly #fail: (error: unknown) => void
  readonly #rounds = new Map<string, Again>()
  readonly #sending = new Set<Position>()
  /** By address: no message before this time. */
  readonly #pacedTo = new Map<string, number>()
  readonly #closing = new AbortController()

  constructor(world: World, tries: Tries, fail: (error: unknown) => void) {
    this.#world = world
    this.#tries = tries
    this.#previews = new Previews(world, tries, fail)
    this.#fail = fail
    this.#previews.tidy().catch(fail)
  }

  /** What a turn does is shown while it runs, where a channel can. */
  readonly hear = (happening: Happening): void => this.#previews.hear(happening)

  /** Looks at every address for something to send. */
  async look(): Promise<void> {
    for (const address of await this.#world.log.read(addresses)) this.#start(address)
  }

  /** Deliveries that their platforms have at this moment. */
  get sending(): ReadonlySet<Position> {
    return new Set(this.#sending)
  }

  /** Resolves when everything that can be sent is sent. */
  async settled(): Promise<void> {
    await this.look()
    while (this.#rounds.size > 0)
      await Promise.all([...this.#rounds.values()].map((round) => round.settled()))
    await this.#previews.settled()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#previews.close()
    await this.settled()
  }

  #start(address: Address): void {
    const channel = this.#world.channels.get(address.channel)
    if (channel === undefined || this.#closing.signal.aborted) return
    const key = addressKey(address)
    const idle = (): void => void this.#rounds.delete(key)
    const round =
      this.#rounds.get(key) ?? new Again(() => this.#sendAll(key, channel), { fail: this.#fail, idle })
    this.#rounds.set(key, round)
    void round.ask()
  }

  async #sendAll(key: string, channel: Channel): Promise<void> {
    for (let tries = 0; !this.#closing.signal.aborted;) {
      await this.#pause((this.#pacedTo.get(key) ?? 0) - this.#world.now())
      if (this.#closing.signal.aborted) return
      const waitMs = await this.#previews.alone(key, () => this.#sendNext(key, channel))
      if (waitMs === 'nothing' || waitMs === Number.POSITIVE_INFINITY) return
      if (waitMs === undefined) tries = 0
      else await this.#pause(Math.max(waitMs, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)] ?? 0))
    }
  }

  async #sendNext(key: string, channel: Channel): Promise<number | 'nothing' | undefined> {
    const ready = await this.#world.log.read((reader) => this.#readyIn(reader, key))
    return ready === undefined ? 'nothing' : this.#send(channel, ready)
  }

  #readyIn(reader: Reader, key: string): Ready | undefined {
    const position = firstUnsettled(reader, key)
    if (position === undefined) return undefined
    const intent = reader.event(position) as Intent
    const { to, cause = null } = intent
    const preview = openPreview(reader, key)
    const parts = partsSent(reader, position)
    return {
      intent,
      keys: keysOf(reader, position),
      sent: parts.map(({ platform_id }) => platform_id),
      last: parts.at(-1)?.position ?? position,
      preview,
      isItsPreview: preview !== undefined && becomes(reader, preview, intent),
      replyTo: messageIdOf(reader, to, cause),
      isLost: !isReached(reader, intent, this.#world.settings()),
      place: placeNow(reader, to),
    }
  }

  /** Undefined when it is settled; else how long the platform asks to wait, at least. */
  async #send(channel: Channel, ready: Ready): Promise<number | undefined> {
    const { intent, preview, isItsPreview, sent } = ready
    const { position, branch } = intent
    const tries = this.#tries
    let { last } = ready
    let isAgain = tries.isOpen(last)
    if (ready.isLost) {
      await this.#refused(channel, intent, 'that account was removed')
      this.#settled(last, ready)
      return undefined
    }
    try {
      const keys = await this.#claim(channel, ready)
      if (keys === 'left') return undefined
      const isPreviewHidden = preview !== undefined && this.#previews.isHidden(preview)
      if (preview !== undefined && !isPreviewHidden && !isItsPreview) await this.#previews.remove(preview)
      const place = { now: this.#world.now(), zone: this.#world.settings().zone }
      const around =
        channel.can?.follow === true
          ? {}
          : await this.#world.log.read((reader) => aroundAnswer(reader, intent, place))
      const isMarked = isAgain || (isPreviewHidden && isItsPreview && sent.length === 0)
      const message = this.#messageOf(channel, ready, { keys, ...around, isAgain: isMarked })
      // The last thing before the network: if we die after it, the next process marks the message as a repeat.
      tries.begin(last)
      const platformId = await channel.send(message, async (part) => {
        const noted = await this.#sentPart(intent, part)
        tries.end(last)
        await this.#pause(channel.paceMs?.(intent.to.conversation) ?? 0)
        last = noted
        isAgain = false
        tries.begin(last)
      })
      this.#pace(channel, intent)
      const done = { kind: 'delivery-done', branch, intent: position, platformId, ...around } as const
      const at = this.#world.now()
      await this.#world.log.write((writing) => writing.append({ ...done, at }))
      this.#settled(last, ready)
      // Another ping may wait to know whether this one used up its token, and a question may be decided by now.
      if (intent.form === 'ping' || keys !== undefined) this.#world.emit({ kind: 'changed' })
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error
      if (!error.isHidden && !isAgain) tries.end(last)
      if (!error.isFinal) {
        this.#sending.delete(position)
        // A ping may have expired during this try: the chores look again.
        this.#world.emit({ kind: 'changed' })
        return error.retryAfterMs ?? 0
      }
      if (await this.#moved(intent, error)) return 0
      await this.#refused(channel, intent, error.message)
      this.#settled(last, ready)
    } finally {
      // Only once its outcome is written: until then the chore that expires pings must leave it alone.
      this.#sending.delete(position)
    }
    return undefined
  }

  #messageOf(
    { can }: Channel,
    { intent, sent, preview, isItsPreview, replyTo, place: { conversation } }: Ready,
    { head, foot, keys, isAgain }: Around & { readonly keys: Ready['keys']; readonly isAgain: boolean },
  ): Outgoing {
    const { position, to, form, choices = [], embed, number, files } = intent
    const text = can?.files === true ? intent.text : sentWith(intent)
    const isHere = conversation === to.conversation
    const replaces = isHere && isItsPreview ? preview?.platformId : undefined
    return {
      id: position,
      conversation,
      text: [head, text, foot].filter((part) => part !== undefined).join('\n\n'),
      form,
      choices: choices.map((choice, index) => ({ ...choice, ...(keys?.[index] && { key: keys[index] }) })),
      isAgain,
      ...(embed !== undefined && { embed }),
      ...(files !== undefined && can?.files === true && { files }),
      ...(number !== undefined && { number }),
      ...(isHere && replyTo !== undefined && { replyTo }),
      ...(replaces && { replaces }),
      ...(sent.length > 0 && { sent }),
    }
  }

  /** A kill after this goes on behind the part, and a reply to the part finds its message. */
  #sentPart({ branch, position: intent }: Intent, { id }: SentPart): Promise<Position> {
    const part = { kind: 'delivery-part', branch, intent, platformId: id } as const
    const at = this.#world.now()
    return this.#world.log.write((writing) => writing.append({ ...part, at }))
  }

  /** With the message, what became of its preview is known too. */
  #settled(last: Position, { preview, isItsPreview }: Ready): void {
    this.#tries.end(last)
    if (preview !== undefined && isItsPreview) this.#tries.end(preview.begun.position)
  }

  #pace(channel: Channel, { to }: Intent): void {
    const paceMs = channel.paceMs?.(to.conversation) ?? 0
    if (paceMs > 0) this.#pacedTo.set(addressKey(to), this.#world.now() + paceMs)
  }

  /**
   * Whether it is to be sent, and the keys of its buttons. A ping that was sent elsewhere, or is too late, is left. That is
   * decided in one write, as its expiry is, so only one of the two happens.
   */
  async #claim(channel: Channel, { intent, keys }: Ready): Promise<readonly string[] | undefined | 'left'> {
    const { position, form, branch, choices = [] } = intent
    // Before the write below: the chore that expires pings leaves alone what is being sent.
    this.#sending.add(position)
    const isKeyless = channel.can?.buttons === true && choices.length > 0 && keys === undefined
    if (form !== 'ping' && !isKeyless) return keys
    const made = isKeyless ? newKeys(intent, this.#world.random) : undefined
    const now = this.#world.now()
    const { ttlMs } = this.#world.settings().pings
    return this.#world.log.write((writing) => {
      const message = form === 'ping' ? whyLeave(writing, intent, { now, ttlMs }) : undefined
      const about = { branch, intent: position, at: now } as const
      if (message !== undefined) writing.append({ kind: 'delivery-failed', ...about, message })
      else if (made !== undefined) writing.append({ kind: 'buttons-made', ...about, keys: made })
      return message === undefined ? (made ?? keys) : 'left'
    })
  }

  /**
   * The platform refuses it for good. A ping goes to another address of the person, or becomes an update. About any other
   * message they are told at another address.
   */
  async #refused(channel: Channel, intent: Intent, message: string): Promise<void> {
    const { position, branch } = intent
    const at = this.#world.now()
    const channels = new Set(this.#world.channels.keys())
    const following = new Set(
      [...this.#world.channels].flatMap(([name, { can }]) => (can?.follow === true ? name : [])),
    )
    const hasMoved = await this.#world.log.write((writing) => {
      const pings = waitingIn(writing, position)
      const to = elsewhere(writing, intent, channels)
      const why = `did not arrive (${oneLine(message)})`
      if (to !== undefined) movePings(writing, intent, { to, at })
      else losePings(writing, pings, { at, outcome: 'failed', why })
      writing.append({ kind: 'delivery-failed', branch, intent: position, at, message })
      const told =
        channel.can?.follow === true
          ? undefined
          : tellRefused(writing, intent, { at, why, channels, following })
      return to !== undefined || told !== undefined
    })
    if (hasMoved) await this.look()
    this.#world.emit({ kind: 'changed' })
  }

  /** Whether it is to be sent to where its conversation goes on. */
  async #moved({ to: { channel, conversation } }: Intent, { movedTo: to }: ChannelError): Promise<boolean> {
    if (to === undefined) return false
    const move = { channel, conversation, to, at: this.#world.now() }
    return this.#world.log.write((writing) => moveGroup(writing, move))
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await this.#world.sleep(ms, this.#closing.signal).catch(() => undefined)
  }
}

/** A key for each choice: the delivery's position, so that it can be found, and 96 bits that nobody guesses. */
function newKeys({ position, choices = [] }: Intent, random: Random): string[] {
  const word = (): string => random().toString(36).padStart(7, '0')
  return choices.map(() => `${position}.${word()}${word()}${word()}`)
}

interface Refusing {
  readonly at: number
  readonly why: string
  readonly channels: ReadonlySet<string>
  /** Those whose chats show whatever is said in their branch. */
  readonly following: ReadonlySet<string>
}

/** Tells the person at another address that a message did not arrive; undefined: there is none, or it said so itself. */
function tellRefused(
  writing: Writing,
  { branch, position, to, text, cause, form }: Intent,
  { at, why, channels, following }: Refusing,
): Position | undefined {
  // A stranger's conversation belongs to nobody.
  if (boundTo(writing, to) === undefined) return undefined
  const isAboutOne = cause !== undefined && writing.event(cause).kind === 'delivery-intended'
  const other = form === 'ping' || isAboutOne ? undefined : otherAddress(writing, { branch, to, channels })
  if (other === undefined) return undefined
  // A chat that follows the branch shows what was said there, and would show it twice.
  const isShown = form !== 'output' && following.has(other.channel) && boundTo(writing, other) === branch
  const quoted = isShown ? '. It stands above in this chat.' : `: ${shorten(oneLine(text), QUOTED_WIDTH)}`
  const words = `A message to ${to.channel} ${why}${quoted}`
  return say(writing, { branch, at, to: other, notice: 'undelivered', text: words, cause: position })
}

const QUOTED_WIDTH = 200

/** Why a ping is no longer sent. One that is too late becomes an update here. */
function whyLeave(writing: Writing, { position, number }: Intent, life: Lifetime): string | undefined {
  const { now, ttlMs } = life
  const pings = pingsIn(writing, position)
  const waiting = waitingIn(writing, position)
  if (waiting.length === 0) return pings.length === 0 ? undefined : 'It was sent elsewhere, or came too late.'
  const isLate = waiting.some((ping) => expiresAt(pingAt(writing, ping), life) <= now)
  if (number === undefined || !isLate) return undefined
  losePings(writing, waiting, { at: now, outcome: 'expired', why: tooLate(ttlMs) })
  return 'It came too late.'
}
