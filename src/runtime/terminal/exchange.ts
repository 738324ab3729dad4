import { dueIn } from '../../agent/branch/due.ts'
import { admittedAt, isWaiting, type Waiting } from '../../agent/state/inbox.ts'
import { addressKey } from '../../agent/state/outbox.ts'
import { inboundTable } from '../../agent/state/tables.ts'
import { boundBranch } from '../../agent/branch/binding.ts'
import type { Received } from '../../command/door/reception.ts'
import { findBranch } from '../../context/branch.ts'
import { branchNames } from '../../context/naming.ts'
import type { Event, EventOf } from '../../event/event.ts'
import type { BranchId, Position, TurnId } from '../../event/id.ts'
import { allRows, type Reader } from '../../event/table.ts'
import type { Life } from '../life/life.ts'
import { isTypedAt, terminalAddress, typedInbound } from './place.ts'

type Intent = EventOf<'delivery-intended'>

/** Something that was typed, from its arrival until everything it caused is done. */
export interface Exchange {
  /**
   * What a delivery to the terminal is to this exchange: its result, a question or remark of the host on the way, or
   * nothing, if it has another cause.
   */
  partOf(intent: Intent): Promise<Part>
  /** Resolves once it is in the log, or was refused. */
  readonly received: Promise<void>
  /** What comes in after this position belongs to another exchange. */
  endAt(position: number): void
  /** Undefined when there was nothing to do, or `signal` came first. */
  readonly outcome: Promise<Outcome | undefined>
}

type Part = 'result' | 'aside' | 'nothing'

export interface Outcome {
  /** The name of the branch where it came in. */
  readonly branch: string
  /** The turn that took it; null for commands. */
  readonly turn: TurnId | null
  /** All of it. */
  readonly deliveries: readonly Intent[]
  /** Its results, without questions and remarks on the way. */
  readonly results: readonly Intent[]
  /** A command was refused, or the turn failed or was deferred. */
  readonly isFailed: boolean
}

/**
 * Starts an exchange. Whatever else is typed meanwhile counts as a part of it, unless that is an exchange which names
 * this one as `before`.
 */
export async function startExchange(
  life: Life,
  text: string,
  { signal, before }: { signal: AbortSignal; before?: Exchange | undefined },
): Promise<Exchange> {
  await before?.received
  const after = await life.log.read(({ end }) => end)
  before?.endAt(after)
  const stretch: Stretch = { after, to: Number.POSITIVE_INFINITY }
  const received = life.receive(typedInbound(text))
  return {
    partOf: async (intent) => {
      const turns = await turnsOf(life, stretch)
      return life.log.read((reader) => partIn(reader, intent, { stretch, turns }))
    },
    received: received.then(
      () => undefined,
      () => undefined,
    ),
    endAt: (position) => void (stretch.to = position),
    outcome: finish(life, { received, stretch }, signal),
  }
}

/** The range of log positions at which the input of an exchange came in. */
interface Stretch {
  readonly after: number
  to: number
}

function isIn(position: number, { after, to }: Stretch): boolean {
  return position > after && position <= to
}

/** Resolves once everything is done that an earlier process left in the conversation. */
export async function untilIdle({ agent, desk }: Life, signal: AbortSignal): Promise<void> {
  await agent.until((reader) => {
    const branch = boundBranch(reader, terminalAddress)
    return branch === undefined || isIdle(reader, branch, desk.now())
  }, signal)
}

async function finish(
  life: Life,
  { received: receiving, stretch }: { received: Promise<Received>; stretch: Stretch },
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const received = await receiving
  if (received.kind === 'empty' || received.kind === 'duplicate') return undefined
  const { log, agent, desk } = life
  const from = received.branch
  const isDone = (reader: Reader): boolean =>
    [from, boundBranch(reader, terminalAddress) ?? from].every((branch) =>
      isQuiet(reader, branch, { after: stretch.after, now: desk.now(), isBusy: agent.isBusy(branch) }),
    )
  // A command may start work without an event, as /retry does; the agent shows it as busy one tick later.
  await new Promise(setImmediate)
  if (!(await agent.until(isDone, signal))) return undefined
  const branch = await log.read((reader) => branchNames(reader)(from))
  return { branch, ...(await outcomeIn(life, stretch)) }
}

