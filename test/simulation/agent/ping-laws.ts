import type { Event, EventOf } from '../../../src/event/event.ts'
import type { BranchId, Position, TurnId } from '../../../src/event/id.ts'
import { hold } from '../witness.ts'
import type { Tree } from './tree.ts'

type Delivery = EventOf<'delivery-intended'>
type Started = EventOf<'run-started'>

const PINGS: ReadonlySet<string> = new Set(['ping_user', 'send_embed'])

/** PING3 and PING4: who may write to a person unasked does so by the ledger, once in a run, and under a number. */
export class PingLaws {
  readonly #tree: Tree
  readonly #runs = new Map<BranchId, Started>()
  readonly #pings = new Map<Position, Delivery>()
  /** Deliveries that are in the ledger; with the turn whose critical pings may share it. */
  readonly #delivered = new Map<Position, TurnId | null>()
  /** By conversation, the messages that nobody waited for, in their order. */
  readonly #numbered = new Map<string, Delivery[]>()
  /** Calls that say something to a person, by their ids. */
  readonly #calls = new Map<string, TurnId>()
  /** By turn: calls of pings that have a result, less those that the ledger has. */
  readonly #owed = new Map<TurnId, number>()
  /** Pings that were sent, whatever for, by the run, or else by the work in which they were. */
  readonly #sent = new Map<BranchId | Position, number>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /** The highest number that a person has seen anywhere. */
  get numbersMax(): number {
    return Math.max(0, ...[...this.#numbered.values()].map(({ length }) => length))
  }

  /** So many messages that nobody waited for, by conversation. */
  get counts(): readonly (readonly [string, number])[] {
    return [...this.#numbered].map(([conversation, { length }]) => [conversation, length])
  }

  /** The message with this number in a conversation. */
  numbered(conversation: string, number: number): Delivery | undefined {
    return this.#numbered.get(conversation)?.[number - 1]
  }

  take(event: Event): void {
    switch (event.kind) {
      case 'run-started':
        return void this.#runs.set(event.branch, event)
      case 'delivery-intended':
        return this.#intend(event)
      case 'ping-decided':
        return this.#decide(event)
      case 'message-added':
        return this.#add(event)
      case 'model-called':
      case 'turn-ended':
        return this.#balance(event)
      default:
    }
  }

  /** Every ping that was written is in the ledger. */
  committed(): void {
    for (const id of this.#pings.keys())
      hold(this.#delivered.has(id), `[PING4] the ping at ${id} is not in the ledger`)
    this.#pings.clear()
  }

  /** The run that a branch is or works for; a fork that a person opened to reply to one is not of it. */
  runOf(id: BranchId): Started | undefined {
    const run = this.#runs.get(id)
    const { parent, mode } = this.#tree.branch(id)
    if (run !== undefined || parent === null) return run
    return mode === 'fork' ? undefined : this.runOf(parent)
  }

  #intend(event: Delivery): void {
    const { form, position, branch, number, to } = event
    if (form === 'ping') {
      const isForbidden = this.runOf(branch)?.allowPing === false
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

  #decide(event: EventOf<'ping-decided'>): void {
    const { branch, position, run, verdict, because, delivery, isCritical, turn } = event
    hold(run === (this.runOf(branch)?.branch ?? null), `[PING4] ${position} is on the account of ${run}`)
    this.#owed.set(turn, (this.#owed.get(turn) ?? 0) - 1)
    const isSent = verdict === 'sent'
    hold(isSent === (delivery !== null), `[PING4] ${position} is ${verdict}, and its delivery ${delivery}`)
    const wanted = this.#expected(event)
    hold(wanted.includes(because), `[PING4] ${position} is ${verdict}: ${because}, not ${wanted.join()}`)
    if (delivery === null) return
    const { form, number, branch: from } = this.#pings.get(delivery) ?? {}
    hold(form === 'ping' && from === branch, `[PING4] ${position} names ${delivery}, which is no ping of it`)
    const mayShare = because === 'critical' && this.#delivered.get(delivery) === turn
    hold(mayShare || !this.#delivered.has(delivery), `[PING4] ${delivery} is in the ledger twice`)
    this.#delivered.set(delivery, because === 'critical' ? turn : null)
    hold((number === undefined) === (because === 'asked'), `the ping at ${delivery} has the number ${number}`)
    const account = this.#account(event)
    const before = this.#sent.get(account) ?? 0
    hold(before === 0 || isCritical || because === 'asked', `${position} is one ping too many of ${account}`)
    this.#sent.set(account, before + 1)
  }

  /** What may be decided about a ping: whether somebody is there to be told is not known here. */
  #expected(event: EventOf<'ping-decided'>): readonly string[] {
    const { run, isCritical, verdict } = event
    const started = run === null ? undefined : this.#runs.get(run)
    if (started?.allowPing === false) return ['not-allowed']
    if (verdict === 'refused') return this.#mayBeRefused(event)
    return isCritical ? ['critical', 'asked'] : ['allowed', 'asked']
  }

  #mayBeRefused(event: EventOf<'ping-decided'>): readonly string[] {
    const hasPinged = (this.#sent.get(this.#account(event)) ?? 0) > 0
    const one = event.run === null ? 'one-per-work' : 'one-per-run'
    return hasPinged && !event.isCritical ? [one, 'nobody', 'not-allowed'] : ['nobody', 'not-allowed']
  }

  #account({ run, turn }: EventOf<'ping-decided'>): BranchId | Position {
    const work = this.#tree.turns.get(turn)?.work.startedAt
    const account = run ?? work
    if (account === undefined) throw new TypeError(`${turn} never started`)
    return account
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
