import { boundBranch } from '../../agent/branch/binding.ts'
import { admittedBefore, isWaiting } from '../../agent/state/inbox.ts'
import { addressKey, unsettled } from '../../agent/state/outbox.ts'
import { turnTable } from '../../agent/state/tables.ts'
import { assert } from '../../base/assert.ts'
import { stopwatchMs } from '../../base/clock.ts'
import type { Outgoing } from '../../channel/channel.ts'
import type { Entry, ScreenHappening, Status } from '../../channel/terminal/port.ts'
import { OwnerGone } from '../../client/socket.ts'
import { contextTokensOf } from '../../command/commands/settings-commands.ts'
import type { Received } from '../../command/door/reception.ts'
import { EventError } from '../../event/codec.ts'
import type { EventOf } from '../../event/event.ts'
import type { Happening } from '../../event/happening.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import { LogError } from '../../log/log.ts'
import type { Life } from '../life/life.ts'
import { queuedAfter, saidAt, type Said } from '../../view/chat/order.ts'
import { callDetails, callSummary, resultSummary } from '../../view/chat/call-lines.ts'
import { leftOpen, questionOf, TerminalQuestions, type Waiting } from './open-questions.ts'
import { closingEntries, entryOf, moverOf, pastOf, saidEntry, saidTo, shownTo, windowIn } from './past.ts'
import { terminalAddress, typedInbound } from './place.ts'
import type { Seats, Taken } from './seats.ts'
import { knownIn, statusOf, type KnownHere } from './status-line.ts'

/** What a seat tells the port of its screen, in this process or over the socket. It is plain data. */
export type SeatHappening =
  /** The first one. For a screen that was here before, `past` has what it missed. */
  | ({ readonly kind: 'opened' } & Opened)
  | Exclude<ScreenHappening, { kind: 'command-started' | 'command-ended' | 'queued' }>
  /** Somebody said this, maybe on this screen. */
  | { readonly kind: 'said'; readonly position: number; readonly entry: Entry }
  /** To be answered with `shown` once it is on the screen. */
  | { readonly kind: 'delivered'; readonly id: number; readonly entries: readonly Entry[] }
  /** Messages that no turn has taken yet, oldest first. */
  | { readonly kind: 'waiting'; readonly waiting: readonly Pick<Said, 'key' | 'text'>[] }
  | { readonly kind: 'known'; readonly known: KnownHere }
  /** What was typed is in the log; a turn has taken it, or it was done. */
  | { readonly kind: 'received' | 'taken'; readonly key: string }
  /** Another owner comes. */
  | { readonly kind: 'handing-over' }

export interface Opened {
  readonly past: readonly Entry[]
  readonly typed: readonly string[]
  readonly status: Status
  readonly known: KnownHere
  /** What was typed up to here, and what was delivered up to there, is in the past. */
  readonly said: number
  readonly shown: number
}

/** What a screen has seen already when it takes a seat again. */
export interface Seen extends Pick<Opened, 'said' | 'shown'> {
  /** The approvals whose questions it asks. */
  readonly asked: readonly number[]
}

/** The acts of a screen's port at a seat. */
export interface SeatLink {
  /** Resolves after `received` was told. Rejects with why it was refused, or with OwnerGone: then it may be in the log. */
  typed(key: string, text: string): Promise<void>
  shown(id: number): void
  close(): void
}

interface Seating {
  readonly life: Life
  readonly seats: Seats
  readonly seen: Seen | undefined
  readonly tell: (happening: SeatHappening) => void
  readonly fail: (error: unknown) => void
  /**
   * For a screen elsewhere, which may be stopped: `over` is called when it has not shown a delivery for so long, and
   * gives up the seat. Until then everybody else waits, since deliveries keep their order.
   */
  readonly patience?: { readonly ms: number; readonly over: () => void }
  /** Where the person stands. */
  readonly folder?: string | undefined
}

const STATUS_EVERY_MS = 100
/** There may be much background work between two messages. */
const LOOKED_MAX = 5_000
const SECOND_MS = 1_000

