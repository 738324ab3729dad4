import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, Position, TurnId } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import type { PauseLaws } from './pause-laws.ts'
import type { Tree } from './tree.ts'

type Delivery = EventOf<'delivery-intended'>
type Started = EventOf<'run-started'>
type Decided = EventOf<'ping-decided'>

const TEXT = 20
const PINGS: ReadonlySet<string> = new Set(['ping_user', 'send_embed'])

/** The surroundings of a ping that are not in the log, as they may have been when it was decided. */
export interface PingAmbient {
  /** Whether some, and whether all, recent configurations say so. */
  readonly quiet: (at: number) => { readonly some: boolean; readonly every: boolean }
  readonly busyMs: () => number
}

/** PING3 and PING4: unasked messages are in the ledger, once per run, and have a number. */
export class PingLaws {
  ambient: PingAmbient | undefined
  readonly #tree: Tree
  readonly #pauses: PauseLaws
  readonly #runs = new Map<BranchId, Started>()
  readonly #pings = new Map<Position, Delivery>()
  /** Deliveries in the ledger, with the turn or moment whose critical pings may share it. */
  readonly #delivered = new Map<Position, TurnId | number | null>()
  /** Unasked messages by conversation, in order. */
  readonly #numbered = new Map<string, Delivery[]>()
  /** Calls that write to a person, by id. */
  readonly #calls = new Map<string, TurnId>()
  /** By turn: ping calls with a result, minus those in the ledger. */
  readonly #owed = new Map<TurnId, number>()
  /** Pings that were sent or held and not lost, by run, or else by work. */
  readonly #sent = new Map<string, Set<Position>>()
  readonly #accounts = new Map<Position, string>()
  /** Held pings that were not decided again yet. */
  readonly #held = new Map<Position, Decided>()
  /** The beginning of each one's text. */
  readonly #texts = new Map<Position, string>()
  /** Lost pings of this commit, and what main is told instead. */
  #lost: string[] = []
  #told: string[] = []
  /** What the person wrote last. */
  #heard: EventOf<'inbound-admitted'> | undefined

  constructor(tree: Tree, pauses: PauseLaws) {
    this.#tree = tree
    this.#pauses = pauses
  }

