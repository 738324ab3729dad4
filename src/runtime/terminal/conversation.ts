import { setTimeout as sleep } from 'node:timers/promises'
import { newKey } from '../../base/random.ts'
import { sentence } from '../../base/words.ts'
import { senderName } from '../../agent/branch/reply-act.ts'
import { dueIn, isWorking } from '../../agent/branch/due.ts'
import { waitsForModel } from '../../agent/state/home-model.ts'
import type { AgentSettings } from '../../agent/state/settings.ts'
import { addressKey, unsettled } from '../../agent/state/outbox.ts'
import { sentWith } from '../../event/file.ts'
import { fileAt, takeFiles } from '../../file/take-files.ts'
import type { Outgoing } from '../../channel/channel.ts'
import type { SocketOrigin } from '../../client/socket.ts'
import { branchesByHandle, getBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import type { Happening } from '../../event/happening.ts'
import type { BranchId, TurnId } from '../../event/id.ts'
import type { Reader } from '../../event/table.ts'
import type { Life } from '../life/life.ts'
import type { Seats, Taken } from './seats.ts'
import { startExchange, untilIdle, type Exchange, type ExchangeOptions, type Outcome } from './exchange.ts'
import { terminalAddress, typedInbound } from './place.ts'
import type { Intent, Part } from './trace.ts'

/** A delivery, where it comes from, and what it is to the input that is handled. Plain data, as all that is told here. */
export interface Said extends Omit<Outgoing, 'conversation'> {
  /** As people call it. */
  readonly branch: string
  /** The sender: `routine morning-brief`, `child k3f9ab`. */
  readonly from: string
  readonly turn: TurnId | null
  readonly part: Part
}

export interface Told extends Omit<Outcome, 'deliveries'> {
  /** All of it, whether it was printed already or not. */
  readonly deliveries: readonly Said[]
}

/** At most this long, since the answer is already printed. */
const COMPACTION_WAIT_MS = 30_000

interface Parts {
  readonly life: Life
  readonly seats: Seats
  /** Resolves once the text is written. */
  readonly print: (said: Said) => Promise<void>
  /** For what is only worth a line while it happens. */
  readonly remark?: (text: string) => void
  /** Called when `/exit` was typed here, in the main session. */
  readonly exit?: () => void
  /** Its messages are a thread: no turn answers them together with others. */
  readonly thread?: string
}

/**
 * A seat without a screen. It is taken when something is said, and then shows what comes of that; or when it is asked for,
 * and then shows all that comes.
 */
export class Conversation {
  readonly #parts: Parts
  readonly #thread: string
  readonly #stopWatching: () => void
  #seat: Taken | undefined
  #takesAll = false
  #running: readonly Promise<Exchange>[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    this.#thread = parts.thread ?? newKey()
    this.#stopWatching = parts.life.agent.watch(
      retryTeller((text, branch) => void this.#remark(text, branch)),
    )
  }

  /** From now on, everything that comes is printed, for anybody. */
  sit(): Taken {
    if (!this.#takesAll) this.#seat?.leave()
    if (!this.#takesAll) this.#seat = undefined
    this.#takesAll = true
    return this.#sit()
  }

  #sit(): Taken {
    const { seats, exit } = this.#parts
    this.#seat ??= seats.take({
      kind: 'lines',
      takesAll: this.#takesAll,
      owns: async (intent) => (await this.#partOf(intent)) !== 'nothing',
      show: (message) => this.#show(message),
      exit: () => exit?.(),
    })
    return this.#seat
  }

  /** Resolves once everything that an earlier process left is finished and printed. */
  async catchUp(signal: AbortSignal): Promise<void> {
    this.sit()
    await untilIdle(this.#parts.life, signal)
    await this.flush()
  }

  /**
   * Resolves once everything it caused here is done and was shown somewhere; with undefined if there was nothing to do.
   * The same key again continues the first one.
   */
  async say(
    saying: ExchangeOptions & {
      text: string
      key: string
      origin: SocketOrigin
      folder?: string | undefined
      files?: readonly string[] | undefined
    },
  ): Promise<Told | undefined> {
    const { text, key, origin, folder, files: paths = [], ...options } = saying
    const { life } = this.#parts
    const files = await takeFiles(
      life.desk.files,
      { files: paths.map((path) => fileAt(path, life.desk.workspace.root)) },
      options.signal,
    )
    const asked = { ...typedInbound(text, { key, origin, folder, thread: this.#thread }), files }
    const starting = startExchange(life, asked, options)
    // Before the seat is taken: its deliveries may be waiting for it.
    this.#running = [...this.#running, starting]
    try {
      const seat = this.#sit()
      seat.typed(key)
      const outcome = await (await starting).outcome
      if (outcome === undefined) return undefined
      const last = outcome.deliveries.at(-1)
      if (last !== undefined) await seat.shownTo(last.position)
      return await life.log.read((reader) => ({
        ...outcome,
        deliveries: outcome.deliveries.map((delivery) => saidOf(reader, delivery, delivery.part)),
      }))
    } finally {
      this.#running = this.#running.filter((other) => other !== starting)
    }
  }

  /** Waits at most this long until no branch has work. Resolves with how many still have some. */
  async linger(waitMs: number, signal: AbortSignal): Promise<number> {
    const { log, agent, desk } = this.#parts.life
    const end = desk.now() + waitMs
    for (;;) {
      const now = desk.now()
      const settings = desk.settings()
      const left = await log.read((reader) => workLeft(reader, now, settings))
      const next = left.reduce((soonest, at) => Math.min(soonest, at), Infinity)
      if (next > end || now >= end || signal.aborted) return left.length
      if (next > now) await pause(next - now, signal)
      else await within(end - now, settled(agent), signal)
    }
  }

  /** Waits for a running summary: otherwise it would start over, and cost again, at every start. */
  async compacted(signal: AbortSignal): Promise<void> {
    const { agent } = this.#parts.life
    await within(COMPACTION_WAIT_MS, agent.compacted(), signal)
  }

  /** Resolves once all that is on its way was printed. */
  async flush(): Promise<void> {
    const { log } = this.#parts.life
    const last = await log.read((reader) => unsettled(reader, addressKey(terminalAddress)).at(-1))
    if (last !== undefined) await this.sit().shownTo(last)
  }

  close(): void {
    this.#stopWatching()
    this.#seat?.leave()
  }

  async #remark(text: string, branch: BranchId): Promise<void> {
    const exchanges = await Promise.all(this.#running)
    const own = await Promise.all(exchanges.map((exchange) => exchange.isIn(branch)))
    if (this.#takesAll || own.includes(true)) this.#parts.remark?.(text)
  }

  async #partOf(intent: Intent): Promise<Part> {
    const exchanges = await Promise.all(this.#running)
    const parts = await Promise.all(exchanges.map((exchange) => exchange.partOf(intent)))
    return parts.find((part) => part !== 'nothing') ?? 'nothing'
  }

  async #show({ id, isAgain }: Outgoing): Promise<void> {
    const { life, print } = this.#parts
    const intent = await life.log.read((reader) => reader.event(id) as Intent)
    const part = await this.#partOf(intent)
    const said = await life.log.read((reader) => saidOf(reader, intent, part))
    // What belongs to the input was not printed by an earlier process.
    await print({ ...said, isAgain: isAgain && part === 'nothing' })
  }
}

function saidOf(reader: Reader, intent: Intent, part: Part): Said {
  const { position: id, branch, form, turn, choices = [], embed, number } = intent
  const text = sentWith(intent)
  return {
    id,
    text,
    form,
    turn,
    choices,
    part,
    isAgain: false,
    branch: branchNames(reader)(branch),
    from: senderName(reader, branch),
    ...(embed && { embed }),
    ...(number !== undefined && { number }),
  }
}

/** A shorter wait for a model that failed is not worth a line. */
const TOLD_WAIT_MS = 3_000

/** Says once for each turn that the model failed and is tried again. */
export function retryTeller(tell: (text: string, branch: BranchId) => void): (happening: Happening) => void {
  const told = new Set<BranchId>()
  return (happening) => {
    if (happening.kind === 'turn-ended') told.delete(happening.branch)
    if (happening.kind !== 'retry-planned') return
    const { branch, waitMs, because } = happening
    if (waitMs < TOLD_WAIT_MS || told.has(branch)) return
    told.add(branch)
    tell(`${sentence(because)} Trying again in ${Math.round(waitMs / 1000)} s.`, branch)
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

/** When each branch with work continues: now, at the end of a deferral, or never in this process if it has no model. */
function workLeft(reader: Reader, now: number, settings: AgentSettings): number[] {
  return branchesByHandle(reader, '', Number.MAX_SAFE_INTEGER).flatMap((branch) => {
    const { state } = getBranch(reader, branch)
    if (state.kind === 'ended') return []
    if (waitsForModel(reader, branch, settings)) return isWorking(reader, branch, now) ? NEVER : []
    const due = dueIn(reader, { branch, now, isImpatient: false })
    if (due.kind === 'nothing' || due.kind === 'end') return []
    if (due.kind !== 'later') return [now]
    return state.kind === 'idle' && state.last?.outcome === 'deferred' ? [due.at] : []
  })
}

const NEVER = [Number.POSITIVE_INFINITY]
