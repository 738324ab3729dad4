import { Again } from '../../base/again.ts'
import { ChannelError, type Preview } from '../../channel/channel.ts'
import { getBranch, workOf } from '../../context/branch.ts'
import type { Happening } from '../../event/happening.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import type { World } from '../contract/world.ts'
import { causeOf, whoAsked } from '../state/asker.ts'
import {
  addressKey,
  beginPreview,
  firstUnsettled,
  isSameWork,
  messageIdOf,
  openPreview,
  previewed,
  type OpenPreview,
} from '../state/outbox.ts'
import { isReached } from '../state/person.ts'
import { isRunning } from '../step/ending.ts'
import type { Tries } from './tries.ts'

/** A platform shows that somebody is typing for about five seconds. */
const TYPING_MS = 4_000

/** A turn that runs, and what its conversation is shown of it. */
interface Growing {
  readonly branch: BranchId
  readonly turn: TurnId
  readonly rounds: Again
  readonly over: AbortController
  /** What the model has said of its answer so far. */
  text: string
  /** Shown while there is no text. */
  status: string
  shown: string
  /** Nothing is shown before the first of these times, and no status before the second. */
  nextAt: number | undefined
  statusAt: number
  /** Doubled whenever the platform refuses an edit. */
  slower: number
}

/**
 * What a chat app shows while a turn runs: that somebody is typing, and a message that grows and becomes the answer. The
 * log has where such a message is, so the process that continues the turn after a crash edits the same one.
 */
export class Previews {
  readonly #world: World
  readonly #tries: Tries
  readonly #fail: (error: unknown) => void
  readonly #growing = new Map<BranchId, Growing>()
  readonly #alone = new Map<string, Promise<unknown>>()
  #isClosed = false
  /** Whether a preview may be open. */
  #isOpen = true

  constructor(world: World, tries: Tries, fail: (error: unknown) => void) {
    this.#world = world
    this.#tries = tries
    this.#fail = fail
  }

