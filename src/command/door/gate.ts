import { groupFor, moveGroup, noteLink, type Stranger } from '../../agent/branch/people-acts.ts'
import {
  admittedAt,
  admittedBefore,
  isHeldBack,
  isWaiting,
  knownIds,
  waiting,
} from '../../agent/state/inbox.ts'
import { hashOf } from '../../agent/state/setup.ts'
import { say } from '../../agent/state/outbox.ts'
import { accountsAt, identityKey, identityOf, nameOfPerson } from '../../agent/state/person.ts'
import { settingsFor, type AgentSettings } from '../../agent/state/settings.ts'
import { branchFor } from '../../agent/branch/binding.ts'
import { timeText } from '../../base/time-text.ts'
import { oneLine, shorten } from '../../base/width.ts'
import type { Arrival, Inbound, Sender, Welcome } from '../../channel/channel.ts'
import { getBranch } from '../../context/branch.ts'
import { plainName } from '../../event/fence.ts'
import type { Position } from '../../event/id.ts'
import { OWNER, personOf } from '../../event/speaker.ts'
import type { Reader, Writing } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { personAt } from '../desk/desk.ts'
import { Strangers, type GateParts } from './strangers.ts'

/** A message of somebody we know, or what the channel is told instead. */
export type Entry =
  | { readonly kind: 'in'; readonly inbound: Inbound }
  | { readonly kind: 'out'; readonly welcome: Welcome }

/**
 * Everything that comes from a platform passes here first. Before its sender is known, nothing is admitted, fetched or
 * bound to a branch, and the answer is at most a code to be let in with (SAFE1, PEOPLE1).
 */
export class Gate {
  readonly #parts: GateParts
  readonly #desk: GateParts['desk']
  readonly #rates = new RateLimit()
  readonly #strangers: Strangers
  readonly #closing = new AbortController()
  readonly #telling = new Set<Promise<void>>()

  constructor(parts: GateParts) {
    this.#parts = parts
    this.#desk = parts.desk
    this.#strangers = new Strangers(parts)
  }

