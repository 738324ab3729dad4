import { setTimeout as sleep } from 'node:timers/promises'
import { newKey } from '../../base/random.ts'
import { senderName } from '../../agent/branch/reply-act.ts'
import { dueIn } from '../../agent/branch/due.ts'
import { addressKey, unsettled } from '../../agent/state/outbox.ts'
import { ChannelError, type Outgoing } from '../../channel/channel.ts'
import { branchesByHandle, getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import type { EventOf } from '../../event/event.ts'
import type { Reader } from '../../event/table.ts'
import type { Life } from '../../runtime/life/life.ts'
import type { Seats, Taken } from '../../runtime/terminal/seats.ts'
import {
  startExchange,
  untilIdle,
  type Exchange,
  type Outcome,
  type Patience,
} from '../../runtime/terminal/exchange.ts'
import { terminalAddress } from '../../runtime/terminal/place.ts'
import type { Printer } from './printer.ts'

/** At most this long, since the answer is already printed. */
const COMPACTION_WAIT_MS = 30_000

/**
 * A conversation without a screen: each input is handled and printed before the next. An input that stops the current
 * one may come meanwhile, and is printed after it.
 */
export class Conversation {
  readonly #printer: Printer
  readonly #seats: Seats
  #seat: Taken | undefined
  readonly #opened = Promise.withResolvers<Life>()
  #running: readonly { readonly exchange: Exchange; readonly printed: Promise<void> }[] = []
  #hasLeft = false
  #thread: string | undefined

  constructor(printer: Printer, seats: Seats) {
    this.#printer = printer
    this.#seats = seats
    this.#opened.promise.catch(() => undefined)
  }

  /** Whether `/exit` was typed in the main session. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** Finishes and prints what an earlier process left. */
  async open(life: Life, signal: AbortSignal): Promise<void> {
    // Unique, since the log grows with everything that is said.
    this.#thread = await life.log.read(({ end }) => String(end))
    this.#opened.resolve(life)
    this.#seat = this.#seats.take({
      kind: 'lines',
      owns: (intent) => this.#owns(intent),
      show: (message) => this.#show(message),
      exit: () => void (this.#hasLeft = true),
    })
    await untilIdle(life, signal)
    await this.flush()
  }

  /** Resolves once everything it caused here is done and printed; with undefined if there was nothing to do. */
  async say(text: string, signal: AbortSignal, patience?: Patience): Promise<Outcome | undefined> {
    const life = await this.#opened.promise
    const before = this.#running.at(-1)
    const printed = Promise.withResolvers<void>()
    printed.promise.catch(() => undefined)
    const key = newKey()
    this.#seat?.typed(key)
    const exchange = await startExchange(life, text, {
      signal,
      key,
      before: before?.exchange,
      thread: this.#thread,
      patience,
    })
    const running = { exchange, printed: printed.promise }
    this.#running = [...this.#running, running]
    try {
      const outcome = await exchange.outcome
      if (outcome === undefined) return undefined
      await before?.printed.catch(() => undefined)
      await this.#printer.outcome(text, outcome)
      printed.resolve()
      const last = outcome.deliveries.at(-1)
      if (last !== undefined) await this.#seat?.shownTo(last.position)
      return outcome
    } finally {
      printed.reject(gone())
      this.#running = this.#running.filter((other) => other !== running)
    }
  }

  /** Waits at most this long until no branch has work. Resolves with how many still have some. */
  async linger(waitMs: number, signal: AbortSignal): Promise<number> {
    const { log, agent, desk } = await this.#opened.promise
    const end = desk.now() + waitMs
    for (;;) {
      const now = desk.now()
      const left = await log.read((reader) => workLeft(reader, now))
      const next = Math.min(...left)
      if (next > end || now >= end || signal.aborted) return left.length
      if (next > now) await pause(next - now, signal)
      else await within(end - now, settled(agent), signal)
    }
  }

  /** Waits for a running summary: otherwise it would start over, and cost again, at every start. */
  async compacted(signal: AbortSignal): Promise<void> {
    const { agent } = await this.#opened.promise
    await within(COMPACTION_WAIT_MS, agent.compacted(), signal)
  }

  /** Resolves once all that is on its way was printed. */
  async flush(): Promise<void> {
    const { log } = await this.#opened.promise
    const last = await log.read((reader) => unsettled(reader, addressKey(terminalAddress)).at(-1))
    if (last !== undefined) await this.#seat?.shownTo(last)
  }

  close(): void {
    this.#opened.reject(gone())
    this.#seat?.leave()
  }

  async #owns(intent: EventOf<'delivery-intended'>): Promise<boolean> {
    for (const { exchange } of this.#running) if ((await exchange.partOf(intent)) !== 'nothing') return true
    return false
  }

  async #show(message: Outgoing): Promise<void> {
    const { log } = await this.#opened.promise
    const { intent, branch, from } = await log.read((reader) => {
      const intent = reader.event(message.id) as EventOf<'delivery-intended'>
      const { branch } = intent
      return { intent, branch: branchNames(reader)(branch), from: senderName(reader, branch) }
    })
    const said = { ...message, branch, from, turn: intent.turn }
    for (const { exchange, printed } of this.#running) {
      const part = await exchange.partOf(intent)
      if (part === 'nothing') continue
      if (this.#printer.own !== undefined) return this.#printer.own(said)
      // Held back until its outcome is printed, which contains its text. Until then it is not delivered.
      if (part === 'result') return printed
      break
    }
    return this.#printer.event(said)
  }
}

const SOON_MS = 10

/** The work of a timer that is just firing shows a moment later. */
async function settled(agent: Life['agent']): Promise<void> {
  await agent.settled()
  await sleep(SOON_MS)
}

/** Waits for the work, at most `ms`. */
async function within(ms: number, work: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  await Promise.race([work, pause(ms, AbortSignal.any([signal, over.signal]))])
  over.abort()
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

/** When each branch with work continues: now, or at the end of a deferral. */
function workLeft(reader: Reader, now: number): number[] {
  return branchesByHandle(reader, '', Number.MAX_SAFE_INTEGER).flatMap((branch) => {
    const { state } = getBranch(reader, branch)
    if (state.kind === 'ended') return []
    const due = dueIn(reader, { branch, now, isImpatient: false })
    if (due.kind === 'nothing' || due.kind === 'end') return []
    if (due.kind !== 'later') return [now]
    return state.kind === 'idle' && state.last?.outcome === 'deferred' ? [due.at] : []
  })
}

function gone(): ChannelError {
  return new ChannelError('the conversation is over', { isFinal: false })
}