  readonly hear = (happening: Happening): void => {
    if (happening.kind === 'changed') return
    if (happening.kind === 'turn-started') return this.#begin(happening)
    const growing = this.#growing.get(happening.branch)
    if (growing === undefined) return
    switch (happening.kind) {
      case 'piece':
        growing.text += happening.text
        return void growing.rounds.ask()
      case 'call-started':
        growing.status = `Using \`${happening.tool}\`…`
        return void growing.rounds.ask()
      case 'pieces-void':
      case 'retry-planned':
        growing.text = ''
        return
      case 'turn-ended':
        growing.over.abort()
        this.#growing.delete(happening.branch)
        return void this.tidy().catch(this.#fail)
      default:
    }
  }

  /** Runs a work while no preview of this conversation is sent or edited: an edit must not overtake the answer. */
  async alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#alone.get(key)
    const mine = (before ?? Promise.resolve()).then(work)
    const over = mine.catch(() => undefined)
    this.#alone.set(key, over)
    try {
      return await mine
    } finally {
      if (this.#alone.get(key) === over) this.#alone.delete(key)
    }
  }

  /** Whether nobody can know if this preview is shown: then the message that it becomes may repeat it. */
  isHidden({ begun, platformId }: OpenPreview): boolean {
    return platformId === null && this.#tries.isOpen(begun.position)
  }

  /**
   * Takes away a preview that is not to become a message; one that is hidden cannot be found. Rejects with a ChannelError.
   * Called within `alone`.
   */
  async remove({ begun, platformId }: OpenPreview): Promise<void> {
    const { branch, position: intent, to } = begun
    const preview = this.#world.channels.get(to.channel)?.preview
    if (platformId !== null) await preview?.remove(to.conversation, platformId).catch(unlessFinal)
    await this.#write({ kind: 'preview-removed', branch, intent })
    this.#tries.end(intent)
  }

  /** Takes away previews of turns that are over and said nothing there. */
  async tidy(): Promise<void> {
    if (!this.#isOpen || !this.#isUseful) return
    const keys = await this.#world.log.read(previewed)
    this.#isOpen = keys.length > 0
    await Promise.all(keys.map((key) => this.alone(key, () => this.#tidyAt(key))))
  }

  async #tidyAt(key: string): Promise<void> {
    const open = await this.#world.log.read((reader) => {
      const preview = openPreview(reader, key)
      return preview !== undefined && isLeft(reader, key, preview) ? preview : undefined
    })
    if (open === undefined || !this.#world.channels.has(open.begun.to.channel)) return
    // Tried again with the next turn, or before the next message.
    await this.remove(open).catch(unlessChannel)
  }

  /** Resolves when nothing is on its way to a platform. */
  async settled(): Promise<void> {
    while (this.#alone.size > 0) await Promise.all(this.#alone.values())
  }

  /** Begins nothing more. */
  close(): void {
    this.#isClosed = true
    for (const { over } of this.#growing.values()) over.abort()
  }

  get #isUseful(): boolean {
    return [...this.#world.channels.values()].some((one) => 'preview' in one || 'typing' in one)
  }

  #begin({ branch, turn }: { branch: BranchId; turn: TurnId }): void {
    if (this.#isClosed || !this.#isUseful) return
    const growing: Growing = {
      branch,
      turn,
      rounds: new Again(() => this.#round(growing), { fail: this.#fail }),
      over: new AbortController(),
      text: '',
      status: '',
      shown: '',
      nextAt: undefined,
      statusAt: this.#world.now() + this.#world.settings().progressMs,
      slower: 1,
    }
    this.#growing.set(branch, growing)
    this.#open(growing).catch(this.#fail)
  }

  async #open(growing: Growing): Promise<void> {
    const found = await this.#world.log.read((reader) => {
      const to = whoAsked(reader, getBranch(reader, growing.branch))
      return to && { to, begun: openPreview(reader, addressKey(to))?.begun }
    })
    if (found === undefined) return
    void this.#type(found.to, growing)
    if (found.begun?.turn !== growing.turn) return
    // The turn began with words of the host.
    growing.status ||= found.begun.text
    growing.nextAt = growing.statusAt = 0
    void growing.rounds.ask()
  }

  async #type({ channel, conversation }: Address, { over }: Growing): Promise<void> {
    const at = this.#world.channels.get(channel)
    if (at?.typing === undefined) return
    while (!over.signal.aborted) {
      await at.typing(conversation).catch(unlessChannel).catch(this.#fail)
      await this.#world.sleep(TYPING_MS, over.signal).catch(() => undefined)
    }
  }

  /** Shows the newest text when it is time. What comes until then is shown with it. */
  async #round(growing: Growing): Promise<void> {
    const { branch, over } = growing
    const to = await this.#world.log.read((reader) => whoAsked(reader, getBranch(reader, branch)))
    const preview = to && this.#world.channels.get(to.channel)?.preview
    if (to === undefined || preview === undefined) return
    const everyMs = preview.everyMs(to.conversation) * growing.slower
    // A quick answer needs no preview, so the first one waits as well.
    await this.#until((growing.nextAt ??= this.#world.now() + everyMs), growing)
    if (growing.text === '') await this.#until(growing.statusAt, growing)
    if (over.signal.aborted) return
    growing.nextAt = this.#world.now() + everyMs
    await this.alone(addressKey(to), () => this.#show(growing, to, preview))
  }

  async #until(at: number, { over }: Growing): Promise<void> {
    const waitMs = at - this.#world.now()
    if (waitMs > 0) await this.#world.sleep(waitMs, over.signal).catch(() => undefined)
  }

  async #show(growing: Growing, to: Address, preview: Preview): Promise<void> {
    const text = growing.text.trim() === '' ? growing.status : growing.text
    if (text === '' || text === growing.shown || growing.over.signal.aborted) return
    const place = await this.#place(growing, to, text)
    if (place === undefined) return
    growing.shown = text
    if (growing.text === '') growing.statusAt = this.#world.now() + this.#world.settings().progressMs
    try {
      if (place.platformId === null) await this.#send(place, { preview, text })
      else await preview.grow(to.conversation, place.platformId, text)
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error
      growing.slower *= 2
      growing.nextAt = this.#world.now() + (error.retryAfterMs ?? 0) + preview.everyMs(to.conversation)
      growing.shown = ''
      if (error.isFinal) growing.over.abort()
      else void growing.rounds.ask()
    }
  }

  /** The preview to send or to edit, if this turn may show one now. */
  #place(
    { branch, turn }: Growing,
    to: Address,
    text: string,
  ): Promise<(OpenPreview & { replyTo: string | undefined }) | undefined> {
    const at = this.#world.now()
    return this.#world.log.write((writing) => {
      const key = addressKey(to)
      // Behind a message that waits, or before one that was said meanwhile, it would stand in the wrong place.
      if (!isRunning(writing, { branch, turn }) || firstUnsettled(writing, key) !== undefined)
        return undefined
      if (!isReached(writing, { branch, to }, this.#world.settings())) return undefined
      beginPreview(writing, { branch, turn, at, to, text })
      const open = openPreview(writing, key)
      if (open === undefined || this.isHidden(open) || !isSameWork(writing, open.begun.turn, turn))
        return undefined
      const cause = causeOf(writing, getBranch(writing, branch))
      return { ...open, replyTo: messageIdOf(writing, to, cause) }
    })
  }

  async #send(
    { begun, replyTo }: Pick<OpenPreview, 'begun'> & { replyTo: string | undefined },
    { preview, text }: { preview: Preview; text: string },
  ): Promise<void> {
    const { branch, position: intent, to } = begun
    this.#isOpen = true
    this.#tries.begin(intent)
    try {
      const platformId = await preview.begin(to.conversation, text, replyTo)
      await this.#write({ kind: 'preview-shown', branch, intent, platformId })
      this.#tries.end(intent)
    } catch (error) {
      if (error instanceof ChannelError && !error.isHidden) {
        await this.#write({ kind: 'preview-removed', branch, intent })
        this.#tries.end(intent)
      }
      throw error
    }
  }

  #write(
    event:
      | { kind: 'preview-shown'; branch: BranchId; intent: Position; platformId: string }
      | { kind: 'preview-removed'; branch: BranchId; intent: Position },
  ): Promise<Position> {
    const at = this.#world.now()
    return this.#world.log.write((writing) => writing.append({ ...event, at }))
  }
}

/** Whether no turn goes on with it, and nothing is said in its place. */
function isLeft(reader: Reader, key: string, { begun: { branch, turn } }: OpenPreview): boolean {
  if (firstUnsettled(reader, key) !== undefined) return false
  const work = workOf(getBranch(reader, branch))
  if (work === null || !isSameWork(reader, work.turn, turn)) return true
  return work.outcome !== undefined && work.outcome !== 'interrupted'
}

function unlessChannel(error: unknown): void {
  if (!(error instanceof ChannelError)) throw error
}

function unlessFinal(error: unknown): void {
  if (!(error instanceof ChannelError) || !error.isFinal) throw error
}