  async enter(arrival: Arrival): Promise<Entry> {
    const sender = checked(arrival)
    const { messageId, parts = [], album, group, button } = arrival
    const ids = [messageId, ...parts, album].filter((id) => id !== null && id !== undefined)
    if (sender === undefined || !ids.every(isId)) return out({ kind: 'refused' })
    const { links } = this.#desk.settings()
    const { person, known, isMore } = await this.#desk.log.read((reader) => {
      const person = identityOf(reader, sender, { links })
      const before = album === undefined ? undefined : admittedBefore(reader, sender, album)
      return {
        person,
        known: knownIds(reader, { ...sender, messageId, parts }),
        isMore: person !== undefined && authorOf(reader, before) === person,
      }
    })
    if (person === undefined) {
      if (group === undefined) await this.#strangers.meet(sender)
      return out({ kind: 'ignored' })
    }
    // Checked here so that its files are not fetched again.
    if (known.length > 0) return out({ kind: 'duplicate', known })
    // Only one part of an album names us. The others may come long after it.
    const isForUs = group === undefined || group.isForUs || isMore || button !== undefined
    if (!isForUs) return out({ kind: 'ignored' })
    const pace = this.#rates.count(person, { now: this.#desk.now(), ...this.#desk.settings() })
    if ('refused' in pace) return out({ kind: 'refused', ...(pace.refused === 'first' && { say: TOO_MANY }) })
    const inbound = await this.#inboundOf(arrival, sender, person)
    if (pace.isNews === true) this.#tellLater(inbound)
    return { kind: 'in', inbound: { ...inbound, ...(pace.wait !== undefined && { wait: pace.wait }) } }
  }

  #tellLater(address: Address): void {
    const telling = this.#tellWaiting(address).catch(this.#parts.fail)
    this.#telling.add(telling)
    void telling.finally(() => this.#telling.delete(telling))
  }

  /** Once a burst of messages is over, so that all of them are counted. */
  async #tellWaiting({ channel, conversation, person }: Address): Promise<void> {
    await this.#parts.sleep(BURST_MS, this.#closing.signal).catch(() => undefined)
    const contact = personAt(this.#desk)
    const { at, settings } = contact
    const to = { channel, conversation, ...(person !== undefined && { person }) }
    await this.#desk.log.write((writing) => {
      const branch = branchFor(writing, to, contact)
      const held = waiting(writing, branch).filter((entry) => isHeldBack(entry, at))
      const until = timeText(held.at(-1)?.not_before ?? at, {
        now: at,
        zone: settingsFor(settings, personOf(to)).zone,
      })
      const many =
        held.length === 1
          ? `1 message waits until ${until}`
          : `${held.length} messages wait, the last until ${until}`
      const text = `You write faster than I may answer: ${many}.`
      if (held.length > 0) say(writing, { branch, at, to, notice: 'slowed', text, cause: null })
    })
    this.#desk.agent().deliver()
  }

  async #inboundOf(arrival: Arrival, sender: Stranger, person: string): Promise<Inbound> {
    const { messageId, parts, album, replyTo, isForwarded, group } = arrival
    const { channel, conversation } = sender
    const rest = {
      origin: 'phone',
      messageId,
      text: wellFormed(arrival.text),
      ...(parts && { parts }),
      ...(album !== undefined && { album }),
      ...(replyTo && { replyTo }),
      ...(isForwarded && { isForwarded }),
    } as const
    if (group === undefined) {
      await this.#noteLink(sender)
      return { channel, conversation, person, ...rest }
    }
    const contact = personAt(this.#desk)
    return this.#desk.log.write((writing) => ({
      channel,
      conversation,
      person: groupFor(writing, { channel, conversation, title: shown(group.title) }, contact),
      // A guest has the name that the owner gave them: their own could be somebody else's.
      speaker: { person, name: person === OWNER ? sender.userName || OWNER : nameOfPerson(writing, person) },
      ...rest,
    }))
  }

  async #noteLink(sender: Stranger): Promise<void> {
    const key = identityKey(sender)
    if (!this.#desk.settings().links.includes(key)) return
    const isNoted = (reader: Reader): boolean =>
      accountsAt(reader, sender).some(({ identity }) => identity === key)
    if (await this.#desk.log.read(isNoted)) return
    const contact = personAt(this.#desk)
    await this.#desk.log.write((writing) => noteLink(writing, sender, contact))
  }

  /** A message that still waits is changed; one that was taken gets a note behind it. */
  async edited(edit: Sender & { readonly messageId: string; readonly text: string }): Promise<void> {
    const text = wellFormed(edit.text)
    const { at, seed } = personAt(this.#desk)
    const changed = await this.#change(edit, (writing, [position, ...others]) => {
      const { branch, source, form, text: before } = admittedAt(writing, position)
      if (text === before || text.trim() === '' || source.from !== 'person') return undefined
      if (others.length === 0 && form === 'message' && isWaiting(writing, branch, position)) {
        writing.append({ kind: 'inbound-edited', branch, at, entry: position, text })
        return branch
      }
      const key = `edit ${edit.messageId} ${hashOf(text)}`
      if (admittedBefore(writing, source, key) !== undefined) return undefined
      const isOver = getBranch(writing, branch).state.kind === 'ended'
      const place = isOver ? branchFor(writing, source, { at, seed }) : branch
      const note = {
        source: { ...source, key },
        form: 'note',
        text: `(changed an earlier message to:) ${text}`,
      } as const
      writing.append({ kind: 'inbound-admitted', branch: place, at, ...note })
      return place
    })
    if (changed !== undefined) this.#desk.agent().wake([changed])
  }

  /** A message that still waits is dropped. */
  async removed(removal: Sender & { readonly messageId: string }): Promise<void> {
    const at = this.#desk.now()
    await this.#change(removal, (writing, entries) => {
      for (const entry of entries) {
        const { branch } = admittedAt(writing, entry)
        if (isWaiting(writing, branch, entry)) writing.append({ kind: 'inbound-dropped', branch, at, entry })
      }
    })
  }

  async moved(move: Address & { readonly to: string }): Promise<void> {
    if (![move.channel, move.conversation, move.to].every(isId)) return
    const at = this.#desk.now()
    await this.#desk.log.write((writing) => moveGroup(writing, { ...move, at }))
    this.#desk.agent().deliver()
  }

  /** Changes a message that was admitted, for its author only. It counts against the rate limit like a message. */
  async #change<T>(
    change: Sender & { readonly messageId: string },
    act: (writing: Writing, entries: readonly [Position, ...Position[]]) => T,
  ): Promise<T | undefined> {
    const sender = checked(change)
    if (sender === undefined) return undefined
    const settings = this.#desk.settings()
    const person = await this.#desk.log.read((reader) => identityOf(reader, sender, settings))
    const look = { now: this.#desk.now(), ...settings }
    if (person === undefined || this.#rates.isFull(person, look)) return undefined
    const changed = await this.#desk.log.write((writing) => {
      const [first, ...others] = entriesOf(writing, sender, { key: change.messageId, person })
      return first === undefined ? undefined : act(writing, [first, ...others])
    })
    if (changed !== undefined) this.#rates.count(person, look)
    return changed
  }

  /** Notes what is known of strangers, and tells who waits. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#telling, this.#strangers.close()])
  }
}

/** Where a message was admitted before: its parts, in their order. */
function entriesOf(
  reader: Reader,
  sender: Stranger,
  { key, person }: { readonly key: string; readonly person: string },
): Position[] {
  const entries: Position[] = []
  for (let next = admittedBefore(reader, sender, key); next !== undefined && next <= reader.end;) {
    const event = reader.event(next)
    const source = event.kind === 'inbound-admitted' ? event.source : undefined
    if (source?.from !== 'person' || source.key !== key || authorOf(reader, next) !== person) break
    entries.push(next)
    next = (next + 1) as Position
  }
  return entries
}