  /** The highest number that a person has seen. */
  get numbersMax(): number {
    return Math.max(0, ...[...this.#numbered.values()].map(({ length }) => length))
  }

  /** The number of unasked messages, by conversation. */
  get counts(): readonly (readonly [string, number])[] {
    return [...this.#numbered].map(([conversation, { length }]) => [conversation, length])
  }

  /** A held ping that has not come to an end. */
  get waiting(): string | undefined {
    const [held] = this.#held.values()
    return held && `[PING4] what is held at ${held.position} comes to no end`
  }

  /** The message with this number in a conversation. */
  numbered(conversation: string, number: number): Delivery | undefined {
    return this.#numbered.get(conversation)?.[number - 1]
  }

  take(event: Event): void {
    if (event.kind === 'inbound-admitted' && isWriting(event)) this.#heard = event
    switch (event.kind) {
      case 'run-started':
        return void this.#runs.set(event.branch, event)
      case 'delivery-intended':
        return this.#intend(event)
      case 'ping-decided':
        return this.#decide(event)
      case 'ping-settled':
        return this.#settle(event)
      case 'update-reported':
        if (event.author.by === 'policy' && event.author.name === 'pings')
          this.#told.push(event.text.replaceAll(/\s+/g, ' '))
        return
      case 'message-added':
        return this.#add(event)
      case 'model-called':
      case 'turn-ended':
        return this.#balance(event)
      default:
    }
  }

  /** Every written ping is in the ledger. */
  committed(): void {
    for (const id of this.#pings.keys())
      hold(this.#delivered.has(id), `[PING4] the ping at ${id} is not in the ledger`)
    this.#pings.clear()
    const silent = this.#lost.find((text) => !this.#told.some((told) => told.includes(text)))
    hold(silent === undefined, `[PING2] nobody got '${silent}', and main does not know`)
    this.#lost = []
    this.#told = []
  }

  /** The run that a branch is or works for; a fork that a person opened to reply to one does not belong to it. */
  runOf(id: BranchId): Started | undefined {
    const run = this.#runs.get(id)
    const { parent, mode } = this.#tree.branch(id)
    if (run !== undefined || parent === null) return run
    return mode === 'fork' ? undefined : this.runOf(parent)
  }

  #intend(event: Delivery): void {
    const { form, position, branch, number, to } = event
    if (form === 'ping') {
      // A snoozed ping comes again because the person wants it, whatever the session's next run may do.
      const isAgain = event.cause !== undefined && this.#texts.has(event.cause)
      const isForbidden = this.runOf(branch)?.allowPing === false && !isAgain
      hold(!isForbidden, `[PING3] ${position} is a ping of ${branch}, which may not`)
      this.#pings.set(position, event)
    }
    if (number === undefined) return
    hold(form === 'ping' || form === 'notice', `the ${form} at ${position} has a number`)
    const before = this.#numbered.get(to.conversation) ?? []
    this.#numbered.set(to.conversation, before)
    hold(
      number === before.length + 1,
      `${position} is number ${number} in ${to.conversation}, after ${before.length}`,
    )
    before.push(event)
  }

  #decide(event: Decided): void {
    const { position, verdict, because, delivery } = event
    hold((verdict === 'sent') === (delivery !== null), `[PING4] ${position} is ${verdict} as ${delivery}`)
    this.#texts.set(position, event.text.replaceAll(/\s+/g, ' ').slice(0, TEXT))
    const number = delivery === null ? undefined : this.#pings.get(delivery)?.number
    // A snoozed ping is sent again with its number because the person wanted it.
    if (because === 'asked' && number !== undefined) return this.#deliver(event)
    if (event.of !== undefined) return this.#release(event, event.of)
    const { branch, run, turn } = event
    hold(run === (this.runOf(branch)?.branch ?? null), `[PING4] ${position} is on the account of ${run}`)
    this.#owed.set(turn, (this.#owed.get(turn) ?? 0) - 1)
    this.#checkReason(event)
    if (because !== 'asked') hold(number !== undefined || delivery === null, `${delivery} has no number`)
    if (delivery !== null) this.#deliver(event)
    if (verdict === 'held') this.#held.set(position, event)
    if (verdict !== 'refused' && because !== 'asked') this.#count(event)
  }

  #count(event: Decided): void {
    const account = this.#account(event)
    this.#accounts.set(event.position, account)
    this.#sent.set(account, (this.#sent.get(account) ?? new Set()).add(event.position))
  }

  #deliver({ position, delivery, branch, because, turn, at }: Decided): void {
    if (delivery === null) return
    const { form } = this.#pings.get(delivery) ?? {}
    hold(form === 'ping', `[PING4] ${position} names ${delivery}, which is no ping`)
    const from = this.#pings.get(delivery)?.branch
    const mayBeOthers = because === 'critical-cap' || because === 'asked'
    hold(from === branch || mayBeOthers, `[PING4] ${delivery} is a ping of ${from}, not of ${branch}`)
    const shared = because === 'critical' ? turn : because === 'critical-cap' ? at : null
    const mayShare = shared !== null && this.#delivered.get(delivery) === shared
    hold(mayShare || !this.#delivered.has(delivery), `[PING4] ${delivery} is in the ledger twice`)
    this.#delivered.set(delivery, shared)
  }

  /** A held ping is sent now: nothing was in the way. */
  #release(event: Decided, of: Position): void {
    const { position, verdict, because, at } = event
    const held = this.#held.get(of)
    hold(held !== undefined, `[PING4] ${position} decides of ${of}, which is not held`)
    this.#held.delete(of)
    const expected = held.because === 'busy' ? 'allowed' : held.because
    hold(verdict === 'sent' && because === expected, `[PING4] ${of} is ${verdict} at ${position}: ${because}`)
    hold(!this.#pauses.isAllPaused(at), `[PING4] ${of} is sent at ${position}, in a pause`)
    if (because === 'allowed') this.#checkFree(event)
    this.#deliver(event)
    const account = this.#accounts.get(of)
    if (account === undefined) return
    this.#accounts.set(position, account)
    this.#sent.get(account)?.delete(of)
    this.#sent.get(account)?.add(position)
  }

  #settle({ ping, outcome, delivery, position }: EventOf<'ping-settled'>): void {
    if (outcome === 'moved') {
      const isPing = delivery !== null && this.#pings.has(delivery)
      hold(isPing, `[PING4] ${ping} is moved to ${delivery} at ${position}, which is no ping`)
      // Several that shared a message continue together.
      this.#delivered.set(delivery, null)
      return
    }
    this.#lost.push(this.#texts.get(ping) ?? '')
    this.#held.delete(ping)
    const account = this.#accounts.get(ping)
    if (account !== undefined) this.#sent.get(account)?.delete(ping)
  }

  /** Checks the reasons in order of precedence. */
  #checkReason(event: Decided): void {
    const { because, verdict, position, at, isCritical } = event
    const started = event.run === null ? undefined : this.#runs.get(event.run)
    if (started?.allowPing === false)
      return hold(because === 'not-allowed', `[PING3] ${position} is ${verdict}: ${because}`)
    // Whether somebody can be told, or who asked, is not known here.
    if (because === 'nobody' || because === 'not-allowed') return
    if (because === 'asked') return
    const isPaused = this.#pauses.isAllPaused(at)
    hold(
      isPaused === (because === 'paused'),
      `[PING4] ${position} is ${verdict}: ${because} (paused: ${isPaused})`,
    )
    if (isPaused) return
    const isOfCritical = because === 'critical' || because === 'critical-cap'
    hold(isCritical === isOfCritical, `[PING4] ${position} is ${verdict}: ${because}`)
    if (isCritical) return
    const hasPinged = (this.#sent.get(this.#account(event))?.size ?? 0) > 0
    const one = event.run === null ? 'one-per-work' : 'one-per-run'
    hold(
      hasPinged === (because === one),
      `[PING4] ${position} is ${verdict}: ${because} (pinged: ${hasPinged})`,
    )
    if (hasPinged) return
    if (because === 'busy') return this.#checkBusy(event)
    if (because === 'quiet-hours')
      return hold(
        this.ambient?.quiet(at).some !== false,
        `[PING4] ${position} is refused, and it is not quiet`,
      )
    if (because === 'allowed') this.#checkFree(event)
  }

  #checkBusy(event: Decided): void {
    const { position } = event
    hold(this.#busy(event), `[PING4] ${position} is not sent since the person is busy, and they are not`)
  }

  #checkFree(event: Decided): void {
    const { at, position } = event
    if (this.ambient === undefined) return
    hold(!this.ambient.quiet(at).every, `[PING4] ${position} is sent in quiet hours`)
    hold(!this.#busy(event), `[PING4] ${position} is sent to who is busy`)
  }

  /** A turn runs where they talk, or they wrote a moment ago, and not before they started the run by hand. */
  #busy({ at, branch, of, run }: Decided): boolean {
    if (this.ambient === undefined) return true
    const except = of === undefined ? branch : undefined
    const started = run === null ? undefined : this.#runs.get(run)
    const isAwaited = started?.author.by === 'person' && (this.#heard?.position ?? 0) < started.position
    const isTalking = this.#tree.living.some(
      ({ id, mode, running }) =>
        id !== except && running !== undefined && (mode === 'main' || mode === 'fork'),
    )
    const heardAt = this.#heard?.at ?? Infinity
    return isTalking || (!isAwaited && heardAt <= at && at < heardAt + this.ambient.busyMs())
  }

  #account({ run, turn }: Decided): string {
    if (run !== null) return `run ${this.#runs.get(run)?.position}`
    const work = this.#tree.turns.get(turn)?.work.startedAt
    if (work === undefined) throw new TypeError(`${turn} never started`)
    return `work ${work}`
  }

  #add({ message, turn }: EventOf<'message-added'>): void {
    if (turn === null) return
    if (message.role === 'assistant')
      for (const { id, tool, args } of message.calls)
        if (PINGS.has(tool) && Object.keys(args).length > 0) this.#calls.set(id, turn)
    if (message.role !== 'tool' || message.synthetic !== undefined || !this.#calls.has(message.call)) return
    this.#owed.set(turn, (this.#owed.get(turn) ?? 0) + 1)
  }

  #balance({ turn, position }: EventOf<'model-called' | 'turn-ended'>): void {
    const owed = this.#owed.get(turn) ?? 0
    hold(owed === 0, `[PING4] ${owed} pings of ${turn} are not in the ledger at ${position}`)
  }
}

/** Whoever types a command is not in the middle of writing. */
function isWriting({ source, form }: EventOf<'inbound-admitted'>): boolean {
  return source.from === 'person' && form !== 'command' && form !== 'step-command'
}