/** The seat of a screen at the conversation of a life. */
export class ChatSeat implements SeatLink {
  readonly #seating: Seating
  readonly #taken: Taken
  readonly #unwatch: () => void
  readonly #opened = Promise.withResolvers<void>()
  readonly #ending = new AbortController()
  readonly #questions: TerminalQuestions
  /** Deliveries that are told of, and resolve once they are shown. */
  readonly #showing = new Map<number, () => void>()
  #at: Place | undefined
  #said = 0
  #shown = 0
  #queued = '[]'
  #statusTimer: NodeJS.Timeout | undefined
  #statusAt = 0

  constructor(seating: Seating) {
    this.#seating = seating
    const { life, seats, tell } = seating
    const run = (work: Promise<void>): void => void this.#run(work)
    this.#questions = new TerminalQuestions({ log: life.log, now: life.desk.now, tell, run })
    // Before the log is read: whatever is delivered from now on is told here.
    this.#taken = seats.take({
      kind: 'chat',
      show: (message) => this.#show(message),
      notice: (text) => void this.#run(this.#notice(text)),
      exit: () => void this.#run(this.#exit()),
      handOver: () => tell({ kind: 'handing-over' }),
      end: () => this.close(),
    })
    this.#unwatch = life.agent.watch((happening) => this.#watch(happening))
    void this.#run(life.log.read((reader) => this.#openIn(reader)))
  }

  async typed(key: string, text: string): Promise<void> {
    const { tell } = this.#seating
    this.#taken.typed(key)
    const received = await this.#receive(key, text)
    // So that the screen knows whether the answer closed its question.
    await this.#run(this.#questions.look())
    tell({ kind: 'received', key })
    void this.#run(this.#tellTaken(key, received))
  }

  shown(id: number): void {
    this.#showing.get(id)?.()
    this.#showing.delete(id)
  }

  /** What is not shown by now stays in the outbox. */
  close(): void {
    this.#ending.abort()
    this.#unwatch()
    this.#taken.leave()
    clearTimeout(this.#statusTimer)
    this.#questions.end()
    for (const isShown of this.#showing.values()) isShown()
  }

  #openIn(reader: Reader): void {
    const { seats, seen, tell } = this.#seating
    const waiting = this.#waiting()
    const shown = Math.max(shownTo(reader), seats.shown)
    const past = pastOf(reader, { ...waiting, shown: Math.max(shown, seen?.shown ?? 0), seen })
    const branch = boundBranch(reader, terminalAddress)
    assert(branch !== undefined, 'a life binds the conversation of its terminal when it begins')
    const at = this.#placeIn(reader, branch)
    this.#at = at
    this.#shown = Math.max(shown, seen?.shown ?? 0)
    this.#said = saidTo(reader, this.#shown)
    const { entries, typed } = past
    const { status, known } = at
    tell({ kind: 'opened', past: entries, typed, status, known, said: this.#said, shown: this.#shown })
    this.#opened.resolve()
    this.#tellQueued(reader)
    this.#tellTurn(branch)
    const left = leftOpen(reader, { now: waiting.now, shown: past.asked })
    for (const question of new Map([...past.questions, ...left].map((one) => [one.approval, one])).values())
      if (seen?.asked.includes(question.approval) !== true) this.#questions.ask(question, 'aside')
    if (seen !== undefined) this.#questions.follow(reader, seen.asked)
  }

  #tellTurn(branch: BranchId): void {
    const { seats, tell } = this.#seating
    const running = seats.progress.in(branch)
    if (running === undefined) return
    tell({ kind: 'turn-started', at: running.startedAt })
    if (running.pieces !== '') tell({ kind: 'piece', text: running.pieces })
  }

  async #notice(text: string): Promise<void> {
    await this.#opened.promise
    this.#seating.tell({ kind: 'entry', entry: { kind: 'notice', text } })
  }

  /** Once everything on its way is shown. */
  async #exit(): Promise<void> {
    const { life, tell } = this.#seating
    const last = await life.log.read((reader) => unsettled(reader, addressKey(terminalAddress)).at(-1))
    if (last !== undefined) await this.#taken.shownTo(last)
    await life.log.read((reader) => this.#tellSaid(reader))
    tell({ kind: 'leave' })
  }

  /** The person is told what the log or the disk refused; anything else is a bug. */
  async #receive(key: string, text: string): Promise<Received> {
    const { life, fail, folder } = this.#seating
    try {
      return await life.receive(typedInbound(text, { key, origin: 'terminal', folder }))
    } catch (error) {
      if (this.#hasClosed) throw new OwnerGone('the life has ended', { cause: error })
      if (!(error instanceof EventError || error instanceof LogError)) fail(error)
      throw error
    }
  }

  async #tellTaken(key: string, received: Received): Promise<void> {
    const { life, tell } = this.#seating
    const entries = received.kind === 'duplicate' ? await this.#entryOf(key) : []
    const waiting =
      received.kind === 'admitted' ? received.entries.map((at) => [received.branch, at] as const) : entries
    const { signal } = this.#ending
    const isTaken = (reader: Reader) => !waiting.some(([branch, at]) => isWaiting(reader, branch, at))
    if (await life.agent.until(isTaken, signal)) tell({ kind: 'taken', key })
  }

  #entryOf(key: string): Promise<(readonly [BranchId, Position])[]> {
    return this.#seating.life.log.read((reader) => {
      const at = admittedBefore(reader, terminalAddress, key)
      const event = at && reader.event(at)
      return event?.kind === 'inbound-admitted' ? [[event.branch, event.position]] : []
    })
  }

  async #show({ id }: Outgoing): Promise<void> {
    await this.#opened.promise
    const isShown = Promise.withResolvers<void>()
    await this.#seating.life.log.read((reader) => {
      if (id <= this.#shown) return isShown.resolve()
      this.#tellSaid(reader, id)
      this.#shown = id
      this.#showing.set(id, isShown.resolve)
      this.#showIn(reader, reader.event(id) as EventOf<'delivery-intended'>)
      this.#tellSaid(reader)
    })
    const { patience } = this.#seating
    const timer = patience && setTimeout(patience.over, patience.ms)
    await isShown.promise
    clearTimeout(timer)
  }

  #showIn(reader: Reader, intent: EventOf<'delivery-intended'>): void {
    const waiting = this.#waiting()
    const entries = [entryOf(reader, intent), ...closingEntries(reader, intent, waiting)]
    const question = questionOf(reader, intent, waiting)
    this.#seating.tell({ kind: 'delivered', id: intent.position, entries })
    if (question !== undefined) this.#questions.ask(question)
  }

  /** Tells what was said before the next delivery that is still to be shown here, which the one at `to` is. */
  #tellSaid(reader: Reader, to?: number): void {
    const { seats, tell } = this.#seating
    const window = windowIn(reader)
    // What has an outcome and was shown nowhere never comes.
    const passed = shownTo(reader) > seats.shown ? shownTo(reader) : 0
    const end = to ?? saidTo(reader, Math.max(this.#shown, passed))
    for (let position = Math.max(this.#said, end - LOOKED_MAX) + 1; position <= end; position++) {
      const said = saidAt(reader, reader.event(position as Position), window)
      if (said !== undefined) tell({ kind: 'said', position, entry: saidEntry(said) })
    }
    this.#said = Math.max(this.#said, end)
    this.#tellQueued(reader)
  }

  #tellQueued(reader: Reader): void {
    const queued = queuedAfter(reader, windowIn(reader), Math.max(this.#said, reader.end - LOOKED_MAX))
    const waiting = queued.map(({ key, text }) => ({ text, ...(key !== undefined && { key }) }))
    const told = JSON.stringify(waiting)
    if (told === this.#queued) return
    this.#queued = told
    this.#seating.tell({ kind: 'waiting', waiting })
  }

  #watch(happening: Happening): void {
    const at = this.#at
    if (at === undefined) return
    const { life, tell } = this.#seating
    if (happening.kind !== 'piece') this.#refreshSoon()
    if (happening.kind === 'changed') {
      void this.#run(life.log.read((reader) => this.#followIn(reader, at)))
      this.#questions.lookAgain()
    } else if (happening.branch !== at.branch) return
    else if (happening.kind !== 'turn-ended') tell(screenHappening(happening))
    else void this.#run(life.log.read((reader) => tell(turnEnd(reader, happening.turn))))
  }

  /** Follows the conversation to a fork or back to main. */
  #followIn(reader: Reader, at: Place): void {
    const { seats, tell } = this.#seating
    this.#tellSaid(reader)
    const branch = boundBranch(reader, terminalAddress)
    if (branch === undefined || branch === at.branch) return
    const left = at.branch
    const running = seats.progress.in(left)
    if (running !== undefined) tell({ kind: 'turn-ended' })
    if (running !== undefined && running.pieces !== '') tell({ kind: 'pieces-void' })
    Object.assign(at, this.#placeIn(reader, branch))
    tell({ kind: 'status', status: at.status, movedBy: moverOf(reader, left) })
    this.#tellTurn(branch)
  }

  #refreshSoon(everyMs = STATUS_EVERY_MS): void {
    if (this.#statusTimer !== undefined || this.#hasClosed) return
    const waitMs = Math.max(0, this.#statusAt + everyMs - stopwatchMs())
    this.#statusTimer = setTimeout(() => {
      this.#statusTimer = undefined
      this.#statusAt = stopwatchMs()
      void this.#run(this.#seating.life.log.read((reader) => this.#refreshIn(reader)))
    }, waitMs)
  }

  #refreshIn(reader: Reader): void {
    const at = this.#at
    if (at === undefined) return
    const { tell } = this.#seating
    const before = { status: JSON.stringify(at.status), known: JSON.stringify(at.known) }
    Object.assign(at, this.#placeIn(reader, at.branch))
    const { status, known } = at
    if (JSON.stringify(status) !== before.status) tell({ kind: 'status', status })
    if (JSON.stringify(known) !== before.known) tell({ kind: 'known', known })
    // The seconds until the next try are counted down.
    if (status.retry !== undefined) this.#refreshSoon(SECOND_MS)
  }

  #placeIn(reader: Reader, branch: BranchId): Place {
    const { life, seats } = this.#seating
    const { desk, agent } = life
    const tokensMax = contextTokensOf(desk)
    const { retry } = seats.progress.in(branch) ?? {}
    const look = { ...this.#waiting(), branch, settings: desk.settings(), tokensMax, busy: agent.busy, retry }
    return { branch, status: statusOf(reader, look), known: knownIn(reader, { branch }, desk) }
  }

  #waiting(): Waiting {
    const { life, seats } = this.#seating
    return { now: life.desk.now(), isRunning: seats.progress.isRunning }
  }

  get #hasClosed(): boolean {
    return this.#ending.signal.aborted
  }

  /** Work whose failure ends the process, unless it fails because the log was closed. */
  #run(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => {
      if (!this.#hasClosed) this.#seating.fail(error)
    })
  }
}

