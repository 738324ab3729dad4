import { addressKey } from '../../agent/state/outbox.ts'
import { getBranch } from '../../context/branch.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Address } from '../../event/work.ts'
import { isTypedAt } from '../../view/chat/order.ts'

export type Intent = EventOf<'delivery-intended'>

/** Its result, a question or remark of the host on the way, or nothing, if the delivery has another cause. */
export type Part = 'result' | 'aside' | 'nothing'

export interface OwnDelivery extends Intent {
  readonly part: Part
}

/** Why a model did not answer, or was not called. */
export type Failure = Pick<EventOf<'model-failed'>, 'branch' | 'turn' | 'reason' | 'message'>

interface Traced extends Address {
  readonly messageId: string
  readonly thread: string
}

const RETRY = /^\/?retry\b/

/** What in the log belongs to one exchange, folded from its events. */
export class Trace {
  readonly #asked: Traced
  #seen: number
  /** The task of a fork that a command is just opening; the command itself comes in the same transaction. */
  #task: EventOf<'inbound-admitted'> | undefined
  readonly #commands = new Set<Position>()
  readonly #unfinished = new Set<TurnId>()
  readonly #stopped = new Set<TurnId>()
  #hasRefused = false

  /** What came into an inbox, taken or not. */
  readonly entries = new Map<Position, Pick<EventOf<'inbound-admitted'>, 'branch' | 'form'>>()
  /** The turns that took it, or that /retry began, and those that continue them, with their branches. */
  readonly turns = new Map<TurnId, BranchId>()
  /** Where a /retry may still start a turn. */
  readonly retried = new Set<BranchId>()
  readonly branches = new Set<BranchId>()
  readonly deliveries: OwnDelivery[] = []
  /** Of all turns meanwhile. */
  readonly failures: Failure[] = []
  /** Where it came in. */
  from: BranchId | undefined
  /** Where its last message is. */
  place: BranchId | undefined

  constructor(asked: Traced, after: number) {
    this.#asked = asked
    this.#seen = after
  }

  /** A command was refused, or the last turn failed or was deferred. */
  get isFailed(): boolean {
    return this.#hasRefused || this.#unfinished.size > 0
  }

  /** Somebody stopped its last turn: what there is of an answer is not all of it. */
  get isStopped(): boolean {
    return this.#stopped.size > 0
  }

  /** Folds what is new in the log. The reader must not see what may yet be thrown away. */
  upTo(reader: Reader): this {
    for (; this.#seen < reader.end; this.#seen++)
      this.#fold(reader, reader.event((this.#seen + 1) as Position))
    return this
  }

  /**
   * A command's output names the command as its cause, and the answer of a turn, or why it has none, names what was
   * said. What the host asks or remarks during a turn names something else, or nothing.
   */
  partOf(reader: Reader, { to, form, turn, cause }: Intent): Part {
    if (addressKey(to) !== addressKey(this.#asked)) return 'nothing'
    if (cause !== undefined && this.#commands.has(cause)) return 'result'
    if (turn === null) return cause !== undefined && this.entries.has(cause) ? 'aside' : 'nothing'
    if (!this.turns.has(turn)) return 'nothing'
    const isAnswer = cause !== undefined && reader.event(cause).kind === 'inbound-admitted'
    return form !== 'ping' && isAnswer ? 'result' : 'aside'
  }

  #fold(reader: Reader, event: Event): void {
    switch (event.kind) {
      case 'inbound-admitted':
        return this.#admitted(reader, event)
      case 'inbound-moved':
        return this.#moved(reader, event)
      case 'command-run':
        return this.#ran(event)
      case 'turn-started':
        return this.#started(event)
      case 'message-added':
        if (event.turn !== null && event.took !== undefined && this.entries.has(event.took))
          this.turns.set(event.turn, event.branch)
        return undefined
      case 'turn-ended': {
        const isUnfinished = event.outcome === 'failed' || event.outcome === 'deferred'
        if (this.turns.has(event.turn) && isUnfinished) this.#unfinished.add(event.turn)
        if (this.turns.has(event.turn) && event.outcome === 'stopped') this.#stopped.add(event.turn)
        if (event.failure) this.failures.push({ ...event, ...event.failure })
        return undefined
      }
      case 'model-failed':
        return void this.failures.push(event)
      case 'delivery-intended': {
        const part = this.partOf(reader, event)
        return part === 'nothing' ? undefined : void this.deliveries.push({ ...event, part })
      }
      default:
        return undefined
    }
  }

  #admitted(reader: Reader, event: EventOf<'inbound-admitted'>): void {
    const { source, branch } = event
    const isOwn =
      source.from === 'person'
        ? this.#isOwn(source)
        : source.turn !== undefined && this.turns.has(source.turn)
    if (isOwn) this.#enter(event)
    else if (source.from === 'host' && source.tag === 'fork-started')
      this.#task = getBranch(reader, branch).mode === 'fork' ? event : undefined
  }

  #enter({ position, branch, form }: EventOf<'inbound-admitted'>): void {
    this.entries.set(position, { branch, form })
    this.branches.add(branch)
    this.from ??= branch
    this.place = branch
  }

  /** What is given to a child as its task is no longer this exchange's. */
  #moved(reader: Reader, { took, to }: EventOf<'inbound-moved'>): void {
    const there = reader.event(to)
    if (there.kind !== 'inbound-admitted' || !this.entries.has(took)) return
    if (there.source.from === 'person' || there.source.turn !== undefined) this.#enter(there)
  }

  #ran({ source, took, branch, position, line, isError }: EventOf<'command-run'>): void {
    const task = this.#task
    this.#task = undefined
    if (source === null ? took === null || !this.entries.has(took) : !this.#isOwn(source)) return
    this.#commands.add(position)
    this.branches.add(branch)
    this.from ??= branch
    this.#hasRefused ||= isError
    if (task !== undefined) this.#enter(task)
    if (RETRY.test(line) && !isError) this.retried.add(branch)
  }

  #started({ turn, branch, continues }: EventOf<'turn-started'>): void {
    if (continues === null) return
    this.#unfinished.delete(continues)
    this.#stopped.delete(continues)
    if (this.turns.has(continues) || this.retried.delete(branch)) this.turns.set(turn, branch)
  }

  #isOwn(source: NonNullable<EventOf<'command-run'>['source']>): boolean {
    const { messageId, thread } = this.#asked
    if (!isTypedAt(this.#asked, source) || source.thread !== thread) return false
    // Only the first of several events that one message causes has its key.
    return source.key === null || source.key === messageId
  }
}