/** Who wrote what was admitted there. */
function authorOf(reader: Reader, position: Position | undefined): string | undefined {
  const event = position === undefined ? undefined : reader.event(position)
  const source = event?.kind === 'inbound-admitted' ? event.source : undefined
  return source?.from === 'person' ? (source.speaker?.person ?? source.person) : undefined
}

/** Messages that come closer together are told of in one notice. */
const BURST_MS = 3_000

const TOO_MANY = 'You have sent too many messages. Please wait a while; this one was not taken.'

function out(welcome: Welcome): Entry {
  return { kind: 'out', welcome }
}

const ID_MAX = 256
const NAME_COLUMNS = 30
/** Leaves room for a number, as in `Ana 2`, within what `/pair` takes. */
const NAME_MAX = 36

/** Undefined: an id is empty, too long, or not valid text. */
function checked({ channel, conversation, user, userName }: Sender): Stranger | undefined {
  if (![channel, conversation, user].every(isId)) return undefined
  return { channel, conversation, user, userName: shown(userName) }
}

function isId(id: string): boolean {
  return id !== '' && id.length <= ID_MAX && wellFormed(id) === id
}

function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/**
 * A name that somebody gave themselves, harmless in a sentence: without signs that nobody sees, Markdown, quotes, and
 * accents by the hundred.
 */
function shown(name: string): string {
  const plain = plainName(name.replaceAll(/[[\]()<>{}*_~`"|\\]/g, ' ')).replaceAll("'", '’')
  return shorten(oneLine(plain), NAME_COLUMNS).slice(0, NAME_MAX).toWellFormed().trim()
}

interface Look extends Pick<AgentSettings, 'rateLimit'> {
  readonly now: number
}

/** Beyond this many times the limit, messages are refused instead of waiting. */
const REFUSED_FROM = 10

interface Writer {
  /** The times at which messages of this window were worked on, or will be. */
  readonly goes: number[]
  noticedAt: number
  refusedAt: number
}

/**
 * How many messages of one person are worked on in a window of time. A message over the limit waits until the one that
 * came `max` before it is a window old.
 */
class RateLimit {
  readonly #writers = new Map<string, Writer>()

  isFull(person: string, { now, rateLimit: { max, windowMs } }: Look): boolean {
    return this.#writerOf(person, now - windowMs).goes.length >= REFUSED_FROM * max
  }

  /** How long a message waits. `isNews`, `first`: they were not told yet in this window that messages wait, or are refused. */
  count(
    person: string,
    look: Look,
  ): (Pick<Inbound, 'wait'> & { readonly isNews?: boolean }) | { readonly refused: 'first' | 'again' } {
    const { now } = look
    const { max, windowMs } = look.rateLimit
    const writer = this.#writerOf(person, now - windowMs)
    const { goes } = writer
    if (this.isFull(person, look)) {
      const isTold = now - writer.refusedAt < windowMs
      if (!isTold) writer.refusedAt = now
      return { refused: isTold ? 'again' : 'first' }
    }
    const until = goes.length < max ? now : Math.max(now, (goes.at(-max) ?? now) + windowMs)
    goes.push(until)
    if (until <= now) return {}
    const isNews = now - writer.noticedAt >= windowMs
    if (isNews) writer.noticedAt = now
    return { wait: { until }, isNews }
  }

  /** Forgets what is older than `since`, and people who have not written since then. */
  #writerOf(person: string, since: number): Writer {
    for (const [id, { goes }] of this.#writers) {
      const first = goes.findIndex((at) => at > since)
      goes.splice(0, first < 0 ? goes.length : first)
      if (goes.length === 0 && id !== person) this.#writers.delete(id)
    }
    const known = this.#writers.get(person) ?? { goes: [], noticedAt: -Infinity, refusedAt: -Infinity }
    this.#writers.set(person, known)
    return known
  }
}