/** Where the conversation is, and what is known there. */
interface Place {
  branch: BranchId
  status: Status
  known: KnownHere
}

function turnEnd(reader: Reader, turn: TurnId): Extract<ScreenHappening, { kind: 'turn-ended' }> {
  const position = reader.row(turnTable, [turn])?.answer ?? null
  if (position === null) return { kind: 'turn-ended' }
  const { to } = reader.event(position) as EventOf<'delivery-intended'>
  const isHere = addressKey(to) === addressKey(terminalAddress)
  return { kind: 'turn-ended', answer: isHere ? 'follows' : 'elsewhere' }
}

function screenHappening(
  happening: Exclude<Happening, { kind: 'changed' | 'turn-ended' }>,
): Exclude<ScreenHappening, { kind: 'command-started' | 'command-ended' | 'queued' }> {
  switch (happening.kind) {
    case 'call-started': {
      const { tool, args } = happening
      return { kind: 'call-started', name: tool, summary: callSummary(tool, args) }
    }
    case 'call-ended': {
      const { tool, isError } = happening
      const [summary, details] = [resultSummary(happening), callDetails(happening)]
      return { kind: 'entry', entry: { kind: 'tool', name: tool, summary, isError, details } }
    }
    case 'turn-started':
      return { kind: 'turn-started', at: happening.at }
    case 'piece':
      return { kind: 'piece', text: happening.text }
    case 'retry-planned':
    case 'pieces-void':
      return { kind: 'pieces-void' }
  }
}