/** Whether everything typed since is taken, and no turn because of it runs or is due. */
function isQuiet(
  reader: Reader,
  branch: BranchId,
  { after, now, isBusy }: { after: number; now: number; isBusy: boolean },
): boolean {
  const state = findBranch(reader, branch)?.state
  if (state === undefined || state.kind === 'ended') return true
  const typed = typedSince(reader, branch, after)
  if (typed.some(({ position }) => isWaiting(reader, branch, position))) return false
  if (state.kind === 'idle') return !isBusy && isIdle(reader, branch, now)
  // A turn that ran before the person came to the branch is not theirs, unless they say something there.
  return state.startedAt <= after && !typed.some(({ form }) => form === 'message')
}

function isIdle(reader: Reader, branch: BranchId, now: number): boolean {
  const due = dueIn(reader, { branch, now, isImpatient: false })
  return due.kind === 'nothing' || due.kind === 'later'
}

function typedSince(reader: Reader, branch: BranchId, after: number): Waiting[] {
  const rows = allRows(reader, inboundTable, { prefix: [branch], from: after + 1 })
  return [...rows].filter(({ position }) => isTyped(reader, position))
}

function isTyped(reader: Reader, position: Position): boolean {
  return isTypedAt(terminalAddress, admittedAt(reader, position).source)
}

/**
 * A command's output names the command as its cause, and the answer of a turn, or why it has none, names what was said.
 * What the host asks or remarks during a turn names something else, or nothing.
 */
function partIn(
  reader: Reader,
  intent: Intent,
  { stretch, turns }: { stretch: Stretch; turns: ReadonlySet<TurnId> },
): Part {
  const { to, form, turn, position, cause } = intent
  if (position <= stretch.after || addressKey(to) !== addressKey(terminalAddress)) return 'nothing'
  const answered = cause === undefined ? undefined : reader.event(cause)
  if (answered?.kind === 'command-run' && isIn(runSince(answered), stretch)) return 'result'
  if (turn === null || !turns.has(turn)) return 'nothing'
  return form !== 'ping' && answered?.kind === 'inbound-admitted' ? 'result' : 'aside'
}

/** A command that ran at once was never in an inbox. */
function runSince({ took, position }: EventOf<'command-run'>): Position {
  return took ?? position
}

/** The turns that took what was typed in it. */
async function turnsOf({ log }: Life, stretch: Stretch): Promise<ReadonlySet<TurnId>> {
  const turns = new Set<TurnId>()
  for await (const event of log.events({ after: stretch.after, kind: 'message-added' })) {
    const { turn, took = 0 as Position } = event as EventOf<'message-added'>
    if (turn !== null && isIn(took, stretch) && (await log.read((reader) => isTyped(reader, took))))
      turns.add(turn)
  }
  return turns
}

async function outcomeIn(life: Life, stretch: Stretch): Promise<Omit<Outcome, 'branch'>> {
  const turns = await turnsOf(life, stretch)
  const events = await Array.fromAsync(life.log.events({ after: stretch.after }))
  const intents = events.filter((event) => event.kind === 'delivery-intended')
  const parts = await life.log.read((reader) =>
    intents.map((intent) => ({ intent, part: partIn(reader, intent, { stretch, turns }) })),
  )
  return {
    turn: [...turns].at(-1) ?? null,
    deliveries: parts.flatMap(({ intent, part }) => (part === 'nothing' ? [] : [intent])),
    results: parts.flatMap(({ intent, part }) => (part === 'result' ? [intent] : [])),
    isFailed: events.some((event) => isFailure(event, stretch, turns)),
  }
}

function isFailure(event: Event, stretch: Stretch, turns: ReadonlySet<TurnId>): boolean {
  if (event.kind === 'command-run') return event.isError && isIn(runSince(event), stretch)
  if (event.kind !== 'turn-ended' || !turns.has(event.turn)) return false
  return event.outcome === 'failed' || event.outcome === 'deferred'
}
